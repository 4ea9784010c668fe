/**
 * Whether a file system has room for what is about to be written: what is free is looked at as files grow, so
 * that a run ends before the disk is full, and can still leave its marks and be taken up again.
 *
 *      free now                          |<------------------------------------------------------>|
 *      on their way, not written yet     |------|
 *      about to be written                      |---|
 *      surely written later, beyond what is given back until then   |-----------|
 *      for marks and lock                                                       |-----------------|
 *
 * Where the system does not tell what is free, everything is tried.
 */

import type { IdTable } from '../blocks/ids.js';
import { MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';

/** For lock and marker of the next attempt, of a page each; manifest and statistics, which come last, are no less. */
export const LAST_BYTES = 6144;

/** What is free is looked at after so many bytes at the latest; others write there too. */
const MOST_BETWEEN = 16e6;
/** And after this share of what is left, so that a file system that fills up is looked at more often. */
const SHARE_BETWEEN = 1 / 8;

/** `12.3 MB`; with another unit where that would say nothing. */
export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e5 ? `${(bytes / 1e6).toFixed(1)} MB` : `${bytes} bytes`;
}

/** Two sizes that differ, so that the texts do: in bytes where rounded they would not. */
function sizeTexts(a: number, b: number): [string, string] {
  const texts: [string, string] = [sizeText(a), sizeText(b)];
  return texts[0] === texts[1] ? [`${a} bytes`, `${b} bytes`] : texts;
}

export class DiskRoom {
  /** A folder there. */
  readonly place: string;
  private readonly door: FileDoor;
  /** Surely written later. */
  private ahead = 0;
  /** Taken, and not written yet. */
  private waiting = 0;
  /** Of files that are removed before the run ends. */
  private passing = 0;
  /** That may be taken before the next look. */
  private unlooked = 0;

  constructor(place: string, door: FileDoor = NODE_FILES) {
    this.place = place;
    this.door = door;
  }

  /** Free bytes; null where the system does not tell. */
  get free(): number | null {
    return this.door.free(this.place);
  }

  /** Says how many bytes will surely be written besides those that are taken; no estimate that may be too high. */
  expect(bytes: number): void {
    this.ahead = bytes;
    this.unlooked = 0;
  }

  /**
   * Takes room for what is about to be written. `isPassing`: the file is removed before the run ends.
   *
   * @throws MinHashError DISK_FULL; then nothing is to be written
   */
  take(bytes: number, isPassing: boolean): void {
    if (bytes > this.unlooked) this.look(bytes, isPassing ? bytes : 0);
    this.unlooked -= bytes;
    this.waiting += bytes;
    if (isPassing) this.passing += bytes;
  }

  /** What was taken is written, or could not be. */
  written(bytes: number): void {
    this.waiting -= bytes;
  }

  /** A file that passes is removed. */
  gone(bytes: number): void {
    this.passing -= bytes;
  }

  /** Looks at once. @throws MinHashError DISK_FULL */
  look(more = 0, passingMore = 0): void {
    const { free } = this;
    if (free === null) {
      this.unlooked = MOST_BETWEEN;
      return;
    }
    const later = Math.max(0, this.ahead - this.passing - passingMore);
    const needed = this.waiting + more + later + LAST_BYTES;
    if (free < needed) {
      const [most, left] = sizeTexts(needed, free);
      const detail =
        `${this.place}: at least ${most} are still to be written (${LAST_BYTES} bytes of them for the marks of the ` +
        `next attempt), ${left} free; ended before the disk is full`;
      throw new MinHashError({ code: 'DISK_FULL', detail });
    }
    this.unlooked = more + Math.min(MOST_BETWEEN, (free - needed) * SHARE_BETWEEN);
  }
}

/*
 * Whether the result will fit: rows times their mean length, held against what the file system has left.
 *
 * An estimate, from below: it refuses what has no chance, and the writes themselves find the rest.
 */

/** Rows of each table that are still to be written. */
export interface RowsAhead {
  readonly candidates?: number;
  readonly pairs?: number;
  readonly clusters?: number;
  readonly duplicates?: number;
  /** Documents that skipped.tsv names although they were read. */
  readonly listed?: number;
}

/** Ids a row, and the least bytes of its other cells with what stands between them, in the shortest format. */
const ROWS: Readonly<Record<keyof RowsAhead, { readonly ids: number; readonly bytes: number }>> = {
  candidates: { ids: 2, bytes: 15 },
  pairs: { ids: 2, bytes: 20 },
  clusters: { ids: 1, bytes: 24 },
  duplicates: { ids: 2, bytes: 11 },
  listed: { ids: 1, bytes: 60 },
};

