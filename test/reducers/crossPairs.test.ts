/** Pairs of two groups, beside the same rules written down over all pairs. */
import test from 'ava';
import fc from 'fast-check';
import { drawnPairs } from '../../reducers/drawnPairs.js';
import { dependentPairs, hotPairs, keptUncompared } from '../../reducers/hotPairs.js';
import { HOT_PREDECESSORS } from '../../reducers/memberPairs.js';
import type { Groups } from '../../src/arrays/groupCounts.js';
import { atOnce } from '../../src/arrays/stepwise.js';
import type { HotMembers, Pairs } from '../../src/blocks/pairs.js';
import { listOf, setOf } from './bruteForce.js';

/** Documents, their buckets, and their groups: up to 5, and some documents with one of their own. */
const cases = fc.integer({ min: 0, max: 60 }).chain((count) => {
  const each = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: count, maxLength: count });
  return fc.record({
    buckets: each(fc.nat(4)),
    groups: fc.integer({ min: 1, max: 5 }).chain((some) => each(fc.nat(some - 1))),
    own: each(fc.nat(7).map((n) => n === 0)),
    slots: each(fc.nat(3)),
    flags: each(fc.nat(3)),
    hotBucket: fc.integer({ min: 1, max: 12 }),
    cut: fc.nat(60),
    seed: fc.nat(),
  });
});
type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never;

const SHARED = 5;

const groupsOf = ({ groups, own }: Case): Groups => ({
  of: Uint32Array.from(groups, (group, d) => (own[d] ? SHARED + d : group)),
});

const documentsOf = ({ buckets }: Case): Uint32Array => Uint32Array.from(buckets.keys());

/** The buckets, numbered in the order of their first members. */
function membersOf({ buckets }: Case): HotMembers {
  const names = [...new Set(buckets)];
  return {
    documents: Uint32Array.from(buckets.keys()),
    buckets: Uint32Array.from(buckets, (bucket) => names.indexOf(bucket)),
  };
}

function lists({ buckets }: Case): number[][] {
  return [...new Set(buckets)].map((bucket) => [...buckets.keys()].filter((d) => buckets[d] === bucket));
}

function crossPairsIn(documents: readonly number[], { of }: Groups): [number, number][] {
  return documents.flatMap((a) =>
    documents.filter((b) => a < b && of[a] !== of[b]).map((b): [number, number] => [a, b]),
  );
}

function together(parts: readonly Pairs[]): [number, number][] {
  return parts.flatMap(listOf);
}

test('with a group a document the pairs of hot buckets are those without groups', (t) => {
  fc.assert(
    fc.property(cases, (one) => {
      const documents = documentsOf(one);
      const groups = { of: documents };
      const members = membersOf(one);
      const hashes = documents.length === 0 ? new Uint32Array(0) : new Uint32Array(2 * documents.length);
      const slots = Uint32Array.from(one.slots);
      const [linear, cross] = [hotPairs(members, slots, hashes), hotPairs(members, slots, hashes, groups)];
      t.deepEqual(setOf(listOf(cross)), setOf(listOf(linear)));
      t.is(cross.count, linear.count);
      t.is(cross.skipped, linear.skipped);
    }),
    { seed: 2, numRuns: 50 },
  );
});

/** One bucket with many members of one group, so that few of those held are of others. */
const crowded = fc.integer({ min: 2, max: 150 }).chain((count) => {
  const each = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: count, maxLength: count });
  return fc.record({
    buckets: fc.constant(Array.from({ length: count }, () => 0)),
    groups: each(fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 2, 3)),
    own: each(fc.nat(9).map((n) => n === 0)),
    slots: each(fc.nat(40)),
    flags: each(fc.nat(3)),
    hotBucket: fc.constantFrom(0, 1, 8, 100),
    cut: fc.nat(150),
    seed: fc.nat(),
  });
});

