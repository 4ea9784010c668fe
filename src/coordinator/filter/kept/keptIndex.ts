/**
 * The index of kept documents: which of them share a bucket with another document, and agree with it in enough slots.
 *
 *      band tables   11 to 23 bytes a band
 *      rows          a word for the last look-up, and the stored signature (slotRows.ts)
 *      positions     f64   where the document begins in the texts
 *
 *      in the texts  u32 x 4  content key | u32 x 4  text key | f64  number | u32  file | u32  length of the id | id | text
 *
 * Rows and positions stand in pages, so that growing copies nothing.
 */
import { Uint32Column } from '../../../arrays/growable.js';
import type { Batch, DocumentIdentity } from '../batch.js';
import type { TextPieces } from '../exactComparison.js';
import { BandTables, MOST_BAND_BYTES } from './bandTables.js';
import { KeptTexts } from './keptTexts.js';
import type { SlotRows } from './slotRows.js';

const PAGE_BITS = 10;
const PAGE_DOCUMENTS = 1 << PAGE_BITS;
/** A band table has no numbers for more documents. */
export const MOST_DOCUMENTS = 2 ** 31 - 2;

/** Candidates of a document that are verified. */
const MOST_FOUND = 64;

const TEXT_KEY = 16;
const NUMBER = 32;
const FILE = 40;
const ID_LENGTH = 44;
const HEAD_BYTES = 48;

export class KeptIndex {
  count = 0;
  readonly texts = new KeptTexts();
  /** The documents that the last look-up found, ascending. */
  readonly found = new Uint32Column();
  readonly #slotRows: SlotRows;
  readonly #stride: number;
  readonly #tables: BandTables;
  readonly #rows: Uint32Array[] = [];
  readonly #positions: Float64Array[] = [];
  readonly #shared = new Uint32Column();
  readonly #head = new Uint8Array(HEAD_BYTES);
  readonly #fields = new DataView(this.#head.buffer);
  #looks = 0;

  /** @param hotBucket members of a bucket that are found: the newest */
  constructor(bands: number, slotRows: SlotRows, hotBucket: number) {
    this.#slotRows = slotRows;
    this.#stride = slotRows.words + 1;
    this.#tables = new BandTables(bands, hotBucket);
  }

  /** Bytes in memory, without the texts. */
  get bytes(): number {
    return this.#tables.bytes + this.#rows.length * PAGE_DOCUMENTS * (4 * this.#stride + 8);
  }

