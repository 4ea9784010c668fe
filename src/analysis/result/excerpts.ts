/** Excerpts of two texts: their differences with a little shared text around them, as rows of two cells. */

import type { TextPiece, TextStretch } from './sharedRuns.js';

/**
 * Two cells side by side; or hidden text between two rows: shared text, or text of one side only (the other is empty).
 */
export type ExcerptRow =
  | { readonly state: 'shown'; readonly a: readonly TextPiece[]; readonly b: readonly TextPiece[] }
  | { readonly state: 'hidden'; readonly a: string; readonly b: string };

/** How much shared text is shown around a difference: lines, and UTF-16 units of very long lines. */
const CONTEXT_LINES = 2;
const CONTEXT_LENGTH = 200;

/** A shared text that is shown only in part: its beginning and its end, without `hidden` between them. */
interface Shortened {
  readonly head: string;
  readonly hidden: string;
  readonly tail: string;
}

/** Position `at`, moved before a surrogate pair if it is within one. */
function wholeAt(text: string, at: number): number {
  return at > 0 && at < text.length && /[\udc00-\udfff]/.test(text[at]!) ? at - 1 : at;
}

/** The first lines of a text, but no more than a few words of a very long line. */
function headOf(text: string): string {
  let end = 0;
  for (let lines = 0; lines < CONTEXT_LINES; lines++) {
    const next = text.indexOf('\n', end);
    if (next < 0) break;
    end = next + 1;
  }
  const head = end === 0 ? text : text.slice(0, end);
  if (head.length <= CONTEXT_LENGTH) return head;
  const blank = head.lastIndexOf(' ', CONTEXT_LENGTH);
  return head.slice(0, blank > CONTEXT_LENGTH / 2 ? blank + 1 : wholeAt(head, CONTEXT_LENGTH));
}

/** The last lines of a text, but no more than a few words of a very long line. */
function tailOf(text: string): string {
  // A line feed at the end of the text belongs to the last line.
  let from = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let lines = 0; lines < CONTEXT_LINES && from > 0; lines++) {
    const before = text.lastIndexOf('\n', from - 1);
    if (before < 0) break;
    from = before;
  }
  const tail = from >= text.length - 1 ? text : text.slice(from + 1);
  if (tail.length <= CONTEXT_LENGTH) return tail;
  const least = tail.length - CONTEXT_LENGTH;
  const blank = tail.indexOf(' ', least);
  return tail.slice(blank >= 0 && blank < least + CONTEXT_LENGTH / 2 ? blank + 1 : wholeAt(tail, least));
}

/** A shared text shortened between differences; null if all of it is shown. */
function shortened(text: string, isFirst: boolean, isLast: boolean): Shortened | null {
  const head = isFirst ? '' : headOf(text);
  const tail = isLast ? '' : tailOf(text);
  const hidden = text.length - head.length - tail.length;
  // A note in place of a short text would be as long as the text.
  if (hidden < CONTEXT_LENGTH / 2) return null;
  return { head, hidden: text.slice(head.length, text.length - tail.length), tail };
}

const textOf = (pieces: readonly TextPiece[]): string => pieces.map(({ text }) => text).join('');

const shared = (text: string): TextPiece[] => (text === '' ? [] : [{ text, kind: 'shared' }]);

/** Joins adjacent pieces of one kind, including the blank between them; rewritten pieces stay separate words. */
function joined(pieces: readonly TextPiece[]): TextPiece[] {
  const together: TextPiece[] = [];
  for (const piece of pieces) {
    const before = together.at(-1);
    const last = together.at(-2);
    if (before?.kind === piece.kind)
      together[together.length - 1] = { ...piece, text: before.text + piece.text };
    else if (before !== undefined && last?.kind === piece.kind && /^[ \t]+$/.test(before.text)) {
      together.splice(-2, 2, { ...piece, text: last.text + before.text + piece.text });
    } else together.push(piece);
  }
  return together;
}

/** Collects two cells that become a row. */
class RowWriter {
  private a: TextPiece[] = [];
  private b: TextPiece[] = [];

  add(a: readonly TextPiece[], b: readonly TextPiece[]): void {
    for (const piece of a) this.a.push(piece);
    for (const piece of b) this.b.push(piece);
  }

  /** Number of pieces of both cells. */
  get length(): number {
    return this.a.length + this.b.length;
  }

  *end(): Generator<ExcerptRow> {
    if (this.length > 0) yield { state: 'shown', a: joined(this.a), b: joined(this.b) };
    this.a = [];
    this.b = [];
  }

  /** Adds shared text. If both sides have the same number of lines, the lines are side by side. */
  *pair(textA: string, textB: string): Generator<ExcerptRow> {
    const [linesA, linesB] = [textA.split(/(?<=\n)/), textB.split(/(?<=\n)/)];
    if (linesA.length !== linesB.length) {
      this.add(shared(textA), shared(textB));
      return;
    }
    for (const [i, line] of linesA.entries()) {
      this.add(shared(line), shared(linesB[i]!));
      if (line.endsWith('\n') && linesB[i]!.endsWith('\n')) yield* this.end();
    }
  }
}

/**
 * A longer text with hardly anything on the other side is shown by its ends, so that the following shared text is side
 * by side.
 */
const LONG_ALONE = 1000;

