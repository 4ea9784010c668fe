/** Gathers the facts of a result for its pages: one pass over each table, in bounded memory. */

import { BestRows } from '../analysis/result/bestRows.js';
import {
  type ClusterSize,
  clusterSizes,
  decidedPairs,
  type NearPair,
  pairedIn,
  type ResultRows,
} from '../analysis/result/questions.js';
import { idOfBinary } from '../readers/list/pathIds.js';
import type { Manifest } from '../result/manifest.js';
import { measured, type PairedDocuments, type PairRow } from '../result/readResult.js';

/** Numbers of candidate pairs whose value is in the bin that begins at `from`. */
export interface SimilarityBin {
  readonly from: number;
  accepted: number;
  rejected: number;
  /** Pairs that were not compared exactly: their value is an estimate. */
  estimated: number;
}

/** Numbers of clusters of `from` to `to` documents, and of their documents. */
export interface SizeBin {
  readonly from: number;
  readonly to: number;
  clusters: number;
  documents: number;
}

/** A pair that is shown with its texts; ids are binary strings. */
export type ShownPair = NearPair & { readonly group: 'alike' | 'above' | 'below' };

/** The number of accepted near pairs at or above one of the thresholds at which the run counted drops. */
export interface PairsFrom {
  readonly threshold: number;
  readonly pairs: number;
}

/** All facts of a result for its pages. */
export interface PageFacts {
  readonly manifest: Manifest;
  readonly bins: readonly SimilarityBin[];
  readonly sizes: readonly SizeBin[];
  readonly largest: readonly ClusterSize[];
  readonly pairs: readonly ShownPair[];
  readonly pairsFrom: readonly PairsFrom[];
}

const BINS = 50;
/** The number of pairs with texts: the most similar, and on each side of the threshold; and the number of clusters listed. */
const MOST_ALIKE = 8;
const EACH_SIDE = 5;
const LARGEST = 10;
/** Bounds of the bins of sizes: 2, 3, 4, 5 to 8, 9 to 16 and so on. */
function sizeBins(): SizeBin[] {
  const bins: SizeBin[] = [2, 3, 4].map((size) => ({ from: size, to: size, clusters: 0, documents: 0 }));
  for (let from = 5, to = 8; from < 2 ** 32; from = to + 1, to *= 2)
    bins.push({ from, to, clusters: 0, documents: 0 });
  return bins;
}

/** The bin of a value; values are rounded to six decimals, so the bounds of bins have a tolerance. */
function binOf(value: number): number {
  return Math.min(BINS - 1, Math.max(0, Math.floor(value * BINS + 1e-7)));
}

interface PairFacts {
  readonly bins: SimilarityBin[];
  readonly above: BestRows<NearPair>;
  readonly below: BestRows<NearPair>;
}

async function pairFacts(rows: ResultRows, { parameters }: Manifest): Promise<PairFacts> {
  const { measure, threshold, verify } = parameters;
  const bins = Array.from({ length: BINS }, (_, i) => ({
    from: i / BINS,
    accepted: 0,
    rejected: 0,
    estimated: 0,
  }));
  const above = new BestRows<NearPair>(EACH_SIDE);
  const below = new BestRows<NearPair>(EACH_SIDE);
  for await (const pair of decidedPairs(rows, measure)) {
    const bin = bins[binOf(pair.value)]!;
    if (pair.accepted) bin.accepted++;
    else if (pair.exact || verify === 'signature') bin.rejected++;
    else bin.estimated++;
    if (pair.value >= threshold) above.offer(pair, -pair.value);
    else below.offer(pair, pair.value);
  }
  return { bins, above, below };
}

async function alikeFacts(
  rows: ResultRows,
  { parameters, numbers }: Manifest,
): Promise<{ readonly alike: BestRows<PairRow>; readonly pairsFrom: PairsFrom[] }> {
  const { measure } = parameters;
  const alike = new BestRows<PairRow>(MOST_ALIKE);
  const counts = numbers.thresholds.map(({ threshold }) => ({ threshold, pairs: 0 }));
  for await (const row of rows('pairs')) {
    if (row.kind !== 'near') continue;
    const value = measured(row, measure);
    alike.offer(row, value);
    for (const entry of counts) if (value >= entry.threshold) entry.pairs++;
  }
  return { alike, pairsFrom: counts };
}

async function clusterFacts(rows: ResultRows): Promise<Pick<PageFacts, 'sizes' | 'largest'>> {
  const bins = sizeBins();
  const largest = new BestRows<ClusterSize>(LARGEST);
  for await (const cluster of clusterSizes(rows('clusters'))) {
    largest.offer(cluster, cluster.size);
    const bin = bins.find(({ to }) => cluster.size <= to)!;
    bin.clusters++;
    bin.documents += cluster.size;
  }
  // Empty bins between others are part of the picture; empty bins at its ends are not.
  const first = bins.findIndex(({ clusters }) => clusters > 0);
  const last = bins.findLastIndex(({ clusters }) => clusters > 0);
  return {
    sizes: bins.slice(Math.max(0, first), last + 1),
    largest: largest.rows().map((row) => ({ ...row, representative: idOfBinary(row.representative) })),
  };
}

/** The pairs to show, each once: the most similar, then those around the threshold. */
function shownPairs(alike: readonly PairRow[], facts: PairFacts, manifest: Manifest): ShownPair[] {
  const { measure, verify } = manifest.parameters;
  const names = new Set<string>();
  const isNew = ({ aLocation: a, bLocation: b }: PairedDocuments): boolean => {
    const name = `${a.length} ${a} ${b}`;
    if (names.has(name)) return false;
    names.add(name);
    return true;
  };
  const above = facts.above.rows().map((pair) => ({ ...pair, group: 'above' as const }));
  const below = facts.below.rows().map((pair) => ({ ...pair, group: 'below' as const }));
  const around = [...above, ...below].filter(isNew);
  const most = alike.filter(isNew).map((row): ShownPair => {
    const value = measured(row, measure);
    return { ...pairedIn(row), value, exact: verify === 'exact', accepted: true, group: 'alike' };
  });
  return [...most, ...around];
}

/** Reads a result for its pages. */
export async function pageFacts(rows: ResultRows, manifest: Manifest): Promise<PageFacts> {
  const facts = await pairFacts(rows, manifest);
  const { alike, pairsFrom } = await alikeFacts(rows, manifest);
  return {
    manifest,
    bins: facts.bins,
    ...(await clusterFacts(rows)),
    pairs: shownPairs(alike.rows(), facts, manifest),
    pairsFrom,
  };
}

/** The name of a result: its path as typed, or `a corpus` if that ends in `.` or `..`. */
export function nameOf(folder: string): string {
  const plain = folder.replace(/(.)\/+$/, '$1');
  return /(^|\/)\.{1,2}$/.test(plain) ? 'a corpus' : plain;
}
