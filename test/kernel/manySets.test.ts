/** Making and comparing many sets in the kernel, held to the reference. */
import test from 'ava';
import fc from 'fast-check';
import type { SetCollector } from '../../src/kernel/kernel.js';
import { WasmSetCollector, WasmSetComparer } from '../../src/kernel/wasmSets.js';
import { deepSame } from '../data/deepSame.js';
import { createSetCollector, createSetComparer } from './referenceKernel.js';
import { type HashKind, hashesOf, kinds, newMemory, placed, seeds } from './sketchKernels.js';

const KINDS: readonly HashKind[] = ['mixed', 'ties', 'low'];

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
    return collector.keep();
  });
  return [sizes, collector.sets().slice()];
}

test('a set collector in the kernel has the sets of the reference, within the arena and beyond it', (t) => {
  const plain = createSetCollector();
  // Of 4,800 bytes: most sets leave the arena, some documents never fit.
  for (const most of [4800, 1 << 20, 32 << 20]) {
    const memory = newMemory();
    const fast = new WasmSetCollector(memory, most);
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
  const fast = new WasmSetCollector(memory, 8 << 20);
  const lists = [400_000, 700_000, 10, 2_200_000].map((count, i) => hashesOf('mixed', count, i + 1));
  fast.clear();
  lists.forEach((list) => {
    // As a sink does: at most so many at once, each time at the same place of the kernel's memory.
    const column = memory.allocate(8 * 65536) / 4;
    for (let from = 0; from < list.length; from += 2 * 65536) {
      const piece = list.subarray(from, from + 2 * 65536);
      memory.words.set(piece, column);
      fast.add(memory.words.subarray(column, column + 2 * 65536), piece.length / 2);
    }
    t.is(fast.keep(), list.length / 2);
  });
  let at = 0;
  const sets = fast.sets();
  for (const list of lists) {
    t.true(list.every((word, i) => word === sets[at + i]));
    at += list.length;
  }
  t.is(sets.length, at);
});

/** Lists of hashes with much in common: most are stretches of one list, some turned round, some with repetitions. */
const relatedLists = fc
  .array(fc.tuple(kinds, fc.oneof(fc.nat(20), fc.nat(900)), fc.nat(7)), { minLength: 1, maxLength: 20 })
  .map((specs) => {
    const source = hashesOf('mixed', 900, 1);
    return specs.map(([kind, count, form]) => {
      if (form === 0) return hashesOf(kind, count, 1);
      const list = source.slice(2 * ((form * count) >> 4), 2 * count);
      if (form === 1) return Uint32Array.from([...list, ...list.slice((list.length >> 2) << 1)]);
      return form === 2 ? turned(list) : list;
    });
  });

/** The hashes from the last to the first. */
function turned(list: Uint32Array): Uint32Array {
  const count = list.length / 2;
  return list.map((_, i) => list[2 * (count - 1 - (i >> 1)) + (i & 1)]!);
}

test('a set comparer in the kernel equals the reference while there is room', (t) => {
  const plain = createSetComparer();
  const comparers = [
    { numbers: 2 ** 22 - 1, blocks: 2 ** 20, large: 4096 },
    { numbers: 2000, blocks: 2 ** 20, large: 500 },
    { numbers: 5000, blocks: 60, large: 5000 },
  ].map((limits) => {
    const memory = newMemory();
    return { memory, fast: new WasmSetComparer(memory, limits), isWide: limits.blocks > 60 };
  });
  fc.assert(
    fc.property(
      relatedLists,
      fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { maxLength: 40 }),
      (lists, numbers) => {
        for (const { memory, fast, isWide } of comparers) {
          fast.clear();
          plain.clear();
          t.false(fast.isLarge);
          let held = 0;
          for (const [i, list] of lists.entries()) {
            const home = placed(list, (['own', 'shared', 'kernel'] as const)[i % 3]!, i % 4, memory);
            const size = fast.place(home, 0, list.length / 2);
            if (size < 0) break;
            t.is(size, plain.place(list, 0, list.length / 2));
            held++;
          }
          if (isWide && held === 0) t.true(lists[0]!.length > 4000);
          if (held === 0) continue;
          const a = Uint32Array.from(numbers, ([x]) => x % held);
          const b = Uint32Array.from(numbers, ([, y]) => y % held);
          const [found, expected] = [0, 0].map(() => new Uint32Array(numbers.length).fill(77));
          fast.compare(a, b, 1, numbers.length, found!);
          plain.compare(a, b, 1, numbers.length, expected!);
          deepSame(t, found, expected);
        }
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});

test('commonSizes in the kernel: many pairs per call, all sizes around words and blocks', (t) => {
  const memory = newMemory();
  const fast = new WasmSetComparer(memory);
  const plain = createSetComparer();
  plain.clear();
  let count = 0;
  for (const kind of KINDS) {
    const source = hashesOf(kind, 400, 5);
    for (const size of [0, 1, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 199, 257]) {
      for (const from of [0, 1, 7, 100]) {
        t.is(fast.place(source, from, from + size), plain.place(source, from, from + size));
        count++;
      }
    }
  }
  const a = Uint32Array.from({ length: count * count }, (_, i) => Math.floor(i / count));
  const b = Uint32Array.from({ length: count * count }, (_, i) => i % count);
  const [found, expected] = [a.slice(), a.slice()];
  fast.compare(a, b, 0, a.length, found);
  plain.compare(a, b, 0, a.length, expected);
  deepSame(t, found, expected);
});

test('a set comparer in the kernel numbers four million hashes, and finds scattered ones again', (t) => {
  const memory = newMemory();
  const fast = new WasmSetComparer(memory);
  const count = 4_000_000;
  const all = hashesOf('mixed', count, 9);
  t.is(fast.place(all, 0, count), count);
  t.true(fast.isLarge);
  // Far apart: one in almost every block of the numbers, in no order.
  const scattered = Uint32Array.from(
    { length: 2 * 5000 },
    (_, i) => all[2 * (((i >> 1) * 7919) % count) + (i & 1)]!,
  );
  t.is(fast.place(scattered, 0, 5000), 5000);
  t.is(fast.place(hashesOf('mixed', 100, 10), 0, 100), 100);
  const common = new Uint32Array(3);
  fast.compare(Uint32Array.of(0, 1, 1), Uint32Array.of(1, 1, 2), 0, 3, common);
  t.deepEqual([...common], [5000, 5000, 0]);
  fast.clear();
  t.false(fast.isLarge);
  t.is(fast.place(scattered, 0, 5000), 5000);
});

test('a set comparer in the kernel rejects sets that do not fit', (t) => {
  const memory = newMemory();
  const fast = new WasmSetComparer(memory, { numbers: 400, blocks: 33_000, large: 400 });
  const list = hashesOf('mixed', 500, 1);
  t.is(fast.place(list, 0, 300), 300);
  t.is(fast.place(list, 100, 500), -1, 'a hundred more than 400');
  t.is(fast.place(list, 100, 400), 300, 'what has a number is not lost');
  t.is(fast.place(list, 400, 401), -1);
  fast.clear();
  for (let i = 0; i < 32_768; i++) if (fast.place(list, i % 300, 1 + (i % 300)) !== 1) t.fail(`set ${i}`);
  t.is(fast.place(list, 0, 1), -1);
  const common = new Uint32Array(1);
  fast.compare(Uint32Array.of(67), Uint32Array.of(32_767), 0, 1, common);
  t.is(common[0], 1, 'the last of them has not come to the place of another');
});
