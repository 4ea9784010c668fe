/** Bytes of a block of zstd, and bits that are read from their end to their beginning. */
import { expectSound, littleEndian } from '../packedInput.js';

/** Bits are read by four bytes at once, which may begin before the first byte, some numbers on, and end behind the last. */
export const PADDING = 16;

/** Bytes with zeros around them. */
export class PaddedBytes {
  /** The next byte, and behind the last. */
  at: number;
  readonly end: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;

  constructor(block: Uint8Array | PaddedBytes, from = 0, to = 0) {
    if (block instanceof PaddedBytes) {
      this.bytes = block.bytes;
      this.view = block.view;
      this.at = from;
      this.end = to;
      return;
    }
    this.bytes = new Uint8Array(block.length + 2 * PADDING);
    this.bytes.set(block, PADDING);
    this.view = new DataView(this.bytes.buffer);
    this.at = PADDING;
    this.end = PADDING + block.length;
  }

  peek(): number {
    expectSound(this.at < this.end);
    return this.bytes[this.at]!;
  }

  take(count: number): Uint8Array {
    expectSound(count <= this.end - this.at);
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  number(size: number): number {
    return littleEndian(this.take(size));
  }

  /** Takes bytes that are read by themselves. */
  part(count: number): PaddedBytes {
    this.take(count);
    return new PaddedBytes(this, this.at - count, this.at);
  }

  /** The bits of bytes, from the highest that is 1, which says where they begin. */
  backward(from: number, to: number): BackwardBits {
    const last = to > from ? this.bytes[to - 1]! : 0;
    expectSound(last > 0);
    return new BackwardBits(this.view, 8 * from, 8 * (to - 1) + 31 - Math.clz32(last));
  }
}

class BackwardBits {
  readonly view: DataView;
  /** The first bit, which is the last to be read. */
  readonly start: number;
  /** Behind the next bit. */
  at: number;

  constructor(view: DataView, start: number, at: number) {
    this.view = view;
    this.start = start;
    this.at = at;
  }

  /** Takes up to 25 bits. */
  read(count: number): number {
    this.at -= count;
    // Before the beginning everything is zero: who reads that finds out at the end.
    return this.at < this.start ? 0 : bitsAt(this.view, this.at, count);
  }
}

/** Up to 25 bits from a place on. */
export function bitsAt(view: DataView, at: number, count: number): number {
  return (view.getInt32(at >> 3, true) >>> (at & 7)) & ((1 << count) - 1);
}
