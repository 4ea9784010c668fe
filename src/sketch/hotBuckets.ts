/**
 * From how many documents on a bucket is hot, where it follows from the corpus: the most for which the pairs of all buckets stay
 * within what pairing may cost, where these are a fair share of all pairs. The same for every way of executing a run: it asks for
 * the sizes of buckets alone.
 */

/** No bucket of so few is hot by `auto`; and members of hot buckets are paired all with all again when no more of them are left. */
export const LEAST_HOT = 256;

/**
 * Pairs, repeated in several bands, that are made at most: a true pair stands in five bands and takes about two microseconds, so
 * that they cost up to a minute of a core. Of few documents they are fewer, because near copies would be more pairs than text; of
 * many more, where they cost about what reading and sketching the documents does.
 */
const MOST_PAIRS = 1.5e8;
const MOST_PAIRS_A_DOCUMENT = 7000;
const PAIRS_A_DOCUMENT = 128;

/**
 * Share of all pairs that has to be made by a higher limit than the least. Recall rises by no more than it: where most documents
 * are copies of one page, the pairs of middling buckets take long and complete nothing.
 */
const FAIR_SHARE = 1 / 4;

/** Pairs of all documents together that are made at most. */
function mostOfAll(documents: number): number {
  return Math.max(Math.min(MOST_PAIRS, MOST_PAIRS_A_DOCUMENT * documents), PAIRS_A_DOCUMENT * documents);
}

/** Buckets by size: of 2^(k-1) + 1 to 2^k documents in class k. */
export class BucketSizes {
  readonly #pairs: number[] = [];

  /** So many pairs in buckets of up to `size` documents, and of more than half of it; `size` 2 or more. */
  add(size: number, pairs = (size * (size - 1)) / 2): void {
    const at = Math.ceil(Math.log2(size));
    while (this.#pairs.length <= at) this.#pairs.push(0);
    this.#pairs[at]! += pairs;
  }

  /**
   * The power of two up to which buckets are paired all with all: the largest, and no larger than it takes, for which the pairs of
   * all buckets up to it are no more than `mostOfAll`; the least, where those are no fair share of all pairs.
   */
  hotBucket(documents: number): number {
    const all = this.#pairs.reduce((sum, pairs) => sum + pairs, 0);
    const most = mostOfAll(documents);
    let made = 0;
    let hot = LEAST_HOT;
    for (let at = 0; at < this.#pairs.length && made + this.#pairs[at]! <= most; at++) {
      made += this.#pairs[at]!;
      hot = Math.max(hot, 2 ** at);
    }
    return made < FAIR_SHARE * all ? LEAST_HOT : hot;
  }
}

/** The number that was given; by `auto` the least, where buckets are looked at one by one. */
export function leastHotBucket(hotBucket: number | 'auto'): number {
  return hotBucket === 'auto' ? LEAST_HOT : hotBucket;
}

/** Of samples: partners that all documents together get by frequent fingerprints that are paired in full. */
export function mostPartners(hotBucket: number | 'auto', documents: number): number {
  const partners = leastHotBucket(hotBucket) * documents;
  return hotBucket === 'auto' ? Math.max(mostOfAll(documents), partners) : partners;
}
