/**
 * Writes a segment: documents in their order, then the bands. A segment exists when it is in the manifest, so no file is renamed; after
 * a kill the next writer removes the folder.
 */
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ByteColumn } from '../arrays/growable.js';
import type { SortedSets, SortUnique } from '../arrays/sort.js';
import { bytesOf, encodeBlock, sealBlock } from '../blocks/block.js';
import { strideOf } from '../sketch/signature.js';
import { type FileSystem, readAt } from '../store/fileSystem.js';
import { guardWrite, quietly } from '../store/files.js';
import { checksumOf } from '../store/platformCrc.js';
import {
  ENTRY_BYTES,
  PAGE_ENTRIES,
  RECORD,
  RECORD_BYTES,
  SEGMENT_FILES,
  type SegmentFile,
  signatureRowBytes,
} from './format.js';
import type { IndexWriter } from './indexFolder.js';
import type { PinnedParams, SegmentEntry } from './indexManifest.js';
import type { Segment } from './segment.js';

/** A document to look up or to add. Arrays may be views that are reused after the call. */
export interface IndexedDocument {
  /** `strideOf(hashes)` slots. */
  readonly slots: Uint16Array;
  /** Key of each band. */
  readonly keys: Uint32Array;
  /** Four words each. */
  readonly contentKey: Uint32Array;
  readonly textKey: Uint32Array;
}

/** Columns of documents by position, and which of them to add. */
export interface SegmentRows {
  /** The positions of documents to add, ascending. */
  readonly positions: Uint32Array;
  /** `strideOf(hashes)` slots each. */
  readonly slots: Uint16Array;
  /** Band after band, the key of each position. */
  readonly keys: Uint32Array;
  /** Four words each. */
  readonly contentKey: Uint32Array;
  readonly textKey: Uint32Array;
  readonly textBytes: ArrayLike<number>;
  readonly tokens: ArrayLike<number>;
  /** The set by position, empty for documents that are not added; and the CRC-32 of each set. */
  readonly sets: SortedSets & { readonly crcs: Uint32Array };
  /** Appends the id and the location of a position; returns the bytes of the id, 0 if the location is the id. */
  readonly appendNames: (position: number, out: ByteColumn) => number;
  readonly portion: number;
}

/** Bytes per write. */
const BUFFER = 1 << 18;

/** One file of a segment, written through a buffer. */
class SegmentOutput {
  length = 0;
  readonly #path: string;
  readonly #system: FileSystem;
  readonly #file: number;
  readonly #buffer = new Uint8Array(BUFFER);
  #filled = 0;
  #isOpen = true;

  constructor(path: string, system: FileSystem) {
    this.#path = path;
    this.#system = system;
    this.#file = guardWrite(path, () => system.open(path));
  }

  append(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (this.#filled + bytes.length > BUFFER) this.#flush();
    if (bytes.length > BUFFER) this.#write(bytes);
    else {
      this.#buffer.set(bytes, this.#filled);
      this.#filled += bytes.length;
    }
  }

  finish(): void {
    this.#flush();
    guardWrite(this.#path, () => this.#system.sync(this.#file));
    this.close();
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #write(bytes: Uint8Array): void {
    guardWrite(this.#path, () => {
      for (let at = 0; at < bytes.length; ) at += this.#system.write(this.#file, bytes, at);
    });
  }
}

/** Sorted entries of a band, in parts: 64-bit numbers with the row in the low word and the key in the high word. */
export type BandEntries = (band: number) => Iterable<Uint32Array>;

/** Bytes of keys that are sorted at a time. */
const KEYS_AT_ONCE = 128 << 20;

export class SegmentWriter {
  readonly name: string;
  rows = 0;
  readonly #folder: string;
  readonly #path: string;
  readonly #params: PinnedParams;
  readonly #hasSets: boolean;
  readonly #system: FileSystem;
  readonly #outputs: Readonly<Record<SegmentFile, SegmentOutput>>;
  /** The keys of all rows, row after row, until the bands are written; null for merged segments. */
  #keys: SegmentOutput | null = null;
  readonly #names = new ByteColumn();
  /** Number of hashes in the sets. */
  #hashes = 0;

  /** @throws MinHashError WRITE_FAILED, DISK_FULL */
  constructor(writer: Pick<IndexWriter, 'folder' | 'system' | 'manifest' | 'take'>) {
    this.name = `segment-${writer.take()}`;
    this.#folder = writer.folder;
    this.#path = join(writer.folder, this.name);
    this.#params = writer.manifest.parameters;
    this.#hasSets = writer.manifest.sets;
    this.#system = writer.system;
    guardWrite(this.#path, () => mkdirSync(this.#path, 0o755));
    const output = (file: SegmentFile): SegmentOutput => this.#output(file);
    this.#outputs = {
      signatures: output('signatures'),
      bands: output('bands'),
      documents: output('documents'),
      names: output('names'),
      sets: output('sets'),
      pages: output('pages'),
    };
  }

