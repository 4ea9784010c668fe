/**
 * Two texts as they are written, cut where what they share begins and ends.
 *
 * Shared is what lies in a shingle that both texts have: the shared shingles are what their Jaccard similarity counts, so the
 * marks show where the number comes from. A word that both have counts only inside such a run.
 */
import { FingerprintTable } from '../../arrays/hashTable.js';
import type { ShingleParams, ShingleUnit } from '../../text/shingles.js';
import { hashesInOrder, startsOf } from '../../text/tokens.js';
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
  /** Only the first 16 MB of a text were looked at. */
  readonly cut: boolean;
}

/** Of longer texts the beginning is compared: no reader looks at more. */
const MOST_MARKED_BYTES = 16_000_000;

/** Shingles of two texts: which are in both, and where. */
class ShingleMatch {
  readonly sizes = { a: 0, b: 0, both: 0 };
  private readonly table = new FingerprintTable();
  private readonly numbersA: Uint32Array;
  private readonly numbersB: Uint32Array;
  private readonly countsA: Uint32Array;
  private readonly countsB: Uint32Array;

  constructor(a: Uint32Array, b: Uint32Array) {
    this.numbersA = this.numbersOf(a);
    this.numbersB = this.numbersOf(b);
    this.countsA = this.countsOf(this.numbersA);
    this.countsB = this.countsOf(this.numbersB);
    for (let n = 0; n < this.table.size; n++) {
      const [inA, inB] = [this.countsA[n]! > 0, this.countsB[n]! > 0];
      this.sizes.a += Number(inA);
      this.sizes.b += Number(inB);
      this.sizes.both += Number(inA && inB);
    }
  }

  /** Which tokens of a text lie in a shingle of both. */
  covered(side: 'a' | 'b', { tokens }: WrittenTokens, starts: readonly number[], size: number): Uint8Array {
    const [own, others] = side === 'a' ? [this.numbersA, this.countsB] : [this.numbersB, this.countsA];
    const flags = new Uint8Array(tokens.length);
    let covered = 0;
    for (let i = 0; i < own.length; i++) {
      if (others[own[i]!] === 0) continue;
      // A document without a full shingle has one, all its tokens.
      const start = starts[i];
      const end = start === undefined ? tokens.length : Math.min(tokens.length, start + size);
      for (let t = Math.max(covered, start ?? 0); t < end; t++) flags[t] = 1;
      covered = Math.max(covered, end);
    }
    return flags;
  }

  /** Where shared shingles begin: the first of a text beside the first of the other, the second beside the second, and so on. */
  anchors(startsA: readonly number[], startsB: readonly number[]): Anchors {
    // By shingle: its next occurrence in b; by occurrence: the one after it. -1: none.
    const next = new Int32Array(this.table.size).fill(-1);
    const after = new Int32Array(this.numbersB.length).fill(-1);
    for (let i = this.numbersB.length - 1; i >= 0; i--) {
      const number = this.numbersB[i]!;
      after[i] = next[number]!;
      next[number] = i;
    }
    const found = { a: [] as number[], b: [] as number[] };
    this.numbersA.forEach((number, i) => {
      const place = next[number]!;
      if (place < 0) return;
      next[number] = after[place]!;
      found.a.push(startsA[i] ?? 0);
      found.b.push(startsB[place] ?? 0);
    });
    return found;
  }

  private numbersOf(hashes: Uint32Array): Uint32Array {
    const numbers = new Uint32Array(hashes.length / 2);
    for (let i = 0; i < numbers.length; i++) {
      numbers[i] = this.table.add(hashes[2 * i]!, hashes[2 * i + 1]!);
    }
    return numbers;
  }

  private countsOf(numbers: Uint32Array): Uint32Array {
    const counts = new Uint32Array(this.table.size);
    for (const number of numbers) counts[number]!++;
    return counts;
  }
}

/** Equal tokens have equal numbers. */
function numbered(texts: readonly WrittenTokens[]): Uint32Array[] {
  const numbers = new Map<string, number>();
  return texts.map(({ tokens }) =>
    Uint32Array.from(tokens, (token) => {
      const known = numbers.get(token);
      if (known === undefined) numbers.set(token, numbers.size);
      return known ?? numbers.size - 1;
    }),
  );
}

/** The pieces of a text, stretch by stretch. */
class PieceWriter {
  private pieces: { text: string; kind: PieceKind }[] = [];
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  upTo(end: number, kind: PieceKind): void {
    if (end <= this.at) return;
    const text = this.text.slice(this.at, end);
    const last = this.pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.pieces.push({ text, kind });
    this.at = end;
  }

