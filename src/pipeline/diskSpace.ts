/**
 * Whether the result will fit: rows times their mean length, held against what the file system has left.
 *
 * Floor 4. An estimate, from below: it refuses what has no chance, and the writes themselves find the rest.
 */
import { MinHashError } from '../errors.js';
import { sizeText } from '../storage/diskRoom.js';
import type { IdTable } from '../storage/results/idTable.js';

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
export function surelyAhead(rows: RowsAhead, ids: Pick<IdTable, 'offsets'>): number {
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
