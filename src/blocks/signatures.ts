/**
 * Signatures of 16-bit slots and their band keys, as the pair stage reads them, and lists of pairs by range of documents.
 *
 * A row is the signature of one document: `strideOf(hashes)` slots of 16 bits. Rows are in reading order. A document's number is its
 * place in keep order; pairs consist of numbers.
 */

/** Rows and keys of all documents: in shared memory, or in files. Both give the same bytes. */
export interface SignatureSource {
  /** Batch k has rows starts[k] to starts[k + 1] - 1. */
  readonly starts: Uint32Array;
  /** Copies the keys of a band of rows [first, first + count) to `into`, from word `at` on. */
  keys(band: number, first: number, count: number, into: Uint32Array, at: number): void;
  /**
   * Copies rows. `order`: for each a position and a row, by ascending row; the row is copied to the words of that position, counted from
   * word `at` of `into`.
   */
  gather(order: Uint32Array, into: Uint32Array, at: number): void;
  /** Closes files. */
  close(): void;
}

/** Which pairs of documents count. Reference documents have numbers 0 to `references` - 1. */
export interface CountedPairs {
  /** A pair (a, b), a < b, counts if b is not a reference document: references are never compared with each other. */
  readonly references: number;
  /** With true, a pair counts only if a is a reference document. */
  readonly onlyAgainst: boolean;
}

/** Lists of pairs are grouped by range: the first number shifted by `shift`, so that ranges can be merged by tasks of any size. */
export interface PairRanges {
  readonly shift: number;
  readonly count: number;
}

/** At most 1024 ranges of equal width, a power of two; with no document one. */
export function pairRanges(documents: number): PairRanges {
  const last = Math.max(0, documents - 1);
  const shift = Math.max(0, 32 - Math.clz32(last) - 10);
  return { shift, count: (last >>> shift) + 1 };
}
