/**
 * Reads a segment by position: a page of a band, a signature, a record, a name, a set. Every read is checked, so damaged bytes are
 * reported with their file and never used. Memory: the last key and the checksum of each page, and a bit per row if rows are removed.
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Float64Column } from '../arrays/growable.js';
import { checkBlock, typedColumns } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { strideOf } from '../sketch/signature.js';
import { intersectionSize, resemblanceOf } from '../sketch/similarity.js';
import { readAt } from '../store/fileSystem.js';
import { plainCauseOf, systemCodeOf } from '../store/files.js';
import { checksumOf } from '../store/platformCrc.js';
import {
  damaged,
  ENTRY_BYTES,
  PAGE_ENTRIES,
  RECORD,
  RECORD_BYTES,
  SEGMENT_FILES,
  type SegmentFile,
  signatureRowBytes,
} from './format.js';
import type { PinnedParams, SegmentEntry } from './indexManifest.js';
import type { PendingSets } from './pendingSets.js';

/** The record of a document. */
export interface DocumentRecord {
  /** Four words each. */
  readonly contentKey: Uint32Array;
  readonly textKey: Uint32Array;
  readonly setFrom: number;
  readonly setCount: number;
  readonly setCrc: number;
  readonly nameFrom: number;
  readonly idBytes: number;
  readonly locationBytes: number;
  readonly nameCrc: number;
  readonly portion: number;
  readonly textBytes: number;
  readonly tokens: number;
}

export interface DocumentNames {
  /** Null: the location is the id. */
  readonly id: Uint8Array | null;
  readonly location: Uint8Array;
}

/** The similarity of documents of which one has no set: below every threshold. */
const NOT_KNOWN = -1;
/** Pages per read if many are needed. */
const PAGES_AT_ONCE = 64;
/** Bytes per read of a file. */
const PIECE = 1 << 20;

/** Four words each. */
type Keys = Pick<DocumentRecord, 'contentKey' | 'textKey'>;

/** Called with a row of a bucket; false: skip the rest of the bucket. */
type RowVisit = (row: number) => boolean;

/** A file is missing, because a writer may have merged the segment after the manifest was read. */
export class SegmentGone extends Error {}

export class Segment {
  readonly entry: SegmentEntry;
  /** Number of its first row in the index. */
  readonly first: number;
  /** One bit per row, 1: removed. Null: no row is removed. */
  readonly removed: Uint8Array | null;
  readonly #folder: string;
  readonly #params: PinnedParams;
  readonly #pending: PendingSets<Segment> | null;
  readonly #files: Readonly<Record<SegmentFile, number>>;
  readonly #lastKeys: Uint32Array;
  readonly #crcs: Uint32Array;
  readonly #page = new Uint32Array(2 * PAGE_ENTRIES);
  /** The page that `#page` holds; -1: none. */
  #held = -1;
  /** By page, 1 if this process has checked its checksum. */
  readonly #isChecked: Uint8Array;
  /** The last record; row -1: none. */
  #last: { readonly row: number; readonly record: DocumentRecord | null } = { row: -1, record: null };
  readonly #row: Uint8Array;
  readonly #slots: Uint16Array;
  readonly #rowCrc: DataView;
  readonly #record = new Uint8Array(RECORD_BYTES);
  readonly #fields = new DataView(this.#record.buffer);

  /**
   * @param pending the sets, if the segment has none
   * @throws MinHashError INDEX_DAMAGED naming the file; SegmentGone
   */
  constructor(
    folder: string,
    entry: SegmentEntry,
    first: number,
    params: PinnedParams,
    removed: Uint8Array | null,
    pending: PendingSets<Segment> | null = null,
  ) {
    this.entry = entry;
    this.first = first;
    this.removed = removed;
    this.#folder = join(folder, entry.name);
    this.#params = params;
    this.#pending = pending;
    const files: Partial<Record<SegmentFile, number>> = {};
    try {
      for (const name of SEGMENT_FILES) files[name] = this.#open(name);
      this.#files = files as Readonly<Record<SegmentFile, number>>;
      const { last, crcs } = this.#readPages();
      this.#lastKeys = last;
      this.#crcs = crcs;
      this.#isChecked = new Uint8Array(crcs.length);
    } catch (error) {
      for (const file of Object.values(files)) closeSync(file);
      throw error;
    }
    this.#row = new Uint8Array(signatureRowBytes(params.sketch.hashes));
    this.#slots = new Uint16Array(this.#row.buffer, 0, strideOf(params.sketch.hashes));
    this.#rowCrc = new DataView(this.#row.buffer, this.#row.length - 4);
  }

