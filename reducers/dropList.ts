/**
 * Reduce all verified pairs to the drop list: which documents can be dropped, each with the kept document
 * that replaces it.
 *
 * Works on document numbers. Resemblance is not transitive, so "all but one of a cluster" would lose text; by
 * the greedy rule below every dropped document has a kept near-duplicate, and no verified pair remains among
 * the kept, but for pairs of protected documents.
 */

import { Uint32Column } from '../src/arrays/growable.js';
import { type RowsByKey, rowsByKey } from '../src/arrays/rowsByKey.js';
import { positionsOf } from '../src/arrays/search.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import { eachRange, type Stepwise } from '../src/arrays/stepwise.js';
import type { Pairs } from '../src/blocks/pairs.js';

export interface DropList {
  /** 1 for every document that is not dropped, empty ones too. */
  readonly kept: Uint8Array;
  /** Dropped documents, ascending; in row i, `keptDocument[i]` replaces `document[i]`. */
  readonly document: Uint32Array;
  readonly keptDocument: Uint32Array;
  readonly jaccard: Float64Array;
}

/** Duplicate groups, each with its first member. */
export interface IdentityClasses {
  /** By document: the first member of its group; itself where it is in none. */
  readonly first: Uint32Array;
  readonly members: {
    readonly firsts: Uint32Array;
    readonly offsets: Uint32Array;
    readonly members: Uint32Array;
    readonly texts: Uint32Array;
  };
}

/** Accepted near pairs over first members, sorted by (a, b), distinct. */
export interface NearPairs extends Pairs {
  readonly jaccard: Float64Array;
}

const NONE = 0xffffffff;

/**
 * The order in which documents are decided, which of them are never dropped, and which may make pairs.
 *
 * The order of survivors, protected documents first, as src/coordinator/finish/precedence.ts makes it.
 */
export interface Precedence {
  /** By document: its place in the order of survivors, all different. Null: its number. */
  readonly rank: Uint32Array | null;
  /** By document, 1: never dropped. Protected documents come first in the order. Null: there are none. */
  readonly isProtected: Uint8Array | null;
  /** By document: its group; only documents of two groups are a pair. Null: all are. */
  readonly group: Uint32Array | null;
  /**
   * Pairs of documents that a person marked as different, the earlier by number first: their pair drops neither. Of two copies,
   * the later one then has no pair at all.
   */
  readonly apart?: readonly (readonly [earlier: number, later: number])[];
}

/** The order of places, without protected documents and groups. */
const BY_PLACE: Precedence = { rank: null, isProtected: null, group: null };

/** Classes and near pairs without the pairs marked as different. A mark holds for all documents with the same tokens. */
function groundsOf<Near extends Pairs | NearPairs>(
  classes: IdentityClasses,
  near: Near,
  { apart = [] }: Precedence,
): { readonly classes: IdentityClasses; readonly near: Near } {
  if (apart.length === 0) return { classes, near };
  const first = classes.first.slice();
  const others = new Map<number, Set<number>>();
  for (const [earlier, later] of apart) {
    const [a, b] = [classes.first[earlier]!, classes.first[later]!];
    if (a === b) first[later] = later;
    const low = Math.min(a, b);
    others.set(low, (others.get(low) ?? new Set()).add(Math.max(a, b)));
  }
  const rows = new Uint32Column();
  for (let i = 0; i < near.count; i++) {
    const [a, b] = [classes.first[near.a[i]!]!, classes.first[near.b[i]!]!];
    if (others.get(Math.min(a, b))?.has(Math.max(a, b)) !== true) rows.push(i);
  }
  const taken = rows.view;
  const jaccard = 'jaccard' in near && { jaccard: Float64Array.from(taken, (i) => near.jaccard[i]!) };
  const [a, b] = [near.a, near.b].map((column) => Uint32Array.from(taken, (i) => column[i]!));
  return { classes: { ...classes, first }, near: { ...near, ...jaccard, count: taken.length, a, b } };
}

