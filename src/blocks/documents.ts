/**
 * The table of a batch of documents, one entry per document in each column, and the skipped documents.
 *
 *      column        0        1        2   ...
 *      file          u32      number of the input file, in path order
 *      record        f64      -1: the file is the document; else line (from 0 within the source) or index in an array
 *      unit          f64      only if units of documents are compared: the number of the unit in its document, from 1
 *      idOffsets     u32      n+1 offsets into idBytes; empty without the flag HAS_ID
 *      flags         u8       HAS_ID | EMPTY | REPAIRED | PAGE | AS_TEXT | IGNORED
 *      contentKey    u32 x 4  128-bit hash of the token sequence
 *      textKey       u32 x 4  key of the text from the reader: decompressed, in UTF-8 (textKey.ts)
 *      occurrences   u32      number of shingles with repetitions
 *      textBytes     u32      bytes of the text from the reader: decompressed, decoded from JSON, in UTF-8
 *      tokens        u32      words, code points, bytes or lines of the text; counts are f64 if any is 2^32 or more
 *
 *      opened file   0        1        2   ...  only for a split of whole files
 *      openedFile    u32      number of the input file
 *      openedBytes   f64      its size when it was opened
 *      openedTime    f64      its modification time when it was opened, milliseconds since 1970
 *
 * If the run reads fields of records, each field has four more columns (fieldValues.ts).
 *
 * Skipped documents and ranges have separate columns (skipFile, skipRecord, skipCode, skipIdOffsets, ...).
 */

import { ByteColumn, Float64Column, Uint32Column } from '../arrays/growable.js';
import { type ErrorCode, SKIP_CODES } from '../errors.js';

import {
  DOUBTFUL,
  FULL,
  type RowColumns,
  type ScannedLines,
  type ShingleStream,
  TAKEN,
  type TextFacts,
  type TextRoom,
  TOO_SHORT,
} from '../text/shingles.js';
import { type Block, type Column, encodeBlock } from './block.js';
import { type FieldValues, ValueColumns } from './fieldValues.js';

/** Flag of a document with an id. */
export const HAS_ID = 1;

const MOST_U32 = 0xffffffff;

/** Counts of documents: float64 if one has 2^32 or more. */
export type Counts = Uint32Array | Float64Array;

/** The columns of a growing document table: one row per document, without objects. */
class DocumentColumns {
  private readonly file = new Uint32Column();
  private readonly record = new Float64Column();
  /** Empty if whole documents are compared. */
  private readonly unit = new Float64Column();
  private readonly flags = new ByteColumn();
  private readonly contentKey = new Uint32Column();
  private readonly textKey = new Uint32Column();
  private readonly occurrences = new Float64Column();
  private readonly textBytes = new Float64Column();
  private readonly tokens = new Float64Column();
  private readonly idOffsets = new Uint32Column();
  private readonly idBytes = new ByteColumn();
  /** Bytes of the ids of complete rows. */
  private idEnd = 0;

  constructor() {
    this.idOffsets.push(0);
  }

  /** Number of complete rows. */
  get length(): number {
    return this.flags.length;
  }

  /** Stores the id of the row that `close` completes; discards an open row. */
  open(id: Uint8Array | null): void {
    this.idBytes.truncate(this.idEnd);
    if (id !== null) this.idBytes.append(id);
  }

  /** Completes the current row. */
  close(
    file: number,
    record: number,
    unit: number,
    flags: number,
    textBytes: number,
    facts: TextFacts,
  ): void {
    this.file.push(file);
    this.record.push(record);
    if (unit !== WHOLE_DOCUMENT) this.unit.push(unit);
    this.flags.push(flags);
    this.contentKey.pushKey(facts.contentKey);
    this.textKey.pushKey(facts.textKey);
    this.occurrences.push(facts.occurrences);
    this.textBytes.push(textBytes);
    this.tokens.push(facts.tokens);
    this.idEnd = this.idBytes.length;
    this.idOffsets.push(this.idEnd);
  }

