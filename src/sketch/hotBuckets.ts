/**
 * From how many documents on a bucket is hot, where it follows from the corpus: none is where all pairs together are few enough;
 * else so many are paired all with all that the run costs little more for it. The same for every way of executing a run: it asks
 * for the sizes of buckets alone.
 */

/** No bucket of so few is hot by `auto`; and members of hot buckets are paired all with all again when no more of them are left. */
export const LEAST_HOT = 256;

/** Pairs, repeated in several bands, that cost about what reading and sketching a document does. */
const PAIRS_A_DOCUMENT = 128;

/**
 * All pairs of a corpus, where no bucket has to be hot: then recall is what the bands promise, and no rounds follow. They cost about
 * three seconds of a core; of few documents they are fewer, because near copies would be more pairs than text.
 */
const ALL_PAIRS = 1e8;
const ALL_PAIRS_A_DOCUMENT = 7000;

/** Pairs of all documents together that are made where they are all that there are. */
function mostOfAll(documents: number): number {
  return Math.min(ALL_PAIRS, ALL_PAIRS_A_DOCUMENT * documents);
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
   * The power of two up to which buckets are paired all with all: the largest, where no more than `mostOfAll` come of it; else the
   * largest for which the pairs of all buckets up to it stay within `PAIRS_A_DOCUMENT`. No larger than it takes.
   */
  hotBucket(documents: number): number {
    const all = this.#pairs.reduce((sum, pairs) => sum + pairs, 0);
    const most = all <= mostOfAll(documents) ? all : PAIRS_A_DOCUMENT * documents;
    const usual = Math.log2(LEAST_HOT);
    let sum = this.#pairs.slice(0, usual + 1).reduce((some, pairs) => some + pairs, 0);
    let hot = LEAST_HOT;
    for (let at = usual + 1; at < this.#pairs.length; at++) {
      sum += this.#pairs[at]!;
      if (sum > most) break;
      hot = 2 ** at;
    }
    return hot;
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
