/** Shows the elements of two sets side by side: unchanged ones in both columns, removed ones left, added ones right. */

import { counted, grouped } from '../../../src/output/wording/amounts.js';
import type { Span, Style, Terminal } from '../../terminal.js';
import { paddedToWidth, wrappedWords } from '../width.js';

/** Neighbouring elements that are in both sets (`equal`), or that differ. */
export interface Stretch {
  readonly equal: boolean;
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** Number of equal elements that are shown at each end of a long unchanged stretch. */
const CONTEXT = 6;
/** The most lines of a text that are shown: nobody reads more in a terminal. */
const MOST_LINES = 1000;
const SEPARATOR = ' | ';
/** Width of `- `, `+ ` or blanks, which show a difference without colour. */
const MARK_WIDTH = 2;

/** The stretches of two lists of elements in one order, equal and differing in turn. */
export function stretchesOf(left: readonly string[], right: readonly string[]): readonly Stretch[] {
  const places = new Map(right.map((element, i) => [element, i]));
  const stretches: Stretch[] = [];
  let equal: string[] = [];
  // All before these are in stretches, or equal.
  let [l, r] = [0, 0];
  const differUpTo = (i: number, at: number): void => {
    if (i === l && at === r) return;
    if (equal.length > 0) stretches.push({ equal: true, left: equal, right: equal });
    equal = [];
    stretches.push({ equal: false, left: left.slice(l, i), right: right.slice(r, at) });
  };
  for (const [i, element] of left.entries()) {
    const at = places.get(element) ?? -1;
    if (at < r) continue;
    differUpTo(i, at);
    equal.push(element);
    [l, r] = [i + 1, at + 1];
  }
  differUpTo(left.length, right.length);
  if (equal.length > 0) stretches.push({ equal: true, left: equal, right: equal });
  return stretches;
}

/**
 * The stretches as lines of two columns that together take at most `columns` (at least
 * 20). Of a differing stretch at least the first MOST_LINES lines are shown.
 */
export function* sideBySideLines(stretches: readonly Stretch[], columns: number): Generator<Span[]> {
  const width = Math.max(8, Math.floor((columns - SEPARATOR.length) / 2)) - MARK_WIDTH;
  // A line has fewer elements than columns.
  const most = MOST_LINES * width;
  for (const [index, stretch] of stretches.entries()) {
    const ends = { first: index === 0, last: index === stretches.length - 1 };
    const [left, right] = stretch.equal
      ? equalColumns(stretch.left, ends, width)
      : [wrappedWords(stretch.left.slice(0, most), width), wrappedWords(stretch.right.slice(0, most), width)];
    for (let row = 0; row < Math.max(left!.length, right!.length); row++) {
      yield lineOf(left![row] ?? null, right![row] ?? null, stretch.equal, width);
    }
  }
}

/**
 * The two columns of an equal stretch, shortened in the middle. Before the first and after the last difference the outer end is
 * shortened, too, because it is no context of a difference.
 */
function equalColumns(
  words: readonly string[],
  ends: { readonly first: boolean; readonly last: boolean },
  width: number,
): [string[], string[]] {
  const before = ends.first ? 0 : CONTEXT;
  const after = ends.last ? 0 : CONTEXT;
  const hidden = words.length - before - after;
  // A note in place of very few elements would take as much room as they.
  if (hidden <= CONTEXT) {
    const all = wrappedWords(words, width);
    return [all, all];
  }
  const lines = [
    ...wrappedWords(words.slice(0, before), width),
    ...wrappedWords(`… ${counted(hidden, 'equal element')} …`.split(' '), width),
    ...wrappedWords(words.slice(words.length - after), width),
  ];
  return [lines, lines];
}

function lineOf(left: string | null, right: string | null, equal: boolean, width: number): Span[] {
  return [
    ...cellOf(left, equal ? 'plain' : 'removed', '-', width),
    { text: SEPARATOR, style: 'dim' },
    ...cellOf(right, equal ? 'plain' : 'added', '+', null),
  ];
}

/** A cell with its mark. `width` null: the last column, which needs no trailing blanks. */
function cellOf(text: string | null, style: Style, mark: string, width: number | null): Span[] {
  const marked = text !== null && style !== 'plain' ? `${mark} ` : '  ';
  const content = text ?? '';
  if (width === null) return content === '' ? [] : [{ text: marked + content, style }];
  return [
    { text: marked + content, style },
    { text: paddedToWidth(content, width).slice(content.length), style: 'plain' },
  ];
}

/** Shows the elements of two sets; for equal sets only their number. */
export function showElements(a: readonly string[], b: readonly string[], terminal: Terminal): void {
  const stretches = stretchesOf(a, b);
  if (stretches.every((stretch) => stretch.equal)) {
    terminal.print(`the same ${counted(a.length, 'element')}`);
    return;
  }
  let lines = 0;
  for (const spans of sideBySideLines(stretches, terminal.columns)) {
    if (lines++ === MOST_LINES) {
      terminal.print(`… and more: only the first ${grouped(MOST_LINES)} lines are shown`);
      return;
    }
    terminal.printSpans(spans);
  }
}
