/**
 * The filter of the command: reads a stream of JSON lines, passes on those that resemble no earlier one, and lists the
 * others in a table. Each complete line is decided as soon as it is read, and passed on unchanged.
 *
 *      piece  ...\n....\n..|        complete lines are decided before the next piece is read
 *                          |..\n    an incomplete line waits for its rest
 *
 * A line that is not a document resembles nothing and is passed on: `run --write` keeps it too.
 */
import type { Readable } from 'node:stream';
import { ERRORS, type ErrorCode, MinHashError } from '../../errors.js';
import { ChunkCutter, type ChunkProblem, type LineChunk } from '../../readers/bytes/chunkCutter.js';
import { codecOf } from '../../readers/bytes/codecs.js';
import { utf16Of } from '../../readers/bytes/encodings.js';
import { lineEnd } from '../../readers/bytes/records.js';
import { lineLimit, readBuffers } from '../../readers/documentSink.js';
import { HEAD_BYTES } from '../../readers/firstRecords.js';
import { readJsonLines } from '../../readers/formats/json/jsonLines.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { InputFile } from '../../readers/list/fileList.js';
import { counted } from '../../result/wording/amounts.js';
import { plainCauseOf, systemCodeOf } from '../../store/files.js';
import { EditedParts } from '../apply/records/fates.js';
import { refusal } from '../skips.js';
import { missingOnStream } from '../start/missingFields.js';
import { locationOf } from './batch.js';
import type { DocumentFilter } from './documentFilter.js';
import { DroppedTable } from './droppedTable.js';
import type { FilterSetup } from './filterOptions.js';
import { type AgainstCounts, type FilterHooks, type OpenedFilter, openFilter } from './openFilter.js';

/** Rows of the table are passed on when they reach this many bytes. */
const ROWS_BYTES = 64 << 10;
/** Lines of a longer piece are decided in parts of about this many bytes. */
const PART_BYTES = 256 << 10;
const STDIN_FILE: InputFile = {
  ...{ path: '-', id: '-', bytes: 0, format: 'jsonl', codec: null, utf16: false, stdin: true },
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
  /** Among the lines passed on: documents without tokens, and lines that are not documents, by error code. */
  empty: number;
  readonly not_compared: Record<string, number>;
  /** Documents in which invalid bytes were replaced by U+FFFD for comparison. */
  repaired: number;
  bytes: number;
  passed_bytes: number;
}

