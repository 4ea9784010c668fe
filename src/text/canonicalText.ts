/**
 * Bytes of a document -> canonical text: valid UTF-8 in NFC and simple lower case, in pieces of whole code points.
 *
 * A chain of three automata with states of fixed size. The result does not depend on where the bytes are cut, and documents of
 * any length take the same memory:
 *
 *      bytes --decode--> code points --segment--> NFC segments --lower case--> canonical UTF-8
 *
 * Default-ignorable code points (soft hyphen, joiners, byte order mark) are removed before segments are built.
 * A segment is a code point and those after it that can join it under NFC (marks, vowel and trailing jamo;
 * the test `unicode.test.ts` proves that nothing else can). ASCII bypasses all three.
 *
 * Sources: WHATWG Encoding (UTF-8 decoder); UAX 15, sections 9 (detecting NFC) and 13 (Stream-Safe Text
 * Format).
 */
import {
  CHANGES,
  CLASS,
  canJoin,
  codePointTable,
  IGNORABLE,
  lowerCaseOf,
  MARK,
  TRAILING_JAMO,
  UNASSIGNED,
  VOWEL_JAMO,
} from './unicode/codePoints.js';
import { writeCodePoint } from './unicode/utf8.js';

/** UAX 15 section 13: more combining marks in a row than this are cut by U+034F. */
const MOST_MARKS = 30;
export const COMBINING_GRAPHEME_JOINER = 0x034f;

/**
 * Maximum number of code points in a segment: a starter, a vowel and a trailing jamo, 30 marks; NFC at most triples their number
 * (UAX 15, "maximum expansion factor").
 */
const LONGEST = 3 * (3 + MOST_MARKS);

/**
 * The shortest piece of text that can be normalised on its own: a code point and the following ones that can join it.
 *
 * NFC of a text is the concatenated NFC of its segments, because nothing joins across their borders. String.prototype.normalize is
 * called only for code points that the table has as assigned, whose normalization is the same in all later Unicode versions. An
 * unassigned code point is a segment of its own, and nothing joins it.
 */
export class NfcSegment {
  /** The segment; after `normalise` its NFC. */
  readonly codePoints = new Int32Array(LONGEST);

  private readonly flags: Uint8Array;
  private length = 0;
  /** Number of combining marks at the end of the segment. */
  private marks = 0;
  /** Flags of the last code point. */
  private lastFlags = 0;
  /** Whether NFC may change the segment. */
  private dirty = false;

  constructor(flags: Uint8Array) {
    this.flags = flags;
  }

  clear(): void {
    this.length = 0;
    this.dirty = false;
  }

  /** Whether a code point is removed from canonical text: it is default-ignorable. */
  ignores(codePoint: number): boolean {
    return this.flags[codePoint] === IGNORABLE || codePoint === COMBINING_GRAPHEME_JOINER;
  }

  /** Whether a code point belongs to the current segment; if not, it starts the next one. */
  joins(codePoint: number): boolean {
    const flags = this.flags[codePoint]!;
    if (!canJoin(flags)) return false;
    if (this.length === 0 || (this.lastFlags & UNASSIGNED) !== 0) return false;
    if ((flags & CLASS) === MARK) return true;
    // L + V and LV + T or V + T compose; after any other code point that joined, a jamo starts a segment.
    if (!canJoin(this.lastFlags)) return true;
    return (flags & TRAILING_JAMO) !== 0 && (this.lastFlags & VOWEL_JAMO) !== 0;
  }

  /** Whether the segment has too many marks for this one. */
  isFull(codePoint: number): boolean {
    return this.marks === MOST_MARKS && (this.flags[codePoint]! & CLASS) === MARK;
  }

  /** Starts a segment with a code point that does not join the current one. */
  start(codePoint: number): void {
    const flags = this.flags[codePoint]!;
    this.codePoints[0] = codePoint;
    this.length = 1;
    // A mark can be the first code point of a document, or follow an unassigned code point.
    this.marks = (flags & CLASS) === MARK && codePoint !== COMBINING_GRAPHEME_JOINER ? 1 : 0;
    this.lastFlags = flags;
    this.dirty = (flags & CHANGES) !== 0;
  }

  /** Adds a code point that joins the segment. */
  append(codePoint: number): void {
    const flags = this.flags[codePoint]!;
    this.codePoints[this.length++] = codePoint;
    this.marks = (flags & CLASS) === MARK ? this.marks + 1 : 0;
    this.lastFlags = flags;
    this.dirty = true;
  }

  /** The original code points. */
  given(): Int32Array {
    return this.codePoints.subarray(0, this.length);
  }

  /** Converts the segment to NFC; returns its new number of code points. */
  normalise(): number {
    if (!this.dirty) return this.length;
    let text = '';
    for (let i = 0; i < this.length; i++) text += String.fromCodePoint(this.codePoints[i]!);
    text = text.normalize('NFC');
    let count = 0;
    for (let i = 0; i < text.length; count++) {
      const codePoint = text.codePointAt(i)!;
      this.codePoints[count] = codePoint;
      i += codePoint > 0xffff ? 2 : 1;
    }
    return count;
  }
}

