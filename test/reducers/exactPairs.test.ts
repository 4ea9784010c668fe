import test from 'ava';
import fc from 'fast-check';
import { exactPairs, type ShingleSets } from '../../reducers/exactPairs.js';
import type { SetComparer } from '../../src/kernel/kernel.js';
import { createSetComparer } from '../kernel/referenceKernel.js';
import { pairsOf } from './bruteForce.js';

/** Sets of small numbers, spread over two blocks. */
function storedSets(sets: readonly (readonly number[])[]): ShingleSets {
  const setIndex = new Uint32Array(sets.length);
  const blocks = [0, 1].map((block) => {
    const hashes: number[] = [];
    const offsets = [0];
    sets.forEach((set, s) => {
      if (s % 2 !== block) return;
      setIndex[s] = offsets.length - 1;
      // In any order, and repeated: the later half of the set stands there twice.
      for (const element of [...set, ...set.slice(set.length >> 1)]) hashes.push(element * 7, element);
      offsets.push(hashes.length / 2);
    });
    return { hashes: Uint32Array.from(hashes), offsets: Float64Array.from(offsets) };
  });
  return { blocks, setBlock: Uint32Array.from(sets, (_, s) => s % 2), setIndex };
}

/** A comparer with room for so many hashes only, large from half of it on, and which forbids a set to be placed twice. */
function smallComparer(room: number): SetComparer {
  const inner = createSetComparer();
  const placed = new Map<Uint32Array, Set<number>>();
  let held = 0;
  return {
    clear() {
      inner.clear();
      placed.clear();
      held = 0;
    },
    place(hashes, from, to) {
      if (held + to - from > room) return -1;
      const known = placed.get(hashes) ?? new Set();
      if (known.has(from) && to > from) throw new Error('placed twice');
      placed.set(hashes, to > from ? known.add(from) : known);
      held += to - from;
      return inner.place(hashes, from, to);
    },
    get isLarge() {
      return 2 * held > room;
    },
    compare: inner.compare,
  };
}

const setLists = fc.array(fc.uniqueArray(fc.nat(12), { maxLength: 10 }), { minLength: 2, maxLength: 10 });
const numbersOfPairs = fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { maxLength: 30 });

test('exactPairs gives resemblance and both containments of every pair, whatever has room at a time', (t) => {
  fc.assert(
    fc.property(
      setLists,
      numbersOfPairs,
      fc.constantFrom(0, 5, 12, 30, 1000),
      fc.constantFrom(0.5, 0.55, 0.8, 1),
      (sets, numbers, room, threshold) => {
        const list = numbers.map(([a, b]): [number, number] => [a % sets.length, b % sets.length]);
        const found = exactPairs(pairsOf(list), storedSets(sets), threshold, smallComparer(room));
        list.forEach(([a, b], i) => {
          const [x, y] = [sets[a]!, sets[b]!];
          const common = x.filter((element) => y.includes(element)).length;
          const union = x.length + y.length - common;
          t.is(found.jaccard[i], union === 0 ? 0 : common / union);
          t.is(found.containmentAB[i], x.length === 0 ? 0 : common / x.length);
          t.is(found.containmentBA[i], y.length === 0 ? 0 : common / y.length);
          t.is(found.accepted[i], found.jaccard[i]! >= threshold ? 1 : 0);
        });
        t.is(found.jaccard.length, list.length);
      },
    ),
    { seed: 1, numRuns: 400 },
  );
});

test('exactPairs accepts 11 of 20 at a threshold of 0.55', (t) => {
  const set = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
  const stored = storedSets([set(0, 15), set(4, 20)]);
  const found = exactPairs(pairsOf([[0, 1]]), stored, 0.55, createSetComparer());
  t.is(found.jaccard[0], 11 / 20);
  t.is(found.accepted[0], 1);
});
