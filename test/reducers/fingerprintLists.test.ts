/** Lists of fingerprints, counts over ranges, and the pairs that pass, against plain loops over sets. */
import test from 'ava';
import fc from 'fast-check';
import { frequentLists, MOST_HOT_LISTS } from '../../reducers/frequentPairs.js';
import {
  eachSharing,
  type ListedFingerprints,
  sampledPairs,
  sampleEstimate,
  sampleSizes,
  sharedCounts,
} from '../../reducers/sampledPairs.js';
import {
  type FingerprintBlocks,
  type FingerprintLists,
  FREQUENT,
  type FullLists,
  fingerprintLists,
  NOWHERE,
} from '../../reducers/sampleLists.js';
import { FingerprintColumns, fingerprintsAt, fingerprintsOf } from '../../src/blocks/fingerprints.js';
import type { Measure, ShingleSampleParams } from '../../src/sketch/params.js';
import { createSampleBuilder } from '../../src/sketch/samples/fingerprintSamples.js';
import { SampleRule, wholeBelowOf } from '../../src/sketch/samples/sampleRule.js';
import { randomHashes } from '../data/randomHashes.js';

const ELEMENTS = randomHashes(120, 7);

/** Documents as lists of elements, by number; few elements, so that many are shared. */
const corpora = fc.array(fc.uniqueArray(fc.nat(119), { maxLength: 60 }), { maxLength: 24 });

/** Documents of which most are the same elements, with some left out and a few of their own. */
const crowds = fc.array(
  fc
    .record({
      out: fc.uniqueArray(fc.nat(29), { maxLength: 8 }),
      own: fc.uniqueArray(fc.integer({ min: 30, max: 119 }), { maxLength: 5 }),
    })
    .map(({ out, own }) => [
      ...Array.from({ length: 30 }, (_, e) => e).filter((e) => !out.includes(e)),
      ...own,
    ]),
  { maxLength: 24 },
);

function hashesOf(elements: readonly number[]): Uint32Array {
  return Uint32Array.from(elements.flatMap((e) => [ELEMENTS[2 * e]!, ELEMENTS[2 * e + 1]!]));
}

/** Samples in two blocks; document d is in block d % 2. */
function samplesOf(
  documents: readonly (readonly number[])[],
  params: ShingleSampleParams,
): FingerprintBlocks {
  const columns = [new FingerprintColumns(), new FingerprintColumns()];
  const builder = createSampleBuilder(params);
  documents.forEach((elements, d) => {
    builder.begin();
    builder.push(hashesOf(elements), elements.length);
    columns[d % 2]!.push(builder.finish());
  });
  return {
    blocks: columns.map((one) => fingerprintsOf(one.finish())),
    blockOf: Uint32Array.from(documents, (_, d) => d % 2),
    columnOf: Uint32Array.from(documents, (_, d) => d >> 1),
  };
}

function setOf(samples: FingerprintBlocks, d: number): Set<string> {
  const values = fingerprintsAt(samples.blocks[samples.blockOf[d]!]!, samples.columnOf[d]!);
  return new Set(
    Array.from({ length: values.length / 2 }, (_, i) => `${values[2 * i]} ${values[2 * i + 1]}`),
  );
}

/** The lists of all ranges, and where each fingerprint is in them. */
function placed(
  samples: FingerprintBlocks,
  list: Uint32Array,
  ends: readonly number[],
  ranges: readonly FingerprintLists[],
  full: FullLists = { relying: NO_LISTS, holding: null },
): ListedFingerprints {
  const places = samples.blocks.map(({ values }) => new Uint32Array(values.length / 2).fill(NOWHERE));
  let frequent = 0;
  const next = Array.from(list, (d) => samples.blocks[samples.blockOf[d]!]!.offsets[samples.columnOf[d]!]!);
  for (const range of ranges) {
    let e = 0;
    list.forEach((d, i) => {
      for (const end = e + range.entries[i]!; e < end; e++) {
        const place = range.places[e]!;
        const isFrequent = place >= FREQUENT && place !== NOWHERE;
        places[samples.blockOf[d]!]![next[i]!++] = isFrequent ? place + frequent : place;
      }
    });
    frequent += range.holders.length;
  }
  return { ends, listed: ranges.map(({ listed }) => listed), places, full };
}

