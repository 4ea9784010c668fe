/**
 * Documents that change while the run is going on: withdrawn by name, and the others of their class kept, uncompared.
 *
 * The change is made by the progress of a stage, so it is between the first and the second reading every
 * time.
 */
import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { resemblance } from '../../../src/analysis/measures.js';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { summaryLines } from '../../../src/output/report.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Finished, pairNames, prepared } from '../runs/finished.js';
import { changedRun, during } from './changedRun.js';

const random = randomFrom(4711);
const PAGE = wordsFrom(random, 120);
const NEAR = edited(random, PAGE, 1).join(' ');
const NEAR_TOO = edited(random, PAGE, 1).join(' ');
const COPY = PAGE.join(' ');
const OTHER = wordsFrom(random, 120).join(' ');

const names = (rows: readonly { readonly [name: string]: string }[]): string[] =>
  rows.map(({ document, reason }) => `${document} ${reason!.slice(0, reason!.indexOf(':'))}`);

const drops = (result: Pick<Finished, 'dropped'>): string[] =>
  result.dropped.map(({ document, kept }) => `${document} ${kept}`);

test('a document that changed between the readings is named and in no pair', async (t) => {
  const files = { a: COPY, b: NEAR, c: OTHER };
  const result = await changedRun(t, files, (inputs) => writeFileSync(join(inputs, 'a'), OTHER));
  t.deepEqual(names(result.skipped), ['a CHANGED']);
  t.deepEqual([result.pairs, result.candidates, result.clusters, result.dropped], [[], [], [], []]);
  const { documents, read, kept, shingle_occurrences } = result.manifest.counts;
  t.deepEqual({ documents, read, kept }, { documents: 3, read: 2, kept: 2 });
  t.is(shingle_occurrences, NEAR.split(' ').length + 120 - 2 * 4);
});

test('a document that vanished between the readings is withdrawn too', async (t) => {
  const files = { a: Buffer.from(`${COPY} o\xffo`, 'latin1'), b: NEAR, c: NEAR_TOO };
  const result = await changedRun(t, files, (inputs) => unlinkSync(join(inputs, 'a')));
  t.deepEqual(names(result.skipped), ['a CHANGED']);
  t.deepEqual(pairNames(result.pairs), ['b c near']);
  t.is(result.manifest.counts.repaired, 0);
});

for (const threads of [0, 2]) {
  test(`the other members of a class stay, uncompared, with ${threads} threads`, async (t) => {
    const files = { a: COPY, b: NEAR, c: COPY, d: COPY.toUpperCase(), e: OTHER, f: NEAR_TOO };
    const change = (inputs: string): void => writeFileSync(join(inputs, 'a'), OTHER);
    const result = await changedRun(t, files, change, { threads });
    t.deepEqual(names(result.skipped), ['a CHANGED']);
    t.deepEqual(pairNames(result.pairs), ['b f near']);
    t.deepEqual(drops(result), ['f b']);
    t.is(result.manifest.counts.copies_of_changed, 2);
    t.true(
      summaryLines(result.report).some((line) =>
        /2 kept documents have the tokens of one that changed/.test(line),
      ),
    );
  });
}

test('classes of several documents that changed stay, and one without another member leaves nothing', async (t) => {
  const files = { a: COPY, b: COPY, c: NEAR, d: NEAR, e: OTHER, f: `${OTHER} more` };
  const change = (inputs: string): void => {
    for (const name of ['a', 'b', 'c', 'e']) writeFileSync(join(inputs, name), 'something else');
  };
  const result = await changedRun(t, files, change);
  // Nobody reads b again: it stays for what it was.
  t.deepEqual(names(result.skipped), ['a CHANGED', 'c CHANGED', 'e CHANGED']);
  t.deepEqual([result.pairs, drops(result)], [[], []]);
  t.is(result.manifest.counts.copies_of_changed, 2);
});

test('lines that moved are withdrawn with the lines themselves', async (t) => {
  const record = (id: string, text: string): string => JSON.stringify({ id, text });
  const lines = [record('a', COPY), record('b', NEAR), record('c', OTHER), record('d', NEAR_TOO)];
  const change = (inputs: string): void => {
    writeFileSync(join(inputs, 'x.jsonl'), [lines[0], lines[2], lines[1], lines[3]].join('\n'));
  };
  const result = await changedRun(t, { 'x.jsonl': lines.join('\n') }, change);
  t.deepEqual(names(result.skipped), ['b CHANGED']);
  t.deepEqual(pairNames(result.pairs), ['a d near']);
});

/** Records of 100 KB that are nearly alike among themselves: 42 of them are more than a chunk of 4 MiB. */
function bigRecords(seed: number, count: number): string[] {
  const draw = randomFrom(seed);
  const words = wordsFrom(draw, 18_000);
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({ id: `${seed}-${i}`, text: edited(draw, words, 2).join(' ') }),
  );
}

test('a packed stream that became shorter has its lost documents withdrawn', async (t) => {
  const lines = bigRecords(1, 50);
  const change = (inputs: string): void => {
    writeFileSync(join(inputs, 's.jsonl.gz'), gzipSync(lines.slice(0, 20).join('\n')));
  };
  const result = await changedRun(t, { 's.jsonl.gz': gzipSync(lines.join('\n')) }, change, { hotBucket: 2 });
  t.is(result.manifest.counts.read + result.skipped.length, 50);
  t.deepEqual(new Set(names(result.skipped).map((name) => name.split(' ')[1])), new Set(['CHANGED']));
  const gone = new Set(result.skipped.map(({ document }) => document!));
  // Documents of both chunks are lost.
  t.true(gone.has('1-49') && gone.has('1-25'));
  for (const { a, b } of [...result.pairs, ...result.candidates]) t.false(gone.has(a!) || gone.has(b!));
});

