/**
 * Shingle streams of the kernel, with the results of src/text/shingles.ts, one block at a time.
 *
 * A document of up to BLOCK bytes is one block, processed at its end. In a longer document every block leaves data for the next one:
 * source bytes after the cut, an unfinished word or a blank, and the window of the last tokens.
 *
 *      source [rest after cut | ...)    folded [unfinished word | ...)    hashes (window | tokens ...)    column
 */

import { COMBINING_GRAPHEME_JOINER, NfcSegment } from '../../text/canonicalText.js';
import { OccurrenceLabels } from '../../text/labels.js';
import { SHINGLE_COLUMN } from '../../text/rolling.js';
import { hashesOfWords, type ShingleParams, type ShingleSink, ShingleStream } from '../../text/shingles.js';
import {
  CLASS,
  canJoin,
  codePointTable,
  IGNORABLE,
  lowerCaseOf,
  MARK,
  SEPARATOR,
  STANDALONE,
  WHITE_SPACE,
} from '../../text/unicode/codePoints.js';
import { writeCodePoint } from '../../text/unicode/utf8.js';
import { type KernelMemory, once, oncePer } from '../wasmMemory.js';
import {
  AFTER,
  ALL,
  BLOCK,
  type KernelSet,
  NO_SET,
  parameterWords,
  placeSet,
  REPAIRED,
  ROLLING,
  readFacts,
  type Scratch,
  ScratchPool,
  SOURCE,
  type StateWords,
  TEXT_KEY,
  writeParameters,
} from './wasmState.js';
import { TextTables } from './wasmTables.js';

const BLANK = 0x20;
const INVALID = 0x80000000;

/**
 * Normalises segments that the kernel declines, with the reference: lower case, as words or characters. A segment may span any number
 * of blocks: it is open until a code point does not join it. The order of steps is that of src/text/canonicalText.ts.
 */
class TextSegments {
  /** Whether a segment waits for code points that may join it. */
  open = false;
  /** Position of the next byte of the result. */
  to = 0;

  private readonly memory: KernelMemory;
  private readonly words: boolean;
  private readonly table = codePointTable();
  private readonly segment = new NfcSegment(this.table.flags);

  constructor(memory: KernelMemory, words: boolean) {
    this.memory = memory;
    this.words = words;
  }

  /** Discards an open segment. */
  begin(): void {
    this.open = false;
    this.segment.clear();
  }

  /**
   * Adds code points of the source from `at` on while they join the open segment (without an open one, the first code point
   * starts it); returns the position of the code point that does not join and closes the segment, or `end`.
   */
  take(state: number, at: number, end: number): number {
    const { memory, segment } = this;
    while (at < end) {
      const decoded = memory.call.textDecode!(at, end) >>> 0;
      const codePoint = decoded & 0x1fffff;
      if (segment.ignores(codePoint)) {
        // Removed from the text.
      } else if (!this.open) {
        segment.start(codePoint);
        this.open = true;
      } else if (!segment.joins(codePoint)) {
        this.close(state);
        return at;
      } else {
        if (segment.isFull(codePoint)) {
          memory.words[state / 4 + REPAIRED] = 1;
          this.close(state);
          segment.start(COMBINING_GRAPHEME_JOINER);
          this.open = true;
        }
        segment.append(codePoint);
      }
      if (decoded >= INVALID) memory.words[state / 4 + REPAIRED] = 1;
      at += (decoded >>> 24) & 7;
    }
    return end;
  }

  close(state: number): void {
    const { memory, segment, table } = this;
    const count = segment.normalise();
    const flag = state / 4 + AFTER;
    const { bytes, words } = memory;
    for (let i = 0; i < count; i++) {
      const codePoint = lowerCaseOf(table, segment.codePoints[i]!);
      const flags = table.flags[codePoint]!;
      const after = words[flag]!;
      if (this.words) this.writeWordPart(bytes, codePoint, flags & CLASS, after !== 0);
      else if ((flags & WHITE_SPACE) === 0) this.to = writeCodePoint(bytes, this.to, codePoint);
      else if (after === 0) bytes[this.to++] = BLANK;
      if (!this.words) words[flag] = (flags & WHITE_SPACE) !== 0 ? 1 : 0;
      else if ((flags & CLASS) !== MARK) words[flag] = (flags & CLASS) === STANDALONE ? 1 : 0;
    }
    this.begin();
  }

  /** Writes a code point. A letter that is a separate word has a blank before it, and one after its marks. */
  private writeWordPart(bytes: Uint8Array, codePoint: number, kind: number, after: boolean): void {
    if (kind === SEPARATOR || kind === STANDALONE || (after && kind !== MARK)) bytes[this.to++] = BLANK;
    if (kind !== SEPARATOR) this.to = writeCodePoint(bytes, this.to, codePoint);
  }
}

