/**
 * What a kernel says of lines of JSON, or of elements of an array: a row of words for each, and bytes that last until the
 * next scan.
 *
 * Floor 1. src/storage/jsonRecords.ts gives the same answers a line at a time.
 */

/** Words of a row: kind, then place and length of the id, of the text, and flags. Places are the scanner's own. */
export const ROW_WORDS = 6;

/** Kinds of lines. */
export const LINE_BLANK = 0;
/** A record with a text. */
export const LINE_RECORD = 1;
/** JSON_BROKEN */
export const LINE_BROKEN = 2;
/** JSON_NOT_AN_OBJECT */
export const LINE_NO_OBJECT = 3;
/** JSON_NO_TEXT; the id may be there. */
export const LINE_NO_TEXT = 4;
/** JSON_BAD_ID */
export const LINE_BAD_ID = 5;
/** TOO_LARGE: longer than the longest line that is looked at. */
export const LINE_TOO_LONG = 6;

/** Flags: the row has an id; a lone surrogate in the text became U+FFFD. */
export const LINE_HAS_ID = 2;
export const LINE_REPAIRED = 4;

/** Scans many lines or elements a call, in memory that all scanners of its kernel share: not re-entrant. */
export interface JsonLineScanner {
  /** Bytes that a call is best given. */
  readonly window: number;
  /** The most bytes a call takes. */
  readonly most: number;
  /**
   * Takes the lines of [from, to), at least one byte and `most` at most; each ends with a line feed, but the last may
   * lack it. Returns how many lines it took; more of them than there are rows are left for another call.
   *
   * @param longest bytes of the longest line that is looked at, below 2^32
   */
  scan(bytes: Uint8Array, from: number, to: number, longest: number): number;
  /**
   * Takes elements of an array from `from` on, each with the white space around it and the comma after it, at least one
   * byte and `most` at most. Returns how many it took, perhaps none: what is broken, longer than `longest`, not whole
   * before `to` or not followed by a comma, and all that comes after it, is left. None is LINE_BLANK, _BROKEN or _TOO_LONG.
   */
  scanElements(bytes: Uint8Array, from: number, to: number, longest: number): number;
  /** After a scan: the place in `bytes` after the last line, or the last comma, that it took. */
  readonly end: number;
  /** After a scan: ROW_WORDS a line or element. */
  readonly rows: Uint32Array;
  /** Bytes that a row names: a view that is good until the next scan, whatever becomes of kernel memory. */
  bytes(place: number, length: number): Uint8Array;
}