/** Of as many frequent fingerprints as the ranges have, lists without a document. */
const emptyLists = (ranges: readonly FingerprintLists[]) => ({
  offsets: new Uint32Array(ranges.reduce((sum, { holders }) => sum + holders.length, 0) + 1),
  documents: new Uint32Array(0),
});

const NO_LISTS = { offsets: new Uint32Array(1), documents: new Uint32Array(0) };

/** What pairs share, as [a, b, count], sorted. */
function sharedIn(samples: FingerprintBlocks, lists: ListedFingerprints, list: Uint32Array) {
  const found: [number, number, number][] = [];
  const counts = sharedCounts(samples.blockOf.length);
  const steps = eachSharing(samples, lists, list, counts, (a, partners, shared) => {
    for (const b of partners) found.push([a, b, shared[b]!]);
  });
  return { found: found.sort((p, q) => p[0] - q[0] || p[1] - q[1]), steps };
}

const inOrder = (counts: ReadonlyMap<number, number>) => [...counts].sort((x, y) => x[0] - y[0]);

const ENDS = [0, 2 ** 30, 2 ** 31, 3 * 2 ** 30 + 5, 2 ** 32];

test('fingerprintLists over any ranges: along them documents meet as often as they share fingerprints that are not frequent', (t) => {
  fc.assert(
    fc.property(corpora, fc.integer({ min: 1, max: 12 }), fc.boolean(), (documents, hotBucket, whole) => {
      const samples = samplesOf(documents, { sketch: 'min-s', hashes: 40, seed: 3 });
      // Every third document is no first of its class and is left out.
      const list = Uint32Array.from(documents.keys()).filter((d) => d % 3 < 2);
      const ends = whole ? [0, 2 ** 32] : ENDS;
      const ranges = ends.slice(1).map((to, i) => {
        return fingerprintLists(samples, list, { from: ends[i]!, to }, hotBucket);
      });
      const sets = documents.map((_, d) => setOf(samples, d));
      const none = { relying: emptyLists(ranges), holding: null };
      const holders = new Map<string, number[]>();
      for (const d of list) for (const f of sets[d]!) holders.set(f, [...(holders.get(f) ?? []), d]);
      const expected = new Map<string, number>();
      const eliminated = new Map<number, number>();
      for (const ds of holders.values()) {
        if (ds.length > hotBucket) {
          for (const d of ds) eliminated.set(d, (eliminated.get(d) ?? 0) + 1);
          continue;
        }
        for (const a of ds) {
          for (const b of ds) if (a < b) expected.set(`${a} ${b}`, (expected.get(`${a} ${b}`) ?? 0) + 1);
        }
      }
      const { found: got, steps } = sharedIn(
        samples,
        placed(samples, list, ends.slice(1), ranges, none),
        list,
      );
      t.deepEqual(
        got.map(([x, y, n]) => `${x} ${y}: ${n}`).sort(),
        [...expected].map(([name, n]) => `${name}: ${n}`).sort(),
      );
      t.is(
        steps,
        [...expected.values()].reduce((sum, n) => sum + n, 0),
      );
      t.is(
        steps,
        ranges.reduce((sum, range) => sum + range.steps.reduce((all, one) => all + one, 0), 0),
      );
      const found = new Map<number, number>();
      for (const range of ranges) {
        list.forEach((d, i) => {
          if (range.frequent[i]! > 0) found.set(d, (found.get(d) ?? 0) + range.frequent[i]!);
        });
      }
      t.deepEqual(inOrder(found), inOrder(eliminated));
      const sizes = [...holders.values()].map((ds) => ds.length);
      const sum = (pick: (range: (typeof ranges)[number]) => number): number =>
        ranges.reduce((total, range) => total + pick(range), 0);
      t.is(
        sum((range) => range.lists),
        sizes.filter((size) => size > 1).length,
      );
      t.is(
        sum((range) => range.holders.length),
        sizes.filter((size) => size > hotBucket).length,
      );
      t.deepEqual(
        ranges.flatMap((range) => [...range.holders]).sort((x, y) => x - y),
        sizes.filter((size) => size > hotBucket).sort((x, y) => x - y),
      );
      t.is(Math.max(...ranges.map((range) => range.longestList)), Math.max(0, ...sizes));
    }),
    { seed: 4, numRuns: 300 },
  );
});

const shares = (measure: Measure, common: number, a: number, b: number): number =>
  measure === 'containment' ? common / Math.min(a, b) : common / (a + b - common);

