/**
 * The buckets of all bands: for each band a table from 32-bit keys to the documents with that key, in typed arrays.
 *
 *      slots   u32 pairs (key, value) per band, open addressing: a key is at its upper bits or after
 *              value 0: free; else document + 1; else CHAIN and the index of the newest link
 *      links   u32 triples (document, index of the next older link + 1 (0: none), length of the chain)
 *
 * A bucket takes only as many documents as a look-up visits. Tables take 11 to 23 bytes per document and band. The
 * tables of the bands double one by one, so that only one exists twice at a time.
 */

import { type Float64Column, Uint32Column } from '../../arrays/growable.js';

const FIRST_BITS = 8;
/** A table grows when more than this share of it is used. */
const FULL = 0.7;
const CHAIN = 0x80000000;
/** Most bytes per document in a table that has just grown. */
export const MOST_BAND_BYTES = 16 / FULL;

export class BandTables {
  readonly bands: number;
  /** Bytes in memory. */
  bytes: number;
  readonly #slots: Uint32Array[];
  /** By band: the shift of a key to the right that gives its index. */
  readonly #shifts: Uint8Array;
  readonly #used: Uint32Array;
  readonly #links = new Uint32Column();

  readonly #most: number;
  /** For the document that is looked up: an index per band. */
  readonly #places: Uint32Array;

  /** @param most members per bucket */
  constructor(bands: number, most: number) {
    this.#most = most;
    this.bands = bands;
    this.#slots = Array.from({ length: bands }, () => new Uint32Array(2 << FIRST_BITS));
    this.#shifts = new Uint8Array(bands).fill(32 - FIRST_BITS);
    this.#used = new Uint32Array(bands);
    this.#places = new Uint32Array(bands);
    this.bytes = bands * (8 << FIRST_BITS);
  }

  /** As Searchable.members, for documents that are numbered from `first` on. */
  members(keys: Uint32Array, bands: number, first: number, left: Int32Array, out: Float64Column): void {
    const slots = this.#slots;
    const places = this.#places;
    // These reads do not depend on each other, so the processor waits for memory once instead of once per band.
    let read = 0;
    for (let band = 0; band < bands; band++) {
      const place = 2 * (keys[band]! >>> this.#shifts[band]!);
      places[band] = place;
      read |= slots[band]![place + 1]!;
    }
    if (read === 0) return;
    for (let band = 0; band < bands; band++) {
      const table = slots[band]!;
      const mask = table.length - 1;
      const key = keys[band]!;
      let place = places[band]!;
      while (table[place + 1] !== 0 && table[place] !== key) place = (place + 2) & mask;
      if (table[place + 1] !== 0 && left[band]! >= 0) this.#append(table[place + 1]!, first, band, left, out);
    }
  }

  #append(value: number, first: number, band: number, left: Int32Array, out: Float64Column): void {
    const most = left[band]!;
    const links = this.#links.view;
    let link = 3 * (value - CHAIN);
    const length = value < CHAIN ? 1 : links[link + 2]!;
    const room = out.extend(Math.min(length, most));
    left[band] = Math.max(-1, most - length);
    if (value < CHAIN) {
      room[0] = first + value - 1;
      return;
    }
    for (let i = length - 1; i >= 0; i--, link = 3 * (links[link + 1]! - 1))
      if (i < room.length) room[i] = first + links[link]!;
  }

  /** Adds a document, 0 to 2^31 - 2, to its buckets. */
  add(keys: Uint32Array, document: number): void {
    for (let band = 0; band < this.bands; band++) {
      const table = this.#slots[band]!;
      const place = this.#placeOf(band, keys[band]!);
      if (table[place + 1] !== 0) table[place + 1] = this.#chained(table[place + 1]!, document);
      else {
        table[place] = keys[band]!;
        table[place + 1] = document + 1;
        this.#used[band]!++;
        if (this.#used[band]! > (FULL / 2) * table.length) this.#grow(band);
      }
    }
  }

  /** The index of a key, or the free one where it belongs. */
  #placeOf(band: number, key: number): number {
    const table = this.#slots[band]!;
    const mask = table.length - 1;
    let place = 2 * (key >>> this.#shifts[band]!);
    while (table[place + 1] !== 0 && table[place] !== key) place = (place + 2) & mask;
    return place;
  }

  #chained(value: number, document: number): number {
    const links = this.#links;
    let older = value - CHAIN;
    if (value < CHAIN) older = this.#link(value - 1, 0, 1);
    const length = links.view[3 * older + 2]!;
    return length === this.#most ? value : CHAIN + this.#link(document, older + 1, length + 1);
  }

  /** Appends a link; returns its index. */
  #link(document: number, older: number, length: number): number {
    const links = this.#links;
    links.push(document);
    links.push(older);
    links.push(length);
    this.bytes += 12;
    return links.length / 3 - 1;
  }

  /** Keys keep their order, so the old table is read and the new one is written sequentially. */
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
