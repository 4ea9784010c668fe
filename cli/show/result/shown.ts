/** Prints the answers of `mr-minhash inspect`: lines for people, or JSON with the names of the result files and ids as on a terminal. */

import { ID_NAMES } from '../../../src/analysis/inspect.js';
import type { OpenedResult } from '../../../src/index.js';
import type { PairedDocuments } from '../../../src/result/readResult.js';
import { screenId, shownId, type Terminal } from '../../terminal.js';

/** How and where answers are printed. */
export interface Shown {
  readonly json: boolean;
  readonly terminal: Terminal;
}

/** Prints an answer as one JSON value, or as lines for people. */
export function showAnswer(
  answer: unknown,
  linesOf: () => readonly string[],
  { json, terminal }: Shown,
): void {
  if (json) terminal.printJson(answerAsJson(answer));
  else for (const line of linesOf()) terminal.print(line);
}

/** A document for people: its id, followed by its location if ids of the result repeat. */
export function documentText({ counts }: OpenedResult, id: string, place: string): string {
  const isAmbiguous = Number(counts.ids_repeated) > 0 && id !== place;
  return isAmbiguous ? `${screenId(id)} (${screenId(place)})` : screenId(id);
}

/** The documents of a row. */
export const pairText = (reader: OpenedResult, { a, b, aLocation, bLocation }: PairedDocuments): string =>
  `${documentText(reader, a, aLocation)}  ${documentText(reader, b, bLocation)}`;

/** The names of the two containments of a row. */
const CONTAINMENTS: Readonly<Record<string, string>> = {
  containmentAInB: 'containment_a_in_b',
  containmentBInA: 'containment_b_in_a',
};

function nameOf(key: string): string {
  return CONTAINMENTS[key] ?? key.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The answer with `leastSimilarity` as `least_similarity`; codes of the table of errors stay. */
function answerAsJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(answerAsJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      nameOf(key),
      typeof entry === 'string' && ID_NAMES.includes(key) ? shownId(entry) : answerAsJson(entry),
    ]),
  );
}

/** A value with six decimals, as in the result files; a dash for an empty cell. */
export function fraction(value: number | null): string {
  return value === null ? '-       ' : value.toFixed(6);
}
