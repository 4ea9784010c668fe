/**
 * Greedy clustering of sketches with a representative a cluster (Broder 1997, section 4.4).
 *
 * Floor 0. Documents are taken in order. A document joins the cluster whose representative it resembles most
 * (ties: the earlier cluster) where that is enough, else it starts a new one. Only clusters whose
 * representative shares a fingerprint with it are looked at, through a table, so the work follows the size of
 * all sketches where a fingerprint belongs to few clusters. Eliminate popular ones before
 * (popularFingerprints.ts), or follow a fingerprint to its first N clusters only: then it is at most N times that
 * size, else a fingerprint of all documents makes it quadratic. The result depends on the order of documents; unlike in a
 * connected component every member resembles the representative that it met.
 */
import { ClusterPostings } from './clusterPostings.js';
import { commonAmongFirst } from './sortedFingerprints.js';

/** Sketches of one kind and one modulus, one after the other. */
export interface SketchColumns {
  /** Document d has values number starts[d] to starts[d+1] (exclusive); one entry more than documents. */
  readonly starts: Uint32Array;
  /** Pairs (low, high), sorted and distinct in each document. */
  readonly values: Uint32Array;
}

export interface GreedyParams {
  /** Least estimate for which a document joins, above 0, up to 1. */
  readonly threshold: number;
  /** `containment` of the document in the representative: for MOD_m and L_i only, with `most` Infinity. */
  readonly measure: 'resemblance' | 'containment';
  /** s for MIN_s; Infinity for MOD_m and L_i (at one level). */
  readonly most: number;
  /**
   * `first`: the first member, for ever. A number t >= 1: the t most popular fingerprints of all members,
   * chosen anew whenever the cluster has grown to a power of two members (so choosing costs no more than
   * reading them did, and a large cluster's representative hardly moves between).
   */
  readonly representative: 'first' | number;
  /**
   * A fingerprint leads to so many clusters at most, the first that have it (for `popular` also: it counts in those alone).
   * At least 1; default: to all.
   */
  readonly followed?: number;
}

export interface GreedyClusters {
  /** The cluster of each document: numbers 0, 1, 2 ... in the order of their first members. */
  readonly clusters: Uint32Array;
  /** Number of clusters. */
  readonly count: number;
  /** Documents that started a cluster although one of their fingerprints is in more clusters than were followed. */
  readonly uncompared: number;
}

/** Clusters of documents; one with an empty sketch is alone. RangeError for parameters without meaning. */
export function greedyClusters(columns: SketchColumns, params: GreedyParams): GreedyClusters {
  checkParams(params);
  const documents = columns.starts.length - 1;
  const clusters = new Uint32Array(documents);
  const greedy = new Greedy(columns, params);
  for (let document = 0; document < documents; document++) clusters[document] = greedy.place(document);
  return { clusters, count: greedy.count, uncompared: greedy.uncompared };
}

class Greedy {
  count = 0;
  uncompared = 0;

  private readonly columns: SketchColumns;
  private readonly params: GreedyParams;
  private readonly postings: ClusterPostings;
  /** By cluster: members, and where its representative lies, in values of the columns or of `chosen`. */
  private readonly members: Uint32Array;
  private readonly from: Uint32Array;
  private readonly to: Uint32Array;
  /** Representatives chosen by popularity, one after the other; outdated ones stay. */
  private chosen = new Uint32Array(1024);
  private chosenEnd = 0;
  private readonly shared: Uint32Array;
  private readonly touched: Uint32Array;

  constructor(columns: SketchColumns, params: GreedyParams) {
    const documents = columns.starts.length - 1;
    this.columns = columns;
    this.params = params;
    this.postings = new ClusterPostings(documents, params.followed ?? Number.POSITIVE_INFINITY);
    this.members = new Uint32Array(documents);
    this.from = new Uint32Array(documents);
    this.to = new Uint32Array(documents);
    this.shared = new Uint32Array(documents);
    this.touched = new Uint32Array(documents);
  }

