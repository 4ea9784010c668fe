/** Prints the answers of a query: table rows, and the passages that an answer shares with its base, side by side. */

import type { MethodMeasure, Passage, QueryAnswer } from '../../src/index.js';
import { binaryOfId, textOf } from '../../src/readers/list/pathIds.js';
import { csvCell, placeText } from '../../src/result/tables/escaping.js';
import { counted, grouped } from '../../src/result/wording/amounts.js';
import { type Span, shownId, type Terminal } from '../terminal.js';
import { paddedToWidth, wrappedWords } from './width.js';

export type AnswerFormat = 'tsv' | 'csv' | 'jsonl';

/** How answers are printed. */
export interface Shown {
  readonly format: AnswerFormat;
  /** Names of the bases; null if there is one, which rows do not repeat. */
  readonly bases: readonly string[] | null;
  readonly measures: readonly MethodMeasure[];
  readonly explain: boolean;
  /** Whether passages are rows of the table instead of side by side. */
  readonly passageRows: boolean;
  /** Whether answers include their portion of an index. */
  readonly portions?: boolean;
}

/** An answer, with its portion if it is from an index. */
type ShownAnswer = QueryAnswer & { readonly portion?: string };

const PASSAGE_COLUMNS = [
  ...['passage', 'words', 'base_word_from', 'base_word_to', 'base_byte_from', 'base_byte_to'],
  ...['document_word_from', 'document_word_to', 'document_byte_from', 'document_byte_to'],
  ...['base_text', 'document_text'],
] as const;

/** The most passages printed per answer, and the most lines of each; --format jsonl prints all. */
const MOST_PASSAGES = 10;
const MOST_LINES = 12;
const SEPARATOR = ' | ';
const INDENT = '    ';

/** Prints the names of the columns; JSON lines have none. */
export function showHeader(shown: Shown, terminal: Terminal): void {
  if (shown.format === 'jsonl') return;
  const columns = [
    ...(shown.bases === null ? [] : ['base']),
    ...['rank', 'document', ...shown.measures.map(({ name }) => name), 'place'],
    ...(shown.portions === true ? ['portion'] : []),
    ...(shown.passageRows ? PASSAGE_COLUMNS : []),
  ];
  showCells(columns, shown.format, terminal);
}

export function showAnswer(answer: ShownAnswer, shown: Shown, terminal: Terminal): void {
  if (shown.format === 'jsonl') {
    terminal.printJson(asJson(answer, shown));
    return;
  }
  const cells = [
    ...(shown.bases === null ? [] : [shown.bases[answer.base]!]),
    ...[String(answer.rank), idIn(shown.format, answer.document)],
    ...shown.measures.map(({ name, isCount }) => valueText(answer.values[name]!, isCount)),
    placeIn(shown.format, answer.place),
    ...(answer.portion === undefined ? [] : [answer.portion]),
  ];
  if (!shown.passageRows) {
    showCells(cells, shown.format, terminal);
    if (shown.explain) showPassages(answer.passages ?? null, terminal);
    return;
  }
  const { format } = shown;
  const rows = answer.passages ?? [];
  if (rows.length === 0) showCells([...cells, ...PASSAGE_COLUMNS.map(() => '')], format, terminal);
  rows.forEach((passage, i) => {
    showCells([...cells, ...passageCells(passage, i)], format, terminal);
  });
}

/** A value with six decimals, as in the files of a run; a count as a whole number. */
export function valueText(value: number, isCount: boolean): string {
  return isCount ? String(value) : value.toFixed(6);
}

function showCells(cells: readonly string[], format: AnswerFormat, terminal: Terminal): void {
  if (format === 'tsv') terminal.printCells(cells, '\t');
  else terminal.printCells(cells.map(csvCell), ',');
}

function passageCells({ words, base, document }: Passage, i: number): string[] {
  const numbers = [base, document].flatMap((place) => [
    ...[place.wordFrom, place.wordTo, place.byteFrom, place.byteTo],
  ]);
  return [String(i + 1), String(words), ...numbers.map(String), base.text, document.text];
}

/** An id in a format: TSV has the escapes of result files; CSV and JSON have the id itself, U+FFFD for bytes that are not UTF-8. */
function idIn(format: AnswerFormat, id: string): string {
  return format === 'tsv' ? shownId(id) : textOf(binaryOfId(id));
}

/** A location in a format: TSV has the escapes of result files; CSV and JSON escape only bytes that are not UTF-8. */
function placeIn(format: AnswerFormat, place: string): string {
  return format === 'tsv' ? shownId(place) : placeText(binaryOfId(place));
}

function asJson(answer: ShownAnswer, { bases }: Shown): Record<string, unknown> {
  const { base, rank, document, place, values, passages, portion } = answer;
  return {
    ...(bases === null ? {} : { base: bases[base] }),
    ...{ rank, document: idIn('jsonl', document), ...values, place: placeIn('jsonl', place) },
    ...(portion === undefined ? {} : { portion }),
    ...(passages === undefined ? {} : { passages }),
  };
}

function showPassages(passages: readonly Passage[] | null, terminal: Terminal): void {
  if (passages === null) {
    terminal.print(`${INDENT}no passages: it or the base is larger than 16 MB, or it no longer exists`);
    return;
  }
  if (passages.length === 0) terminal.print(`${INDENT}the texts share no passage`);
  passages.slice(0, MOST_PASSAGES).forEach((passage, i) => {
    terminal.print(`${INDENT}${i + 1}. ${placesText(passage)}`);
    for (const line of sideBySide(passage, terminal.columns)) terminal.printSpans(line);
  });
  const more = passages.length - MOST_PASSAGES;
  if (more > 0) terminal.print(`${INDENT}and ${counted(more, 'shorter passage')}; --format jsonl has all`);
  terminal.print('');
}

/** `57 words: words 119 to 176, bytes 700 to 1041 of the base; ...`: counted from 0, ends exclusive, in all formats. */
function placesText({ words, base, document }: Passage): string {
  const of = ({ wordFrom, wordTo, byteFrom, byteTo }: Passage['base']): string =>
    `words ${grouped(wordFrom)} to ${grouped(wordTo)}, bytes ${byteFrom} to ${byteTo}`;
  return `${counted(words, 'word')}: ${of(base)} of the base; ${of(document)} of the document`;
}

function sideBySide({ base, document }: Passage, columns: number): Span[][] {
  const width = Math.max(8, Math.floor((columns - INDENT.length - SEPARATOR.length) / 2));
  const [left, right] = [base, document].map(({ text }) => wrappedWords(text.split(/\s+/), width)) as [
    string[],
    string[],
  ];
  const rows = Math.max(left.length, right.length);
  const lines = Array.from({ length: Math.min(rows, MOST_LINES) }, (_, i): Span[] => [
    { text: INDENT + paddedToWidth(left[i] ?? '', width), style: 'plain' },
    { text: SEPARATOR, style: 'dim' },
    { text: right[i] ?? '', style: 'plain' },
  ]);
  if (rows > MOST_LINES) lines.push([{ text: `${INDENT}…`, style: 'dim' }]);
  return lines;
}
