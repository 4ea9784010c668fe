/**
 * Kept documents as a segment in memory, which is searched like a segment of an index.
 *
 *      band tables   11 to 23 bytes per band
 *      slots         u16   the signature
 *      positions     f64   the start of the document in the texts
 *
 *      in the texts  u32 x 4  content key | u32 x 4  text key | f64  number | u32  length of the id | id | text
 *
 * Slots and positions are in pages, so that growing copies nothing.
 */
import type { Float64Column } from '../../arrays/growable.js';
import type { LookedUp, LookedUpText, Searchable } from '../../index/lookups.js';
import { intersectionSize, resemblanceOf } from '../../sketch/similarity.js';
import type { SetOfText } from '../index/textSketches.js';
import { BandTables, MOST_BAND_BYTES } from './bandTables.js';
import type { DocumentIdentity } from './batch.js';
import { KeptTexts } from './keptTexts.js';

const PAGE_BITS = 10;
const PAGE_DOCUMENTS = 1 << PAGE_BITS;

const TEXT_KEY = 16;
const NUMBER = 32;
const ID_LENGTH = 40;
const HEAD_BYTES = 44;

/** The sets of documents that were compared, because a document may resemble many others. */
export class SetCache {
  readonly #setOf: SetOfText;
  readonly #most: number;
  readonly #sets = new Map<number, Uint32Array>();
  #bytes = 0;

  /** @param most bytes */
  constructor(setOf: SetOfText, most: number) {
    this.#setOf = setOf;
    this.#most = most;
  }

  /** The sorted hashes of a text. @param number unique for each text */
  of(number: number, text: () => Uint8Array): Uint32Array {
    const known = this.#sets.get(number);
    if (known !== undefined) return known;
    const set = this.#setOf(text());
    this.#bytes += set.byteLength;
    if (this.#bytes > this.#most) {
      this.#sets.clear();
      this.#bytes = set.byteLength;
    }
    if (this.#bytes <= this.#most) this.#sets.set(number, set);
    else this.#bytes = 0;
    return set;
  }
}

export class KeptDocuments implements Searchable {
  readonly first: number;
  rows = 0;
  readonly texts = new KeptTexts();
  readonly #stride: number;
  readonly #tables: BandTables;
  readonly #slots: Uint16Array[] = [];
  readonly #positions: Float64Array[] = [];
  readonly #sets: SetCache;
  readonly #head = new Uint8Array(HEAD_BYTES);
  readonly #fields = new DataView(this.#head.buffer);

  /** @param cap members of a bucket that become candidates */
  constructor(first: number, bands: number, stride: number, cap: number, sets: SetCache) {
    this.first = first;
    this.#stride = stride;
    // One more member shows that the bucket is larger.
    this.#tables = new BandTables(bands, cap + 1);
    this.#sets = sets;
  }

  /** Bytes in memory, without the texts. */
  get bytes(): number {
    return this.#tables.bytes + this.#slots.length * PAGE_DOCUMENTS * (2 * this.#stride + 8);
  }

  /** Most of these bytes per document. */
  get mostBytesEach(): number {
    return Math.ceil(2 * this.#stride + 8 + this.#tables.bands * MOST_BAND_BYTES);
  }

  members(keys: Uint32Array, bands: number, left: Int32Array, out: Float64Column): void {
    this.#tables.members(keys, bands, this.first, left, out);
  }

  signature(row: number): Uint16Array {
    const at = this.#stride * (row & (PAGE_DOCUMENTS - 1));
    return this.#slots[row >>> PAGE_BITS]!.subarray(at, at + this.#stride);
  }

  sameness(row: number, { contentKey, textKey }: LookedUp): 'identical' | 'same-tokens' | null {
    this.#readHead(row);
    if (!isKey(this.#fields, 0, contentKey)) return null;
    return isKey(this.#fields, TEXT_KEY, textKey) ? 'identical' : 'same-tokens';
  }

  resemblance(row: number, document: LookedUp): number {
    const [own, other] = [this.#sets.of(this.first + row, () => this.#text(row)), document.set()!];
    const [size, otherSize] = [own.length / 2, other.length / 2];
    return resemblanceOf(intersectionSize(own, 0, size, other, 0, otherSize), size, otherSize);
  }

  /** Adds a document. Its text follows by `texts.append`, in pieces. */
  add({ slots, keys, contentKey, textKey }: LookedUpText, { id, number }: DocumentIdentity): void {
    const row = this.rows++;
    const place = row & (PAGE_DOCUMENTS - 1);
    if (place === 0) {
      this.#slots.push(new Uint16Array(PAGE_DOCUMENTS * this.#stride));
      this.#positions.push(new Float64Array(PAGE_DOCUMENTS));
    }
    this.#slots.at(-1)!.set(slots, this.#stride * place);
    this.#positions.at(-1)![place] = this.texts.length;
    this.#tables.add(keys, row);
    writeKey(this.#fields, 0, contentKey);
    writeKey(this.#fields, TEXT_KEY, textKey);
    this.#fields.setFloat64(NUMBER, number, true);
    this.#fields.setUint32(ID_LENGTH, id.length, true);
    this.texts.append(this.#head);
    this.texts.append(id);
  }

  /** The id is valid until the next call. */
  identity(row: number): DocumentIdentity {
    this.#readHead(row);
    const number = this.#fields.getFloat64(NUMBER, true);
    const id = this.texts.read(this.#position(row) + HEAD_BYTES, this.#fields.getUint32(ID_LENGTH, true));
    return { id, number };
  }

  #text(row: number): Uint8Array {
    this.#readHead(row);
    const from = this.#position(row) + HEAD_BYTES + this.#fields.getUint32(ID_LENGTH, true);
    const to = row + 1 < this.rows ? this.#position(row + 1) : this.texts.length;
    return this.texts.read(from, to - from);
  }

  #position(row: number): number {
    return this.#positions[row >>> PAGE_BITS]![row & (PAGE_DOCUMENTS - 1)]!;
  }

  #readHead(row: number): void {
    this.#head.set(this.texts.read(this.#position(row), HEAD_BYTES));
  }
}

function writeKey(fields: DataView, at: number, key: Uint32Array): void {
  for (let word = 0; word < 4; word++) fields.setUint32(at + 4 * word, key[word]!, true);
}

function isKey(fields: DataView, at: number, key: Uint32Array): boolean {
  for (let word = 0; word < 4; word++) if (fields.getUint32(at + 4 * word, true) !== key[word]!) return false;
  return true;
}