  /** Appends rows of whole files, or (`first`) of consecutive records from this one on; discards an open row. */
  append(rows: RowColumns, first: number | null): void {
    const { length } = rows.file;
    this.idBytes.truncate(this.idEnd);
    const offsets = this.idOffsets.extend(length);
    for (let i = 0; i < length; i++) offsets[i] = this.idEnd + rows.idEnds[i]!;
    this.idBytes.append(rows.idBytes);
    this.idEnd = this.idBytes.length;
    const records = this.record.extend(length);
    if (first === null) records.fill(WHOLE_FILE);
    else for (let i = 0; i < length; i++) records[i] = first + i;
    this.file.append(rows.file);
    this.flags.append(rows.flags);
    this.contentKey.append(rows.contentKey);
    this.textKey.append(rows.textKey);
    this.occurrences.append(rows.occurrences);
    this.textBytes.append(rows.textBytes);
    this.tokens.extend(length).set(rows.tokens);
  }

  flag(row: number, flags: number): void {
    this.flags.view[row]! |= flags;
  }

  truncate(length: number): void {
    const { file, record, unit, flags, contentKey, textKey, occurrences, textBytes, tokens, idOffsets } =
      this;
    for (const column of [file, record, unit, flags, occurrences, textBytes, tokens]) column.truncate(length);
    for (const key of [contentKey, textKey]) key.truncate(4 * length);
    idOffsets.truncate(length + 1);
    this.idEnd = idOffsets.view[length]!;
  }

  /** Views of the complete rows, valid until the next row. */
  views(): Record<string, Column> {
    this.idBytes.truncate(this.idEnd);
    return {
      file: this.file.view,
      record: this.record.view,
      ...(this.unit.length > 0 && { unit: this.unit.view }),
      idOffsets: this.idOffsets.view,
      idBytes: this.idBytes.view,
      flags: this.flags.view,
      contentKey: this.contentKey.view,
      textKey: this.textKey.view,
      occurrences: narrowed(this.occurrences.view),
      textBytes: narrowed(this.textBytes.view),
      tokens: narrowed(this.tokens.view),
    };
  }
}

function narrowed(counts: Float64Array): Counts {
  return counts.some((count) => count > MOST_U32) ? counts : Uint32Array.from(counts);
}

/** The columns of a table that was copied into a block, for the next one: new ones for each batch would be freed late. */
let spareColumns: DocumentColumns | null = null;

/** Rows of the longest columns that are reused. */
const MOST_SPARE = 1 << 16;

/** Columns without rows. */
function emptyColumns(): DocumentColumns {
  const columns = spareColumns ?? new DocumentColumns();
  spareColumns = null;
  columns.truncate(0);
  return columns;
}

/** The columns of skipped documents and ranges of a table. */
export class SkippedColumns {
  private readonly file = new Uint32Column();
  private readonly record = new Float64Column();
  private readonly code = new ByteColumn();
  private readonly idOffsets = new Uint32Column();
  private readonly idBytes = new ByteColumn();

  constructor() {
    this.idOffsets.push(0);
  }

  push(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.file.push(file);
    this.record.push(record);
    this.code.push(SKIP_CODES.indexOf(code));
    if (id !== null) this.idBytes.append(id);
    this.idOffsets.push(this.idBytes.length);
  }

  views(): Record<string, Column> {
    return {
      skipFile: this.file.view,
      skipRecord: this.record.view,
      skipCode: this.code.view,
      skipIdOffsets: this.idOffsets.view,
      skipIdBytes: this.idBytes.view,
    };
  }
}

export const EMPTY = 2;
export const REPAIRED = 4;

/** The text is the visible text of an HTML page. */
export const PAGE = 16;

/** The document is a whole file with the name or the first bytes of a file of records, but without the text field. */
export const AS_TEXT = 32;

/** The document has tokens, but all its shingles are ignored. */
export const IGNORED = 64;

