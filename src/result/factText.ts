/** The table of facts (facts.ts) for people: groups of sentences, and facts in lines of the summary. */

import { ERRORS, type ErrorCode } from '../errors.js';
import {
  ALL_FACTS,
  FACT_GROUPS,
  type Fact,
  type Medians,
  type ReportedNumbers,
  sumOf,
  type Words,
} from './facts.js';
import { bytesText, grouped } from './wording/amounts.js';

/** What was compared, and by which measure. */
export interface FactWords {
  /** `documents`, `sets`, `paragraphs` or `lines`. */
  readonly things: string;
  readonly byContainment: boolean;
}

/** The facts of a result: `counts` and `numbers` of its manifest. */
export interface FactValues {
  readonly counts: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  /** If absent, only counts are printed. */
  readonly numbers?: ReportedNumbers;
}

/** A number for people, and its meaning. */
interface FactLine {
  /** `1,234`, or `1.2 MB`. */
  readonly value: string;
  /** The text after the number: `documents were compared`. */
  readonly text: string;
  /** Whether the number is a part of the number in the line before. */
  readonly isPart: boolean;
}

/** Facts about one subject. */
interface FactGroup {
  readonly title: string;
  readonly lines: readonly FactLine[];
}

/** The words after a number, with the nouns of the run: `[clusters|cluster]` is plural or singular. */
function worded(words: Words, value: number, { things }: FactWords): string {
  const text = words
    .replace(/\[([^|\]]*)\|([^\]]*)\]/g, (_, many: string, single: string) => (value === 1 ? single : many))
    .replace(/\bdocuments\b/g, things)
    .replace(/\bdocument\b/g, things.replace(/s$/, ''));
  if (things !== 'sets') return text;
  return text.replace(/\b(token|shingle)(s?)\b/g, 'element$2').replace('same words', 'equal');
}

/** The value of a fact; null if this run has none. */
function factValue([name, { median, value }]: (typeof ALL_FACTS)[number], { counts, numbers }: FactValues) {
  if (value !== undefined) return numbers === undefined ? null : value(numbers);
  if (median !== undefined) return numbers?.[name as keyof Medians] ?? null;
  return counts[name] ?? null;
}

function factLines(
  value: number | Readonly<Record<string, number>>,
  fact: Fact,
  words: FactWords,
): FactLine[] {
  const { text, contained, ofSets, unit, from = 1 } = fact;
  if (typeof value === 'number') {
    if (value < from) return [];
    const sentence =
      (words.things === 'sets' ? ofSets : undefined) ?? (words.byContainment ? contained : undefined) ?? text;
    if (sentence === '') return [];
    const shown = unit === 'bytes' ? bytesText(value) : grouped(value);
    return [{ value: shown, text: worded(sentence, value, words), isPart: false }];
  }
  const parts = Object.entries(value).sort(([x, count], [y, other]) => other - count || (x < y ? -1 : 1));
  const total = factLines(sumOf(value), fact, words);
  if (total.length === 0) return [];
  const reasons = parts.map(([code, count]) => {
    const reason = code in ERRORS ? `${code}: ${ERRORS[code as ErrorCode].text}` : code;
    return { value: grouped(count), text: reason, isPart: true };
  });
  return [...total, ...reasons];
}

/** The facts of a result in groups, without those that did not occur. */
export function factGroups(values: FactValues, words: FactWords): FactGroup[] {
  return FACT_GROUPS.map((title) => ({
    title: title === 'Documents' ? words.things.replace(/^./, (first) => first.toUpperCase()) : title,
    lines: ALL_FACTS.flatMap((row) => {
      const [, fact] = row;
      const value = fact.group === title ? factValue(row, values) : null;
      return value === null ? [] : factLines(value, fact, words);
    }),
  })).filter(({ lines }) => lines.length > 0);
}

/** The same as lines: a heading per group, and below it one line per fact, with the numbers right-aligned. */
export function factText(values: FactValues, words: FactWords): string[] {
  const groups = factGroups(values, words);
  const totals = groups.flatMap(({ lines }) => lines.filter(({ isPart }) => !isPart));
  const width = Math.max(0, ...totals.map(({ value }) => value.length));
  return groups.flatMap(({ title, lines }, i) => [
    ...(i === 0 ? [] : ['']),
    title,
    ...lines.map(({ value, text, isPart }) =>
      isPart ? `  ${' '.repeat(width)}    ${value} ${text}` : `  ${value.padStart(width)}  ${text}`,
    ),
  ]);
}

/** `22 identical, 13 same words`: the facts in a line of the summary; empty if none of them occurred. */
export function briefFacts(line: 'drop' | 'recall', values: FactValues, words: FactWords): string {
  return ALL_FACTS.flatMap((row) => {
    const { brief } = row[1];
    const value = brief?.line === line ? factValue(row, values) : null;
    const number = value === null || typeof value === 'number' ? (value ?? 0) : sumOf(value);
    return number === 0 ? [] : [`${grouped(number)} ${worded(brief!.text, number, words)}`];
  }).join(', ');
}
