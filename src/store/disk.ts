/**
 * Guards the free space of a file system while files grow: a run ends before the disk is full, and can still
 * write its marks and be resumed.
 *
 *      free now                          |<------------------------------------------------------>|
 *      reserved, not written yet         |------|
 *      about to be written                      |---|
 *      certainly written later                                  |---------------|
 *      for marks and lock                                                       |-----------------|
 *
 * Where the system does not report its free space, every write is tried.
 */

import type { IdTable } from '../blocks/ids.js';
import { MinHashError } from '../errors.js';
import { type FileDoor, NODE_FILES } from './fileDoor.js';

/**
 * Bytes kept free for the lock and the marker of the next attempt, a page each. The manifest and the statistics, which are
 * written last, are no smaller.
 */
export const LAST_BYTES = 6144;

/** Most bytes between two checks of the free space, which other programs use, too. */
const MOST_BETWEEN = 16e6;
/**
 * Also the share of the remaining space between two checks, so that a nearly full file system is checked more
 * often.
 */
const SHARE_BETWEEN = 1 / 8;

/** `12.3 MB`; with a smaller unit where that would round to nothing. */
export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e5 ? `${(bytes / 1e6).toFixed(1)} MB` : `${bytes} bytes`;
}

/** Two different sizes as different texts: in bytes where rounding would make them equal. */
function sizeTexts(a: number, b: number): [string, string] {
  const texts: [string, string] = [sizeText(a), sizeText(b)];
  return texts[0] === texts[1] ? [`${a} bytes`, `${b} bytes`] : texts;
}

export class DiskRoom {
  /** A folder on the file system. */
  readonly place: string;
  private readonly door: FileDoor;
  /** Bytes that will certainly be written later. */
  private ahead = 0;
  /** Bytes reserved, and not written yet. */
  private waiting = 0;
  /** Bytes that may be reserved before the next check. */
  private unlooked = 0;

  constructor(place: string, door: FileDoor = NODE_FILES) {
    this.place = place;
    this.door = door;
  }

  /** Free bytes; null where the system does not report them. */
  get free(): number | null {
    return this.door.free(this.place);
  }

  /**
   * Announces bytes that will certainly be written besides the reserved ones; never an estimate that may be
   * too high.
   */
  expect(bytes: number): void {
    this.ahead = bytes;
    this.unlooked = 0;
  }

  /**
   * Reserves room before a write.
   *
   * @throws MinHashError DISK_FULL; then the caller must not write
   */
  take(bytes: number): void {
    if (bytes > this.unlooked) this.look(bytes);
    this.unlooked -= bytes;
    this.waiting += bytes;
  }

  /** Records that reserved bytes were written, or could not be. */
  written(bytes: number): void {
    this.waiting -= bytes;
  }

  /** Checks the free space now. @throws MinHashError DISK_FULL */
  look(more = 0): void {
    const { free } = this;
    if (free === null) {
      this.unlooked = MOST_BETWEEN;
      return;
    }
    const needed = this.waiting + more + this.ahead + LAST_BYTES;
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

/** Rows of each table that are still to be written. */
export interface RowsAhead {
  readonly candidates?: number;
  readonly pairs?: number;
  readonly clusters?: number;
  readonly duplicates?: number;
  /** Documents that skipped.tsv names although they were read. */
  readonly listed?: number;
}

/** Ids per row, and the least bytes of its other cells and separators, in the shortest format. */
const ROWS: Readonly<Record<keyof RowsAhead, { readonly ids: number; readonly bytes: number }>> = {
  candidates: { ids: 2, bytes: 15 },
  pairs: { ids: 2, bytes: 20 },
  clusters: { ids: 1, bytes: 24 },
  duplicates: { ids: 2, bytes: 11 },
  listed: { ids: 1, bytes: 60 },
};

/**
 * A run is refused only below this share of the estimate: ids in pairs may be shorter than the mean of all.
 */
const CLEARLY_LESS = 0.8;

/**
 * Estimated bytes of these rows, from below. Ids have their mean length: `ids` are those of all documents.
 */
export function bytesAhead(rows: RowsAhead, { offsets }: Pick<IdTable, 'offsets'>): number {
  const documents = Math.max(1, offsets.length - 1);
  const meanId = offsets[offsets.length - 1]! / documents;
  let bytes = 0;
  for (const [table, count] of Object.entries(rows) as [keyof RowsAhead, number][]) {
    bytes += count * (ROWS[table].ids * meanId + ROWS[table].bytes);
  }
  return Math.ceil(bytes);
}

/** The part of the estimate that is certain enough to end a run. */
function surelyAhead(rows: RowsAhead, ids: Pick<IdTable, 'offsets'>): number {
  return Math.floor(CLEARLY_LESS * bytesAhead(rows, ids));
}

function roomText(needed: number, free: number | null): string {
  const left = free === null ? 'what is free is not known' : `${sizeText(free)} free`;
  return `needed: about ${sizeText(needed)} for the rows, ${left}`;
}

const ROOM_TOLD = /; needed: about /;

/**
 * Checks that the result can fit: `needed`, an estimate from below, is compared with the free space. The check refuses only
 * results that cannot fit; the writes themselves detect the others. `free` null (the system does not report it): no check.
 *
 * @throws MinHashError DISK_FULL
 */
export function checkRoom(place: string, needed: number, free: number | null): void {
  if (free === null || free >= CLEARLY_LESS * needed) return;
  throw new MinHashError({ code: 'DISK_FULL', detail: `${place}; ${roomText(needed, free)}` });
}

/** The error to throw for a failed write: a full disk is reported with the bytes needed and free. */
export function withRoom(error: unknown, needed: number, free: number | null): unknown {
  if (!(error instanceof MinHashError) || error.code !== 'DISK_FULL' || ROOM_TOLD.test(error.message))
    return error;
  const detail = `${error.faults[0]!.detail}; ${roomText(needed, free)}`;
  return new MinHashError({ code: 'DISK_FULL', detail }, { cause: error });
}

/** A warning about a disk that will probably be too small. */
export interface LowDisk {
  /** A folder on the file system. */
  readonly place: string;
  /** Estimated bytes that the run will still write there before its result. */
  readonly needed: number;
  readonly free: number;
}

export class DiskWatch {
  readonly room: DiskRoom;
  private readonly onLow: (found: LowDisk) => void;
  private isTold = false;
  private candidates = 0;

  /** `onLow` is called once. */
  constructor(room: DiskRoom, onLow: (found: LowDisk) => void = () => {}) {
    this.room = room;
    this.onLow = onLow;
  }

  /**
   * Announces bytes that will certainly be written besides blocks, and checks. @throws MinHashError DISK_FULL
   */
  expect(bytes: number): void {
    this.room.expect(bytes);
    this.room.look();
  }

  /** Announces further rows of candidates that will be written at the end. @throws MinHashError DISK_FULL */
  expectCandidates(rows: number, ids: Parameters<typeof surelyAhead>[1]): void {
    this.candidates += rows;
    const ahead: RowsAhead = { candidates: this.candidates };
    this.expect(surelyAhead(ahead, ids));
  }

  /** Warns where fewer bytes are free than `needed`, the bytes that the run will probably write. */
  warn(needed: number): void {
    const { free, place } = this.room;
    if (this.isTold || free === null || free >= needed) return;
    this.isTold = true;
    this.onLow({ place, needed: Math.round(needed), free });
  }
}
