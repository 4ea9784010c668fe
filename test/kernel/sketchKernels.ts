/** The built kernel, its memory, and hashes to hurt it, for the tests that hold it to the reference. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Wasm } from '../../src/arrays/ownPages.js';
import { KernelMemory } from '../../src/kernel/wasmMemory.js';
import { KERNEL_FILE } from '../../src/store/packageFiles.js';
import { randomWords } from '../data/randomHashes.js';

/** Compiled at once: files that import it declare their tests without waiting. */
export const kernelModule = new Wasm.Module(readFileSync(KERNEL_FILE));

export function newMemory(): KernelMemory {
  return new KernelMemory(kernelModule);
}

/**
 * Where a list lives: in memory of its own, in shared memory, or in the kernel's; not always at a multiple of
 * eight.
 */
export type Home = 'own' | 'shared' | 'kernel';

/** A copy of the list there, after `skew` words (0..15) of something else. */
export function placed(list: Uint32Array, home: Home, skew: number, memory: KernelMemory): Uint32Array {
  const bytes = 4 * (list.length + skew);
  let copy: Uint32Array;
  if (home === 'kernel') {
    const at = memory.allocate(bytes) / 4;
    copy = memory.words.subarray(at + skew, at + skew + list.length);
  } else {
    copy = new Uint32Array(home === 'own' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes), 4 * skew);
  }
  copy.set(list);
  return copy;
}

/** Words that sit at the edges of what kernels compare: signs, bytes, bins, empty slots. */
const EDGES = [0, 1, 0xff, 0x100, 0x7fffffff, 0x80000000, 0x80ffffff, 0xff000000, 0xfffffffe, 0xffffffff];

/** `count` hashes: 'mixed' are spread evenly, 'ties' repeat a few halves, 'low' differ in low halves only. */
export type HashKind = 'mixed' | 'ties' | 'low';

export function hashesOf(kind: HashKind, count: number, seed: number): Uint32Array {
  const next = randomWords(seed);
  return Uint32Array.from({ length: 2 * count }, (_, i) => {
    const word = next();
    if (kind === 'ties') return EDGES[word % EDGES.length]!;
    return kind === 'low' && i % 2 === 1 ? 7 : word;
  });
}

export const kinds = fc.constantFrom<HashKind>('mixed', 'mixed', 'ties', 'low');
export const homes = fc.constantFrom<Home>('own', 'shared', 'kernel');
export const skews = fc.nat(15);
export const seeds = fc.integer({ min: 1, max: 1e9 });
/** Seeds of a run. */
export const runSeeds = fc.oneof(fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER), fc.maxSafeNat());
