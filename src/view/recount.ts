/** What a result would be at a higher threshold: pairs, clusters and drops, counted anew from its pairs by the rules of the run. */
import { clusters } from '../../reducers/clusters.js';
import { dropList } from '../../reducers/dropList.js';
import type { IdentityClasses } from '../../reducers/identityClasses.js';
import { atOnce } from '../arrays/stepwise.js';
import type { Manifest } from '../output/manifest.js';
import { classesOf, nearPairsOf, type ResultIndex } from '../output/resultIndex.js';

/** Null: the pairs of a result do not say it. */
export interface Recount {
  readonly threshold: number;
  /** Accepted pairs, those of equal documents too. */
  readonly pairs: number;
  readonly clusters: number | null;
  readonly dropped: number | null;
}

/** The order of survivors is that of places, and every near pair drops one of two: then the drop list follows from the pairs. */
function followsFromPairs({ parameters }: Manifest): boolean {
  // A result of an earlier version lacks the later ones.
  const {
    keep = [],
    prefer = [],
    protect = [],
    groups = null,
    measure,
    sets,
    decisions,
  } = parameters as Partial<typeof parameters>;
  if (measure === 'containment' || groups !== null || decisions !== undefined) return false;
  return sets !== undefined || ((keep[0]?.by ?? 'first') === 'first' && prefer.length + protect.length === 0);
}

/** Counts at thresholds from that of the run on; those that were asked for are remembered. */
export class Recounts {
  readonly #index: ResultIndex;
  readonly #known = new Map<number, Recount>();
  #classes: IdentityClasses | null = null;

  constructor(index: ResultIndex) {
    this.#index = index;
  }

  /** @param threshold no lower than that of the run; the result has no pairs below it */
  at(threshold: number): Recount {
    const known = this.#known.get(threshold);
    if (known !== undefined) return known;
    const made = this.#count(threshold);
    this.#known.set(threshold, made);
    return made;
  }

  #count(threshold: number): Recount {
    const index = this.#index;
    const { manifest, pairs, documents, clustered } = index;
    this.#classes ??= classesOf(index);
    const near = nearPairsOf(index, (pair) => pairs.value[pair]! >= threshold);
    let equal = 0;
    for (let i = 0; i < pairs.count; i++) if (pairs.kind[i] !== 0) equal++;
    const areComponents = manifest.parameters.cluster !== 'greedy' && documents === clustered;
    // Similarities are not asked for here.
    const source = { verified: { ...near, exact: null }, estimate: () => 1, threshold: 0 };
    const isOwn = threshold === manifest.parameters.threshold;
    const told = manifest.numbers?.thresholds.find((step) => step.threshold === threshold);
    return {
      threshold,
      pairs: near.count + equal,
      clusters: isOwn
        ? manifest.counts.clusters
        : areComponents
          ? atOnce(clusters(this.#classes, near, source)).count
          : null,
      dropped: isOwn
        ? manifest.counts.dropped
        : (told?.dropped ??
          (followsFromPairs(manifest) && documents === clustered
            ? atOnce(dropList(this.#classes, near)).document.length
            : null)),
    };
  }
}
