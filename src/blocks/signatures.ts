/**
 * Interfaces of the pair stage: signatures of 16-bit slots with their band keys, and lists of pairs by range of documents.
 *
 * A row is the signature of one document: `strideOf(hashes)` slots of 16 bits. Rows are in reading order. The number of a document is
 * its position in keep order; pairs consist of numbers.
 */

/** Rows and keys of all documents: in shared memory, or in files. Both give the same bytes. */
export interface SignatureSource {
  /** Batch k has rows starts[k] to starts[k + 1] - 1. */
  readonly starts: Uint32Array;
  /** Copies the keys of a band of rows [first, first + count) to `into`, from word `at` on. */
  keys(band: number, first: number, count: number, into: Uint32Array, at: number): void;
  /**
   * Copies rows. `order` has pairs (position, row), by ascending row: the row is copied to this position in `into`, counted in rows
   * from word `at`.
   */
  gather(order: Uint32Array, into: Uint32Array, at: number): void;
  /** Closes files. */
  close(): void;
}

/** Which pairs of documents count. Reference documents have numbers 0 to `references` - 1. */
export interface CountedPairs {
  /** A pair (a, b), a < b, counts if b is not a reference document: references are never compared with each other. */
  readonly references: number;
  /** If true, a pair counts only if a is a reference document. */
  readonly onlyAgainst: boolean;
}

/** Pairs are grouped by range (their first number, shifted by `shift`), so that each range can be merged by a separate task. */
export interface PairRanges {
  readonly shift: number;
  readonly count: number;
}

/** At most 1024 ranges of equal width, a power of two; at least one. */
export function pairRanges(documents: number): PairRanges {
  const last = Math.max(0, documents - 1);
  const shift = Math.max(0, 32 - Math.clz32(last) - 10);
  return { shift, count: (last >>> shift) + 1 };
}