/**
 * Source blocks -> canonical words or characters in kernel memory: alternates between the kernel's pass and
 * the segments that it declines. A block is cut where the result does not depend on the next bytes: before a code point that does not
 * continue an NFC segment or a UTF-8 sequence.
 */
class TextFold {
  private readonly memory: KernelMemory;
  private readonly tables: TextTables;
  private readonly pass: (state: number, from: number, end: number, to: number) => number;
  private readonly segments: TextSegments;
  private readonly flags = codePointTable().flags;

  constructor(memory: KernelMemory, tables: TextTables, words: boolean) {
    this.memory = memory;
    this.tables = tables;
    this.segments = new TextSegments(memory, words);
    const { textFoldWords, textFoldCharacters } = memory.call;
    this.pass = words ? textFoldWords! : textFoldCharacters!;
  }

  begin(): void {
    this.segments.begin();
  }

  /**
   * The cut of a block [from, end) that is not the last: [from, cut) has only finished segments. 0 if there is no cut, because nearly
   * the whole block is one segment.
   */
  cut(from: number, end: number): number {
    const { bytes, call } = this.memory;
    // A sequence that begins four bytes before the end is complete.
    for (let at = end - 4; at > from; at--) {
      const byte = bytes[at]!;
      if (byte < 0x80) return at;
      if (byte >= 0xc0) {
        const codePoint = call.textDecode!(at, end) & 0x1fffff;
        const flags = this.flags[codePoint]!;
        // A joining code point may follow an ignored one.
        if (!canJoin(flags) && flags !== IGNORABLE) return at;
      } else if (at - from >= 3 && isContinued(bytes, at - 1)) {
        // A sequence has at most three continuation bytes, so this byte belongs to none.
        return at;
      }
    }
    return 0;
  }

  /** The end of the last finished sequence of [from, end). */
  lastSequence(from: number, end: number): number {
    const { bytes } = this.memory;
    for (let at = end - 1; at >= end - 3 && at > from; at--) {
      const byte = bytes[at]!;
      if (byte < 0x80 || (byte < 0xe0 && byte >= 0xc0 && at <= end - 2)) return end;
      if (byte >= 0xc0) return byte < 0xf0 && at <= end - 3 ? end : at;
    }
    return end;
  }

  /**
   * Folds [from, end) to `to`; returns the end of the result. `whole`: `end` is a cut, and all segments are finished; else code points
   * are processed one by one, and a segment may remain open.
   */
  fold(state: number, from: number, end: number, to: number, whole: boolean): number {
    const { memory, segments } = this;
    segments.to = to;
    let at = segments.open ? segments.take(state, from, end) : from;
    while (at < end) {
      if (whole) {
        segments.to = this.pass(state, at, end, segments.to);
        at = memory.words[state / 4 + SOURCE]!;
      }
      if (at < end) {
        this.tables.learnMarks();
        at = segments.take(state, at, end);
      }
    }
    return segments.to;
  }

  /** Ends the document: writes the open segment to `to`; returns the end of the result. */
  finish(state: number, to: number): number {
    this.segments.to = to;
    if (this.segments.open) this.segments.close(state);
    return this.segments.to;
  }
}

/** Whether the three bytes up to `at` are continuation bytes. */
function isContinued(bytes: Uint8Array, at: number): boolean {
  return (bytes[at]! & 0xc0) === 0x80 && (bytes[at - 1]! & 0xc0) === 0x80 && (bytes[at - 2]! & 0xc0) === 0x80;
}

/**
 * Token hashes or character values in kernel memory -> shingle hashes in a column, and the column to the
 * sink. Labels of repeated shingles come from the reference.
 */
class WasmShingles {
  tokens = 0;
  occurrences = 0;

  private readonly memory: KernelMemory;
  private readonly params: ShingleParams;
  private readonly sink: ShingleSink;
  private readonly labels: OccurrenceLabels | undefined;
  /** Rolls the window over `count` tokens and writes a shingle for each after the first `skip`. */
  private readonly roll: (state: number, at: number, count: number, skip: number, out: number) => number;
  private waiting = 0;

  constructor(memory: KernelMemory, params: ShingleParams, sink: ShingleSink) {
    const { textRollTokens, textRollStopWords, textRollCharacters } = memory.call;
    this.memory = memory;
    this.params = params;
    this.sink = sink;
    this.labels = params.bag ? new OccurrenceLabels(params.seed) : undefined;
    if (params.unit === 'words') this.roll = textRollTokens!;
    else this.roll = params.unit === 'stopwords' ? textRollStopWords! : textRollCharacters!;
  }

