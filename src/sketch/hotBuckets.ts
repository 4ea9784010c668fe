/**
 * From how many documents on a bucket is hot: so many that all pairs of the buckets up to it stay within a budget, which follows
 * from the corpus. The same for every way of executing a run: it asks for the sizes of buckets alone.
 */

/** No bucket of so few is hot by `auto`; and members of hot buckets are paired all with all again when no more of them are left. */
export const LEAST_HOT = 256;

/** Pairs, repeated in several bands, that cost about what reading and sketching a document does. */
const PAIRS_A_DOCUMENT = 128;

/** Of few documents: about two seconds of a core. */
const LEAST_PAIRS = 5e7;

/** Buckets by size: of 2^(k-1) + 1 to 2^k documents in class k. */
export class BucketSizes {
  readonly #pairs: number[] = [];

  /** So many pairs in buckets of up to `size` documents, and of more than half of it; `size` 2 or more. */
  add(size: number, pairs = (size * (size - 1)) / 2): void {
    const at = Math.ceil(Math.log2(size));
    while (this.#pairs.length <= at) this.#pairs.push(0);
    this.#pairs[at]! += pairs;
  }

  /** The largest power of two for which the pairs of all buckets up to it stay within the budget; no larger than it takes. */
  hotBucket(documents: number): number {
    const budget = Math.max(LEAST_PAIRS, PAIRS_A_DOCUMENT * documents);
    const usual = Math.log2(LEAST_HOT);
    let sum = this.#pairs.slice(0, usual + 1).reduce((all, pairs) => all + pairs, 0);
    let hot = LEAST_HOT;
    for (let at = usual + 1; at < this.#pairs.length; at++) {
      sum += this.#pairs[at]!;
      if (sum > budget) break;
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
  return hotBucket === 'auto' ? Math.max(LEAST_PAIRS, partners) : partners;
}
