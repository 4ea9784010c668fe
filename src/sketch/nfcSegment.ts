/**
 * The shortest stretch of text that NFC can be applied to by itself: a code point and those that can join it.
 *
 * Floor 0. NFC of a text is the NFC of its segments one after the other, because nothing joins across their
 * borders. String.prototype.normalize sees only code points that the table knows as assigned: for them it
 * never changes from one Unicode version to the next. An unassigned code point is a segment by itself, and
 * nothing joins it.
 */
import {
  CHANGES,
  CLASS,
  canJoin,
  MARK,
  TRAILING_JAMO,
  UNASSIGNED,
  VOWEL_JAMO,
} from './unicode/codePoints.js';

/** UAX 15 section 13: more combining marks in a row than this are cut by U+034F. */
export const MOST_MARKS = 30;
export const COMBINING_GRAPHEME_JOINER = 0x034f;

/**
 * A starter, a vowel and a trailing jamo, 30 marks; NFC at most triples it (UAX 15, "maximum expansion
 * factor").
 */
const LONGEST = 3 * (3 + MOST_MARKS);

export class NfcSegment {
  /** The segment; after `normalise` its NFC. */
  readonly codePoints = new Int32Array(LONGEST);

  private readonly flags: Uint8Array;
  private length = 0;
  /** Combining marks at its end. */
  private marks = 0;
  /** Flags of the last code point. */
  private lastFlags = 0;
  /** Whether NFC may change it. */
  private dirty = false;

  constructor(flags: Uint8Array) {
    this.flags = flags;
  }

  clear(): void {
    this.length = 0;
    this.dirty = false;
  }

  /** Whether a code point belongs to the segment in hand; if not, it starts the next one. */
  joins(codePoint: number): boolean {
    const flags = this.flags[codePoint]!;
    if (!canJoin(flags) || codePoint === COMBINING_GRAPHEME_JOINER) return false;
    if (this.length === 0 || (this.lastFlags & UNASSIGNED) !== 0) return false;
    if ((flags & CLASS) === MARK) return true;
    // L + V and LV + T or V + T compose; after anything else that joined, a jamo starts anew.
    if (!canJoin(this.lastFlags)) return true;
    return (flags & TRAILING_JAMO) !== 0 && (this.lastFlags & VOWEL_JAMO) !== 0;
  }

  /** Whether this mark is one too many. A grapheme joiner that the text has already starts a new count. */
  isFull(codePoint: number): boolean {
    return this.marks === MOST_MARKS && (this.flags[codePoint]! & CLASS) === MARK;
  }

  /** Makes a code point that does not join the first of the segment. */
  start(codePoint: number): void {
    const flags = this.flags[codePoint]!;
    this.codePoints[0] = codePoint;
    this.length = 1;
    // A document, or what follows an unassigned code point, may begin with a mark.
    this.marks = (flags & CLASS) === MARK && codePoint !== COMBINING_GRAPHEME_JOINER ? 1 : 0;
    this.lastFlags = flags;
    this.dirty = (flags & CHANGES) !== 0;
  }

  /** Adds a code point that joins. */
  append(codePoint: number): void {
    const flags = this.flags[codePoint]!;
    this.codePoints[this.length++] = codePoint;
    this.marks = (flags & CLASS) === MARK ? this.marks + 1 : 0;
    this.lastFlags = flags;
    this.dirty = true;
  }

  /** Puts the segment into NFC; returns how many code points it has then. */
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