test('members of hot buckets meet 8 of other groups before them, and the first of another group; small ones all', (t) => {
  fc.assert(
    fc.property(fc.oneof(cases, crowded), fc.boolean(), (one, hasReliance) => {
      const groups = groupsOf(one);
      const members = membersOf(one);
      const count = one.buckets.length;
      const slots = Uint32Array.from(one.slots);
      const hashes = new Uint32Array(2 * count);
      const relies = hasReliance ? Uint8Array.from(one.flags, (flag) => (flag === 0 ? 1 : 0)) : null;
      const asked = { hotBucket: one.hotBucket, relies };
      const pairsOf = (slice: { from: number; to: number }) =>
        hotPairs(members, slots, hashes, groups, undefined, slice, asked);
      const isAsked = ([d, e]: [number, number]): boolean =>
        relies === null || relies[d] === 1 || relies[e] === 1;
      const wanted: [number, number][] = [];
      let all = 0;
      for (const bucket of lists(one)) {
        const isOther = (d: number, e: number): boolean => groups.of[d] !== groups.of[e];
        const possible = crossPairsIn(bucket, groups);
        all += possible.filter(isAsked).length;
        if (bucket.length <= one.hotBucket) {
          wanted.push(...possible);
          continue;
        }
        // Equal hashes leave the order of numbers.
        const order = [...bucket].sort((d, e) => one.slots[d]! - one.slots[e]! || d - e);
        const first = bucket[0]!;
        const other = bucket.find((d) => isOther(d, first));
        order.forEach((d, p) => {
          const before = order.slice(0, p).filter((e) => isOther(d, e));
          if (d === first) return;
          if (isOther(d, first)) wanted.push([first, d]);
          else if (other !== undefined) wanted.push([Math.min(other, d), Math.max(other, d)]);
          for (const e of before.slice(-HOT_PREDECESSORS)) {
            if (e !== first) wanted.push([Math.min(d, e), Math.max(d, e)]);
          }
        });
      }
      const found = pairsOf({ from: 0, to: count });
      t.deepEqual(setOf(listOf(found)), setOf(wanted.filter(isAsked)));
      t.is(setOf(listOf(found)).length, found.count, 'a pair is made twice');
      t.is(found.skipped, all - found.count);
      const cut = Math.min(one.cut, count);
      const slices = [pairsOf({ from: 0, to: cut }), pairsOf({ from: cut, to: count })];
      t.deepEqual(together(slices), listOf(found));
      t.is(slices[0]!.skipped + slices[1]!.skipped, found.skipped);
    }),
    { seed: 3, numRuns: 400 },
  );
});

test('what is drawn of hot buckets are pairs of two groups, of all of which the number is told', (t) => {
  fc.assert(
    fc.property(cases, (one) => {
      const groups = groupsOf(one);
      const hot = [membersOf(one), membersOf({ ...one, buckets: one.slots })];
      const pairs = [one.buckets, one.slots].flatMap((buckets) =>
        lists({ ...one, buckets }).flatMap((bucket) => crossPairsIn(bucket, groups)),
      );
      const all = atOnce(drawnPairs(hot, groups.of.length, groups, null, pairs.length, one.seed));
      t.is(all.population, pairs.length);
      t.deepEqual(setOf(listOf(all)), setOf(pairs));
      const relies = Uint8Array.from(one.flags, (flag) => (flag === 0 ? 1 : 0));
      const relying = atOnce(drawnPairs(hot, groups.of.length, groups, relies, pairs.length, one.seed));
      t.deepEqual(
        setOf(listOf(relying)),
        setOf(pairs.filter(([a, b]) => relies[a] === 1 || relies[b] === 1)),
      );
      if (pairs.length < 2) return;
      const some = atOnce(drawnPairs(hot, groups.of.length, groups, null, pairs.length - 1, one.seed));
      t.is(
        some.times.reduce((sum, times) => sum + times, 0),
        some.drawn,
      );
      listOf(some).forEach(([a, b], row) => {
        t.is(some.shared[row], pairs.filter(([x, y]) => x === a && y === b).length);
      });
    }),
    { seed: 4, numRuns: 100 },
  );
});

test('rounds leave out pairs within a group: dependent documents, and members that were not compared', (t) => {
  fc.assert(
    fc.property(cases, (one) => {
      const groups = groupsOf(one);
      const members = membersOf(one);
      const kept = Uint8Array.from(one.flags, (flag) => (flag > 1 ? 1 : 0));
      const dependent = Uint8Array.from(one.flags, (flag) => (flag === 1 ? 1 : 0));
      // An order that is not that of ids.
      const ranks = Uint32Array.from(one.flags, (_, d) => (d * 37) % 61);
      for (const order of [null, ranks]) {
        const wanted = lists(one).flatMap((bucket) => {
          const keepers = bucket.filter((d) => kept[d] === 1);
          if (order !== null) keepers.sort((d, e) => order[d]! - order[e]!);
          return bucket.flatMap((d): [number, number][] => {
            const first = keepers.find((e) => groups.of[d] !== groups.of[e]);
            if (dependent[d] === 0 || first === undefined) return [];
            return [[Math.min(d, first), Math.max(d, first)]];
          });
        });
        t.deepEqual(setOf(listOf(dependentPairs(members, kept, dependent, order, groups))), setOf(wanted));
      }
      const compared = lists(one)
        .flatMap((bucket) => crossPairsIn(bucket, groups))
        .filter(([a, b]) => (a + b) % 3 > 0);
      const left = new Set(
        lists(one)
          .flatMap((bucket) => crossPairsIn(bucket, groups))
          .filter(([a, b]) => kept[a] === 1 && kept[b] === 1 && (a + b) % 3 === 0)
          .flat(),
      );
      const pairs = {
        a: Uint32Array.from(compared, ([a]) => a),
        b: Uint32Array.from(compared, ([, b]) => b),
        count: compared.length,
      };
      t.is(atOnce(keptUncompared([members], kept, [pairs], groups)), left.size);
    }),
    { seed: 5, numRuns: 150 },
  );
});