/** The pieces between two positions of their text. */
function slicePieces(pieces: readonly TextPiece[], from: number, to: number): TextPiece[] {
  let at = 0;
  return pieces.flatMap((piece) => {
    const start = at;
    at += piece.text.length;
    const text = piece.text.slice(Math.max(0, from - start), Math.max(0, to - start));
    return text === '' ? [] : [{ ...piece, text }];
  });
}

/** Writes a difference of which one side is long and the other nearly empty; returns false for other differences. */
function* longAlone(
  rows: RowWriter,
  { a, b }: TextStretch,
  isFirst: boolean,
  isLast: boolean,
): Generator<ExcerptRow, boolean> {
  const [textA, textB] = [textOf(a), textOf(b)];
  const isInA = textA.length > textB.length;
  const [long, short] = isInA ? [textA, textB] : [textB, textA];
  if (long.length <= LONG_ALONE || short.length > CONTEXT_LENGTH) return false;
  const cut = shortened(long, isFirst, isLast);
  if (cut === null) return false;
  const pieces = isInA ? a : b;
  const add = (own: readonly TextPiece[], beside: readonly TextPiece[]): void =>
    isInA ? rows.add(own, beside) : rows.add(beside, own);
  const others = isInA ? b : a;
  add(slicePieces(pieces, 0, cut.head.length), isFirst ? [] : others);
  yield* rows.end();
  yield { state: 'hidden', a: isInA ? cut.hidden : '', b: isInA ? '' : cut.hidden };
  add(slicePieces(pieces, long.length - cut.tail.length, long.length), isFirst ? others : []);
  yield* rows.end();
  return true;
}

/** The rows that show two texts. */
export function* excerptRows(stretches: readonly TextStretch[]): Generator<ExcerptRow> {
  const rows = new RowWriter();
  for (const [i, { same, a, b }] of stretches.entries()) {
    const ends = [i === 0, i === stretches.length - 1] as const;
    if (!same || [...a, ...b].some(({ kind }) => kind !== 'shared')) {
      if (same || !(yield* longAlone(rows, { same, a, b }, ...ends))) rows.add(a, b);
      continue;
    }
    const [textA, textB] = [textOf(a), textOf(b)];
    const [shortA, shortB] = [shortened(textA, ...ends), shortened(textB, ...ends)];
    if (shortA === null || shortB === null) {
      yield* rows.pair(textA, textB);
      continue;
    }
    yield* rows.pair(shortA.head, shortB.head);
    yield* rows.end();
    yield { state: 'hidden', a: shortA.hidden, b: shortB.hidden };
    yield* rows.pair(shortA.tail, shortB.tail);
  }
  yield* rows.end();
}

/** Most UTF-16 units of a cell in the rows of two whole texts; longer cells are cut. */
const LONGEST_ROW = 1500;
/** Most pieces of such a row until both sides have a line end; a longer row is cut. */
const MOST_OPEN = 1 << 14;

/** Two whole texts as rows: shared text is side by side, line by line if both sides have the same number of lines. */
export function* wholeRows(stretches: Iterable<TextStretch>): Generator<WholeRow> {
  const rows = new RowWriter();
  for (const { same, a, b } of stretches) {
    if (same && [...a, ...b].every(({ kind }) => kind === 'shared')) {
      yield* shortRows(rows.pair(textOf(a), textOf(b)));
    } else rows.add(a, b);
    if (rows.length > MOST_OPEN) yield* shortRows(rows.end());
  }
  yield* shortRows(rows.end());
}

/** Two cells beside each other. */
export type WholeRow = Extract<ExcerptRow, { readonly state: 'shown' }>;

/** A cell cut into cells of at most LONGEST_ROW; at least one. */
function shortCells(pieces: readonly TextPiece[]): TextPiece[][] {
  const cells: TextPiece[][] = [[]];
  let room = LONGEST_ROW;
  for (const piece of pieces) {
    for (let at = 0; at < piece.text.length; ) {
      if (room === 0) {
        cells.push([]);
        room = LONGEST_ROW;
      }
      const text = piece.text.slice(at, at + room);
      cells.at(-1)!.push({ ...piece, text });
      at += text.length;
      room -= text.length;
    }
  }
  return cells;
}

function* shortRows(rows: Iterable<ExcerptRow>): Generator<WholeRow> {
  for (const row of rows) {
    if (row.state === 'hidden') continue;
    const [a, b] = [row.a, row.b].map(shortCells) as [TextPiece[][], TextPiece[][]];
    for (let i = 0; i < Math.max(a.length, b.length); i++)
      yield { state: 'shown', a: a[i] ?? [], b: b[i] ?? [] };
  }
}

/** The amount of a text: in words, or in characters if blanks are rare. */
export function amountOfText(text: string): { readonly count: number; readonly unit: 'word' | 'character' } {
  const words = text.match(/\S+/g)?.length ?? 0;
  const characters = text.replace(/\s+/g, '').length;
  return characters > 20 * words ? { count: characters, unit: 'character' } : { count: words, unit: 'word' };
}

/** The units of shingles in English words. */
const UNITS = {
  words: 'words',
  chars: 'characters',
  bytes: 'bytes',
  lines: 'lines',
  stopwords: 'words that begin with a stop word',
} as const;

/** `runs of 5 words`. */
export function runText(unit: keyof typeof UNITS, size: number): string {
  return `runs of ${size} ${size === 1 ? UNITS[unit].replace(/s$/, '') : UNITS[unit]}`;
}
