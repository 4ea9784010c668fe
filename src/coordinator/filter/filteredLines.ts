/**
 * JSON lines in pieces: each complete line is decided as soon as it is there, and passed on unchanged.
 *
 *      piece  ...\n....\n..|        complete lines are decided before the next piece is read
 *                          |..\n    a line that is cut waits for its rest
 */
import { type ErrorCode, MinHashError } from '../../errors.js';
import type { Kernel } from '../../kernel/kernel.js';
import { nothingReadText } from '../../output/wording/wording.js';
import { headOfLines, type LinesHead } from '../../readers/ahead/firstRecords.js';
import { ChunkCutter, type ChunkFault, type LineChunk } from '../../readers/bytes/chunkCutter.js';
import { utf16Of } from '../../readers/bytes/encodings.js';
import { packingOf } from '../../readers/bytes/packings.js';
import { LineEnds, lineEnd } from '../../readers/bytes/recordCutter.js';
import { readBuffers } from '../../readers/documentSink.js';
import { readJsonLines } from '../../readers/formats/json/jsonLines.js';
import { FormatReading } from '../../readers/formats/reading.js';
import type { InputFile } from '../../readers/list/fileList.js';
import { bytesOf } from '../../readers/list/pathIds.js';
import { lineLimit } from '../../readers/recordRoom.js';
import type { ResultParams } from '../../sketch/params.js';
import { EditedParts } from '../apply/records/fates.js';
import { refusal } from '../sketch/corpus.js';
import { missingOnStream } from '../sketch/nothingRead.js';
import { BatchSink, type DocumentIdentity } from './batch.js';
import type { Decision, DocumentFilter } from './documentFilter.js';

/** File number of documents of the stream. */
export const STREAM = 0xffffffff;

/** Lines of a longer piece are decided in parts of about so many bytes. */
const PART_BYTES = 256 << 10;
const STDIN_FILE: InputFile = {
  ...{ path: '-', id: '-', bytes: 0, format: 'jsonl', packing: null, utf16: false, stdin: true },
};

export interface FilterCounts {
  /** Lines that are not blank. */
  records: number;
  passed: number;
  identical: number;
  same_tokens: number;
  near: number;
  /** Lines that are not passed on for another reason, by the code of the reason. */
  skipped: Record<string, number>;
  /** Of the passed ones: without tokens. */
  empty: number;
  /** Documents in which something was replaced by U+FFFD for comparing. */
  repaired: number;
  bytes: number;
  passed_bytes: number;
}

/** The counts before the first line. */
export const noCounts = (): FilterCounts => ({
  ...{ records: 0, passed: 0, identical: 0, same_tokens: 0, near: 0, skipped: {} },
  ...{ empty: 0, repaired: 0, bytes: 0, passed_bytes: 0 },
});

export interface LineOutput {
  /** Lines as they came, and soon overwritten. False: nobody reads them any more. */
  pass(lines: Uint8Array): Promise<boolean>;
  /** A record that is not passed on because it resembles another. All is valid during the call. */
  drop(record: DocumentIdentity, decision: Decision): void;
  /** A line, numbered from 1, that is not passed on for another reason; null: it names no id. */
  skip(id: Uint8Array | null, line: number, code: ErrorCode): void;
}

export function placeOfLine(line: number): string {
  return `-#${line}`;
}

/** A line that is no document: its number from 1, the reason, and the id that it names. */
interface SkippedLine {
  readonly line: number;
  readonly code: ErrorCode;
  readonly id: Uint8Array | null;
}

export class FilteredLines {
  readonly counts = noCounts();
  readonly #filter: DocumentFilter;
  readonly #params: ResultParams;
  readonly #learns: boolean;
  readonly #out: LineOutput;
  readonly #sink: LineSink;
  readonly #reading: FormatReading;
  readonly #cutter: ChunkCutter;
  readonly #passed = new PassedLines();
  #head: LinesHead | null = null;

  /** @param learns whether lines are compared with earlier ones */
  constructor(
    filter: DocumentFilter,
    kernel: Kernel,
    params: ResultParams,
    learns: boolean,
    out: LineOutput,
  ) {
    this.#filter = filter;
    this.#params = params;
    this.#learns = learns;
    this.#out = out;
    this.#sink = new LineSink(filter.batch);
    this.#reading = new FormatReading(params, this.#sink, readBuffers(1, kernel)).ofRecords;
    this.#cutter = new ChunkCutter(new LineEnds(), PART_BYTES, lineLimit(params));
  }

