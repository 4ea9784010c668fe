/**
 * Two texts side by side as they are written, line by line, with what they share.
 *
 * A row has the number of the line that begins in it, and a mark: `=` all of it is shared, `-` and `+` something of it is in one
 * text alone, `~` something of it stands elsewhere in the other text, or is written otherwise there. Within a row those pieces
 * have colours; where there are none, brackets.
 */

import type { PieceKind, SharedRuns, TextPiece, TextStretch } from '../../../src/index.js';
import { type Span, type Style, safeText, type Terminal } from '../../terminal.js';
import { counted, grouped } from '../amounts.js';
import { beginningOfWidth, paddedToWidth, textWidth } from '../width.js';

/** What follows is more than anybody reads in a terminal. */
const MOST_ROWS = 1000;
/** Of what is shared, so much is shown beside a difference: lines, and characters of very long ones. */
const CONTEXT_LINES = 2;
const CONTEXT_LENGTH = 200;
const SEPARATOR = ' | ';
const TAB = 4;

const MARKS: Readonly<
  Record<'a' | 'b', Readonly<Record<PieceKind, readonly [open: string, close: string, margin: string]>>>
> = {
  a: {
    shared: ['', '', '='],
    own: ['[-', '-]', '-'],
    moved: ['(=', '=)', '~'],
    rewritten: ['(~', '~)', '~'],
  },
  b: {
    shared: ['', '', '='],
    own: ['{+', '+}', '+'],
    moved: ['(=', '=)', '~'],
    rewritten: ['(~', '~)', '~'],
  },
};
const STYLES: Readonly<Record<'a' | 'b', Readonly<Record<PieceKind, Style>>>> = {
  a: { shared: 'plain', own: 'removed', moved: 'moved', rewritten: 'rewritten' },
  b: { shared: 'plain', own: 'added', moved: 'moved', rewritten: 'rewritten' },
};

interface TextRow {
  /** The number of the line that begins here, or empty. */
  readonly line: string;
  margin: string;
  readonly spans: Span[];
  width: number;
}

/** One of the two columns: text goes in, rows of at most so many columns come out. */
class TextColumn {
  readonly rows: TextRow[] = [];
  private readonly side: 'a' | 'b';
  private readonly width: number;
  private readonly colour: boolean;
  private line = 0;
  /** The row that is being filled; null: the next text begins one. */
  private row: TextRow | null = null;
  private atLineStart = true;

  constructor(side: 'a' | 'b', width: number, colour: boolean) {
    this.side = side;
    this.width = width;
    this.colour = colour;
  }

