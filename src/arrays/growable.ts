/**
 * Growing columns: typed arrays that double their capacity when full. Blocks are built from them, without an object per row.
 */

import { type ArrayType, newArray } from './ownPages.js';

type Grown = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The array, or a zero-padded copy of at least twice its length if it has fewer than `needed` entries. Default: one more entry. */
export function grown<T extends Grown>(array: T, needed = array.length + 1): T {
  if (needed <= array.length) return array;
  const Type = array.constructor as ArrayType<T>;
  const larger = newArray(Type, Math.max(needed, 2 * array.length, 64));
  larger.set(array as never);
  return larger;
}

/** 0, 1, ... count - 1. */
export function numbersBelow(count: number): Uint32Array {
  const numbers = newArray(Uint32Array, count);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

/** The arrays, concatenated. `Type`: the type of the result. */
export function concatenated(parts: readonly Uint32Array[]): Uint32Array;
export function concatenated<T extends Grown>(parts: readonly T[], Type: new (length: number) => T): T;
export function concatenated(parts: readonly Grown[], Type: new (length: number) => Grown = Uint32Array) {
  const all = new Type(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part as never, at);
    at += part.length;
  }
  return all;
}

/** The common part of growing columns. Each has its own `push`, because a shared one for all array types is slower. */
abstract class Column<T extends Grown> {
  protected array: T;
  length = 0;

  /** @param array its length is the initial capacity */
  constructor(array: T) {
    this.array = array;
  }

  /** A view of the filled part; valid until the next push. */
  get view(): T {
    return this.array.subarray(0, this.length) as T;
  }

  append(values: T): void {
    this.array = grown(this.array, this.length + values.length);
    this.array.set(values as never, this.length);
    this.length += values.length;
  }

  /** Adds `count` entries and returns the view of them, for the caller to fill. */
  extend(count: number): T {
    this.array = grown(this.array, this.length + count);
    this.length += count;
    return this.array.subarray(this.length - count, this.length) as T;
  }

  /** Removes the entries from `length` on. */
  truncate(length: number): void {
    this.length = length;
  }
}

export class ByteColumn extends Column<Uint8Array> {
  constructor(expected = 1024) {
    super(new Uint8Array(expected));
  }

  push(value: number): void {
    this.array = grown(this.array, this.length + 1);
    this.array[this.length++] = value;
  }

  /** Appends a binary string, one byte per character. */
  appendBinary(text: string): void {
    this.array = grown(this.array, this.length + text.length);
    for (let i = 0; i < text.length; i++) this.array[this.length++] = text.charCodeAt(i);
  }
}

export class Uint32Column extends Column<Uint32Array> {
  constructor(expected = 256) {
    super(new Uint32Array(expected));
  }

  push(value: number): void {
    this.array = grown(this.array, this.length + 1);
    this.array[this.length++] = value;
  }

  /** Appends the four words of a key; much faster than `append` for so few words. */
  pushKey(key: Uint32Array): void {
    const at = this.length;
    const array = grown(this.array, at + 4);
    array[at] = key[0]!;
    array[at + 1] = key[1]!;
    array[at + 2] = key[2]!;
    array[at + 3] = key[3]!;
    this.array = array;
    this.length = at + 4;
  }
}

/** A column of numbers, also for counts of 2^32 or more. */
export class Float64Column extends Column<Float64Array> {
  constructor(expected = 256) {
    super(new Float64Array(expected));
  }

  push(value: number): void {
    this.array = grown(this.array, this.length + 1);
    this.array[this.length++] = value;
  }
}
