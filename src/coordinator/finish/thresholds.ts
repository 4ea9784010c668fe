/**
 * What the drop list would drop at thresholds above that of the run, by the same rule over the pairs that reach them.
 */

import {
  type ContainedPairs,
  containedDropList,
  type DropList,
  keptDocuments,
  type Precedence,
} from '../../../reducers/dropList.js';
import type { IdentityClasses } from '../../../reducers/identityClasses.js';
import type { NearPairs } from '../../../reducers/verifiedPairs.js';
import type { DropsAtThreshold } from '../../output/manifest.js';
import type { ResultParams } from '../../sketch/params.js';

/** Thresholds are looked at in steps of 1/20. */
const STEPS = 20;

/** What a drop list was made of. */
interface DroppedBy {
  readonly classes: IdentityClasses;
  readonly precedence: Precedence;
  /** Accepted pairs with what they have of the measure. */
  readonly pairs: NearPairs | ContainedPairs;
  readonly drop: DropList;
}

/**
 * The documents that would be dropped at 0.95, 0.9, ... and at last those that are at the threshold of the run; none where
 * pairs were not verified. Each threshold costs a pass over the pairs and over the documents in them.
 */
export function dropsAtThresholds(
  { threshold, verify, exactDuplicates }: Pick<ResultParams, 'threshold' | 'verify' | 'exactDuplicates'>,
  { classes, precedence, pairs, drop }: DroppedBy,
): DropsAtThreshold[] {
  if (verify === 'none' || exactDuplicates) return [];
  const own = { threshold, dropped: drop.document.length };
  const higher = Array.from({ length: STEPS - 1 }, (_, i) => (STEPS - 1 - i) / STEPS).filter(
    (step) => step > threshold,
  );
  if (higher.length === 0) return [own];
  const droppedFrom =
    'contained' in pairs ? containedDrops(classes, pairs) : drops(classes, pairs, precedence);
  return [...higher.map((step) => ({ threshold: step, dropped: droppedFrom(step) })), own];
}

function containedDrops(classes: IdentityClasses, pairs: ContainedPairs): (threshold: number) => number {
  return (threshold) => containedDropList(classes, containedFrom(pairs, threshold)).document.length;
}

function drops(
  classes: IdentityClasses,
  near: NearPairs,
  precedence: Precedence,
): (threshold: number) => number {
  const some = new DocumentsInPairs(classes, near);
  const first = some.renumbered(some.pick(classes.first));
  const pairs = { ...near, a: some.renumbered(near.a), b: some.renumbered(near.b) };
  const order: Precedence = {
    rank: precedence.rank === null ? null : some.ranks(precedence.rank),
    isProtected: precedence.isProtected === null ? null : some.pick(precedence.isProtected),
    group: precedence.group === null ? null : some.pick(precedence.group),
  };
  return (threshold) => {
    const kept = keptDocuments({ first }, nearFrom(pairs, threshold), order);
    let dropped = 0;
    for (let d = 0; d < kept.length; d++) dropped += 1 - kept[d]!;
    return dropped;
  };
}

/** The documents that can be dropped at all, and those for which, numbered anew in their order: they are few of many. */
class DocumentsInPairs {
  /** By new number. */
  private readonly documents: Uint32Array;
  /** By document, of those that are among them. */
  private readonly numbers: Uint32Array;

  constructor({ first, members }: IdentityClasses, { a, b, count }: NearPairs) {
    const isIn = new Uint8Array(first.length);
    for (const member of members.members) isIn[member] = 1;
    for (let i = 0; i < count; i++) isIn[a[i]!] = isIn[b[i]!] = 1;
    this.numbers = new Uint32Array(first.length);
    let some = 0;
    for (let d = isIn.indexOf(1); d >= 0; d = isIn.indexOf(1, d + 1)) this.numbers[d] = some++;
    this.documents = new Uint32Array(some);
    for (let d = isIn.indexOf(1), i = 0; i < some; d = isIn.indexOf(1, d + 1)) this.documents[i++] = d;
  }

  /** The entries of these documents. */
  pick<T extends Uint8Array | Uint32Array>(column: T): T {
    const picked = column.slice(0, this.documents.length);
    for (let i = 0; i < this.documents.length; i++) picked[i] = column[this.documents[i]!]!;
    return picked as T;
  }

  /** Documents by their new numbers. */
  renumbered(documents: Uint32Array): Uint32Array {
    return documents.map((d) => this.numbers[d]!);
  }

  /** Their places in an order of all documents, counted among them alone. */
  ranks(rank: Uint32Array): Uint32Array {
    const atPlace = new Uint8Array(rank.length);
    for (const d of this.documents) atPlace[rank[d]!] = 1;
    const before = new Uint32Array(rank.length);
    for (let place = 1; place < rank.length; place++)
      before[place] = before[place - 1]! + atPlace[place - 1]!;
    return this.documents.map((d) => before[rank[d]!]!);
  }
}

/** The rows with a value of at least `least`, ascending. */
function rowsFrom(values: Float64Array, least: number): Uint32Array {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! >= least) count++;
  const rows = new Uint32Array(count);
  for (let i = 0, at = 0; at < count; i++) if (values[i]! >= least) rows[at++] = i;
  return rows;
}

/** The pairs that reach a threshold. */
function nearFrom({ a, b, jaccard }: NearPairs, threshold: number): Parameters<typeof keptDocuments>[1] {
  const rows = rowsFrom(jaccard, threshold);
  return { count: rows.length, a: rows.map((row) => a[row]!), b: rows.map((row) => b[row]!) };
}

function containedFrom(
  { container, contained, equal, containment }: ContainedPairs,
  threshold: number,
): ContainedPairs {
  const rows = rowsFrom(containment, threshold);
  return {
    count: rows.length,
    container: rows.map((row) => container[row]!),
    contained: rows.map((row) => contained[row]!),
    equal: Uint8Array.from(rows, (row) => equal[row]!),
    containment: Float64Array.from(rows, (row) => containment[row]!),
  };
}
