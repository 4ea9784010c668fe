/**
 * The document table of one column block: which documents its columns are, and which were skipped.
 *
 *      column        0        1        2   ...
 *      file          u32      number of the input file, in path order
 *      record        f64      -1: the file is the document; else line (from 0 within the source) or array index
 *      idOffsets     u32      n+1 offsets into idBytes; an id of no bytes with flag HAS_ID unset was not given
 *      flags         u8       HAS_ID | EMPTY | REPAIRED
 *      contentKey    u32 x 4  128-bit hash of the token sequence
 *      occurrences   f64      shingles, repeated ones counted every time
 *      textBytes     f64      bytes of its text as a reader gives them: unpacked, out of its JSON, in UTF-8
 *
 * Skipped documents and places stand in columns of their own (skipFile, skipRecord, skipCode, skipIdOffsets, ...).
 *
 * Floor 1.
 */
import { type ErrorCode, SKIP_CODES } from '../errors.js';
import type { ShingleStream } from '../kernel/kernel.js';
import { type Block, encodeBlock } from './block.js';
import { DocumentColumns } from './documentColumns.js';
import { ByteColumn, Float64Column, Uint32Column } from './growable.js';

export { HAS_ID } from './documentColumns.js';
export const EMPTY = 2;
export const REPAIRED = 4;

/** Record number of a document that is a whole file. */
export const WHOLE_FILE = -1;

/** What a reader of documents calls, in reading order. */
export interface DocumentSink {
  /**
   * A document begins. `id`: bytes of its id, null when it has none. The answer false says that its text is not wanted:
   * the reader then calls neither `text` nor `end`.
   */
  begin(file: number, record: number, id: Uint8Array | null): boolean;
  /** Raw bytes of the document, in order, cut anywhere; valid during the call only. */
  text(bytes: Uint8Array): void;
  /** The document ends. `repaired`: the reader itself replaced something. */
  end(repaired: boolean): void;
  /**
   * A complete document in one call: the same as `begin`, `text` (unless it is empty) and `end`.
   *
   * @param text all of the text; like the id, scratch memory of the reader
   */
  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void;
  /** A document or place is skipped; between begin and end it voids the document begun. */
  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void;
}

/** Reads documents into a sink: what a mapper is given instead of files. */
export type DocumentFeed = (sink: DocumentSink) => void;

/** What a mapper does with the columns it is shown. */
export interface ColumnHandler {
  /** Whether the document is wanted; absent: every one is. */
  wants?(file: number, record: number): boolean;
  begin(): void;
  end(column: number): void;
  /** The document begun is void: forget what came since `begin`. */
  void(): void;
}

/** Runs documents through a shingle stream, keeps the table, and tells the mapper where columns begin and end. */
export class DocumentRecorder implements DocumentSink {
  private readonly columns = new DocumentColumns();
  private readonly skipFile = new Uint32Column();
  private readonly skipRecord = new Float64Column();
  private readonly skipCode = new ByteColumn();
  private readonly skipIdOffsets = new Uint32Column();
  private readonly skipIdBytes = new ByteColumn();
  private open = false;
  /** Bytes of text seen. */
  bytes = 0;
  /** Those seen before the document that was begun last. */
  private bytesBefore = 0;

  private readonly stream: ShingleStream;
  private readonly handler: ColumnHandler;

  constructor(stream: ShingleStream, handler: ColumnHandler) {
    this.stream = stream;
    this.handler = handler;
    this.skipIdOffsets.push(0);
  }

  /** Documents that have ended. */
  get documents(): number {
    return this.columns.length;
  }

  begin(file: number, record: number, id: Uint8Array | null): boolean {
    if (!this.opens(file, record, id)) return false;
    this.stream.begin();
    return true;
  }

  text(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.stream.push(bytes);
  }

  end(repaired: boolean): void {
    this.stream.end();
    this.close(repaired);
  }

  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void {
    if (!this.opens(file, record, id)) return;
    const { stream } = this;
    this.bytes += text.length;
    if (stream.whole !== undefined) {
      stream.whole(text);
    } else {
      stream.begin();
      if (text.length > 0) stream.push(text);
      stream.end();
    }
    this.close(repaired);
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    if (this.open) {
      this.open = false;
      this.handler.void();
    }
    this.skipFile.push(file);
    this.skipRecord.push(record);
    this.skipCode.push(SKIP_CODES.indexOf(code));
    if (id !== null) this.skipIdBytes.append(id);
    this.skipIdOffsets.push(this.skipIdBytes.length);
  }

  /** Enters a document into the table; false where the mapper does not want it. */
  private opens(file: number, record: number, id: Uint8Array | null): boolean {
    const { handler } = this;
    if (handler.wants !== undefined && !handler.wants(file, record)) return false;
    this.columns.open(file, record, id);
    this.bytesBefore = this.bytes;
    this.open = true;
    handler.begin();
    return true;
  }

  /** Completes the row of the document that the stream has just ended. */
  private close(repaired: boolean): void {
    const { stream, columns } = this;
    const found = (stream.tokens === 0 ? EMPTY : 0) | (repaired || stream.repaired ? REPAIRED : 0);
    columns.close(found, stream.contentKey, stream.occurrences, this.bytes - this.bytesBefore);
    this.open = false;
    this.handler.end(columns.length - 1);
  }

  /** The table as a block; `lines` is the number of lines that start in the source. */
  finish(lines: number): Block {
    const columns = {
      ...this.columns.views(),
      skipFile: this.skipFile.view,
      skipRecord: this.skipRecord.view,
      skipCode: this.skipCode.view,
      skipIdOffsets: this.skipIdOffsets.view,
      skipIdBytes: this.skipIdBytes.view,
    };
    return encodeBlock('documents', { lines, bytes: this.bytes }, columns);
  }
}
