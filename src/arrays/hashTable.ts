/**
 * Distinct names (byte strings), numbered from 0 in the order of their first appearance.
 *
 * Open addressing over typed arrays: a name takes its bytes and about 24 more, and no object. Two names are equal if their bytes
 * are equal; the hash only finds the slot.
 */
import { grown } from './growable.js';

const FIRST_PLACES = 1024;

function areEqual(a: Uint8Array, from: number, b: Uint8Array, at: number, length: number): boolean {
  for (let i = 0; i < length; i++) if (a[from + i] !== b[at + i]) return false;
  return true;
}

export class NameTable {
  length = 0;
  private bytes = new Uint8Array(4096);
  private offsets = new Uint32Array(256);
  /** Two words per name. */
  private hashes = new Uint32Array(512);
  /**
   * Two words per slot: the number of its name, from 1 (0: free), and the high half of its hash, so that a probe reads one cache
   * line. The number of slots is a power of two.
   */
  private places = new Uint32Array(2 * FIRST_PLACES);

  /**
   * The number of the name `source[from .. to)` with this hash. Equal bytes have the same number; a new name
   * is added.
   */
  numberOf(source: Uint8Array, from: number, to: number, low: number, high: number): number {
    const { places } = this;
    const mask = places.length - 1;
    let place = (low << 1) & mask;
    for (let entry = places[place]!; entry !== 0; entry = places[place]!) {
      if (places[place + 1] === high && this.is(entry - 1, source, from, to)) return entry - 1;
      place = (place + 2) & mask;
    }
    places[place] = this.length + 1;
    places[place + 1] = high;
    return this.add(source, from, to, low, high);
  }

  /** Whether the name with this number is `source[from .. to)`. */
  private is(number: number, source: Uint8Array, from: number, to: number): boolean {
    const { bytes, offsets } = this;
    const at = offsets[number]!;
    return offsets[number + 1]! - at === to - from && areEqual(source, from, bytes, at, to - from);
  }

  /** The names from number `first` on, in the order of their numbers. Views that are valid until the next name is added. */
  columnsFrom(first: number): {
    readonly bytes: Uint8Array;
    readonly offsets: Uint32Array;
    readonly hashes: Uint32Array;
  } {
    const { length } = this;
    const offsets = this.offsets.subarray(first, length + 1);
    const start = offsets[0]!;
    return {
      bytes: this.bytes.subarray(start, offsets[length - first]!),
      offsets: start === 0 ? offsets : offsets.map((offset) => offset - start),
      hashes: this.hashes.subarray(2 * first, 2 * length),
    };
  }

  /** Bytes of the names and of the table that finds them. */
  get tableBytes(): number {
    const { bytes, offsets, hashes, places } = this;
    return bytes.length + 4 * (offsets.length + hashes.length + places.length);
  }

  private add(source: Uint8Array, from: number, to: number, low: number, high: number): number {
    const number = this.length++;
    const start = this.offsets[number]!;
    this.offsets = grown(this.offsets, number + 2);
    this.hashes = grown(this.hashes, 2 * number + 2);
    this.bytes = grown(this.bytes, start + to - from);
    for (let i = from; i < to; i++) this.bytes[start + i - from] = source[i]!;
    this.offsets[number + 1] = start + to - from;
    this.hashes[2 * number] = low;
    this.hashes[2 * number + 1] = high;
    if (4 * this.length > this.places.length) this.spread();
    return number;
  }

  private spread(): void {
    const places = new Uint32Array(2 * this.places.length);
    const mask = places.length - 1;
    for (let number = 0; number < this.length; number++) {
      let place = (this.hashes[2 * number]! << 1) & mask;
      while (places[place] !== 0) place = (place + 2) & mask;
      places[place] = number + 1;
      places[place + 1] = this.hashes[2 * number + 1]!;
    }
    this.places = places;
  }
}

const LEAST_FILTER = 1 << 12;
const MOST_FILTER = 1 << 24;

/** A filter with a bit for the low bits of every key of a table: one lookup excludes most hashes that are not in the table. */
export class KeyFilter {
  private readonly bits: Uint32Array;
  private readonly mask: number;

