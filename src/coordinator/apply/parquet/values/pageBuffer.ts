/** Bytes of a page that is made: scratch memory that grows to the largest page and is used again for the next. */

export class PageBuffer {
  /** Valid up to `length`; another array after `reserve`. */
  bytes = new Uint8Array(64 << 10);
  length = 0;

  /** Makes room for so many bytes more. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  clear(): void {
    this.length = 0;
  }

  push(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** Appends bytes [from, to) of another array. */
  copy(source: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    const { bytes, length } = this;
    if (to - from > LONG_COPY) bytes.set(source.subarray(from, to), length);
    else for (let i = from, at = length; i < to; i++) bytes[at++] = source[i]!;
    this.length = length + to - from;
  }

  varint(value: number): void {
    for (; value >= 128; value = Math.floor(value / 128)) this.push((value % 128) | 128);
    this.push(value);
  }

  /** Sets four bytes at a place, the smallest first. */
  setUint32(at: number, value: number): void {
    for (let i = 0; i < 4; i++) this.bytes[at + i] = value >>> (8 * i);
  }

  /** Valid until something is appended. */
  get view(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

/** From here on a call is cheaper than a loop. */
const LONG_COPY = 64;
