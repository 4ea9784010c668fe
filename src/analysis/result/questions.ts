/**
 * Answers questions about a finished result: one pair, one cluster, the largest clusters, the pairs near a threshold.
 * Rows are streamed; memory depends on the answer only.
 */

import { bytesOf } from '../../readers/list/pathIds.js';
import {
  type CandidateRow,
  type ClusterRow,
  type DropRow,
  measured,
  type PairedDocuments,
  type PairRow,
  type TableRows,
} from '../../result/readResult.js';
import type { Measure } from '../../sketch/params.js';
import { utf8SequenceLength } from '../../text/unicode/utf8.js';
import { BestRows } from './bestRows.js';

/** The rows of a table of a result, with ids in one form; each call begins with the first row. */
export type ResultRows = <Name extends keyof TableRows>(table: Name) => AsyncIterable<TableRows[Name]>;

/** U+FFFD in UTF-8, as a binary string: terminals and exports show it in place of bytes that are not UTF-8. */
const REPLACED = '\xef\xbf\xbd';

/** Replaces runs of bytes that are not UTF-8, and of U+FFFD, by one mark each. */
function withoutInvalid(binary: string): string {
  const bytes = bytesOf(binary);
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = bytes[at]! < 0x80 ? 1 : utf8SequenceLength(bytes, at, bytes.length);
    const piece = length === 0 ? REPLACED : binary.slice(at, at + length);
    if (piece !== REPLACED || !text.endsWith(REPLACED)) text += piece;
    at += Math.max(1, length);
  }
  return text;
}

/** A test for equality with an id; U+FFFD in `id` also matches bytes that are not UTF-8. */
export function matcherOf(id: string): (id: string) => boolean {
  if (!id.includes(REPLACED)) return (other) => other === id;
  const plain = withoutInvalid(id);
  return (other) => other === id || withoutInvalid(other) === plain;
}

/** The rows of a pair in a result; null for a missing row. */
interface PairFindings {
  readonly pair: PairRow | null;
  readonly candidate: CandidateRow | null;
}

/**
 * The rows of the pair of two locations (binary strings), in either order. Rows are read until it is found. Two
 * documents of one duplicate group have a row only if one of them is the first of the group.
 */
export async function findPair(rows: ResultRows, x: string, y: string): Promise<PairFindings> {
  const ofPair = async <Row extends PairRow | CandidateRow>(all: AsyncIterable<Row>): Promise<Row | null> => {
    for await (const row of all) {
      const { aLocation: a, bLocation: b } = row;
      if ((a === x && b === y) || (b === x && a === y)) return row;
    }
    return null;
  };
  return { pair: await ofPair(rows('pairs')), candidate: await ofPair(rows('candidates')) };
}

/**
 * The rows of the cluster of the document at a location (a binary string); empty if it is in no cluster of two or more.
 */
export async function findCluster(rows: ResultRows, place: string): Promise<ClusterRow[]> {
  let own: ClusterRow[] = [];
  let isOwn = false;
  for await (const row of rows('clusters')) {
    if (own.length > 0 && own[0]!.cluster !== row.cluster) {
      if (isOwn) return own;
      own = [];
    }
    own.push(row);
    isOwn ||= row.place === place;
  }
  return isOwn ? own : [];
}

/** A page of a list: `top` rows (0 or more) after the first `skip`. */
export interface RowPage {
  readonly top: number;
  readonly skip: number;
}

/** A cluster of two or more documents. */
export interface ClusterSize {
  /** The number of the cluster, from 1, as in the result files. */
  readonly cluster: number;
  /** Number of documents. */
  readonly size: number;
  readonly representative: string;
  /** Its location. */
  readonly representativePlace: string;
  /** The least similarity of a member to the representative, 0..1; null if no similarity is known. */
  readonly leastSimilarity: number | null;
}

/** Some clusters, the largest first (ties by number), and the total number of clusters. */
export interface ClusterPage {
  readonly total: number;
  readonly rows: readonly ClusterSize[];
}

/** The clusters in order, with their sizes. */
export async function* clusterSizes(rows: AsyncIterable<ClusterRow>): AsyncGenerator<ClusterSize> {
  let current: { -readonly [Key in keyof ClusterSize]: ClusterSize[Key] } | undefined;
  for await (const { cluster, document, place, role, similarity } of rows) {
    if (current?.cluster !== cluster) {
      if (current !== undefined) yield current;
      current = {
        ...{ cluster, size: 0, leastSimilarity: null },
        ...{ representative: document, representativePlace: place },
      };
    }
    current.size++;
    if (role === 'representative') {
      current.representative = document;
      current.representativePlace = place;
    } else if (similarity !== null) {
      current.leastSimilarity = Math.min(current.leastSimilarity ?? 1, similarity);
    }
  }
  if (current !== undefined) yield current;
}

