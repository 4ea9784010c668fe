/** The nouns of messages about a run, and texts that several messages share. */

import type { KeepRule, ResultParams } from '../../sketch/params.js';
import { grouped } from './amounts.js';

/** The words for the compared documents or sets. */
export interface Wording {
  readonly document: string;
  readonly documents: string;
  readonly shingle: string;
  /** Documents of one duplicate group, which are found without a sketch. */
  readonly alike: string;
}

export function wordingOf({ sets, unit }: Pick<ResultParams, 'sets' | 'unit'>): Wording {
  if (sets !== undefined)
    return { document: 'set', documents: 'sets', shingle: 'element', alike: 'identical sets' };
  return {
    document: unit,
    documents: `${unit}s`,
    shingle: 'shingle',
    alike: `${unit}s with the same tokens`,
  };
}

/** A threshold with at least two decimals and at most six: 0.8 is `0.80`, 0.8125 stays. */
export function thresholdText(threshold: number): string {
  const text = String(Number(threshold.toFixed(6)));
  return /^\d(\.\d)?$/.test(text) ? threshold.toFixed(2) : text;
}

/** The most PATHs listed in a line; others are counted. */
const MOST_NAMED = 6;

/** `a, b and 3 more`. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${grouped(more)} more` : '');
}

/** Which of several near-duplicates is kept: `the longest copy`. */
export function keptText({ keep, measure }: { readonly keep: KeepRule; readonly measure: string }): string {
  if (measure === 'containment') return 'documents that contain no document of the reference';
  const { by, field, best } = keep;
  switch (by) {
    case 'first':
    case 'last':
      return `the ${by} copy in input order`;
    case 'newest':
    case 'oldest':
      return `the copy in the ${by} file`;
    case 'field':
      return `the copy with the ${best === 'max' ? 'greatest' : 'least'} ${JSON.stringify(field)}`;
    default:
      return `the ${by} copy`;
  }
}
