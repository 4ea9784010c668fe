/** Bytes of a block of zstd, and bits that are read from their end to their beginning. */
import { expectSound, littleEndian } from '../packedInput.js';

/** Bits are read by four bytes at once, which may begin before the first byte and end behind the last. */
export const PADDING = 8;

/** Bytes with zeros around them. */
export class PaddedBytes {
  /** The next byte, and behind the last. */
  at: number;
  readonly end: number;
  readonly bytes: Uint8Array;

  constructor(block: Uint8Array | PaddedBytes, from = 0, to = 0) {
    if (block instanceof PaddedBytes) {
      this.bytes = block.bytes;
      this.at = from;
      this.end = to;
      return;
    }
    this.bytes = new Uint8Array(block.length + 2 * PADDING);
    this.bytes.set(block, PADDING);
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
    return new BackwardBits(this.bytes, 8 * from, 8 * (to - 1) + 31 - Math.clz32(last));
  }
}

export class BackwardBits {
  readonly bytes: Uint8Array;
  /** The first bit, which is the last to be read. */
  readonly start: number;
  /** Behind the next bit. */
  at: number;

  constructor(bytes: Uint8Array, start: number, at: number) {
    this.bytes = bytes;
    this.start = start;
    this.at = at;
  }

  /** Whether all bits were read, and none that is not there. */
  get isAtEnd(): boolean {
    return this.at === this.start;
  }

  /** Takes up to 31 bits. */
  read(count: number): number {
    if (count > 24) {
      const high = this.read(count - 24);
      return high * 2 ** 24 + this.read(24);
    }
    this.at -= count;
    const { at, bytes } = this;
    // Before the beginning everything is zero: who reads that finds out at the end.
    if (at < this.start) return 0;
    const i = at >> 3;
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    return (word >>> (at & 7)) & ((1 << count) - 1);
  }
}