  /** Most of these bytes for one document. */
  get mostBytesEach(): number {
    return Math.ceil(4 * this.#stride + 8 + this.#tables.bands * MOST_BAND_BYTES);
  }

  /**
   * Fills `found`: the documents that share a bucket and agree in at least `least` slots, of more than MOST_FOUND those that
   * agree in most. Keys are as BandTables has them. True: some were left out.
   */
  lookUp(keys: Uint32Array, columns: number, column: number, row: Uint32Array, least: number): boolean {
    const shared = this.#shared;
    const { found } = this;
    shared.length = 0;
    found.length = 0;
    this.#tables.find(keys, columns, column, shared);
    if (shared.length === 0) return false;
    this.#looks = this.#looks === 0xffffffff ? this.#forgetLooks() : this.#looks + 1;
    for (const document of shared.view) {
      const rows = this.#rows[document >>> PAGE_BITS]!;
      const at = this.#stride * (document & (PAGE_DOCUMENTS - 1));
      if (rows[at] === this.#looks) continue;
      rows[at] = this.#looks;
      if (this.#slotRows.agreement(row, rows, at + 1) >= least) found.push(document);
    }
    const isFull = found.length > MOST_FOUND;
    if (isFull) this.#keepNearest(row);
    if (found.length > 1) found.view.sort();
    return isFull || this.#tables.isCut;
  }

  /** Where boilerplate is shared, hundreds may agree in enough slots; a near-duplicate agrees in more than nearly all of them. */
  #keepNearest(row: Uint32Array): void {
    const ranks = Float64Array.from(this.found.view, (document) => {
      return document - this.agreement(document, row) * 2 ** 32;
    }).sort();
    this.found.length = 0;
    for (const rank of ranks.subarray(0, MOST_FOUND))
      this.found.push(rank - Math.floor(rank / 2 ** 32) * 2 ** 32);
  }

  /** The number of places in which the row of a document agrees with this one. */
  agreement(document: number, row: Uint32Array): number {
    const at = this.#stride * (document & (PAGE_DOCUMENTS - 1));
    return this.#slotRows.agreement(row, this.#rows[document >>> PAGE_BITS]!, at + 1);
  }

  /** Adds document i of the batch. Its text follows by `appendText`, in pieces. */
  add(keys: Uint32Array, batch: Batch, i: number, row: Uint32Array): void {
    const document = this.count++;
    const place = document & (PAGE_DOCUMENTS - 1);
    if (place === 0) {
      this.#rows.push(new Uint32Array(PAGE_DOCUMENTS * this.#stride));
      this.#positions.push(new Float64Array(PAGE_DOCUMENTS));
    }
    this.#rows.at(-1)!.set(row, this.#stride * place + 1);
    this.#positions.at(-1)![place] = this.texts.length;
    this.#tables.add(keys, batch.count, i, document);
    const { id, file, number } = batch.identity(i);
    writeKey(this.#fields, 0, batch.contentKeys, i);
    writeKey(this.#fields, TEXT_KEY, batch.textKeys, i);
    this.#fields.setFloat64(NUMBER, number, true);
    this.#fields.setUint32(FILE, file, true);
    this.#fields.setUint32(ID_LENGTH, id.length, true);
    this.texts.append(this.#head);
    this.texts.append(id);
  }

  /** Whether a document has the tokens of document i of the batch, and the text. */
  sharedWith(document: number, batch: Batch, i: number): 'text' | 'tokens' | null {
    this.#readHead(document);
    if (!isKey(this.#fields, 0, batch.contentKeys, i)) return null;
    return isKey(this.#fields, TEXT_KEY, batch.textKeys, i) ? 'text' : 'tokens';
  }

  /** The id is valid until the next call. */
  identity(document: number): DocumentIdentity {
    this.#readHead(document);
    const length = this.#fields.getUint32(ID_LENGTH, true);
    return {
      id: this.texts.read(this.#position(document) + HEAD_BYTES, length),
      file: this.#fields.getUint32(FILE, true),
      number: this.#fields.getFloat64(NUMBER, true),
    };
  }

  /** The text, as it is read in pieces. */
  text(document: number): TextPieces {
    this.#readHead(document);
    const from = this.#position(document) + HEAD_BYTES + this.#fields.getUint32(ID_LENGTH, true);
    const to = document + 1 < this.count ? this.#position(document + 1) : this.texts.length;
    return {
      length: to - from,
      piece: (start, end) => this.texts.read(from + start, end - start),
    };
  }

  #position(document: number): number {
    return this.#positions[document >>> PAGE_BITS]![document & (PAGE_DOCUMENTS - 1)]!;
  }

  #readHead(document: number): void {
    this.#head.set(this.texts.read(this.#position(document), HEAD_BYTES));
  }

  /** After 2^32 look-ups their numbers begin again. */
  #forgetLooks(): number {
    for (const rows of this.#rows) {
      for (let at = 0; at < rows.length; at += this.#stride) rows[at] = 0;
    }
    return 1;
  }
}

function writeKey(fields: DataView, at: number, keys: Uint32Array, i: number): void {
  for (let word = 0; word < 4; word++) fields.setUint32(at + 4 * word, keys[4 * i + word]!, true);
}

function isKey(fields: DataView, at: number, keys: Uint32Array, i: number): boolean {
  for (let word = 0; word < 4; word++) {
    if (fields.getUint32(at + 4 * word, true) !== keys[4 * i + word]!) return false;
  }
  return true;
}
