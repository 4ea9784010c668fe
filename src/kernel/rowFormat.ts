/**
 * What a kernel is told of a table whose rows it turns into bytes: how a row is laid out, and its columns.
 *
 * Floor 1. It must never know tables, files or formats: separators, escapes and fixed cells come ready as bytes.
 */
import type { Column } from '../blocks/block.js';
import type { IdTable } from '../blocks/idTable.js';

/** What the numbers of a column stand for. */
export type RowField =
  /** u32: an id of the table, escaped. */
  | { readonly kind: 'id' }
  /** u32: a text of the batch, escaped as ids are. */
  | { readonly kind: 'text' }
  /** u8 or u16: one of these cells; every number is the index of one. */
  | { readonly kind: 'cell'; readonly cells: readonly Uint8Array[] }
  /** f64, at most 1000: rounded to six decimals, halves upward; NaN is `empty`. */
  | { readonly kind: 'fraction'; readonly empty: Uint8Array }
  /** u32, in decimal. */
  | { readonly kind: 'integer' }
  /** Entries of `width` bytes, 1 to 16, written as they are. */
  | { readonly kind: 'bytes'; readonly width: number };

/** When the cell of an id is quoted. */
export const QUOTED = { never: 0, always: 1, /** As RFC 4180 asks. */ separated: 2 } as const;

export interface CellEscapes {
  /**
   * By byte: what is written for it, null for itself. Bytes from 0x80 on are written so only where they are no part of
   * valid UTF-8. At most 7 bytes each.
   */
  readonly replacements: readonly (Uint8Array | null)[];
  /** Bytes that begin a sequence of UTF-8 and do not end it are written for as one; false: each for itself. */
  readonly runs: boolean;
  readonly quoted: (typeof QUOTED)[keyof typeof QUOTED];
}

export interface RowLayout {
  readonly fields: readonly RowField[];
  /** What stands before each field. */
  readonly before: readonly Uint8Array[];
  /** What stands behind the last one. */
  readonly after: Uint8Array;
  readonly escapes: CellEscapes;
}

/** Some rows of a table: a column a field, in each `rows` entries or more (of `bytes`: that many times the width). */
export interface RowBatch {
  readonly rows: number;
  readonly columns: readonly Column[];
  /** What the numbers of fields of kind `text` stand for. */
  readonly texts?: IdTable;
}

/**
 * Formats all batches and hands the bytes on in pieces of about 1 MB, in order; a batch and a piece are valid until the
 * next is asked for or made.
 */
export type RowFormatting = (
  layout: RowLayout,
  ids: IdTable,
  batches: Iterable<RowBatch>,
  sink: (piece: Uint8Array) => void,
) => void;
