/**
 * Growing columns: typed arrays that double their room when full. Blocks are built from them, so no row is
 * ever an object.
 */

type Grown = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The array, or where it has fewer than `needed` places a copy at least twice as long; what is new in it is 0. Default: one place more. */
export function grown<T extends Grown>(array: T, needed = array.length + 1): T {
  if (needed <= array.length) return array;
  const Type = array.constructor as new (length: number) => T;
  const larger = new Type(Math.max(needed, 2 * array.length, 64));
  larger.set(array as never);
  return larger;
}

/** One array after the other. */
export function concatenated(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A growing column of bytes. */
export class ByteColumn {
  private array: Uint8Array;
  length = 0;

  /** @param expected entries that it begins with room for */
  constructor(expected = 1024) {
    this.array = new Uint8Array(expected);
  }

  push(value: number): void {
    this.array = grown(this.array, this.length + 1);
    this.array[this.length++] = value;
  }

  append(bytes: Uint8Array): void {
    this.array = grown(this.array, this.length + bytes.length);
    this.array.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Appends a binary string, one byte per character. */
  appendBinary(text: string): void {
    this.array = grown(this.array, this.length + text.length);
    for (let i = 0; i < text.length; i++) this.array[this.length++] = text.charCodeAt(i);
  }

  /** A view of the filled part; valid until the next push. */
  get view(): Uint8Array {
    return this.array.subarray(0, this.length);
  }

  set(index: number, value: number): void {
    this.array[index] = value;
  }

  /** Removes the entries from `length` on. */
  truncate(length: number): void {
    this.length = length;
  }
}

/** A growing column of uint32. */
export class Uint32Column {
  private array: Uint32Array;
  length = 0;

  /** @param expected entries that it begins with room for */
  constructor(expected = 256) {
    this.array = new Uint32Array(expected);
  }

  push(value: number): void {
    this.array = grown(this.array, this.length + 1);
    this.array[this.length++] = value;
  }

  append(values: Uint32Array): void {
    this.array = grown(this.array, this.length + values.length);
    this.array.set(values, this.length);
    this.length += values.length;
  }

  /** Adds `count` entries and returns the view of them, for the caller to fill. */
  extend(count: number): Uint32Array {
    this.array = grown(this.array, this.length + count);
    this.length += count;
    return this.array.subarray(this.length - count, this.length);
  }

  get view(): Uint32Array {
    return this.array.subarray(0, this.length);
  }

  truncate(length: number): void {
    this.length = length;
  }
}

/** A growing column of doubles, for counts that may exceed 2^32. */
export class Float64Column {
  private array: Float64Array;
  length = 0;

  /** @param expected entries that it begins with room for */
  constructor(expected = 256) {
    this.array = new Float64Array(expected);
  }

  push(value: number): void {
    this.array = grown(this.array, this.length + 1);
    this.array[this.length++] = value;
  }

  get view(): Float64Array {
    return this.array.subarray(0, this.length);
  }

  truncate(length: number): void {
    this.length = length;
  }
}
