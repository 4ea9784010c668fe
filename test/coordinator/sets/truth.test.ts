/** Sets, bags and ratings against brute force over the definitions: every reported number, and that nothing is missing. */
import test from 'ava';
import type { RunOptions } from '../../../src/options/check.js';
import { finished } from '../runs/finished.js';
import { linesAsText, naiveCommon, naiveSets, randomLines, type SetOptions } from './naiveSets.js';

const RULES: readonly (readonly [title: string, options: SetOptions])[] = [
  ['sets', {}],
  ['bags', { bag: true }],
  ['liked', { ratings: 'liked' }],
  ['liked from 3', { ratings: 'liked', likedFrom: 3 }],
  ['liked-hated', { ratings: 'liked-hated', likedFrom: 3.5 }],
  ['stars', { ratings: 'stars' }],
];

// One slot a band: a pair at 0.4 is missed with probability 0.6^128.
const SURE: RunOptions = { input: 'sets', threshold: 0.4, hashes: 128, bands: 128, rows: 1 };

for (const [title, options] of RULES) {
  test(`pairs of ${title} are those of brute force, to six decimals`, async (t) => {
    const lines = randomLines(1, options.ratings !== undefined);
    const { pairs, manifest, dropped } = await finished(
      t,
      { 'a.tsv': linesAsText(lines) },
      { ...SURE, ...options },
    );
    const sets = [...naiveSets(lines, options)];
    const expected: string[] = [];
    const first = new Map<string, string>();
    sets.forEach(([name, elements]) => {
      const key = elements.join('|');
      if (elements.length > 0 && !first.has(key)) first.set(key, name);
    });
    sets.forEach(([a, elementsA], i) => {
      const firstA = first.get(elementsA.join('|'));
      for (const [b, elementsB] of sets.slice(i + 1)) {
        const firstB = first.get(elementsB.join('|'));
        if (firstA === undefined || firstB === undefined) continue;
        if (firstA === firstB) {
          if (firstA === a) expected.push(`${a} ${b} 1.000000 1.000000 1.000000 identical`);
          continue;
        }
        const common = naiveCommon(elementsA, elementsB);
        const jaccard = common / (elementsA.length + elementsB.length - common);
        if (jaccard < 0.4 || firstA !== a || firstB !== b) continue;
        const shares = [jaccard, common / elementsA.length, common / elementsB.length];
        expected.push(`${a} ${b} ${shares.map((share) => share.toFixed(6)).join(' ')} near`);
      }
    });
    const got = pairs.map((row) =>
      [row.a, row.b, row.jaccard, row.containment_a_in_b, row.containment_b_in_a, row.kind].join(' '),
    );
    t.deepEqual(got, expected);
    t.true(expected.length > 20 && expected.length < 700, `${expected.length}`);
    const { counts } = manifest;
    t.is(counts.read, sets.length);
    t.is(counts.documents, sets.length);
    t.is(counts.empty, sets.filter(([, elements]) => elements.length === 0).length);
    t.is(
      counts.shingle_occurrences,
      sets.reduce((sum, [, elements]) => sum + elements.length, 0),
    );
    t.is(counts.kept + dropped.length, sets.length);
  });
}

const LIKE_DOCUMENTS: readonly (readonly [title: string, options: RunOptions])[] = [
  ['as usual', { threshold: 0.3, sketch: 'classic', hashes: 64 }],
  [
    'by signature, by a number of slots, in greedy clusters',
    { verify: 'signature', agree: 40, cluster: 'greedy' },
  ],
];

for (const [title, common] of LIKE_DOCUMENTS)
  test(`a set is what a document of one element a line is, ${title}`, async (t) => {
    // Sets in the order of files.
    const lines = randomLines(3, false)
      .map((line) => ({ ...line, value: null }))
      .sort((one, other) => (one.set < other.set ? -1 : one.set > other.set ? 1 : 0));
    const texts = [...naiveSets(lines, {})].map(([name, elements]) => {
      // Labels off, so that a line is the element; no blank at its ends, no capital: a canonical line.
      return [name, elements.map((element) => `${element.replace(/ 0$/, '')}\n`).join('')] as const;
    });
    const sets = await finished(t, { 'a.tsv': linesAsText(lines) }, { ...common, input: 'sets' });
    const documents = await finished(t, Object.fromEntries(texts), { ...common, shingle: 'lines:1' });
    t.true(sets.pairs.length > 10);
    // Sorted elements make equal sets equal texts, so identity is the same too.
    t.deepEqual(sets.pairs, documents.pairs);
    t.deepEqual(sets.candidates, documents.candidates);
    t.deepEqual(sets.clusters, documents.clusters);
    t.deepEqual(sets.dropped, documents.dropped);
  });

test('the textbook example: bags {a,a,a,b} and {a,a,b,b,c} share 3 of 6 labelled elements', async (t) => {
  const text = 'one\ta\t3\none\tb\ntwo\ta\t2\ntwo\tb\ntwo\tb\ntwo\tc\t1\n';
  const { pairs } = await finished(t, { 'bags.tsv': text }, { ...SURE, bag: true });
  t.deepEqual(
    pairs.map(({ a, b, jaccard }) => [a, b, jaccard]),
    [['one', 'two', '0.500000']],
  );
});

test('the sets of figure 3.2 have the resemblances of the textbook', async (t) => {
  // S1 {a,d}, S2 {c}, S3 {b,d,e}, S4 {a,c,d}: 1 and 4 share 2 of 3, 1 and 3 share 1 of 4.
  const text = 'S1\ta\nS3\tb\nS2\tc\nS4\tc\nS1\td\nS3\td\nS4\td\nS3\te\nS4\ta\n';
  const { pairs } = await finished(t, { 'figure.tsv': text }, { ...SURE, threshold: 0.2 });
  t.deepEqual(
    pairs.map(({ a, b, jaccard }) => [a, b, jaccard]),
    [
      ['S1', 'S3', '0.250000'],
      ['S1', 'S4', '0.666667'],
      ['S3', 'S4', '0.200000'],
      ['S2', 'S4', '0.333333'],
    ],
  );
});