test('a packed stream that has grown does not reach into the one after it', async (t) => {
  const files = {
    'a.jsonl.gz': gzipSync(bigRecords(1, 3).join('\n')),
    'b.jsonl.gz': gzipSync(bigRecords(2, 3).join('\n')),
  };
  const change = (inputs: string): void => {
    writeFileSync(join(inputs, 'a.jsonl.gz'), gzipSync(bigRecords(1, 60).join('\n')));
  };
  const result = await changedRun(t, files, change);
  const withdrawn = new Set(names(result.skipped));
  t.false([...withdrawn].some((name) => name.startsWith('2-')));
  t.true(pairNames(result.pairs).includes('2-0 2-1 near'));
});

test('withdrawn documents of hot buckets are in no pair of any round', async (t) => {
  const draw = randomFrom(9);
  const texts: Record<string, string> = {};
  for (let i = 0; i < 80; i++) {
    const text = edited(draw, PAGE, (i * i) % 12).join(' ');
    texts[`d${String(i).padStart(2, '0')}-a`] = text;
    texts[`d${String(i).padStart(2, '0')}-b`] = text;
  }
  const changing = Object.keys(texts).filter((_, i) => i % 6 === 0);
  const change = (inputs: string): void => {
    for (const name of changing) writeFileSync(join(inputs, name), OTHER);
  };
  const result = await changedRun(t, texts, change, { hotBucket: 8, threshold: 0.7 });
  t.true(result.manifest.counts.rounds > 1);
  const withdrawn = new Set(result.skipped.map(({ document }) => document!));
  t.true(withdrawn.size > 5);
  t.true([...withdrawn].every((name) => changing.includes(name)));
  const seen = new Set<string>();
  for (const { a, b, jaccard } of result.pairs as readonly { a: string; b: string; jaccard: string }[]) {
    t.false(withdrawn.has(a) || withdrawn.has(b));
    t.is(jaccard, resemblance(texts[a]!, texts[b]!).toFixed(6));
    t.true(a < b && !seen.has(`${a} ${b}`));
    seen.add(`${a} ${b}`);
  }
  const rows = result.candidates.map(({ a, b }) => `${a} ${b}`);
  t.deepEqual(rows, [...new Set(rows)].sort());
  for (const { a, b } of result.candidates) t.false(withdrawn.has(a!) || withdrawn.has(b!));
  t.is(result.manifest.counts.kept_uncompared, 0);
});

test('groups, units and another order of survivors leave nothing of what changed', async (t) => {
  const draw = randomFrom(12);
  const record = (i: number): string => {
    const text = i % 3 === 0 ? COPY : edited(draw, PAGE, i % 4).join(' ');
    return JSON.stringify({
      id: `d${i}`,
      source: `s${i % 4}`,
      score: i % 5,
      text: `${text}\n\n${OTHER} ${i >> 2}`,
    });
  };
  const lines = Array.from({ length: 40 }, (_, i) => record(i));
  const changing = [0, 1, 2, 7, 11, 20];
  const change = (inputs: string): void => {
    const changed = lines.map((line, i) =>
      changing.includes(i) ? line.replace(/ \S+ /, ' changed ') : line,
    );
    writeFileSync(join(inputs, 'x.jsonl'), changed.join('\n'));
  };
  const cases: readonly RunOptions[] = [
    { hotBucket: 4 },
    { unit: 'paragraph' },
    { unit: 'paragraph', keep: 'longest', hotBucket: 4 },
    { keep: 'field:score' },
  ];
  for (const options of cases) {
    const asked = { idField: 'id', threshold: 0.6, ...options };
    const { skipped, pairs } = await changedRun(t, { 'x.jsonl': lines.join('\n') }, change, asked);
    t.true(skipped.length > 0 && pairs.length > 0);
  }
});

test('--on-error fail ends the run at the first document that changed', async (t) => {
  const { inputs, options } = prepared(t, { a: COPY, b: NEAR, c: OTHER });
  const hooks = during(/bands$/, () => writeFileSync(join(inputs, 'b'), OTHER));
  const error = await t.throwsAsync(run({ threads: 0, ...options, onError: 'fail' }, hooks), {
    instanceOf: MinHashError,
  });
  t.is(error.code, 'INPUT_REFUSED');
  t.regex(error.message, /: b: the document changed, or was deleted, while the run was reading it/);
  t.false(existsSync(join(options.out, '_SUCCESS')));
});

test('outside exact mode nothing is read twice, so a later change matters not', async (t) => {
  const result = await changedRun(t, { a: COPY, b: NEAR }, (inputs) => unlinkSync(join(inputs, 'a')), {
    verify: 'signature',
  });
  t.deepEqual(pairNames(result.pairs), ['a b near']);
});

test('a file that vanished between listing and reading is named', async (t) => {
  const lines = Object.fromEntries(
    Array.from({ length: 9 }, (_, i) => [`${i}.jsonl`, JSON.stringify({ text: OTHER })]),
  );
  const { inputs, options } = prepared(t, lines);
  const hooks = during(/sketch$/, () => unlinkSync(join(inputs, '8.jsonl')));
  await run({ threads: 0, ...options }, hooks);
  t.regex(readFileSync(join(options.out, 'skipped.tsv'), 'utf8'), /\n8\.jsonl\tskipped\tVANISHED: /);
});
