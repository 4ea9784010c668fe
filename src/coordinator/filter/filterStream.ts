/**
 * The filter of the command: reads a stream of JSON lines, passes on those that resemble no earlier one, and lists the
 * others in a table. Each complete line is decided as soon as it is read, and passed on unchanged.
 *
 *      piece  ...\n....\n..|        complete lines are decided before the next piece is read
 *                          |..\n    an incomplete line waits for its rest
 */
import type { Readable } from 'node:stream';
import { type ErrorCode, MinHashError } from '../../errors.js';
import { ChunkCutter, type ChunkProblem, type LineChunk } from '../../readers/bytes/chunkCutter.js';
import { utf16Of } from '../../readers/bytes/encodings.js';
import { packingOf } from '../../readers/bytes/packings.js';
import { LineEnds, lineEnd } from '../../readers/bytes/recordCutter.js';
import { readBuffers } from '../../readers/documentSink.js';
import { HEAD_BYTES } from '../../readers/firstRecords.js';
import { readJsonLines } from '../../readers/formats/json/jsonLines.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { InputFile } from '../../readers/list/fileList.js';
import { binaryOfBytes, bytesOf } from '../../readers/list/pathIds.js';
import { lineLimit } from '../../readers/recordRoom.js';
import type { ResultParams } from '../../sketch/params.js';
import { plainCauseOf, systemCodeOf } from '../../store/files.js';
import { EditedParts } from '../apply/records/fates.js';
import { nothingReadText } from '../sketch/nothingRead.js';
import { refusal } from '../skips.js';
import { missingOnStream } from '../start/missingFields.js';
import { BatchSink, type DocumentIdentity, STREAM } from './batch.js';
import type { Decision, DocumentFilter } from './documentFilter.js';
import { DroppedTable } from './droppedTable.js';
import type { FilterSetup } from './filterOptions.js';
import type { IndexedDocuments } from './indexedDocuments.js';
import { type AgainstCounts, type FilterHooks, type OpenedFilter, openFilter } from './openFilter.js';

/** Rows of the table are passed on when they reach this many bytes. */
const ROWS_BYTES = 64 << 10;
/** Lines of a longer piece are decided in parts of about this many bytes. */
const PART_BYTES = 256 << 10;
const STDIN_FILE: InputFile = {
  ...{ path: '-', id: '-', bytes: 0, format: 'jsonl', packing: null, utf16: false, stdin: true },
};

export interface StreamHooks extends FilterHooks {
  /** Receives unchanged lines in a buffer that is soon reused. Returns false if the reader of the output is gone. */
  readonly pass: (lines: Uint8Array) => Promise<boolean>;
  /** Receives rows of the table of documents that are not passed on, header first, in a buffer that is soon reused. */
  readonly rows: (rows: Uint8Array) => void;
}

interface LineCounts {
  /** Lines that are not blank. */
  records: number;
  passed: number;
  identical: number;
  same_tokens: number;
  near: number;
  /** Lines that are not passed on for another reason, by its code. */
  readonly skipped: Record<string, number>;
  /** Among the lines passed on: records without the text field, and documents without tokens. */
  without_text: number;
  empty: number;
  /** Documents in which invalid bytes were replaced by U+FFFD for comparison. */
  repaired: number;
  bytes: number;
  passed_bytes: number;
}

type FilterCounts = Pick<DocumentFilter, 'candidates' | 'compared' | 'capped' | 'forgotten'>;

export interface StreamCounts extends Readonly<LineCounts>, Readonly<FilterCounts> {
  readonly duplicates: number;
  /** Documents added to the index; null: there is none. */
  readonly appended: number | null;
  /** A sentence about documents of the index that were not verified; null: all were. */
  readonly unverified: string | null;
  /** Null: lines were compared with one another. */
  readonly against: (AgainstCounts & { readonly skipped: number }) | null;
}

