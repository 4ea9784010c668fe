/** The tokens of a document with their positions in its original text, with its case, punctuation and line ends. */

import { ByteColumn, Uint32Column } from '../../arrays/growable.js';
import { COMBINING_GRAPHEME_JOINER, NfcSegment } from '../../text/canonicalText.js';
import { type Normalization, NUMBER, Preparation } from '../../text/preparedText.js';
import type { ShingleParams } from '../../text/shingles.js';
import { eachToken } from '../../text/tokens.js';
import { codePointTable, lowerCaseOf } from '../../text/unicode/codePoints.js';
import { utf8SequenceLength } from '../../text/unicode/utf8.js';

/** A text, and the positions of its tokens in order. */
export interface WrittenTokens {
  /** The original text; bytes that are not UTF-8 are U+FFFD. */
  readonly text: string;
  /**
   * Token i of `canonicalTokens` is `text[from[i] .. to[i])`, in UTF-16 units. Both columns ascend; several tokens from
   * one original character share its position.
   */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/**
 * The positions of the UTF-16 units of a canonical text in the original text. NFC maps whole segments, so all units of
 * a segment have the position of the segment.
 *
 * In most texts, long runs of canonical units equal the original units one by one, so runs are stored instead of units.
 */
class Positions {
  /** By run: its first unit; `from`: the position of that unit. */
  private readonly units = new Uint32Column();
  private readonly from = new Uint32Column();
  /** By run: the end of the common position of all its units; 0: the units are consecutive original units. */
  private readonly to = new Uint32Column();
  private length = 0;
  private run = 0;

  /** Adds units with the common position [from, to). */
  add(count: number, from: number, to: number): void {
    if (count === 1 && to - from === 1) this.plain(1, from);
    else this.begin(count, from, to);
  }

  /** Adds units of which each is one original unit, from `from` on. */
  plain(count: number, from: number): void {
    const last = this.units.length - 1;
    const continues =
      last >= 0 &&
      this.to.view[last] === 0 &&
      from - this.from.view[last]! === this.length - this.units.view[last]!;
    if (continues) this.length += count;
    else this.begin(count, from, 0);
  }

  /** The position of a unit; callers must pass units in ascending order. */
  at(unit: number): { readonly from: number; readonly to: number } {
    const [units, runs] = [this.units.view, this.units.length];
    while (this.run + 1 < runs && units[this.run + 1]! <= unit) this.run++;
    const [from, to] = [this.from.view[this.run]!, this.to.view[this.run]!];
    if (to > 0) return { from, to };
    const position = from + unit - units[this.run]!;
    return { from: position, to: position + 1 };
  }

  private begin(count: number, from: number, to: number): void {
    this.units.push(this.length);
    this.from.push(from);
    this.to.push(to);
    this.length += count;
  }
}

/** The canonical text of a document (NFC and lower case) with the positions of its units. */
interface PositionedText {
  readonly canonical: string;
  readonly positions: Positions;
}

const PIECE = 4096;

/** Builds segments of code points, as CanonicalText does, with the position of each segment. */
abstract class PositionedSegments {
  protected readonly table = codePointTable();
  protected readonly segment = new NfcSegment(this.table.flags);
  private start = 0;
  private after = 0;

  take(codePoint: number, at: number, after: number): void {
    const { segment } = this;
    if (segment.ignores(codePoint)) return;
    if (segment.joins(codePoint)) {
      if (segment.isFull(codePoint)) {
        this.close();
        segment.start(COMBINING_GRAPHEME_JOINER);
        this.start = at;
      }
      segment.append(codePoint);
    } else {
      this.close();
      segment.start(codePoint);
      this.start = at;
    }
    this.after = after;
  }

  close(): void {
    if (this.segment.given().length > 0) this.closed(this.start, this.after);
    this.segment.clear();
  }

  end(): void {
    this.close();
  }

  /** Receives the segment and its position. */
  protected abstract closed(from: number, to: number): void;
}

class CanonicalSegments extends PositionedSegments {
  readonly positions = new Positions();
  private readonly pieces: string[] = [];
  private piece = '';

  protected override closed(from: number, to: number): void {
    const { segment, table } = this;
    const count = segment.normalise();
    for (let i = 0; i < count; i++) {
      const character = String.fromCodePoint(lowerCaseOf(table, segment.codePoints[i]!));
      this.piece += character;
      this.positions.add(character.length, from, to);
    }
    this.endPiece(PIECE);
  }

