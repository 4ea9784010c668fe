/**
 * What reading a source means: what decides how documents are read, and the memory it works in.
 */
import type { Kernel } from '../kernel/kernel.js';
import type { ModSampleParams, ResultParams, Unit, WordSequenceParams } from '../sketch/params.js';
import type { RecordRoom } from '../store/budget.js';
import { isUtf8 } from './bytes/encodings.js';

export type ReadParams = Pick<
  ResultParams,
  'textField' | 'idField' | 'input' | 'encoding' | 'maxDocument' | 'textFormat' | 'separator'
> & {
  readonly shingle: Pick<ResultParams['shingle'], 'unit'>;
  /** Names of fields whose values are read beside id and text; absent or empty, as nearly always: none. */
  readonly fields?: readonly string[];
  /** What is compared of a document; absent: all of it. */
  readonly unit?: Unit;
  /** What of the budget a record may take; absent: memory bounds none. */
  readonly room?: RecordRoom;
};

/** Bytes of a column block's input, of a read, and of a chunk of a stream. */
export const PIECE_BYTES = 4 << 20;

/** Signatures of so many slots are small beside the text they are made of. */
const USUAL_HASHES = 128;
const LEAST_PIECE_BYTES = 256 << 10;

/** What decides how large the pieces of an input are. */
export interface PieceParams {
  readonly sketch?: { readonly hashes: number } | ModSampleParams | WordSequenceParams;
  readonly unit?: Unit;
}

/** Bytes of the pieces of an input: fewer where signatures are long, so that those of a column block stay small. */
export function pieceBytesOf({ sketch }: PieceParams): number {
  const hashes = sketch !== undefined && 'hashes' in sketch ? sketch.hashes : USUAL_HASHES;
  const share = Math.min(1, USUAL_HASHES / hashes);
  return Math.max(LEAST_PIECE_BYTES, Math.floor(PIECE_BYTES * share));
}

/** The longest id, in bytes: it stands in every row of its document. */
export const MOST_ID_BYTES = 64 << 10;

/** Memory that a reader uses again and again; one set per thread, not re-entrant. */
export interface ReadBuffers {
  readonly piece: Uint8Array;
  /** For JSON strings with escapes. */
  readonly strings: Uint8Array;
  /** What scans JSON lines faster, if it is there. */
  readonly kernel: Pick<Kernel, 'jsonLines'> | null;
  /** By number of the file: arrays that were found to be whole. */
  readonly arrays: Map<number, WholeArray>;
}

/** A file as it was when it was one array. */
interface WholeArray {
  /** Size and time of the last change. */
  readonly stamp: string;
  readonly elements: number;
}

/** The system copies fastest to a multiple of 64. Large buffers of the engine begin 16 bytes behind a page. */
const INTO_BUFFER = 48;

/** @param pieceBytes at least 1 */
export function readBuffers(
  pieceBytes = PIECE_BYTES,
  kernel: Pick<Kernel, 'jsonLines'> | null = null,
): ReadBuffers {
  const piece = new Uint8Array(new ArrayBuffer(INTO_BUFFER + pieceBytes), INTO_BUFFER);
  return { piece, strings: new Uint8Array(64 << 10), kernel, arrays: new Map() };
}

/** Whether a text file's bytes are the document as they stand: UTF-8, or whatever for `bytes:k`. */
export function takesRawBytes(params: ReadParams): boolean {
  return params.shingle.unit === 'bytes' || isUtf8(params.encoding);
}

/**
 * Whether the first bytes tell a binary file (binaryKinds.ts): not where bytes are compared, nor in encodings that write
 * NULs.
 */
export function refusesBinary(params: ReadParams): boolean {
  return params.shingle.unit !== 'bytes' && isUtf8(params.encoding);
}
