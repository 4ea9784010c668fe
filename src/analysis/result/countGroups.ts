/** The counts of a result in groups, each count with its meaning: for people, in a terminal or on a page. */

import { ERRORS, type ErrorCode } from '../../errors.js';
import { ALL_FACTS, FACT_GROUPS, type Fact, worded } from '../../result/facts.js';

/** Counts by name, as manifest.json has them. */
export type NamedCounts = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

/** A number and its meaning. */
export interface CountLine {
  readonly count: number;
  /** Follows the number: `documents were compared`. */
  readonly text: string;
  /** Whether the count is a part of the line before it. */
  readonly isPart: boolean;
}

/** Counts about one thing. */
export interface CountGroup {
  readonly title: string;
  readonly lines: readonly CountLine[];
}

/** The meaning of a reason of skipping. */
function reasonText(code: string): string {
  const known = ERRORS[code as ErrorCode] as { readonly text: string } | undefined;
  return known === undefined ? code : `${code}: ${known.text}`;
}

function linesOf(value: number | Readonly<Record<string, number>>, text: string, from = 1): CountLine[] {
  if (typeof value === 'number')
    return value >= from ? [{ count: value, text: worded(text, value), isPart: false }] : [];
  const parts = Object.entries(value).sort(([x, some], [y, more]) => more - some || (x < y ? -1 : 1));
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  const whole = linesOf(total, text, from);
  return [
    ...whole,
    ...(whole.length === 0 ? [] : parts).map(([code, count]) => ({
      count,
      text: reasonText(code),
      isPart: true,
    })),
  ];
}

/** The compared documents, and the method. */
interface CountWords {
  /** `documents`, `sets`, `paragraphs` or `lines`. */
  readonly things: string;
  /** Whether pairs were found by samples of fingerprints, which have no buckets. */
  readonly byContainment: boolean;
}

/** The text of a fact, in the words that fit the run. */
function textOf({ text = '', contained, ofSets }: Fact, { things, byContainment }: CountWords): string {
  const isSets = things === 'sets';
  const told = (isSets ? ofSets : undefined) ?? (byContainment ? contained : undefined) ?? text;
  const named = told.replace(/\bdocuments\b/g, things).replace(/\bdocument\b/g, things.replace(/s$/, ''));
  if (!isSets) return named;
  return named
    .replace(/the same tokens/g, 'the same elements')
    .replace('no token', 'no element')
    .replace(/\bshingle(s?)\b/g, 'element$1')
    .replace(' of text', '');
}

/**
 * The counts in groups, without counts of what did not happen. Counts without a text come last, by their names.
 */
export function countGroups(counts: NamedCounts, words: CountWords): CountGroup[] {
  const groups = FACT_GROUPS.map((title) => ({
    title,
    lines: ALL_FACTS.flatMap(([name, fact]) => {
      const value = counts[name];
      const isTold = fact.group === title && fact.text !== undefined && value !== undefined;
      return isTold ? linesOf(value, textOf(fact, words), fact.from) : [];
    }),
  }));
  const known = new Set<string>(ALL_FACTS.map(([name]) => name));
  const others = Object.entries(counts).filter(([name]) => !known.has(name));
  const rest = others.flatMap(([name, value]) => linesOf(value, name.replaceAll('_', ' ')));
  return [...groups, { title: 'Other counts', lines: rest }].filter(({ lines }) => lines.length > 0);
}
