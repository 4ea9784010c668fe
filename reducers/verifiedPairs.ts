/**
 * Reduce by pair: candidate pairs and their exact similarities become verified pairs.
 *
 * Works on signatures that lie in blocks, found by document number. The signature similarity comes first and
 * is cheap; the exact resemblance is computed only for the pairs at or above a prefilter cutoff
 * (reducers/exactPairs.ts; Broder 1997, section 4, made exact again).
 */

import { columnAt } from '../src/arrays/chosenRows.js';
import { type ArrayType, newArray } from '../src/arrays/ownPages.js';
import { firstWhere, lowerBound } from '../src/arrays/search.js';
import { eachRange, type Stepwise } from '../src/arrays/stepwise.js';
import type { Column } from '../src/blocks/block.js';
import type { AgreeingPairs, Agreements, Pairs, SignatureBlocks } from '../src/blocks/pairs.js';

/** The union of two lists, as alternating stretches of their rows. */
export interface Stretches {
  /** The union of two columns of these lists, of one type. */
  merge<T extends Column>(earlier: T, later: T): Stepwise<T>;
  /** The rows of the union in which ascending rows of one of the lists stand. */
  places(rows: Uint32Array, of: 'earlier' | 'later'): Uint32Array;
}

/** Shorter stretches are copied row by row, because a view costs more. */
const SHORT = 24;

/** So many stretches are found in a step. */
const FOUND_A_STEP = 1 << 16;

/**
 * Merges lists sorted by (a, b) that have no pair in common. Stretches are found by doubling steps, so a few
 * pairs among many cost their number times a logarithm, besides the copies.
 */
export function* mergeStretches(earlier: Pairs, later: Pairs): Stepwise<Stretches> {
  // Ends in both lists: rows of the earlier one up to ends[2i], then of the later one up to ends[2i + 1].
  const ends = new Uint32Array(2 * (Math.min(earlier.count, later.count) + 1));
  let length = 0;
  for (let e = 0, l = 0; e < earlier.count || l < later.count; ) {
    e = l === later.count ? earlier.count : firstNotBefore(earlier, e, later.a[l]!, later.b[l]!);
    l = e === earlier.count ? later.count : firstNotBefore(later, l, earlier.a[e]!, earlier.b[e]!);
    ends[length++] = e;
    ends[length++] = l;
    if (length % FOUND_A_STEP === 0) yield;
  }
  return {
    *merge(one, other) {
      const Type = one.constructor as ArrayType<typeof one>;
      const merged = newArray(Type, earlier.count + later.count);
      yield* eachRange(length / 2, (from, to) => {
        let e = from === 0 ? 0 : ends[2 * from - 2]!;
        let l = from === 0 ? 0 : ends[2 * from - 1]!;
        for (let i = 2 * from; i < 2 * to; i += 2) {
          copyRows(one, e, ends[i]!, merged, e + l);
          e = ends[i]!;
          copyRows(other, l, ends[i + 1]!, merged, e + l);
          l = ends[i + 1]!;
        }
      });
      return merged;
    },
    places: (rows, of) => {
      const places = new Uint32Array(rows.length);
      const side = of === 'earlier' ? 0 : 1;
      // Before a row of one list come the rows of the other up to the previous stretch; the lists alternate.
      for (let i = 0, row = 0; i < length && row < rows.length; i += 2) {
        const before = side === 1 ? ends[i]! : i === 0 ? 0 : ends[i - 1]!;
        for (; row < rows.length && rows[row]! < ends[i + side]!; row++) places[row] = rows[row]! + before;
      }
      return places;
    },
  };
}

function copyRows(column: Column, from: number, to: number, merged: Column, row: number): void {
  if (to - from > SHORT) merged.set(column.subarray(from, to) as never, row);
  else for (let i = from; i < to; i++) merged[row++] = column[i]!;
}

/** The first row from `from` on that is not before (a, b); the count if there is none. */
export function firstNotBefore(pairs: Pairs, from: number, a: number, b: number): number {
  const before = (row: number): boolean => pairs.a[row]! < a || (pairs.a[row] === a && pairs.b[row]! < b);
  let step = 1;
  let low = from;
  while (low + step <= pairs.count && before(low + step - 1)) {
    low += step;
    step *= 2;
  }
  return firstWhere(low, Math.min(pairs.count, low + step), (row) => !before(row));
}

/** The union of two lists sorted by (a, b) that have no pair in common. */
export function* mergePairs(earlier: Pairs, later: Pairs): Stepwise<Pairs> {
  if (later.count === 0) return earlier;
  if (earlier.count === 0) return later;
  const { merge } = yield* mergeStretches(earlier, later);
  return {
    a: yield* merge(earlier.a, later.a),
    b: yield* merge(earlier.b, later.b),
    count: earlier.count + later.count,
  };
}

export type { AgreeingPairs, SignatureBlocks };

/** Accepted near pairs over first members of exact-duplicate groups, sorted by (a, b), distinct. */
export interface NearPairs extends Pairs {
  readonly jaccard: Float64Array;
}

/**
 * The exact similarities of pairs, from the shingle sets of both documents; NaN where they were not computed.
 */
export interface ExactEvidence {
  /** Exact resemblance. */
  readonly jaccard: Float64Array;
  /** Share of a's shingles that b has. */
  readonly containmentAB: Float64Array;
  /** Share of b's shingles that a has. */
  readonly containmentBA: Float64Array;
}

/**
 * Exact similarities of some rows of a list of pairs: many candidates are far below the threshold, and their
 * sets are never read.
 */