type FilterCounts = Pick<DocumentFilter, 'candidates' | 'capped' | 'forgotten'>;

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
    ...{ records: 0, passed: 0, identical: 0, same_tokens: 0, near: 0, not_compared: {} },
    ...{ empty: 0, repaired: 0, bytes: 0, passed_bytes: 0 },
  };
  readonly #passed = new PassedLines();
  #opened: OpenedFilter | null = null;
  #againstSkipped = 0;
  #appended: number | null = null;
  #unverified: string | null = null;

  constructor(setup: FilterSetup, hooks: StreamHooks) {
    this.#setup = setup;
    this.#hooks = hooks;
  }

  get counts(): StreamCounts {
    const { candidates = 0, capped = 0, forgotten = 0 } = this.#opened?.filter ?? {};
    const { identical, same_tokens, near } = this.#lines;
    const against = this.#opened?.against ?? null;
    return {
      ...{ ...this.#lines, duplicates: identical + same_tokens + near, candidates, capped, forgotten },
      ...{ appended: this.#appended, unverified: this.#unverified },
      against: against === null ? null : { ...against, skipped: this.#againstSkipped },
    };
  }

  /**
   * Returns true if the stream was read to its end.
   *
   * @throws MinHashError of `openFilter`; INPUT_REFUSED with --on-error fail, INPUT_FAILED, SCRATCH_FAILED, NOTHING_READ,
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
      this.#table.skip(place, code);
    });
    this.#opened = opened;
    const { filter, indexed } = opened;
    try {
      signal?.throwIfAborted();
      if (!(await this.#filter(opened, stdin))) return false;
      if (indexed !== null) this.#appended = indexed.commit();
      return true;
    } finally {
      this.#unverified = indexed?.sources.warning() ?? null;
      indexed?.close();
      filter.end();
    }
  }

  /** Returns false if the reader of the output is gone. */
  async #filter(opened: OpenedFilter, stdin: Readable): Promise<boolean> {
    const { params } = this.#setup;
    const reading = new FormatReading(params, opened.filter.batch, readBuffers(1, opened.kernel));
    /** Bytes of a line that is too long to be read. */
    let long: Uint8Array[] = [];
    const pass = (bytes: Buffer, from: number, to: number): unknown => long.push(bytes.slice(from, to));
    const cutter = new ChunkCutter(null, PART_BYTES, { most: Math.max(PART_BYTES, lineLimit(params)) }, pass);
    let line = 0;
    let head: Uint8Array | null = null;
    const takeAll = async (parts: Iterable<LineChunk | ChunkProblem>): Promise<boolean> => {
      const passLong = async (): Promise<boolean> => {
        const pieces = long;
        long = [];
        return this.#pass(pieces);
      };
      for (const part of parts) {
        if (!(await passLong())) return false;
        if ('problem' in part) this.#passUncompared(line++, part.problem);
        else {
          head ??= part.bytes.slice(0, HEAD_BYTES);
          const lines = await this.#take({ ...part, firstLine: line }, opened, reading);
          if (lines === null) return false;
          line += lines;
        }
      }
      return passLong();
    };
    for await (const piece of piecesOf(stdin)) {
      if (this.#lines.bytes === 0) refuseCompressed(piece);
      this.#lines.bytes += piece.length;
      cutter.push(piece);
      if (!(await takeAll(cutter.chunks(true)))) return false;
      this.#hooks.signal?.throwIfAborted();
    }
    if (!(await takeAll(cutter.rest(false)))) return false;
    this.#refuseNothing(head);
    return true;
  }

  async #pass(pieces: Iterable<Uint8Array>): Promise<boolean> {
    let isRead = true;
    for (const bytes of pieces) {
      this.#lines.passed_bytes += bytes.length;
      isRead &&= await this.#hooks.pass(bytes);
    }
    return isRead;
  }

  /** Reads and decides complete lines; returns how many there are, or null if the reader of the output is gone. */
  async #take(part: LineChunk, opened: OpenedFilter, reading: FormatReading): Promise<number | null> {
    const { filter } = opened;
    const { batch } = filter;
    const { bytes, firstLine } = part;
    batch.firstLine = firstLine;
    const lines = readJsonLines({ kind: 'chunk', file: STDIN_FILE, index: 0, firstLine, bytes }, reading);
    await filter.close();
    const passed = this.#passed;
    passed.begin(part);
    let refused: unknown = null;
    try {
      this.#decideAll(opened, passed);
    } catch (error) {
      refused = error;
    }
    batch.clear();
    const isRead = await this.#pass(passed.take());
    if (refused !== null) throw refused;
    return isRead ? lines : null;
  }

  /** Decides the documents of the batch in line order, and the lines between them that are not documents. */
  #decideAll(opened: OpenedFilter, passed: PassedLines): void {
    const { batch } = opened.filter;
    const { unread, count } = batch;
    for (let i = 0, next = 0; i < count || next < unread.length; ) {
      const number = i < count ? batch.identity(i).number : Number.POSITIVE_INFINITY;
      if (next < unread.length && unread[next]!.number < number) {
        const { number: line, code } = unread[next++]!;
        this.#passUncompared(line, code);
        passed.add(line);
      } else this.#decide(i++, opened, passed);
    }
    this.#lines.repaired += batch.repaired;
  }

  #decide(i: number, { filter, learns, indexed }: OpenedFilter, passed: PassedLines): void {
    const counts = this.#lines;
    const { batch } = filter;
    const decision = filter.decide(i, learns);
    const document = batch.identity(i);
    counts.records++;
    if (decision.kept) {
      counts.passed++;
      if (decision.empty) counts.empty++;
      else if (indexed?.adds === true) indexed.add(batch.document(i), batch, i, locationOf(document));
      passed.add(document.number);
      return;
    }
    if (decision.kind === 'identical') counts.identical++;
    else if (decision.kind === 'near') counts.near++;
    else counts.same_tokens++;
    this.#table.drop(document, decision);
    if (this.#table.length >= ROWS_BYTES) this.#hooks.rows(this.#table.take());
  }

  /** Counts a line that is not a document. @throws MinHashError INPUT_REFUSED with --on-error fail */
  #passUncompared(line: number, code: ErrorCode): void {
    if (this.#setup.params.onError === 'fail') throw refusal(`standard input, line ${line + 1}`, code);
    const counts = this.#lines;
    counts.records++;
    counts.passed++;
    counts.not_compared[code] = (counts.not_compared[code] ?? 0) + 1;
  }

  #refuseNothing(head: Uint8Array | null): void {
    const { records, not_compared } = this.#lines;
    const { params } = this.#setup;
    const others = Object.values(not_compared).reduce((sum, count) => sum + count, 0);
    if (records === 0 || others < records) return;
    if (not_compared.JSON_NO_TEXT === records) throw new MinHashError(missingOnStream(head!, params));
    const reasons = Object.entries(not_compared).map(
      ([code, count]) => `${counted(count, 'line')} ${code}, ${ERRORS[code as ErrorCode].text}`,
    );
    const detail = `no record on standard input could be compared: ${reasons.join('; ')}`;
    throw new MinHashError({ code: 'NOTHING_READ', detail, remedy: JSON_LINES });
  }
}

const JSON_LINES =
  "pass JSON lines, one object per line; jq -c '.[]' FILE.json prints those of an array, jq -c . FILE those of other JSON";

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

/** Records are passed on unchanged, so a compressed stream must be decompressed by its sender. */
function refuseCompressed(head: Uint8Array): void {
  const codec = codecOf(head);
  if (codec === null && utf16Of(head) === null) return;
  const what = codec === null ? 'UTF-16; convert it to UTF-8' : `${codec} data; decompress it`;
  const detail = `standard input: expected JSON lines in UTF-8, got ${what} before piping it in`;
  throw new MinHashError({ code: 'NOTHING_READ', detail });
}

class PassedLines extends EditedParts {
  #lines: Buffer = Buffer.alloc(0);
  /** The number of the line that begins at `#at`. */
  #line = 0;
  #at = 0;

  begin({ bytes, firstLine }: LineChunk): void {
    this.#lines = bytes;
    this.#line = firstLine;
    this.#at = 0;
  }

  /** Passes on a line; numbers must ascend, from 0. */
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
