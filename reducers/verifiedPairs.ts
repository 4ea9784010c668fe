/**
 * Reduce by pair: candidate pairs and the evidence about them become verified pairs.
 *
 * Floor 2. Works on signatures that lie in blocks, found by document number; it never knows texts or ids, nor
 * which kernel compares. Signature agreement comes first and is cheap; the exact resemblance is taken for the
 * pairs at or above a margin alone (exactPairs; Broder 1997, section 4, made exact again).
 */
import { signatureAccepts } from '../src/sketch/agreement.js';
import type { Pairs } from './candidatePairs.js';

/** Accepted near pairs over first members of identity classes, sorted by (a, b), distinct. */
export interface NearPairs extends Pairs {
  readonly jaccard: Float64Array;
}

/** Candidate pairs with all evidence, row by row. Numbers that were not taken are NaN. */
export interface VerifiedPairs extends Pairs {
  /** Equal slots of the two signatures. */
  readonly agreement: Uint16Array;
  /** Exact resemblance, or in signature mode its estimate agreement / N. */
  readonly jaccard: Float64Array;
  /** Share of a's shingles that b has. */
  readonly containmentAB: Float64Array;
  /** Share of b's shingles that a has. */
  readonly containmentBA: Float64Array;
  /** 1 where the resemblance is at least the threshold. */
  readonly accepted: Uint8Array;
}

/**
 * Where the signatures are: document d has column `columnOf[d]` of block `blockOf[d]`, `stride` slots a
 * column.
 */
export interface SignatureBlocks {
  readonly blocks: readonly Uint32Array[];
  readonly blockOf: Uint16Array | Uint32Array;
  readonly columnOf: Uint32Array;
  readonly stride: number;
  /** Slots that count, at most `stride` and at most 65,535. */
  readonly hashes: number;
}

export type AgreementFunction = (
  a: Uint32Array,
  aOffset: number,
  b: Uint32Array,
  bOffset: number,
  hashes: number,
) => number;

/** Equal slots of the signatures of every pair. */
export function agreements(
  pairs: Pairs,
  signatures: SignatureBlocks,
  agreement: AgreementFunction,
): Uint16Array {
  const { blocks, blockOf, columnOf, stride, hashes } = signatures;
  const out = new Uint16Array(pairs.count);
  for (let i = 0; i < pairs.count; i++) {
    const a = pairs.a[i]!;
    const b = pairs.b[i]!;
    out[i] = agreement(
      blocks[blockOf[a]!]!,
      columnOf[a]! * stride,
      blocks[blockOf[b]!]!,
      columnOf[b]! * stride,
      hashes,
    );
  }
  return out;
}

/**
 * Signature mode: the resemblance of every pair is its estimate agreement / N, and accepted if at least
 * `threshold`.
 */
export function estimatedPairs(
  pairs: Pairs,
  agreement: Uint16Array,
  hashes: number,
  threshold: number,
): VerifiedPairs {
  const columns = unverifiedPairs(pairs, agreement);
  for (let i = 0; i < pairs.count; i++) {
    const estimate = agreement[i]! / hashes;
    columns.jaccard[i] = estimate;
    columns.accepted[i] = signatureAccepts(agreement[i]!, hashes, threshold) ? 1 : 0;
  }
  return columns;
}

/** Pairs of which nothing is known but the agreement. */
export function unverifiedPairs(pairs: Pairs, agreement: Uint16Array): VerifiedPairs {
  const { a, b, count } = pairs;
  return {
    a,
    b,
    count,
    agreement,
    jaccard: new Float64Array(count).fill(Number.NaN),
    containmentAB: new Float64Array(count).fill(Number.NaN),
    containmentBA: new Float64Array(count).fill(Number.NaN),
    accepted: new Uint8Array(count),
  };
}

/** The accepted rows alone, in their order. */
export function nearPairs(verified: VerifiedPairs): NearPairs {
  let count = 0;
  for (let i = 0; i < verified.count; i++) count += verified.accepted[i]!;
  const a = new Uint32Array(count);
  const b = new Uint32Array(count);
  const jaccard = new Float64Array(count);
  for (let i = 0, row = 0; i < verified.count; i++) {
    if (verified.accepted[i] === 0) continue;
    a[row] = verified.a[i]!;
    b[row] = verified.b[i]!;
    jaccard[row++] = verified.jaccard[i]!;
  }
  return { a, b, count, jaccard };
}

/** Merges the evidence of a later round into that of the earlier ones: sorted by (a, b), no pair in both. */
export function mergeVerified(earlier: VerifiedPairs, later: VerifiedPairs): VerifiedPairs {
  const count = earlier.count + later.count;
  const pairs = { a: new Uint32Array(count), b: new Uint32Array(count), count };
  const merged = unverifiedPairs(pairs, new Uint16Array(count));
  let e = 0;
  let l = 0;
  for (let row = 0; row < count; row++) {
    const takeLater =
      e === earlier.count ||
      (l < later.count &&
        (later.a[l]! < earlier.a[e]! || (later.a[l] === earlier.a[e] && later.b[l]! < earlier.b[e]!)));
    const from = takeLater ? later : earlier;
    const i = takeLater ? l++ : e++;
    merged.a[row] = from.a[i]!;
    merged.b[row] = from.b[i]!;
    merged.agreement[row] = from.agreement[i]!;
    merged.jaccard[row] = from.jaccard[i]!;
    merged.containmentAB[row] = from.containmentAB[i]!;
    merged.containmentBA[row] = from.containmentBA[i]!;
    merged.accepted[row] = from.accepted[i]!;
  }
  return merged;
}
