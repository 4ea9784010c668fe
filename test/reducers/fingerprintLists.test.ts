/** Lists of fingerprints, counts over ranges, and the pairs that pass, against plain loops over sets. */
import test from 'ava';
import fc from 'fast-check';
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
  fingerprintLists,
  NOWHERE,
} from '../../reducers/sampleLists.js';
import { FingerprintColumns, fingerprintsAt, fingerprintsOf } from '../../src/blocks/fingerprints.js';
import type { Measure, SampleParams } from '../../src/sketch/params.js';
import { createSampleBuilder } from '../../src/sketch/samples/fingerprintSamples.js';
import { SampleRule, wholeBelowOf } from '../../src/sketch/samples/sampleRule.js';
import { randomHashes } from '../sketch/randomHashes.js';

const ELEMENTS = randomHashes(120, 7);

/** Documents as lists of elements, by number; few elements, so that many are shared. */
const corpora = fc.array(fc.uniqueArray(fc.nat(119), { maxLength: 60 }), { maxLength: 24 });

function hashesOf(elements: readonly number[]): Uint32Array {
  return Uint32Array.from(elements.flatMap((e) => [ELEMENTS[2 * e]!, ELEMENTS[2 * e + 1]!]));
}

/** Samples in two blocks; document d is in block d % 2. */
function samplesOf(documents: readonly (readonly number[])[], params: SampleParams): FingerprintBlocks {
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
): ListedFingerprints {
  const places = samples.blocks.map(({ values }) => new Uint32Array(values.length / 2).fill(NOWHERE));
  const next = Array.from(list, (d) => samples.blocks[samples.blockOf[d]!]!.offsets[samples.columnOf[d]!]!);
  for (const range of ranges) {
    let e = 0;
    list.forEach((d, i) => {
      for (const end = e + range.entries[i]!; e < end; e++) {
        places[samples.blockOf[d]!]![next[i]!++] = range.places[e]!;
      }
    });
  }
  return { ends, listed: ranges.map(({ listed }) => listed), places };
}

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

test('fingerprintLists over any ranges: along them documents meet as often as they share fingerprints that are not eliminated', (t) => {
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
      const holders = new Map<string, number[]>();
      for (const d of list) for (const f of sets[d]!) holders.set(f, [...(holders.get(f) ?? []), d]);
      const expected = new Map<string, number>();
      const eliminated = new Map<number, number>();
      let skipped = 0;
      for (const ds of holders.values()) {
        if (ds.length > hotBucket) {
          skipped += (ds.length * (ds.length - 1)) / 2;
          for (const d of ds) eliminated.set(d, (eliminated.get(d) ?? 0) + 1);
          continue;
        }
        for (const a of ds) {
          for (const b of ds) if (a < b) expected.set(`${a} ${b}`, (expected.get(`${a} ${b}`) ?? 0) + 1);
        }
      }
      const { found: got, steps } = sharedIn(samples, placed(samples, list, ends.slice(1), ranges), list);
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
          if (range.eliminated[i]! > 0) found.set(d, (found.get(d) ?? 0) + range.eliminated[i]!);
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
        sum((range) => range.eliminatedLists),
        sizes.filter((size) => size > hotBucket).length,
      );
      t.is(
        sum((range) => range.skipped),
        skipped,
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
  test(`sampledPairs by mod-m, ${measure}, m = ${modulus}: elimination loses no pair that shares another fingerprint`, (t) => {
    fc.assert(
      fc.property(corpora, fc.integer({ min: 2, max: 30 }), (documents, hotBucket) => {
        const wish = { threshold: 0.5, recall: 0.9, measure };
        const params: SampleParams = {
          sketch: 'mod-m',
          modulus,
          wholeBelow: Math.min(30, wholeBelowOf(modulus, wish)!),
          seed: 3,
        };
        const samples = samplesOf(documents, params);
        const list = Uint32Array.from(documents.keys()).filter((d) => documents[d]!.length > 0);
        const ranges = [fingerprintLists(samples, list, { from: 0, to: 2 ** 32 }, hotBucket)];
        const eliminated = new Uint32Array(documents.length);
        list.forEach((d, i) => {
          eliminated[d] = ranges[0]!.eliminated[i]!;
        });
        const sized = { ...samples, sizes: sampleSizes(samples), eliminated };
        const rule = new SampleRule(params, wish);
        const lists = placed(samples, list, [2 ** 32], ranges);
        const asked = { params, rule, least: 0.5 };
        const { a, b, count, agreement, accepted } = sampledPairs(sized, lists, list, asked);
        const sets = documents.map((_, d) => setOf(samples, d));
        const expected: string[] = [];
        for (const [x, y] of sharedIn(samples, lists, list).found) {
          const common = [...sets[x]!].filter((f) => sets[y]!.has(f)).length;
          if (rule.passes(sized.sizes, x, y, common)) expected.push(`${x} ${y}`);
        }
        const got = Array.from({ length: count }, (_, i) => `${a[i]} ${b[i]}`);
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
  });
}

test('no documents make no pairs', (t) => {
  const none = { blocks: [], blockOf: new Uint32Array(0), columnOf: new Uint32Array(0) };
  const found = fingerprintLists(none, new Uint32Array(0), { from: 0, to: 2 ** 32 }, 256);
  t.deepEqual([found.listed.length, found.lists, found.longestList, found.skipped], [0, 0, 0, 0]);
  t.deepEqual(sharedIn(none, placed(none, new Uint32Array(0), [2 ** 32], [found]), new Uint32Array(0)), {
    found: [],
    steps: 0,
  });
});
