/**
 * Two original texts, cut where their shared runs begin and end.
 *
 * A token is shared if it is in a shingle that both texts have. The Jaccard similarity counts these shingles, so the
 * highlighting explains the number. A word that both texts have is shared only within such a run.
 */
import { Uint32Column } from '../../arrays/growable.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { createShingleStream, type ShingleParams, type ShingleUnit } from '../../text/shingles.js';
import { startsOf } from '../../text/tokens.js';
import { type Anchors, aligned } from './alignment.js';
import { type WrittenTokens, writtenTokens } from './writtenTokens.js';

/**
 * The kind of a piece of a text: `shared`: in a shingle of both texts, in the same order; `moved`: in a shingle of both
 * texts, in a different order; `rewritten`: shared, but with other case or punctuation; `own`: in no shingle of the
 * other text.
 */
export type PieceKind = 'shared' | 'moved' | 'rewritten' | 'own';

/** A piece of an original text. */
export interface TextPiece {
  readonly text: string;
  readonly kind: PieceKind;
}

/**
 * A stretch of both texts. With `same` the tokens are equal one by one, and each side has one kind; other stretches are
 * between these. The pieces of all stretches in order are the whole texts.
 */
export interface TextStretch {
  readonly same: boolean;
  readonly a: readonly TextPiece[];
  readonly b: readonly TextPiece[];
}

/** Two texts cut into shared and other stretches. */
export interface SharedRuns {
  readonly stretches: readonly TextStretch[];
  /** The unit of shingles, and their `size` in units. Shorter runs are not shared. */
  readonly unit: ShingleUnit;
  readonly size: number;
  /** Number of distinct shingles of a, of b, and of both. */
  readonly shingles: { readonly a: number; readonly b: number; readonly both: number };
  /** Whether a text was cut to its first 16 MB; 4 MB where shingles are of characters or bytes. */
  readonly cut: boolean;
}

/**
 * Most bytes of a text that are compared, because nobody reads more. Fewer for characters and bytes, which give more
 * tokens than words.
 */
export function mostMarkedBytes(unit: ShingleUnit): number {
  return unit === 'chars' || unit === 'bytes' ? 4_000_000 : 16_000_000;
}

/** The shingles of a text in order, as numbers of a table: equal shingles have equal numbers. */
function numbered(text: Uint8Array, params: ShingleParams, table: FingerprintTable): Uint32Array {
  const numbers = new Uint32Column();
  const stream = createShingleStream(params, (hashes, count) => {
    for (let i = 0; i < count; i++) numbers.push(table.add(hashes[2 * i]!, hashes[2 * i + 1]!));
  });
  stream.whole(text);
  return numbers.view;
}

const IN_A = 1;
const IN_B = 2;

/** The shingles of two texts: which of them are in both texts, and their positions. */
class ShingleMatch {
  readonly sizes = { a: 0, b: 0, both: 0 };
  private readonly numbersA: Uint32Array;
  private readonly numbersB: Uint32Array;
  /** By shingle, the texts that have it. */
  private readonly sides: Uint8Array;

  constructor(a: Uint8Array, b: Uint8Array, params: ShingleParams) {
    const table = new FingerprintTable();
    this.numbersA = numbered(a, params, table);
    this.numbersB = numbered(b, params, table);
    this.sides = new Uint8Array(table.size);
    for (const number of this.numbersA) this.sides[number]! |= IN_A;
    for (const number of this.numbersB) this.sides[number]! |= IN_B;
    for (const sides of this.sides) {
      this.sizes.a += sides & IN_A;
      this.sizes.b += (sides & IN_B) >>> 1;
      this.sizes.both += Number(sides === (IN_A | IN_B));
    }
  }

  /** By token of a text: 1 if it is in a shingle of both texts. */
  covered(side: 'a' | 'b', tokens: number, starts: Uint32Array, size: number): Uint8Array {
    const own = side === 'a' ? this.numbersA : this.numbersB;
    const flags = new Uint8Array(tokens);
    let covered = 0;
    for (let i = 0; i < own.length; i++) {
      if (this.sides[own[i]!] !== (IN_A | IN_B)) continue;
      // A document that is too short for a full shingle has one of all its tokens.
      const start = starts[i];
      const end = start === undefined ? tokens : Math.min(tokens, start + size);
      for (let t = Math.max(covered, start ?? 0); t < end; t++) flags[t] = 1;
      covered = Math.max(covered, end);
    }
    return flags;
  }

  /** The starts of shared shingles: the n-th occurrence of a shingle in a is paired with its n-th occurrence in b. */
  anchors(startsA: Uint32Array, startsB: Uint32Array): Anchors {
    // `next`: by shingle, its next occurrence in b; `after`: by occurrence in b, the one after it. -1: none.
    const next = new Int32Array(this.sides.length).fill(-1);
    const after = new Int32Array(this.numbersB.length).fill(-1);
    for (let i = this.numbersB.length - 1; i >= 0; i--) {
      const number = this.numbersB[i]!;
      after[i] = next[number]!;
      next[number] = i;
    }
    const [a, b] = [new Uint32Column(), new Uint32Column()];
    this.numbersA.forEach((number, i) => {
      const occurrence = next[number]!;
      if (occurrence < 0) return;
      next[number] = after[occurrence]!;
      a.push(startsA[i] ?? 0);
      b.push(startsB[occurrence] ?? 0);
    });
    return { a: a.view, b: b.view };
  }
}