  /** The cluster that the next document in order goes into. */
  place(document: number): number {
    const { representative } = this.params;
    const { starts, values } = this.columns;
    const from = starts[document]!;
    const to = starts[document + 1]!;
    const joined = this.mostAlike(from, to);
    const cluster = joined < 0 ? this.count++ : joined;
    if (joined < 0) {
      if (this.postings.cut > 0) this.uncompared++;
      this.postings.start(cluster, values, from, to);
      this.from[cluster] = from;
      this.to[cluster] = to;
    } else if (representative !== 'first') this.postings.add(cluster, values, from, to);
    const members = ++this.members[cluster]!;
    if (representative !== 'first' && (members & (members - 1)) === 0) {
      this.keepChosen(cluster, this.postings.choose(cluster, representative));
    }
    return cluster;
  }

  /** The cluster whose representative resembles values [from, to) most, and enough; -1 where none does. */
  private mostAlike(from: number, to: number): number {
    const { shared, touched } = this;
    const met = this.postings.countShared(this.columns.values, from, to, shared, touched);
    let best = -1;
    let bestValue = 0;
    for (let i = 0; i < met; i++) {
      const cluster = touched[i]!;
      const value = this.estimate(from, to, cluster, this.common(from, to, cluster, shared[cluster]!));
      shared[cluster] = 0;
      if (value < this.params.threshold || value < bestValue) continue;
      if (value === bestValue && cluster > best) continue;
      best = cluster;
      bestValue = value;
    }
    return best;
  }

  /** What values [from, to) have in common with a representative that they met `met` times; may stop below T. */
  private common(from: number, to: number, cluster: number, met: number): number {
    const { cut } = this.postings;
    // More they cannot have in common than what was not followed adds.
    if (cut === 0 || this.estimate(from, to, cluster, met + cut) < this.params.threshold) return met;
    const { values } = this.columns;
    const [start, end] = [this.from[cluster]!, this.to[cluster]!];
    return commonAmongFirst(values, from, to, this.othersOf(), start, end, Number.POSITIVE_INFINITY);
  }

  /** Where representatives lie. */
  private othersOf(): Uint32Array {
    return this.params.representative === 'first' ? this.columns.values : this.chosen;
  }

  /** Theorem 1 between values [from, to) and a representative that has `common` of them; may stop below T. */
  private estimate(from: number, to: number, cluster: number, common: number): number {
    const { measure, most, threshold } = this.params;
    if (measure === 'containment') return common / (to - from);
    const { values } = this.columns;
    const start = this.from[cluster]!;
    const end = this.to[cluster]!;
    const sizes = to - from + (end - start);
    // What is common among the first s is no more than what is common at all.
    const atMost = common / Math.min(most, sizes - common);
    if (sizes - common <= most || atMost < threshold) return atMost;
    const counted = commonAmongFirst(values, from, to, this.othersOf(), start, end, most);
    return counted / Math.min(most, sizes - counted);
  }

  private keepChosen(cluster: number, values: Uint32Array): void {
    const end = this.chosenEnd + values.length;
    if (end > this.chosen.length) {
      const grown = new Uint32Array(Math.max(end, 2 * this.chosen.length));
      grown.set(this.chosen);
      this.chosen = grown;
    }
    this.chosen.set(values, this.chosenEnd);
    this.from[cluster] = this.chosenEnd / 2;
    this.to[cluster] = end / 2;
    this.chosenEnd = end;
  }
}

function checkParams(params: GreedyParams): void {
  const { threshold, measure, most, representative, followed } = params;
  if (!(threshold > 0 && threshold <= 1)) {
    throw new RangeError(`threshold ${threshold}: expected a number above 0, up to 1`);
  }
  if (!(most >= 1)) throw new RangeError(`sample size ${most}: expected at least 1, or Infinity`);
  if (followed !== undefined && !(followed >= 1)) {
    throw new RangeError(`clusters followed ${followed}: expected at least 1`);
  }
  if (measure === 'containment' && most !== Number.POSITIVE_INFINITY) {
    throw new RangeError('containment of MIN_s sketches: expected MOD_m or L_i, whose size is unbounded');
  }
  if (representative !== 'first' && !(Number.isInteger(representative) && representative >= 1)) {
    throw new RangeError(`representative ${representative}: expected 'first' or a number of fingerprints`);
  }
}
