/**
 * Writes a segment: documents in their order, then the bands. A segment that is not in the manifest does not exist, so nothing here is
 * renamed; a kill leaves a folder that the next writer removes.
 */
import { closeSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, encodeBlock, sealBlock } from '../blocks/block.js';
import { strideOf } from '../sketch/signature.js';
import { type FileDoor, NODE_FILES } from '../store/fileDoor.js';
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
import type { PinnedParams, SegmentEntry } from './indexManifest.js';

/** Where a set of hashes is in a segment. */
export interface SetPlace {
  /** The first hash in `sets`, counted in hashes. */
  readonly setFrom: number;
  /** Distinct hashes. */
  readonly setCount: number;
  readonly setCrc: number;
}

/** A document as it is added. Arrays may be views that are used again after the call. */
export interface IndexedDocument {
  /** `strideOf(hashes)` slots. */
  readonly slots: Uint16Array;
  /** Key of each band. */
  readonly keys: Uint32Array;
  /** Four words each. */
  readonly contentKey: Uint32Array;
  readonly textKey: Uint32Array;
  /** Where its set is; see SegmentWriter.addSet. */
  readonly setPlace: SetPlace;
  /** Null: the location. */
  readonly id: Uint8Array | null;
  readonly location: Uint8Array;
  readonly portion: number;
  readonly textBytes: number;
  readonly tokens: number;
}

/** Bytes that are written in one call. */
const BUFFER = 1 << 18;

/** One file of a segment, written through a buffer. */
class SegmentOutput {
  length = 0;
  readonly #path: string;
  readonly #door: FileDoor;
  readonly #file: number;
  readonly #buffer = new Uint8Array(BUFFER);
  #filled = 0;
  #isOpen = true;

  constructor(path: string, door: FileDoor) {
    this.#path = path;
    this.#door = door;
    this.#file = guardWrite(path, () => door.open(path));
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
    guardWrite(this.#path, () => this.#door.sync(this.#file));
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
      for (let at = 0; at < bytes.length; ) at += this.#door.write(this.#file, bytes, at);
    });
  }
}

/** Sorted entries of a band, in parts: 64-bit numbers, the row in the low word and the key in the high one. */
export type BandEntries = (band: number) => Iterable<Uint32Array>;

export class SegmentWriter {
  readonly name: string;
  rows = 0;
  readonly #folder: string;
  readonly #path: string;
  readonly #params: PinnedParams;
  readonly #door: FileDoor;
  readonly #outputs: Readonly<Record<SegmentFile, SegmentOutput>>;
  readonly #row: Uint8Array;
  readonly #slots: Uint16Array;
  readonly #rowCrc: DataView;
  readonly #record = new Uint8Array(RECORD_BYTES);
  readonly #fields = new DataView(this.#record.buffer);

