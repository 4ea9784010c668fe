/**
 * The rows of `pairs/`: near pairs and pairs of identical documents, merged in the order of (a, b).
 */
import type { IdenticalPairs } from '../../../reducers/identicalPairs.js';
import type { ExactEvidence } from '../../../reducers/verifiedPairs.js';
import { firstWhere } from '../../arrays/search.js';
import type { IdTable } from '../../blocks/ids.js';
import type { Agreements, Pairs } from '../../blocks/pairs.js';
import type { WrittenFile } from '../../store/files.js';
import { cellOf, IdCells, type ResultPlace, type RowWriter, writeRows } from './rows.js';
import { millionthsBy, planParts, ROWS_PER_PART } from './tables.js';

/** Accepted near pairs as columns, sorted by (a, b), a < b, distinct, none of them identical. */
export interface NearPairs {
  readonly count: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Numbers of matching slots, 0..hashes; or shares. */
  readonly agreement: Agreements;
  /** Null outside exact mode: then the agreement is also the estimate of the resemblance. */
  readonly exact: ExactEvidence | null;
}

/** How many rows a part has, and its first near and identical pair. JSON, so it can be the parameter of a task. */
export interface PairPart {
  readonly part: number;
  readonly rows: number;
  readonly near: number;
  readonly identical: number;
}

/** The kinds of a pair, in the order of `PAIR_KINDS`. */
const NEAR = 0;
const IDENTICAL = 1;
const SAME_TOKENS = 2;

export const PAIR_COLUMNS = [
  'a',
  'b',
  'jaccard',
  'agreement',
  'containment_a_in_b',
  'containment_b_in_a',
  'kind',
] as const;

/**
 * The kinds of pairs. `identical` documents have the same bytes, `same-tokens` documents have the same canonical tokens in
 * other bytes.
 */
export const PAIR_KINDS = ['near', 'identical', 'same-tokens'] as const;
const KIND_CELLS = PAIR_KINDS.map(cellOf);

/** Whether pair `i` of one list comes before pair `k` of the other; no pair is in both. */
function comesBefore(one: Pairs, i: number, other: Pairs, k: number): boolean {
  return one.a[i]! < other.a[k]! || (one.a[i] === other.a[k] && one.b[i]! < other.b[k]!);
}

/**
 * Plans the parts of the merged table, so that they can be written independently and in any order: a binary search per boundary.
 * No rows: one empty part.
 */
export function planPairParts(
  near: Pairs,
  identical: Pairs,
  rowsPerPart: number = ROWS_PER_PART,
): PairPart[] {
  return planParts(near.count + identical.count, rowsPerPart).map(({ part, from, to }) => {
    // The least number of near pairs such that the next one comes after all identical pairs before row `from`.
    const first = firstWhere(Math.max(0, from - identical.count), Math.min(from, near.count), (i) =>
      comesBefore(identical, from - i - 1, near, i),
    );
    return { part, rows: to - from, near: first, identical: from - first };
  });
}

/**
 * Writes the cells of a near pair behind its ids, and ends its row. `jaccard` and containments are NaN outside exact mode: then the
 * agreement, in millionths, is the estimate of the resemblance.
 */
function endNear(rows: RowWriter, agreement: number, jaccard: number, aInB: number, bInA: number): void {
  if (Number.isNaN(jaccard)) rows.millionths(agreement);
  else rows.fraction(jaccard);
  rows.millionths(agreement);
  rows.fraction(aInB);
  rows.fraction(bInA);
  rows.word(KIND_CELLS[NEAR]!);
  rows.endRow();
}

/** The same of two identical documents, whose values are all 1. */
function endIdentical(rows: RowWriter, isSameText: boolean): void {
  for (let cell = 0; cell < 4; cell++) rows.millionths(1e6);
  rows.word(KIND_CELLS[isSameText ? IDENTICAL : SAME_TOKENS]!);
  rows.endRow();
}

/**
 * Writes one part of the plan.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function writePairsPart(
  place: ResultPlace,
  ids: IdTable,
  near: NearPairs,
  hashes: number,
  identical: IdenticalPairs,
  part: PairPart,
): WrittenFile {
  const { agreement, exact } = near;
  const millionths = millionthsBy(hashes);
  const cells = new IdCells(ids);
  let { near: at, identical: next } = part;
  const fill = (rows: RowWriter): void => {
    while (rows.rows < part.rows) {
      const isNear = next === identical.count || (at < near.count && comesBefore(near, at, identical, next));
      if (isNear) {
        rows.id(cells, near.a[at]!);
        rows.id(cells, near.b[at]!);
        endNear(
          rows,
          millionths(agreement[at]!),
          exact === null ? Number.NaN : exact.jaccard[at]!,
          exact === null ? Number.NaN : exact.containmentAB[at]!,
          exact === null ? Number.NaN : exact.containmentBA[at]!,
        );
        at++;
      } else {
        rows.id(cells, identical.a[next]!);
        rows.id(cells, identical.b[next]!);
        endIdentical(rows, identical.isSame[next++] === 1);
      }
    }
  };
  return writeRows(place, PAIR_COLUMNS, fill);
}