/** By class, named by its first member: the place of the member that comes first in the order. Null: its number. */
export function classRanks({ members }: IdentityClasses, { rank }: Precedence): Uint32Array | null {
  if (rank === null) return null;
  const ranks = rank.slice();
  const { firsts, offsets, members: all } = members;
  for (let c = 0; c < firsts.length; c++) {
    const first = firsts[c]!;
    for (let i = offsets[c]! + 1; i < offsets[c + 1]!; i++) {
      ranks[first] = Math.min(ranks[first]!, ranks[all[i]!]!);
    }
  }
  return ranks;
}

/** Whether a document that is dropped names a kept one rather than the one before: it resembles it more, or as much and comes first. */
const isBetterOffer = (resemblance: number, before: number, comesFirst: boolean): boolean =>
  resemblance > before || (resemblance === before && comesFirst);

/** By document, 1: it is kept; of each other one the kept document that replaces it, and their resemblance. */
interface Stand {
  readonly kept: Uint8Array;
  readonly keeper: Uint32Array;
  readonly jaccard: Float64Array;
}

/**
 * Takes the documents in their order: one that is protected, or without a verified pair to an earlier kept document, is kept,
 * every other is dropped and names the earlier kept document it resembles most (ties: first in the order). A verified pair is a
 * near pair, or an identical pair with resemblance 1; members of a class have the near pairs of their first member. Linear.
 *
 * All members of a class resemble the same classes by the same values. So a class that gets a kept document offers it to its
 * neighbours and to itself, and a document takes the best offer of its class. Only the first document that a class keeps
 * matters, and the first of another group than that: of several with equal resemblance, the first in the order is named.
 */
export function* dropList(
  classes: IdentityClasses,
  near: NearPairs,
  precedence: Precedence = BY_PLACE,
): Stepwise<DropList> {
  const grounds = groundsOf(classes, near, precedence);
  const survivors = new GreedySurvivors(grounds.classes, grounds.near, grounds.near.jaccard, precedence);
  yield;
  return rowsOf(yield* survivors.decide());
}

/** The documents that `dropList` keeps, by pairs alone, without resemblances: 1 for every document that is not dropped. */
export function* keptDocuments(
  classes: IdentityClasses,
  near: Pairs,
  precedence: Precedence = BY_PLACE,
): Stepwise<Uint8Array> {
  if (isPlain(precedence)) {
    // A fast path, for every round over hot buckets runs it. When the rows of a first document begin, that document is decided.
    const kept = new Uint8Array(classes.first.length).fill(1);
    const { firsts, members } = classes.members;
    for (let i = 0; i < members.length; i++) kept[members[i]!] = 0;
    for (let c = 0; c < firsts.length; c++) kept[firsts[c]!] = 1;
    const { a, b, count } = near;
    for (let i = 0; i < count; i++) if (kept[a[i]!] === 1) kept[b[i]!] = 0;
    return kept;
  }
  const grounds = groundsOf(classes, near, precedence);
  const survivors = new GreedySurvivors(grounds.classes, grounds.near, null, precedence);
  yield;
  return (yield* survivors.decide()).kept;
}

/**
 * Whether survivors are in the order of numbers, and a class keeps at most its first member. Then a kept document comes before
 * the other documents of the rows in which it is `a`; an earlier class needs its offer only if the class has several members.
 */
function isPlain({ rank, isProtected, group, apart = [] }: Precedence): boolean {
  return rank === null && isProtected === null && group === null && apart.length === 0;
}

/**
 * Decides documents in order. Holds what each class was offered: the kept document that it resembles most, and the best of
 * another group.
 */
class GreedySurvivors {
  private readonly classOf: Uint32Array;
  private readonly near: Pairs;
  /** Resemblances of the pairs; null: all count as equal. */
  private readonly resemblance: Float64Array | null;
  private readonly precedence: Precedence;
  /** The near pairs of each class; in a plain order only those by which a document is offered to earlier classes. */
  private readonly neighbours: RowsByKey;
  /** By class, 1: it has near pairs or several documents. All other documents are kept, and are an offer to none. */
  private readonly isLinked: Uint8Array;
  /** Of kept documents with equal resemblance, the one with the least value is named; null: the least number. */
  private readonly ties: Uint32Array | null;
  /** In a plain order: the first row whose first document is not before the one that is decided now. */
  private row = 0;
  /** By class: the first document that it keeps, and the first of another group than that one's. */
  private readonly first: Uint32Array;
  private readonly firstOther: Uint32Array | null;
  private readonly best: Uint32Array;
  private readonly bestOf: Float64Array;
  /** The best kept document of another group than that of `best`. */
  private readonly other: Uint32Array | null;
  private readonly otherOf: Float64Array | null;