  #output(file: string): SegmentOutput {
    return new SegmentOutput(join(this.#path, file), this.#system);
  }

  /** Adds documents as the next rows. @throws MinHashError WRITE_FAILED, DISK_FULL */
  append(rows: SegmentRows): void {
    const { positions, keys, sets } = rows;
    if (positions.length === 0) return;
    this.#appendSignatures(rows);
    this.#appendRecords(rows);
    if (this.#hasSets) this.#outputs.sets.append(bytesOfWords(sets.hashes));
    this.#keys ??= this.#output('keys');
    const { bands } = this.#params.banding;
    const all = keys.length / bands;
    const own = new Uint32Array(bands * positions.length);
    for (let i = 0, at = 0; i < positions.length; i++)
      for (let band = 0; band < bands; band++) own[at++] = keys[band * all + positions[i]!]!;
    this.#keys.append(bytesOfWords(own));
    this.rows += positions.length;
  }

  #appendSignatures({ positions, slots }: SegmentRows): void {
    const { hashes } = this.#params.sketch;
    const stride = strideOf(hashes);
    const each = signatureRowBytes(hashes);
    const bytes = new Uint8Array(each * positions.length);
    const wide = new Uint16Array(bytes.buffer);
    const fields = new DataView(bytes.buffer);
    for (let i = 0, at = 0; i < positions.length; i++, at += each) {
      const from = stride * positions[i]!;
      // Padding slots are undefined, so they are not copied.
      wide.set(slots.subarray(from, from + hashes), at / 2);
      const crc = checksumOf(bytes.subarray(at, at + each - 4));
      fields.setUint32(at + each - 4, crc, true);
    }
    this.#outputs.signatures.append(bytes);
  }

  #appendRecords(rows: SegmentRows): void {
    const { positions, contentKey, textKey, textBytes, tokens, sets, portion } = rows;
    const { documents, names } = this.#outputs;
    const bytes = new Uint8Array(RECORD_BYTES * positions.length);
    const fields = new DataView(bytes.buffer);
    this.#names.truncate(0);
    for (let i = 0, at = 0; i < positions.length; i++, at += RECORD_BYTES) {
      const position = positions[i]!;
      for (let word = 0; word < 4; word++) {
        fields.setUint32(at + RECORD.contentKey + 4 * word, contentKey[4 * position + word]!, true);
        fields.setUint32(at + RECORD.textKey + 4 * word, textKey[4 * position + word]!, true);
      }
      fields.setFloat64(at + RECORD.setFrom, this.#hashes, true);
      fields.setUint32(at + RECORD.setCount, sets.counts[position]!, true);
      fields.setUint32(at + RECORD.setCrc, sets.crcs[position]!, true);
      if (this.#hasSets) this.#hashes += sets.counts[position]!;
      const from = this.#names.length;
      const idBytes = rows.appendNames(position, this.#names);
      const name = this.#names.view.subarray(from);
      fields.setFloat64(at + RECORD.nameFrom, names.length + from, true);
      fields.setUint32(at + RECORD.idBytes, idBytes, true);
      fields.setUint32(at + RECORD.locationBytes, name.length - idBytes, true);
      fields.setUint32(at + RECORD.nameCrc, checksumOf(name), true);
      fields.setUint32(at + RECORD.portion, portion, true);
      fields.setFloat64(at + RECORD.textBytes, textBytes[position]!, true);
      fields.setFloat64(at + RECORD.tokens, tokens[position]!, true);
      sealRecord(bytes, fields, at);
    }
    names.append(this.#names.view);
    documents.append(bytes);
  }

  /** Copies rows [from, to) of a segment, none of which is removed. @throws MinHashError WRITE_FAILED, DISK_FULL, INDEX_DAMAGED */
  copy(segment: Segment, from: number, to: number): void {
    const { signatures, documents, names, sets } = this.#outputs;
    const each = signatureRowBytes(this.#params.sketch.hashes);
    for (const piece of segment.pieces('signatures', each * from, each * to)) signatures.append(piece);
    const [first, end] = [segment.record(from), segment.endOf(to)];
    const [setShift, nameShift] = [this.#hashes - first.setFrom, names.length - first.nameFrom];
    for (const piece of segment.pieces('documents', RECORD_BYTES * from, RECORD_BYTES * to)) {
      const fields = new DataView(piece.buffer, piece.byteOffset, piece.length);
      for (let at = 0; at < piece.length; at += RECORD_BYTES) {
        segment.checkRecord(piece, at);
        const place = RECORD.setFrom + at;
        fields.setFloat64(place, fields.getFloat64(place, true) + setShift, true);
        const name = RECORD.nameFrom + at;
        fields.setFloat64(name, fields.getFloat64(name, true) + nameShift, true);
        sealRecord(piece, fields, at);
      }
      documents.append(piece);
    }
    for (const piece of segment.pieces('names', first.nameFrom, end.nameFrom)) names.append(piece);
    for (const piece of segment.pieces('sets', 8 * first.setFrom, 8 * end.setFrom)) sets.append(piece);
    this.#hashes += end.setFrom - first.setFrom;
    this.rows += to - from;
  }

  /** Sorts the bands, and syncs all files. @throws MinHashError WRITE_FAILED, DISK_FULL */
  finish(sort: SortUnique): SegmentEntry {
    const keys = this.#keys;
    if (keys === null) throw new Error('a segment without documents');
    keys.finish();
    const { rows } = this;
    const { bands } = this.#params.banding;
    const path = join(this.#path, 'keys');
    const file = openSync(path, 'r');
    const held = Math.max(1, Math.min(bands, Math.floor(KEYS_AT_ONCE / (4 * rows))));
    const columns = Array.from({ length: held }, () => new Uint32Array(rows));
    const entries = new Uint32Array(2 * rows);
    try {
      return this.finishBands((band) => {
        if (band % held === 0) readKeys(file, columns, band, bands);
        const column = columns[band % held]!;
        for (let row = 0; row < rows; row++) {
          entries[2 * row] = row;
          entries[2 * row + 1] = column[row]!;
        }
        sort(entries, rows);
        return [entries];
      });
    } finally {
      closeSync(file);
    }
  }

  /** Writes the bands, and syncs all files. @throws MinHashError WRITE_FAILED, DISK_FULL */
  finishBands(entriesOf: BandEntries): SegmentEntry {
    const { bands } = this.#params.banding;
    const pages = Math.ceil(this.rows / PAGE_ENTRIES);
    const last = new Uint32Array(bands * pages);
    const crcs = new Uint32Array(bands * pages);
    const page = new Uint32Array(2 * PAGE_ENTRIES);
    for (let band = 0, at = 0; band < bands; band++) {
      let filled = 0;
      const close = (): void => {
        const bytes = bytesOfWords(page.subarray(0, filled));
        last[at] = page[filled - 1]!;
        crcs[at++] = checksumOf(bytes);
        this.#outputs.bands.append(bytes);
        filled = 0;
      };
      for (const entries of entriesOf(band)) {
        for (let from = 0; from < entries.length; ) {
          const some = Math.min(page.length - filled, entries.length - from);
          page.set(entries.subarray(from, from + some), filled);
          filled += some;
          from += some;
          if (filled === page.length) close();
        }
      }
      if (filled > 0) close();
    }
    const block = encodeBlock('segment', { rows: this.rows }, { last, crcs });
    sealBlock(block, checksumOf);
    this.#outputs.pages.append(new Uint8Array(block.buffer, 0, bytesOf(block)));
    if (this.#outputs.bands.length !== ENTRY_BYTES * this.rows * bands)
      throw new Error('a band has another number of entries than the segment has rows');
    if (this.#keys !== null) this.#system.remove(join(this.#path, 'keys'));
    for (const name of SEGMENT_FILES) this.#outputs[name].finish();
    guardWrite(this.#path, () => this.#system.syncFolder(this.#path));
    guardWrite(this.#folder, () => this.#system.syncFolder(this.#folder));
    const bytes = Object.fromEntries(SEGMENT_FILES.map((name) => [name, this.#outputs[name].length]));
    return {
      ...{ name: this.name, rows: this.rows, removed: null, seen: null },
      bytes: bytes as Record<SegmentFile, number>,
    };
  }

  /** Removes what was written. */
  abandon(): void {
    for (const output of [...Object.values(this.#outputs), this.#keys]) quietly(() => output?.close());
    quietly(() => rmSync(this.#path, { recursive: true, force: true }));
  }
}

function bytesOfWords(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

function sealRecord(bytes: Uint8Array, fields: DataView, at: number): void {
  fields.setUint32(at + RECORD.crc, checksumOf(bytes.subarray(at, at + RECORD.crc)), true);
}

/** Rows of keys per read. */
const ROWS_AT_ONCE = 1 << 14;

/** Reads the keys of bands [from, from + columns.length) of all rows. */
function readKeys(file: number, columns: readonly Uint32Array[], from: number, bands: number): void {
  const rows = columns[0]!.length;
  const some = new Uint32Array(bands * Math.min(rows, ROWS_AT_ONCE));
  const held = Math.min(columns.length, bands - from);
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - first);
    readAt(file, bytesOfWords(some.subarray(0, bands * count)), 4 * bands * first);
    for (let i = 0; i < count; i++)
      for (let band = 0; band < held; band++) columns[band]![first + i] = some[bands * i + from + band]!;
  }
}