  /** Adds ASCII text at `from` that another ASCII character follows, so that each character is a segment. */
  plain(text: string, from: number): void {
    this.close();
    this.endPiece(1);
    this.pieces.push(text.toLowerCase());
    this.positions.plain(text.length, from);
  }

  private endPiece(least: number): void {
    if (this.piece.length < least) return;
    this.pieces.push(this.piece);
    this.piece = '';
  }

  text(): string {
    return this.pieces.join('') + this.piece;
  }
}

/** Normalizes the text segment by segment, as PreparedText does, and passes it to `next`. */
class PreparedSegments extends PositionedSegments {
  private readonly preparation: Preparation;
  private readonly next: CanonicalSegments;
  /** A run of numbers that may continue. */
  private run: { readonly from: number; to: number } | null = null;

  constructor(words: Normalization, next: CanonicalSegments) {
    super();
    this.preparation = new Preparation(words);
    this.next = next;
  }

  override take(codePoint: number, at: number, after: number): void {
    for (const part of this.preparation.decomposed(codePoint) ?? [codePoint]) super.take(part, at, after);
  }

  override end(): void {
    super.end();
    this.endRun();
    this.next.end();
  }

  protected override closed(from: number, to: number): void {
    for (const codePoint of this.preparation.ofSegment(this.segment.given())) {
      if (this.preparation.hasNumbers || !this.preparation.isNumber(codePoint)) {
        this.endRun();
        this.next.take(codePoint, from, to);
      } else {
        this.run ??= { from, to };
        this.run.to = to;
      }
    }
  }

  private endRun(): void {
    if (this.run !== null) this.next.take(NUMBER, this.run.from, this.run.to);
    this.run = null;
  }
}

/**
 * Matches ASCII text that needs no tables, in pieces: a character before an ASCII character does not combine with it.
 */
const PLAIN = /[\0-\x7f]{1,65536}(?=[\0-\x7f])/y;

function positionedText(text: string, normalize: Normalization | undefined): PositionedText {
  const canonical = new CanonicalSegments();
  const segments = normalize === undefined ? canonical : new PreparedSegments(normalize, canonical);
  for (let at = 0; at < text.length; ) {
    PLAIN.lastIndex = at;
    const run = segments === canonical ? PLAIN.exec(text)?.[0] : undefined;
    if (run !== undefined) {
      canonical.plain(run, at);
      at += run.length;
    }
    const codePoint = text.codePointAt(at)!;
    const after = at + (codePoint > 0xffff ? 2 : 1);
    segments.take(codePoint, at, after);
    at = after;
  }
  segments.end();
  return { canonical: canonical.text(), positions: canonical.positions };
}

/**
 * The positions of the tokens of a document, for texts that people read.
 *
 * With the unit `bytes` each byte that is not part of a UTF-8 character is one U+FFFD, and the bytes of a character
 * share its position.
 */
export function writtenTokens(
  bytes: Uint8Array,
  { unit, normalize }: Pick<ShingleParams, 'unit' | 'normalize'>,
): WrittenTokens {
  if (unit === 'bytes') return writtenBytes(bytes);
  const text = decoded(bytes);
  const { canonical, positions } = positionedText(text, normalize);
  const starts = new Uint32Column();
  const ends = new Uint32Column();
  eachToken(canonical, unit, (first, after) => {
    starts.push(positions.at(first).from);
    ends.push(positions.at(after - 1).to);
  });
  return { text, from: starts.view, to: ends.view };
}

const decoded = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);

function writtenBytes(bytes: Uint8Array): WrittenTokens {
  const from = new Uint32Array(bytes.length);
  const to = new Uint32Array(bytes.length);
  const written = new ByteColumn(bytes.length);
  let end = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, bytes.length);
    const after = at + Math.max(1, length);
    written.append(length === 0 ? REPLACEMENT : bytes.subarray(at, after));
    from.fill(end, at, after);
    // A character of four bytes is two UTF-16 units.
    end += length === 4 ? 2 : 1;
    to.fill(end, at, after);
    at = after;
  }
  return { text: decoded(written.view), from, to };
}
