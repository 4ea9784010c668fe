/** The rows of a finished result for one document: why it is dropped or kept, its cluster, and the documents that resemble it. */

import {
  type CandidateRow,
  type ClusterRow,
  type DropRow,
  measured,
  type PairRow,
  type SkippedRow,
} from '../../result/readResult.js';
import type { Measure } from '../../sketch/params.js';
import { BestRows } from './bestRows.js';
import { type ClusterSize, clusterSizes, type ResultRows } from './questions.js';
import type { DocumentStanding } from './standing.js';

/** Some rows, and the total number of rows. */
export interface SomeRows<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** The answer to a question for one document. */
export interface DocumentView extends TableView, DocumentStanding {
  /** The text of a paragraph or line as it is written; absent for whole documents, and where the inputs do not have it. */
  readonly passage?: string;
}

/** The part of the answer that comes from the tables of the result. */
export interface TableView {
  readonly id: string;
  /** Its place: a path, or `path#record`; null where neither a row of the result nor an input has it. */
  readonly place: string | null;
  /** `unlisted`: no row of the result names it. */
  readonly state: 'kept' | 'dropped' | 'skipped' | 'unlisted';
  /** Its row of the drop list; `dropPair`: the pair of this document and the kept one. */
  readonly drop: DropRow | null;
  readonly dropPair: PairRow | null;
  /** Its rows of skipped.tsv: why it was not compared, or how its text was repaired first. */
  readonly skipped: readonly SkippedRow[];
  readonly cluster: (ClusterSize & { readonly row: ClusterRow }) | null;
  /** The first document with the same tokens, which is compared in its place; null: the document itself is compared. */
  readonly standsFor: string | null;
  /** Its pairs with documents of the same tokens. */
  readonly alike: SomeRows<PairRow>;
  /** Near pairs of the document, or of the first one with the same tokens, the most alike first. */
  readonly resembling: SomeRows<PairRow>;
  /** Candidate pairs that were not accepted, the most alike first. */
  readonly rejected: SomeRows<CandidateRow>;
  /** Documents that can be dropped because this one is kept, the most alike first. */
  readonly droppedForIt: SomeRows<DropRow>;
}

/** A question for one document, and the length of each list in the answer. */
interface DocumentQuestion {
  /** Whether an id or place of a row is the one in the question. */
  readonly isAsked: (written: string) => boolean;
  /** The id of the question, in the form of the rows. */
  readonly asked: string;
  readonly measure: Measure;
  readonly top: number;
}

type Found = Pick<TableView, 'id' | 'place' | 'drop' | 'droppedForIt' | 'skipped'>;

/** Finds the document of the question by id, else by place. */
async function found(rows: ResultRows, { isAsked, asked, top }: DocumentQuestion): Promise<Found> {
  let byId: DropRow | ClusterRow | null = null;
  let byPlace: DropRow | ClusterRow | null = null;
  const look = (row: DropRow | ClusterRow): boolean => {
    if (isAsked(row.document)) byId = row;
    else if (row.place !== undefined && isAsked(row.place)) byPlace ??= row;
    return byId !== null;
  };
  for await (const row of rows('clusters')) if (look(row)) break;
  if (byId === null) for await (const row of rows('duplicates')) if (look(row)) break;
  const { document: id = asked, place = null } = (byId ?? byPlace ?? {}) as Partial<DropRow>;
  let drop: DropRow | null = null;
  const droppedForIt = new BestRows<DropRow>(top);
  for await (const row of rows('duplicates')) {
    if (row.document === id) drop = row;
    if (row.kept === id) droppedForIt.offer(row, row.jaccard ?? row.containment ?? 0);
  }
  const skipped: SkippedRow[] = [];
  for await (const row of rows('skipped'))
    if (row.document === id || isAsked(row.document)) skipped.push(row);
  return { id, place, drop, droppedForIt: some(droppedForIt), skipped };
}

async function clusterOf(rows: ResultRows, id: string): Promise<TableView['cluster']> {
  let own: ClusterRow | null = null;
  async function* watched(): AsyncGenerator<ClusterRow> {
    for await (const row of rows('clusters')) {
      if (row.document === id) own = row;
      yield row;
    }
  }
  for await (const size of clusterSizes(watched())) {
    const row = own as ClusterRow | null;
    // `row` is set before clusterSizes yields its cluster.
    if (row !== null && row.cluster === size.cluster) return { ...size, row };
  }
  return null;
}

interface PairsOfDocument extends Pick<TableView, 'alike' | 'resembling' | 'standsFor' | 'dropPair'> {
  /** Whether some pair names the document. */
  readonly isNamed: boolean;
}

const some = <Row>(best: BestRows<Row>): SomeRows<Row> => ({ total: best.total, rows: best.rows() });

async function pairsOf(
  rows: ResultRows,
  { id, drop }: Found,
  { measure, top }: DocumentQuestion,
): Promise<PairsOfDocument> {
  const alike = new BestRows<PairRow>(top);
  let standsFor: string | null = null;
  let dropPair: PairRow | null = null;
  const own = new BestRows<PairRow>(top);
  for await (const row of rows('pairs')) {
    const [isA, isB] = [row.a === id, row.b === id];
    if (!isA && !isB) continue;
    if (drop !== null && (isA ? row.b : row.a) === drop.kept) dropPair = row;
    if (row.kind === 'near') own.offer(row, measured(row, measure));
    else {
      // The first document of a class is the `a` of all its rows.
      if (isB) standsFor ??= row.a;
      alike.offer(row, 1);
    }
  }
  const isNamed = own.total + alike.total > 0;
  if (standsFor === null) return { alike: some(alike), resembling: some(own), standsFor, dropPair, isNamed };
  const others = new BestRows<PairRow>(top);
  for await (const row of rows('pairs')) {
    if (row.kind !== 'near' || (row.a !== standsFor && row.b !== standsFor)) continue;
    others.offer(row, measured(row, measure));
    if (drop !== null && (row.a === drop.kept || row.b === drop.kept)) dropPair ??= row;
  }
  const resembling = own.total > 0 ? own : others;
  return { alike: some(alike), resembling: some(resembling), standsFor, dropPair, isNamed };
}

export async function documentView(rows: ResultRows, question: DocumentQuestion): Promise<TableView> {
  const who = await found(rows, question);
  const { id, place, drop, droppedForIt, skipped } = who;
  const { isNamed, ...pairs } = await pairsOf(rows, who, question);
  const rejected = new BestRows<CandidateRow>(question.top);
  let isCandidate = false;
  const compared = pairs.standsFor ?? id;
  for await (const row of rows('candidates')) {
    if (row.a !== compared && row.b !== compared) continue;
    isCandidate = true;
    if (!row.accepted) rejected.offer(row, row.jaccard ?? row.agreement ?? 0);
  }
  const cluster = await clusterOf(rows, id);
  const isListed = isNamed || isCandidate || cluster !== null || droppedForIt.total > 0;
  const isSkipped = skipped.some(({ kind = 'skipped' }) => kind === 'skipped' || kind === 'left out');
  const kept = isListed ? 'kept' : isSkipped ? 'skipped' : skipped.length > 0 ? 'kept' : 'unlisted';
  return {
    id,
    place: place ?? cluster?.row.place ?? drop?.place ?? null,
    state: drop !== null ? 'dropped' : kept,
    drop,
    skipped,
    cluster,
    ...pairs,
    rejected: some(rejected),
    droppedForIt,
  };
}
