import test from 'ava';
import fc from 'fast-check';
import { sortByKey64, sortUnique64 } from '../../src/arrays/sort.js';
import type { KernelMemory } from '../../src/kernel/wasmMemory.js';
import { createWasmSorts } from '../../src/kernel/wasmSets.js';
import { deepSame } from '../data/deepSame.js';
import {
  type HashKind,
  type Home,
  hashesOf,
  kinds,
  newMemory,
  placed,
  seeds,
  skews,
} from './sketchKernels.js';

const KINDS: readonly HashKind[] = ['mixed', 'ties', 'low'];

function sortedSet(hashes: Uint32Array): Uint32Array {
  const list = hashes.slice();
  return list.slice(0, 2 * sortUnique64(list, list.length / 2));
}

/** Whether the fast sort leaves what the plain one leaves. */
function sortsAlike(
  fast: (hashes: Uint32Array, count: number) => number,
  list: Uint32Array,
  home: Home,
  skew: number,
  memory: KernelMemory,
): boolean {
  const expected = sortedSet(list);
  const here = placed(list, home, skew, memory);
  const distinct = fast(here, list.length / 2);
  return distinct === expected.length / 2 && expected.every((word, i) => word === here[i]!);
}

test('sortUnique in the kernel: every count from 0 to 200, of every kind, as in the reference', (t) => {
  const memory = newMemory();
  const { sortUnique } = createWasmSorts(memory);
  for (const kind of KINDS) {
    for (let count = 0; count <= 200; count++) {
      for (const home of ['own', 'shared'] satisfies Home[]) {
        t.true(
          sortsAlike(sortUnique, hashesOf(kind, count, count + 1), home, count % 3, memory),
          `${kind} ${count}`,
        );
      }
    }
  }
});

test('sortUnique in the kernel: repeated, crowded and large lists, as in the reference', (t) => {
  const memory = newMemory();
  const { sortUnique } = createWasmSorts(memory);
  for (const kind of KINDS) {
    for (const count of [1000, 8191, 16384, 16385, 65536, 65537, 150000]) {
      const list = hashesOf(kind, count, count);
      // A third of the hashes a second time.
      list.copyWithin(2 * Math.ceil((2 * count) / 3), 0, 2 * Math.floor(count / 3));
      t.true(sortsAlike(sortUnique, list, 'own', 1, memory), `${kind} ${count}`);
    }
  }
  // Sorted, reversed, all alike, and one crowded digit among well-spread ones.
  const ascending = sortedSet(hashesOf('mixed', 5000, 1));
  const descending = new Uint32Array(ascending.length);
  for (let i = 0; i < 5000; i++) {
    descending[2 * i] = ascending[ascending.length - 2 - 2 * i]!;
    descending[2 * i + 1] = ascending[ascending.length - 1 - 2 * i]!;
  }
  const crowded = hashesOf('mixed', 5000, 2);
  for (let i = 0; i < 200; i++) crowded[2 * i + 1] = 0x12345678;
  for (const list of [ascending, descending, new Uint32Array(9000).fill(3), crowded]) {
    t.true(sortsAlike(sortUnique, list, 'shared', 0, memory));
  }
});

test('sorts in the kernel accept a list of more than twice the room', (t) => {
  // 65,536 entries at first: 200,000 are more than twice as many.
  const memory = newMemory();
  const sorts = createWasmSorts(memory);
  // What is allocated next must not be written over.
  const next = memory.allocate(64);
  t.true(sortsAlike(sorts.sortUnique, hashesOf('mixed', 200_000, 3), 'own', 0, memory));
  const keys = hashesOf('low', 200_000, 4);
  const payload = Uint32Array.from({ length: 200_000 }, (_, i) => i);
  const [wantedKeys, wantedPayload] = [keys.slice(), payload.slice()];
  sortByKey64(wantedKeys, wantedPayload, 200_000);
  createWasmSorts(newMemory()).sortByKey64(keys, payload, 200_000);
  t.true(keys.every((word, i) => word === wantedKeys[i]));
  t.true(payload.every((word, i) => word === wantedPayload[i]));
  t.true(memory.bytes.subarray(next, next + 64).every((byte) => byte === 0));
});

test('sortByKey64 in the kernel is stable, like the reference', (t) => {
  const memory = newMemory();
  const fast = createWasmSorts(memory).sortByKey64;
  const check = (kind: HashKind, count: number, seed: number, home: Home, skew: number): void => {
    const keys = hashesOf(kind, count, seed);
    // Equal keys, so that only a stable sort gives one order.
    if (count > 3) keys.copyWithin(keys.length - 2 * Math.floor(count / 3), 0, 2 * Math.floor(count / 3));
    const payload = Uint32Array.from({ length: count }, (_, i) => i);
    const keysHere = placed(keys, home, skew, memory);
    const payloadHere = payload.slice();
    sortByKey64(keys, payload, count);
    fast(keysHere, payloadHere, count);
    deepSame(t, payloadHere, payload, `${kind} ${count}`);
    t.true(keys.every((word, i) => word === keysHere[i]));
  };
  for (const kind of KINDS)
    for (let count = 0; count <= 100; count++) check(kind, count, count + 1, 'own', 0);
  for (const kind of KINDS) for (const count of [1000, 65537, 70000]) check(kind, count, count, 'shared', 1);
  fc.assert(
    fc.property(
      kinds,
      fc.nat(1000),
      seeds,
      fc.constantFrom<Home>('own', 'shared'),
      skews,
      (kind, count, seed, home, skew) => {
        check(kind, count, seed, home, skew);
      },
    ),
    { seed: 1, numRuns: 100 },
  );
});
