/**
 * Reduce all verified pairs to the drop list: which documents can be dropped, each with the kept document
 * that replaces it.
 *
 * Works on document numbers. Resemblance is not transitive, so "all but one of a cluster" would lose text; by
 * the greedy rule below every dropped document has a kept near-duplicate, and no verified pair remains among
 * the kept, but for pairs of protected documents.
 */
import type { Pairs } from '../src/blocks/pairs.js';
import type { IdentityClasses } from './identityClasses.js';
import { acceptedRows, evidenceOfRows, type NearPairs, type VerifiedPairs } from './verifiedPairs.js';

export interface DropList {
  /** 1 for every document that is not dropped, empty ones too. */
  readonly kept: Uint8Array;
  /** Dropped documents, ascending; in row i, `keptDocument[i]` replaces `document[i]`. */
  readonly document: Uint32Array;
  readonly keptDocument: Uint32Array;
  readonly jaccard: Float64Array;
}

const NONE = 0xffffffff;

/**
 * In which order documents are taken, which of them are never dropped, and which are pairs at all.
 *
 * The order of survivors, protected documents first: src/coordinator/sketch/precedence.ts makes it.
 */
export interface Precedence {
  /** By document: its place in the order of survivors, all different. Null: the order of ids. */
  readonly rank: Uint32Array | null;
  /** By document, 1: it is never dropped. They come first in the order. Null: none is so. */
  readonly isProtected: Uint8Array | null;
  /** By document: its group; only documents of two groups are a pair. Null: all are. */
  readonly group: Uint32Array | null;
}

/** The order of ids, and nothing else. */
export const BY_ID: Precedence = { rank: null, isProtected: null, group: null };

/** For every document the kept document that replaces it (NONE: it is kept) and their resemblance. */
interface Stand {
  readonly keeper: Uint32Array;
  readonly jaccard: Float64Array;
}

/**
 * Takes the documents in their order: one that is protected, or without a verified pair to an earlier kept document, is kept,
 * every other is dropped and names the earlier kept document it resembles most (ties: first in the order). A verified pair is a
 * near pair, or an identical pair with resemblance 1; members of a class have the near pairs of their first member. Linear.
 *
 * All members of a class resemble the same classes by the same values. So a class that gets a kept document offers it to its
 * neighbours and to itself, and a document looks at what its class was offered. Only the first that a class keeps
 * matters, and the first of another group than that: of several with one resemblance the first in the order is named.
 */
export function dropList(
  classes: IdentityClasses,
  near: NearPairs,
  precedence: Precedence = BY_ID,
): DropList {
  return rowsOf(new GreedySurvivors(classes, near, near.jaccard, precedence).decide());
}

/** The documents that `dropList` keeps, which resemblances do not change: 1 for every document that is not dropped. */
export function keptDocuments(
  classes: IdentityClasses,
  near: Pairs,
  precedence: Precedence = BY_ID,
): Uint8Array {
  const kept = new Uint8Array(classes.first.length);
  if (isPlain(precedence)) {
    // Every round over hot buckets asks. A document is decided when the rows begin in which it is the first.
    for (let d = 0; d < kept.length; d++) if (classes.first[d] === d) kept[d] = 1;
    for (let i = 0; i < near.count; i++) if (kept[near.a[i]!] === 1) kept[near.b[i]!] = 0;
    return kept;
  }
  const { keeper } = new GreedySurvivors(classes, near, null, precedence).decide();
  for (let d = 0; d < kept.length; d++) if (keeper[d] === NONE) kept[d] = 1;
  return kept;
}

/** Near pairs by one of their classes: class c has the rows `rows[starts[c] .. starts[c + 1])`. */
interface Neighbours {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
}

/**
 * Whether the order of numbers is that of survivors, and a class keeps its first member or none. Then a kept document comes before
 * all whose pairs it is the first of, and what comes before it asks for it only where it is a class of several.
 */
function isPlain({ rank, isProtected, group }: Precedence): boolean {
  return rank === null && isProtected === null && group === null;
}

