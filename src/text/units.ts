/**
 * Cuts texts into the units that are compared: paragraphs or lines.
 *
 * A line ends at LF; a CR directly before the LF belongs to the line end, any other CR to the line. A line is blank if it has only
 * white space, at most 64 KiB. A paragraph is a maximal run of lines that are not blank.
 *
 *      text         line   paragraph
 *      One LF       #l1    #p1: `One LF two`
 *      two LF       #l2
 *      LF           -      -
 *      three        #l4    #p2: `three`
 *
 * Bytes outside of units are a gap: the end of the last line of a unit, the blank lines after it, and a byte order mark.
 */
import { codePointTable, WHITE_SPACE } from './unicode/codePoints.js';
import { codePointAt, utf8SequenceLength } from './unicode/utf8.js';

/** The units of a text. */
export type CutUnit = 'paragraph' | 'line';

/** The text between the id of a document and the number of a unit in the id of the unit. */
export function unitMark(unit: CutUnit): string {
  return unit === 'line' ? '#l' : '#p';
}

/** The parts of an id or location of a unit: the `name` of its document, and its `number` from 1; null for other ids. */
export function unitOfId(
  id: string,
  unit: CutUnit,
): { readonly name: string; readonly number: number } | null {
  const match = ENDS[unit].exec(id);
  return match === null ? null : { name: match[1]!, number: Number(match[2]) };
}

const ENDS: Readonly<Record<CutUnit, RegExp>> = {
  paragraph: /^(.*)#p([1-9]\d{0,15})$/s,
  line: /^(.*)#l([1-9]\d{0,15})$/s,
};

/** Receives a text in order: units, and the gaps between them. All bytes are valid during the call only. */
export interface UnitSink {
  /**
   * Bytes of a unit; may be empty.
   *
   * @param number from 1: the number of the line in the text (blank lines count), or of the paragraph among paragraphs
   * @param begins whether the bytes are the first of the unit
   * @param ends whether the bytes are the last of the unit
   */
  unit(number: number, bytes: Uint8Array, begins: boolean, ends: boolean): void;
  /** Bytes between units; optional. */
  gap?(bytes: Uint8Array): void;
}

const LF = 0x0a;
const CR = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Maximum size of a blank line, in bytes: the cutter may have to hold this many. */
const MOST_BLANK = 64 << 10;

/** The result of a scan that needs further bytes to decide. */
const UNKNOWN = -1;

/**
 * Cuts one text after the other. A text comes in pieces that may be cut anywhere; the units do not depend on the cuts. The cutter
 * holds at most 64 KiB of a text.
 */
export class UnitCutter {
  private readonly ofLines: boolean;
  private readonly sink: UnitSink;
  private readonly flags: Uint8Array;
  /** Bytes at the end of the last piece that need further bytes, and are scanned again with the next piece. */
  private held: Uint8Array = new Uint8Array(0);
  /** Whether a unit has begun and not ended, and whether the sink has received bytes of it. */
  private isOpen = false;
  private isGiven = false;
  private isStart = true;
  /** The number of the current line, and of the last unit that began. */
  private line = 1;
  private number = 0;
  /** Where the line that `lineStart` found begins, or else where the undecided bytes begin. */
  private lineFrom = 0;

  constructor(unit: CutUnit, sink: UnitSink) {
    this.ofLines = unit === 'line';
    this.sink = sink;
    this.flags = codePointTable().flags;
  }

  /** Begins a text, or the rest of a text after its first `before` lines or paragraphs; drops a text that has not ended. */
  begin(before = 0): void {
    this.held = this.held.subarray(0, 0);
    this.isOpen = false;
    this.isGiven = false;
    this.isStart = before === 0;
    this.line = before + 1;
    this.number = before;
  }

  /** Takes the next bytes of the text. */
  push(bytes: Uint8Array): void {
    this.cut(this.withHeld(bytes), false);
  }

  /** Ends the text. */
  end(): void {
    this.cut(this.held, true);
    this.begin();
  }

  /** Takes the whole text after `begin`, and ends it. */
  all(text: Uint8Array): void {
    this.cut(text, true);
    this.begin();
  }

  /** Cuts a whole text. */
  whole(text: Uint8Array): void {
    this.begin();
    this.all(text);
  }

  private withHeld(bytes: Uint8Array): Uint8Array {
    const { held } = this;
    if (held.length === 0) return bytes;
    const both = new Uint8Array(held.length + bytes.length);
    both.set(held);
    both.set(bytes, held.length);
    return both;
  }

