/**
 * The parts of `pairs/`: near pairs and identity pairs, merged in the order of (a, b).
 *
 * Floor 2. The plan says where in both inputs each part begins, so parts are written apart and in any order.
 * Never holds the identity rows (see identityRuns.ts), never judges a pair.
 */
import { agreementField } from './agreementCells.js';
import type { WrittenFile } from './atomicFile.js';
import type { IdentityRuns } from './identityRuns.js';
import type { IdTable } from './idTable.js';
import { END, mergedBatches, type NearPairs, type PairPart } from './pairBatches.js';
import { ROWS_PER_PART } from './parts.js';
import { emptyCell, millionthsCell, wordCell } from './rowWriter.js';
import { type ResultPlace, type TableField, type WritingTools, writeTable } from './tableWriter.js';

export type { NearPairs, PairPart };

export const PAIR_COLUMNS = [
  'a',
  'b',
  'jaccard',
  'agreement',
  'containment_a_in_b',
  'containment_b_in_a',
  'kind',
] as const;

/** What a pair can be. Of `identical` documents the texts are the same bytes, of `same-tokens` the canonical tokens alone. */
export const PAIR_KINDS = ['near', 'identical', 'same-tokens'] as const;

/**
 * How many near pairs are among the first `k` rows of one document: `near` are their partners b[from .. to),
 * the identity partners members[start .. end); both ascend and share no value.
 */
function nearAmongFirst(
  k: number,
  b: Uint32Array,
  from: number,
  to: number,
  members: Uint32Array,
  start: number,
  end: number,
): number {
  let low = Math.max(0, k - (end - start));
  let high = Math.min(k, to - from);
  // The least i whose row i of the near pairs comes after the k - i identity rows taken with it.
  while (low < high) {
    const i = (low + high) >>> 1;
    if (members[start + k - i - 1]! < b[from + i]!) high = i;
    else low = i + 1;
  }
  return low;
}

/**
 * The parts of the merged table: one pass over near pairs and runs, a binary search a boundary, however many
 * rows the runs stand for. No rows: one part without any.
 */
export function planPairParts(
  near: Pick<NearPairs, 'count' | 'a' | 'b'>,
  runs: IdentityRuns,
  rowsPerPart: number = ROWS_PER_PART,
): PairPart[] {
  const starts: Omit<PairPart, 'part' | 'rows'>[] = [];
  let total = 0;
  let from = 0;
  let run = 0;
  while (from < near.count || run < runs.a.length) {
    const runA = run < runs.a.length ? runs.a[run]! : END;
    const a = Math.min(from < near.count ? near.a[from]! : END, runA);
    let to = from;
    while (to < near.count && near.a[to] === a) to++;
    const start = run < runs.a.length ? runs.start[run]! : 0;
    const end = runA === a ? runs.end[run]! : start;
    const rows = to - from + (end - start);
    while (starts.length * rowsPerPart < total + rows) {
      const k = starts.length * rowsPerPart - total;
      const i = nearAmongFirst(k, near.b, from, to, runs.members, start, end);
      starts.push(normalised(runs, from + i, run, start + k - i));
    }
    total += rows;
    from = to;
    if (runA === a) run++;
  }
  if (starts.length === 0) starts.push({ near: 0, run: 0, position: 0 });
  return starts.map((place, part) => ({
    part,
    rows: Math.min(rowsPerPart, total - part * rowsPerPart),
    ...place,
  }));
}

/** A place behind the last member of a run is the first of the next. */
function normalised(runs: IdentityRuns, near: number, run: number, position: number) {
  if (run < runs.a.length && position === runs.end[run]) {
    run++;
    position = run < runs.a.length ? runs.start[run]! : 0;
  }
  return { near, run, position };
}

/**
 * Writes one part of the plan, streaming: memory is one piece of 1 MB.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function writePairsPart(
  place: ResultPlace,
  ids: IdTable,
  near: NearPairs,
  hashes: number,
  runs: IdentityRuns,
  part: PairPart,
  tools?: WritingTools,
): WrittenFile {
  const { format } = place;
  const agreement = agreementField(near.agreement, hashes);
  const one = millionthsCell(1e6);
  // By kind.
  const containment: TableField = { kind: 'cell', cells: [emptyCell(format), one, one] };
  const kind: TableField = { kind: 'cell', cells: PAIR_KINDS.map((word) => wordCell(word, format)) };
  const evidence: TableField[] =
    near.exact === null
      ? [agreement, agreement, containment, containment]
      : [{ kind: 'fraction' }, agreement, { kind: 'fraction' }, { kind: 'fraction' }];
  const fields: TableField[] = [{ kind: 'id' }, { kind: 'id' }, ...evidence, kind];
  return writeTable(
    place,
    { names: PAIR_COLUMNS, fields },
    ids,
    mergedBatches(near, hashes, runs, part),
    tools,
  );
}
