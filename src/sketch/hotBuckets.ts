/**
 * The size above which a bucket is hot, where it follows from the corpus (`auto`): the largest for which the number of pairs of all
 * smaller buckets stays within a limit, if these are a fair share of all pairs. It follows from the sizes of buckets alone, so it
 * does not depend on how a run is executed.
 */

/**
 * With `auto` no bucket of up to this many documents is hot. In later rounds, a hot bucket with up to this many kept members is paired
 * all with all.
 */
export const LEAST_HOT = 256;

/**
 * Most documents of a bucket whose pairs are listed. In larger buckets each signature is compared so often that one copy of it
 * pays. Not an option: the result does not show whether a list made a pair.
 */
export const LISTED = 32;

/** With `auto` every bucket of more documents is hot: a task that sorts holds the ranks of so many. */
const MOST_AUTO = 2 ** 18;

/**
 * Most pairs that are made, counted in every band: a near pair stands in about five bands and takes about two microseconds, so the
 * pairs cost up to a minute of a core. For few documents the limit is lower, because the pairs of near copies would cost more than the
 * text; for many it is higher, as much as costs about the same as reading and sketching the documents.
 */
const MOST_PAIRS = 1.5e8;
const MOST_PAIRS_A_DOCUMENT = 7000;
const PAIRS_A_DOCUMENT = 128;

/**
 * A limit above LEAST_HOT is used only if its buckets have at least this share of all pairs, since recall rises by no more than that
 * share: where most documents are copies of one page, the pairs of middling buckets take long and add little recall.
 */
const FAIR_SHARE = 1 / 4;

/** Most pairs that are made for a corpus of `documents` documents. */
function mostOfAll(documents: number): number {
  return Math.max(Math.min(MOST_PAIRS, MOST_PAIRS_A_DOCUMENT * documents), PAIRS_A_DOCUMENT * documents);
}

/**
 * The number of pairs that a bucket of `size` documents counts for. `within`: the sum of the squares of the sizes of its groups;
 * without groups, or above LEAST_HOT, each document counts as a group.
 */
export function countedPairs(size: number, within = size): number {
  return (size * size - (size > LEAST_HOT ? size : within)) / 2;
}

/** Numbers of pairs by size of their bucket: class k has the buckets of 2^(k-1) + 1 to 2^k documents. */
export class BucketSizes {
  readonly #pairs: number[] = [];

  /** Adds `pairs` pairs of buckets of more than `size` / 2 and up to `size` documents; `size` 2 or more. */
  add(size: number, pairs = countedPairs(size)): void {
    const at = Math.ceil(Math.log2(size));
    while (this.#pairs.length <= at) this.#pairs.push(0);
    this.#pairs[at]! += pairs;
  }

  /**
   * The power of two up to which buckets are paired all with all: the largest for which all buckets up to it have at most `mostOfAll`
   * pairs, and no larger than the largest bucket needs; LEAST_HOT where these are no fair share of all pairs.
   */
  hotBucket(documents: number): number {
    const all = this.#pairs.reduce((sum, pairs) => sum + pairs, 0);
    const most = mostOfAll(documents);
    let made = 0;
    let hot = LEAST_HOT;
    const sizes = Math.min(this.#pairs.length, Math.log2(MOST_AUTO) + 1);
    for (let at = 0; at < sizes && made + this.#pairs[at]! <= most; at++) {
      made += this.#pairs[at]!;
      hot = Math.max(hot, 2 ** at);
    }
    return made < FAIR_SHARE * all ? LEAST_HOT : hot;
  }
}

/** The given number; with `auto` LEAST_HOT, for rules that look at one bucket at a time. */
export function leastHotBucket(hotBucket: number | 'auto'): number {
  return hotBucket === 'auto' ? LEAST_HOT : hotBucket;
}

/** For samples: the most partners that all documents together get from frequent fingerprints that are paired all with all. */
export function mostPartners(hotBucket: number | 'auto', documents: number): number {
  const partners = leastHotBucket(hotBucket) * documents;
  return hotBucket === 'auto' ? Math.max(mostOfAll(documents), partners) : partners;
}
