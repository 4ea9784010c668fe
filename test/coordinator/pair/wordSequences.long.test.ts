/**
 * `run --method sswf` against brute force: candidates are the documents with the same common words in the same order, and
 * whatever executes the run, its bytes are the same.
 */
import { join } from 'node:path';
import test from 'ava';
import { COMMON_WORDS } from '../../../src/analysis/methods/sswf/frequentWords.js';
import { findDuplicates } from '../../../src/coordinator/inMemory.js';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { ENGLISH_STOP_WORDS } from '../../../src/text/stopWords.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { foundIn, TINY } from '../memory/budgeted.js';
import { interruptAt, takeUp } from '../resume/takenUp.js';
import { type Files, finished, prepared } from '../runs/finished.js';
import { resultBytes } from '../runs/resultFiles.js';

/** A text of `count` words, one in eight a common one. */
function textOf(random: () => number, count: number): string[] {
  return wordsFrom(random, count).map((word, i) =>
    i % 8 === 3 ? COMMON_WORDS[Math.floor(random() * COMMON_WORDS.length)]! : word,
  );
}

/** A copy with `edits` words replaced that are no common ones. */
function keepingOrder(random: () => number, words: readonly string[], edits: number): string[] {
  const copy = [...words];
  for (let edit = 0; edit < edits; edit++) copy[8 * Math.floor((random() * copy.length) / 8)] = `e${edit}`;
  return copy;
}

/** Texts by name: families of near copies with and without the order of their common words, and texts without any. */
function textsFrom(seed: number): Map<string, string> {
  const random = randomFrom(seed);
  const texts = new Map<string, string>();
  for (let family = 0; family < 12; family++) {
    // One is longer than a block of the kernel.
    const page = textOf(random, family === 11 ? 14_000 : 400);
    for (let i = 0; i < 4; i++) texts.set(`f${family}-${i}`, keepingOrder(random, page, 2).join(' '));
    const other = [...page];
    other[3] = COMMON_WORDS[(COMMON_WORDS.indexOf(other[3]!) + 1) % 75]!;
    texts.set(`f${family}-x`, other.join(' '));
    // The same sequence, and nothing else in common.
    texts.set(`f${family}-y`, page.filter((word) => COMMON_WORDS.includes(word)).join(', then '));
  }
  for (let i = 0; i < 3; i++) texts.set(`plain-${i}`, wordsFrom(random, 90).join(' '));
  texts.set('plain-copy', texts.get('plain-0')!);
  texts.set('empty', ' ');
  texts.set('f0-copy', texts.get('f0-1')!.toUpperCase());
  return texts;
}

function filesOf(texts: ReadonlyMap<string, string>): Files {
  const lines = [...texts].filter((_, i) => i % 2 === 0);
  const files = [...texts].filter((_, i) => i % 2 === 1).map(([name, text]) => [`${name}.txt`, text]);
  const records = lines.map(([id, text]) => `${JSON.stringify({ id, text })}\n`);
  return { ...Object.fromEntries(files), 'lines.jsonl': records.join('') };
}

const sequenceOf = (text: string): string =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => COMMON_WORDS.includes(word)).join(' ');

/** Names of all documents whose sequences are equal, two by two. */
function candidatesAmong(texts: ReadonlyMap<string, string>): string[] {
  const names = [...texts.keys()].sort();
  return names.flatMap((a, i) =>
    names.slice(i + 1).flatMap((b) => {
      const [x, y] = [sequenceOf(texts.get(a)!), sequenceOf(texts.get(b)!)];
      return x !== '' && x === y ? [`${a} ${b}`] : [];
    }),
  );
}

const nameOf = (id: string | undefined): string => id!.replace(/\.txt$/, '');

const namesOf = (rows: readonly Readonly<Record<string, string>>[]): string[] =>
  rows.map(({ a, b }) => [nameOf(a), nameOf(b)].sort().join(' ')).sort();

test('the common words: 75, all different, none a stop word', (t) => {
  t.is(new Set(COMMON_WORDS).size, 75);
  t.deepEqual(
    COMMON_WORDS.filter((word) => ENGLISH_STOP_WORDS.includes(word)),
    [],
  );
});

test('candidates have the same common words in the same order; verified pairs are alike too', async (t) => {
  const texts = textsFrom(1);
  // Of f0-copy the first member of its class stands for both.
  const wanted = candidatesAmong(texts).filter((pair) => !pair.includes('f0-copy'));
  t.is(wanted.length, 12 * 10);
  const exact = await finished(t, filesOf(texts), { method: 'sswf' });
  t.deepEqual(namesOf(exact.candidates), wanted);
  const near = wanted.filter((pair) => !pair.includes('y'));
  t.deepEqual(namesOf(exact.pairs.filter(({ kind }) => kind === 'near')), near);
  t.is(exact.manifest.counts.unsketched, 4);
  t.is(exact.manifest.counts.buckets, 12);
  t.regex(exact.summary, /Candidates {2}120 pairs from 12 shared fingerprints/);
  t.regex(exact.summary, /no recall is promised .*it does not hold for 4 documents without a sketch/);
  t.regex(exact.summary, /4 documents have none of the common words: only documents with the same tokens/);
  const signature = await finished(t, filesOf(texts), { method: 'sswf', verify: 'signature' });
  t.deepEqual(namesOf(signature.pairs.filter(({ kind }) => kind === 'near')), wanted);
  t.true(signature.pairs.every(({ jaccard }) => jaccard === '1.000000'));
  t.regex(signature.summary, /is 1 because both have the same sequence of common words/);
});

