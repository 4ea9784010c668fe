/** Signatures out of records, side by side as mappers and reducers read them: rows of slots in one array. */

import { strideOf } from '../../sketch/signature.js';

export class StreamedSignatures {
  count = 0;
  readonly stride: number;
  readonly hashes: number;
  readonly capacity: number;
  /** Of all rows, also of those not filled. */
  readonly slots: Uint32Array;
  private readonly bytes: Uint8Array;

  constructor(hashes: number, capacity: number) {
    this.hashes = hashes;
    this.capacity = capacity;
    this.stride = strideOf(hashes);
    this.slots = new Uint32Array(this.stride * capacity);
    this.bytes = new Uint8Array(this.slots.buffer);
  }

  /** Adds the slots that begin at `at` of a value and end with it; returns their row. @throws RangeError: our own defect */
  add(value: Uint8Array, at: number): number {
    if (value.length !== at + 4 * this.hashes)
      throw new RangeError(
        `a record with ${value.length - at} bytes of slots: expected ${4 * this.hashes}, our own defect`,
      );
    this.bytes.set(at === 0 ? value : value.subarray(at), 4 * this.stride * this.count);
    return this.count++;
  }

  clear(): void {
    this.count = 0;
  }
}
