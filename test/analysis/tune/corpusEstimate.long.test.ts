import { gzipSync } from 'node:zlib';
import test from 'ava';
import {
  type CorpusEstimate,
  type CorpusQuestion,
  estimateCorpus,
} from '../../../src/analysis/tune/corpusEstimate.js';
import { findDuplicates } from '../../../src/coordinator/inMemory.js';
import { MinHashError } from '../../../src/errors.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

/** Numbers that follow from a seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

/** Texts of 120 words: `families` of `size` near copies that differ in up to 12 words, and unlike ones. */
function texts(families: number, size: number, others: number): string[] {
  const random = numbers(families + 7 * size + others);
  const word = (): string => `w${random(1_000_000)}`;
  const page = (): string[] => Array.from({ length: 120 }, word);
  const all: string[] = [];
  for (let family = 0; family < families; family++) {
    const base = page();
    for (let copy = 0; copy < size; copy++) {
      const changed = [...base];
      const from = random(100);
      for (let i = 0; i < 1 + random(12); i++) changed[from + i] = word();
      all.push(changed.join(' '));
    }
  }
  for (let i = 0; i < others; i++) all.push(page().join(' '));
  return all;
}

function filesOf(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(list.map((text, i) => [`${String(i).padStart(4, '0')}.txt`, text]));
}

const SETTINGS = [
  { bands: 18, rows: 7 },
  { bands: 20, rows: 5 },
];

const ask = (folder: string, changes: Partial<CorpusQuestion> = {}): Promise<CorpusEstimate> =>
  estimateCorpus({ options: { paths: [folder], threads: 1 }, settings: SETTINGS, ...changes });

test('if a corpus is read as a whole, the candidates are those of a run, up to chance of its buckets', async (t) => {
  const list = texts(40, 4, 60);
  const estimate = await ask(temporaryFolder(t, filesOf(list)));
  t.true(estimate.sample.whole);
  t.is(estimate.documents.value, 220);
  t.is(estimate.pairsAtLeast.map(({ similarity }) => similarity).join(), '0.5,0.6,0.7,0.8,0.9');
  for (const [i, { bands, rows }] of SETTINGS.entries()) {
    const documents = list.map((text, n) => ({ id: String(n), text }));
    const run = await findDuplicates(documents, { bands, rows, verify: 'signature' });
    const { candidates, found, missed } = estimate.settings[i]!;
    t.deepEqual([candidates.lower, candidates.upper], [candidates.value, candidates.value]);
    // Each of the 240 pairs of a family is a candidate by chance with variance at most 1/4: a standard deviation of 8
    // where pairs are independent; pairs of a family are not, so five times that.
    t.true(Math.abs(candidates.value - run.counts.candidate_pairs) < 40);
    t.true(found.value + missed.value <= estimate.pairsAtLeast[3]!.pairs.value + 1e-9);
    // Verified by agreement: exactly the pairs that are alike by it and became candidates.
    t.true(Math.abs(found.value - run.counts.verified_pairs) < 20);
  }
});

test('bounds of samples contain the true value about as often as stated', async (t) => {
  const folder = temporaryFolder(t, filesOf(texts(150, 3, 150)));
  const truth = await ask(folder);
  let held = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const options = { paths: [folder], threads: 1, seed };
    const estimate = await estimateCorpus({ options, settings: SETTINGS, sample: 200 });
    t.false(estimate.sample.whole);
    const { lower, upper } = estimate.settings[0]!.candidates;
    const { value } = truth.settings[0]!.candidates;
    if (lower <= value && value <= upper) held++;
  }
  // 19 of 20 expected; a binomial number of 20 at .95 is below 15 in 3 of 10,000 cases.
  t.true(held >= 15, `${held} of 20`);
});

test('the same question has the same answer, and another seed gives another sample', async (t) => {
  const folder = temporaryFolder(t, filesOf(texts(20, 3, 40)));
  const first = await ask(folder, { sample: 30 });
  t.deepEqual(await ask(folder, { sample: 30 }), first);
  t.is(first.readMilliseconds, null);
  const options = { paths: [folder], threads: 1, seed: 2 };
  t.notDeepEqual(
    (await estimateCorpus({ options, settings: SETTINGS, sample: 30 })).sample.bytes,
    first.sample.bytes,
  );
});

