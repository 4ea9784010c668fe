/**
 * Prints two texts side by side, line by line, and marks what they share.
 *
 * A row has the number of the line that begins in it, and a mark: `=` if all of it is shared, `-` or `+` if a part of it is in one
 * text only, `~` if a part of it is elsewhere in the other text, or written differently there. Those parts have colours, or
 * brackets if the terminal has no colours.
 */

import {
  amountOfText,
  type ExcerptRow,
  excerptRows,
  runText,
} from '../../../src/analysis/result/excerpts.js';
import type { PieceKind, SharedRuns, TextPiece } from '../../../src/index.js';
import { counted, grouped } from '../../../src/result/wording/amounts.js';
import { type Span, type Style, safeText, type Terminal } from '../../terminal.js';
import { beginningOfWidth, paddedToWidth, textWidth } from '../width.js';

/** The most rows that are printed. */
const MOST_ROWS = 1000;
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

/** One of the two columns: turns text into rows of at most `width` terminal columns. */
class TextColumn {
  private rows: TextRow[] = [];
  private readonly side: 'a' | 'b';
  private readonly width: number;
  private readonly colour: boolean;
  private line = 0;
  /** The row that is being filled; null if the next text begins a row. */
  private row: TextRow | null = null;
  private atLineStart = true;

  constructor(side: 'a' | 'b', width: number, colour: boolean) {
    this.side = side;
    this.width = width;
    this.colour = colour;
  }

  write({ text, kind }: TextPiece): void {
    const [open, close] = this.colour ? ['', ''] : MARKS[this.side][kind];
    // Brackets enclose the words without the white space around them.
    const marked = kind === 'rewritten' ? /\S+/g : /\S[\s\S]*\S|\S/g;
    let at = 0;
    for (const { 0: run, index } of text.matchAll(marked)) {
      this.words(text.slice(at, index), 'shared');
      this.words(`${open}${run}${close}`, kind);
      at = index + run.length;
    }
    this.words(text.slice(at), 'shared');
  }

  /** Returns and removes the rows so far; the next text begins a new row. */
  take(): TextRow[] {
    const { rows } = this;
    this.rows = [];
    this.row = null;
    return rows;
  }

  /** Counts the lines of text that is not printed. */
  pass(text: string): void {
    if (text === '') return;
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
      // The continuation of a line does not begin with a blank.
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
    // A part that only one text has decides the mark of the row.
    if (kind === 'own' || (row.margin === '=' && margin !== '=')) row.margin = margin;
  }
}

function amountText(text: string): string {
  const { count, unit } = amountOfText(text);
  return counted(count, unit);
}

/** The stretches as rows of two columns. */
class SideBySide {
  private readonly a: TextColumn;
  private readonly b: TextColumn;
  private readonly width: number;
  private readonly numbers: number;
  private readonly terminal: Terminal;
  private readonly most: number;
  private shown = 0;

  constructor(terminal: Terminal, lines: number, most: number) {
    this.terminal = terminal;
    this.most = most;
    this.numbers = String(lines).length;
    this.width = Math.max(8, Math.floor((terminal.columns - SEPARATOR.length) / 2) - this.numbers - 3);
    this.a = new TextColumn('a', this.width, terminal.colour);
    this.b = new TextColumn('b', this.width, terminal.colour);
  }

  /** Prints a stretch; returns false at the limit of rows. */
  show(row: ExcerptRow): boolean {
    if (row.state === 'hidden') {
      const [text, of] =
        row.b === '' ? [row.a, ' of a alone'] : row.a === '' ? [row.b, ' of b alone'] : [row.a, ''];
      this.note(`… ${amountText(text)}${of} …`);
      this.a.pass(row.a);
      this.b.pass(row.b);
      return this.shown < this.most;
    }
    // A row has at most `width` columns, so the rest of a piece would not fit.
    const most = this.most * this.width;
    for (const side of ['a', 'b'] as const) {
      for (const piece of row[side]) this[side].write({ ...piece, text: piece.text.slice(0, most) });
    }
    return this.flush();
  }

  private flush(): boolean {
    const [left, right] = [this.a.take(), this.b.take()];
    const count = Math.max(left.length, right.length);
    for (let i = 0; i < count && this.shown < this.most; i++, this.shown++) {
      this.terminal.printSpans([
        ...this.cell(left[i], true),
        { text: SEPARATOR, style: 'dim' },
        ...this.cell(right[i], false),
      ]);
    }
    return this.shown < this.most;
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

/** The value of the run's measure, as a quotient of numbers of shingles. */
function measureText({ shingles: { a, b, both } }: SharedRuns, byContainment: boolean): string {
  const quotient = (of: number): string => `${grouped(both)} / ${grouped(of)} = ${(both / of).toFixed(6)}`;
  const union = a + b - both;
  if (union === 0) return '';
  if (!byContainment) return `: ${quotient(union)}`;
  const parts = [
    ...(a === 0 ? [] : [`a in b ${quotient(a)}`]),
    ...(b === 0 ? [] : [`b in a ${quotient(b)}`]),
  ];
  return `: ${parts.join(', ')}`;
}

/** The lines that explain the value, and the marks that occur in these texts. */
function legendLines(runs: SharedRuns, byContainment: boolean, terminal: Terminal): Span[][] {
  const { a, b, both } = runs.shingles;
  const lines: Span[][] = [
    [
      {
        text: `shared: ${runText(runs.unit, runs.size)} that both have, ${grouped(both)} of the ${grouped(a)} in a and ${grouped(b)} in b${measureText(runs, byContainment)}`,
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
    ['a', 'rewritten', 'written differently'],
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

/** Prints two texts side by side; of identical texts only their size. */
export function showWritten(runs: SharedRuns, byContainment: boolean, terminal: Terminal): void {
  const { stretches } = runs;
  const textOf = (side: 'a' | 'b'): string =>
    stretches.flatMap((stretch) => stretch[side].map(({ text }) => text)).join('');
  const [a, b] = [textOf('a'), textOf('b')];
  if (a === b) {
    terminal.print(`the same text, ${amountText(a)}${runs.cut ? ' and more' : ''}`);
    return;
  }
  for (const line of legendLines(runs, byContainment, terminal)) terminal.printSpans(line);
  terminal.print('');
  if (showRows(runs, terminal, MOST_ROWS)) return;
  terminal.print(`… and more: only the first ${grouped(MOST_ROWS)} lines are shown`);
}

/** Prints the first `most` rows around the differences of both texts; returns false if there are more. */
export function showRows({ stretches }: SharedRuns, terminal: Terminal, most: number): boolean {
  const lines = Math.max(
    ...(['a', 'b'] as const).map((side) =>
      stretches.reduce(
        (sum, stretch) => sum + stretch[side].reduce((n, { text }) => n + text.split('\n').length - 1, 0),
        1,
      ),
    ),
  );
  const columns = new SideBySide(terminal, lines, most);
  for (const row of excerptRows(stretches)) if (!columns.show(row)) return false;
  return true;
}
