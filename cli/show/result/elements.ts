/** Shows the elements of two sets side by side: unchanged ones in both columns, removed ones left, added ones right. */

import { diffArrays } from 'diff';
import { counted, grouped } from '../../../src/output/wording/amounts.js';
import type { Span, Style, Terminal } from '../../terminal.js';
import { paddedToWidth, wrappedWords } from '../width.js';

/** Neighbouring words that are in both texts (`equal`), or that differ. */
export interface Stretch {
  readonly equal: boolean;
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/**
 * Limit of the search, whose time grows with the square of the length for unrelated texts.
 */
const SEARCH_MILLISECONDS = 2000;
/** Number of equal words that are shown at each end of a long unchanged stretch. */
const CONTEXT = 6;
/** The most lines of a text that are shown: nobody reads more in a terminal. */
const MOST_LINES = 1000;
const SEPARATOR = ' | ';
/** Width of `- `, `+ ` or blanks, which show a difference without colour. */
const MARK_WIDTH = 2;

/**
 * The stretches of two word lists, equal and differing in turn. Null when the lists differ too much to be
 * matched in time; `sharedEnds` then still finds the beginning and end that they share.
 */
export function stretchesOf(left: readonly string[], right: readonly string[]): readonly Stretch[] | null {
  const changes = diffArrays([...left], [...right], { timeout: SEARCH_MILLISECONDS });
  if (changes === undefined) return null;
  const stretches: Stretch[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const closeHunk = (): void => {
    if (removed.length + added.length > 0) stretches.push({ equal: false, left: removed, right: added });
    removed = [];
    added = [];
  };
  for (const change of changes) {
    if (change.removed) removed = removed.concat(change.value);
    else if (change.added) added = added.concat(change.value);
    else {
      closeHunk();
      stretches.push({ equal: true, left: change.value, right: change.value });
    }
  }
  closeHunk();
  return stretches;
}

/** The stretches when only the shared beginning and end are matched. */
export function sharedEnds(left: readonly string[], right: readonly string[]): readonly Stretch[] {
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < shorter - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  const begin = left.slice(0, head);
  const end = left.slice(left.length - tail);
  return [
    { equal: true, left: begin, right: begin },
    {
      equal: false,
      left: left.slice(head, left.length - tail),
      right: right.slice(head, right.length - tail),
    },
    { equal: true, left: end, right: end },
  ].filter((stretch) => stretch.left.length + stretch.right.length > 0);
}

/**
 * The stretches, by default of words, as lines of two columns that together take at most `columns` (at least
 * 20). Of a differing stretch at least the first MOST_LINES lines are shown.
 */
export function* sideBySideLines(
  stretches: readonly Stretch[],
  columns: number,
  unit = 'word',
): Generator<Span[]> {
  const width = Math.max(8, Math.floor((columns - SEPARATOR.length) / 2)) - MARK_WIDTH;
  // A line has fewer words than columns.
  const most = MOST_LINES * width;
  for (const [index, stretch] of stretches.entries()) {
    const ends = { first: index === 0, last: index === stretches.length - 1 };
    const [left, right] = stretch.equal
      ? equalColumns(stretch.left, ends, width, unit)
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
  unit: string,
): [string[], string[]] {
  const before = ends.first ? 0 : CONTEXT;
  const after = ends.last ? 0 : CONTEXT;
  const hidden = words.length - before - after;
  // A note in place of very few words would take as much room as the words.
  if (hidden <= CONTEXT) {
    const all = wrappedWords(words, width);
    return [all, all];
  }
  const lines = [
    ...wrappedWords(words.slice(0, before), width),
    ...wrappedWords(`… ${counted(hidden, `equal ${unit}`)} …`.split(' '), width),
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
  const matched = stretchesOf(a, b);
  const stretches = matched ?? sharedEnds(a, b);
  if (matched === null) terminal.print('the sets differ too much to be matched; only equal ends are');
  if (stretches.every((stretch) => stretch.equal)) {
    terminal.print(`the same ${counted(a.length, 'element')}`);
    return;
  }
  let lines = 0;
  for (const spans of sideBySideLines(stretches, terminal.columns, 'element')) {
    if (lines++ === MOST_LINES) {
      terminal.print(`… and more: only the first ${grouped(MOST_LINES)} lines are shown`);
      return;
    }
    terminal.printSpans(spans);
  }
}
