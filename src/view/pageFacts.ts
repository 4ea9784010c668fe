/** Gathers the facts of a result for its pages, from its index and one pass over its candidates. */

import { BestRows } from '../analysis/result/bestRows.js';
import {
  type ClusterSize,
  decidedPairs,
  type NearPair,
  pairedIn,
  type ResultRows,
} from '../analysis/result/questions.js';
import { idOfBinary } from '../readers/list/pathIds.js';
import type { Manifest } from '../result/manifest.js';
import type { PairedDocuments } from '../result/readResult.js';
import { idIn, micros, NEAR, pairRow, type ResultIndex } from '../result/resultIndex.js';

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
  /** The largest clusters, the largest first. */
  readonly largest: readonly Omit<ClusterSize, 'representativePlace'>[];
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

/** The numbers of near pairs at or above the thresholds at which the run counted drops. */
function pairsAtThresholds({ manifest, pairs }: ResultIndex): PairsFrom[] {
  return manifest.numbers.thresholds.map(({ threshold }) => {
    const least = micros(threshold);
    let count = 0;
    for (let i = 0; i < pairs.count; i++)
      if (pairs.kind[i] === NEAR && micros(pairs.value[i]!) >= least) count++;
    return { threshold, pairs: count };
  });
}

/** The most similar near pairs. */
function mostAlike(index: ResultIndex): ShownPair[] {
  const exact = index.manifest.parameters.verify === 'exact';
  const most: ShownPair[] = [];
  for (const pair of index.byValue) {
    if (most.length === MOST_ALIKE) break;
    if (index.pairs.kind[pair] !== NEAR) continue;
    const value = index.pairs.value[pair]!;
    most.push({ ...pairedIn(pairRow(index, pair)), value, exact, accepted: true, group: 'alike' });
  }
  return most;
}

function clusterFacts(index: ResultIndex): Pick<PageFacts, 'sizes' | 'largest'> {
  const { starts, least, order } = index;
  const bins = sizeBins();
  const sizeOf = (cluster: number): number => starts[cluster + 1]! - starts[cluster]!;
  for (let cluster = 0; cluster + 1 < starts.length; cluster++) {
    const size = sizeOf(cluster);
    const bin = bins.find(({ to }) => size <= to)!;
    bin.clusters++;
    bin.documents += size;
  }
  // Empty bins between others are part of the picture; empty bins at its ends are not.
  const first = bins.findIndex(({ clusters }) => clusters > 0);
  const last = bins.findLastIndex(({ clusters }) => clusters > 0);
  const largest = Array.from(order.size.subarray(0, LARGEST), (cluster) => ({
    ...{ cluster: cluster + 1, size: sizeOf(cluster), leastSimilarity: least[cluster]! },
    representative: idOfBinary(idIn(index, starts[cluster]!)),
  }));
  return { sizes: bins.slice(Math.max(0, first), last + 1), largest };
}

/** The pairs to show, each once: the most similar, then those around the threshold. */
function shownPairs(index: ResultIndex, { above, below }: PairFacts): ShownPair[] {
  const names = new Set<string>();
  const isNew = ({ aLocation: a, bLocation: b }: PairedDocuments): boolean => {
    const name = [a, b].sort().join('\0');
    const isFirst = !names.has(name);
    names.add(name);
    return isFirst;
  };
  const around = [
    ...above.rows().map((pair) => ({ ...pair, group: 'above' as const })),
    ...below.rows().map((pair) => ({ ...pair, group: 'below' as const })),
  ].filter(isNew);
  return [...mostAlike(index).filter(isNew), ...around];
}

/** The facts of a result for its pages. Candidates are read from `rows`. */
export async function pageFacts(rows: ResultRows, index: ResultIndex): Promise<PageFacts> {
  const { manifest } = index;
  const facts = await pairFacts(rows, manifest);
  return {
    ...{ manifest, bins: facts.bins, pairs: shownPairs(index, facts) },
    ...clusterFacts(index),
    pairsFrom: pairsAtThresholds(index),
  };
}

/** The name of a result: its path as typed, or `a corpus` if that ends in `.` or `..`. */
export function nameOf(folder: string): string {
  const plain = folder.replace(/(.)\/+$/, '$1');
  return /(^|\/)\.{1,2}$/.test(plain) ? 'a corpus' : plain;
}
