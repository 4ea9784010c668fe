/** Sketches by definition: BigInt sets, sorted whole. */
import { finalise64 } from '../../../src/arrays/hashing.js';
import { bigOf } from '../../data/randomHashes.js';

const MASK = 0xffffffffffffffffn;

/** The permutation of a seed, as src/sketch/samples/permutedElements.ts says it. */
export function naivePermutation(seed: number): (x: bigint) => bigint {
  const start = finalise64(BigInt(seed) + 0xd1342543de82ef95n);
  const a = finalise64(start + 0x9e3779b97f4a7c15n) | 1n;
  const b = finalise64(start + 2n * 0x9e3779b97f4a7c15n);
  return (x) => finalise64((a * x + b) & MASK);
}

/** Distinct permuted elements of a column, in order. */
export function naiveElements(hashes: Uint32Array, seed: number): bigint[] {
  const permute = naivePermutation(seed);
  const distinct = new Set<bigint>();
  for (let i = 0; 2 * i < hashes.length; i++) distinct.add(permute(bigOf(hashes, i)));
  return [...distinct].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

export function bigsOf(values: Uint32Array): bigint[] {
  return Array.from({ length: values.length / 2 }, (_, i) => bigOf(values, i));
}

/** The column of a list of numbers. */
export function columnOf(values: readonly bigint[]): Uint32Array {
  return Uint32Array.from(values.flatMap((value) => [Number(value & 0xffffffffn), Number(value >> 32n)]));
}
