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
import type { NamedDocument } from './naming.js';
import { type ClusterSize, clusterSizes, type ResultRows } from './questions.js';
import type { DocumentStanding } from './standing.js';

/** Some rows, and the total number of rows. */
export interface SomeRows<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** The rows of a result for one document, with its standing. */
export interface DocumentView extends Omit<TableView, 'place'>, DocumentStanding {
  /** Its location: a path, or `path#record`; null if it is unknown: no row of the result and no input has it. */
  readonly place: string | null;
  /** The original text of a paragraph or line; absent for whole documents, and if the inputs do not have it. */
  readonly passage?: string;
}

/** The part of the answer that comes from the tables of the result. */
export interface TableView {
  readonly id: string;
  /** Its location: a path, or `path#record`. */
  readonly place: string;
  /** `unlisted`: it is in no row of the result. */
  readonly state: 'kept' | 'dropped' | 'skipped' | 'unlisted';
  /** Its row of the drop list; `dropPair`: the pair of this document and the kept one. */
  readonly drop: DropRow | null;
  readonly dropPair: PairRow | null;
  /** Its rows of skipped.tsv: why it was not compared, or how its text was repaired first. */
  readonly skipped: readonly SkippedRow[];
  readonly cluster: (ClusterSize & { readonly row: ClusterRow }) | null;
  /**
   * The id of the first document with the same tokens, which is compared instead; null: the document itself is
   * compared.
   */
  readonly standsFor: string | null;
  /** The location of that document. */
  readonly standsForPlace: string | null;
  /** Its pairs with documents of the same tokens. */
  readonly alike: SomeRows<PairRow>;
  /** Near pairs of the document, or of the first one with the same tokens, the most similar first. */
  readonly resembling: SomeRows<PairRow>;
  /** Candidate pairs that were not accepted, the most similar first. */
  readonly rejected: SomeRows<CandidateRow>;
  /** Documents that can be dropped because this one is kept, the most similar first. */
  readonly droppedForIt: SomeRows<DropRow>;
}

/** The document to look up, and the length of each list in the answer. */
interface DocumentQuestion extends NamedDocument {
  readonly measure: Measure;
  readonly top: number;
}

type DropsOfDocument = Pick<TableView, 'drop' | 'droppedForIt' | 'skipped'>;

async function dropsOf(rows: ResultRows, { place, top }: DocumentQuestion): Promise<DropsOfDocument> {
  let drop: DropRow | null = null;
  const droppedForIt = new BestRows<DropRow>(top);
  for await (const row of rows('duplicates')) {
    if (row.place === place) drop = row;
    if (row.keptPlace === place) droppedForIt.offer(row, row.jaccard ?? row.containment ?? 0);
  }
  const skipped: SkippedRow[] = [];
  for await (const row of rows('skipped')) if (row.document === place) skipped.push(row);
  return { drop, droppedForIt: bestOf(droppedForIt), skipped };
}

async function clusterOf(rows: ResultRows, place: string): Promise<TableView['cluster']> {
  let own: ClusterRow | null = null;
  async function* watched(): AsyncGenerator<ClusterRow> {
    for await (const row of rows('clusters')) {
      if (row.place === place) own = row;
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

interface PairsOfDocument
  extends Pick<TableView, 'alike' | 'resembling' | 'standsFor' | 'standsForPlace' | 'dropPair'> {
  /** Whether the document is in some pair. */
  readonly isNamed: boolean;
}

const bestOf = <Row>(best: BestRows<Row>): SomeRows<Row> => ({ total: best.total, rows: best.rows() });

async function pairsOf(
  rows: ResultRows,
  { drop }: DropsOfDocument,
  { place, measure, top }: DocumentQuestion,
): Promise<PairsOfDocument> {
  const alike = new BestRows<PairRow>(top);
  let [standsFor, standsForPlace]: [string | null, string | null] = [null, null];
  let dropPair: PairRow | null = null;
  const own = new BestRows<PairRow>(top);
  for await (const row of rows('pairs')) {
    const [isA, isB] = [row.aLocation === place, row.bLocation === place];
    if (!isA && !isB) continue;
    if (drop !== null && (isA ? row.bLocation : row.aLocation) === drop.keptPlace) dropPair = row;
    if (row.kind === 'near') own.offer(row, measured(row, measure));
    else {
      // The first document of a duplicate group is the `a` of all its rows.
      if (isB && standsFor === null) [standsFor, standsForPlace] = [row.a, row.aLocation];
      alike.offer(row, 1);
    }
  }
  const isNamed = own.total + alike.total > 0;
  const ofGroup = { alike: bestOf(alike), standsFor, standsForPlace, isNamed };
  if (standsForPlace === null) return { ...ofGroup, resembling: bestOf(own), dropPair };
  const others = new BestRows<PairRow>(top);
  for await (const row of rows('pairs')) {
    const { kind, aLocation, bLocation } = row;
    if (kind !== 'near' || (aLocation !== standsForPlace && bLocation !== standsForPlace)) continue;
    others.offer(row, measured(row, measure));
    if (drop !== null && (aLocation === drop.keptPlace || bLocation === drop.keptPlace)) dropPair ??= row;
  }
  return { ...ofGroup, resembling: bestOf(own.total > 0 ? own : others), dropPair };
}

/** The rows of the document at a location. */
export async function documentView(rows: ResultRows, question: DocumentQuestion): Promise<TableView> {
  const { id, place, top } = question;
  const drops = await dropsOf(rows, question);
  const { drop, droppedForIt, skipped } = drops;
  const { isNamed, ...pairs } = await pairsOf(rows, drops, question);
  const rejected = new BestRows<CandidateRow>(top);
  let isCandidate = false;
  const compared = pairs.standsForPlace ?? place;
  for await (const row of rows('candidates')) {
    if (row.aLocation !== compared && row.bLocation !== compared) continue;
    isCandidate = true;
    if (!row.accepted) rejected.offer(row, row.jaccard ?? row.agreement ?? 0);
  }
  const cluster = await clusterOf(rows, place);
  const isListed = isNamed || isCandidate || cluster !== null || droppedForIt.total > 0;
  const isSkipped = skipped.some(({ kind = 'skipped' }) => kind === 'skipped' || kind === 'left out');
  const kept = isListed ? 'kept' : isSkipped ? 'skipped' : skipped.length > 0 ? 'kept' : 'unlisted';
  return {
    ...{ id, place, drop, skipped, cluster, droppedForIt },
    state: drop !== null ? 'dropped' : kept,
    ...pairs,
    rejected: bestOf(rejected),
  };
}
