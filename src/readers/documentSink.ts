/**
 * The parameters that decide how documents are read, the memory of a reader, and the limits of a record.
 */

import { newArray } from '../arrays/ownPages.js';
import { MinHashError } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import type { ResultParams, Unit } from '../sketch/params.js';
import type { RecordRoom } from '../store/budget.js';
import { sizeText } from '../store/sizeText.js';
import { isUtf8 } from './bytes/encodings.js';

export type ReadParams = Pick<
  ResultParams,
  | 'textField'
  | 'idField'
  | 'input'
  | 'encoding'
  | 'maxDocument'
  | 'textFormat'
  | 'separator'
  | 'quote'
  | 'records'
> & {
  readonly shingle: Pick<ResultParams['shingle'], 'unit'>;
  /** Names of further fields whose values are read; absent or empty: none. */
  readonly fields?: readonly string[];
  /** The part of a document that is compared; absent: all of it. */
  readonly unit?: Unit;
  /** The memory for a record; absent: memory sets no limit. */
  readonly room?: RecordRoom;
};

/** Bytes of the input of a batch, of a read, and of a chunk of a stream. */
export const PIECE_BYTES = 4 << 20;

/** Signatures of up to this many slots are small compared with their text. */
const USUAL_HASHES = 128;
const LEAST_PIECE_BYTES = 256 << 10;

/** Parameters that decide the size of the pieces of an input. */
export interface PieceParams {
  readonly sketch?: { readonly hashes: number };
  /** Lines of sets are not documents, so that short ones take no more memory than others. */
  readonly sets?: object | undefined;
  readonly unit?: Unit;
}

/** Bytes of the pieces of an input: fewer if signatures are long, so that those of a batch stay small. */
export function pieceBytesOf({ sketch }: PieceParams): number {
  const hashes = sketch?.hashes ?? USUAL_HASHES;
  const share = Math.min(1, USUAL_HASHES / hashes);
  return Math.max(LEAST_PIECE_BYTES, Math.floor(PIECE_BYTES * share));
}

/** The longest id, in bytes: it is repeated in every row of its document. */
export const MOST_ID_BYTES = 64 << 10;

/** Memory that a reader reuses; one set per thread, not re-entrant. */
export interface ReadBuffers {
  readonly piece: Uint8Array;
  /** A faster scanner of JSON lines; null: there is none. */
  readonly kernel: Pick<Kernel, 'jsonLines'> | null;
}

/** The system copies fastest to a multiple of 64. Large buffers of the engine begin 16 bytes behind a page. */
const INTO_BUFFER = 48;

/** @param pieceBytes at least 1 */
export function readBuffers(
  pieceBytes = PIECE_BYTES,
  kernel: Pick<Kernel, 'jsonLines'> | null = null,
): ReadBuffers {
  const piece = newArray(Uint8Array, INTO_BUFFER + pieceBytes).subarray(INTO_BUFFER);
  return { piece, kernel };
}

/** Whether the bytes of a text file are the document: UTF-8, or any bytes for `bytes:k`. */
export function takesRawBytes(params: ReadParams): boolean {
  return params.shingle.unit === 'bytes' || isUtf8(params.encoding);
}

/**
 * Whether the first bytes of a file are checked for binary formats (binaryKinds.ts): not if bytes are compared, and not in encodings
 * that write NULs.
 */
export function refusesBinary(params: ReadParams): boolean {
  return params.shingle.unit !== 'bytes' && isUtf8(params.encoding);
}

/** Receives the lines that are read. */
export interface LineTaker {
  /**
   * Processes lines, at least one byte; each ends with a line feed, but the last may lack it. Returns the number of lines, blank and
   * invalid ones, too.
   *
   * @param first number of the first line
   * @param marked whether a byte order mark may precede the first line
   */
  run(file: number, first: number, bytes: Uint8Array, marked: boolean): number;
}

/*
 * How long a record may be that is held whole while it is read.
 *
 *      up to the free memory   it is read
 *      up to --max-document    the run ends, because a skipped record would change the result
 *      beyond                  it is skipped TOO_LARGE; none of it is held
 */

/** The most that is held of a line or file, the same everywhere. */
const HELD_BYTES = 2_000_000_000;

/** Bytes for the other fields of a record. */
const BESIDE_BYTES = 1 << 20;

/** Up to 5 more bytes for each byte of a text, which may be written as `\uXXXX`; in long texts fewer are. */
const ESCAPES = 5;
const MOST_ESCAPES = 128 << 20;

/** The longest line, or other record that contains its text, in bytes. A longer one is skipped TOO_LARGE without being held. */
export function lineLimit({ maxDocument }: Pick<ReadParams, 'maxDocument'>): number {
  return Math.min(maxDocument + BESIDE_BYTES + Math.min(ESCAPES * maxDocument, MOST_ESCAPES), HELD_BYTES);
}

/** How many bytes may be held of a record or file that may have `most` bytes. */
export function heldBytes({ room }: Pick<ReadParams, 'room'>, most: number): number {
  return room === undefined ? most : Math.min(most, room.record);
}

/** Ends the run at a record that --max-document allows and memory has no room for. @throws MinHashError MEMORY_RECORD */
export function refuseRecord({ room }: Pick<ReadParams, 'room'>, what: string, bytes: number): never {
  const without = Math.floor(Math.max(0, bytes - BESIDE_BYTES - 1) / (1 + ESCAPES));
  const detail = `${what} takes ${sizeText(bytes)}, and ${sizeText(room!.record)} are free for it; raise --memory, or leave it out with --max-document ${without}`;
  throw new MinHashError({ code: 'MEMORY_RECORD', detail });
}
