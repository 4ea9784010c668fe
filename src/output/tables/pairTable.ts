/**
 * The rows of `pairs/`: near pairs and pairs of identical documents, merged in the order of (a, b) without
 * storing the identical ones.
 *
 * A group of k identical documents has k - 1 rows (first, member), or all k(k-1)/2 when expanded: 10^5 equal
 * files give 5 * 10^9 rows. But the partners of one document are always a stretch of its group's members, so
 * one entry per document represents all its rows.
 */
import type { DuplicateGroups } from '../../../reducers/identityClasses.js';
import type { ExactEvidence } from '../../../reducers/verifiedPairs.js';
import { firstWhere } from '../../arrays/search.js';
import type { IdTable } from '../../blocks/ids.js';
import type { Agreements } from '../../blocks/pairs.js';
import type { FileDoor } from '../../store/fileDoor.js';
import type { WrittenFile } from '../../store/files.js';
import { cellOf, IdCells, type ResultPlace, type RowWriter, writeRows } from './rows.js';
import { agreementCell, ROWS_PER_PART } from './tables.js';

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
 * The number of rows of each kind in the groups, without enumerating them. `counted`: only rows for both of whose
 * documents it holds count; absent: all rows.
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
    // Every row has the first document of its group, unless every pair has a row.
    if (!expand && !counted(members[from]!)) continue;
    // By text, the number of members so far; needed only where every pair has a row.
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
  /** Numbers of matching slots, 0..hashes; or shares. */
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
  /** First run, and the first position in `members` that the part has of it. */
  readonly run: number;
  readonly position: number;
}

/** The kinds of a pair, in the order of `PAIR_KINDS`. */
const NEAR = 0;
const IDENTICAL = 1;
const SAME_TOKENS = 2;

/** Greater than any document number: marks an exhausted input. */
const END = 2 ** 32;

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
export const KIND_CELLS = PAIR_KINDS.map(cellOf);

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

/** The place with a position behind the last member of a run replaced by the first position of the next run. */
function normalised(runs: IdentityRuns, near: number, run: number, position: number) {
  if (run < runs.a.length && position === runs.end[run]) {
    run++;
    position = run < runs.a.length ? runs.start[run]! : 0;
  }
  return { near, run, position };
}

/** Writes the values of two identical documents, all 1: resemblance, agreement and both containments. */
export function alikeCells(rows: RowWriter): void {
  for (let cell = 0; cell < 4; cell++) rows.millionths(1e6);
}

/**
 * Writes one part of the plan: near pairs and those of identical documents, merged row by row, so that a group of any size
 * costs no memory.
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
  door?: FileDoor,
): WrittenFile {
  const nearCells = nearCellsOf(near, hashes);
  const cells = new IdCells(ids);
  let { near: at, run, position } = part;
  const fill = (rows: RowWriter): void => {
    while (rows.rows < part.rows) {
      const nearA = at < near.count ? near.a[at]! : END;
      const runA = run < runs.a.length ? runs.a[run]! : END;
      if (nearA < runA || (nearA === runA && near.b[at]! < runs.members[position]!)) {
        rows.id(cells, nearA);
        rows.id(cells, near.b[at]!);
        nearCells(rows, at++);
        rows.word(KIND_CELLS[NEAR]!);
      } else {
        rows.id(cells, runA);
        rows.id(cells, runs.members[position]!);
        alikeCells(rows);
        rows.word(KIND_CELLS[runs.texts[position] === runs.textOf[run] ? IDENTICAL : SAME_TOKENS]!);
        if (++position === runs.end[run]) position = ++run < runs.a.length ? runs.start[run]! : 0;
      }
      rows.endRow();
    }
  };
  return writeRows(place, PAIR_COLUMNS, fill, door);
}

/** Writes the values of near pair `i`; outside exact mode the agreement is the estimate of the resemblance. */
function nearCellsOf({ agreement, exact }: NearPairs, hashes: number): (rows: RowWriter, i: number) => void {
  const agreementOf = agreementCell(agreement, hashes);
  return (rows, i) => {
    if (exact === null) agreementOf(rows, i);
    else rows.fraction(exact.jaccard[i]!);
    agreementOf(rows, i);
    rows.fraction(exact === null ? Number.NaN : exact.containmentAB[i]!);
    rows.fraction(exact === null ? Number.NaN : exact.containmentBA[i]!);
  };
}