/** Reasons why valid records of a file are not documents. */
export const REASONS_LEFT_OUT = ['other types', 'other statuses', 'revisits', 'segments'] as const;
/** One of REASONS_LEFT_OUT. */
export type ReasonLeftOut = (typeof REASONS_LEFT_OUT)[number];

export const WHOLE_FILE = -1;

/** Unit number of a document that is compared as a whole. */
const WHOLE_DOCUMENT = 0;

/**
 * Receives the documents of a source in reading order, as bytes.
 *
 * `file` is the index of the file in Inputs.files. `record` is -1 if the whole file is the document (a
 * text, or one JSON object), else the line number from 0 within the source, or the index in a JSON array. All
 * byte arrays are scratch memory, valid during the call; a sink copies bytes that it keeps.
 */
export interface TextSink {
  /** Whether to open a file; if not, the sink has recorded why. Absent: every file is opened. */
  opensFile?(file: number): boolean;
  /**
   * Receives the values of the record in the order of ReadParams.fields; called right before its `begin` or `whole`, and only if
   * fields are read and the document can have fields (plain texts cannot). Scratch memory. Absent: no fields are read.
   */
  fields?(values: FieldValues): void;
  /**
   * Begins a document. False: its text is not wanted, and `text` and `end` must not follow.
   *
   * @param id the value of the id field (for a number its JSON text), or null without an id
   */
  begin(file: number, record: number, id: Uint8Array | null): boolean;
  /**
   * Receives a piece of the text as UTF-8 (the unchanged bytes of the file if the unit is `bytes`), cut anywhere; never empty.
   */
  text(bytes: Uint8Array): void;
  /** Sets the flag PAGE or AS_TEXT of the current document. Absent: these are not counted. */
  is?(what: typeof PAGE | typeof AS_TEXT): void;
  /** Counts records of a file that are not documents, by reason. Absent: they are not counted. */
  pass?(file: number, why: ReasonLeftOut, records: number): void;
  /**
   * Announces that the next text is the rest of a text after its first `units` units. Large texts are read in parts only if units
   * are compared. Absent: texts are not read in parts.
   */
  follows?(units: number): void;
  /** Ends the document. `repaired`: the reader replaced invalid bytes by U+FFFD. */
  end(repaired: boolean): void;
  /**
   * Receives a complete document in one call, like `begin`, `text` (unless it is empty) and `end`.
   *
   * @param text all of the text; like the id, scratch memory of the reader
   */
  whole(file: number, record: number, id: Uint8Array | null, text: Uint8Array, repaired: boolean): void;
  /**
   * Memory into which the reader may read small files for `take`. Texts for `whole` may also be views of it. Null or absent: not
   * provided.
   */
  room?(): TextRoom | null;
  /**
   * Receives file number `file`, whose text of `length` bytes is in that memory, like `whole`. False: rejected, because one of its first
   * `probed` bytes is 0, or they may begin an HTML page. `taken` must follow before any other call except `opensFile`.
   */
  take?(file: number, length: number, probed: number): boolean;
  /** Ends a sequence of calls of `take`. */
  taken?(): void;
  /** Receives the records of lines, like `whole`: as many as it can; returns their number. Absent: none. */
  takeLines?(lines: ScannedLines): number;
  /**
   * Skips a document, a file or a range. Between `begin` and `end` it skips the current document and discards its data. `record` -1:
   * the whole file (none of its documents is passed to this sink), or, for a byte range, the rest of the range.
   */
  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void;
}

/** The sink of documents or of their units. */
export interface DocumentSink extends TextSink {
  /** @param unit number of the unit in the document, from 1; absent: the whole document */
  begin(file: number, record: number, id: Uint8Array | null, unit?: number): boolean;
  whole(
    file: number,
    record: number,
    id: Uint8Array | null,
    text: Uint8Array,
    repaired: boolean,
    unit?: number,
  ): void;
  /**
   * Begins a document whose units follow, or (`isRest`) the rest of a document. False: no unit is wanted. Absent: all are wanted.
   */
  beginDocument?(file: number, record: number, isRest: boolean): boolean;
  /** Ends a document whose units were passed. `repaired`: the reader replaced invalid bytes; `what`: the flags of `is`. */
  endDocument?(repaired: boolean, what: number): void;
  /** Skips units and documents of fewer tokens from now on. Absent: all are kept. */
  leaveAlone?(leastTokens: number): void;
}

