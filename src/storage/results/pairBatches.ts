/**
 * The rows of a part of `pairs/` as batches of columns: near pairs and identity pairs merged in the order of (a, b).
 *
 * Floor 2. A batch is a few thousand rows, so a class of any size costs no memory. Never formats a row.
 */
import type { Column } from '../../blocks/block.js';
import type { RowBatch } from '../../kernel/rowFormat.js';
import type { Agreements } from '../../sketch/pairs.js';
import type { IdentityRuns } from './identityRuns.js';

/** Accepted near pairs as columns, sorted by (a, b), a < b, distinct, none of them identical. */
export interface NearPairs {
  readonly count: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Equal slots, 0..hashes; or shares. */
  readonly agreement: Agreements;
  /** Null outside exact mode: then the agreement stands for the resemblance too. */
  readonly exact: ExactEvidence | null;
}

/** What is known of the shingle sets of pairs; NaN where it is not. */
export interface ExactEvidence {
  readonly jaccard: Float64Array;
  /** Share of a's shingles that b has. */
  readonly containmentAB: Float64Array;
  readonly containmentBA: Float64Array;
}

/** Where a part begins and how many rows it has. JSON, so it can be the parameter of a task. */
export interface PairPart {
  readonly part: number;
  readonly rows: number;
  /** First near pair. */
  readonly near: number;
  /** First run, and the first position of it in `members`. */
  readonly run: number;
  readonly position: number;
}

/** What a pair is, in the order of `PAIR_KINDS`. */
const NEAR = 0;
const IDENTICAL = 1;
const SAME_TOKENS = 2;

/** Greater than any document number: an input that has ended. */
export const END = 2 ** 32;

/** Rows of a batch. */
const BATCH = 8192;

/** Room for the columns of a batch, in the order of the fields: a, b, jaccard, agreement, containments, kind. */
class Batch {
  readonly a = new Uint32Array(BATCH);
  readonly b = new Uint32Array(BATCH);
  readonly agreement: Agreements;
  readonly exact: ExactEvidence | null;
  /** NEAR, IDENTICAL or SAME_TOKENS. */
  readonly kind = new Uint8Array(BATCH);

  constructor({ agreement, exact }: Pick<NearPairs, 'agreement' | 'exact'>) {
    this.agreement = agreement instanceof Float64Array ? new Float64Array(BATCH) : new Uint16Array(BATCH);
    const fractions = (): Float64Array => new Float64Array(BATCH);
    this.exact =
      exact !== null
        ? { jaccard: fractions(), containmentAB: fractions(), containmentBA: fractions() }
        : null;
  }

  get columns(): readonly Column[] {
    return columnsOf(this, this.kind);
  }
}

/** Columns in the order of the fields. Outside exact mode agreement and kind say what else there is to say. */
function columnsOf(
  { a, b, agreement, exact }: Omit<NearPairs, 'count'>,
  kind: Uint8Array,
): readonly Column[] {
  if (exact === null) return [a, b, agreement, agreement, kind, kind, kind];
  const { jaccard, containmentAB, containmentBA } = exact;
  return [a, b, jaccard, agreement, containmentAB, containmentBA, kind];
}

function putNear(batch: Batch, row: number, near: NearPairs, at: number): void {
  batch.a[row] = near.a[at]!;
  batch.b[row] = near.b[at]!;
  batch.agreement[row] = near.agreement[at]!;
  batch.kind[row] = NEAR;
  if (batch.exact === null) return;
  batch.exact.jaccard[row] = near.exact!.jaccard[at]!;
  batch.exact.containmentAB[row] = near.exact!.containmentAB[at]!;
  batch.exact.containmentBA[row] = near.exact!.containmentBA[at]!;
}

function putAlike(batch: Batch, row: number, a: number, b: number, kind: number, hashes: number): void {
  batch.a[row] = a;
  batch.b[row] = b;
  batch.agreement[row] = hashes;
  batch.kind[row] = kind;
  if (batch.exact === null) return;
  batch.exact.jaccard[row] = 1;
  batch.exact.containmentAB[row] = 1;
  batch.exact.containmentBA[row] = 1;
}

/** Where the merge is in both inputs. */
type MergePlace = { -readonly [K in 'near' | 'run' | 'position']: number };

/** Takes the next `rows` rows of the merge. */
function fill(
  batch: Batch,
  rows: number,
  place: MergePlace,
  near: NearPairs,
  runs: IdentityRuns,
  hashes: number,
): void {
  let { near: at, run, position } = place;
  for (let row = 0; row < rows; row++) {
    const nearA = at < near.count ? near.a[at]! : END;
    const runA = run < runs.a.length ? runs.a[run]! : END;
    if (nearA < runA || (nearA === runA && near.b[at]! < runs.members[position]!)) {
      putNear(batch, row, near, at++);
      continue;
    }
    const kind = runs.texts[position] === runs.texts[runs.start[run]! - 1] ? IDENTICAL : SAME_TOKENS;
    putAlike(batch, row, runA, runs.members[position]!, kind, hashes);
    if (++position === runs.end[run]) position = ++run < runs.a.length ? runs.start[run]! : 0;
  }
  place.near = at;
  place.run = run;
  place.position = position;
}

/** How many of the next `rows` near pairs certainly come before the next identity row. */
function nearAlone(near: NearPairs, runs: IdentityRuns, { near: at, run }: MergePlace, rows: number): number {
  const last = Math.min(near.count, at + rows);
  return last > at && (run === runs.a.length || near.a[last - 1]! < runs.a[run]!) ? last - at : 0;
}

/**
 * The rows of a part, a few thousand at a time; a batch is valid until the next one is asked for. Where no identity row
 * lies between, a batch is a view of the near pairs.
 */
export function* mergedBatches(
  near: NearPairs,
  hashes: number,
  runs: IdentityRuns,
  part: PairPart,
): Iterable<RowBatch> {
  const place: MergePlace = { near: part.near, run: part.run, position: part.position };
  const batch = new Batch(near);
  const noneAlike = new Uint8Array(BATCH);
  for (let left = part.rows; left > 0; ) {
    const alone = nearAlone(near, runs, place, Math.min(BATCH, left));
    const rows = alone > 0 ? alone : Math.min(BATCH, left);
    if (alone > 0) {
      yield { rows, columns: nearView(near, place.near, rows, noneAlike) };
      place.near += rows;
    } else {
      fill(batch, rows, place, near, runs, hashes);
      yield { rows, columns: batch.columns };
    }
    left -= rows;
  }
}

function nearView(
  { a, b, agreement, exact }: NearPairs,
  from: number,
  rows: number,
  kind: Uint8Array,
): readonly Column[] {
  const cut = <T extends Column>(column: T): T => column.subarray(from, from + rows) as T;
  return columnsOf(
    {
      a: cut(a),
      b: cut(b),
      agreement: cut(agreement),
      exact: exact && {
        jaccard: cut(exact.jaccard),
        containmentAB: cut(exact.containmentAB),
        containmentBA: cut(exact.containmentBA),
      },
    },
    kind,
  );
}