/**
 * The shared tokens of two texts: by token, whether it is in a shingle of both; by token of a, its partner in b, or -1.
 */
interface Matched {
  readonly sizes: SharedRuns['shingles'];
  readonly coveredA: Uint8Array;
  readonly coveredB: Uint8Array;
  readonly partners: Int32Array;
}

function matched(textA: Uint8Array, textB: Uint8Array, params: ShingleParams): Matched {
  const match = new ShingleMatch(textA, textB, params);
  // Single tokens are shingles of size 1: equal tokens have equal numbers, and stop words numbers below `stopWords`.
  const { normalize, ...plain } = params;
  // Bytes are compared without normalization.
  const isPrepared = normalize !== undefined && params.unit !== 'bytes';
  const single: ShingleParams = { ...plain, ...(isPrepared && { normalize }), size: 1, bag: false };
  const ofTokens = params.unit === 'stopwords' ? ({ ...single, unit: 'words' } as const) : single;
  const table = new FingerprintTable();
  if (params.unit === 'stopwords')
    numbered(new TextEncoder().encode(params.stopWords.join('\n')), ofTokens, table);
  const stopWords = table.size;
  const [tokensA, tokensB] = [numbered(textA, ofTokens, table), numbered(textB, ofTokens, table)];
  const startsIn = (tokens: Uint32Array): Uint32Array =>
    startsOf(tokens.length, params, (i) => tokens[i]! < stopWords);
  const [startsA, startsB] = [startsIn(tokensA), startsIn(tokensB)];
  return {
    sizes: match.sizes,
    coveredA: match.covered('a', tokensA.length, startsA, params.size),
    coveredB: match.covered('b', tokensB.length, startsB, params.size),
    // The one shingle of a short document has all its tokens: only equal documents share it.
    partners: aligned(tokensA, tokensB, match.anchors(startsA, startsB)),
  };
}

/** The pieces of a text, stretch by stretch. */
class PieceWriter {
  private ends: number[] = [];
  private kinds: PieceKind[] = [];
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  upTo(end: number, kind: PieceKind): void {
    const { ends, kinds } = this;
    const last = ends.length - 1;
    const at = ends[last] ?? this.at;
    if (end <= at) return;
    if (kinds[last] === kind) ends[last] = end;
    else {
      ends.push(end);
      kinds.push(kind);
    }
  }

  take(): TextPiece[] {
    const { ends, kinds, text } = this;
    const pieces = ends.map((end, i) => ({ text: text.slice(ends[i - 1] ?? this.at, end), kind: kinds[i]! }));
    this.at = ends.at(-1) ?? this.at;
    this.ends = [];
    this.kinds = [];
    return pieces;
  }
}

/** One of the two texts, with the marks of its tokens. */
interface MarkedTokens {
  readonly written: WrittenTokens;
  readonly covered: Uint8Array;
  readonly writer: PieceWriter;
}

/** The text from a token to the next one, or to the end. */
function gapAfter({ text, from, to }: WrittenTokens, token: number): string {
  return text.slice(to[token]!, from[token + 1] ?? text.length);
}

const blanked = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Writes tokens [from, to), which have no partners. */
function writeApart({ written, covered, writer }: MarkedTokens, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const kind = covered[i] === 1 ? 'moved' : 'own';
    const before = i > from && covered[i - 1] === covered[i] ? kind : 'shared';
    writer.upTo(written.from[i]!, before);
    writer.upTo(written.to[i]!, kind);
  }
  writer.upTo(written.from[to] ?? written.text.length, 'shared');
}

function kindOf(isCovered: boolean, isPartnerCovered: boolean, isSame: boolean): PieceKind {
  if (!isCovered) return 'own';
  if (!isPartnerCovered) return 'moved';
  return isSame ? 'shared' : 'rewritten';
}

/** The kind of the text between two tokens with partners: their kind if both are `own` or both `moved`. */
function kindBetween(before: PieceKind, after: PieceKind, isSame: boolean): PieceKind {
  if (before === after && (before === 'own' || before === 'moved')) return before;
  return isSame ? 'shared' : 'rewritten';
}

/**
 * Writes tokens that are partners: [fromA, fromA + count) of a and [fromB, fromB + count) of b. Yields the stretch written so far
 * whenever the kinds change.
 */