  constructor(
    classes: IdentityClasses,
    near: Pairs,
    resemblance: Float64Array | null,
    precedence: Precedence,
    ties = precedence.rank,
  ) {
    const documents = classes.first.length;
    const hasGroups = precedence.group !== null;
    this.classOf = classes.first;
    this.near = near;
    this.resemblance = resemblance;
    this.precedence = precedence;
    this.ties = ties;
    this.neighbours = isPlain(precedence)
      ? neighboursBefore(near, classes)
      : neighboursOf(near, this.classOf);
    this.isLinked = severalFlags(classes);
    for (let i = 0; i < near.count; i++) {
      this.isLinked[this.classOf[near.a[i]!]!] = 1;
      this.isLinked[this.classOf[near.b[i]!]!] = 1;
    }
    this.first = new Uint32Array(documents).fill(NONE);
    this.firstOther = hasGroups ? new Uint32Array(documents).fill(NONE) : null;
    this.best = new Uint32Array(documents).fill(NONE);
    this.bestOf = new Float64Array(documents);
    this.other = hasGroups ? new Uint32Array(documents).fill(NONE) : null;
    this.otherOf = hasGroups ? new Float64Array(documents) : null;
  }

  *decide(): Stepwise<Stand> {
    const documents = this.classOf.length;
    const { rank, isProtected } = this.precedence;
    const order = rank === null ? null : inverse(rank);
    const kept = new Uint8Array(documents).fill(1);
    const stand = { kept, keeper: new Uint32Array(documents), jaccard: new Float64Array(documents) };
    yield* eachRange(documents, (from, to) => {
      for (let place = from; place < to; place++) {
        const d = order === null ? place : order[place]!;
        const c = this.classOf[d]!;
        if (this.isLinked[c] === 0) continue;
        const isBest = this.isOfOther(this.best[c]!, d);
        const keeper = isBest ? this.best[c]! : this.other === null ? NONE : this.other[c]!;
        if (keeper === NONE || isProtected?.[d] === 1) this.keep(d, c);
        else {
          kept[d] = 0;
          stand.keeper[d] = keeper;
          stand.jaccard[d] = (isBest ? this.bestOf : this.otherOf!)[c]!;
        }
      }
    });
    return stand;
  }

  /** Whether `kept` is a document, and of another group than `d`. */
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

  /** Offers a kept document to later classes; rows ascend by first documents, in the order of decisions. */
  private offerLater(d: number): void {
    const { a, b, count } = this.near;
    while (this.row < count && a[this.row]! < d) this.row++;
    for (; this.row < count && a[this.row] === d; this.row++) {
      this.offer(b[this.row]!, d, this.resemblance === null ? 1 : this.resemblance[this.row]!);
    }
  }

  /** Offers the kept document `d` to class `c`, whose documents resemble it so much. */
  private offer(c: number, d: number, resemblance: number): void {
    const { best, bestOf, other, otherOf } = this;
    const before = best[c]!;
    if (before === NONE || this.isBetter(resemblance, bestOf[c]!, d, before)) {
      if (other !== null && this.isOfOther(before, d)) {
        other[c] = before;
        otherOf![c] = bestOf[c]!;
      }
      best[c] = d;
      bestOf[c] = resemblance;
    } else if (other !== null && this.isOfOther(before, d)) {
      if (other[c] !== NONE && !this.isBetter(resemblance, otherOf![c]!, d, other[c]!)) return;
      other[c] = d;
      otherOf![c] = resemblance;
    }
  }

  /** Whether `d` is a better offer than `kept`. Ties are those of the order of decisions, but where `ties` has another order. */
  private isBetter(resemblance: number, before: number, d: number, kept: number): boolean {
    const { ties } = this;
    return isBetterOffer(resemblance, before, ties === null ? d < kept : ties[d]! < ties[kept]!);
  }
}

/**
 * The rows by their second classes, where the first class has several documents: its later members may take offers of the second.
 */
