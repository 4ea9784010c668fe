/**
 * Turns canonical text into hashes of its words, lines and sentences, in columns, and into its characters.
 *
 * A word is a maximal run of letters, marks and numbers; a letter of a script without blanks is a word together with the marks that
 * follow. No strings are created. The input must be output of canonicalText.ts.
 */
import { ContentKey } from './keys/contentKey.js';
import { HashColumn, type ShingleSink } from './rolling.js';
import { TokenHash } from './tokenHash.js';
import {
  CLASS,
  codePointTable,
  MARK,
  SEPARATOR,
  STANDALONE,
  WHITE_SPACE,
  WORD,
} from './unicode/codePoints.js';
import { codePointAt, sequenceLength } from './unicode/utf8.js';

/** Maximum number of token hashes per call of a sink. */
const TOKEN_COLUMN = 4096;

export class WordTokens {
  private readonly flags = codePointTable().flags;
  private readonly hash: TokenHash;
  private readonly column: HashColumn;
  /** Class of the first code point of the current word; SEPARATOR between words. */
  private inside = SEPARATOR;

  constructor(seed: number, sink: ShingleSink) {
    this.column = new HashColumn(sink, undefined, TOKEN_COLUMN);
    this.hash = new TokenHash(seed, false);
  }

  begin(): void {
    this.column.begin();
    this.inside = SEPARATOR;
    this.hash.reset();
  }

  /** Takes `bytes[0 .. count)`: whole code points of canonical text. */
  push(bytes: Uint8Array, count: number): void {
    const { flags, hash } = this;
    let i = 0;
    while (i < count) {
      const byte = bytes[i]!;
      if (byte >= 0x80) {
        i = this.pushWide(bytes, i);
      } else {
        // ASCII has letters, numbers and separators only.
        if ((flags[byte]! & CLASS) === SEPARATOR) {
          if (this.inside !== SEPARATOR) this.close();
        } else {
          if (this.inside !== WORD) this.open(WORD);
          hash.add(byte);
        }
        i++;
      }
    }
  }

  end(): void {
    if (this.inside !== SEPARATOR) this.close();
    this.column.end();
  }

  /** Takes one code point beyond ASCII; returns the place after it. */
  private pushWide(bytes: Uint8Array, at: number): number {
    const after = at + sequenceLength(bytes[at]!);
    const kind = this.flags[codePointAt(bytes, at)]! & CLASS;
    if (kind === SEPARATOR) {
      if (this.inside !== SEPARATOR) this.close();
      return after;
    }
    if (kind === STANDALONE) this.open(STANDALONE);
    else if (kind === WORD && this.inside !== WORD) this.open(WORD);
    else if (kind === MARK && this.inside === SEPARATOR) this.open(WORD);
    for (let i = at; i < after; i++) this.hash.add(bytes[i]!);
    return after;
  }

  private open(kind: number): void {
    if (this.inside !== SEPARATOR) this.close();
    this.inside = kind;
  }

  private close(): void {
    const { column } = this;
    this.hash.finish(column.hashes, 2 * column.count);
    this.inside = SEPARATOR;
    column.added(1);
  }
}

/**
 * Receives `codePoints[0 .. count)` and the same text as `bytes[0 .. byteCount)`, `count` > 0; valid during the
 * call.
 */
type CharacterSink = (codePoints: Uint32Array, count: number, bytes: Uint8Array, byteCount: number) => void;

const COLUMN = 8192;
const BLANK = 0x20;

/**
 * Canonical text -> its characters: code points, every run of white space one blank, none at the ends. Emits
 * both the code points (for shingles) and their UTF-8 bytes (for the content hash).
 */
export class CharacterTokens {
  private readonly sink: CharacterSink;
  private readonly flags = codePointTable().flags;
  private readonly codePoints = new Uint32Array(COLUMN);
  private readonly bytes = new Uint8Array(4 * COLUMN);
  private count = 0;
  private byteCount = 0;
  private started = false;
  /** Whether white space was read but not written yet, because the text may end after it. */
  private blankDue = false;