  write({ text, kind }: TextPiece): void {
    const [open, close] = this.colour ? ['', ''] : MARKS[this.side][kind];
    // Brackets stand at the words, not at the white space around them.
    const [, before, core, after] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text)!;
    this.words(before!, 'shared');
    if (core !== '') this.words(`${open}${core}${close}`, kind);
    this.words(after!, 'shared');
  }

  /** The next text begins a row. */
  breakRow(): void {
    this.row = null;
  }

  /** Counts the lines of text that is not shown, and is not empty. */
  pass(text: string): void {
    const ends = text.split('\n').length - 1;
    const isEnd = text.endsWith('\n');
    this.line += (this.atLineStart ? 1 : 0) + ends - (isEnd ? 1 : 0);
    this.atLineStart = isEnd;
    this.row = null;
  }

  private words(text: string, kind: PieceKind): void {
    for (const [word] of text.matchAll(/\r?\n|[^\S\n]+?(?=\r?\n|\S|$)|[^\s]+|\r/g)) {
      if (word.endsWith('\n')) this.endLine();
      else this.word(word, kind);
    }
  }

  private endLine(): void {
    if (this.row === null && this.atLineStart) this.begin();
    this.row = null;
    this.atLineStart = true;
  }

  private begin(): TextRow {
    if (this.atLineStart) this.line++;
    const row: TextRow = {
      line: this.atLineStart ? String(this.line) : '',
      margin: '=',
      spans: [],
      width: 0,
    };
    this.rows.push(row);
    this.row = row;
    return row;
  }

  private word(word: string, kind: PieceKind): void {
    const isBlank = word.trim() === '';
    let rest = isBlank ? ' '.repeat(word.includes('\t') ? TAB * word.length : word.length) : safeText(word);
    while (rest !== '') {
      const row = this.row ?? this.begin();
      // A line that is continued does not begin with a blank.
      if (isBlank && !this.atLineStart && row.width === 0) return;
      const room = this.width - row.width;
      const wordWidth = textWidth(rest);
      if (wordWidth > room && row.width > 0) {
        this.atLineStart = false;
        this.row = null;
        if (isBlank) return;
        continue;
      }
      const piece = beginningOfWidth(rest, room);
      this.put(row, piece, kind);
      rest = rest.slice(piece.length);
      if (row.width > 0 && !isBlank) this.atLineStart = false;
    }
  }

  private put(row: TextRow, text: string, kind: PieceKind): void {
    const style = STYLES[this.side][kind];
    const last = row.spans.at(-1);
    if (last?.style === style) row.spans[row.spans.length - 1] = { text: last.text + text, style };
    else row.spans.push({ text, style });
    row.width += textWidth(text);
    const [, , margin] = MARKS[this.side][kind];
    // What is in one text alone outweighs the rest.
    if (kind === 'own' || (row.margin === '=' && margin !== '=')) row.margin = margin;
  }
}

/** What of a shared text is shown: its beginning, and its end, between which `hidden` is not. */
interface Shortened {
  readonly head: string;
  readonly hidden: string;
  readonly tail: string;
}

/** The first lines of a text, but no more than a few words of a very long line. */
function headOf(text: string): string {
  let end = 0;
  for (let lines = 0; lines < CONTEXT_LINES && end >= 0; lines++) {
    const next = text.indexOf('\n', end);
    if (next < 0) break;
    end = next + 1;
  }
  const head = end === 0 ? text : text.slice(0, end);
  if (head.length <= CONTEXT_LENGTH) return head;
  const blank = head.lastIndexOf(' ', CONTEXT_LENGTH);
  return head.slice(0, wholeAt(head, blank > CONTEXT_LENGTH / 2 ? blank + 1 : CONTEXT_LENGTH));
}

function tailOf(text: string): string {
  let from = text.length;
  for (let lines = 0; lines < CONTEXT_LINES; lines++) {
    const before = text.lastIndexOf('\n', from - 1);
    if (before < 0) break;
    from = before;
  }
  const tail = from === text.length ? text : text.slice(from + 1);
  if (tail.length <= CONTEXT_LENGTH) return tail;
  const blank = tail.indexOf(' ', tail.length - CONTEXT_LENGTH);
  const cut =
    blank >= 0 && blank < tail.length - CONTEXT_LENGTH / 2 ? blank + 1 : tail.length - CONTEXT_LENGTH;
  return tail.slice(wholeAt(tail, cut));
}

/** Not within a surrogate pair. */
function wholeAt(text: string, at: number): number {
  return at > 0 && at < text.length && /[\udc00-\udfff]/.test(text[at]!) ? at - 1 : at;
}

/** Null where all of it is shown. */
function shortened(text: string, isFirst: boolean, isLast: boolean): Shortened | null {
  const head = isFirst ? '' : headOf(text);
  const tail = isLast ? '' : tailOf(text);
  const hidden = text.length - head.length - tail.length;
  // A note in place of little would take as much room.
  if (hidden < CONTEXT_LENGTH / 2) return null;
  return { head, hidden: text.slice(head.length, text.length - tail.length), tail };
}

/** `1,234 words`; characters where blanks are rare. */
function amountOf(text: string): string {
  const words = text.match(/\S+/g)?.length ?? 0;
  const characters = text.replace(/\s+/g, '').length;
  return characters > 20 * words ? counted(characters, 'character') : counted(words, 'word');
}

