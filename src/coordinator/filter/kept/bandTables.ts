/**
 * The buckets of all bands: for each band a table from keys of 32 bits to the documents that have them, in typed arrays.
 *
 *      slots   u32 pairs (key, value) a band, open addressing: a key stands at its upper bits or behind
 *              value 0: free; else document + 1; else CHAIN and the place of the newest link
 *      links   u32 pairs (document, place of the next older link + 1; 0: none), for documents that share a bucket
 *
 * Keys of different buckets may be equal: half of the 64 bits of a bucket key is stored, and the caller compares the documents
 * that are found. Tables of n documents have 11 to 23 bytes for each, a band; the tables of the bands double one by one, so
 * that only one exists twice at a time.
 */

import { Uint32Column } from '../../../arrays/growable.js';

const FIRST_BITS = 8;
/** A table is made larger when more than this share of it is used. */
const FULL = 0.7;
const CHAIN = 0x80000000;
/** Most bytes of a document in the table of a band that has just grown. */
export const MOST_BAND_BYTES = 16 / FULL;

export class BandTables {
  readonly bands: number;
  /** Bytes in memory. */
  bytes: number;
  readonly #slots: Uint32Array[];
  /** A key is shifted right by so much to give a place. */
  readonly #shifts: Uint8Array;
  readonly #used: Uint32Array;
  readonly #links = new Uint32Column();

  /** Of the document that is looked up: a place a band. */
  readonly #places: Uint32Array;

  readonly #most: number;
  /** Whether the last `find` left out members of a bucket. */
  isCut = false;

  /** @param most members of a bucket that are found: the newest */
  constructor(bands: number, most: number) {
    this.#most = most;
    this.bands = bands;
    this.#slots = Array.from({ length: bands }, () => new Uint32Array(2 << FIRST_BITS));
    this.#shifts = new Uint8Array(bands).fill(32 - FIRST_BITS);
    this.#used = new Uint32Array(bands);
    this.#places = new Uint32Array(bands);
    this.bytes = bands * (8 << FIRST_BITS);
  }

  /**
   * Appends the documents that share a bucket with this one, a document as often as it shares one; of large buckets the newest.
   *
   * @param keys bucket keys as the kernel writes them: of band b the pair `b * columns + column`
   */
  find(keys: Uint32Array, columns: number, column: number, into: Uint32Column): void {
    const slots = this.#slots;
    const places = this.#places;
    const { bands } = this;
    // These reads do not depend on each other, so the processor waits for memory once and not once a band: without them, looking
    // up a document in tables of 16 MB takes 2.5 microseconds instead of 1.7.
    let read = 0;
    for (let band = 0, at = 2 * column + 1; band < bands; band++, at += 2 * columns) {
      const place = 2 * (keys[at]! >>> this.#shifts[band]!);
      places[band] = place;
      read |= slots[band]![place + 1]!;
    }
    this.isCut = false;
    if (read === 0) return;
    for (let band = 0, at = 2 * column + 1; band < bands; band++, at += 2 * columns) {
      const table = slots[band]!;
      const key = keys[at]!;
      const mask = table.length - 1;
      let place = places[band]!;
      while (table[place + 1] !== 0 && table[place] !== key) place = (place + 2) & mask;
      if (table[place + 1] !== 0) this.#documents(table[place + 1]!, into);
    }
  }

  /** Adds a document, 0 to 2^31 - 2, to its buckets. */
  add(keys: Uint32Array, columns: number, column: number, document: number): void {
    for (let band = 0, at = 2 * column + 1; band < this.bands; band++, at += 2 * columns) {
      const table = this.#slots[band]!;
      const key = keys[at]!;
      const mask = table.length - 1;
      let place = 2 * (key >>> this.#shifts[band]!);
      while (table[place + 1] !== 0 && table[place] !== key) place = (place + 2) & mask;
      if (table[place + 1] !== 0) table[place + 1] = this.#chained(table[place + 1]!, document);
      else {
        table[place] = key;
        table[place + 1] = document + 1;
        this.#used[band]!++;
        if (this.#used[band]! > (FULL / 2) * table.length) this.#grow(band);
      }
    }
  }

  #documents(value: number, into: Uint32Column): void {
    if (value < CHAIN) {
      into.push(value - 1);
      return;
    }
    const links = this.#links.view;
    let place = value - CHAIN + 1;
    for (let count = 0; place > 0 && count < this.#most; count++, place = links[2 * place - 1]!) {
      into.push(links[2 * place - 2]!);
    }
    if (place > 0) this.isCut = true;
  }

  #chained(value: number, document: number): number {
    const links = this.#links;
    let older = value - CHAIN + 1;
    if (value < CHAIN) {
      links.push(value - 1);
      links.push(0);
      older = links.length / 2;
      this.bytes += 8;
    }
    links.push(document);
    links.push(older);
    this.bytes += 8;
    return CHAIN + links.length / 2 - 1;
  }

  /** Keys keep their order, so the old table is read and the new one written from front to back. */
  #grow(band: number): void {
    const old = this.#slots[band]!;
    const table = new Uint32Array(2 * old.length);
    const mask = table.length - 1;
    const shift = --this.#shifts[band]!;
    for (let from = 0; from < old.length; from += 2) {
      if (old[from + 1] === 0) continue;
      let place = 2 * (old[from]! >>> shift);
      while (table[place + 1] !== 0) place = (place + 2) & mask;
      table[place] = old[from]!;
      table[place + 1] = old[from + 1]!;
    }
    this.#slots[band] = table;
    this.bytes += 4 * old.length;
  }
}