  take(): TextPiece[] {
    const { pieces } = this;
    this.pieces = [];
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

/** Writes tokens that are partners: [fromA, fromA + count) of a and [fromB, fromB + count) of b. */
function writeSame(
  a: MarkedTokens,
  b: MarkedTokens,
  [fromA, fromB, count]: readonly [number, number, number],
  end: () => void,
): void {
  const kindsAt = (i: number, j: number): readonly [PieceKind, PieceKind] => {
    const isSame = tokenText(a.written, i) === tokenText(b.written, j);
    const [inA, inB] = [a.covered[i] === 1, b.covered[j] === 1];
    return [kindOf(inA, inB, isSame), kindOf(inB, inA, isSame)];
  };
  let kinds = kindsAt(fromA, fromB);
  let before = '';
  const write = (toA: number, toB: number, [kindA, kindB]: readonly [PieceKind, PieceKind]): void => {
    if (before !== '' && before !== `${kindA} ${kindB}`) end();
    before = `${kindA} ${kindB}`;
    a.writer.upTo(toA, kindA);
    b.writer.upTo(toB, kindB);
  };
  for (let n = 0; n < count; n++) {
    const [i, j] = [fromA + n, fromB + n];
    const [toA, toB] = [a.written.to[i]!, b.written.to[j]!];
    write(toA, toB, kinds);
    const isLast = n === count - 1;
    const [gapA, gapB] = [gapAfter(a.written, i), gapAfter(b.written, j)];
    const next = isLast ? (['shared', 'shared'] as const) : kindsAt(i + 1, j + 1);
    const isSame = isLast || blanked(gapA) === blanked(gapB);
    const between = [kindBetween(kinds[0], next[0], isSame), kindBetween(kinds[1], next[1], isSame)] as const;
    if (gapA.length + gapB.length > 0) write(toA + gapA.length, toB + gapB.length, between);
    kinds = next;
  }
}

/** The token as written, its white space as blanks. */
function tokenText({ text, from, to }: WrittenTokens, token: number): string {
  return blanked(text.slice(from[token], to[token]));
}

function stretchesOf(a: MarkedTokens, b: MarkedTokens, partners: Int32Array): TextStretch[] {
  const stretches: TextStretch[] = [];
  const end = (same: boolean): void => {
    const [piecesA, piecesB] = [a.writer.take(), b.writer.take()];
    if (piecesA.length + piecesB.length > 0) stretches.push({ same, a: piecesA, b: piecesB });
  };
  let [i, j] = [0, 0];
  const [lengthA, lengthB] = [a.written.tokens.length, b.written.tokens.length];
  a.writer.upTo(a.written.from[0] ?? a.written.text.length, 'shared');
  b.writer.upTo(b.written.from[0] ?? b.written.text.length, 'shared');
  while (i < lengthA || j < lengthB) {
    let count = 0;
    while (i + count < lengthA && partners[i + count] === j + count) count++;
    if (count > 0) {
      writeSame(a, b, [i, j, count], () => end(true));
      end(true);
      i += count;
      j += count;
      continue;
    }
    let nextA = i;
    while (nextA < lengthA && partners[nextA] === -1) nextA++;
    const nextB = nextA < lengthA ? partners[nextA]! : lengthB;
    writeApart(a, i, nextA);
    writeApart(b, j, nextB);
    end(false);
    [i, j] = [nextA, nextB];
  }
  end(true);
  return stretches;
}

function beginningOf(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= MOST_MARKED_BYTES) return bytes;
  let end = MOST_MARKED_BYTES;
  // Not within a character.
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/**
 * What two texts share, as they are written. Time n log n for n tokens; it allocates a string a token.
 *
 * @param params those that made the shingles of the run; of `stopwords` with the words
 */
export function sharedRuns(textA: Uint8Array, textB: Uint8Array, params: ShingleParams): SharedRuns {
  const texts = [textA, textB].map(beginningOf);
  const [writtenA, writtenB] = texts.map((text) => writtenTokens(text, params)) as [
    WrittenTokens,
    WrittenTokens,
  ];
  const [hashesA, hashesB] = texts.map((text) => hashesInOrder(text, params)) as [Uint32Array, Uint32Array];
  const match = new ShingleMatch(hashesA, hashesB);
  const startsA = startsOf(writtenA.tokens, params);
  const startsB = startsOf(writtenB.tokens, params);
  const [numbersA, numbersB] = numbered([writtenA, writtenB]) as [Uint32Array, Uint32Array];
  // The one shingle of a short document stands for all its tokens: only equal ones have it in common.
  const partners = aligned(numbersA, numbersB, match.anchors(startsA, startsB));
  const marked = (written: WrittenTokens, side: 'a' | 'b', starts: readonly number[]): MarkedTokens => ({
    written,
    covered: match.covered(side, written, starts, params.size),
    writer: new PieceWriter(written.text),
  });
  return {
    stretches: stretchesOf(marked(writtenA, 'a', startsA), marked(writtenB, 'b', startsB), partners),
    unit: params.unit,
    size: params.size,
    shingles: match.sizes,
    cut: texts[0]!.length < textA.length || texts[1]!.length < textB.length,
  };
}
