/** Signatures from records, side by side, in the layout that mappers and reducers read: rows of slots in one array. */

import { newArray } from '../../arrays/ownPages.js';
import { strideOf } from '../../sketch/signature.js';

export class StreamedSignatures {
  count = 0;
  readonly stride: number;
  readonly hashes: number;
  readonly capacity: number;
  /** Slots of all `capacity` rows, filled or not. */
  readonly slots: Uint32Array;
  private readonly bytes: Uint8Array;

  constructor(hashes: number, capacity: number) {
    this.hashes = hashes;
    this.capacity = capacity;
    this.stride = strideOf(hashes);
    this.slots = newArray(Uint32Array, this.stride * capacity);
    this.bytes = new Uint8Array(this.slots.buffer, 0, this.slots.byteLength);
  }

  /** Adds the slots in [from, to) of a value; returns their row. @throws RangeError for another length: our own defect */
  add(value: Uint8Array, from: number, to: number): number {
    if (to - from !== 4 * this.hashes || to > value.length)
      throw new RangeError(
        `a record with ${Math.min(to, value.length) - from} bytes of slots: expected ${4 * this.hashes}, our own defect`,
      );
    this.bytes.set(value.subarray(from, to), 4 * this.stride * this.count);
    return this.count++;
  }

  clear(): void {
    this.count = 0;
  }
}
