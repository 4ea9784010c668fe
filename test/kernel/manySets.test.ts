/** Making and comparing many sets in the kernel, held to the reference. */
import test from 'ava';
import fc from 'fast-check';
import { sortUniqueHashes } from '../../src/arrays/sort.js';
import type { SetCollector } from '../../src/kernel/kernel.js';
import { createSetCollector } from '../../src/kernel/reference.js';
import { createWasmSetCollector, createWasmSetComparer, SetArena } from '../../src/kernel/wasmSets.js';
import { intersectionSize } from '../../src/sketch/similarity.js';
import { deepSame } from '../data/deepSame.js';
import { type HashKind, hashesOf, kinds, newMemory, placed, seeds } from './sketchKernels.js';

const KINDS: readonly HashKind[] = ['mixed', 'ties', 'low'];

function sortedSet(hashes: Uint32Array): Uint32Array {
  const list = hashes.slice();
  return list.slice(0, 2 * sortUniqueHashes(list, list.length / 2));
}

/** A list as it is given to a collector; may be the same place for every list. */
type Placing = (list: Uint32Array, number: number) => Uint32Array;

/** What a collector makes of lists of hashes, some given in two pieces; every third is first dropped half-way. */
function collected(
  collector: SetCollector,
  lists: readonly Uint32Array[],
  placing: Placing,
): [number[], Uint32Array] {
  collector.clear();
  const sizes = lists.map((list, i) => {
    const count = list.length / 2;
    const cut = i % 2 === 0 ? count : count >> 1;
    const add = (from: number, to: number): void => {
      collector.add(placing(list.subarray(2 * from, 2 * to), i), to - from);
    };
    if (i % 3 === 0) {
      add(0, cut);
      collector.drop();
    }
    add(0, cut);
    if (cut < count) add(cut, count);
    return collector.close();
  });
  return [sizes, collector.sets().slice()];
}

test('a set collector in the kernel makes the sets of the reference, in the arena and beyond it', (t) => {
  const plain = createSetCollector();
  // Of 4,000 bytes: most sets leave the arena, some documents never fit.
  for (const most of [4000, 1 << 20, 32 << 20]) {
    const memory = newMemory();
    const fast = createWasmSetCollector(memory, new SetArena(memory, most));
    const column = memory.allocate(8 * 1000) / 4;
    const placing: Placing = (list, number) => {
      if (number % 3 < 2) return placed(list, number % 3 === 0 ? 'own' : 'shared', number % 4, memory);
      memory.words.set(list, column + (number % 2));
      return memory.words.subarray(column + (number % 2), column + (number % 2) + list.length);
    };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(kinds, fc.oneof(fc.nat(60), fc.nat(600)), seeds), { maxLength: 12 }),
        (specs) => {
          const lists = specs.map(([kind, count, seed]) => hashesOf(kind, count, seed));
          const expected = collected(plain, lists, (list) => list);
          deepSame(t, collected(fast, lists, placing), expected);
          deepSame(t, fast.sets(), expected[1], 'asked a second time');
          deepSame(t, collected(fast, [], placing), [[], new Uint32Array(0)]);
        },
      ),
      { seed: 1, numRuns: 60 },
    );
  }
});

test('a set collector in the kernel grows while a document in the memory of the kernel is added', (t) => {
  const memory = newMemory();
  const fast = createWasmSetCollector(memory, new SetArena(memory));
  const lists = [400_000, 700_000, 10, 2_200_000].map((count, i) => hashesOf('mixed', count, i + 1));
  const expected = lists.map((list) => sortedSet(list));
  fast.clear();
  lists.forEach((list, i) => {
    // As a sink does: at most so many at once, each time at the same place of the kernel's memory.
    const column = memory.allocate(8 * 65536) / 4;
    for (let from = 0; from < list.length; from += 2 * 65536) {
      const piece = list.subarray(from, from + 2 * 65536);
      memory.words.set(piece, column);
      fast.add(memory.words.subarray(column, column + 2 * 65536), piece.length / 2);
    }
    t.is(fast.close(), expected[i]!.length / 2);
  });
  let at = 0;
  const sets = fast.sets();
  for (const set of expected) {
    t.true(set.every((word, i) => word === sets[at + i]));
    at += set.length;
  }
  t.is(sets.length, at);
});