function neighboursBefore({ a, b, count }: Pairs, classes: IdentityClasses): RowsByKey {
  const hasSeveral = severalFlags(classes);
  return rowsByKey(hasSeveral.length, (give) => {
    for (let i = 0; i < count; i++) if (hasSeveral[a[i]!] === 1) give(b[i]!, i);
  });
}

/** By class, 1: it has several documents. */
function severalFlags({ first, members }: IdentityClasses): Uint8Array {
  const hasSeveral = new Uint8Array(first.length);
  for (const one of members.firsts) hasSeveral[one] = 1;
  return hasSeveral;
}

function neighboursOf({ a, b, count }: Pairs, classOf: Uint32Array): RowsByKey {
  return rowsByKey(classOf.length, (give) => {
    for (let i = 0; i < count; i++) {
      give(classOf[a[i]!]!, i);
      give(classOf[b[i]!]!, i);
    }
  });
}

/** The documents in the order of their ranks. */
function inverse(rank: Uint32Array): Uint32Array {
  const order = new Uint32Array(rank.length);
  for (let d = 0; d < rank.length; d++) order[rank[d]!] = d;
  return order;
}

function rowsOf(stand: Stand): DropList {
  const { kept, keeper } = stand;
  const document = positionsOf(0, kept);
  const keptDocument = new Uint32Array(document.length);
  const jaccard = new Float64Array(document.length);
  for (let row = 0; row < document.length; row++) {
    keptDocument[row] = keeper[document[row]!]!;
    jaccard[row] = stand.jaccard[document[row]!]!;
  }
  return { kept, document, keptDocument, jaccard };
}

/**
 * Counts the verified pairs between two flagged documents: near pairs of their classes, and pairs within a class; never of two
 * documents of one group.
 *
 * @param flags by document, 1: the document counts
 */
export function pairsAmong(
  { first, members }: IdentityClasses,
  near: Pairs,
  flags: Uint8Array,
  { group }: Precedence,
): number {
  const documents = first.length;
  const starts = new Uint32Array(documents + 1);
  for (let d = 0; d < documents; d++) if (flags[d] === 1) starts[first[d]! + 1]!++;
  for (let c = 0; c < documents; c++) starts[c + 1]! += starts[c]!;
  const groups = group === null ? null : groupsByClass(first, flags, group, starts[documents]!);
  const sizeOf = (c: number): number => starts[c + 1]! - starts[c]!;
  let pairs = 0;
  for (const c of members.firsts) {
    const size = sizeOf(c);
    pairs += (size * size - (groups === null ? size : matches(groups, starts, c, c))) / 2;
  }
  for (let row = 0; row < near.count; row++) {
    const [a, b] = [first[near.a[row]!]!, first[near.b[row]!]!];
    const all = sizeOf(a) * sizeOf(b);
    pairs += all === 0 || groups === null ? all : all - matches(groups, starts, a, b);
  }
  return pairs;
}

/** The groups of the flagged documents, class by class, ascending within a class. */
function groupsByClass(
  first: Uint32Array,
  flags: Uint8Array,
  group: Uint32Array,
  count: number,
): Uint32Array {
  const keys = new Uint32Array(2 * count);
  const groups = new Uint32Array(count);
  for (let d = 0, i = 0; i < count; d++) {
    if (flags[d] === 0) continue;
    keys[2 * i] = group[d]!;
    keys[2 * i + 1] = first[d]!;
    groups[i++] = group[d]!;
  }
  sortByKey64(keys, groups, count);
  return groups;
}

/** How many pairs of a document of class `a` and a document of class `b` are of one group. */
function matches(groups: Uint32Array, starts: Uint32Array, a: number, b: number): number {
  let pairs = 0;
  let from = starts[b]!;
  for (let i = starts[a]!; i < starts[a + 1]!; i++) {
    while (from < starts[b + 1]! && groups[from]! < groups[i]!) from++;
    let to = from;
    while (to < starts[b + 1]! && groups[to] === groups[i]) to++;
    pairs += to - from;
    // Handles all documents of one group at once: else a large group in `b` would be passed again for each.
    for (; i + 1 < starts[a + 1]! && groups[i + 1] === groups[i]; i++) pairs += to - from;
  }
  return pairs;
}
