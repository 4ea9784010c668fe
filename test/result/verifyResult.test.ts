/** verifyResult reports every damage of a finished result. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../src/coordinator/run.js';
import { type ResultProblem, verifyResult } from '../../src/result/verifyResult.js';
import { prepared } from '../coordinator/runs/finished.js';
import { edited, randomFrom, wordsFrom } from '../data/seededTexts.js';

const PAGE = wordsFrom(randomFrom(3), 120);
const FILES = {
  'a.txt': PAGE.join(' '),
  'b.txt': PAGE.join(' '),
  'c,"d".txt': edited(randomFrom(4), PAGE, 2).join(' '),
  'line\nfeed.txt': edited(randomFrom(5), PAGE, 1).join(' '),
  'x.bin': 'a\0',
};

async function resultIn(t: ExecutionContext): Promise<string> {
  const { options: places } = prepared(t, FILES);
  await run({ threads: 0, ...places });
  return places.out;
}

const briefly = ({ file, kind }: ResultProblem): string => `${file} ${kind}`;

async function problemsOf(out: string): Promise<string[]> {
  const { valid, problems } = await verifyResult(out);
  if (valid !== (problems.length === 0)) throw new Error('valid and problems contradict each other');
  return problems.map(briefly);
}

test('verifyResult finds a result valid and counts its rows', async (t) => {
  const out = await resultIn(t);
  const seen: number[] = [];
  const found = await verifyResult(out, { onProgress: (done, total) => seen.push(done / total) });
  t.deepEqual(found.problems, []);
  t.is(found.files, 6);
  const { counts } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  const pairs = counts.verified_pairs + counts.identical_pairs;
  const agreements = readFileSync(join(out, 'candidates/agreement.tsv'), 'utf8').trim().split('\n').slice(1);
  t.is(
    agreements.reduce((sum, row) => sum + Number(row.split('\t')[1]), 0),
    counts.candidate_pairs,
  );
  const candidates = counts.candidates_listed + agreements.length;
  t.is(found.rows, candidates + pairs + counts.clustered_documents + counts.dropped + 1);
  t.is(seen.at(-1), 1);
});

test('verifyResult reports every kind of damage, with expected and found values', async (t) => {
  const out = await resultIn(t);
  truncateSync(join(out, 'candidates/part-00000.tsv'), 60);
  appendFileSync(join(out, 'duplicates.tsv'), 'more\n');
  rmSync(join(out, 'clusters/part-00000.tsv'));
  rmSync(join(out, 'skipped.tsv'));
  symlinkSync('duplicates.tsv', join(out, 'skipped.tsv'));
  const pairs = join(out, 'pairs/part-00000.tsv');
  writeFileSync(pairs, readFileSync(pairs, 'latin1').replace('near', 'Near'), 'latin1');
  writeFileSync(join(out, 'pairs/part-00001.tsv'), '');
  writeFileSync(join(out, 'notes.txt'), '');
  rmSync(join(out, '_SUCCESS'));
  const { problems } = await verifyResult(out);
  const drops = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).files['duplicates.tsv'];
  t.deepEqual(problems.map(briefly), [
    '_SUCCESS missing',
    'candidates/part-00000.tsv length',
    'clusters/part-00000.tsv missing',
    'duplicates.tsv length',
    'notes.txt unknown',
    'pairs/part-00000.tsv sha256',
    'pairs/part-00001.tsv unknown',
    'skipped.tsv not_a_file',
  ]);
  t.like(problems[3], { expected: drops.bytes, found: drops.bytes + 5 });
});

test('verifyResult detects a manifest that was changed by hand, cut off, or contradicts itself', async (t) => {
  const out = await resultIn(t);
  const path = join(out, 'manifest.json');
  const text = readFileSync(path, 'utf8');
  const at = text.indexOf('"kept":') + 7;
  writeFileSync(path, `${text.slice(0, at)} ${text.slice(at)}`);
  t.deepEqual(await problemsOf(out), ['manifest.json form']);
  writeFileSync(path, text.replace(/"kept": \d+/, '"kept": 77'));
  // Against the documents that were read, and against the numbers by source.
  t.deepEqual(await problemsOf(out), ['manifest.json counts', 'manifest.json counts']);
  writeFileSync(path, text.slice(0, -9));
  t.deepEqual(await problemsOf(out), ['manifest.json form']);
  for (const name of ['../secret.tsv', 'in/part-00000.tsv', 'pairs/../../x']) {
    writeFileSync(path, text.replaceAll('pairs/part-00000.tsv', name));
    t.deepEqual(await problemsOf(out), ['manifest.json form'], name);
  }
  // Tokens of what is dropped, against those by reason and by source.
  writeFileSync(path, text.replace(/"tokens": \d+/, '"tokens": 7777'));
  t.deepEqual(await problemsOf(out), ['manifest.json counts', 'manifest.json counts']);
  writeFileSync(path, text.replace(/"median_shingles": \d+/, '"median_shingles": "many"'));
  t.deepEqual(await problemsOf(out), ['manifest.json form']);
  writeFileSync(path, text);
  t.deepEqual(await problemsOf(out), []);
});

test('verifyResult does not wait for pipes, follow links or read files as folders', async (t) => {
  const out = await resultIn(t);
  const replace = (name: string): string => {
    rmSync(join(out, name), { recursive: true });
    return join(out, name);
  };
  execFileSync('mkfifo', [replace('pairs/part-00000.tsv'), replace('stats.json')]);
  symlinkSync('/etc', replace('clusters'));
  t.deepEqual(await problemsOf(out), [
    'clusters not_a_file',
    'clusters/part-00000.tsv not_a_file',
    'pairs/part-00000.tsv not_a_file',
    'stats.json not_a_file',
  ]);
  writeFileSync(replace('clusters'), '');
  t.true((await problemsOf(out)).includes('clusters/part-00000.tsv not_a_file'));
  execFileSync('mkfifo', [replace('manifest.json')]);
  t.true((await problemsOf(out)).includes('manifest.json not_a_file'));
});

test('verifyResult of no result is RESULT_MISSING', async (t) => {
  const out = await resultIn(t);
  mkdirSync(join(out, 'empty'));
  for (const folder of [join(out, 'absent'), join(out, 'manifest.json'), join(out, 'empty')]) {
    await t.throwsAsync(verifyResult(folder), { code: 'RESULT_MISSING' });
  }
});