/** The stretches as rows of two columns. */
class SideBySide {
  private readonly a: TextColumn;
  private readonly b: TextColumn;
  private readonly width: number;
  private readonly numbers: number;
  private readonly terminal: Terminal;
  private shown = 0;

  constructor(terminal: Terminal, lines: number) {
    this.terminal = terminal;
    this.numbers = String(lines).length;
    this.width = Math.max(8, Math.floor((terminal.columns - SEPARATOR.length) / 2) - this.numbers - 3);
    this.a = new TextColumn('a', this.width, terminal.colour);
    this.b = new TextColumn('b', this.width, terminal.colour);
  }

  /** False: enough was shown. */
  show(stretch: TextStretch, isFirst: boolean, isLast: boolean): boolean {
    const most = MOST_ROWS * this.width;
    const cut = (piece: TextPiece): TextPiece => ({ ...piece, text: piece.text.slice(0, most) });
    const isShared = stretch.same && [...stretch.a, ...stretch.b].every(({ kind }) => kind === 'shared');
    if (!isShared) {
      for (const piece of stretch.a) this.a.write(cut(piece));
      for (const piece of stretch.b) this.b.write(cut(piece));
      return this.flush(false);
    }
    const [textA, textB] = [stretch.a, stretch.b].map((pieces) => pieces.map(({ text }) => text).join(''));
    const [shortA, shortB] = [shortened(textA!, isFirst, isLast), shortened(textB!, isFirst, isLast)];
    if (shortA === null || shortB === null) {
      this.pair(textA!, textB!);
      return this.flush(false);
    }
    this.pair(shortA.head, shortB.head);
    this.flush(true);
    this.note(`… ${amountOf(shortA.hidden)} …`);
    this.a.pass(shortA.hidden);
    this.b.pass(shortB.hidden);
    this.pair(shortA.tail, shortB.tail);
    return this.flush(false);
  }

  end(): void {
    this.flush(true);
  }

  /** The same tokens: where both have as many lines, they stand beside each other. */
  private pair(textA: string, textB: string): void {
    const [linesA, linesB] = [textA.split(/(?<=\n)/), textB.split(/(?<=\n)/)];
    if (linesA.length !== linesB.length) {
      this.a.write({ text: textA, kind: 'shared' });
      this.b.write({ text: textB, kind: 'shared' });
      return;
    }
    linesA.forEach((line, i) => {
      this.a.write({ text: line, kind: 'shared' });
      this.b.write({ text: linesB[i]!, kind: 'shared' });
      if (line.endsWith('\n') && linesB[i]!.endsWith('\n')) this.flush(true);
    });
  }

  /** Shows the rows that both columns have; `together`: all, and both go on in a new row. */
  private flush(together: boolean): boolean {
    const [rowsA, rowsB] = [this.a.rows, this.b.rows];
    // The last row of each may still be filled.
    const ready = together
      ? Math.max(rowsA.length, rowsB.length)
      : Math.max(0, Math.min(rowsA.length, rowsB.length) - 1);
    const [left, right] = [rowsA.splice(0, ready), rowsB.splice(0, ready)];
    for (let i = 0; i < ready && this.shown < MOST_ROWS; i++, this.shown++) {
      this.terminal.printSpans([
        ...this.cell(left[i], true),
        { text: SEPARATOR, style: 'dim' },
        ...this.cell(right[i], false),
      ]);
    }
    if (together) for (const column of [this.a, this.b]) column.breakRow();
    return this.shown < MOST_ROWS;
  }

  private cell(row: TextRow | undefined, isPadded: boolean): Span[] {
    const blank = ' '.repeat(this.numbers + 3);
    if (row === undefined) {
      return isPadded ? [{ text: blank + ' '.repeat(this.width), style: 'plain' }] : [];
    }
    const margin = `${row.line.padStart(this.numbers)} ${row.margin} `;
    const spans: Span[] = [{ text: margin, style: 'dim' }, ...row.spans];
    const rest = paddedToWidth('', this.width - row.width);
    if (isPadded && rest !== '') spans.push({ text: rest, style: 'plain' });
    if (!isPadded) {
      const last = spans.at(-1)!;
      spans[spans.length - 1] = { ...last, text: last.text.trimEnd() };
    }
    return spans;
  }