  /** @param bitsPerKey at most one in this many absent hashes passes; more do if there are millions of keys */
  constructor({ keys, size }: Pick<FingerprintTable, 'keys' | 'size'>, bitsPerKey: number) {
    let bits = LEAST_FILTER;
    while (bits < bitsPerKey * size && bits < MOST_FILTER) bits *= 2;
    this.bits = new Uint32Array(bits / 32);
    this.mask = bits - 1;
    for (let n = 0; n < size; n++) {
      const bit = keys[2 * n]! & this.mask;
      this.bits[bit >>> 5]! |= 1 << (bit & 31);
    }
  }

  /** Whether a key may have this low half; false: no key has it. */
  mayHave(low: number): boolean {
    const bit = low & this.mask;
    return ((this.bits[bit >>> 5]! >>> (bit & 31)) & 1) !== 0;
  }
}

const LEAST_PLACES = 16;

/**
 * A hash table of distinct 64-bit fingerprints, numbered in the order of insertion. Columns beside the table
 * are indexed by these numbers, so there is no object per fingerprint.
 *
 * The probe position mixes all bits of a fingerprint: samples hold values that are 0 mod 2^i (low bits are 0) or the smallest of a
 * set (high bits are 0), which a plain mask would map to few slots.
 */
export class FingerprintTable {
  /** Fingerprint n is keys[2n], keys[2n+1] (low, high), n < size. */
  keys: Uint32Array = new Uint32Array(LEAST_PLACES);
  size = 0;

  /** By slot, the number of its fingerprint + 1; 0: free. At most half of the slots are used. */
  places: Uint32Array = new Uint32Array(LEAST_PLACES);

  /** A table for lookups that shares the `keys` and `places` of another table. */
  static over(keys: Uint32Array, places: Uint32Array): FingerprintTable {
    const table = new FingerprintTable();
    table.keys = keys;
    table.places = places;
    table.size = keys.length / 2;
    return table;
  }

  /** The table of `hashes[0 .. hashes.length)`, pairs (low, high); repetitions do not matter. */
  static of(hashes: ArrayLike<number>): FingerprintTable {
    const table = new FingerprintTable();
    for (let i = 0; i < hashes.length; i += 2) table.add(hashes[i]!, hashes[i + 1]!);
    return table;
  }

  has(low: number, high: number): boolean {
    return this.numberOf(low, high) >= 0;
  }

  /** Removes all fingerprints; frees memory that was hardly used. */
  clear(): void {
    // Otherwise one large set would make clearing expensive for every small set after it.
    if (this.places.length > 16 * this.size + 4096) {
      this.places = new Uint32Array(LEAST_PLACES);
      this.keys = new Uint32Array(LEAST_PLACES);
    } else this.places.fill(0);
    this.size = 0;
  }

  /** The number of a fingerprint (halves signed or unsigned); -1 if absent. */
  numberOf(low: number, high: number): number {
    return this.places[this.slotOf(low, high)]! - 1;
  }

  /** The number of a fingerprint. A new one is added, and its number is the old `size`. */
  add(low: number, high: number): number {
    const place = this.slotOf(low, high);
    const number = this.places[place]! - 1;
    if (number >= 0) return number;
    this.keys = grown(this.keys, 2 * this.size + 2);
    this.keys[2 * this.size] = low;
    this.keys[2 * this.size + 1] = high;
    this.places[place] = ++this.size;
    if (2 * this.size > this.places.length) this.grow();
    return this.size - 1;
  }

  private slotOf(low: number, high: number): number {
    const { places, keys } = this;
    const mask = places.length - 1;
    // The constants of MurmurHash3; products of 32 bits mix upwards, so the high bits are folded down.
    const mixed = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0xc2b2ae35);
    let place = (mixed ^ (mixed >>> 15)) & mask;
    for (;;) {
      const number = places[place]! - 1;
      if (number < 0) return place;
      if (keys[2 * number] === low >>> 0 && keys[2 * number + 1] === high >>> 0) return place;
      place = (place + 1) & mask;
    }
  }

  private grow(): void {
    this.places = new Uint32Array(2 * this.places.length);
    for (let number = 0; number < this.size; number++) {
      this.places[this.slotOf(this.keys[2 * number]!, this.keys[2 * number + 1]!)] = number + 1;
    }
  }
}