function* writeSame(
  a: MarkedTokens,
  b: MarkedTokens,
  [fromA, fromB, count]: readonly [number, number, number],
): Generator<TextStretch> {
  const kindsAt = (i: number, j: number): readonly [PieceKind, PieceKind] => {
    const isSame = tokenText(a.written, i) === tokenText(b.written, j);
    const [inA, inB] = [a.covered[i] === 1, b.covered[j] === 1];
    return [kindOf(inA, inB, isSame), kindOf(inB, inA, isSame)];
  };
  let kinds = kindsAt(fromA, fromB);
  let before = '';
  function* write(
    toA: number,
    toB: number,
    [kindA, kindB]: readonly [PieceKind, PieceKind],
  ): Generator<TextStretch> {
    if (before !== '' && before !== `${kindA} ${kindB}`) yield* ended(a, b, true);
    before = `${kindA} ${kindB}`;
    a.writer.upTo(toA, kindA);
    b.writer.upTo(toB, kindB);
  }
  for (let n = 0; n < count; n++) {
    const [i, j] = [fromA + n, fromB + n];
    const [toA, toB] = [a.written.to[i]!, b.written.to[j]!];
    yield* write(toA, toB, kinds);
    const isLast = n === count - 1;
    const [gapA, gapB] = [gapAfter(a.written, i), gapAfter(b.written, j)];
    const next = isLast ? (['shared', 'shared'] as const) : kindsAt(i + 1, j + 1);
    const isSame = isLast || blanked(gapA) === blanked(gapB);
    const between = [kindBetween(kinds[0], next[0], isSame), kindBetween(kinds[1], next[1], isSame)] as const;
    if (gapA.length + gapB.length > 0) yield* write(toA + gapA.length, toB + gapB.length, between);
    kinds = next;
  }
}

/** An original token, with its white space as blanks. */
function tokenText({ text, from, to }: WrittenTokens, token: number): string {
  return blanked(text.slice(from[token], to[token]));
}

/** Yields everything written to both sides since the last stretch as a stretch, unless it is empty. */
function* ended(a: MarkedTokens, b: MarkedTokens, same: boolean): Generator<TextStretch> {
  const [piecesA, piecesB] = [a.writer.take(), b.writer.take()];
  if (piecesA.length + piecesB.length > 0) yield { same, a: piecesA, b: piecesB };
}

function* stretchesOf(a: MarkedTokens, b: MarkedTokens, partners: Int32Array): Generator<TextStretch> {
  let [i, j] = [0, 0];
  const [lengthA, lengthB] = [a.written.from.length, b.written.from.length];
  a.writer.upTo(a.written.from[0] ?? a.written.text.length, 'shared');
  b.writer.upTo(b.written.from[0] ?? b.written.text.length, 'shared');
  while (i < lengthA || j < lengthB) {
    let count = 0;
    while (i + count < lengthA && partners[i + count] === j + count) count++;
    if (count > 0) {
      yield* writeSame(a, b, [i, j, count]);
      yield* ended(a, b, true);
      i += count;
      j += count;
      continue;
    }
    let nextA = i;
    while (nextA < lengthA && partners[nextA] === -1) nextA++;
    const nextB = nextA < lengthA ? partners[nextA]! : lengthB;
    writeApart(a, i, nextA);
    writeApart(b, j, nextB);
    yield* ended(a, b, false);
    [i, j] = [nextA, nextB];
  }
  yield* ended(a, b, true);
}

function beginningOf(bytes: Uint8Array, unit: ShingleUnit): Uint8Array {
  let end = mostMarkedBytes(unit);
  if (bytes.length <= end) return bytes;
  // The cut must not be within a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/**
 * SharedRuns whose stretches are computed while they are iterated, once, so that large texts do not keep them in
 * memory.
 */
export type StreamedRuns = Omit<SharedRuns, 'stretches'> & { readonly stretches: Iterable<TextStretch> };

/**
 * Two original texts, cut into shared and other stretches. Time n log n for n tokens; memory: the texts and a few
 * numbers per token.
 *
 * @param params the shingle parameters of the run; for `stopwords` with the words
 */
export function streamedRuns(textA: Uint8Array, textB: Uint8Array, params: ShingleParams): StreamedRuns {
  const [a, b] = [beginningOf(textA, params.unit), beginningOf(textB, params.unit)];
  const { sizes, coveredA, coveredB, partners } = matched(a, b, params);
  const marked = (text: Uint8Array, covered: Uint8Array): MarkedTokens => {
    const written = writtenTokens(text, params);
    return { written, covered, writer: new PieceWriter(written.text) };
  };
  return {
    stretches: stretchesOf(marked(a, coveredA), marked(b, coveredB), partners),
    unit: params.unit,
    size: params.size,
    shingles: sizes,
    cut: a.length < textA.length || b.length < textB.length,
  };
}

/** Two texts cut into shared and other stretches, all held in memory. */
export function sharedRuns(textA: Uint8Array, textB: Uint8Array, params: ShingleParams): SharedRuns {
  const runs = streamedRuns(textA, textB, params);
  return { ...runs, stretches: [...runs.stretches] };
}