  constructor(sink: CharacterSink) {
    this.sink = sink;
  }

  begin(): void {
    this.count = 0;
    this.byteCount = 0;
    this.started = false;
    this.blankDue = false;
  }

  /** Takes `bytes[0 .. count)`: whole code points of canonical text. */
  push(bytes: Uint8Array, count: number): void {
    const { flags } = this;
    for (let i = 0; i < count; ) {
      const byte = bytes[i]!;
      const after = byte < 0x80 ? i + 1 : i + sequenceLength(byte);
      const codePoint = byte < 0x80 ? byte : codePointAt(bytes, i);
      if ((flags[codePoint]! & WHITE_SPACE) !== 0) {
        this.blankDue = this.started;
      } else {
        if (this.count > COLUMN - 2) this.flush();
        if (this.blankDue) this.writeBlank();
        this.started = true;
        this.codePoints[this.count++] = codePoint;
        this.bytes[this.byteCount++] = byte;
        while (++i < after) this.bytes[this.byteCount++] = bytes[i]!;
      }
      i = after;
    }
  }

  end(): void {
    this.flush();
  }

  private writeBlank(): void {
    this.codePoints[this.count++] = BLANK;
    this.bytes[this.byteCount++] = BLANK;
    this.blankDue = false;
  }

  private flush(): void {
    if (this.count > 0) this.sink(this.codePoints, this.count, this.bytes, this.byteCount);
    this.count = 0;
    this.byteCount = 0;
  }
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/**
 * Canonical text -> hashes of its lines, in columns. A line ends at LF or CR; white space at both ends is removed, and blank lines are
 * skipped (so CRLF equals LF). Other line separators of Unicode are white space within a line.
 */
export class LineTokens {
  private readonly flags = codePointTable().flags;
  private readonly column: HashColumn;
  /** The current line from its first visible character on. */
  private readonly whole: TokenHash;
  /** `whole` before the white space at its end: the hash of the line if nothing visible follows. */
  private readonly trimmed: TokenHash;
  private inWhiteSpace = false;

  constructor(seed: number, sink: ShingleSink) {
    this.column = new HashColumn(sink, undefined, TOKEN_COLUMN);
    this.whole = new TokenHash(seed, true);
    this.trimmed = new TokenHash(seed, true);
  }

  begin(): void {
    this.column.begin();
    this.startLine();
  }

  /** Takes `bytes[0 .. count)`: whole code points of canonical text. */
  push(bytes: Uint8Array, count: number): void {
    for (let i = 0; i < count; ) {
      const byte = bytes[i]!;
      const after = i + sequenceLength(byte);
      if (byte === LINE_FEED || byte === RETURN) {
        this.endLine();
      } else if ((this.flags[codePointAt(bytes, i)]! & WHITE_SPACE) === 0) {
        this.inWhiteSpace = false;
        for (let j = i; j < after; j++) this.whole.add(bytes[j]!);
      } else if (this.whole.length > 0) {
        if (!this.inWhiteSpace) this.trimmed.copy(this.whole);
        this.inWhiteSpace = true;
        for (let j = i; j < after; j++) this.whole.add(bytes[j]!);
      }
      i = after;
    }
  }

  end(): void {
    this.endLine();
    this.column.end();
  }

  private startLine(): void {
    this.whole.reset();
    this.inWhiteSpace = false;
  }

  private endLine(): void {
    const { column } = this;
    if (this.whole.length > 0) {
      (this.inWhiteSpace ? this.trimmed : this.whole).finish(column.hashes, 2 * column.count);
      column.added(1);
    }
    this.startLine();
  }
}

/** Keeps the letters, marks and numbers of characters, in place; returns how many there are. */
export function keptLetters(codePoints: Uint32Array, count: number): number {
  const { flags } = codePointTable();
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const codePoint = codePoints[i]!;
    if ((flags[codePoint]! & CLASS) !== SEPARATOR) codePoints[kept++] = codePoint;
  }
  return kept;
}

