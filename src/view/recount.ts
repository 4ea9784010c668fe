/** Counts the pairs, clusters and drops of a result at higher thresholds, from its pairs by the rules of the run. */
import { componentRoots } from '../../reducers/clusterRows.js';
import { dropList } from '../../reducers/drops.js';
import type { Manifest } from '../output/manifest.js';
import { classesOf, type MadeIndex, nearPairsOf, partOf } from '../output/resultIndex.js';

/** The counts at a threshold; null: the count does not follow from the pairs of the result. */
export interface Recount {
  readonly threshold: number;
  /** Number of accepted pairs, including those of equal documents. */
  readonly pairs: number;
  readonly clusters: number | null;
  readonly dropped: number | null;
}

/**
 * Whether the drop list follows from the pairs: the order of survivors is that of places, and every near pair may drop
 * a document.
 */
function followsFromPairs({ parameters }: Manifest): boolean {
  const { keep, groups, measure, sets } = parameters;
  if (measure === 'containment' || groups !== null) return false;
  return sets !== undefined || keep.by === 'first';
}

/** About how many documents are counted together. */
const PIECE = 1 << 15;

/** Thresholds of the slider: the threshold of the run, then hundredths up to 1. */
function sliderSteps(threshold: number): number[] {
  const steps = [threshold];
  for (let step = Math.floor(threshold * 100 + 1e-9) + 1; step <= 100; step++) steps.push(step / 100);
  return steps;
}

/** Series of neighbouring clusters, each series of about PIECE documents, which bounds memory. */
function* pieces({ starts }: Pick<MadeIndex, 'starts'>): Generator<number[]> {
  let clusters: number[] = [];
  let from = 0;
  for (let cluster = 1; cluster < starts.length; cluster++) {
    clusters.push(cluster);
    if (starts.at(cluster)! - from < PIECE) continue;
    yield clusters;
    clusters = [];
    from = starts.at(cluster)!;
  }
  yield clusters;
}

/** The number of components of two documents or more. */
function componentCount(roots: Uint32Array): number {
  const isCounted = new Uint8Array(roots.length);
  let count = 0;
  for (let d = 0; d < roots.length; d++) {
    if (roots[d] === d || isCounted[roots[d]!] === 1) continue;
    isCounted[roots[d]!] = 1;
    count++;
  }
  return count;
}

/** Counts at every threshold of the slider. `onProgress` is called with the share that is done, 0..1. */
export function recounts(
  index: MadeIndex,
  manifest: Manifest,
  onProgress: (share: number) => void = () => undefined,
): Recount[] {
  const { pairs, documents, clustered } = index;
  const { threshold: own, cluster } = manifest.parameters;
  const steps = sliderSteps(own).map((threshold) => ({ threshold, pairs: 0, clusters: 0, dropped: 0 }));
  for (let i = 0; i < pairs.count; i++) {
    // Pairs of equal documents are accepted at every threshold.
    const value = pairs.kind.at(i) === 0 ? pairs.value.at(i)! : 1;
    for (const step of steps) if (value >= step.threshold) step.pairs++;
  }
  // If all documents of the index are in clusters, no pair connects two clusters.
  const areApart = documents === clustered;
  const [areComponents, areRules] = [
    areApart && cluster !== 'greedy',
    areApart && followsFromPairs(manifest),
  ];
  for (const clustersOfPiece of areComponents || areRules ? pieces(index) : []) {
    const { part } = partOf(index, clustersOfPiece);
    const { first, members: groups } = classesOf(part);
    const rules = { groups: { firstOf: first, ...groups }, references: 0, onlyAgainst: false };
    for (const step of steps) {
      const near = nearPairsOf(part, (pair) => part.pairs.value[pair]! >= step.threshold);
      if (areComponents) step.clusters += componentCount(componentRoots(rules, near));
      if (areRules) step.dropped += dropList(rules, near).document.length;
    }
    onProgress((clustersOfPiece.at(-1) ?? 0) / Math.max(1, index.starts.length - 1));
  }
  const { counts, numbers } = manifest;
  return steps.map((step) => {
    if (step.threshold === own) return { ...step, clusters: counts.clusters, dropped: counts.dropped };
    const known = numbers.thresholds.find(({ threshold }) => threshold === step.threshold);
    return {
      ...step,
      clusters: areComponents ? step.clusters : null,
      dropped: known?.dropped ?? (areRules ? step.dropped : null),
    };
  });
}
