/**
 * The shingles of two texts as text: shingles of both texts, and of one text alone. Allocates a string per
 * shingle: for two texts that people read, never for a corpus.
 */

import type { ShingleParams } from '../../text/shingles.js';
import { canonicalTokens, startsOf, stopWordsOf, TOKEN_JOINTS } from '../../text/tokens.js';

/** A shingle and its multiplicity in each text. */
export interface ShingleText {
  /**
   * The tokens of the shingle in canonical form: words and bytes (hexadecimal) separated by blanks, lines by line
   * feeds.
   */
  readonly text: string;
  readonly inA: number;
  readonly inB: number;
}

/** Distinct shingles of one kind: their number, and some of them. */
export interface ShingleList {
  readonly count: number;
  /** The first shingles, in text order. */
  readonly shown: readonly ShingleText[];
}

/** The shingles of two texts: of both, and of one alone. */
export interface ShingleLists {
  /** In both texts, with any multiplicity. */
  readonly shared: ShingleList;
  readonly onlyInA: ShingleList;
  readonly onlyInB: ShingleList;
}

/** Lists at most `most` (0 or more) shingles of each kind, and counts all. */
export function listShingles(
  a: Uint8Array,
  b: Uint8Array,
  params: ShingleParams,
  most: number,
): ShingleLists {
  const [inA, inB] = [occurrencesOf(a, params), occurrencesOf(b, params)];
  const collect = (from: ReadonlyMap<string, number>, isListed: (text: string) => boolean): ShingleList => {
    const shown: ShingleText[] = [];
    let count = 0;
    for (const text of from.keys()) {
      if (!isListed(text)) continue;
      if (count++ < most) shown.push({ text, inA: inA.get(text) ?? 0, inB: inB.get(text) ?? 0 });
    }
    return { count, shown };
  };
  return {
    shared: collect(inA, (text) => inB.has(text)),
    onlyInA: collect(inA, (text) => !inB.has(text)),
    onlyInB: collect(inB, (text) => !inA.has(text)),
  };
}

/**
 * The distinct shingles in the order of first occurrence. A text that is too short for a full shingle has one of all
 * its tokens.
 */
function occurrencesOf(text: Uint8Array, params: ShingleParams): Map<string, number> {
  const { unit, size } = params;
  const tokens = canonicalTokens(text, params);
  const stopWords = stopWordsOf(params);
  const joint = TOKEN_JOINTS[unit];
  const occurrences = new Map<string, number>();
  for (const from of startsOf(tokens.length, params, (token) => stopWords.has(tokens[token]!))) {
    const shingle = tokens.slice(from, from + size).join(joint);
    occurrences.set(shingle, (occurrences.get(shingle) ?? 0) + 1);
  }
  if (occurrences.size === 0 && tokens.length > 0) occurrences.set(tokens.join(joint), 1);
  return occurrences;
}