/** The kept documents that classes were offered: the one they resemble most, and the same of the other groups. */
class GreedySurvivors {
  private readonly classOf: Uint32Array;
  private readonly near: Pairs;
  /** Null: all pairs count alike. */
  private readonly resemblance: Float64Array | null;
  private readonly precedence: Precedence;
  /** Of plain order only those by which a document offers itself to classes before it. */
  private readonly neighbours: Neighbours;
  /** Of plain order: the first row whose first document is not before the one that is decided. */
  private row = 0;
  /** By class: the first document that it keeps, and the first of another group than that. */
  private readonly first: Uint32Array;
  private readonly firstOther: Uint32Array | null;
  private readonly best: Uint32Array;
  private readonly bestOf: Float64Array;
  /** Of another group than the best. */
  private readonly other: Uint32Array | null;
  private readonly otherOf: Float64Array | null;

  constructor(
    classes: IdentityClasses,
    near: Pairs,
    resemblance: Float64Array | null,
    precedence: Precedence,
  ) {
    const documents = classes.first.length;
    const hasGroups = precedence.group !== null;
    this.classOf = classes.first;
    this.near = near;
    this.resemblance = resemblance;
    this.precedence = precedence;
    this.neighbours = isPlain(precedence)
      ? neighboursBefore(near, classes)
      : neighboursOf(near, this.classOf);
    this.first = new Uint32Array(documents).fill(NONE);
    this.firstOther = hasGroups ? new Uint32Array(documents).fill(NONE) : null;
    this.best = new Uint32Array(documents).fill(NONE);
    this.bestOf = new Float64Array(documents);
    this.other = hasGroups ? new Uint32Array(documents).fill(NONE) : null;
    this.otherOf = hasGroups ? new Float64Array(documents) : null;
  }

  decide(): Stand {
    const documents = this.classOf.length;
    const { rank, isProtected } = this.precedence;
    const order = rank === null ? null : inverse(rank);
    const stand = { keeper: new Uint32Array(documents).fill(NONE), jaccard: new Float64Array(documents) };
    for (let place = 0; place < documents; place++) {
      const d = order === null ? place : order[place]!;
      const c = this.classOf[d]!;
      const isBest = this.isOfOther(this.best[c]!, d);
      const keeper = isBest ? this.best[c]! : this.other === null ? NONE : this.other[c]!;
      if (keeper === NONE || isProtected?.[d] === 1) this.keep(d, c);
      else {
        stand.keeper[d] = keeper;
        stand.jaccard[d] = (isBest ? this.bestOf : this.otherOf!)[c]!;
      }
    }
    return stand;
  }

  /** Whether a kept document is one, and of another group than `d`. */
  private isOfOther(kept: number, d: number): boolean {
    const { group } = this.precedence;
    return kept !== NONE && (group === null || group[kept] !== group[d]);
  }

  private keep(d: number, c: number): void {
    const { group } = this.precedence;
    const first = this.first[c]!;
    if (first === NONE) this.first[c] = d;
    else if (group === null || group[first] === group[d] || this.firstOther![c] !== NONE) return;
    else this.firstOther![c] = d;
    this.offer(c, d, 1);
    if (isPlain(this.precedence)) this.offerLater(d);
    const { starts, rows } = this.neighbours;
    for (let i = starts[c]!; i < starts[c + 1]!; i++) {
      const row = rows[i]!;
      const a = this.classOf[this.near.a[row]!]!;
      const neighbour = a === c ? this.classOf[this.near.b[row]!]! : a;
      this.offer(neighbour, d, this.resemblance === null ? 1 : this.resemblance[row]!);
    }
  }

  /** Rows ascend by their first documents, as documents do that are decided. */
  private offerLater(d: number): void {
    const { a, b, count } = this.near;
    while (this.row < count && a[this.row]! < d) this.row++;
    for (; this.row < count && a[this.row] === d; this.row++) {
      this.offer(b[this.row]!, d, this.resemblance === null ? 1 : this.resemblance[this.row]!);
    }
  }

  /** `d` is kept, and resembles the documents of class `c` so much. */
  private offer(c: number, d: number, resemblance: number): void {
    const { best, bestOf, other, otherOf } = this;
    const before = best[c]!;
    if (before === NONE || resemblance > bestOf[c]!) {
      if (other !== null && this.isOfOther(before, d)) {
        other[c] = before;
        otherOf![c] = bestOf[c]!;
      }
      best[c] = d;
      bestOf[c] = resemblance;
    } else if (other !== null && this.isOfOther(before, d)) {
      if (other[c] !== NONE && resemblance <= otherOf![c]!) return;
      other[c] = d;
      otherOf![c] = resemblance;
    }
  }
}