/** Full stop, exclamation mark, question mark: they end a sentence if white space or the end of the text follows. */
const isStop = (byte: number): boolean => byte === 0x2e || byte === 0x21 || byte === 0x3f;

/** ASCII from `@` on, which has no white space and no stops. */
const isInWord = (byte: number): boolean => byte >= 0x40 && byte < 0x80;

/** Ideographic full stop, fullwidth exclamation mark and question mark: they end a sentence even without white space. */
const isWideStop = (codePoint: number): boolean =>
  codePoint === 0x3002 || codePoint === 0xff01 || codePoint === 0xff1f;

/**
 * Canonical text -> hashes of its sentences, in columns. The hash of a sentence depends on the sequence of its words, not on white
 * space and punctuation.
 *
 * A sentence ends after `.`, `?` or `!` if white space or the end of the text follows, after U+3002, U+FF01 or U+FF1F
 * in any case, at a blank line (two LF with only white space between them), and at the end of the text. A sentence without words is
 * skipped. Abbreviations also end sentences ("e.g. this" is two).
 */
export class SentenceTokens {
  private readonly flags = codePointTable().flags;
  private readonly words: WordTokens;
  private readonly key: ContentKey;
  private readonly keyOfSentence = new Uint32Array(4);
  private readonly column: HashColumn;
  private hasWords = false;
  /** Whether the last code point is a stop that ends a sentence if white space follows. */
  private stopped = false;
  /** Whether only white space has come since the last LF. */
  private lineIsBlank = true;

  constructor(seed: number, sink: ShingleSink) {
    this.column = new HashColumn(sink, undefined, TOKEN_COLUMN);
    this.key = new ContentKey(seed);
    this.words = new WordTokens(seed, (hashes, count) => {
      this.hasWords = true;
      this.key.takeHashes(hashes, count);
    });
  }

  begin(): void {
    this.column.begin();
    this.stopped = false;
    this.lineIsBlank = true;
    this.startSentence();
  }

  /** Takes `bytes[0 .. count)`: whole code points of canonical text. */
  push(bytes: Uint8Array, count: number): void {
    const { flags } = this;
    let from = 0;
    for (let i = 0; i < count; ) {
      const byte = bytes[i]!;
      if (isInWord(byte)) {
        while (++i < count && isInWord(bytes[i]!));
        this.lineIsBlank = false;
        this.stopped = false;
        continue;
      }
      const codePoint = byte < 0x80 ? byte : codePointAt(bytes, i);
      i += byte < 0x80 ? 1 : sequenceLength(byte);
      if (this.endsAt(codePoint, (flags[codePoint]! & WHITE_SPACE) !== 0)) {
        // Stops and white space are not part of words, so they can belong to either sentence.
        this.words.push(bytes.subarray(from, i), i - from);
        this.endSentence();
        from = i;
      }
    }
    if (from < count) this.words.push(bytes.subarray(from, count), count - from);
  }

  end(): void {
    this.endSentence();
    this.column.end();
  }

  /** Whether a sentence ends before or with this code point; updates `stopped` and `lineIsBlank`. */
  private endsAt(codePoint: number, isWhiteSpace: boolean): boolean {
    if (!isWhiteSpace) {
      this.lineIsBlank = false;
      this.stopped = isStop(codePoint);
      return isWideStop(codePoint);
    }
    const ends = this.stopped || (codePoint === LINE_FEED && this.lineIsBlank);
    this.stopped = false;
    if (codePoint === LINE_FEED) this.lineIsBlank = true;
    return ends;
  }

  private startSentence(): void {
    this.hasWords = false;
    this.words.begin();
    this.key.begin();
  }

  private endSentence(): void {
    this.words.end();
    if (!this.hasWords) return;
    this.key.finishHashes(this.keyOfSentence);
    this.column.hashes.set(this.keyOfSentence.subarray(0, 2), 2 * this.column.count);
    this.startSentence();
    this.column.added(1);
  }
}
