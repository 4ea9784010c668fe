import test from 'ava';
import fc from 'fast-check';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { setKeys, setLabels } from './referenceKernel.js';
import { kernelModule } from './sketchKernels.js';

const fast = createWasmKernel(kernelModule);

type Entry = readonly [low: number, high: number, copies: number];

function keyOf(entries: readonly Entry[], seed = 1): string {
  const key = new Uint32Array(4);
  const hashes = Uint32Array.from(entries.flatMap((entry) => entry.slice(0, 2)));
  const copies = Uint16Array.from(entries, ([, , times]) => times);
  fast.setKeys(seed)(key, Uint32Array.of(entries.length), 1, hashes, copies);
  return key.join(' ');
}

const word = fc.nat(0xffffffff);
const entries = fc.uniqueArray(
  fc.tuple(word, word, fc.oneof(fc.integer({ min: 1, max: 65535 }), fc.integer({ min: 1, max: 9 }))),
  {
    maxLength: 30,
    selector: ([low, high]) => `${low} ${high}`,
  },
);

test('the key of a set does not depend on the order of its elements', (t) => {
  fc.assert(
    fc.property(entries, (all) => {
      t.is(keyOf([...all].reverse()), keyOf(all));
    }),
    { seed: 2, numRuns: 200 },
  );
});

test('sets that differ in an element, a count or the seed have different keys in both halves', (t) => {
  const sets: readonly (readonly Entry[])[] = [
    [],
    [[1, 0, 1]],
    [[1, 0, 2]],
    [[2, 0, 1]],
    [[0, 1, 1]],
    [
      [1, 0, 1],
      [2, 0, 1],
    ],
    [
      [1, 0, 2],
      [2, 0, 1],
    ],
    [
      [1, 0, 1],
      [2, 0, 2],
    ],
  ];
  const keys = sets.flatMap((set) => {
    const all = set.length === 0 ? [keyOf(set)] : [keyOf(set), keyOf(set, 2)];
    return all.map((key) => key.split(' '));
  });
  for (const half of [0, 2]) {
    t.is(new Set(keys.map((key) => key.slice(half, half + 2).join(' '))).size, keys.length);
  }
});

test('the key of the empty set is zero', (t) => {
  t.is(keyOf([]), '0 0 0 0');
});

test('keys of sets equal the reference, with and without counts, for any number of elements', (t) => {
  fc.assert(
    fc.property(entries, fc.boolean(), fc.constantFrom(1, 900), fc.nat(5), (all, counted, times, first) => {
      const many = Array.from({ length: times }, () => all).flat();
      const hashes = Uint32Array.from(many.flatMap((entry) => entry.slice(0, 2)));
      const copies = counted ? Uint16Array.from(many, ([, , n]) => n) : null;
      // A few small sets, one of nothing, and a large one; the words after the keys do not change.
      const small = Math.min(first, many.length);
      const ends = Uint32Array.of(small, small, Math.min(2 * small, many.length), many.length);
      const keys = [fast.setKeys(3), setKeys(3)].map((write) => {
        const key = new Uint32Array(17).fill(7);
        write(key, ends, 4, hashes, copies);
        return key.join(' ');
      });
      t.is(keys[0], keys[1]);
    }),
    { seed: 4, numRuns: 60 },
  );
});

test('the kernel labels elements as the reference does, also after its memory has grown', (t) => {
  fc.assert(
    fc.property(entries, fc.nat(), (all, seed) => {
      const some = all.filter(([, , copies]) => copies < 2000);
      const [made, expected] = [fast, { setLabels }].map((kernel) => {
        const labels = kernel.setLabels(seed);
        if (kernel === fast) fast.sortByKey64(new Uint32Array(2 << 20), new Uint32Array(1 << 20), 1 << 20);
        some.forEach(([low, high, copies], i) => {
          labels.elements.set([low, high], 2 * i);
          labels.copies[i] = copies;
        });
        return labels.label(
          some.length,
          some.reduce((sum, [, , copies]) => sum + copies, 0),
        );
      });
      t.deepEqual(Array.from(made!), Array.from(expected!));
    }),
    { seed: 5, numRuns: 60 },
  );
});