test('lines are drawn in windows, and their number is estimated within its bounds', async (t) => {
  const lines = texts(0, 0, 2000).map((text, id) => JSON.stringify({ id, text }));
  const folder = temporaryFolder(t, {
    'a.jsonl': `${lines.slice(0, 1500).join('\n')}\n`,
    'b.jsonl': lines.slice(1500).join('\n'),
  });
  const { documents, sample } = await ask(folder, { sample: 300 });
  t.is(sample.documents, 300);
  t.true(documents.lower <= 2000 && 2000 <= documents.upper, JSON.stringify(documents));
  t.true(documents.upper < 3000);
  t.is((await ask(folder, { sample: 2000 })).documents.value, 2000);
});

test('empty, skipped, compressed and excess documents are reported', async (t) => {
  const list = texts(0, 0, 3);
  const folder = temporaryFolder(t, {
    'a.txt': list[0]!,
    'empty.txt': ' \n',
    'binary.txt': 'a\0b',
    'packed.jsonl.gz': gzipSync(`${JSON.stringify({ text: list[1] })}\n`),
  });
  const { sample, files, settings } = await ask(folder);
  t.is(files, 4);
  t.deepEqual(
    [sample.documents, sample.empty, sample.skipped, sample.streams, sample.cut],
    [3, 1, 1, 1, false],
  );
  t.is(settings[0]!.candidates.value, 0);
  const array = temporaryFolder(t, { 'all.json': JSON.stringify(list.map((text) => ({ text }))) });
  const cut = await ask(array, { sample: 2 });
  t.deepEqual([cut.sample.documents, cut.sample.cut, cut.documents.value], [2, true, 3]);
});

test('identical documents are counted separately and are not candidates', async (t) => {
  const [text] = texts(0, 0, 1);
  const folder = temporaryFolder(t, { 'a.txt': text!, 'b.txt': text!.toUpperCase(), 'c.txt': `${text}!` });
  const { identicalPairs, settings, pairsAtLeast } = await ask(folder);
  t.is(identicalPairs.value, 3);
  t.is(settings[0]!.candidates.value, 0);
  t.is(pairsAtLeast[4]!.pairs.value, 3);
});

test('time is estimated from the rate of the sample and the threads, by the clock of the caller', async (t) => {
  const folder = temporaryFolder(t, filesOf(texts(0, 0, 20)));
  let now = 0;
  const clock = (): number => {
    now += 1000;
    return now;
  };
  const options = { paths: [folder], threads: 4 };
  const whole = await estimateCorpus({ options, settings: SETTINGS, clock });
  // A second passes between two looks at the clock.
  t.is(whole.readMilliseconds, 1000 / 4);
});

test('a corpus of one empty file has empty estimates, and one without files is rejected', async (t) => {
  const estimate = await ask(temporaryFolder(t, { 'a.txt': '' }));
  t.is(estimate.documents.value, 1);
  t.is(estimate.shinglesPerDocument, 0);
  t.deepEqual(estimate.settings[0]!.candidates, { value: 0, lower: 0, upper: 0 });
  await t.throwsAsync(ask(temporaryFolder(t)), { code: 'NOTHING_READ' });
});

test('invalid questions are rejected with all problems', async (t) => {
  const options = { paths: ['-', '/nonexistent/corpus'], threshold: 2 };
  const error = await t.throwsAsync(estimateCorpus({ options, settings: SETTINGS }), {
    instanceOf: MinHashError,
  });
  t.deepEqual(
    error?.problems.map(({ code }) => code),
    ['OPTION_INVALID', 'OPTION_INVALID', 'PATH_MISSING'],
  );
  await t.throwsAsync(estimateCorpus({ options: {}, settings: SETTINGS }), { instanceOf: MinHashError });
  const message = /settings \[\]: expected at least one.*\n.*sample 1: expected an integer from 2/;
  await t.throwsAsync(estimateCorpus({ options, settings: [], sample: 1 }), { message });
});
