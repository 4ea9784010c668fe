/** Samples of fingerprints in whole runs: elimination, containment, documents that change, and the library. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { resemblance } from '../../../src/analysis/measures.js';
import { run } from '../../../src/coordinator/run.js';
import { findDuplicates, openResult } from '../../../src/index.js';
import { summaryLines } from '../../../src/output/report.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { finished, pairNames, prepared } from '../runs/finished.js';
import { changedRun } from '../verify/changedRun.js';

const SKETCHES = ['min-s', 'mod-m'] as const;

/** A notice of 80 words, and a text of `words` others behind it. */
function underNotice(random: () => number, notice: readonly string[], words: number): string[] {
  return [...notice, ...wordsFrom(random, words)];
}

for (const sketch of SKETCHES) {
  test(`${sketch}: a notice in too many documents hides no pair, not even one that shares nothing else`, async (t) => {
    const random = randomFrom(9);
    const notice = wordsFrom(random, 120);
    const files: Record<string, string> = {};
    for (let i = 0; i < 40; i++) files[`alone-${i}`] = underNotice(random, notice, 300).join(' ');
    // Two thirds of what this pair has in common is the notice.
    const page = underNotice(random, notice, 60);
    files['twin-a'] = page.join(' ');
    files['twin-b'] = edited(random, page, 1).join(' ');
    // These share the notice and nothing else, though they are alike.
    files['bare-a'] = [...notice, 'one', 'two'].join(' ');
    files['bare-b'] = [...notice, 'three', 'four'].join(' ');
    const options = { sketch, threshold: 0.8, hotBucket: 20 } as const;
    const result = await finished(t, files, options);
    t.deepEqual(pairNames(result.pairs), ['bare-a bare-b near', 'twin-a twin-b near']);
    t.is(result.pairs.at(-1)!.jaccard, resemblance(files['twin-a']!, files['twin-b']!).toFixed(6));
    const { counts, recall_estimate: recall } = result.manifest;
    t.is(counts.largest_bucket, 44);
    // Two documents rely on the notice: no fingerprint is hot.
    t.deepEqual(
      [counts.hot_buckets, counts.rounds, counts.pairs_skipped_at_most, recall],
      [0, 1, 0, undefined],
    );
    t.notRegex(result.summary, /hot fingerprint|hold for this run/);
  });
}

test('copies of one page in more documents than a list may have are dropped for one, which is said', async (t) => {
  const random = randomFrom(3);
  const page = wordsFrom(random, 300);
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`copy-${i}`, [...page, `tail${i}`].join(' ')]),
  );
  for (const options of [
    { sketch: 'min-s', hashes: 16 },
    { sketch: 'mod-m' },
    { measure: 'containment' },
  ] as const) {
    const { manifest, summary } = await finished(t, files, { ...options, hotBucket: 10 });
    t.is(manifest.counts.kept, 1, JSON.stringify(options));
    t.true(manifest.counts.hot_buckets > 0);
    t.is(manifest.counts.kept_uncompared, 0);
    t.regex(summary, /hot fingerprints? capped\n/);
    t.regex(
      summary,
      /\(--hot-bucket 10\) were paired linearly, in \d rounds?: the others were few, and all were compared\./,
    );
  }
  const signatures = await finished(t, files, { hotBucket: 10 });
  t.is(signatures.manifest.counts.kept, 1);
});

/** A long text, parts of it as documents of their own, and one that is not in it. */
function parts(): Record<string, string> {
  const random = randomFrom(12);
  const book = wordsFrom(random, 2000);
  return {
    'a-chapter': book.slice(400, 700).join(' '),
    'b-book': book.join(' '),
    'c-chapter-edited': edited(random, book.slice(800, 1100), 4).join(' '),
    'd-chapter': book.slice(400, 700).join(' '),
    'e-page': book.slice(450, 520).join(' '),
    'f-other': wordsFrom(random, 300).join(' '),
    'g-empty': '',
  };
}

