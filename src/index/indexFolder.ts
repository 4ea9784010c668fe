/**
 * An index folder, opened by any number of readers and by one writer at a time.
 *
 * A writer adds files and then replaces the manifest, so a reader sees the index before or after a change. Files that are not in the
 * manifest belong to a killed writer; the next writer removes them.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bytesOf, checkBlock, encodeBlock, sealBlock, typedColumns } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { FolderLock, takeFolder } from '../result/folder.js';
import { type FileSystem, NODE_FILES } from '../store/fileSystem.js';
import { guardWrite, quietly, writeFileAtomic } from '../store/files.js';
import { checksumOf } from '../store/platformCrc.js';
import { damaged, INDEX_ABOUT, INDEX_MANIFEST } from './format.js';
import {
  type IndexManifest,
  newManifest,
  type PinnedParams,
  type PortionEntry,
  readIndexManifest,
  type SegmentEntry,
  type SideFile,
  writeIndexManifest,
} from './indexManifest.js';
import { PendingSets } from './pendingSets.js';
import { Segment, SegmentGone } from './segment.js';

/** An index at the time of one manifest. Later changes are not visible until it is opened again. */
export interface OpenedIndex {
  readonly folder: string;
  readonly manifest: IndexManifest;
  /** In the order of adding. */
  readonly segments: readonly Segment[];
  /** Number of documents, without removed ones. */
  readonly documents: number;
  /** Null: segments have their sets. */
  readonly pending: PendingSets<Segment> | null;
  portion(number: number): PortionEntry;
  close(): void;
}

/**
 * Opens the index in a folder for reading.
 *
 * @throws MinHashError INDEX_MISSING, INDEX_DAMAGED naming the file, INDEX_MISMATCH
 */
export function openedIndex(folder: string): OpenedIndex {
  let manifest = readIndexManifest(folder);
  for (;;) {
    try {
      return withSegments(folder, manifest);
    } catch (error) {
      if (!(error instanceof SegmentGone)) throw error;
      // A writer may have merged the segment between the two reads.
      const now = readIndexManifest(folder);
      if (JSON.stringify(now) === JSON.stringify(manifest))
        throw new MinHashError({ code: 'INDEX_DAMAGED', detail: error.message }, { cause: error });
      manifest = now;
    }
  }
}

function withSegments(folder: string, manifest: IndexManifest): OpenedIndex {
  const segments: Segment[] = [];
  const pending = manifest.sets ? null : new PendingSets<Segment>();
  const portions = new Map(manifest.portions.map((portion) => [portion.number, portion]));
  const close = (): void => {
    for (const segment of segments) segment.close();
  };
  try {
    let first = 0;
    for (const entry of manifest.segments) {
      const removed = entry.removed === null ? null : readRemoved(folder, entry.removed, entry.rows);
      segments.push(new Segment(folder, entry, first, manifest.parameters, removed, pending));
      first += entry.rows;
    }
  } catch (error) {
    close();
    throw error;
  }
  return {
    ...{ folder, manifest, segments, pending, close },
    documents: documentsOf(manifest),
    portion(number) {
      const portion = portions.get(number);
      if (portion === undefined)
        throw damaged(`${folder}: a document of portion ${number}, which is not there`);
      return portion;
    },
  };
}

/** Number of documents, without removed ones. */
export function documentsOf({ segments }: IndexManifest): number {
  return segments.reduce((sum, { rows, removed }) => sum + rows - (removed?.count ?? 0), 0);
}

