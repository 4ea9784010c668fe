/** Pairs of hot fingerprints: all of small ones, few of large ones, none of two that rely on none. */
import test from 'ava';
import fc from 'fast-check';
import { frequentPairs, groupedMembers, keptUnpaired } from '../../reducers/frequentPairs.js';
import type { HotMembers } from '../../src/blocks/pairs.js';

const COUNT = 30;

/** Lists of documents; those of a document ascend by list. */
const listsOf = fc.array(fc.uniqueArray(fc.nat(COUNT - 1), { minLength: 2, maxLength: COUNT }), {
  maxLength: 6,
});

function rowsOf(lists: readonly (readonly number[])[]): HotMembers {
  const numbers = new Map<number, number>();
  const rows: [number, number][] = [];
  for (let d = 0; d < COUNT; d++) {
    const mine = lists.flatMap((documents, list) => (documents.includes(d) ? [list] : []));
    for (const list of mine) if (!numbers.has(list)) numbers.set(list, numbers.size);
    rows.push(...mine.map((list) => [d, numbers.get(list)!] as [number, number]).sort((x, y) => x[1] - y[1]));
  }
  return {
    documents: Uint32Array.from(rows, ([d]) => d),
    buckets: Uint32Array.from(rows, ([, bucket]) => bucket),
    next: Uint32Array.from(rows, ([d, bucket]) => (3 * d + bucket) % 5),
  };
}

test('frequentPairs: small lists whole, large ones linearly, in any slices; what is skipped adds up', (t) => {
  fc.assert(
    fc.property(
      listsOf,
      fc.integer({ min: 2, max: COUNT }),
      fc.integer({ min: 1, max: 40 }),
      (lists, hotBucket, step) => {
        const relies = Uint8Array.from({ length: COUNT }, (_, d) => (d % 4 === 3 ? 0 : 1));
        const members = rowsOf(lists);
        const found = frequentPairs(members, { relies }, hotBucket);
        const names = (pairs: typeof found) =>
          Array.from({ length: pairs.count }, (_, i) => `${pairs.a[i]} ${pairs.b[i]}`);
        const isAsked = (x: number, y: number): boolean => relies[x]! + relies[y]! > 0;
        const possible = new Set<string>();
        let [asked, most] = [0, 0];
        const must = new Set<string>();
        for (const documents of lists) {
          const pairs = documents.flatMap((x) =>
            documents.filter((y) => x < y && isAsked(x, y)).map((y) => `${x} ${y}`),
          );
          for (const pair of pairs) possible.add(pair);
          if (documents.length <= hotBucket) for (const pair of pairs) must.add(pair);
          else {
            asked += pairs.length;
            most += 9 * documents.length;
            const first = Math.min(...documents);
            for (const d of documents) if (d !== first && isAsked(first, d)) must.add(`${first} ${d}`);
          }
        }
        const got = names(found);
        t.true(got.every((pair) => possible.has(pair)));
        const set = new Set(got);
        for (const pair of must) t.true(set.has(pair), pair);
        const small = lists
          .filter(({ length }) => length <= hotBucket)
          .flatMap((documents) =>
            documents.flatMap((x) => documents.filter((y) => x < y && isAsked(x, y))),
          ).length;
        t.true(got.length - small <= most);
        t.is(found.skipped, asked - (got.length - small));
        const slices = [];
        for (let from = 0; from === 0 || from < members.documents.length; from += step) {
          const to = Math.min(members.documents.length, from + step);
          slices.push(frequentPairs(members, { relies }, hotBucket, undefined, { from, to }));
        }
        t.deepEqual(slices.flatMap(names).sort(), got.sort());
        t.is(
          slices.reduce((sum, slice) => sum + slice.skipped, 0),
          found.skipped,
        );
        const groups = groupedMembers(members, step);
        t.is(
          groups.reduce((sum, { documents }) => sum + documents.length, 0),
          members.documents.length,
        );
      },
    ),
    { seed: 6, numRuns: 200 },
  );
});

test('keptUnpaired counts those whose list was not paired all with all, and those that came back', (t) => {
  const groups = [rowsOf([[0, 1, 2], [3, 4, 5, 6], [7, 8], [9]])];
  const relies = new Uint8Array(COUNT).fill(1);
  const all = new Uint8Array(COUNT).fill(1);
  t.is(keptUnpaired(groups, all, all, relies, 3), 4);
  const without = all.map((_, d) => (d === 8 ? 0 : 1));
  t.is(keptUnpaired(groups, all, without, relies, 3), 6);
  t.is(
    keptUnpaired(
      groups,
      all.map((_, d) => (d > 3 && d < 7 ? 0 : 1)),
      all,
      relies,
      4,
    ),
    0,
  );
  t.is(
    keptUnpaired(
      groups,
      all,
      all,
      relies.map((_, d) => d % 2),
      3,
    ),
    2,
  );
});