  /** Starts a document; its scratch is passed with every call. */
  begin(): void {
    this.tokens = 0;
    this.occurrences = 0;
    this.waiting = 0;
    this.labels?.begin();
  }

  /** Writes zeros before the first token. */
  clearWindow({ hashes }: Scratch): void {
    this.memory.words.fill(0, hashes / 4 - 2 * this.params.size, hashes / 4);
  }

  /** Adds the `count` tokens at `hashes`, and keeps the last ones as the window of the next call. */
  take(scratch: Scratch, count: number): void {
    const { size, unit } = this.params;
    const { state, hashes, column } = scratch;
    for (let from = 0; from < count; ) {
      const left = count - from;
      const skip = Math.min(left, Math.max(0, size - 1 - this.tokens));
      const taken = Math.min(left, skip + SHINGLE_COLUMN - this.waiting);
      const found = this.roll(state, hashes + 8 * from, taken, skip, column.address + 8 * this.waiting);
      this.tokens += taken;
      this.added(scratch, unit === 'stopwords' ? found : taken - skip);
      from += taken;
    }
    this.memory.bytes.copyWithin(hashes - 8 * size, hashes + 8 * (count - size), hashes + 8 * count);
  }

  /** Ends the document. A document without a shingle gets one of all its tokens. */
  end(scratch: Scratch): void {
    const { state, column } = scratch;
    const { call } = this.memory;
    const { unit } = this.params;
    if (this.tokens > 0 && this.occurrences === 0) {
      if (unit === 'words' || unit === 'stopwords') {
        call.textAllTokens!(state, unit === 'words' ? ROLLING : ALL, column.address);
      } else {
        call.textAllCharacters!(state, this.tokens, column.address);
      }
      this.added(scratch, 1);
    }
    if (this.waiting > 0) this.flush(scratch);
  }

  private added(scratch: Scratch, shingles: number): void {
    this.occurrences += shingles;
    this.waiting += shingles;
    if (this.waiting === SHINGLE_COLUMN) this.flush(scratch);
  }

  private flush({ column }: Scratch): void {
    const count = this.waiting;
    this.waiting = 0;
    this.labels?.label(column.words, count);
    this.sink(column.words, count);
  }
}

class WasmShingleStream extends ShingleStream {
  private readonly memory: KernelMemory;
  private readonly pool: ScratchPool;
  private readonly params: ShingleParams;
  private readonly set: KernelSet;
  private readonly parameters: StateWords;
  private readonly shingles: WasmShingles;
  /** Undefined for the unit `bytes`. */
  private readonly fold: TextFold | undefined;
  private scratch: Scratch | undefined;
  /** Number of bytes in the source arena, and of bytes kept in front of the folded arena. */
  private filled = 0;
  private kept = 0;
  private atStart = true;

  constructor(
    memory: KernelMemory,
    tables: TextTables,
    pool: ScratchPool,
    params: ShingleParams,
    sink: ShingleSink,
    set: KernelSet,
  ) {
    super();
    this.memory = memory;
    this.pool = pool;
    this.params = params;
    this.set = set;
    this.parameters = parameterWords(params);
    this.shingles = new WasmShingles(memory, params, sink);
    if (params.unit !== 'bytes') this.fold = new TextFold(memory, tables, params.unit !== 'chars');
  }

  begin(): void {
    this.close();
    this.shingles.begin();
    this.fold?.begin();
    this.filled = 0;
    this.kept = 0;
    this.atStart = true;
  }

  push(bytes: Uint8Array): void {
    const { memory } = this;
    const { length } = bytes;
    const scratch = this.scratch ?? this.open();
    for (let from = 0; from < length; ) {
      if (this.filled === BLOCK) this.runBlock(scratch);
      const count = Math.min(length - from, BLOCK - this.filled);
      const part = count === length ? bytes : bytes.subarray(from, from + count);
      const to = scratch.source + this.filled;
      memory.bytes.set(part, to);
      memory.call.textKeyPush!(scratch.state + TEXT_KEY, to, to + count);
      this.filled += count;
      from += count;
    }
  }

  end(): void {
    const scratch = this.scratch ?? this.open();
    this.runLast(scratch);
    const { memory, params } = this;
    const overBytes = params.unit === 'chars' || params.unit === 'bytes';
    memory.call.textFinishKey!(scratch.state, overBytes ? 1 : 0);
    memory.call.textKeyEnd!(scratch.state + TEXT_KEY);
    readFacts(memory, scratch.state, this);
    this.shingles.end(scratch);
    this.tokens = this.shingles.tokens;
    this.occurrences = this.shingles.occurrences;
    this.close();
  }

