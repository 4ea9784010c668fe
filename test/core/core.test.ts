/** The core by itself, as it is shipped, and the bytes of signatures as other programs read them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import * as core from '../../src/core.js';
import * as library from '../../src/index.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { differences } from './conformance.js';
import { blockOf, vectorsOfPage } from './vectors.js';

const SHIPPED = fileURLToPath(new URL('../../package/core.js', import.meta.url));
const READER = blockOf('python');

test('the core gives what docs/dev/signature-format.md shows, from its sources and as it is shipped', async (t) => {
  const vectors = vectorsOfPage();
  t.is(vectors.length, 6);
  t.deepEqual(differences(core, vectors), []);
  t.deepEqual(differences(await import(SHIPPED), vectors), []);
});

test('a core that gives something else is found', (t) => {
  const [first] = vectorsOfPage();
  const other = { ...core, resemblance: () => 0.25 };
  t.deepEqual(differences(other, [{ ...first!, base64: 'TU1T' }]).length, 2);
});

test('what is shipped imports nothing and names nothing of Node', (t) => {
  const text = readFileSync(SHIPPED, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  t.notRegex(text, /^import\b|\bimport\(|\brequire\b|\bnode:|\bprocess\.|\bBuffer\./m);
});

test('every name of the core is the same thing in the library', (t) => {
  const names = new Map<string, unknown>(Object.entries(library));
  const ofCore = Object.entries(core);
  t.true(ofCore.length > 30, `${ofCore.length} names`);
  for (const [name, value] of ofCore) t.is(names.get(name), value, name);
});

const python = spawnSync('python3', ['--version']).status === 0 ? test : test.skip;

test('the reader in Python has at most 40 lines', (t) => {
  t.true(READER.split('\n').length <= 40, `${READER.split('\n').length}`);
});

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
