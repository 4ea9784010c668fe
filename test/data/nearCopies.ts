/**
 * Near copies of one page: the corpus that makes hot buckets. Tests and the benchmark of skew share it.
 *
 * The page has 150 different words, so 146 shingles of five words, all different. An edit puts a word that no
 * other copy has in the place of one of the page, which touches at most 5 shingles. A copy with at most e
 * edits shares at least 146 - 5e shingles with the page, and two copies share at least 146 - 10e of the page.
 * Each has 146, so their union has at most 2 x 146 - (146 - 10e) = 146 + 10e, and their resemblance is at
 * least (146 - 10e) / (146 + 10e): 126/166 = 0.759 for two edits.
 */
import type { MemoryDocument } from '../../src/index.js';

const WORDS = 150;

/** A resemblance that any two copies with at most two edits reach. */
export const LEAST_RESEMBLANCE = 126 / 166;

/** Numbers in [0, limit), the same ones every time: the high bits of a 32-bit linear congruential generator. */
function seededNumbers(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** `count` copies of the page, with one and two edits by turns; ids in the order of their numbers. */
export function nearCopies(count: number, seed = 1): MemoryDocument[] {
  const number = seededNumbers(seed);
  const page = Array.from({ length: WORDS }, (_, i) => `word${i}`);
  return Array.from({ length: count }, (_, copy) => {
    const words = page.slice();
    for (let edit = 0; edit < 1 + (copy % 2); edit++) words[number(WORDS)] = `copy${copy}edit${edit}`;
    return { id: `copy${String(copy).padStart(7, '0')}`, text: words.join(' ') };
  });
}

/** `count` identical pages and four near copies of them, so that there is something to bucket. */
export function identicalPages(count: number): MemoryDocument[] {
  const [page, ...others] = nearCopies(5);
  const copies = Array.from({ length: count }, (_, i) => ({
    id: `same${String(i).padStart(7, '0')}`,
    text: page!.text,
  }));
  return [...copies, ...others];
}