/**
 * Filters a stream until it ends, or until the reader of the output is gone. `counts` is correct at any time, even
 * after an error, for all lines up to then, and their rows were passed on.
 */
export class StreamFilter {
  readonly #setup: FilterSetup;
  readonly #hooks: StreamHooks;
  readonly #table = new DroppedTable();
  readonly #lines: LineCounts = {
    ...{ records: 0, passed: 0, identical: 0, same_tokens: 0, near: 0, skipped: {} },
    ...{ without_text: 0, empty: 0, repaired: 0, bytes: 0, passed_bytes: 0 },
  };
  #filter: FilterCounts = { candidates: 0, compared: 0, capped: 0, forgotten: 0 };
  #against: AgainstCounts | null = null;
  #againstSkipped = 0;
  #appended: number | null = null;
  #indexed: IndexedDocuments | null = null;

  constructor(setup: FilterSetup, hooks: StreamHooks) {
    this.#setup = setup;
    this.#hooks = hooks;
  }

  get counts(): StreamCounts {
    const { candidates, compared, capped, forgotten } = this.#filter;
    const { identical, same_tokens, near } = this.#lines;
    const against = this.#against === null ? null : { ...this.#against, skipped: this.#againstSkipped };
    const duplicates = identical + same_tokens + near;
    return {
      ...{ ...this.#lines, duplicates, candidates, compared, capped, forgotten, against },
      appended: this.#appended,
      unverified: this.#indexed?.sources.warning() ?? null,
    };
  }

  /**
   * Returns true if the stream was read to its end.
   *
   * @throws MinHashError INPUT_REFUSED with --on-error fail, INPUT_FAILED, MEMORY_BUDGET, SCRATCH_FAILED, NOTHING_READ,
   * TEXT_FIELD_MISSING if no line is a document; the reason of the signal
   */
  async run(stdin: Readable): Promise<boolean> {
    const { signal } = this.#hooks;
    const stop = (): unknown => stdin.destroy();
    signal?.addEventListener('abort', stop);
    try {
      return await this.#run(stdin);
    } catch (error) {
      // An aborted stream ends with an error of its own.
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#hooks.rows(this.#table.take());
    }
  }

  async #run(stdin: Readable): Promise<boolean> {
    const { signal } = this.#hooks;
    const opened = await openFilter(this.#setup, this.#hooks, (place, code) => {
      this.#againstSkipped++;
      this.#table.skip(place, binaryOfBytes(place), code);
    });
    this.#filter = opened.filter;
    this.#against = opened.against;
    this.#indexed = opened.indexed;
    const lines = new FilteredLines(opened, this.#setup.params, this.#hooks, this.#table, this.#lines);
    try {
      signal?.throwIfAborted();
      for await (const piece of piecesOf(stdin)) {
        if (!(await lines.push(piece))) return false;
        signal?.throwIfAborted();
      }
      const isRead = await lines.end();
      if (opened.indexed !== null) this.#appended = opened.indexed.commit();
      return isRead;
    } finally {
      opened.indexed?.close();
      opened.filter.end();
    }
  }
}

/** @throws MinHashError INPUT_FAILED: an unknown number of bytes is missing */
async function* piecesOf(stdin: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of stdin as AsyncIterable<string | Uint8Array>) {
      bytes += piece.length;
      yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    }
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null || error instanceof MinHashError) throw error;
    const detail = `standard input, after ${bytes} bytes: ${plainCauseOf(code)}`;
    throw new MinHashError({ code: 'INPUT_FAILED', detail }, { cause: error });
  }
}

function placeOfLine(line: number): string {
  return `-#${line}`;
}

/** A line that is not a document: its number from 1, the reason, and its id. */
interface SkippedLine {
  readonly line: number;
  readonly code: ErrorCode;
  readonly id: Uint8Array | null;
}

