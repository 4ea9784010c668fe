/**
 * Reduce the near pairs of clusters, one cluster after the other, to the drop list, by the rule of `dropList` in the order of
 * survivors; pairs and members stream by. A class is named by its member that comes first in this order.
 *
 * Held are the dropped first members of the cluster's classes, and the neighbours of one of them: about 50 bytes a document, and
 * up to 100 while tables grow.
 */
import { grown } from '../../src/arrays/growable.js';
import { FingerprintTable } from '../../src/arrays/hashTable.js';
import { MinHashError } from '../../src/errors.js';
import { isBetterOffer } from '../dropList.js';

/**
 * Called with each dropped document and its kept one. `isOfClass`: the kept one is the first member of the same class
 * (resemblance 1).
 */
type DropSink = (document: number, kept: number, jaccard: number, isOfClass: boolean) => void;

/** Most dropped classes of a cluster in one task: 5 GB. */
const MOST_CLASSES = 50_000_000;
/** The bit of the run's threshold; the bits above it are those of higher thresholds. */
const OWN = 1;
const HIGH = 2 ** 32;

/**
 * The caller passes a cluster by `pair` and `member`, in the order of later documents, and pairs of one later document in the
 * order of earlier ones; `end` ends the cluster. Protected documents come before all others.
 */
export class OrderedDrops {
  /** How many documents the run drops. */
  dropped = 0;
  /** How many documents would be dropped at each of the higher thresholds. */
  readonly droppedAt: Float64Array;
  private readonly higher: readonly number[];
  private readonly drop: DropSink;
  private readonly most: number;
  /** First members that are dropped at some threshold; all others are kept at every threshold. */
  private readonly table = new FingerprintTable();
  /** By place in the table, one bit a threshold: the document is dropped at it. */
  private flags = new Uint32Array(16);
  /** By place in the table: the kept document that the class resembles most so far, and their resemblance. */
  private best = new Float64Array(16);
  private bestOf = new Float64Array(16);
  /** The first member whose pairs come now, and the kept document that it resembles most; -1: none. */
  private current = -1;
  private currentFlags = 0;
  private isProtected = false;
  private kept = -1;
  private keptOf = 0;
  /** Places of its earlier neighbours, as long as all of them are dropped: if it is kept, it is offered to their classes. */
  private neighbours = new Uint32Array(16);
  private neighboursOf = new Float64Array(16);
  private count = 0;

  /** @param higher thresholds above that of the run, descending, 31 at most */
  constructor(higher: readonly number[], drop: DropSink, most: number = MOST_CLASSES) {
    this.higher = higher;
    this.drop = drop;
    this.most = most;
    this.droppedAt = new Float64Array(higher.length);
  }

  /** A near pair of two first members. @throws MinHashError TASK_MEMORY */
  pair(later: number, earlier: number, jaccard: number, isProtected = false): void {
    if (later !== this.current) {
      this.decide();
      this.current = later;
      this.isProtected = isProtected;
    }
    const place = this.table.numberOf(earlier >>> 0, Math.floor(earlier / HIGH));
    const flags = place < 0 ? 0 : this.flags[place]!;
    this.currentFlags |= this.reached(jaccard) & ~flags;
    if ((flags & OWN) === 0) {
      // Earlier documents ascend.
      if (this.kept < 0 || isBetterOffer(jaccard, this.keptOf, false)) {
        this.kept = earlier;
        this.keptOf = jaccard;
      }
    } else if (this.kept < 0) this.remember(place, jaccard);
  }

  /** A document of the class of `first`, its first member. @throws MinHashError TASK_MEMORY */
  member(document: number, first: number, isProtected = false): void {
    this.decide();
    if (isProtected) return;
    this.dropped++;
    for (let i = 0; i < this.droppedAt.length; i++) this.droppedAt[i]!++;
    const place = this.table.numberOf(first >>> 0, Math.floor(first / HIGH));
    // Of two kept documents with resemblance 1, the one that comes first is named.
    const isFirstKept = place < 0 || ((this.flags[place]! & OWN) === 0 && this.bestOf[place] !== 1);
    if (isFirstKept) this.drop(document, first, 1, true);
    else this.drop(document, this.best[place]!, this.bestOf[place]!, false);
  }

  /** Ends the cluster. @throws MinHashError TASK_MEMORY */
  end(): void {
    this.decide();
    this.table.clear();
  }

  /** A bit for each threshold that a resemblance reaches; an accepted pair always reaches that of the run. */
  private reached(jaccard: number): number {
    let flags = OWN;
    for (let i = this.higher.length - 1; i >= 0 && jaccard >= this.higher[i]!; i--) flags |= 2 << i;
    return flags;
  }

  private remember(place: number, jaccard: number): void {
    if (this.count === this.neighbours.length) {
      this.neighbours = grown(this.neighbours);
      this.neighboursOf = grown(this.neighboursOf);
    }
    this.neighbours[this.count] = place;
    this.neighboursOf[this.count++] = jaccard;
  }

  /** Decides the current document, once all its pairs with earlier ones have come. */
  private decide(): void {
    const { current, kept, keptOf } = this;
    if (current < 0) return;
    const flags = this.isProtected ? 0 : this.currentFlags;
    if (this.isProtected && keptOf === 1) this.add(current, 0, kept, 1);
    if (flags !== 0) this.add(current, flags, kept, keptOf);
    for (let i = 0; i < this.higher.length; i++) if ((flags & (2 << i)) !== 0) this.droppedAt[i]!++;
    if ((flags & OWN) !== 0) {
      this.dropped++;
      this.drop(current, kept, keptOf, false);
    } else this.offer(current);
    this.current = this.kept = -1;
    this.keptOf = this.currentFlags = this.count = 0;
  }

  /**
   * Offers a kept document to its neighbours' classes, whose later members may name it. Earlier offers of equal resemblance stay.
   */
  private offer(document: number): void {
    for (let i = 0; i < this.count; i++) {
      const place = this.neighbours[i]!;
      if (!isBetterOffer(this.neighboursOf[i]!, this.bestOf[place]!, false)) continue;
      this.best[place] = document;
      this.bestOf[place] = this.neighboursOf[i]!;
    }
  }

  private add(document: number, flags: number, kept: number, jaccard: number): void {
    const place = this.table.add(document >>> 0, Math.floor(document / HIGH));
    if (this.table.size > this.most) {
      const detail = `a cluster has more than ${this.most} documents to drop, which is too many for one task`;
      throw new MinHashError({ code: 'TASK_MEMORY', detail });
    }
    if (place === this.flags.length) {
      this.flags = grown(this.flags);
      this.best = grown(this.best);
      this.bestOf = grown(this.bestOf);
    }
    this.flags[place] = flags;
    this.best[place] = kept;
    this.bestOf[place] = jaccard;
  }
}
