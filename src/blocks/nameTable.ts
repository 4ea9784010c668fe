/**
 * Names as bytes, each once, numbered from 0 in the order in which they are first met.
 *
 * Floor 1. Open addressing over typed arrays: a name costs its bytes and about 24 more, and no object. Names are told
 * apart by their bytes; the hash only finds the place.
 */

const FIRST_PLACES = 1024;

function grown<T extends Uint8Array | Uint32Array>(array: T, length: number): T {
  if (length <= array.length) return array;
  const Type = array.constructor as new (length: number) => T;
  const larger = new Type(Math.max(length, 2 * array.length));
  larger.set(array as never);
  return larger;
}

export class NameTable {
  /** Names so far. */
  length = 0;
  private bytes = new Uint8Array(4096);
  private offsets = new Uint32Array(256);
  /** Two words a name. */
  private hashes = new Uint32Array(512);
  /**
   * Two words a place: the number of its name, from 1 (0: free), and the high half of its hash beside it, so that a look
   * at a place is one look at memory. A power of two of places.
   */
  private places = new Uint32Array(2 * FIRST_PLACES);

  /** The number of the name `source[from .. to)` with this hash, the same for the same bytes; new ones are added. */
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
  is(number: number, source: Uint8Array, from: number, to: number): boolean {
    const { bytes, offsets } = this;
    let at = offsets[number]!;
    if (offsets[number + 1]! - at !== to - from) return false;
    for (let i = from; i < to; i++) if (source[i] !== bytes[at++]) return false;
    return true;
  }

  /** The names in order of their numbers; views, valid until the next name. */
  get columns(): { readonly bytes: Uint8Array; readonly offsets: Uint32Array; readonly hashes: Uint32Array } {
    const { length } = this;
    return {
      bytes: this.bytes.subarray(0, this.offsets[length]!),
      offsets: this.offsets.subarray(0, length + 1),
      hashes: this.hashes.subarray(0, 2 * length),
    };
  }

  /** What the names take, and what finds them. */
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

  /** Twice the places. */
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
