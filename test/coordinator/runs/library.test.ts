/**
 * findDuplicates over documents in memory against run over files with the same ids and texts.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { type Duplicates, findDuplicates, type MemoryOptions } from '../../../src/index.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { finished } from './finished.js';

function textsFrom(seed: number): Record<string, string> {
  const random = randomFrom(seed);
  const texts: Record<string, string> = { empty: '', 'folder/é x.txt': 'one two', 'two words': 'One, TWO' };
  for (let family = 0; family < 8; family++) {
    const words = wordsFrom(random, 60 + 20 * family);
    for (let i = 0; i < 8; i++) texts[`${i}/${family}`] = edited(random, words, i % 5).join(' ');
  }
  return texts;
}

const TEXTS = textsFrom(31);
/** In the order of files. */
const DOCUMENTS = Object.entries(TEXTS)
  .map(([id, text]) => ({ id, text }))
  .sort((one, other) => Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)));
const number = (value: number | null): string => value?.toFixed(6) ?? '';

/** The answer in the form of the result files. */
function asRows({ pairs, clusters, dropped }: Duplicates) {
  return {
    pairs: pairs.map((pair) => ({
      a: pair.a,
      b: pair.b,
      jaccard: number(pair.jaccard),
      agreement: number(pair.agreement),
      containment_a_in_b: number(pair.containmentAInB),
      containment_b_in_a: number(pair.containmentBInA),
      kind: pair.kind,
    })),
    clusters: clusters.flatMap(({ representative, members }, c) => [
      {
        cluster: `${c + 1}`,
        document: representative,
        role: 'representative',
        similarity: '1.000000',
        basis: 'exact',
        place: representative,
      },
      ...members.map(({ document, similarity, basis }) => ({
        cluster: `${c + 1}`,
        document,
        role: 'member',
        similarity: number(similarity),
        basis: basis as string,
        place: document,
      })),
    ]),
    dropped: dropped.map(({ document, kept, jaccard }) => {
      return { document, kept, jaccard: number(jaccard), place: document, kept_place: kept };
    }),
  };
}

const CASES: readonly (readonly [string, MemoryOptions])[] = [
  ['the defaults', {}],
  ['threshold 0.5, 7 shards and 2 threads', { threshold: 0.5, shards: 7, threads: 2 }],
  ['large buckets of few documents', { threshold: 0.5, hotBucket: 3 }],
  ['verification by signatures', { verify: 'signature', threshold: 0.6 }],
  ['no verification', { verify: 'none' }],
  ['characters, a bag and n minhash functions', { shingle: 'chars:7', bag: true, sketch: 'classic' }],
];

for (const [what, options] of CASES) {
  test(`findDuplicates finds in memory what run finds in files, with ${what}`, async (t) => {
    const { pairs, clusters, dropped, manifest } = await finished(t, binary(TEXTS), options);
    const found = await findDuplicates(DOCUMENTS, options);
    const named = pairs.map(({ a_location: _, b_location: __, ...pair }) => pair);
    t.deepEqual(asRows(found), { pairs: named, clusters, dropped } as unknown as ReturnType<typeof asRows>);
    // Files list what is returned as well.
    const { candidates_listed: _, ...counts } = manifest.counts;
    t.deepEqual(found.counts, counts);
    t.true(found.pairs.length > 0);
  });
}

/** Names as binary strings, as the file system wants them here. */
function binary(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([id, text]) => [Buffer.from(id).toString('latin1'), text]),
  );
}

test('findDuplicates identifies documents with equal ids by their positions in the input', async (t) => {
  const page = TEXTS['0/0']!;
  const documents = [
    { id: 'y', text: page },
    { id: 'x', text: 'another' },
    { id: 'x', text: page },
    { id: 'x', text: page },
  ];
  const { pairs, dropped, clusters, counts } = await findDuplicates(documents);
  t.deepEqual(
    pairs.map(({ a, b, aIndex, bIndex, kind }) => `${a} ${b} ${aIndex} ${bIndex} ${kind}`),
    ['y x 0 2 identical', 'y x 0 3 identical'],
  );
  t.deepEqual(
    dropped.map(({ document, index, keptIndex }) => [document, index, keptIndex]),
    [
      ['x', 2, 0],
      ['x', 3, 0],
    ],
  );
  t.deepEqual([clusters[0]!.index, clusters[0]!.members.map(({ index }) => index)], [0, [2, 3]]);
  t.deepEqual([counts.documents, counts.read, counts.skipped, counts.ids_repeated], [4, 4, {}, 2]);
});

test.serial('findDuplicates does not access the disk', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-library-'));
  const before = process.cwd();
  t.teardown(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });
  process.chdir(folder);
  await findDuplicates(DOCUMENTS, { shards: 3, threads: 0 });
  await findDuplicates(DOCUMENTS, { threads: 1 });
  t.deepEqual(readdirSync(folder), []);
});
