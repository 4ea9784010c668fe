/**
 * Reduce by pair: candidate pairs and the evidence about them become verified pairs.
 *
 * Floor 2. Works on signatures and sets of shingle hashes that lie in blocks, found by document number; it
 * never knows texts or ids, nor which kernel compares. Signature agreement comes first and is cheap; the
 * exact resemblance is taken for the pairs at or above a margin alone (Broder 1997, section 4, made exact
 * again).
 */
import { agreementOf } from '../src/sketch/agreement.js';
import type { AgreeingPairs, Pairs, SignatureBlocks } from '../src/sketch/pairs.js';
import { containmentOf, resemblanceOf } from '../src/sketch/similarity.js';
import { distinctPairs } from './candidatePairs.js';
import { mergeStretches } from './mergedPairs.js';

export type { AgreeingPairs, SignatureBlocks };

/** Accepted near pairs over first members of identity classes, sorted by (a, b), distinct. */
export interface NearPairs extends Pairs {
  readonly jaccard: Float64Array;
}

/** What the shingle sets of both documents say, row by row; NaN where it was not computed. */
export interface ExactEvidence {
  /** Exact resemblance. */
  readonly jaccard: Float64Array;
  /** Share of a's shingles that b has. */
  readonly containmentAB: Float64Array;
  /** Share of b's shingles that a has. */
  readonly containmentBA: Float64Array;
}

/**
 * Candidate pairs with all evidence, row by row. Outside exact mode the agreement is all there is, and the
 * resemblance is its estimate agreement / N.
 */