  private open(): Scratch {
    const { memory, params } = this;
    const scratch = this.pool.take(this);
    if (scratch.owner !== this) {
      writeParameters(memory, scratch.state, this.parameters, params.size, this.set);
      scratch.owner = this;
    }
    // The position before the first character counts as white space.
    memory.call.textBegin!(scratch.state, params.unit === 'chars' ? 1 : 0);
    memory.call.textKeyBegin!(scratch.state + TEXT_KEY);
    this.shingles.clearWindow(scratch);
    this.scratch = scratch;
    return scratch;
  }

  private close(): void {
    if (this.scratch !== undefined) this.pool.giveBack(this.scratch);
    this.scratch = undefined;
  }

  /** Processes the full block in the arena up to the cut. */
  private runBlock(scratch: Scratch): void {
    const { memory, fold } = this;
    const { state, source, folded } = scratch;
    const limit = source + this.filled;
    if (fold === undefined) {
      this.takeBytes(scratch, limit);
      this.filled = 0;
      return;
    }
    const from = this.textStart(source);
    const cut = fold.cut(from, limit);
    const end = cut > 0 ? cut : fold.lastSequence(from, limit);
    const to = fold.fold(state, from, end, folded + this.kept, cut > 0);
    if (this.params.unit === 'chars') this.takeCharacters(scratch, to, false);
    else this.takeWords(scratch, to, false);
    memory.bytes.copyWithin(source, end, limit);
    this.filled = limit - end;
  }

  /** Processes the block in the arena as the last one. */
  private runLast(scratch: Scratch): void {
    const { fold } = this;
    const { state, source, folded } = scratch;
    const limit = source + this.filled;
    if (fold === undefined) {
      this.takeBytes(scratch, limit);
      return;
    }
    const to = fold.finish(state, fold.fold(state, this.textStart(source), limit, folded + this.kept, true));
    if (this.params.unit === 'chars') this.takeCharacters(scratch, to, true);
    else this.takeWords(scratch, to, true);
  }

  /** The position after a byte order mark at the beginning of the document. */
  private textStart(source: number): number {
    const { bytes } = this.memory;
    const { atStart, filled } = this;
    this.atStart = false;
    const marked = bytes[source] === 0xef && bytes[source + 1] === 0xbb && bytes[source + 2] === 0xbf;
    return atStart && filled >= 3 && marked ? source + 3 : source;
  }

  private takeWords(scratch: Scratch, to: number, last: boolean): void {
    const { call } = this.memory;
    const { state, folded, hashes } = scratch;
    const end = last ? to : call.textWordInHand!(folded, to);
    this.shingles.take(scratch, call.textTokens!(state, folded, end, hashes));
    if (!last) this.kept = call.textKeepWord!(state, end, to, folded) - folded;
  }

  private takeCharacters(scratch: Scratch, to: number, last: boolean): void {
    const { memory } = this;
    const { state, folded, hashes } = scratch;
    // A blank at the end is written only if a character follows.
    const blank = to > folded && memory.bytes[to - 1] === BLANK;
    const end = blank ? to - 1 : to;
    memory.call.textKeyBytes!(state, folded, end);
    this.shingles.take(scratch, memory.call.textCharacterValues!(state, folded, end, hashes));
    this.kept = blank && !last ? 1 : 0;
    if (blank) memory.bytes[folded] = BLANK;
  }

  private takeBytes(scratch: Scratch, limit: number): void {
    const { call } = this.memory;
    const { state, source, hashes } = scratch;
    call.textKeyBytes!(state, source, limit);
    this.shingles.take(scratch, call.textByteValues!(state, source, limit, hashes));
  }
}

/**
 * Creates shingle streams with the same results as `createShingleStream`; null for a unit that the kernel
 * does not support (lines), for which the caller uses the reference. Tables are made with the first stream. A
 * sink gets a view of kernel memory, which is invalid once the sink allocates there.
 */
export function createWasmShingleStreams(
  memory: KernelMemory,
  tables: () => TextTables = once(() => new TextTables(memory)),
): (params: ShingleParams, sink: ShingleSink) => ShingleStream | null {
  const pool = new ScratchPool(memory);
  // The reference computes the hashes, because this is set-up.
  const setOf = oncePer(({ seed, stopWords }: Pick<ShingleParams, 'seed' | 'stopWords'>) =>
    placeSet(memory, hashesOfWords(stopWords, seed)),
  );
  return (params, sink) => {
    const { unit, seed, stopWords } = params;
    if (unit === 'lines') return null;
    const set = unit === 'stopwords' ? setOf({ seed, stopWords }) : NO_SET;
    return new WasmShingleStream(memory, tables(), pool, params, sink, set);
  };
}