/** @throws MinHashError INDEX_DAMAGED; SegmentGone */
function readSide(folder: string, { file }: SideFile): ArrayBuffer {
  const path = join(folder, file);
  if (!existsSync(path)) throw new SegmentGone(`${path}: the file is missing`);
  const bytes = readFileSync(path);
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

function sideColumn<const Type extends 'u8' | 'u16'>(
  folder: string,
  side: SideFile,
  type: Type,
  length: number,
) {
  const path = join(folder, side.file);
  const buffer = readSide(folder, side);
  let values: Uint8Array | Uint16Array;
  try {
    ({ values } = typedColumns(checkBlock(buffer, 'segment', path, checksumOf), { values: type }));
  } catch (cause) {
    throw new MinHashError({ code: 'INDEX_DAMAGED', detail: `${path}: its checksum differs` }, { cause });
  }
  if (values.length !== length) throw damaged(`${path}: rows of another segment`);
  return values;
}

function readRemoved(folder: string, side: SideFile, rows: number): Uint8Array {
  return Uint8Array.from(sideColumn(folder, side, 'u8', Math.ceil(rows / 8)));
}

/** By row, the day on which it was last seen; 0: when its portion was added. */
export function readSeen(folder: string, { seen, rows }: SegmentEntry): Uint16Array {
  return seen === null ? new Uint16Array(rows) : Uint16Array.from(sideColumn(folder, seen, 'u16', rows));
}

const ABOUT = `This folder is an index of mr-minhash, which finds near-duplicates.
mr-minhash index stats FOLDER   says what is in it
mr-minhash index check FOLDER   checks every byte
`;

/**
 * Creates an empty index. The folder must be empty or not exist.
 *
 * @throws MinHashError INDEX_REFUSED, WRITE_FAILED, DISK_FULL
 */
export function makeIndex(folder: string, parameters: PinnedParams, sets: boolean): void {
  const path = resolve(folder);
  const there = guardWrite(folder, () => statSync(path, { throwIfNoEntry: false }));
  if (there !== undefined && !(there.isDirectory() && readdirSync(path).length === 0)) {
    const detail = `${folder}: expected a new or an empty folder`;
    throw new MinHashError({ code: 'INDEX_REFUSED', detail });
  }
  const taken = lockedBy(() => takeFolder(folder, { force: false, whyForeign: () => 'is not empty' }));
  try {
    writeFileAtomic(taken.path, INDEX_ABOUT, [Buffer.from(ABOUT)]);
    writeIndexManifest(taken.path, newManifest(parameters, sets));
    taken.finish();
  } finally {
    taken.release(false);
  }
}

/** The writer of an index. */
export class IndexWriter {
  readonly folder: string;
  readonly system: FileSystem;
  #manifest: IndexManifest;
  #next: number;
  readonly #lock: FolderLock;

  /** @throws MinHashError INDEX_MISSING, INDEX_DAMAGED, INDEX_MISMATCH, INDEX_LOCKED (with the process), WRITE_FAILED */
  constructor(folder: string, system: FileSystem = NODE_FILES) {
    this.folder = folder;
    this.system = system;
    readIndexManifest(folder);
    this.#lock = lockedBy(() => new FolderLock(folder, false));
    try {
      this.#manifest = readIndexManifest(folder);
      this.#next = this.#manifest.next;
      this.#removeUnnamed();
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  get manifest(): IndexManifest {
    return this.#manifest;
  }

  /** An unused number for a segment, portion or side file. */
  take(): number {
    return this.#next++;
  }

  /** The entry of a segment with new removed rows. @throws MinHashError WRITE_FAILED, DISK_FULL */
  withRemoved(entry: SegmentEntry, removed: Uint8Array): SegmentEntry {
    let count = 0;
    for (let row = 0; row < entry.rows; row++) if ((removed[row >>> 3]! & (1 << (row & 7))) !== 0) count++;
    return { ...entry, removed: count === 0 ? null : { file: this.#side('removed', removed), count } };
  }

  /** The entry of a segment with new days on which rows were seen. @throws MinHashError WRITE_FAILED, DISK_FULL */
  withSeen(entry: SegmentEntry, days: Uint16Array): SegmentEntry {
    let count = 0;
    for (const day of days) if (day !== 0) count++;
    return { ...entry, seen: count === 0 ? null : { file: this.#side('seen', days), count } };
  }

  #side(kind: 'removed' | 'seen', values: Uint8Array | Uint16Array): string {
    const name = `${kind}-${this.take()}`;
    const block = encodeBlock('segment', {}, { values });
    sealBlock(block, checksumOf);
    const bytes = new Uint8Array(block.buffer, 0, bytesOf(block));
    writeFileAtomic('', join(this.folder, name), [bytes], this.system);
    return name;
  }

  /**
   * Replaces the portions and segments of the index, and removes unused files.
   *
   * @throws MinHashError WRITE_FAILED, DISK_FULL (the index is unchanged); INDEX_LOCKED if another process has taken the lock
   */
  commit(change: Pick<IndexManifest, 'portions' | 'segments'>): void {
    if (!this.#lock.isOurs)
      throw new MinHashError({ code: 'INDEX_LOCKED', detail: `${this.folder}: its lock was taken` });
    const manifest = { ...this.#manifest, ...change, next: this.#next };
    writeIndexManifest(this.folder, manifest, this.system);
    this.#manifest = manifest;
    this.#removeUnnamed();
  }

  /** Ends writing; uncommitted files are removed. */
  close(): void {
    this.#removeUnnamed();
    this.#lock.release();
  }

  #removeUnnamed(): void {
    const named = new Set<string>();
    for (const { name, removed, seen } of this.#manifest.segments) {
      for (const file of [name, removed?.file, seen?.file]) if (file !== undefined) named.add(file);
    }
    quietly(() => {
      for (const name of readdirSync(this.folder)) {
        const isOurs =
          /^(segment|removed|seen)-\d+(\.tmp|\.work)?$/.test(name) || name === `${INDEX_MANIFEST}.tmp`;
        if (isOurs && !named.has(name)) this.system.removeFolder(join(this.folder, name));
      }
    });
  }
}

/** Takes a lock. @throws MinHashError INDEX_LOCKED instead of OUTPUT_LOCKED: an index has no --force */
function lockedBy<T>(take: () => T): T {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof MinHashError) || error.code !== 'OUTPUT_LOCKED') throw error;
    const detail = error.problems[0]!.detail.replace(', or use --force', '');
    throw new MinHashError({ code: 'INDEX_LOCKED', detail }, { cause: error });
  }
}
