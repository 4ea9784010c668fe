/** What methods say of texts, for their tests: a matcher over texts as strings. */
import { elementsOf } from '../../../src/analysis/methods/elementStreams.js';
import type { CorpusFacts, Matcher, Method, MethodParams } from '../../../src/analysis/methods/method.js';

export const PARAMS: MethodParams = {
  shingle: { unit: 'words', size: 5, bag: false, stopWords: [], seed: 1 },
  words: 70,
  pieces: 1,
  noise: 8,
  guarantee: 16,
};

const bytesOf = (text: string | Uint8Array): Uint8Array =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text;

/** Passes elements to a matcher in pieces of at most `most`; the values by base. */
export function matchOf(matcher: Matcher, elements: Uint32Array, most = 1000): Map<number, number[]> {
  const found = new Map<number, number[]>();
  matcher.begin();
  for (let i = 0; i < elements.length; i += 2 * most) {
    // A matcher may keep nothing of the array.
    const piece = elements.slice(i, i + 2 * most);
    matcher.take(piece, piece.length / 2);
    piece.fill(0);
  }
  matcher.end((base, values) => found.set(base, [...values]));
  return found;
}

/** By document the values of each base that it matches. */
export function matchesOf(
  method: Method,
  bases: readonly (string | Uint8Array)[],
  documents: readonly (string | Uint8Array)[],
  params: MethodParams = PARAMS,
  corpus: CorpusFacts | null = null,
): Map<number, number[]>[] {
  const rule = method.elements(params);
  const prepared = bases.map((text) => elementsOf(bytesOf(text), rule));
  const matcher = method.prepare(prepared, params, corpus, 0);
  return documents.map((text) => matchOf(matcher, elementsOf(bytesOf(text), rule)));
}

/** The values of one base and one document; null: no match. */
export function valuesOf(
  method: Method,
  base: string | Uint8Array,
  document: string | Uint8Array,
  params: MethodParams = PARAMS,
  corpus: CorpusFacts | null = null,
): number[] | null {
  return matchesOf(method, [base], [document], params, corpus)[0]!.get(0) ?? null;
}

/** In how many of the texts each word is. */
export function factsOf(texts: readonly (string | Uint8Array)[], method: Method): CorpusFacts {
  const rule = method.elements(PARAMS);
  const counts = new Map<string, number>();
  for (const text of texts) {
    const elements = elementsOf(bytesOf(text), rule);
    const words = new Set<string>();
    for (let i = 0; i < elements.length; i += 2) words.add(`${elements[i]} ${elements[i + 1]}`);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return {
    documents: texts.length,
    documentsWith: (low, high) => counts.get(`${low} ${high}`) ?? 0,
  };
}