  /** @throws MinHashError WRITE_FAILED, DISK_FULL */
  constructor(folder: string, name: string, params: PinnedParams, door: FileDoor = NODE_FILES) {
    this.name = name;
    this.#folder = folder;
    this.#path = join(folder, name);
    this.#params = params;
    this.#door = door;
    guardWrite(this.#path, () => mkdirSync(this.#path, 0o755));
    const output = (file: SegmentFile): SegmentOutput => new SegmentOutput(join(this.#path, file), door);
    this.#outputs = {
      signatures: output('signatures'),
      bands: output('bands'),
      documents: output('documents'),
      names: output('names'),
      sets: output('sets'),
      pages: output('pages'),
    };
    this.#row = new Uint8Array(signatureRowBytes(params.sketch.hashes));
    this.#slots = new Uint16Array(this.#row.buffer, 0, strideOf(params.sketch.hashes));
    this.#rowCrc = new DataView(this.#row.buffer, this.#row.length - 4);
  }

  /**
   * Adds the set of a document, in any order of documents.
   *
   * @param set sorted distinct hashes, two words each
   * @throws MinHashError WRITE_FAILED, DISK_FULL
   */
  addSet(set: Uint32Array): SetPlace {
    const { sets } = this.#outputs;
    const bytes = new Uint8Array(set.buffer, set.byteOffset, set.byteLength);
    const place = { setFrom: sets.length / 8, setCount: set.length / 2, setCrc: checksumOf(bytes) };
    sets.append(bytes);
    return place;
  }

  /** Adds a document as the next row. @throws MinHashError WRITE_FAILED, DISK_FULL */
  add(document: Omit<IndexedDocument, 'keys'>): void {
    const { signatures, documents, names } = this.#outputs;
    const { hashes } = this.#params.sketch;
    const { slots, contentKey, textKey, setPlace, id, location } = document;
    this.#slots.set(slots);
    // What follows the slots of a signature is undefined.
    this.#slots.fill(0, hashes);
    this.#rowCrc.setUint32(0, checksumOf(this.#row.subarray(0, -4)), true);
    signatures.append(this.#row);
    const fields = this.#fields;
    for (let word = 0; word < 4; word++) {
      fields.setUint32(RECORD.contentKey + 4 * word, contentKey[word]!, true);
      fields.setUint32(RECORD.textKey + 4 * word, textKey[word]!, true);
    }
    fields.setFloat64(RECORD.setFrom, setPlace.setFrom, true);
    fields.setUint32(RECORD.setCount, setPlace.setCount, true);
    fields.setUint32(RECORD.setCrc, setPlace.setCrc, true);
    fields.setFloat64(RECORD.nameFrom, names.length, true);
    fields.setUint32(RECORD.idBytes, id?.length ?? 0, true);
    fields.setUint32(RECORD.locationBytes, location.length, true);
    fields.setUint32(RECORD.nameCrc, checksumOf(location, id === null ? 0 : checksumOf(id)), true);
    if (id !== null) names.append(id);
    names.append(location);
    fields.setUint32(RECORD.portion, document.portion, true);
    fields.setFloat64(RECORD.textBytes, document.textBytes, true);
    fields.setFloat64(RECORD.tokens, document.tokens, true);
    fields.setUint32(RECORD.crc, checksumOf(this.#record.subarray(0, RECORD.crc)), true);
    documents.append(this.#record);
    this.rows++;
  }

  /** Writes the bands and makes all files durable. @throws MinHashError WRITE_FAILED, DISK_FULL */
  finish(entriesOf: BandEntries): SegmentEntry {
    const { bands } = this.#params.banding;
    const pages = Math.ceil(this.rows / PAGE_ENTRIES);
    const last = new Uint32Array(bands * pages);
    const crcs = new Uint32Array(bands * pages);
    const page = new Uint32Array(2 * PAGE_ENTRIES);
    for (let band = 0, at = 0; band < bands; band++) {
      let filled = 0;
      const close = (): void => {
        const bytes = new Uint8Array(page.buffer, 0, 4 * filled);
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
    for (const name of SEGMENT_FILES) this.#outputs[name].finish();
    guardWrite(this.#path, () => this.#door.syncFolder(this.#path));
    guardWrite(this.#folder, () => this.#door.syncFolder(this.#folder));
    const bytes = Object.fromEntries(SEGMENT_FILES.map((name) => [name, this.#outputs[name].length]));
    return {
      ...{ name: this.name, rows: this.rows, removed: null, seen: null },
      bytes: bytes as Record<SegmentFile, number>,
    };
  }

  /** Removes what was written. */
  abandon(): void {
    for (const name of SEGMENT_FILES) quietly(() => this.#outputs[name].close());
    quietly(() => rmSync(this.#path, { recursive: true, force: true }));
  }
}

/** Sorts 64-bit numbers in place and drops repetitions; returns how many remain: a kernel's `sortUnique`, or sortUnique64. */
export type SortHashes = (hashes: Uint32Array, count: number) => number;

/** The entries of bands from the keys of their rows. @param keysOf writes the keys of a band, by row */
export function sortedEntries(
  rows: number,
  keysOf: (band: number, keys: Uint32Array) => void,
  sort: SortHashes,
): BandEntries {
  const keys = new Uint32Array(rows);
  const entries = new Uint32Array(2 * rows);
  return (band) => {
    keysOf(band, keys);
    for (let row = 0; row < rows; row++) {
      entries[2 * row] = row;
      entries[2 * row + 1] = keys[row]!;
    }
    sort(entries, rows);
    return [entries];
  };
}
