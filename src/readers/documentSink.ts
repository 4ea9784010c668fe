/**
 * What reading a source means: where documents go, what decides how they are read, and the memory it works
 * in.
 */
import type { AS_TEXT, PAGE, ReasonLeftOut } from '../blocks/documents.js';
import type { FieldValues } from '../blocks/fieldValues.js';
import type { ErrorCode } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import type { ModSampleParams, ResultParams, Unit, WordSequenceParams } from '../sketch/params.js';
import type { RecordRoom } from '../store/budget.js';
import { isUtf8 } from './bytes/encodings.js';

/**
 * Receives the documents of a source in reading order, as bytes.
 *
 * `file` is the index of the file in Inputs.files. `record` is -1 where the whole file is the document (a
 * text, or one JSON object), else the line number from 0 within the source, or the index in a JSON array. All
 * byte arrays are scratch memory: valid during the call, and what is to outlive it must be copied.
 */
export interface TextSink {
  /** A file is about to be opened. False: it is not to be, and the sink has noted why. Absent: every file is. */
  opensFile?(file: number): boolean;
  /**
   * What the record has in ReadParams.fields, in their order; right before its `begin` or `whole`, and only where fields are
   * asked for and the document can have any: a text has none. Scratch memory. Absent: nobody asks.
   */
  fields?(values: FieldValues): void;
  /**
   * A document begins. False: its text is not wanted; neither `text` nor `end` follow for it.
   *
   * @param id what the id field says (a number's id is its JSON text), or null where the document names none
   */
  begin(file: number, record: number, id: Uint8Array | null): boolean;
  /**
   * A piece of the text as UTF-8 (as it stands in the file for `bytes`), in order, cut anywhere; never empty.
   */
  text(bytes: Uint8Array): void;
  /** The document begun is a PAGE, or AS_TEXT, or both in two calls. Absent: nobody counts these. */
  is?(what: typeof PAGE | typeof AS_TEXT): void;
  /** Records of a file that are left out, because they are no documents; how many, by why (REASONS_LEFT_OUT). Absent: nobody counts. */
  pass?(file: number, why: ReasonLeftOut, records: number): void;
  /**
   * The text that begins next is what follows the first `units` units of one. Only where units are compared: large texts are
   * read in parts. Absent: none is.
   */
  follows?(units: number): void;
  /** The document is complete. `repaired`: the reader replaced something by U+FFFD. */
  end(repaired: boolean): void;
  /**
   * A complete document in one call: the same as `begin`, `text` (unless it is empty) and `end`.
   *
   * @param text all of the text; like the id, scratch memory of the reader
   */
  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void;
  /**
   * Room in which a file may be read whose text `whole` gets next; texts may also be views of the memory that it is part of.
   * That memory may grow with any call, which detaches its views. Null or absent: texts stand in no such memory.
   */
  room?(): Uint8Array | null;
  /**
   * A document or place that is not read. Between `begin` and `end` it is about the document begun and voids
   * it. `record` -1: the whole file (no document of this source was or will be given from it), or, for a byte
   * range, all of the range that was not given yet.
   */
  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void;
}

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