  private note(text: string): void {
    const columns = 2 * (this.width + this.numbers + 3) + SEPARATOR.length;
    const before = Math.max(0, Math.floor((columns - textWidth(text)) / 2));
    this.terminal.printSpans([{ text: `${' '.repeat(before)}${text}`, style: 'dim' }]);
    this.shown++;
  }
}

/** What a shingle is made of, in words. */
const UNITS: Readonly<Record<SharedRuns['unit'], string>> = {
  words: 'words',
  chars: 'characters',
  bytes: 'bytes',
  lines: 'lines',
  stopwords: 'words that begin with a stop word',
};

/** `runs of 5 words`. */
export function runText({ unit, size }: Pick<SharedRuns, 'unit' | 'size'>): string {
  return `runs of ${size} ${size === 1 ? UNITS[unit].replace(/s$/, '') : UNITS[unit]}`;
}

/** Where the number comes from, and what the marks of these texts mean. */
function legendLines(runs: SharedRuns, terminal: Terminal): Span[][] {
  const { a, b, both } = runs.shingles;
  const union = a + b - both;
  const share = union === 0 ? '' : `: ${grouped(both)} / ${grouped(union)} = ${(both / union).toFixed(6)}`;
  const lines: Span[][] = [
    [
      {
        text: `shared: ${runText(runs)} that both have, ${grouped(both)} of the ${grouped(a)} in a and ${grouped(b)} in b${share}`,
        style: 'plain',
      },
    ],
  ];
  const kinds = new Set(
    runs.stretches.flatMap((stretch) => [...stretch.a, ...stretch.b].map(({ kind }) => kind)),
  );
  const meanings: readonly (readonly ['a' | 'b', PieceKind, string])[] = [
    ['a', 'own', 'in a alone'],
    ['b', 'own', 'in b alone'],
    ['a', 'moved', 'elsewhere in the other'],
    ['a', 'rewritten', 'written otherwise'],
  ];
  const legend: Span[] = meanings.flatMap(([side, kind, text]): Span[] => {
    if (!kinds.has(kind)) return [];
    const [open, close] = terminal.colour ? ['', ''] : MARKS[side][kind];
    return [
      { text: '  ', style: 'plain' },
      { text: `${open}${text}${close}`, style: STYLES[side][kind] },
    ];
  });
  if (legend.length > 0) lines.push([{ text: 'marks:', style: 'plain' }, ...legend]);
  if (runs.cut)
    lines.push([{ text: 'only the beginnings of these long texts were compared', style: 'plain' }]);
  return lines;
}

/** Shows two texts side by side; those that are the same to the letter are counted. */
export function showWritten(runs: SharedRuns, terminal: Terminal): void {
  const { stretches } = runs;
  const textOf = (side: 'a' | 'b'): string =>
    stretches.flatMap((one) => one[side].map(({ text }) => text)).join('');
  const [a, b] = [textOf('a'), textOf('b')];
  if (a === b) {
    terminal.print(`the same text, ${amountOf(a)}${runs.cut ? ' and more' : ''}`);
    return;
  }
  for (const line of legendLines(runs, terminal)) terminal.printSpans(line);
  terminal.print('');
  const lines = Math.max(...[a, b].map((text) => text.split('\n').length));
  const columns = new SideBySide(terminal, lines);
  for (const [i, stretch] of stretches.entries()) {
    if (!columns.show(stretch, i === 0, i === stretches.length - 1)) {
      terminal.print(`… and more: only the first ${grouped(MOST_ROWS)} lines are shown`);
      return;
    }
  }
  columns.end();
}