export interface RowEvidence extends ExactEvidence {
  /** The rows, ascending. */
  readonly rows: Uint32Array;
}

/**
 * Candidate pairs with all their similarities, row by row. Outside exact mode only the agreement is known,
 * and the resemblance is its estimate agreement / N.
 */
export interface VerifiedPairs extends Pairs {
  /** Matching slots of the two signatures; for samples the estimate. */
  readonly agreement: Agreements;
  /** 1 where the measure is at least the threshold. */
  readonly accepted: Uint8Array;
  readonly exact: RowEvidence | null;
}

/** Position of the first row from `row` on that has exact similarities; their number if there is none. */
export function evidenceFrom({ rows }: Pick<RowEvidence, 'rows'>, row: number): number {
  return lowerBound(rows, 0, rows.length, row);
}

/** Positions of the exact similarities of ascending rows, all of which have some. */
function* evidenceOfRows({ rows }: RowEvidence, wanted: Uint32Array): Stepwise<Uint32Array> {
  const positions = new Uint32Array(wanted.length);
  let next = 0;
  yield* eachRange(wanted.length, (from, to) => {
    let at = next;
    for (let i = from; i < to; i++) {
      while (rows[at]! < wanted[i]!) at++;
      positions[i] = at;
    }
    next = at;
  });
  return positions;
}

export function countAccepted({ accepted, count }: Pick<VerifiedPairs, 'accepted' | 'count'>): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += accepted[i]!;
  return sum;
}

/** Numbers of the accepted rows, ascending. */
function* acceptedRows({
  accepted,
  count,
}: Pick<VerifiedPairs, 'accepted' | 'count'>): Stepwise<Uint32Array> {
  const rows = newArray(Uint32Array, countAccepted({ accepted, count }));
  // `indexOf` is fast where few rows of many are accepted.
  let next = accepted.indexOf(1);
  yield* eachRange(rows.length, (from, to) => {
    let at = next;
    for (let i = from; i < to; i++) {
      rows[i] = at++;
      if (accepted[at] !== 1) at = accepted.indexOf(1, at);
    }
    next = at;
  });
  return rows;
}

/**
 * The accepted rows, in their order, with their resemblance: exact, or outside exact mode agreement / N.
 * `hashes`: number of slots that agreements count.
 */
export function* nearPairs(verified: VerifiedPairs, hashes: number): Stepwise<NearPairs> {
  const rows = yield* acceptedRows(verified);
  const { a, b, exact, agreement } = verified;
  const near = { a: yield* columnAt(a, rows), b: yield* columnAt(b, rows), count: rows.length };
  if (exact !== null) {
    return { ...near, jaccard: yield* columnAt(exact.jaccard, yield* evidenceOfRows(exact, rows)) };
  }
  const jaccard = newArray(Float64Array, rows.length);
  yield* eachRange(rows.length, (from, to) => {
    for (let i = from; i < to; i++) jaccard[i] = agreement[rows[i]!]! / hashes;
  });
  return { ...near, jaccard };
}

/** The pairs of the accepted rows, in their order. */
export function* acceptedPairs(verified: Omit<AgreeingPairs, 'agreement'>): Stepwise<Pairs> {
  const rows = yield* acceptedRows(verified);
  return { a: yield* columnAt(verified.a, rows), b: yield* columnAt(verified.b, rows), count: rows.length };
}

/**
 * Merges the pairs of two rounds: sorted by (a, b), no pair in both, both exact or neither. Releases each input column as soon as
 * it is merged, because both lists and their union together would exceed the memory.
 */
export function* mergeVerified(earlier: VerifiedPairs, later: VerifiedPairs): Stepwise<VerifiedPairs> {
  if (later.count === 0) return earlier;
  if (earlier.count === 0) return later;
  const stretches = yield* mergeStretches(earlier, later);
  const merge = mergeOf(stretches, earlier, later);
  const count = earlier.count + later.count;
  const { exact } = earlier;
  const other = later.exact;
  const [a, b] = [yield* merge('a'), yield* merge('b')];
  const [agreement, accepted] = [yield* merge('agreement'), yield* merge('accepted')];
  const evidence = exact === null || other === null ? null : yield* mergeEvidence(stretches, exact, other);
  return { count, a, b, agreement, accepted, exact: evidence };
}

/** Merges the exact similarities of two lists whose rows `stretches` merges. */
function* mergeEvidence(stretches: Stretches, one: RowEvidence, other: RowEvidence): Stepwise<RowEvidence> {
  const first = stretches.places(one.rows, 'earlier');
  const second = stretches.places(other.rows, 'later');
  yield;
  const asPairs = (rows: Uint32Array): Pairs => ({ a: rows, b: rows, count: rows.length });
  const inner = yield* mergeStretches(asPairs(first), asPairs(second));
  const rows = yield* inner.merge(first, second);
  const merge = mergeOf(inner, one, other);
  const jaccard = yield* merge('jaccard');
  const [containmentAB, containmentBA] = [yield* merge('containmentAB'), yield* merge('containmentBA')];
  return { rows, jaccard, containmentAB, containmentBA };
}

/** Merges columns of two tables by name, and empties them in the tables. */
function mergeOf<T extends object>(stretches: Stretches, one: T, other: T) {
  return function* <K extends keyof T>(name: K): Stepwise<T[K] & Column> {
    const [mine, its] = [one[name] as T[K] & Column, other[name] as T[K] & Column];
    const merged = yield* stretches.merge(mine, its);
    const none = merged.subarray(0, 0).slice() as T[K] & Column;
    Object.assign(one, { [name]: none });
    Object.assign(other, { [name]: none });
    return merged;
  };
}
