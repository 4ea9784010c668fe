/**
 * The rows of `pairs/`: near pairs and pairs of identical documents, merged in the order of (a, b) without
 * storing the identical ones.
 *
 * A group of k identical documents has k - 1 rows (first, member), or all k(k-1)/2 when expanded: 10^5 equal
 * files are 5 * 10^9 rows. But the partners of one document are always a stretch of its group's members, so
 * one entry per document represents them all.
 */
import type { DuplicateGroups } from '../../../reducers/identityClasses.js';
import type { ExactEvidence } from '../../../reducers/verifiedPairs.js';
import { firstWhere } from '../../arrays/search.js';
import type { Column } from '../../blocks/block.js';
import type { IdTable } from '../../blocks/ids.js';
import type { Agreements } from '../../blocks/pairs.js';
import type { RowBatch } from '../../kernel/kernel.js';
import type { WrittenFile } from '../../store/files.js';

import {
  emptyCell,
  millionthsCell,
  type ResultPlace,
  type TableField,
  type WritingTools,
  wordCell,
  writeTable,
} from './rows.js';
import { agreementField, ROWS_PER_PART } from './tables.js';

/**
 * Run r: document `a[r]`, whose text is `textOf[r]`, pairs with each of `members[start[r] .. end[r])`, which ascend.
 * Runs ascend by `a`; none is empty. `texts` as in the groups.
 */
export interface IdentityRuns {
  readonly a: Uint32Array;
  readonly start: Uint32Array;
  readonly end: Uint32Array;
  readonly textOf: Uint32Array;
  readonly members: Uint32Array;
  readonly texts: Uint32Array;
}

/**
 * The runs of the groups, in any order of groups: one per group (its first member), or with `expand` one for
 * every member but the last. Linear in the members and the largest document number.
 */
export function identityRuns(groups: Omit<DuplicateGroups, 'firsts'>, expand: boolean): IdentityRuns {
  const { offsets, members, texts } = groups;
  let documents = 0;
  for (let i = 0; i < members.length; i++) documents = Math.max(documents, members[i]! + 1);
  // By document: where its partners start and end. Reading these in order sorts the runs.
  const startOf = new Uint32Array(documents);
  const endOf = new Uint32Array(documents);
  let runs = 0;
  for (let c = 0; c + 1 < offsets.length; c++) {
    const first = offsets[c]!;
    const end = offsets[c + 1]!;
    const last = expand ? end - 1 : Math.min(first + 1, end - 1);
    for (let at = first; at < last; at++) {
      startOf[members[at]!] = at + 1;
      endOf[members[at]!] = end;
      runs++;
    }
  }
  const a = new Uint32Array(runs);
  const start = new Uint32Array(runs);
  const end = new Uint32Array(runs);
  let run = 0;
  for (let document = 0; document < documents; document++) {
    if (endOf[document] === 0) continue;
    a[run] = document;
    start[run] = startOf[document]!;
    end[run++] = endOf[document]!;
  }
  const textOf = start.map((position) => texts[position - 1]!);
  return { a, start, end, textOf, members, texts };
}

/** Number of rows by kind. */
export interface KindRows {
  readonly identical: number;
  readonly sameTokens: number;
}

/**
 * The number of rows of each kind in the groups, without enumerating them. `counted`: counts only rows whose
 * documents both have it set; absent: all rows.
 */
export function kindRows(
  { offsets, members, texts }: Omit<DuplicateGroups, 'firsts'>,
  expand: boolean,
  counted: (document: number) => boolean = () => true,
): KindRows {
  let rows = 0;
  let identical = 0;
  for (let c = 0; c + 1 < offsets.length; c++) {
    const from = offsets[c]!;
    // A row needs the first of its group, unless every pair has one.
    if (!expand && !counted(members[from]!)) continue;
    // By text: number of members so far; needed only where every pair has a row.
    const met = expand ? new Map<number, number>() : null;
    let before = 0;
    for (let i = from; i < offsets[c + 1]!; i++) {
      if (!counted(members[i]!)) continue;
      if (met === null) {
        rows += Math.min(before, 1);
        if (i > from && texts[i] === texts[from]) identical++;
      } else {
        const same = met.get(texts[i]!) ?? 0;
        rows += before;
        identical += same;
        met.set(texts[i]!, same + 1);
      }
      before++;
    }
  }
  return { identical, sameTokens: rows - identical };
}

/** Accepted near pairs as columns, sorted by (a, b), a < b, distinct, none of them identical. */
export interface NearPairs {
  readonly count: number;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  /** Matching slots, 0..hashes; or shares. */
  readonly agreement: Agreements;
  /** Null outside exact mode: then the agreement is also the estimate of the resemblance. */
  readonly exact: ExactEvidence | null;
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

/** The kinds of a pair, in the order of `PAIR_KINDS`. */
const NEAR = 0;
const IDENTICAL = 1;
const SAME_TOKENS = 2;

/** Greater than any document number: marks an exhausted input. */
const END = 2 ** 32;

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

/** Columns in the order of the fields. Outside exact mode agreement and kind determine the other fields. */
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

/** The position of the merge in both inputs. */
type MergePlace = { -readonly [K in 'near' | 'run' | 'position']: number };

/** Reads the next `rows` rows of the merge. */
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
    const kind = runs.texts[position] === runs.textOf[run] ? IDENTICAL : SAME_TOKENS;
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
 * The rows of a part, a few thousand at a time, so that a group of any size costs no memory; a batch is valid
 * until the next one is requested. A batch without identical rows is a view of the near pairs.
 */
function* mergedBatches(
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
 * The kinds of pairs. `identical` documents have the same bytes, `same-tokens` only the same canonical
 * tokens.
 */
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
  // The least i such that row i of the near pairs comes after the k - i identity rows before it.
  return firstWhere(Math.max(0, k - (end - start)), Math.min(k, to - from), (i) => {
    return members[start + k - i - 1]! < b[from + i]!;
  });
}

/**
 * Plans the parts of the merged table, so that they can be written independently and in any order: one pass
 * over near pairs and runs, and a binary search per boundary, whatever the number of rows. No rows: one empty
 * part.
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

/** A position behind the last member of a run becomes the first of the next. */
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