/** The size and modification time of whole files when they were opened. */
export interface OpenedColumns {
  readonly files: Uint32Array;
  readonly bytes: Float64Array;
  readonly times: Float64Array;
}

export function openedColumns({ columns }: Pick<Block, 'columns'>): OpenedColumns {
  return {
    files: columns.openedFile as Uint32Array,
    bytes: columns.openedBytes as Float64Array,
    times: columns.openedTime as Float64Array,
  };
}

const NOTHING_OPENED: OpenedColumns = {
  files: new Uint32Array(0),
  bytes: new Float64Array(0),
  times: new Float64Array(0),
};

/** How many records of a table are not documents, in the order of REASONS_LEFT_OUT. */
export function passedIn({ meta }: Pick<Block, 'meta'>): readonly number[] {
  return (meta.passed as readonly number[] | undefined) ?? REASONS_LEFT_OUT.map(() => 0);
}

/** Ends a table of documents. `lines`: number of lines that start in the source; `opened`: the files of a split of whole files. */
export type TableEnd = (lines: number, opened?: OpenedColumns) => Block;

/** Reads documents into a sink. Mappers get a feed, not files. */
export type DocumentFeed = (sink: DocumentSink) => void;

export interface ColumnHandler {
  /** Whether `begin` and `end` do nothing, and all documents are wanted: then documents may be recorded without calls. */
  readonly needsNoCalls?: boolean;
  /** Whether the document or unit is wanted; absent: all are. */
  wants?(file: number, record: number, unit: number): boolean;
  /** Whether some unit of the document is wanted; absent: the answer of `wants` for the whole document. */
  wantsSome?(file: number, record: number): boolean;
  begin(): void;
  end(column: number): void;
  /** Discards the current document and all data since `begin`, even if its text has ended. */
  discard(): void;
  /** Discards completed columns from this number on. Absent: they are kept. */
  takeBack?(column: number): void;
}

/** Counts of units and documents that have no row in a table of documents. */
export interface CountsWithoutRow {
  /** Units, or documents, with too few tokens. */
  readonly tooShort: number;
  /** Documents that were cut into units. */
  readonly cut: number;
}

export function countsWithoutRow({ meta }: Pick<Block, 'meta'>): CountsWithoutRow {
  const { tooShort = 0, cut = 0 } = meta as Partial<CountsWithoutRow>;
  return { tooShort, cut };
}

/**
 * Passes documents through a shingle stream, fills the document table, and calls the mapper at the beginning and end of each
 * document.
 */
export class DocumentRecorder implements DocumentSink {
  private readonly columns = emptyColumns();
  private readonly skipped = new SkippedColumns();
  private readonly passed: number[] = REASONS_LEFT_OUT.map(() => 0);
  /** Null if no record had values. */
  private values: ValueColumns | null = null;
  private given: FieldValues | null = null;
  private open = false;
  /** Location and flags (HAS_ID, PAGE, AS_TEXT) of the current document. */
  private file = 0;
  private record = 0;
  private unit = WHOLE_DOCUMENT;
  private flags = 0;
  /** Bytes of text read. */
  bytes = 0;
  /** Bytes of text read before the current document. */
  private bytesBefore = 0;
  private leastTokens = 0;
  private tooShort = 0;
  private cut = 0;
  /** The first row of the document whose units are passed (-1: no document), and the number of units skipped before it. */
  private firstUnit = -1;
  private tooShortBefore = 0;
  private isRest = false;

  private readonly stream: ShingleStream;
  private readonly handler: ColumnHandler;