/** The clusters by size, the largest first. Holds at most twice `skip + top` clusters. */
export async function largestClusters(rows: ResultRows, { top, skip }: RowPage): Promise<ClusterPage> {
  const best = new BestRows<ClusterSize>(skip + top);
  for await (const cluster of clusterSizes(rows('clusters'))) best.offer(cluster, cluster.size);
  return { total: best.total, rows: best.rows().slice(skip) };
}

/** A document of a cluster, with its row of the drop list. */
export interface ClusterMember extends ClusterRow {
  /** The row of the drop list; null: the document is kept. */
  readonly drop: DropRow | null;
}

/** One cluster with some of its documents, in the order of the file (by id). */
export interface ClusterView extends ClusterSize {
  /** Number of its documents that are on the drop list. */
  readonly dropped: number;
  readonly members: readonly ClusterMember[];
}

/**
 * One cluster by its number; null if the result has no such cluster. Holds an entry for each document of the cluster.
 */
export async function clusterView(
  rows: ResultRows,
  cluster: number,
  page: RowPage,
): Promise<ClusterView | null> {
  const members: ClusterRow[] = [];
  const places = new Set<string>();
  async function* ofCluster(): AsyncGenerator<ClusterRow> {
    for await (const row of rows('clusters')) {
      // Clusters are in the order of their numbers.
      if (row.cluster > cluster) return;
      if (row.cluster !== cluster) continue;
      if (places.size >= page.skip && members.length < page.top) members.push(row);
      places.add(row.place);
      yield row;
    }
  }
  let size: ClusterSize | null = null;
  for await (const own of clusterSizes(ofCluster())) size = own;
  if (size === null) return null;
  const shown = new Set(members.map(({ place }) => place));
  const drops = new Map<string, DropRow>();
  let dropped = 0;
  for await (const row of rows('duplicates')) {
    if (!places.has(row.place)) continue;
    dropped++;
    if (shown.has(row.place)) drops.set(row.place, row);
  }
  return {
    ...size,
    dropped,
    members: members.map((row) => ({ ...row, drop: drops.get(row.place) ?? null })),
  };
}

/** A candidate pair near a threshold. */
export interface NearPair extends PairedDocuments {
  /** The value that is compared with the threshold, 0..1. */
  readonly value: number;
  /** Whether the value is exact; otherwise it is an estimate from sketches. */
  readonly exact: boolean;
  readonly accepted: boolean;
}

/** The candidate pairs nearest to a threshold, on each side the nearest first; ties in row order. */
export interface AroundView {
  readonly threshold: number;
  readonly above: readonly NearPair[];
  readonly below: readonly NearPair[];
}

/**
 * Candidate pairs with the value that is compared with the threshold: the exact similarity if it was computed,
 * otherwise the estimate. With containment only accepted pairs, because others have no value.
 */
export async function* decidedPairs(rows: ResultRows, measure: Measure): AsyncGenerator<NearPair> {
  if (measure === 'containment') {
    for await (const row of rows('pairs')) {
      if (row.kind !== 'near') continue;
      yield { ...pairedIn(row), value: measured(row, measure), exact: true, accepted: true };
    }
    return;
  }
  for await (const row of rows('candidates')) {
    const { jaccard, agreement, accepted } = row;
    const value = jaccard ?? agreement;
    if (value !== null) yield { ...pairedIn(row), value, exact: jaccard !== null, accepted };
  }
}

/** The documents of a row. */
export const pairedIn = ({ a, b, aLocation, bLocation }: PairedDocuments): PairedDocuments => ({
  ...{ a, b, aLocation, bLocation },
});

/** The pairs nearest to a threshold, at most `count` on each side. */
export async function pairsAround(
  rows: ResultRows,
  measure: Measure,
  threshold: number,
  count: number,
): Promise<AroundView> {
  const above = new BestRows<NearPair>(count);
  const below = new BestRows<NearPair>(count);
  for await (const pair of decidedPairs(rows, measure)) {
    if (pair.value >= threshold) above.offer(pair, -pair.value);
    else below.offer(pair, pair.value);
  }
  return { threshold, above: above.rows(), below: below.rows() };
}
