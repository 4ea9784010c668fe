/**
 * The lists of `mr-minhash inspect`: the counts of a result with its most similar pairs, clusters by size, the documents of one
 * cluster, and the candidate pairs nearest to a threshold, which help to choose it.
 */

import { MinHashError } from '../../../src/errors.js';
import type {
  AroundView,
  ClusterMember,
  ClusterPage,
  ClusterView,
  NearPair,
  OpenedResult,
  PairRow,
  RowPage,
} from '../../../src/index.js';
import { factText } from '../../../src/result/factText.js';
import { counted, grouped } from '../../../src/result/wording/amounts.js';
import { tableLines } from '../width.js';
import { documentText, fraction, pairText, type Shown, showAnswer } from './shown.js';

/** The word for one compared thing. */
export function thingOf({ ofSets, unit }: OpenedResult): string {
  return ofSets ? 'set' : unit;
}

/** Prints the counts and the most similar near pairs. */
export async function showResult(reader: OpenedResult, most: number, shown: Shown): Promise<void> {
  const top = most === 0 ? [] : await reader.topPairs(most);
  const { counts, estimated, byContainment } = reader;
  const lines = (): string[] => [
    ...countLines(reader),
    ...(most === 0 ? [] : ['', ...topLines(top, reader)]),
  ];
  showAnswer({ counts, estimated, byContainment, top }, lines, shown);
}

/** The facts of a result. */
function countLines(reader: OpenedResult): string[] {
  return factText(reader, { things: `${thingOf(reader)}s`, byContainment: reader.byContainment });
}

function topLines(rows: readonly PairRow[], reader: OpenedResult): string[] {
  const { byContainment, estimated } = reader;
  if (rows.length === 0) return ['no near pairs'];
  const pairs = counted(rows.length, 'near pair');
  const ids = (row: PairRow): string => pairText(reader, row);
  if (byContainment)
    return [
      `${pairs}, by how much of one is in the other:`,
      'a in b    b in a    a  b',
      ...rows.map((row) => `${fraction(row.containmentAInB)}  ${fraction(row.containmentBInA)}  ${ids(row)}`),
    ];
  return [
    `${pairs}, the most similar first:`,
    `${estimated ? 'estimate' : 'jaccard '}  a  b`,
    ...rows.map((row) => `${fraction(row.jaccard)}  ${ids(row)}`),
  ];
}

/** `1 to 10 of 1,234`. */
function rangeText({ skip }: RowPage, shown: number, total: number): string {
  return `${grouped(skip + 1)} to ${grouped(skip + shown)} of ${grouped(total)}`;
}

/** The line with the option that lists the next rows; none at the end. */
function nextPageLine(page: RowPage, total: number): string[] {
  if (page.top === 0 || page.skip + page.top >= total) return [];
  return ['', `the next ones: --page ${page.skip / page.top + 2}`];
}

/** Prints clusters, the largest first. */
export async function showClusters(reader: OpenedResult, page: RowPage, shown: Shown): Promise<void> {
  const clusters = await reader.largestClusters(page);
  showAnswer(clusters, () => clusterLines(clusters, page, reader), shown);
}

function clusterLines({ total, rows }: ClusterPage, page: RowPage, reader: OpenedResult): string[] {
  if (rows.length === 0)
    return [total === 0 ? 'no clusters' : `${counted(total, 'cluster')}, none on this page`];
  const cells = rows.map(({ cluster, size, representative, representativePlace, leastSimilarity }) => [
    grouped(cluster),
    grouped(size),
    fraction(leastSimilarity),
    documentText(reader, representative, representativePlace),
  ]);
  return [
    `clusters ${rangeText(page, rows.length, total)}, the largest first:`,
    ...tableLines([['cluster', `${thingOf(reader)}s`, 'least similarity', 'representative'], ...cells]),
    ...nextPageLine(page, total),
  ];
}

/** Prints one cluster. @throws MinHashError OPTION_INVALID if there is no cluster of that number */
export async function showCluster(
  reader: OpenedResult,
  number: number,
  page: RowPage,
  shown: Shown,
): Promise<void> {
  const cluster = await reader.cluster(number, page);
  if (cluster === null) {
    const clusters = reader.counts.clusters as number;
    const expected = clusters === 0 ? 'the result has no clusters' : `expected 1 to ${grouped(clusters)}`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail: `--cluster ${number}: ${expected}` });
  }
  showAnswer(cluster, () => memberLines(cluster, page, reader), shown);
}

/** Whether a document is kept or dropped; for a dropped one also the kept document that replaces it. */
function fateText({ drop }: ClusterMember, reader: OpenedResult): string {
  return drop === null ? 'kept' : `dropped for ${documentText(reader, drop.kept, drop.keptPlace)}`;
}

function memberLines(
  { cluster, size, dropped, representative, representativePlace, members }: ClusterView,
  page: RowPage,
  reader: OpenedResult,
): string[] {
  const thing = thingOf(reader);
  const kept = size - dropped;
  const head =
    `cluster ${grouped(cluster)}: ${counted(size, thing)}, of which ${grouped(kept)} ${kept === 1 ? 'is' : 'are'} kept; ` +
    `similarities are to the representative, ${documentText(reader, representative, representativePlace)}`;
  if (members.length === 0) return [head];
  const cells = members.map((member) => [
    member.role,
    fraction(member.similarity).trimEnd(),
    member.basis,
    `${documentText(reader, member.document, member.place)}  ${fateText(member, reader)}`,
  ]);
  return [
    head,
    ...(members.length < size ? [`${thing}s ${rangeText(page, members.length, size)}:`] : []),
    ...tableLines([['role', 'similarity', 'basis', thing], ...cells]),
    ...nextPageLine(page, size),
  ];
}

/** Prints the pairs just above a threshold, then those just below it. */
export async function showAround(
  reader: OpenedResult,
  threshold: number,
  top: number,
  shown: Shown,
): Promise<void> {
  const pairs = await reader.around(threshold, top);
  showAnswer({ ...pairs, runThreshold: reader.threshold }, () => aroundLines(pairs, reader), shown);
}

function aroundLines({ threshold, above, below }: AroundView, reader: OpenedResult): string[] {
  const { byContainment, verified, counts } = reader;
  if (above.length + below.length === 0)
    return [counts.candidate_pairs === 0 ? 'no candidate pairs' : 'no candidate pairs are listed'];
  const lineOf = (pair: NearPair): string => {
    const outcome = pair.accepted ? 'accepted' : verified ? 'rejected' : 'open    ';
    const basis = pair.exact ? 'exact   ' : 'estimate';
    return `${pair.value.toFixed(6)}    ${outcome}  ${basis}  ${pairText(reader, pair)}`;
  };
  return [
    `${(byContainment ? 'containment' : 'similarity').padEnd(10)}  outcome   basis     a  b`,
    ...[...above].reverse().map(lineOf),
    `-------- ${threshold}: ${counted(above.length, 'pair')} at or above it, ${counted(below.length, 'pair')} below it`,
    ...below.map(lineOf),
    ...(verified ? [] : ['open: the run verified no candidate, so none is accepted or rejected']),
    ...(byContainment
      ? ['rejected candidates have no containment in the result, so only accepted pairs are listed']
      : []),
  ];
}
