/** The reader of signatures in Python, as docs/dev/signature-format.md shows it. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import * as core from '../../src/core.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { blockOf } from './vectors.js';

const READER = blockOf('python');
const python = spawnSync('python3', ['--version']).status === 0 ? test : test.skip;

python(
  'the reader in Python estimates what the library does, and refuses what it refuses (needs python3)',
  (t) => {
    const folder = temporaryFolder(t);
    const file = (name: string, bytes: string | Uint8Array): string => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    const reader = file('reader.py', READER);
    const read = (...files: string[]): { status: number | null; output: string } => {
      const { status, stdout, stderr } = spawnSync('python3', [reader, ...files], { encoding: 'utf8' });
      return { status, output: status === 0 ? stdout.trim() : (stderr.trim().split('\n').at(-1) ?? '') };
    };
    const words = Array.from({ length: 300 }, (_, i) => `word${i}`);
    const options = { shingle: 'words:3', hashes: 256 };
    const [a, b] = [words, words.slice(40)].map((list) => core.sketchOf(list.join(' '), options));
    const [bytesA, bytesB] = [core.sketchToBytes(a!), core.sketchToBytes(b!)];
    const [fileA, fileB] = [file('a', bytesA), file('b', bytesB)];
    const { value } = core.estimateResemblance(a!, b!);
    t.true(value > 0.5 && value < 1);
    t.deepEqual(read(fileA, fileB), { status: 0, output: String(value) });
    const empty = file('empty', core.sketchToBytes(core.sketchOf('', options)));
    t.deepEqual(read(empty, empty), { status: 0, output: '0.0' });

    const other = file('other', core.sketchToBytes(core.sketchOf('x', { ...options, seed: 2 })));
    t.regex(read(fileA, other).output, /^ValueError: not comparable: .*"seed":1.*"seed":2/);
    const changed = bytesA.slice();
    changed[200]! ^= 1;
    for (const [name, bytes, message] of [
      ['changed', changed, 'damaged'],
      ['cut', bytesA.subarray(0, -1), 'another version, or cut off'],
      ['text', new TextEncoder().encode('this is no signature at all'), 'not a signature'],
      ['nothing', new Uint8Array(), 'not a signature'],
    ] as const) {
      t.deepEqual(read(fileA, file(name, bytes)), { status: 1, output: `ValueError: ${message}` }, name);
    }
  },
);
