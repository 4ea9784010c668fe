/**
 * A hash table of distinct 64-bit fingerprints that numbers them in the order of their coming.
 *
 * Floor 0. Columns beside the table are indexed by these numbers, so a fingerprint costs no object. The place
 * of a fingerprint mixes all of its bits: a sample holds values that are 0 mod 2^i (no low bits) or the
 * smallest of a set (no high ones), which a plain mask would pile up in one place.
 */

const LEAST_PLACES = 16;

export class FingerprintTable {
  /** Fingerprint n is keys[2n], keys[2n+1] (low, high), n < size. */
  keys = new Uint32Array(LEAST_PLACES);
  size = 0;

  /** Number + 1 of the fingerprint at a place; 0 = free. At most half of the places are taken. */
  private places = new Uint32Array(LEAST_PLACES);

  /** Forgets all fingerprints; memory of which the last ones used little is given back. */
  clear(): void {
    // Else one large set would make clearing dear for every small one after it.
    if (this.places.length > 16 * this.size + 4096) {
      this.places = new Uint32Array(LEAST_PLACES);
      this.keys = new Uint32Array(LEAST_PLACES);
    } else this.places.fill(0);
    this.size = 0;
  }

  /** The number of a fingerprint (halves in either sign); -1 where it is not here. */
  numberOf(low: number, high: number): number {
    return this.places[this.placeOf(low, high)]! - 1;
  }

  /** The number of a fingerprint, which is put in where it is not here: then the number is the old `size`. */
  add(low: number, high: number): number {
    const place = this.placeOf(low, high);
    const number = this.places[place]! - 1;
    if (number >= 0) return number;
    if (2 * this.size === this.keys.length) {
      const keys = new Uint32Array(2 * this.keys.length);
      keys.set(this.keys);
      this.keys = keys;
    }
    this.keys[2 * this.size] = low;
    this.keys[2 * this.size + 1] = high;
    this.places[place] = ++this.size;
    if (2 * this.size > this.places.length) this.grow();
    return this.size - 1;
  }

  private placeOf(low: number, high: number): number {
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
      this.places[this.placeOf(this.keys[2 * number]!, this.keys[2 * number + 1]!)] = number + 1;
    }
  }
}
