/** Columns of pairs and buckets of documents, as reducers and kernels exchange them. */
import { agreementOf } from '../sketch/probability.js';

/** Pairs a[i] < b[i] for i in [0, count); the columns may be longer than `count`. */
export interface Pairs {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly count: number;
}

/**
 * The signatures of documents: document d has column `columnOf[d]` of block `blockOf[d]`, `stride` slots per
 * column.
 */
export interface SignatureBlocks {
  readonly blocks: readonly Uint32Array[];
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  readonly stride: number;
  /** Number of slots in use, at most `stride` and at most 65,535. */
  readonly hashes: number;
}

/**
 * Matching slots of the signatures of every pair, which are compared where they lie: most pairs are of small buckets, so a signature is
 * in few of them, and copies for the kernel would cost as much as they save.
 */
export function agreements({ a, b, count }: Pairs, signatures: SignatureBlocks): Uint16Array {
  const { blocks, blockOf, columnOf, stride, hashes } = signatures;
  const out = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y] = [a[i]!, b[i]!];
    const [inX, inY] = [blocks[blockOf[x]!]!, blocks[blockOf[y]!]!];
    out[i] = agreementOf(inX, columnOf[x]! * stride, inY, columnOf[y]! * stride, hashes);
  }
  return out;
}

/**
 * Similarities of sketches: numbers of matching slots for signatures (u16); estimates, shares 0..1, for samples (f64).
 */
export type Agreements = Uint16Array | Float64Array;

/** Pairs with the similarities of their sketches. */
export interface AgreeingPairs extends Pairs {
  readonly agreement: Agreements;
  /** By pair, 1 where the similarity reaches the required least value. */
  readonly accepted: Uint8Array;
}