  get rows(): number {
    return this.entry.rows;
  }

  close(): void {
    for (const name of SEGMENT_FILES) closeSync(this.#files[name]);
  }

  isRemoved(row: number): boolean {
    return this.removed !== null && (this.removed[row >>> 3]! & (1 << (row & 7))) !== 0;
  }

  /** Visits the rows of a bucket, ascending, without removed ones. */
  visit(band: number, key: number, visit: RowVisit): void {
    const pages = Math.ceil(this.rows / PAGE_ENTRIES);
    for (let page = this.#pageOf(band * pages, pages, key); page < pages; page++) {
      const { entries, count } = this.#pageAt(band, page);
      let at = firstAt(entries, count, key);
      for (; at < count && entries[2 * at + 1] === key; at++) {
        const row = entries[2 * at]!;
        if (!this.isRemoved(row) && !visit(row)) return;
        // `visit` may have read another page.
        if (this.#held !== band * pages + page) this.#pageAt(band, page);
      }
      if (at < count) return;
    }
  }

  members(keys: Uint32Array, bands: number, left: Int32Array, out: Float64Column): void {
    for (let band = 0; band < bands; band++) {
      if (left[band]! < 0) continue;
      this.visit(band, keys[band]!, (row) => {
        if (--left[band]! < 0) return false;
        out.push(this.first + row);
        return true;
      });
    }
  }

  /** The entries of a page, valid until the next call: row in the low word, key in the high one. */
  page(band: number, page: number): Uint32Array {
    const { entries, count } = this.#pageAt(band, page);
    return entries.subarray(0, 2 * count);
  }

  /** All entries of a band: rows in even words, keys in odd ones. */
  band(band: number): Uint32Array {
    const pages = Math.ceil(this.rows / PAGE_ENTRIES);
    const entries = new Uint32Array(2 * this.rows);
    for (let page = 0; page < pages; page += PAGES_AT_ONCE)
      this.#readEntries(band, page, entries.subarray(2 * PAGE_ENTRIES * page));
    return entries;
  }

  /** Visits the rows of many buckets, by the position of their key: buckets and rows ascending, without removed ones. */
  visitAll(band: number, keys: Uint32Array, visit: (i: number, row: number) => void): void {
    const pages = Math.ceil(this.rows / PAGE_ENTRIES);
    const room = new Uint32Array(2 * PAGE_ENTRIES * PAGES_AT_ONCE);
    for (let page = 0, i = 0; ; page += PAGES_AT_ONCE) {
      if (page < pages && i < keys.length && this.#lastKeys[band * pages + page]! < keys[i]!)
        page = this.#pageOf(band * pages, pages, keys[i]!);
      if (page >= pages || i === keys.length) return;
      const end = this.#readEntries(band, page, room);
      for (let at = 0; at < end; at += 2) {
        const key = room[at + 1]!;
        while (i < keys.length && keys[i]! < key) i++;
        if (i === keys.length) return;
        if (keys[i] === key && !this.isRemoved(room[at]!)) visit(i, room[at]!);
      }
    }
  }

  /** Reads up to PAGES_AT_ONCE pages; returns the words that were filled. */
  #readEntries(band: number, page: number, into: Uint32Array): number {
    const pages = Math.ceil(this.rows / PAGE_ENTRIES);
    const from = page * PAGE_ENTRIES;
    const count = Math.min(PAGE_ENTRIES * PAGES_AT_ONCE, this.rows - from);
    const bytes = new Uint8Array(into.buffer, into.byteOffset, ENTRY_BYTES * count);
    this.#read('bands', bytes, ENTRY_BYTES * (band * this.rows + from));
    for (let at = 0; at < bytes.length; at += ENTRY_BYTES * PAGE_ENTRIES, page++)
      this.#checkPage(band, page, band * pages + page, bytes.subarray(at, at + ENTRY_BYTES * PAGE_ENTRIES));
    return 2 * count;
  }

  #checkPage(band: number, page: number, number: number, bytes: Uint8Array): void {
    if (this.#isChecked[number] === 0 && checksumOf(bytes) !== this.#crcs[number])
      throw this.#damaged('bands', `band ${band}, page ${page}`);
    this.#isChecked[number] = 1;
  }

  /** The signature of a row, valid until the next call. */
  signature(row: number): Uint16Array {
    this.#read('signatures', this.#row, row * this.#row.length);
    if (checksumOf(this.#row.subarray(0, -4)) !== this.#rowCrc.getUint32(0, true))
      throw this.#damaged('signatures', `row ${row}`);
    return this.#slots;
  }

  record(row: number): DocumentRecord {
    if (this.#last.row === row) return this.#last.record!;
    const record = this.#readRecord(row);
    this.#last = { row, record };
    return record;
  }

  sameness(row: number, { contentKey, textKey }: Keys): 'identical' | 'same-tokens' | null {
    const record = this.record(row);
    if (!areEqual(record.contentKey, contentKey)) return null;
    return areEqual(record.textKey, textKey) ? 'identical' : 'same-tokens';
  }

  resemblance(row: number, document: { readonly set: () => Uint32Array | null }): number {
    // Both are wanted, if they are to be read.
    const [own, set] = [this.setOf(row), document.set()];
    if (own === null || set === null) return NOT_KNOWN;
    const [size, other] = [own.length / 2, set.length / 2];
    return resemblanceOf(intersectionSize(own, 0, size, set, 0, other), size, other);
  }

  #readRecord(row: number): DocumentRecord {
    this.#read('documents', this.#record, row * RECORD_BYTES);
    this.checkRecord(this.#record, 0);
    const fields = this.#fields;
    const u32 = (at: number): number => fields.getUint32(at, true);
    return {
      contentKey: Uint32Array.of(...[0, 4, 8, 12].map((at) => u32(RECORD.contentKey + at))),
      textKey: Uint32Array.of(...[0, 4, 8, 12].map((at) => u32(RECORD.textKey + at))),
      setFrom: fields.getFloat64(RECORD.setFrom, true),
      setCount: u32(RECORD.setCount),
      setCrc: u32(RECORD.setCrc),
      nameFrom: fields.getFloat64(RECORD.nameFrom, true),
      idBytes: u32(RECORD.idBytes),
      locationBytes: u32(RECORD.locationBytes),
      nameCrc: u32(RECORD.nameCrc),
      portion: u32(RECORD.portion),
      textBytes: fields.getFloat64(RECORD.textBytes, true),
      tokens: fields.getFloat64(RECORD.tokens, true),
    };
  }

  /** Checks the record at a position of `bytes`. @throws MinHashError INDEX_DAMAGED */
  checkRecord(bytes: Uint8Array, at: number): void {
    const fields = new DataView(bytes.buffer, bytes.byteOffset + at, RECORD_BYTES);
    if (checksumOf(bytes.subarray(at, at + RECORD.crc)) !== fields.getUint32(RECORD.crc, true))
      throw this.#damaged('documents', 'a record');
  }

  /** The end of the sets and names of the rows before a row. */
  endOf(row: number): Pick<DocumentRecord, 'setFrom' | 'nameFrom'> {
    if (row < this.rows) return this.record(row);
    const { sets, names } = this.entry.bytes;
    return { setFrom: sets / 8, nameFrom: names };
  }

  /** Bytes [from, to) of a file, in pieces of whole records, each valid until the next. @throws MinHashError INDEX_DAMAGED */
  *pieces(name: SegmentFile, from: number, to: number): Generator<Uint8Array> {
    const most = RECORD_BYTES * Math.ceil(PIECE / RECORD_BYTES);
    const room = new Uint8Array(Math.min(most, to - from));
    for (let at = from; at < to; at += most) {
      const piece = room.subarray(0, Math.min(most, to - at));
      this.#read(name, piece, at);
      yield piece;
    }
  }

  names({ nameFrom, idBytes, locationBytes, nameCrc }: DocumentRecord): DocumentNames {
    const bytes = new Uint8Array(idBytes + locationBytes);
    this.#read('names', bytes, nameFrom);
    if (checksumOf(bytes) !== nameCrc) throw this.#damaged('names', `byte ${nameFrom}`);
    return { id: idBytes === 0 ? null : bytes.subarray(0, idBytes), location: bytes.subarray(idBytes) };
  }

  /** The sorted hashes of a document, two words each; null: its source has to be read, or is gone. */
  setOf(row: number): Uint32Array | null {
    return this.#pending === null ? this.set(this.record(row)) : this.#pending.setOf(this, row);
  }

  /** The sorted hashes of a document, from the segment. */
  set({ setFrom, setCount, setCrc }: DocumentRecord): Uint32Array {
    const hashes = new Uint32Array(2 * setCount);
    const bytes = new Uint8Array(hashes.buffer);
    this.#read('sets', bytes, 8 * setFrom);
    if (checksumOf(bytes) !== setCrc) throw this.#damaged('sets', `hash ${setFrom}`);
    return hashes;
  }

  /** The first page of a band whose last key is at least `key`; `pages` if there is none. */
  #pageOf(base: number, pages: number, key: number): number {
    let low = 0;
    let high = pages;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#lastKeys[base + middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #pageAt(band: number, page: number): { readonly entries: Uint32Array; readonly count: number } {
    const pages = Math.ceil(this.rows / PAGE_ENTRIES);
    const number = band * pages + page;
    const count = Math.min(PAGE_ENTRIES, this.rows - page * PAGE_ENTRIES);
    if (this.#held !== number) {
      this.#held = -1;
      const bytes = new Uint8Array(this.#page.buffer, 0, ENTRY_BYTES * count);
      this.#read('bands', bytes, ENTRY_BYTES * (band * this.rows + page * PAGE_ENTRIES));
      this.#checkPage(band, page, number, bytes);
      this.#held = number;
    }
    return { entries: this.#page, count };
  }

  #open(name: SegmentFile): number {
    const path = join(this.#folder, name);
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === 'ENOENT') throw new SegmentGone(`${path}: the file is missing`, { cause: error });
      if (code === null) throw error;
      throw new MinHashError(
        { code: 'INDEX_DAMAGED', detail: `${path}: ${plainCauseOf(code)}` },
        { cause: error },
      );
    }
    const { size } = fstatSync(file);
    if (size === this.entry.bytes[name]) return file;
    closeSync(file);
    throw damaged(`${path}: ${this.entry.bytes[name]} bytes are in the manifest, ${size} in the file`);
  }

  #readPages(): { readonly last: Uint32Array; readonly crcs: Uint32Array } {
    const path = join(this.#folder, 'pages');
    const buffer = new ArrayBuffer(this.entry.bytes.pages);
    this.#read('pages', new Uint8Array(buffer), 0);
    const pages = Math.ceil(this.rows / PAGE_ENTRIES) * this.#params.banding.bands;
    try {
      const { last, crcs } = typedColumns(checkBlock(buffer, 'segment', path, checksumOf), {
        last: 'u32',
        crcs: 'u32',
      });
      if (last.length === pages && crcs.length === pages) return { last, crcs };
    } catch (cause) {
      throw new MinHashError({ code: 'INDEX_DAMAGED', detail: `${path}: its checksum differs` }, { cause });
    }
    throw damaged(`${path}: pages of another segment`);
  }

  #read(name: SegmentFile, into: Uint8Array, from: number): void {
    try {
      if (readAt(this.#files[name], into, from) === into.length) return;
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === null) throw error;
      const detail = `${join(this.#folder, name)}: ${plainCauseOf(code)}`;
      throw new MinHashError({ code: 'INDEX_DAMAGED', detail }, { cause: error });
    }
    throw this.#damaged(name, `byte ${from}`);
  }

  #damaged(name: SegmentFile, where: string): MinHashError {
    return damaged(`${join(this.#folder, name)}: the checksum of ${where} differs`);
  }
}

/** The first of `count` entries whose key is at least `key`. */
function firstAt(entries: Uint32Array, count: number, key: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[2 * middle + 1]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  return a[0] === b[0] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3];
}