/** The rows by their second classes, where the first is one of several documents: later ones may ask for what is between them. */
function neighboursBefore({ a, b, count }: Pairs, { first, members }: IdentityClasses): Neighbours {
  const hasSeveral = new Uint8Array(first.length);
  for (const one of members.firsts) hasSeveral[one] = 1;
  const starts = new Uint32Array(first.length + 1);
  for (let i = 0; i < count; i++) if (hasSeveral[a[i]!] === 1) starts[b[i]! + 1]!++;
  for (let c = 0; c < first.length; c++) starts[c + 1]! += starts[c]!;
  const next = starts.slice();
  const rows = new Uint32Array(starts[first.length]!);
  for (let i = 0; i < count; i++) if (hasSeveral[a[i]!] === 1) rows[next[b[i]!]!++] = i;
  return { starts, rows };
}

function neighboursOf({ a, b, count }: Pairs, classOf: Uint32Array): Neighbours {
  const starts = new Uint32Array(classOf.length + 1);
  for (let i = 0; i < count; i++) {
    starts[classOf[a[i]!]! + 1]!++;
    starts[classOf[b[i]!]! + 1]!++;
  }
  for (let c = 0; c < classOf.length; c++) starts[c + 1]! += starts[c]!;
  const next = starts.slice();
  const rows = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    rows[next[classOf[a[i]!]!]!++] = i;
    rows[next[classOf[b[i]!]!]!++] = i;
  }
  return { starts, rows };
}

/** The documents in the order of their ranks. */
function inverse(rank: Uint32Array): Uint32Array {
  const order = new Uint32Array(rank.length);
  for (let d = 0; d < rank.length; d++) order[rank[d]!] = d;
  return order;
}

/** The dropped documents as rows. */
function rowsOf(stand: Stand): DropList {
  const count = stand.keeper.length;
  const kept = new Uint8Array(count);
  let dropped = 0;
  for (let d = 0; d < count; d++) {
    if (stand.keeper[d] === NONE) kept[d] = 1;
    else dropped++;
  }
  const document = new Uint32Array(dropped);
  const keptDocument = new Uint32Array(dropped);
  const jaccard = new Float64Array(dropped);
  for (let d = 0, row = 0; d < count; d++) {
    if (kept[d] === 1) continue;
    document[row] = d;
    keptDocument[row] = stand.keeper[d]!;
    jaccard[row++] = stand.jaccard[d]!;
  }
  return { kept, document, keptDocument, jaccard };
}

/** Accepted pairs, each as the document that comes first in the order and the one that it contains. */
export interface ContainedPairs {
  readonly count: number;
  readonly container: Uint32Array;
  readonly contained: Uint32Array;
  /** 1: both have equally many shingles. */
  readonly equal: Uint8Array;
  /** The share of the contained document that is in the other. */
  readonly containment: Float64Array;
}

/** The accepted pairs of exact mode; none in other modes. */
export function containedPairs(verified: VerifiedPairs): ContainedPairs {
  const { exact, a, b } = verified;
  const rows = exact === null ? new Uint32Array(0) : acceptedRows(verified);
  const count = rows.length;
  const pairs = {
    count,
    container: new Uint32Array(count),
    contained: new Uint32Array(count),
    equal: new Uint8Array(count),
    containment: new Float64Array(count),
  };
  const positions = exact === null ? rows : evidenceOfRows(exact, rows);
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    const aInB = exact!.containmentAB[positions[i]!]!;
    const bInA = exact!.containmentBA[positions[i]!]!;
    const aContains = aInB <= bInA;
    pairs.container[i] = (aContains ? a : b)[row]!;
    pairs.contained[i] = (aContains ? b : a)[row]!;
    pairs.equal[i] = aInB === bInA ? 1 : 0;
    pairs.containment[i] = Math.max(aInB, bInA);
  }
  return pairs;
}

/**
 * The drop list by containment. A dropped document names the kept one, earlier in the order, that has most of
 * it (ties: first in id order). Members of an exact-duplicate group share the pairs of their first member;
 * later ones are never kept. Linear.
 *
 * Documents are processed in the order of their distinct shingles, the most first, then of ids: one that is
 * not contained in an earlier kept one is kept. So each dropped document is in a kept one, and of two kept
 * ones neither was found in the other. Containment is no more transitive than resemblance: the kept document
 * that replaces a dropped one contains it itself.
 *
 * The order of two documents matters only where they are a pair, and there it follows from the containments:
 * of c common shingles c/a < c/b where a has more. So sizes need not be known, and the order is found as that
 * of an acyclic graph.
 */
