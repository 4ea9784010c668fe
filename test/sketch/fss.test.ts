import test from 'ava';
import { finalise64, seededConstants } from '../../src/arrays/hashing.js';
import { createFssSketcher } from '../../src/sketch/schemes/fss.js';
import { EMPTY_SLOT } from '../../src/sketch/signature.js';
import { bigOf, randomHashes } from '../data/randomHashes.js';

const MASK = (1n << 64n) - 1n;

/** The definition with BigInt: every element throws in every round, nothing is skipped. */
function byDefinition(hashes: Uint32Array, count: number, slots: number, seed: number): number[] {
  const words = seededConstants(seed, 'fss', 127, true);
  const least: number[] = new Array(slots).fill(EMPTY_SLOT);
  const lower = (slot: number, value: bigint): void => {
    if (Number(value) < least[slot]!) least[slot] = Number(value);
  };
  for (let i = 0; i < count; i++) {
    const x = bigOf(hashes, i);
    lower(Number(((x >> 32n) * BigInt(slots)) >> 32n), (x & 0xffffffffn) >> 1n);
    for (let round = 1; round <= 126; round++) {
      const y = (x * bigOf(words, round - 1)) & MASK;
      const value = 0x80000000n | (BigInt(round) << 24n) | ((y & 0xffffffffn) >> 8n);
      lower(Number(((y >> 32n) * BigInt(slots)) >> 32n), value);
    }
    for (let slot = 0; slot < slots; slot++) {
      const value = finalise64((x + BigInt(128 + slot) * bigOf(words, 126)) & MASK) >> 40n;
      lower(slot, 0xff000000n | (value === 0xffffffn ? 0xfffffen : value));
    }
  }
  return least;
}

test('createFssSketcher: stopping early gives the same slots as running all rounds', (t) => {
  for (const slots of [16, 100, 128, 1024]) {
    for (const count of [1, 2, 10, 60, 300]) {
      const hashes = randomHashes(count, slots + count);
      const sketcher = createFssSketcher(slots, 7);
      const signature = new Uint32Array(sketcher.stride).fill(EMPTY_SLOT);
      sketcher.update(signature, hashes, count);
      t.deepEqual([...signature.subarray(0, slots)], byDefinition(hashes, count, slots, 7));
    }
  }
});

test('createFssSketcher: one element fills 1024 slots, most of them in the last round', (t) => {
  const sketcher = createFssSketcher(1024, 1);
  const signature = new Uint32Array(1024).fill(EMPTY_SLOT);
  sketcher.update(signature, randomHashes(1, 1), 1);
  const last = signature.filter((slot) => slot >= 0xff000000).length;
  // 127 throws miss a given slot with probability (1 - 1/1024)^127 = .883: 905 of 1024 expected, deviation
  // below 11.
  t.true(Math.abs(last - 905) < 55, `${last} slots`);
  t.false(signature.includes(EMPTY_SLOT));
});
