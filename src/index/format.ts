/**
 * The layout of an index on disk: names, sizes and versions. docs/dev/index-format.md is normative; its known-answer vectors are
 * tests.
 *
 *      INDEX/manifest.json            the segments, portions and parameters; replaced by rename
 *      INDEX/segment-N/signatures     one row per document: 16-bit slots, then a CRC-32
 *      INDEX/segment-N/bands          per band, sorted (32-bit key, 32-bit row), in pages of PAGE_ENTRIES
 *      INDEX/segment-N/documents      one record of RECORD_BYTES per document
 *      INDEX/segment-N/names          ids and locations
 *      INDEX/segment-N/sets           sorted 64-bit shingle hashes
 *      INDEX/segment-N/pages          a block: last key and CRC-32 of each page of `bands`
 *      INDEX/removed-N, seen-N        a block: rows of a segment that were removed, days on which rows were last seen
 *
 * All numbers are little-endian. Segments never change; other files get a new name when they change.
 */
import { MinHashError } from '../errors.js';
import { strideOf } from '../sketch/signature.js';

/** Changes with the layout. */
export const INDEX_FORMAT = 1;
/** Changes if the same text gets other tokens, shingles, slots or keys. */
export const INDEX_PROCEDURE = 1;

export const INDEX_MANIFEST = 'manifest.json';
/** A readme in the index folder. A run against the index lists it as its reference. */
export const INDEX_ABOUT = 'about.txt';
/** The files of a segment, in the order in which `check` reads them. */
export const SEGMENT_FILES = ['signatures', 'bands', 'documents', 'names', 'sets', 'pages'] as const;
export type SegmentFile = (typeof SEGMENT_FILES)[number];

/** Entries per page of `bands`: 4 KB, so that a lookup reads one disk page. */
export const PAGE_ENTRIES = 512;
export const ENTRY_BYTES = 8;
export const RECORD_BYTES = 96;

/** Positions of the fields of a record, in bytes. */
export const RECORD = {
  /** u32 x 4: hash of the tokens. */
  contentKey: 0,
  /** u32 x 4: hash of the text. */
  textKey: 16,
  /** f64: the first hash in `sets`, counted in hashes. */
  setFrom: 32,
  /** u32: distinct hashes. */
  setCount: 40,
  /** u32: CRC-32 of the hashes. */
  setCrc: 44,
  /** f64: first byte of the id in `names`; the location follows. */
  nameFrom: 48,
  /** u32; 0: the location is the id. */
  idBytes: 56,
  /** u32 */
  locationBytes: 60,
  /** u32: CRC-32 of id and location. */
  nameCrc: 64,
  /** u32: number of the portion. */
  portion: 68,
  /** f64 */
  textBytes: 72,
  /** f64 */
  tokens: 80,
  /** u32: 0. */
  reserved: 88,
  /** u32: CRC-32 of the bytes before it. */
  crc: 92,
} as const;

/** Bytes of a row of `signatures`. */
export function signatureRowBytes(hashes: number): number {
  return 2 * strideOf(hashes) + 4;
}

/** Days since 1970-01-01 in UTC: the unit of dates in an index. */
export function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / 86_400_000);
}

export function dateOfDay(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

/** The day of a date `YYYY-MM-DD`; null for other texts. */
export function dayOfDate(date: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null;
  const day = dayOf(Date.parse(`${date}T00:00:00Z`));
  return Number.isFinite(day) && dateOfDay(day) === date ? day : null;
}

export function damaged(detail: string): MinHashError {
  return new MinHashError({ code: 'INDEX_DAMAGED', detail });
}

/** Counts of an addition to an index. */
export interface AddedPortion {
  readonly portion: string;
  /** Number of added documents. */
  readonly documents: number;
  /** Documents without tokens, which are not added. */
  readonly empty: number;
  /** Added documents that resemble an earlier document, and those among them with the same tokens. */
  readonly near: number;
  readonly same: number;
  /** A sentence about candidates whose sources are gone or changed; null: all were verified. */
  readonly unverified: string | null;
}