class FilteredLines {
  readonly #opened: OpenedFilter;
  readonly #params: ResultParams;
  readonly #hooks: StreamHooks;
  readonly #table: DroppedTable;
  readonly #counts: LineCounts;
  readonly #sink: LineSink;
  readonly #reading: FormatReading;
  readonly #cutter: ChunkCutter;
  readonly #passed = new PassedLines();
  #head: Uint8Array | null = null;

  constructor(
    opened: OpenedFilter,
    params: ResultParams,
    hooks: StreamHooks,
    table: DroppedTable,
    counts: LineCounts,
  ) {
    this.#opened = opened;
    this.#params = params;
    this.#hooks = hooks;
    this.#table = table;
    this.#counts = counts;
    this.#sink = new LineSink(opened.filter.batch);
    this.#reading = new FormatReading(params, this.#sink, readBuffers(1, opened.kernel)).ofRecords;
    this.#cutter = new ChunkCutter(new LineEnds(), PART_BYTES, lineLimit(params));
  }

  /**
   * Processes the next piece of the stream. Returns false if the reader of the output is gone.
   *
   * @throws MinHashError INPUT_REFUSED with --on-error fail, NOTHING_READ if the stream is compressed or UTF-16,
   * SCRATCH_FAILED
   */
  async push(piece: Uint8Array): Promise<boolean> {
    if (this.#counts.bytes === 0) refusePacked(piece);
    this.#counts.bytes += piece.length;
    this.#cutter.push(piece);
    for (const part of this.#cutter.complete()) {
      if (!(await this.#take(part))) return false;
    }
    return true;
  }

  /**
   * Processes a last line without a line feed. @throws as `push`; TEXT_FIELD_MISSING, NOTHING_READ if no line was a
   * document
   */
  async end(): Promise<boolean> {
    for (const part of this.#cutter.rest(false)) {
      if (!(await this.#take(part))) return false;
    }
    this.#refuseNothing();
    return true;
  }

  async #take(part: LineChunk | ChunkProblem): Promise<boolean> {
    if ('problem' in part) {
      this.#skip({ line: part.line + 1, code: part.problem, id: null });
      return true;
    }
    const { bytes: lines, firstLine } = part;
    this.#head ??= lines.slice(0, HEAD_BYTES);
    this.#sink.firstLine = firstLine;
    const split = { kind: 'chunk', file: STDIN_FILE, index: STREAM, firstLine } as const;
    readJsonLines({ ...split, bytes: lines }, this.#reading);
    this.#opened.filter.close();
    await this.#opened.filter.readSources();
    const passed = this.#passed;
    passed.begin(part);
    let refused: unknown = null;
    try {
      this.#decideAll(passed);
    } catch (error) {
      refused = error;
    }
    this.#opened.filter.clear();
    this.#sink.skipped.length = 0;
    let isRead = true;
    for (const bytes of passed.take()) {
      this.#counts.passed_bytes += bytes.length;
      isRead &&= await this.#hooks.pass(bytes);
    }
    if (refused !== null) throw refused;
    return isRead;
  }

  /** Decides the documents of the batch in line order, and the lines between them that are not documents. */
  #decideAll(passed: PassedLines): void {
    const { batch } = this.#opened.filter;
    const { skipped } = this.#sink;
    let next = 0;
    for (let i = 0; i < batch.count; i++) {
      const line = batch.identity(i).number;
      while (next < skipped.length && skipped[next]!.line < line) this.#leave(skipped[next++]!, passed);
      this.#decide(i, line, passed);
    }
    while (next < skipped.length) this.#leave(skipped[next++]!, passed);
    this.#counts.repaired += batch.repaired;
  }

  #decide(i: number, line: number, passed: PassedLines): void {
    const counts = this.#counts;
    const { filter, learns, indexed } = this.#opened;
    const decision = filter.decide(i, learns);
    counts.records++;
    if (decision.kept) {
      counts.passed++;
      if (decision.empty) counts.empty++;
      else if (indexed?.adds === true) indexed.add(filter.document(i), filter.batch, i, placeOfLine(line));
      passed.add(line);
      return;
    }
    if (decision.kind === 'identical') counts.identical++;
    else if (decision.kind === 'near') counts.near++;
    else counts.same_tokens++;
    this.#drop(filter.batch.identity(i), decision);
  }

  /** Arguments are valid during the call only. */
  #drop(record: DocumentIdentity, decision: Decision): void {
    const { against, placeOf } = this.#opened;
    const like = decision.like!;
    const keptPlace = like.location ?? (against === null ? placeOfLine(like.number) : placeOf(like));
    this.#table.drop(record, placeOfLine(record.number), keptPlace, decision);
    this.#passRows();
  }

  #passRows(): void {
    if (this.#table.length >= ROWS_BYTES) this.#hooks.rows(this.#table.take());
  }

  /** A record without a text resembles no document and is passed on, as apply keeps it; other skipped lines are not. */
  #leave(skipped: SkippedLine, passed: PassedLines): void {
    if (skipped.code !== 'JSON_NO_TEXT' || this.#params.onError === 'fail') {
      this.#skip(skipped);
      return;
    }
    this.#counts.records++;
    this.#counts.passed++;
    this.#counts.without_text++;
    passed.add(skipped.line);
  }

  #skip({ line, code, id }: SkippedLine): void {
    const counts = this.#counts;
    counts.records++;
    counts.skipped[code] = (counts.skipped[code] ?? 0) + 1;
    const place = placeOfLine(line);
    this.#table.skip(id ?? bytesOf(place), place, code);
    this.#passRows();
    if (this.#params.onError === 'fail') throw refusal(`standard input, line ${line}`, code);
  }

  #refuseNothing(): void {
    const { records, skipped, without_text: withoutText } = this.#counts;
    const others = Object.values(skipped).reduce((sum, count) => sum + count, withoutText);
    if (records === 0 || others < records) return;
    if (withoutText === records) throw new MinHashError(missingOnStream(records, this.#head!, this.#params));
    throw new MinHashError({
      code: 'NOTHING_READ',
      detail: nothingReadText(
        { ...skipped, ...(withoutText > 0 && { JSON_NO_TEXT: withoutText }) },
        this.#params,
        undefined,
      ),
    });
  }
}

/** Records are passed on unchanged, so a compressed stream must be decompressed by its sender. */
function refusePacked(head: Uint8Array): void {
  const packing = packingOf(head);
  const encoding = packing === null ? utf16Of(head) : null;
  if (packing === null && encoding === null) return;
  const what = packing === null ? 'UTF-16; convert it to UTF-8' : `${packing} data; decompress it`;
  const detail = `standard input: expected JSON lines in UTF-8, got ${what} before piping it in`;
  throw new MinHashError({ code: 'NOTHING_READ', detail });
}

class LineSink extends BatchSink {
  readonly skipped: SkippedLine[] = [];

  skip(_file: number, record: number, code: ErrorCode, id: Uint8Array | null): void {
    this.skipped.push({ line: this.firstLine + record + 1, code, id: id === null ? null : id.slice() });
  }

  protected override identity(_file: number, record: number, id: Uint8Array | null): DocumentIdentity {
    const number = this.firstLine + record + 1;
    return { id: id ?? bytesOf(placeOfLine(number)), file: STREAM, number };
  }
}

class PassedLines extends EditedParts {
  #lines: Buffer = Buffer.alloc(0);
  /** The number of the line that begins at `at`. */
  #line = 0;
  #at = 0;

  begin({ bytes, firstLine }: LineChunk): void {
    this.#lines = bytes;
    this.#line = firstLine + 1;
    this.#at = 0;
  }

  /** Numbers must ascend, from 1. */
  add(line: number): void {
    while (this.#line < line) this.#next();
    const from = this.#at;
    this.#next();
    this.stay(this.#lines, from, this.#at);
  }

  #next(): void {
    this.#at = lineEnd(this.#lines, this.#at);
    this.#line++;
  }
}