export function containedDropList(classes: IdentityClasses, pairs: ContainedPairs): DropList {
  const documents = classes.first.length;
  const keeper = new Uint32Array(documents).fill(NONE);
  const containment = new Float64Array(documents);
  const take = (document: number, kept: number, share: number): void => {
    const isBetter =
      share > containment[document]! || (share === containment[document] && kept < keeper[document]!);
    if (keeper[document] !== NONE && !isBetter) return;
    keeper[document] = kept;
    containment[document] = share;
  };
  forEachInOrder(pairs, documents, (row) => {
    const container = pairs.container[row]!;
    if (keeper[container] === NONE) take(pairs.contained[row]!, container, pairs.containment[row]!);
  });
  const others = equalAndKept(pairs, keeper);
  const { firsts, offsets, members } = classes.members;
  for (let c = 0; c < firsts.length; c++) {
    const first = firsts[c]!;
    for (let m = offsets[c]! + 1; m < offsets[c + 1]!; m++) {
      const member = members[m]!;
      take(
        member,
        keeper[first] === NONE ? first : keeper[first]!,
        keeper[first] === NONE ? 1 : containment[first]!,
      );
      // A document with equally many shingles, between the first member and this one in id order, precedes
      // this member but not the first.
      for (const row of others.get(first) ?? []) {
        if (pairs.contained[row]! < member) take(member, pairs.contained[row]!, pairs.containment[row]!);
      }
    }
  }
  return containedRowsOf(keeper, containment);
}

/**
 * Rows of dropped containers whose partner is kept and has equally many shingles, by container; rarely any.
 */
function equalAndKept(pairs: ContainedPairs, keeper: Uint32Array): ReadonlyMap<number, readonly number[]> {
  const rows = new Map<number, number[]>();
  for (let row = 0; row < pairs.count; row++) {
    const container = pairs.container[row]!;
    if (pairs.equal[row] === 0 || keeper[container] === NONE || keeper[pairs.contained[row]!] !== NONE)
      continue;
    const known = rows.get(container);
    if (known === undefined) rows.set(container, [row]);
    else known.push(row);
  }
  return rows;
}

/** Visits each row after all rows in which its container is the contained one (Kahn 1962). */
function forEachInOrder(pairs: ContainedPairs, documents: number, visit: (row: number) => void): void {
  const { count, container, contained } = pairs;
  const starts = new Uint32Array(documents + 1);
  const waiting = new Uint32Array(documents);
  for (let row = 0; row < count; row++) {
    starts[container[row]! + 1]!++;
    waiting[contained[row]!]!++;
  }
  for (let d = 0; d < documents; d++) starts[d + 1]! += starts[d]!;
  const rows = new Uint32Array(count);
  const next = starts.slice();
  for (let row = 0; row < count; row++) rows[next[container[row]!]!++] = row;
  const ready = new Uint32Array(documents);
  let last = 0;
  for (let d = 0; d < documents; d++) if (waiting[d] === 0) ready[last++] = d;
  for (let i = 0; i < last; i++) {
    for (let at = starts[ready[i]!]!; at < starts[ready[i]! + 1]!; at++) {
      const row = rows[at]!;
      visit(row);
      if (--waiting[contained[row]!]! === 0) ready[last++] = contained[row]!;
    }
  }
}

/** The dropped documents as rows, ascending. */
function containedRowsOf(keeper: Uint32Array, containment: Float64Array): DropList {
  const kept = Uint8Array.from(keeper, (stands) => (stands === NONE ? 1 : 0));
  const dropped = kept.reduce((sum, one) => sum - one, kept.length);
  const list = {
    kept,
    document: new Uint32Array(dropped),
    keptDocument: new Uint32Array(dropped),
    jaccard: new Float64Array(dropped),
  };
  for (let d = 0, row = 0; d < kept.length; d++) {
    if (kept[d] === 1) continue;
    list.document[row] = d;
    list.keptDocument[row] = keeper[d]!;
    list.jaccard[row++] = containment[d]!;
  }
  return list;
}