  constructor(stream: ShingleStream, handler: ColumnHandler) {
    this.stream = stream;
    this.handler = handler;
  }

  /** Number of documents that have ended. */
  get documents(): number {
    return this.columns.length;
  }

  fields(values: FieldValues): void {
    this.given = values;
  }

  leaveAlone(leastTokens: number): void {
    this.leastTokens = leastTokens;
  }

  beginDocument(file: number, record: number, isRest: boolean): boolean {
    const { handler } = this;
    if (handler.wantsSome !== undefined && !handler.wantsSome(file, record)) return false;
    this.firstUnit = this.columns.length;
    this.tooShortBefore = this.tooShort;
    this.isRest = isRest;
    return true;
  }

  endDocument(repaired: boolean, what: number): void {
    const { columns, firstUnit } = this;
    if (what & PAGE) for (let row = firstUnit; row < columns.length; row++) columns.flag(row, PAGE);
    if (columns.length > firstUnit) {
      // Only one row gets the flag, so that the document counts once.
      if (what & AS_TEXT) columns.flag(firstUnit, AS_TEXT);
      if (repaired) columns.flag(columns.length - 1, REPAIRED);
    }
    this.firstUnit = -1;
    if (!this.isRest) this.cut++;
  }

  begin(file: number, record: number, id: Uint8Array | null, unit = WHOLE_DOCUMENT): boolean {
    if (!this.opens(file, record, id, unit)) return false;
    this.stream.begin();
    return true;
  }

  text(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    this.stream.push(bytes);
  }

  is(what: typeof PAGE | typeof AS_TEXT): void {
    this.flags |= what;
  }

  pass(_file: number, why: ReasonLeftOut, records: number): void {
    this.passed[REASONS_LEFT_OUT.indexOf(why)]! += records;
  }

  end(repaired: boolean): void {
    this.stream.end();
    this.close(repaired);
  }

  whole(
    file: number,
    record: number,
    id: Uint8Array | null,
    text: Uint8Array,
    repaired: boolean,
    unit = WHOLE_DOCUMENT,
  ): void {
    if (!this.opens(file, record, id, unit)) return;
    this.bytes += text.length;
    this.stream.whole(text);
    this.close(repaired);
  }

  room(): TextRoom | null {
    return this.stream.texts ?? null;
  }

  take(file: number, length: number, probed: number): boolean {
    const { handler, stream } = this;
    const texts = stream.texts!;
    if (handler.wants !== undefined && !handler.wants(file, WHOLE_FILE, WHOLE_DOCUMENT)) return true;
    handler.begin();
    let answer = texts.take(length, file, probed);
    if (answer === FULL) {
      this.taken();
      texts.open(this.leastTokens);
      answer = texts.take(length, file, probed);
    }
    if (answer === DOUBTFUL) return false;
    if (answer === TAKEN) {
      this.bytes += length;
      handler.end(this.columns.length + texts.count - 1);
    } else if (answer === TOO_SHORT) {
      this.bytes += length;
      this.tooShort++;
      handler.discard();
    } else {
      // A copy: the memory may grow while it is read.
      const text = texts.bytes.slice(texts.at, texts.at + length);
      this.taken();
      if (this.begin(file, WHOLE_FILE, null)) {
        if (length > 0) this.text(text);
        this.end(false);
      }
    }
    return true;
  }

  taken(): void {
    const rows = this.stream.texts?.close() ?? null;
    if (rows !== null) this.columns.append(rows, null);
  }

  takeLines(lines: ScannedLines): number {
    const { handler, stream } = this;
    if (stream.texts === undefined || !handler.needsNoCalls) return 0;
    stream.texts.open(this.leastTokens);
    const count = stream.texts.takeLines(lines);
    const rows = stream.texts.close();
    if (rows !== null) this.columns.append(rows, lines.first + lines.from);
    for (let i = 0; i < count; i++) this.bytes += rows!.textBytes[i]!;
    return count;
  }