test('occurrences are those of the shingles, and identity follows from their tokens', async (t) => {
  const files = filesOf(textsFrom(2));
  for (const shingle of ['words:3', 'chars:9'] as const) {
    const expected = (await finished(t, files, { shingle, verify: 'none' })).manifest;
    const { manifest } = await finished(t, files, { shingle, verify: 'none', method: 'sswf' });
    t.is(manifest.counts.shingle_occurrences, expected.counts.shingle_occurrences);
    t.is(manifest.counts.identical_documents, expected.counts.identical_documents);
    t.is(manifest.content_digest, expected.content_digest);
  }
});

test.serial('the same bytes for any threads, shards and memory, by kernel and reference', async (t) => {
  const { options, folder } = prepared(t, filesOf(textsFrom(3)));
  const bytesOf = async (name: string, execution: RunOptions): Promise<Record<string, string>> => {
    const out = join(folder, name);
    await run({ method: 'sswf', hotBucket: 3, threads: 0, ...options, ...execution, out });
    return resultBytes(out);
  };
  const expected = await bytesOf('out', {});
  for (const [i, execution] of [
    { threads: 2, shards: 7 },
    { shards: 16 },
    { memory: '84MB', threads: 1 },
  ].entries()) {
    t.deepEqual(await bytesOf(`out-${i}`, execution), expected, JSON.stringify(execution));
  }
});

test.serial('a run that was interrupted is taken up to the same bytes', async (t) => {
  for (const stage of ['sketch', 'verify', 'write'] as const) {
    const { options, folder } = prepared(t, filesOf(textsFrom(4)));
    const all: RunOptions = { method: 'sswf', hotBucket: 3, threads: 0, ...options };
    await interruptAt(t, { ...all, shards: 4 }, stage);
    const { found } = await takeUp({ ...all, shards: 'auto' });
    t.is(found.kind, 'taken up', stage);
    await run({ ...all, out: join(folder, 'whole') });
    t.deepEqual(resultBytes(options.out), resultBytes(join(folder, 'whole')), stage);
  }
});

test('a sequence of too many documents is paired linearly, and what was left out is said', async (t) => {
  const random = randomFrom(5);
  const page = wordsFrom(random, 60).join(' ');
  // Near copies, and texts that have one common word and nothing else in common; more pairs than are ever drawn of those skipped.
  const lines = Array.from({ length: 600 }, (_, i) =>
    JSON.stringify({ text: i < 20 ? `${page} time e${i}` : `${wordsFrom(random, 20).join(' ')} time` }),
  );
  const files = { 'lines.jsonl': lines.join('\n') };
  const { manifest, summary } = await finished(t, files, { method: 'sswf', hotBucket: 10 });
  const { counts } = manifest;
  t.is(counts.hot_buckets, 1);
  t.is(counts.largest_bucket, 600);
  t.true(counts.candidate_pairs < (600 * 599) / 2 && counts.dropped > 0);
  t.regex(summary, /1 fingerprint that too many documents have/);
  if (manifest.recall_estimate !== undefined)
    t.regex(summary, /of all pairs with the same sequence at 0\.80/);
  const all = await finished(t, files, { method: 'sswf', hotBucket: 1000 });
  t.is(all.manifest.counts.hot_buckets, 0);
  t.is(all.manifest.counts.candidate_pairs, (600 * 599) / 2);
  t.is(all.manifest.counts.kept, 581);
  t.is(counts.kept, 581, 'rounds go on until no kept document has its like among them');
});

test.serial('the same pairs, clusters and drop list with next to no memory', async (t) => {
  const texts = [...textsFrom(7)].map(([id, text]) => ({ id, text }));
  for (const hotBucket of [3, 100]) {
    const options: RunOptions = { method: 'sswf', hotBucket };
    const wanted = await foundIn(texts, { options, columns: 10 });
    t.is(wanted.counts.hot_buckets > 0, hotBucket === 3);
    const found = await foundIn(texts, { options, budget: TINY, spill: join(temporaryFolder(t), 'blocks') });
    t.deepEqual(found.result, wanted.result);
    t.deepEqual(found.counts, wanted.counts);
  }
});

test('documents in memory: the same pairs, whatever the row chunks', async (t) => {
  const texts = textsFrom(6);
  const given = [...texts].map(([id, text]) => ({ id, text }));
  const found = await findDuplicates(given, { method: 'sswf', shards: 3 });
  const near = found.pairs.filter(({ kind }) => kind === 'near');
  t.is(near.length, 12 * 6);
});