  /** Cuts bytes that begin within a line of an open unit, or at the beginning of a line. `isLast`: the text ends with them. */
  private cut(bytes: Uint8Array, isLast: boolean): void {
    const start = this.isStart ? this.afterMark(bytes, isLast) : 0;
    if (start < 0) this.hold(bytes, 0);
    else this.cutFrom(bytes, start, isLast);
  }

  private cutFrom(bytes: Uint8Array, start: number, isLast: boolean): void {
    let from = start;
    // `from`: where the bytes of the open unit or of the gap begin; `at`: the position in the current line.
    for (let at = from; ; ) {
      if (!this.isOpen) {
        at = this.lineStart(bytes, at, isLast);
        this.giveGap(bytes, from, this.lineFrom);
        from = this.lineFrom;
        if (at < 0) {
          this.hold(bytes, from);
          return;
        }
        this.open();
      }
      const feed = bytes.indexOf(LF, at);
      const to = this.textEnd(bytes, at, feed, isLast);
      if (feed < 0) {
        this.give(bytes.subarray(from, to), isLast);
        this.hold(bytes, to);
        return;
      }
      const next = this.goesOn(bytes, feed + 1, isLast);
      if (next === UNKNOWN) {
        // The line end is held, and counted when it is scanned again.
        this.give(bytes.subarray(from, to), false);
        this.hold(bytes, to);
        return;
      }
      this.line++;
      if (next > 0) at = next;
      else {
        this.give(bytes.subarray(from, to), true);
        from = to;
        at = feed + 1;
      }
    }
  }

  /** Where the text begins after a byte order mark; UNKNOWN if further bytes are needed. */
  private afterMark(bytes: Uint8Array, isLast: boolean): number {
    for (let i = 0; i < BYTE_ORDER_MARK.length; i++) {
      if (i === bytes.length && !isLast) return UNKNOWN;
      if (bytes[i] !== BYTE_ORDER_MARK[i]) {
        this.isStart = false;
        return 0;
      }
    }
    this.isStart = false;
    this.giveGap(bytes, 0, BYTE_ORDER_MARK.length);
    return BYTE_ORDER_MARK.length;
  }

  /** Where the text of the next line that is not blank begins, searched from the line at `start` on; -1: not found yet. */
  private lineStart(bytes: Uint8Array, start: number, isLast: boolean): number {
    for (let line = start, at = start; ; ) {
      if (at === bytes.length) {
        this.lineFrom = isLast ? at : line;
        return -1;
      }
      if (bytes[at] === LF) {
        this.line++;
        line = ++at;
        continue;
      }
      const white = at - line >= MOST_BLANK ? 0 : this.whiteAt(bytes, at, isLast);
      this.lineFrom = line;
      if (white <= 0) return white === 0 ? at : -1;
      at += white;
    }
  }

  /** Bytes of the white space at a position, or 0; UNKNOWN if further bytes are needed. */
  private whiteAt(bytes: Uint8Array, at: number, isLast: boolean): number {
    const byte = bytes[at]!;
    if (byte < 0x80) return (this.flags[byte]! & WHITE_SPACE) !== 0 ? 1 : 0;
    // White space is at most three bytes long.
    if (byte < 0xc2 || byte > 0xef) return 0;
    const length = utf8SequenceLength(bytes, at, bytes.length);
    if (length > 0) return (this.flags[codePointAt(bytes, at)]! & WHITE_SPACE) !== 0 ? length : 0;
    return !isLast && bytes.length - at < 3 ? UNKNOWN : 0;
  }

  /** Where the text of the current line of an open unit ends: before its line end, and before a CR that may belong to it. */
  private textEnd(bytes: Uint8Array, at: number, feed: number, isLast: boolean): number {
    const end = feed < 0 ? bytes.length : feed;
    const mayEnd = feed >= 0 || !isLast;
    return mayEnd && end > at && bytes[end - 1] === CR ? end - 1 : end;
  }

  /** Where the text of the next line begins if the line belongs to the open unit, else 0; UNKNOWN if further bytes are needed. */
  private goesOn(bytes: Uint8Array, line: number, isLast: boolean): number {
    if (this.ofLines) return 0;
    for (let at = line; ; ) {
      if (at === bytes.length) return isLast ? 0 : UNKNOWN;
      if (bytes[at] === LF) return 0;
      const white = at - line >= MOST_BLANK ? 0 : this.whiteAt(bytes, at, isLast);
      if (white <= 0) return white === 0 ? at : UNKNOWN;
      at += white;
    }
  }

  private open(): void {
    this.isOpen = true;
    this.isGiven = false;
    this.number = this.ofLines ? this.line : this.number + 1;
  }