for (const [measure, modulus] of [
  ['resemblance', 1],
  ['containment', 1],
  ['resemblance', 3],
  ['containment', 3],
] as const) {
  test(`sampledPairs by mod-m, ${measure}, m = ${modulus}: every pair that passes is met, but for those that rely on hot fingerprints`, (t) => {
    let lost = 0;
    fc.assert(
      fc.property(fc.oneof(corpora, crowds), fc.integer({ min: 1, max: 30 }), (documents, hotBucket) => {
        const wish = { threshold: 0.5, recall: 0.9, measure };
        const params: ShingleSampleParams = {
          sketch: 'mod-m',
          modulus,
          wholeBelow: Math.min(30, wholeBelowOf(modulus, wish)!),
          seed: 3,
        };
        const samples = samplesOf(documents, params);
        const list = Uint32Array.from(documents.keys()).filter((d) => documents[d]!.length > 0);
        const ranges = [fingerprintLists(samples, list, { from: 0, to: 2 ** 32 }, hotBucket)];
        const frequent = new Uint32Array(documents.length);
        list.forEach((d, i) => {
          frequent[d] = ranges[0]!.frequent[i]!;
        });
        const sized = { ...samples, sizes: sampleSizes(samples), frequent };
        const rule = new SampleRule(params, wish);
        const { places } = placed(samples, list, [2 ** 32], ranges);
        const found = frequentLists({ ...sized, places }, list, ranges[0]!.holders, {
          partners: hotBucket * list.length,
          rule,
          measure,
          hotBucket,
        });
        const lists = placed(samples, list, [2 ** 32], ranges, found.full);
        const asked = { params, rule, least: 0.5 };
        const { a, b, count, agreement, accepted, steps } = sampledPairs(sized, lists, list, asked);
        const expectedSteps = [...ranges[0]!.steps, ...found.steps].reduce((sum, one) => sum + one, 0);
        t.is(steps, expectedSteps);
        const sets = documents.map((_, d) => setOf(samples, d));
        const hotOf = documents.map(() => new Set<number>());
        found.hot.documents.forEach((d, row) => {
          hotOf[d]!.add(found.hot.buckets[row]!);
        });
        if (found.hotLists === 0) t.is(found.hot.documents.length, 0);
        const got = Array.from({ length: count }, (_, i) => `${a[i]} ${b[i]}`);
        const met = new Set(got);
        const expected: string[] = [];
        for (const x of list) {
          for (const y of list) {
            const common = [...sets[x]!].filter((f) => sets[y]!.has(f)).length;
            if (y <= x || common === 0 || !rule.passes(sized.sizes, x, y, common)) continue;
            if (met.has(`${x} ${y}`)) expected.push(`${x} ${y}`);
            else {
              lost++;
              const isHot = [...hotOf[x]!].some((bucket) => hotOf[y]!.has(bucket));
              const isCut = Math.max(hotOf[x]!.size, hotOf[y]!.size) === MOST_HOT_LISTS;
              t.true(isHot || isCut, `${x} ${y}`);
              t.true(found.relies[x] === 1 || found.relies[y] === 1);
            }
          }
        }
        t.deepEqual(got, expected);
        for (let i = 0; i < count; i++) {
          const [x, y] = [a[i]!, b[i]!];
          t.is(agreement[i], sampleEstimate(sized, params, rule, x, y));
          t.is(accepted[i], agreement[i]! >= 0.5 ? 1 : 0);
          const { whole } = sized.sizes;
          if (whole[x] === 0 || whole[y] === 0) continue;
          const common = documents[x]!.filter((e) => documents[y]!.includes(e)).length;
          const exact = shares(measure, common, documents[x]!.length, documents[y]!.length);
          t.is(agreement[i], exact);
          t.true(exact >= 0.5);
        }
      }),
      { seed: 5, numRuns: 200 },
    );
    t.true(lost > 0);
  });
}

test('no documents make no pairs', (t) => {
  const none = { blocks: [], blockOf: new Uint32Array(0), columnOf: new Uint32Array(0) };
  const found = fingerprintLists(none, new Uint32Array(0), { from: 0, to: 2 ** 32 }, 256);
  t.deepEqual([found.listed.length, found.lists, found.longestList, found.holders.length], [0, 0, 0, 0]);
  t.deepEqual(sharedIn(none, placed(none, new Uint32Array(0), [2 ** 32], [found]), new Uint32Array(0)), {
    found: [],
    steps: 0,
  });
});
