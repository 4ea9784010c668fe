/**
 * The stored form of a signature: all of it, or a byte a slot, by which a kept document that cannot resemble another is
 * left out before its text is read.
 *
 * Equal slots have equal bytes, and unequal ones in 1 of 256 cases: so bytes agree in at least as many places as slots, and
 * no document is left out that the slots would admit.
 */

import { agreementOf } from '../../../sketch/probability.js';

/** Knuth's multiplier: all bits of the product depend on the slot, whose upper bits are the round of FSS. */
const MULTIPLIER = 0x9e3779b1;

export interface SlotRows {
  /** Words of a row. */
  readonly words: number;
  /** Makes the row of the signature that begins at `at`. */
  write(slots: Uint32Array, at: number, row: Uint32Array): void;
  /** The places in which two rows agree, at least as many as the slots do. */
  agreement(row: Uint32Array, rows: Uint32Array, at: number): number;
}

function byteOf(slot: number): number {
  return Math.imul(slot, MULTIPLIER) >>> 24;
}

export function byteRows(hashes: number): SlotRows {
  const words = Math.ceil(hashes / 4);
  const padding = 4 * words - hashes;
  return {
    words,
    write(slots, at, row) {
      // Signatures are padded to a multiple of 16 slots, all with the same value.
      for (let word = 0; word < words; word++) {
        const slot = at + 4 * word;
        row[word] =
          byteOf(slots[slot]!) |
          (byteOf(slots[slot + 1]!) << 8) |
          (byteOf(slots[slot + 2]!) << 16) |
          (byteOf(slots[slot + 3]!) << 24);
      }
    },
    agreement(row, rows, at) {
      let equal = -padding;
      for (let word = 0; word < words; word++) {
        const x = row[word]! ^ rows[at + word]!;
        // The upper bit of each byte of x that is not 0.
        const others = (((x & 0x7f7f7f7f) + 0x7f7f7f7f) | x) & 0x80808080;
        const zeros = ((others ^ 0x80808080) >>> 7) & 0x01010101;
        equal += Math.imul(zeros, 0x01010101) >>> 24;
      }
      return equal;
    },
  };
}

/** All of the signature. */
export function wholeRows(hashes: number): SlotRows {
  return {
    words: hashes,
    write: (slots, at, row) => row.set(slots.subarray(at, at + hashes)),
    agreement: (row, rows, at) => agreementOf(row, 0, rows, at, hashes),
  };
}
