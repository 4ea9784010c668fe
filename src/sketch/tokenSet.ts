/**
 * A fixed set of token hashes that answers fast: which words are stop words.
 *
 * Floor 0. Two words with one 64-bit hash would be one word here, as they are everywhere else.
 */
export class TokenSet {
  private readonly mask: number;
  private readonly keys: Int32Array;
  private readonly taken: Uint8Array;

  /** The set of `hashes[0 .. 2*count)`; repetitions do not matter. */
  constructor(hashes: Uint32Array, count: number) {
    let places = 16;
    while (places < 4 * count) places *= 2;
    this.mask = places - 1;
    this.keys = new Int32Array(2 * places);
    this.taken = new Uint8Array(places);
    for (let i = 0; i < 2 * count; i += 2) {
      const place = this.placeOf(hashes[i]! | 0, hashes[i + 1]! | 0);
      this.keys[2 * place] = hashes[i]!;
      this.keys[2 * place + 1] = hashes[i + 1]!;
      this.taken[place] = 1;
    }
  }

  /** Halves as int32. */
  has(low: number, high: number): boolean {
    return this.taken[this.placeOf(low, high)] === 1;
  }

  private placeOf(low: number, high: number): number {
    let place = low & this.mask;
    while (this.taken[place] === 1 && (this.keys[2 * place] !== low || this.keys[2 * place + 1] !== high)) {
      place = (place + 1) & this.mask;
    }
    return place;
  }
}