/** Receives canonical text `bytes[0 .. count)`, `count` > 0: whole code points, valid during the call. */
export type CanonicalTextSink = (bytes: Uint8Array, count: number) => void;

const REPLACEMENT = 0xfffd;
const PIECE = 16384;

export class CanonicalText {
  /** Whether an invalid sequence became U+FFFD, or a run of combining marks was cut. */
  repaired = false;

  private readonly sink: CanonicalTextSink;
  protected readonly table = codePointTable();
  protected readonly segment = new NfcSegment(this.table.flags);
  private readonly lowerAscii = new Uint8Array(128);
  private readonly out = new Uint8Array(PIECE);
  private length = 0;

  // The decoder: bytes still missing from the current sequence, its bits so far, bounds of the next byte.
  private needed = 0;
  private bits = 0;
  private least = 0x80;
  private most = 0xbf;

  constructor(sink: CanonicalTextSink) {
    this.sink = sink;
    for (let i = 0; i < 128; i++) this.lowerAscii[i] = lowerCaseOf(this.table, i);
  }

  begin(): void {
    this.repaired = false;
    this.segment.clear();
    this.length = 0;
    this.needed = 0;
    this.least = 0x80;
    this.most = 0xbf;
  }

  /** Takes the next bytes, cut anywhere. */
  push(bytes: Uint8Array): void {
    let i = 0;
    while (i < bytes.length) {
      i = this.needed === 0 && bytes[i]! < 0x80 ? this.pushAscii(bytes, i) : this.decode(bytes, i);
    }
  }

  /** Ends the document: an unfinished sequence is one U+FFFD. */
  end(): void {
    if (this.needed > 0) this.replace();
    this.needed = 0;
    this.closeSegment();
    this.flush();
  }

  /** Takes the ASCII bytes from `at` on, at least one; returns the place after them. */
  private pushAscii(bytes: Uint8Array, at: number): number {
    this.closeSegment();
    if (this.length === PIECE) this.flush();
    const { out, lowerAscii } = this;
    const end = Math.min(bytes.length, at + PIECE - this.length);
    let length = this.length;
    let i = at;
    for (; i < end; i++) {
      const byte = bytes[i]!;
      if (byte >= 0x80) break;
      out[length++] = lowerAscii[byte]!;
    }
    // The last code point waits in the segment, because a mark may follow.
    this.length = length - 1;
    this.segment.start(bytes[i - 1]!);
    return i;
  }

  /**
   * Takes bytes from `at` on until the next byte is ASCII outside a sequence; returns the place after them.
   */
  private decode(bytes: Uint8Array, at: number): number {
    let i = at;
    while (i < bytes.length) {
      const byte = bytes[i]!;
      if (this.needed === 0) {
        if (byte < 0x80) break;
        this.startSequence(byte);
        i++;
      } else if (byte < this.least || byte > this.most) {
        // A maximal subpart of an invalid sequence ends here; this byte is read again as the start of the next
        // sequence.
        this.needed = 0;
        this.least = 0x80;
        this.most = 0xbf;
        this.replace();
      } else {
        this.least = 0x80;
        this.most = 0xbf;
        this.bits = (this.bits << 6) | (byte & 0x3f);
        if (--this.needed === 0) this.take(this.bits);
        i++;
      }
    }
    return i;
  }

  /** Takes a lead byte; the bounds for the next byte exclude overlong forms, surrogates and code points above U+10FFFF. */
  private startSequence(byte: number): void {
    if (byte >= 0xc2 && byte <= 0xdf) {
      this.needed = 1;
      this.bits = byte & 0x1f;
    } else if (byte >= 0xe0 && byte <= 0xef) {
      this.needed = 2;
      this.bits = byte & 0x0f;
      if (byte === 0xe0) this.least = 0xa0;
      if (byte === 0xed) this.most = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      this.needed = 3;
      this.bits = byte & 0x07;
      if (byte === 0xf0) this.least = 0x90;
      if (byte === 0xf4) this.most = 0x8f;
    } else {
      this.replace();
    }
  }

  private replace(): void {
    this.repaired = true;
    this.take(REPLACEMENT);
  }

  protected take(codePoint: number): void {
    if (this.segment.ignores(codePoint)) return;
    if (this.segment.joins(codePoint)) {
      if (this.segment.isFull(codePoint)) {
        this.repaired = true;
        this.closeSegment();
        this.segment.start(COMBINING_GRAPHEME_JOINER);
      }
      this.segment.append(codePoint);
    } else {
      this.closeSegment();
      this.segment.start(codePoint);
    }
  }

  /** Emits the finished segment, normalised and in lower case. */
  protected closeSegment(): void {
    const { segment, table } = this;
    const count = segment.normalise();
    if (this.length > PIECE - 4 * count) this.flush();
    for (let i = 0; i < count; i++) {
      this.length = writeCodePoint(this.out, this.length, lowerCaseOf(table, segment.codePoints[i]!));
    }
    segment.clear();
  }

  protected write(codePoint: number): void {
    if (this.length > PIECE - 4) this.flush();
    this.length = writeCodePoint(this.out, this.length, codePoint);
  }

  private flush(): void {
    if (this.length > 0) this.sink(this.out, this.length);
    this.length = 0;
  }
}
