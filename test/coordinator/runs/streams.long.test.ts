/**
 * Inputs that can only be read from their beginning: standard input, compressed lines, other encodings. The same documents
 * give the same pairs however they come.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { hiddenFolderOf } from '../../../src/result/folder.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { finished, pairNames, prepared, resultOf } from './finished.js';
import { type Row, resultBytes } from './resultFiles.js';

const MAIN = fileURLToPath(new URL('../../../package/cli.js', import.meta.url));

/** 60 records in families of six; larger than one chunk of 4 MiB together. */
const RECORDS: readonly { readonly id: string; readonly text: string }[] = (() => {
  const random = randomFrom(2024);
  return Array.from({ length: 10 }, (_, family) => {
    const words = wordsFrom(random, family === 0 ? 150_000 : 200);
    return Array.from({ length: 6 }, (_, i) => ({
      id: `r${i}-${family}`,
      text: edited(random, words, i === 5 ? 0 : i).join(' '),
    }));
  }).flat();
})();
const LINES = RECORDS.map((record) => JSON.stringify(record)).join('\n');

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command with `input` on its standard input. */
function cli(cwd: string, argv: readonly string[], input: string | Uint8Array): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...argv], { cwd });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

test('lines give the same pairs from a file, compressed, on standard input and in UTF-16', async (t) => {
  const plain = await finished(t, { 'x.jsonl': LINES });
  t.true(plain.pairs.length > 30);
  t.true(plain.manifest.counts.verified_pairs > 20);
  const packed = await finished(t, { 'x.jsonl.gz': gzipSync(LINES) });
  const utf16 = await finished(t, { 'x.jsonl': Buffer.from(LINES, 'utf16le') }, { encoding: 'utf-16le' });
  const stdin = await finished(t, {}, { paths: ['-'] }, { stdin: Readable.from([Buffer.from(LINES)]) });
  for (const [other, id] of [
    [packed, 'x.jsonl.gz'],
    [utf16, 'x.jsonl'],
    [stdin, '-'],
  ] as const) {
    const placed = (rows: readonly Row[]): Row[] =>
      rows.map((row) => {
        const moved = Object.entries(row).filter(
          ([name]) => name.endsWith('place') || name.endsWith('_location'),
        );
        return {
          ...row,
          ...Object.fromEntries(moved.map(([name, at]) => [name, at!.replace('x.jsonl', id)])),
        };
      });
    t.deepEqual(other.pairs, placed(plain.pairs));
    t.deepEqual(other.dropped, placed(plain.dropped));
    t.deepEqual(other.clusters, placed(plain.clusters));
    t.is(other.manifest.content_digest, plain.manifest.content_digest);
    t.deepEqual(other.manifest.counts, plain.manifest.counts);
  }
});

test('standard input is copied to .work during the run, and removed afterwards', async (t) => {
  const { options } = prepared(t, {});
  const spooled: string[][] = [];
  const hooks = {
    stdin: Readable.from([Buffer.from(LINES)]),
    onProgress: ({ stage }: { stage: string }) => {
      if (stage === 'pairs' && spooled.length === 0)
        spooled.push(readdirSync(join(hiddenFolderOf(options.out), '.work')));
    },
  };
  await run({ ...options, paths: ['-'], threads: 2 }, hooks);
  t.true(spooled[0]!.length > 0);
  t.deepEqual(
    readdirSync(options.out).filter((name) => name.startsWith('.')),
    [],
  );
  t.true(resultOf(options.out).pairs.length > 30);
});

test('standard input that comes a byte or a line at a time gives the same bytes', async (t) => {
  const lines = RECORDS.slice(6).map((record) => `${JSON.stringify(record)}\n`);
  const bytes = Buffer.from(lines.slice(0, 12).join(''));
  const byByte = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
  const rest = lines.slice(12).map((line) => Buffer.from(line));
  const whole = [Buffer.from(lines.join(''))];
  const results: Record<string, string>[] = [];
  for (const pieces of [whole, [...byByte, ...rest]]) {
    const { out } = await finished(t, {}, { paths: ['-'] }, { stdin: Readable.from(pieces) });
    results.push(resultBytes(out));
  }
  t.deepEqual(results[1], results[0]);
});

test('the command verifies lines on standard input exactly and lists those without an id', async (t) => {
  const { folder } = prepared(t, {});
  const [first, second] = [RECORDS[6]!, RECORDS[7]!];
  const input = `${JSON.stringify({ text: first.text })}\n{broken\n${JSON.stringify(second)}\n`;
  const { code, stdout, stderr } = await cli(folder, ['run', '-', '--out', 'out', '--json'], input);
  t.is(code, 0, stderr);
  t.is(JSON.parse(stdout).counts.verified_pairs, 1);
  const result = resultOf(join(folder, 'out'));
  t.deepEqual(pairNames(result.pairs), [`-#1 ${second.id} near`]);
  t.deepEqual(
    result.skipped.map(({ document }) => document),
    ['-#2'],
  );
  t.false(existsSync(join(folder, 'out', '.work')));
});

test('--fail-on-duplicates ends with 3 when a pair was accepted and with 0 otherwise', async (t) => {
  const { folder } = prepared(t, {});
  const argv = ['run', '-', '--fail-on-duplicates', '--quiet', '--force', '--out', 'out', '--threads', '0'];
  const one = JSON.stringify(RECORDS[6]);
  t.deepEqual(await cli(folder, argv, `${one}\n`), { code: 0, stdout: '', stderr: '' });
  const two = `${one}\n${JSON.stringify({ ...RECORDS[6], id: 'again' })}\n`;
  t.deepEqual(await cli(folder, argv, two), { code: 3, stdout: '', stderr: '' });
});

test('texts in other encodings are what they are in UTF-8', async (t) => {
  const text = Array.from({ length: 60 }, (_, i) => `café${i} Straße naïve`).join(' ');
  const other = Array.from({ length: 60 }, (_, i) => `autre${i} façade`).join(' ');
  const digest = async (encoding: BufferEncoding, label: string) => {
    const bytes = (content: string): Buffer => Buffer.from(content, encoding);
    const files = { 'a.txt': bytes(text), 'b.txt': bytes(`${text}!`), 'c.txt': bytes(other) };
    const { pairs, manifest } = await finished(t, files, { encoding: label });
    t.deepEqual(pairNames(pairs), ['a.txt b.txt same-tokens'], label);
    t.is(manifest.counts.repaired, 0);
    return manifest.content_digest;
  };
  const utf8 = await digest('utf8', 'utf-8');
  t.is(await digest('latin1', 'latin1'), utf8);
  t.is(await digest('utf16le', 'utf-16le'), utf8);
});

test('a compressed text with one word changed is near the plain one', async (t) => {
  const [first, second] = [RECORDS[12]!, RECORDS[13]!];
  const { pairs } = await finished(t, { 'a.txt': first.text, 'b.txt.gz': gzipSync(second.text) });
  t.deepEqual(pairNames(pairs), ['a.txt b.txt.gz near']);
});
