/**
 * The tokens of a document with the places where they stand in its text as it is written: with its case, punctuation and
 * line ends.
 */

import { Uint32Column } from '../../arrays/growable.js';
import { COMBINING_GRAPHEME_JOINER, NfcSegment } from '../../text/canonicalText.js';
import { type Normalization, NUMBER, Preparation } from '../../text/preparedText.js';
import type { ShingleParams } from '../../text/shingles.js';
import { byteToken, eachToken, tokenAt } from '../../text/tokens.js';
import { codePointTable, lowerCaseOf } from '../../text/unicode/codePoints.js';
import { utf8SequenceLength } from '../../text/unicode/utf8.js';

/** A text, and its tokens in order. */
export interface WrittenTokens {
  /** As it is written; U+FFFD stands for what is not UTF-8. */
  readonly text: string;
  /** As `canonicalTokens` gives them. */
  readonly tokens: readonly string[];
  /**
   * Token i stands in `text[from[i] .. to[i])`, in UTF-16 units. Both columns ascend; tokens that are made of one character as
   * written share its place.
   */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

/**
 * The canonical text of a document (NFC and lower case) with the place of each UTF-16 unit of it in the text as written. NFC has
 * no shorter stretch with a place than a segment, so all units of a segment have its place.
 */
interface PlacedText {
  readonly canonical: string;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
}

const BYTE_ORDER_MARK = 0xfeff;
const PIECE = 4096;

/** Makes segments of code points, as CanonicalText does, and remembers where each segment stands. */
abstract class PlacedSegments {
  protected readonly table = codePointTable();
  protected readonly segment = new NfcSegment(this.table.flags);
  private start = 0;
  private after = 0;

  take(codePoint: number, at: number, after: number): void {
    const { segment } = this;
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

  /** Ends the segment in hand. */
  close(): void {
    if (this.segment.given().length > 0) this.closed(this.start, this.after);
    this.segment.clear();
  }

  /** The text has ended. */
  end(): void {
    this.close();
  }

  /** Receives the segment and its place. */
  protected abstract closed(from: number, to: number): void;
}

/** Normalises segment by segment. */
class CanonicalSegments extends PlacedSegments {
  readonly from = new Uint32Column();
  readonly to = new Uint32Column();
  private readonly pieces: string[] = [];
  private piece = '';

  protected override closed(from: number, to: number): void {
    const { segment, table } = this;
    const count = segment.normalise();
    for (let i = 0; i < count; i++) {
      const character = String.fromCodePoint(lowerCaseOf(table, segment.codePoints[i]!));
      this.piece += character;
      for (let unit = 0; unit < character.length; unit++) {
        this.from.push(from);
        this.to.push(to);
      }
    }
    this.endPiece(PIECE);
  }

  /** ASCII text that stands from `from` on, before another character of ASCII: each character is a segment. */
  plain(text: string, from: number): void {
    this.close();
    this.endPiece(1);
    this.pieces.push(text.toLowerCase());
    for (let at = from; at < from + text.length; at++) {
      this.from.push(at);
      this.to.push(at + 1);
    }
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

/** Prepares segment by segment, as PreparedText does, for those behind it. */
class PreparedSegments extends PlacedSegments {
  private readonly preparation: Preparation;
  private readonly next: CanonicalSegments;
  /** A run of numbers that may go on. */
  private run: { readonly from: number; to: number } | null = null;

  constructor(words: Normalization, next: CanonicalSegments) {
    super();
    this.preparation = new Preparation(words);
    this.next = next;
  }

  override take(codePoint: number, at: number, after: number): void {
    for (const one of this.preparation.decomposed(codePoint) ?? [codePoint]) super.take(one, at, after);
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

/** What is decided without tables, a piece at a time: nothing joins a character that one of ASCII follows. */
const PLAIN = /[\0-\x7f]{1,65536}(?=[\0-\x7f])/y;

function placedText(text: string, normalize: Normalization | undefined): PlacedText {
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
    // As in CanonicalText: a byte order mark at the beginning is none of the text.
    if (at > 0 || codePoint !== BYTE_ORDER_MARK) segments.take(codePoint, at, after);
    at = after;
  }
  segments.end();
  return { canonical: canonical.text(), from: canonical.from.view, to: canonical.to.view };
}

/**
 * The tokens of a document and their places. It allocates a string per token: for texts that people look at.
 *
 * Of the unit `bytes` each byte that is not in a character of UTF-8 is one U+FFFD, and the bytes of a character share its place.
 */
export function writtenTokens(
  bytes: Uint8Array,
  { unit, normalize }: Pick<ShingleParams, 'unit' | 'normalize'>,
): WrittenTokens {
  if (unit === 'bytes') return writtenBytes(bytes);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const { canonical, from, to } = placedText(text, normalize);
  const tokens: string[] = [];
  const starts = new Uint32Column();
  const ends = new Uint32Column();
  eachToken(canonical, unit, (first, after) => {
    tokens.push(tokenAt(canonical, unit, first, after));
    starts.push(from[first]!);
    ends.push(to[after - 1]!);
  });
  return { text, tokens, from: starts.view, to: ends.view };
}

function writtenBytes(bytes: Uint8Array): WrittenTokens {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const from = new Uint32Array(bytes.length);
  const to = new Uint32Array(bytes.length);
  const pieces: string[] = [];
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const whole = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, bytes.length);
    const after = at + Math.max(1, whole);
    const piece = whole === 0 ? '\ufffd' : decoder.decode(bytes.subarray(at, after));
    from.fill(length, at, after);
    length += piece.length;
    to.fill(length, at, after);
    pieces.push(piece);
    at = after;
  }
  return { text: pieces.join(''), tokens: Array.from(bytes, byteToken), from, to };
}