  skip(file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.given = null;
    if (this.open) {
      this.open = false;
      this.handler.discard();
    }
    if (this.firstUnit >= 0) this.takeBackUnits();
    this.skipped.push(file, record, code, id);
  }

  /** Removes the rows of the current units, whose document is skipped. */
  private takeBackUnits(): void {
    const { columns, firstUnit, handler } = this;
    if (handler.takeBack !== undefined) {
      columns.truncate(firstUnit);
      handler.takeBack(firstUnit);
    }
    this.tooShort = this.tooShortBefore;
    this.firstUnit = -1;
  }

  /** Opens a row for a document; false if the mapper does not want it. */
  private opens(file: number, record: number, id: Uint8Array | null, unit: number): boolean {
    const { handler, given } = this;
    this.given = null;
    if (handler.wants !== undefined && !handler.wants(file, record, unit)) return false;
    this.columns.open(id);
    this.file = file;
    this.record = record;
    this.unit = unit;
    this.flags = id === null ? 0 : HAS_ID;
    if (given !== null) this.values ??= new ValueColumns(given.length);
    this.values?.row(this.columns.length, given);
    this.bytesBefore = this.bytes;
    this.open = true;
    handler.begin();
    return true;
  }

  /** Completes the row of the document that the stream has just ended. */
  private close(repaired: boolean): void {
    const { stream, columns } = this;
    this.open = false;
    if (this.isLeftAlone(stream.tokens)) {
      this.tooShort++;
      this.handler.discard();
      return;
    }
    const flags =
      this.flags |
      (stream.tokens === 0 ? EMPTY : stream.occurrences === 0 ? IGNORED : 0) |
      (repaired || stream.repaired ? REPAIRED : 0);
    columns.close(this.file, this.record, this.unit, flags, this.bytes - this.bytesBefore, stream);
    this.handler.end(columns.length - 1);
  }

  /** Whether a document has too few tokens. A document without tokens is listed as empty instead. */
  private isLeftAlone(tokens: number): boolean {
    return tokens < this.leastTokens && (tokens > 0 || this.firstUnit >= 0);
  }

  /** The counts that are not 0; most runs have none. */
  private get countsMeta(): Partial<CountsWithoutRow> & { readonly passed?: readonly number[] } {
    const { passed, tooShort, cut } = this;
    return {
      ...(passed.some((records) => records > 0) && { passed }),
      ...(tooShort > 0 && { tooShort }),
      ...(cut > 0 && { cut }),
    };
  }

  /** The table as a block. */
  readonly finish: TableEnd = (lines, opened = NOTHING_OPENED) => {
    const columns = {
      ...this.columns.views(),
      ...this.values?.views(this.columns.length),
      ...this.skipped.views(),
      openedFile: opened.files,
      openedBytes: opened.bytes,
      openedTime: opened.times,
    };
    // Shared, because transferred buffers trigger frequent garbage collections in the coordinator.
    const table = encodeBlock('documents', { lines, bytes: this.bytes, ...this.countsMeta }, columns, true);
    if (this.columns.length <= MOST_SPARE) spareColumns = this.columns;
    return table;
  };
}

/** Facts in a table about its documents as a whole. */
export interface TableCounts {
  readonly documents: number;
  readonly skipped: number;
  readonly lines: number;
  /** Bytes of text. */
  readonly bytes: number;
  /** Numbers of documents, or units, with too few tokens, and of documents that were cut into units; absent: 0. */
  readonly tooShort?: number;
  readonly cut?: number;
}

export function countsIn({ columns, meta }: Pick<Block, 'columns' | 'meta'>): TableCounts {
  const { tooShort, cut } = countsWithoutRow({ meta });
  return {
    documents: columns.flags!.length,
    skipped: columns.skipCode!.length,
    lines: meta.lines as number,
    bytes: meta.bytes as number,
    ...(tooShort > 0 && { tooShort }),
    ...(cut > 0 && { cut }),
  };
}
