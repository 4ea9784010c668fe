/** Columns of pairs of documents. */

/** Pairs a[i] < b[i] for i in [0, count); the columns may be longer than `count`. */
export interface Pairs {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly count: number;
}