  /**
   * Takes the next piece of the stream. False: the reader of the output is gone.
   *
   * @throws MinHashError INPUT_REFUSED with --on-error fail, NOTHING_READ of a stream that is packed or UTF-16, SCRATCH_FAILED
   */
  async push(piece: Uint8Array): Promise<boolean> {
    if (this.counts.bytes === 0) refusePacked(piece);
    this.counts.bytes += piece.length;
    this.#cutter.push(piece);
    for (const part of this.#cutter.complete()) {
      if (!(await this.#take(part))) return false;
    }
    return true;
  }

  /** Takes the last line where it lacks its line feed. @throws as `push`; TEXT_FIELD_MISSING, NOTHING_READ where no line was a document */
  async end(): Promise<boolean> {
    for (const part of this.#cutter.rest(false)) {
      if (!(await this.#take(part))) return false;
    }
    this.#refuseNothing();
    return true;
  }

  async #take(part: LineChunk | ChunkFault): Promise<boolean> {
    if ('fault' in part) {
      this.#skip({ line: part.line + 1, code: part.fault, id: null });
      return true;
    }
    const { bytes: lines, firstLine } = part;
    this.#head ??= headOfLines(lines);
    this.#sink.firstLine = firstLine;
    const split = { kind: 'chunk', file: STDIN_FILE, index: STREAM, firstLine } as const;
    readJsonLines({ ...split, bytes: lines }, this.#reading);
    this.#filter.close();
    const passed = this.#passed;
    passed.begin(part);
    let refused: unknown = null;
    try {
      this.#decideAll(passed);
    } catch (error) {
      refused = error;
    }
    this.#filter.clear();
    this.#sink.skipped.length = 0;
    let isRead = true;
    for (const bytes of passed.take()) {
      this.counts.passed_bytes += bytes.length;
      isRead &&= await this.#out.pass(bytes);
    }
    if (refused !== null) throw refused;
    return isRead;
  }

  /** Decides the documents of the batch in the order of their lines, and the lines between them that are no documents. */
  #decideAll(passed: PassedLines): void {
    const { batch } = this.#filter;
    const { skipped } = this.#sink;
    let next = 0;
    for (let i = 0; i < batch.count; i++) {
      const line = batch.number(i);
      while (next < skipped.length && skipped[next]!.line < line) this.#skip(skipped[next++]!);
      this.#decide(i, line, passed);
    }
    while (next < skipped.length) this.#skip(skipped[next++]!);
    this.counts.repaired += batch.repaired;
  }

  #decide(i: number, line: number, passed: PassedLines): void {
    const { counts } = this;
    const decision = this.#filter.decide(i, this.#learns);
    counts.records++;
    if (decision.kept) {
      counts.passed++;
      if (decision.empty) counts.empty++;
      passed.add(line);
      return;
    }
    if (decision.kind === 'identical') counts.identical++;
    else if (decision.kind === 'near') counts.near++;
    else counts.same_tokens++;
    this.#out.drop(this.#filter.batch.identity(i), decision);
  }

  #skip({ line, code, id }: SkippedLine): void {
    const { counts } = this;
    counts.records++;
    counts.skipped[code] = (counts.skipped[code] ?? 0) + 1;
    this.#out.skip(id, line, code);
    if (this.#params.onError === 'fail') throw refusal(`standard input, line ${line}`, code);
  }

  #refuseNothing(): void {
    const { records, skipped } = this.counts;
    const others = Object.values(skipped).reduce((sum, count) => sum + count, 0);
    if (records === 0 || others < records) return;
    if (skipped.JSON_NO_TEXT === records)
      throw new MinHashError(missingOnStream(records, this.#head!, this.#params));
    throw new MinHashError({
      code: 'NOTHING_READ',
      detail: nothingReadText(skipped, this.#params, undefined),
    });
  }
}

/** Records pass as they come, so a packed stream has to be unpacked by its sender. */
function refusePacked(head: Uint8Array): void {
  const packing = packingOf(head);
  const encoding = packing === null ? utf16Of(head) : null;
  if (packing === null && encoding === null) return;
  const what = packing === null ? 'UTF-16; make it UTF-8' : `packed by ${packing}; unpack it`;
  const detail = `standard input: expected JSON lines in UTF-8, got what is ${what} before it is piped in`;
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
  /** The line that begins at `at`. */
  #line = 0;
  #at = 0;

  begin({ bytes, firstLine }: LineChunk): void {
    this.#lines = bytes;
    this.#line = firstLine + 1;
    this.#at = 0;
  }

  /** Numbers, from 1, ascend. */
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