test('containment reports parts of a longer text and drops them for it, wherever its id stands', async (t) => {
  const files = parts();
  const result = await finished(t, files, { measure: 'containment', threshold: 0.8 });
  t.deepEqual(pairNames(result.pairs), [
    'a-chapter b-book near',
    'a-chapter d-chapter identical',
    'a-chapter e-page near',
    'b-book c-chapter-edited near',
    'b-book e-page near',
  ]);
  const [first] = result.pairs;
  t.is(first!.containment_a_in_b, '1.000000');
  t.true(Number(first!.jaccard) < 0.2);
  t.is(first!.jaccard, resemblance(files['a-chapter']!, files['b-book']!).toFixed(6));
  t.deepEqual(
    result.dropped.map(({ document, kept }) => `${document} ${kept}`),
    ['a-chapter b-book', 'c-chapter-edited b-book', 'd-chapter b-book', 'e-page a-chapter'].map((row) =>
      row.replace('e-page a-chapter', 'e-page b-book'),
    ),
  );
  t.deepEqual(Object.keys(result.dropped[0]!), ['document', 'kept', 'containment', 'place']);
  // The representative is the first in id order, as ever; the similarity is the containment of the smaller in the larger.
  t.deepEqual(
    result.clusters.map(({ document, role, similarity }) => `${document} ${role} ${similarity}`).slice(0, 2),
    ['a-chapter representative 1.000000', 'b-book member 1.000000'],
  );
  t.regex(result.summary, /pairs with exact containment of at least 0\.80/);
  t.regex(
    result.summary,
    /A short document \(fewer than 89 distinct shingles\) in one that is not short is found/,
  );
  const { sample_rule: rule, parameters } = result.manifest;
  t.deepEqual(parameters.sketch, { sketch: 'mod-m', modulus: 8, wholeBelow: 89, seed: 1 });
  t.is(parameters.banding, null);
  t.deepEqual([rule!.fingerprints, rule!.least_shared, rule!.whole_below], [100, 73, 89]);
  t.true(rule!.small.every(({ wholly, at_threshold: at }) => wholly >= at && at > 0));
  const opened = await openResult(result.out);
  t.true(opened.byContainment);
  t.deepEqual(
    (await opened.topPairs(1)).map(({ a, b }) => `${a} ${b}`),
    ['a-chapter b-book'],
  );
  t.is((await opened.texts('a-chapter', 'b-book')).state, 'found');
});

test('containment without verification lists candidates and drops copies alone', async (t) => {
  const result = await finished(t, parts(), { measure: 'containment', verify: 'none' });
  t.true(result.candidates.length >= 4);
  t.deepEqual(
    result.dropped.map(({ document, kept, containment }) => [document, kept, containment]),
    [['d-chapter', 'a-chapter', '1.000000']],
  );
});

/** One file becomes another between the readings. */
const changeChapter = (inputs: string): void => writeFileSync(join(inputs, 'a-chapter'), 'something else');

test('a document that changed between the readings is withdrawn, and its copy stays', async (t) => {
  for (const shards of [1, 3]) {
    const result = await changedRun(t, parts(), changeChapter, {
      measure: 'containment',
      threshold: 0.8,
      shards,
    });
    t.deepEqual(
      result.skipped.map(({ document, reason }) => `${document} ${reason!.slice(0, 7)}`),
      ['a-chapter CHANGED'],
    );
    t.deepEqual(pairNames(result.pairs), ['b-book c-chapter-edited near', 'b-book e-page near']);
    t.is(result.manifest.counts.copies_of_changed, 1);
    t.deepEqual(
      result.dropped.map(({ document, kept }) => `${document} ${kept}`),
      ['c-chapter-edited b-book', 'e-page b-book'],
    );
  }
});

test('a document of hot fingerprints that changed is withdrawn, and its copy stays', async (t) => {
  const random = randomFrom(8);
  const page = wordsFrom(random, 200);
  const files = Object.fromEntries(
    Array.from({ length: 24 }, (_, i) => [
      `copy-${String(i).padStart(2, '0')}`,
      edited(random, page, 1).join(' '),
    ]),
  );
  const withCopy = { ...files, 'a-chapter': files['copy-00']!, 'z-copy': files['copy-00']! };
  for (const options of [{ sketch: 'min-s' }, { measure: 'containment' }] as const) {
    const { manifest, dropped, skipped } = await changedRun(t, withCopy, changeChapter, {
      ...options,
      hotBucket: 6,
    });
    t.deepEqual(
      skipped.map(({ document }) => document),
      ['a-chapter'],
    );
    t.true(manifest.counts.hot_buckets > 0);
    const { kept, kept_uncompared, copies_of_changed } = manifest.counts;
    t.deepEqual(
      { kept, kept_uncompared, copies_of_changed },
      { kept: 3, kept_uncompared: 0, copies_of_changed: 2 },
    );
    t.is(dropped.length, 22);
  }
});