test('a set comparer in the kernel counts what the reference counts, as far as there is room', (t) => {
  const memory = newMemory();
  const most = 80_000;
  const fast = createWasmSetComparer(memory, new SetArena(memory, most));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(kinds, fc.oneof(fc.nat(20), fc.nat(900)), fc.nat(3)), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { maxLength: 40 }),
      (specs, numbers) => {
        const source = hashesOf('mixed', 900, 1);
        // Most sets are slices of one list, so that they have much in common.
        const sets = specs.map(([kind, count, seed]) =>
          sortedSet(
            seed === 0 ? hashesOf(kind, count, 1) : source.slice(2 * ((seed * count) >> 3), 2 * count),
          ),
        );
        fast.clear(sets.reduce((sum, set) => sum + set.length / 2, 0));
        let room = most / 8;
        const count = sets.findIndex((set, i) => {
          const home = placed(set, i % 2 === 0 ? 'own' : 'shared', i % 4, memory);
          const fits = fast.place(home, 0, set.length / 2);
          t.is(fits, set.length / 2 <= room);
          room -= fits ? set.length / 2 : 0;
          return !fits;
        });
        const held = count < 0 ? sets.length : count;
        if (held === 0) return;
        const a = Uint32Array.from(numbers, ([x]) => x % held);
        const b = Uint32Array.from(numbers, ([, y]) => y % held);
        const common = new Uint32Array(numbers.length).fill(77);
        fast.compare(a, b, 1, numbers.length, common);
        for (let i = 1; i < numbers.length; i++) {
          const [x, y] = [sets[a[i]!]!, sets[b[i]!]!];
          t.is(common[i], intersectionSize(x, 0, x.length / 2, y, 0, y.length / 2));
        }
        if (numbers.length > 0) t.is(common[0], 77);
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});

test('commonSizes in the kernel: many pairs a call, all sizes around the blocks and the cut', (t) => {
  const memory = newMemory();
  const fast = createWasmSetComparer(memory, new SetArena(memory));
  const sets: Uint32Array[] = [];
  for (const kind of KINDS) {
    const source = hashesOf(kind, 200, 5);
    for (const count of [0, 1, 3, 4, 5, 15, 16, 17, 18, 31, 32, 33, 40, 63, 64, 65, 199]) {
      for (const from of [0, 1, 7, 100]) sets.push(sortedSet(source.slice(2 * from, 2 * (from + count))));
    }
  }
  fast.clear(sets.length * 200);
  for (const set of sets) t.true(fast.place(set, 0, set.length / 2));
  const total = sets.length * sets.length;
  const a = Uint32Array.from({ length: total }, (_, i) => Math.floor(i / sets.length));
  const b = Uint32Array.from({ length: total }, (_, i) => i % sets.length);
  const common = new Uint32Array(total);
  fast.compare(a, b, 0, total, common);
  const wrong = common.findIndex((found, i) => {
    const [x, y] = [sets[a[i]!]!, sets[b[i]!]!];
    return found !== intersectionSize(x, 0, x.length / 2, y, 0, y.length / 2);
  });
  t.is(wrong, -1);
});

test('a set comparer in the kernel refuses a set that its room has no place for, and one more than it numbers', (t) => {
  const memory = newMemory();
  const fast = createWasmSetComparer(memory, new SetArena(memory, 4096));
  const set = sortedSet(hashesOf('mixed', 300, 1));
  fast.clear(600);
  t.true(fast.place(set, 0, 300));
  t.false(fast.place(set, 0, 300), '2,400 bytes more than 4,096');
  t.true(fast.place(set, 0, 212), 'what is left is not lost');
  t.false(fast.place(set, 0, 1));
  fast.clear(0);
  const inside = placed(set, 'kernel', 0, memory);
  for (let i = 0; i < 32_768; i++) if (!fast.place(inside, 0, 1 + (i % 300))) t.fail(`set ${i}`);
  t.false(fast.place(inside, 0, 1));
  const common = new Uint32Array(1);
  fast.compare(Uint32Array.of(0), Uint32Array.of(32_767), 0, 1, common);
  t.is(common[0], 1, 'the last of them has not come to the place of another');
});