  /** Passes bytes of the open unit to the sink. */
  private give(bytes: Uint8Array, ends: boolean): void {
    if (ends || bytes.length > 0 || !this.isGiven) {
      this.sink.unit(this.number, bytes, !this.isGiven, ends);
    }
    this.isGiven = true;
    if (ends) this.isOpen = false;
  }

  private giveGap(bytes: Uint8Array, from: number, to: number): void {
    if (to > from) this.sink.gap?.(bytes.subarray(from, to));
  }

  /** Copies the bytes from `from` on for the next piece, because the caller reuses their memory. */
  private hold(bytes: Uint8Array, from: number): void {
    this.held = bytes.slice(from);
  }
}

/** The bytes of one unit of a text; null if the text does not have a unit with this number. */
export function unitOfText(text: Uint8Array, unit: CutUnit, number: number): Uint8Array | null {
  let found: Uint8Array | null = null;
  const take = (at: number, bytes: Uint8Array): void => {
    if (at === number) found = bytes;
  };
  new UnitCutter(unit, { unit: take }).whole(text);
  return found;
}

/** The rest of a text without some of its units. */
export interface TextLeft {
  /** Ranges of the text, ascending: from (inclusive), to (exclusive), from, to, ..., in bytes. */
  readonly spans: readonly number[];
  /** Number of units that were removed, and of remaining units. */
  readonly removed: number;
  readonly kept: number;
}

/**
 * A text without some units; all other bytes are unchanged.
 *
 *      line        is removed with its line end
 *      paragraph   is removed with the end of its last line and the blank lines after it. If the last paragraphs are removed, the
 *                  rest ends with the line end of the text: `A LF LF B LF` without B is `A LF`
 *
 * The result is empty if all units are removed.
 *
 * @param drop their numbers, ascending
 */
export function textWithout(text: Uint8Array, drop: ArrayLike<number>, unit: CutUnit): TextLeft {
  const left = new LeftSpans(text, drop, unit === 'line');
  new UnitCutter(unit, left).whole(text);
  return left.end();
}

/** Collects the remaining ranges of a text. */
class LeftSpans implements UnitSink {
  private readonly text: Uint8Array;
  private readonly drop: ArrayLike<number>;
  private readonly ofLines: boolean;
  private readonly spans: number[] = [];
  /** How many entries of `drop` have been passed. */
  private next = 0;
  private removed = 0;
  private kept = 0;
  private isDropped = false;
  /** Gaps since the last remaining unit (or the beginning); they remain if a later unit does. */
  private gaps: number[] = [];
  /** The gap after the last unit of the text, if that unit is dropped. */
  private lastGap: number[] = [];

  constructor(text: Uint8Array, drop: ArrayLike<number>, ofLines: boolean) {
    this.text = text;
    this.drop = drop;
    this.ofLines = ofLines;
  }

  unit(number: number, bytes: Uint8Array, begins: boolean): void {
    if (begins) this.begin(number);
    if (!this.isDropped) this.stay(this.placeOf(bytes), bytes.length);
  }

  gap(bytes: Uint8Array): void {
    const from = this.placeOf(bytes);
    const to = from + bytes.length;
    if (!this.isDropped) this.gaps.push(from, to);
    else if (this.ofLines) this.gaps.push(from + bytes.indexOf(LF) + 1, to);
    else this.lastGap.push(from, to);
  }

  end(): TextLeft {
    const isWhole = this.removed === 0;
    if (isWhole || this.kept > 0) this.addAll(this.isDropped && !this.ofLines ? this.lastGap : this.gaps);
    return { spans: this.spans, removed: this.removed, kept: this.kept };
  }

  private begin(number: number): void {
    const { drop } = this;
    while (this.next < drop.length && drop[this.next]! < number) this.next++;
    this.isDropped = drop[this.next] === number;
    this.lastGap = [];
    if (this.isDropped) this.removed++;
    else {
      this.kept++;
      this.addAll(this.gaps);
      this.gaps = [];
    }
  }

  private placeOf(bytes: Uint8Array): number {
    return bytes.byteOffset - this.text.byteOffset;
  }

  private addAll(gaps: readonly number[]): void {
    for (let i = 0; i < gaps.length; i += 2) this.stay(gaps[i]!, gaps[i + 1]! - gaps[i]!);
  }

  /** Adds a range, and joins it to the last one if they are adjacent. */
  private stay(from: number, length: number): void {
    if (length === 0) return;
    if (this.spans.at(-1) === from) this.spans[this.spans.length - 1] = from + length;
    else this.spans.push(from, from + length);
  }
}
