/**
 * Two texts as they are written, cut where what they share begins and ends.
 *
 * Shared is what lies in a shingle that both texts have: the shared shingles are what their Jaccard similarity counts, so the
 * marks show where the number comes from. A word that both have counts only inside such a run.
 */
import { Uint32Column } from '../../arrays/growable.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { createShingleStream, type ShingleParams, type ShingleUnit } from '../../text/shingles.js';
import { startsOf } from '../../text/tokens.js';
import { type Anchors, aligned } from './alignment.js';
import { type WrittenTokens, writtenTokens } from './writtenTokens.js';

/**
 * What a piece of a text is: in a shingle of both texts and in the same place of the order (`shared`); in one of both, elsewhere in
 * the order (`moved`); shared, but written otherwise: case, punctuation (`rewritten`); in no shingle of the other text (`own`).
 */
export type PieceKind = 'shared' | 'moved' | 'rewritten' | 'own';

/** A piece of a text as it is written. */
export interface TextPiece {
  readonly text: string;
  readonly kind: PieceKind;
}

/**
 * A stretch of both texts: in `same` ones the tokens are equal one by one, and each side is of one kind; others lie between those.
 * The pieces of all stretches in their order are the whole texts.
 */
export interface TextStretch {
  readonly same: boolean;
  readonly a: readonly TextPiece[];
  readonly b: readonly TextPiece[];
}

/** Two texts with what they share. */
export interface SharedRuns {
  readonly stretches: readonly TextStretch[];
  /** What a shingle is made of, and of how many: shorter runs are not shared. */
  readonly unit: ShingleUnit;
  readonly size: number;
  /** Distinct shingles of a, of b, and of both. */
  readonly shingles: { readonly a: number; readonly b: number; readonly both: number };
  /** Only the first 16 MB of a text were looked at; 4 MB where shingles are of characters or bytes. */
  readonly cut: boolean;
}

/** Of longer texts the beginning is compared: no reader looks at more. Characters and bytes are many more tokens than words. */
export function mostMarkedBytes(unit: ShingleUnit): number {
  return unit === 'chars' || unit === 'bytes' ? 4_000_000 : 16_000_000;
}

/** The shingles of a text in their order, as numbers of a table: equal ones have equal numbers. */
function numbered(text: Uint8Array, params: ShingleParams, table: FingerprintTable): Uint32Array {
  const numbers = new Uint32Column();
  const stream = createShingleStream(params, (hashes, count) => {
    for (let i = 0; i < count; i++) numbers.push(table.add(hashes[2 * i]!, hashes[2 * i + 1]!));
  });
  stream.push(text);
  stream.end();
  return numbers.view;
}

const IN_A = 1;
const IN_B = 2;

/** Shingles of two texts: which are in both, and where. */
class ShingleMatch {
  readonly sizes = { a: 0, b: 0, both: 0 };
  private readonly numbersA: Uint32Array;
  private readonly numbersB: Uint32Array;
  /** By shingle, the texts that it is in. */
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

  /** Which of the tokens of a text lie in a shingle of both. */
  covered(side: 'a' | 'b', tokens: number, starts: Uint32Array, size: number): Uint8Array {
    const own = side === 'a' ? this.numbersA : this.numbersB;
    const flags = new Uint8Array(tokens);
    let covered = 0;
    for (let i = 0; i < own.length; i++) {
      if (this.sides[own[i]!] !== (IN_A | IN_B)) continue;
      // A document without a full shingle has one, all its tokens.
      const start = starts[i];
      const end = start === undefined ? tokens : Math.min(tokens, start + size);
      for (let t = Math.max(covered, start ?? 0); t < end; t++) flags[t] = 1;
      covered = Math.max(covered, end);
    }
    return flags;
  }

  /** Where shared shingles begin: the first of a text beside the first of the other, the second beside the second, and so on. */
  anchors(startsA: Uint32Array, startsB: Uint32Array): Anchors {
    // By shingle: its next occurrence in b; by occurrence: the one after it. -1: none.
    const next = new Int32Array(this.sides.length).fill(-1);
    const after = new Int32Array(this.numbersB.length).fill(-1);
    for (let i = this.numbersB.length - 1; i >= 0; i--) {
      const number = this.numbersB[i]!;
      after[i] = next[number]!;
      next[number] = i;
    }
    const [a, b] = [new Uint32Column(), new Uint32Column()];
    this.numbersA.forEach((number, i) => {
      const place = next[number]!;
      if (place < 0) return;
      next[number] = after[place]!;
      a.push(startsA[i] ?? 0);
      b.push(startsB[place] ?? 0);
    });
    return { a: a.view, b: b.view };
  }
}

/** What two texts share, by their tokens: which lie in a shingle of both, and by token of a its partner in b, or -1. */
interface Matched {
  readonly sizes: SharedRuns['shingles'];
  readonly coveredA: Uint8Array;
  readonly coveredB: Uint8Array;
  readonly partners: Int32Array;
}

function matched(textA: Uint8Array, textB: Uint8Array, params: ShingleParams): Matched {
  const match = new ShingleMatch(textA, textB, params);
  // Tokens are shingles of one: equal ones have equal numbers, and stop words those below `stopWords`.
  const { normalize, ...plain } = params;
  // Bytes are compared as they are.
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
    // The one shingle of a short document stands for all its tokens: only equal ones have it in common.
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

/** One of the two texts: what is known of each token. */
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

/** Writes tokens [from, to) of which none has a partner. */
function writeApart({ written, covered, writer }: MarkedTokens, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const kind = covered[i] === 1 ? 'moved' : 'own';
    const before = i > from && covered[i - 1] === covered[i] ? kind : 'shared';
    writer.upTo(written.from[i]!, before);
    writer.upTo(written.to[i]!, kind);
  }
  writer.upTo(written.from[to] ?? written.text.length, 'shared');
}

/** What a token is that has a partner. */
function kindOf(isCovered: boolean, isPartnerCovered: boolean, isSame: boolean): PieceKind {
  if (!isCovered) return 'own';
  if (!isPartnerCovered) return 'moved';
  return isSame ? 'shared' : 'rewritten';
}

/** What stands between two tokens that have partners: as they are where they are alike. */
function kindBetween(before: PieceKind, after: PieceKind, isSame: boolean): PieceKind {
  if (before === after && (before === 'own' || before === 'moved')) return before;
  return isSame ? 'shared' : 'rewritten';
}

/** Writes tokens that are partners: [fromA, fromA + count) of a and [fromB, fromB + count) of b. Gives what is written before its kinds change. */
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

/** The token as written, its white space as blanks. */
function tokenText({ text, from, to }: WrittenTokens, token: number): string {
  return blanked(text.slice(from[token], to[token]));
}

/** What was written of both since the last stretch; none where that is nothing. */
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
  // Not within a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** The same, with stretches that are made one after the other as they are asked for, once: of large texts they are not held. */
export type StreamedRuns = Omit<SharedRuns, 'stretches'> & { readonly stretches: Iterable<TextStretch> };

/**
 * What two texts share, as they are written. Time n log n for n tokens; it holds the texts and some numbers a token, no object.
 *
 * @param params those that made the shingles of the run; of `stopwords` with the words
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

/** The same, with all its stretches. */
export function sharedRuns(textA: Uint8Array, textB: Uint8Array, params: ShingleParams): SharedRuns {
  const runs = streamedRuns(textA, textB, params);
  return { ...runs, stretches: [...runs.stretches] };
}
