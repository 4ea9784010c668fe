/** Turns answers about a result into JSON: names as in the result files, ids as a terminal shows them. */

import { ID_NAMES } from '../../../src/analysis/inspect.js';
import { shownId } from '../../terminal.js';

/** The names of the two containments of a row. */
const CONTAINMENTS: Readonly<Record<string, string>> = {
  containmentAInB: 'containment_a_in_b',
  containmentBInA: 'containment_b_in_a',
};

function nameOf(key: string): string {
  return CONTAINMENTS[key] ?? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The answer with `leastSimilarity` as `least_similarity`. */
export function answerAsJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(answerAsJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      nameOf(key),
      typeof entry === 'string' && ID_NAMES.includes(key) ? shownId(entry) : answerAsJson(entry),
    ]),
  );
}