test('a finished run over samples that is resumed tells its promise again', async (t) => {
  const { options } = prepared(t, parts());
  const asked = { threads: 0, measure: 'containment', threshold: 0.8, ...options } as const;
  const first = summaryLines(await run(asked));
  const again = summaryLines(await run({ ...asked, resume: true }));
  const promise = (lines: readonly string[]) => lines.filter((line) => /^(Promise|Note)/.test(line));
  t.true(promise(first).length > 1);
  t.deepEqual(promise(again), promise(first));
});

test('signature mode accepts by the estimate of the samples and calls it so', async (t) => {
  const random = randomFrom(21);
  const page = wordsFrom(random, 400);
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [`d${i}`, edited(random, page, 2 * i).join(' ')]),
  );
  for (const sketch of SKETCHES) {
    const result = await finished(t, files, { sketch, verify: 'signature', threshold: 0.6 });
    t.true(result.pairs.length > 10);
    for (const { jaccard, agreement, containment_a_in_b: aInB } of result.pairs) {
      t.is(jaccard, agreement);
      t.true(Number(agreement) >= 0.6);
      t.is(aInB, '');
    }
    for (const { agreement, accepted } of result.candidates) {
      t.is(accepted, Number(agreement) >= 0.6 ? 'yes' : 'no');
    }
    t.regex(result.summary, /^Jaccard similarity of near pairs: estimate\n/);
    t.regex(result.summary, /Promise {5}a pair at 0\.60 is found with probability about 0\.\d\d \(at least/);
  }
});

test('findDuplicates measures containment in memory', async (t) => {
  const documents = Object.entries(parts()).map(([id, text]) => ({ id, text }));
  const found = await findDuplicates(documents, { measure: 'containment', threshold: 0.8 });
  t.deepEqual(
    found.dropped.map(({ document, kept }) => `${document} ${kept}`),
    ['a-chapter b-book', 'c-chapter-edited b-book', 'd-chapter b-book', 'e-page b-book'],
  );
  t.is(found.dropped[0]!.containment, 1);
  t.true(Number.isNaN(found.dropped[0]!.jaccard));
  t.is(found.pairs.length, 5);
  const sampled = await findDuplicates(documents, { sketch: 'min-s' });
  t.deepEqual(
    sampled.pairs.map(({ a, b, agreement }) => [a, b, agreement]),
    [['a-chapter', 'd-chapter', 1]],
  );
});

test('sets of rows are sampled and measured as texts are', async (t) => {
  const random = randomFrom(40);
  const sets = new Map<string, Set<number>>();
  const draw = (count: number, from: readonly number[]): Set<number> =>
    new Set(Array.from({ length: count }, () => from[Math.floor(random() * from.length)]!));
  const all = Array.from({ length: 5000 }, (_, i) => i);
  for (let i = 0; i < 12; i++) {
    const large = draw(400, all);
    sets.set(`large-${i}`, large);
    sets.set(`part-${i}`, draw(150, [...large]));
    sets.set(`alone-${i}`, draw(100, all));
  }
  const lines = [...sets].flatMap(([name, set]) => [...set].map((element) => `${name}\t${element}\n`));
  const contained = [...sets.keys()].flatMap((a) =>
    [...sets.keys()].flatMap((b) => {
      const common = [...sets.get(a)!].filter((element) => sets.get(b)!.has(element)).length;
      const share = common / Math.min(sets.get(a)!.size, sets.get(b)!.size);
      return a < b && share >= 0.8 ? [`${a} ${b} near`] : [];
    }),
  );
  for (const shards of [1, 4]) {
    const options = { input: 'sets', measure: 'containment', threshold: 0.8, shards } as const;
    const result = await finished(t, { 'rows.tsv': lines.join('') }, options);
    t.is(contained.length, 12);
    t.deepEqual(pairNames(result.pairs), contained);
    t.is(result.dropped.length, 12);
    t.true(result.dropped.every(({ document, kept }) => kept === document!.replace('part', 'large')));
  }
});