/** Less than this share of the estimate is refused: ids in pairs may be shorter than the mean of all. */
const CLEARLY_LESS = 0.8;

/** Bytes of these rows, at least about. Ids have their mean length: `ids` are those of all documents. */
export function bytesAhead(rows: RowsAhead, { offsets }: Pick<IdTable, 'offsets'>): number {
  const documents = Math.max(1, offsets.length - 1);
  const meanId = offsets[offsets.length - 1]! / documents;
  let bytes = 0;
  for (const [table, count] of Object.entries(rows) as [keyof RowsAhead, number][]) {
    bytes += count * (ROWS[table].ids * meanId + ROWS[table].bytes);
  }
  return Math.ceil(bytes);
}

/** What of that is sure enough to end a run for it. */
function surelyAhead(rows: RowsAhead, ids: Pick<IdTable, 'offsets'>): number {
  return Math.floor(CLEARLY_LESS * bytesAhead(rows, ids));
}

function roomText(needed: number, free: number | null): string {
  const left = free === null ? 'what is free is not known' : `${sizeText(free)} free`;
  return `needed: about ${sizeText(needed)} for the rows, ${left}`;
}

const ROOM_TOLD = /; needed: about /;

/** @throws MinHashError DISK_FULL where clearly less is free than needed; not where the system does not tell */
export function checkRoom(place: string, needed: number, free: number | null): void {
  if (free === null || free >= CLEARLY_LESS * needed) return;
  throw new MinHashError({ code: 'DISK_FULL', detail: `${place}; ${roomText(needed, free)}` });
}

/** What to throw for an error of writing: a full disk is told with what was needed and what is free. */
export function withRoom(error: unknown, needed: number, free: number | null): unknown {
  if (!(error instanceof MinHashError) || error.code !== 'DISK_FULL' || ROOM_TOLD.test(error.message))
    return error;
  const detail = `${error.faults[0]!.detail}; ${roomText(needed, free)}`;
  return new MinHashError({ code: 'DISK_FULL', detail }, { cause: error });
}

/*
 * The disk of a run: the user is warned where it will probably not be enough, and the run is ended where it surely is not.
 *
 * Probable is what documents and bytes that were not read yet will take: an input may be no text, so a run that
 * is refused for it might have succeeded. Sure is what is known to be written: see `DiskRoom.expect`.
 */

/** What is told of a disk that will probably be too small. */
export interface LowDisk {
  /** A folder there. */
  readonly place: string;
  /** Bytes that the run will still write there before its result, about. */
  readonly needed: number;
  readonly free: number;
}

/** Of the input, before what was written so far tells what will be. */
const LEAST_SHARE = 1 / 20;

export class DiskWatch {
  private readonly room: DiskRoom;
  private readonly store: { readonly diskBytes: number };
  private readonly onLow: (found: LowDisk) => void;
  private isTold = false;
  private candidates = 0;

  /** `onLow` is told once. */
  constructor(
    room: DiskRoom,
    store: { readonly diskBytes: number },
    onLow: (found: LowDisk) => void = () => {},
  ) {
    this.room = room;
    this.store = store;
    this.onLow = onLow;
  }

  /** Says what will surely be written besides blocks, and looks. @throws MinHashError DISK_FULL */
  expect(bytes: number): void {
    this.room.expect(bytes);
    this.room.look();
  }

  /** So many rows of candidates more will be written at the end. @throws MinHashError DISK_FULL */
  expectCandidates(rows: number, ids: Parameters<typeof surelyAhead>[1]): void {
    this.candidates += rows;
    const ahead: RowsAhead = { candidates: this.candidates };
    this.expect(surelyAhead(ahead, ids));
  }

  /** @throws MinHashError DISK_FULL */
  look(): void {
    this.room.look();
  }

  /** Warns where less is free than is probably needed. */
  warn(needed: number): void {
    const { free, place } = this.room;
    if (this.isTold || free === null || free >= needed) return;
    this.isTold = true;
    this.onLow({ place, needed: Math.round(needed), free });
  }

  /** Warns where the rest of the input will probably take more than is free, if it is like that which was read. */
  forecast(read: number, total: number): void {
    const share = read / total;
    // Of empty files alone there is no share.
    if (!(share >= LEAST_SHARE && share < 1)) return;
    this.warn((this.store.diskBytes * (1 - share)) / share);
  }
}