export interface VerifiedPairs extends Pairs {
  /** Equal slots of the two signatures. */
  readonly agreement: Uint16Array;
  /** 1 where the resemblance is at least the threshold. */
  readonly accepted: Uint8Array;
  readonly exact: ExactEvidence | null;
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
 * The union of lists of pairs without those of `known`, sorted by (a, b) and distinct, with their agreements;
 * accepted where at least `least`.
 */
export function agreeingPairs(
  lists: readonly Pairs[],
  known: readonly Pairs[],
  signatures: SignatureBlocks,
  least: number,
  agreement: AgreementFunction = agreementOf,
): AgreeingPairs {
  const pairs = distinctPairs(lists, known);
  const equal = agreements(pairs, signatures, agreement);
  const accepted = new Uint8Array(pairs.count);
  for (let i = 0; i < pairs.count; i++) accepted[i] = equal[i]! >= least ? 1 : 0;
  return { ...pairs, agreement: equal, accepted };
}

/**
 * Sets of one block: set s is the sorted distinct 64-bit hashes [offsets[s], offsets[s + 1]), counted in
 * hashes.
 */
export interface ShingleSetBlock {
  readonly hashes: Uint32Array;
  readonly offsets: Float64Array | Uint32Array;
}

/**
 * Where the shingle sets are: document d has set `setIndex[d]` of block `setBlock[d]`; -1: it has none here.
 */
export interface ShingleSets {
  readonly sets: readonly ShingleSetBlock[];
  readonly setBlock: Int32Array;
  readonly setIndex: Uint32Array;
}

export type IntersectionFunction = (
  a: Uint32Array,
  aFrom: number,
  aTo: number,
  b: Uint32Array,
  bFrom: number,
  bTo: number,
) => number;

export interface AcceptanceRule {
  /** Pairs with fewer equal slots are not looked at again: the margin. */
  readonly leastAgreement: number;
  /** Least resemblance of an accepted pair. */
  readonly threshold: number;
}

export interface ExactPairs extends Pairs, ExactEvidence {
  readonly agreement: Uint16Array;
  readonly accepted: Uint8Array;
  /** Pairs at or above the margin whose resemblance was computed. */
  readonly verified: number;
  /**
   * Pairs at or above the margin that lack a shingle set: not accepted, and the caller has to account for
   * them.
   */
  readonly missing: number;
}

/**
 * The exact resemblance and containments of every pair at or above the margin; the others keep NaN and are
 * rejected.
 *
 * No pair is ruled out by the sizes of its sets, because its resemblance is reported whether accepted or not.
 * `resemblance >= threshold` is decided by the division itself, so 11 of 20 reach 0.55.
 */
export function exactPairs(
  pairs: Pairs,
  agreement: Uint16Array,
  rule: AcceptanceRule,
  shingles: ShingleSets,
  intersectionSize: IntersectionFunction,
): ExactPairs {
  const { sets, setBlock, setIndex } = shingles;
  const columns = emptyColumns(pairs, agreement);
  let verified = 0;
  let missing = 0;
  for (let i = 0; i < pairs.count; i++) {
    if (agreement[i]! < rule.leastAgreement) continue;
    const a = pairs.a[i]!;
    const b = pairs.b[i]!;
    if (setBlock[a]! < 0 || setBlock[b]! < 0) {
      missing++;
      continue;
    }
    const setsA = sets[setBlock[a]!]!;
    const setsB = sets[setBlock[b]!]!;
    const fromA = setsA.offsets[setIndex[a]!]!;
    const toA = setsA.offsets[setIndex[a]! + 1]!;
    const fromB = setsB.offsets[setIndex[b]!]!;
    const toB = setsB.offsets[setIndex[b]! + 1]!;
    const common = intersectionSize(setsA.hashes, fromA, toA, setsB.hashes, fromB, toB);
    const jaccard = resemblanceOf(common, toA - fromA, toB - fromB);
    columns.jaccard[i] = jaccard;
    columns.containmentAB[i] = containmentOf(common, toA - fromA);
    columns.containmentBA[i] = containmentOf(common, toB - fromB);
    columns.accepted[i] = jaccard >= rule.threshold ? 1 : 0;
    verified++;
  }
  return { ...columns, verified, missing };
}

/** Evidence columns in which nothing is known but the agreement. */
function emptyColumns(
  pairs: Pairs,
  agreement: Uint16Array,
): Pairs & ExactEvidence & { readonly agreement: Uint16Array; readonly accepted: Uint8Array } {
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

/** How many of the flags are set. */
export function countAccepted({ accepted, count }: Pick<VerifiedPairs, 'accepted' | 'count'>): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += accepted[i]!;
  return sum;
}

/** The resemblance of a row: exact where it was computed, in signature mode the estimate agreement / N. */
export function resemblanceAt({ exact, agreement }: VerifiedPairs, row: number, hashes: number): number {
  return exact === null ? agreement[row]! / hashes : exact.jaccard[row]!;
}

/** The accepted rows alone, in their order. `hashes`: slots that agreements are counts of. */
export function nearPairs(verified: VerifiedPairs, hashes: number): NearPairs {
  const pairs = acceptedPairs(verified);
  const jaccard = new Float64Array(pairs.count);
  for (let i = 0, row = 0; i < verified.count; i++) {
    if (verified.accepted[i] === 1) jaccard[row++] = resemblanceAt(verified, i, hashes);
  }
  return { ...pairs, jaccard };
}

/** The pairs of the accepted rows, in their order. */
export function acceptedPairs(verified: Pick<VerifiedPairs, 'a' | 'b' | 'accepted' | 'count'>): Pairs {
  const count = countAccepted(verified);
  const a = new Uint32Array(count);
  const b = new Uint32Array(count);
  for (let i = 0, row = 0; row < count; i++) {
    if (verified.accepted[i] === 0) continue;
    a[row] = verified.a[i]!;
    b[row++] = verified.b[i]!;
  }
  return { a, b, count };
}

/** Merges the evidence of two rounds: sorted by (a, b), no pair in both, both exact or neither. */
export function mergeVerified(earlier: VerifiedPairs, later: VerifiedPairs): VerifiedPairs {
  if (later.count === 0) return earlier;
  if (earlier.count === 0) return later;
  const stretches = mergeStretches(earlier, later);
  const { exact } = earlier;
  const other = later.exact;
  return {
    count: earlier.count + later.count,
    a: stretches.merge(earlier.a, later.a),
    b: stretches.merge(earlier.b, later.b),
    agreement: stretches.merge(earlier.agreement, later.agreement),
    accepted: stretches.merge(earlier.accepted, later.accepted),
    exact:
      exact === null || other === null
        ? null
        : {
            jaccard: stretches.merge(exact.jaccard, other.jaccard),
            containmentAB: stretches.merge(exact.containmentAB, other.containmentAB),
            containmentBA: stretches.merge(exact.containmentBA, other.containmentBA),
          },
  };
}
