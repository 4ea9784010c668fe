/**
 * Reduce all verified pairs to the drop list: which documents can be dropped, each with the kept document
 * that replaces it.
 *
 * Works on document numbers. Resemblance is not transitive, so "all but one of a cluster" would lose text; by
 * the greedy rule below every dropped document has a kept near-duplicate, and no verified pair remains among
 * the kept.
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

/** For every document the kept document that replaces it (NONE: it is kept) and their resemblance. */
interface Stand {
  readonly keeper: Uint32Array;
  readonly jaccard: Float64Array;
}

/**
 * Processes the documents in id order: one without a verified pair to an earlier kept document is kept, every
 * other is dropped and names the earlier kept document it resembles most (ties: first in id order). A
 * verified pair is a near pair, or an identical pair with resemblance 1; members of a group have the near
 * pairs of their first member. Linear.
 *
 * Only first members can be kept: let d be a later member of the group of f < d. If f is kept, (f, d) is an
 * identical pair to an earlier kept document. If f is dropped, it is for a near pair to a kept k < f (f has
 * no earlier identical document), which d shares, and k < d. Either way d is dropped. So kept documents are
 * found over first members alone, and the other members are processed afterwards.
 */
export function dropList(classes: IdentityClasses, near: NearPairs): DropList {
  const count = classes.first.length;
  const stand: Stand = { keeper: new Uint32Array(count).fill(NONE), jaccard: new Float64Array(count) };
  dropFirsts(near, stand);
  dropMembers(classes, near, stand);
  return rowsOf(stand);
}

/**
 * Decides the first members. Rows ascend by a, so when the rows of `a` begin, all its pairs to earlier kept
 * documents were processed and `a` is decided. A later row never replaces an equal resemblance, so ties go to
 * the first in id order.
 */
function dropFirsts(near: NearPairs, stand: Stand): void {
  for (let i = 0; i < near.count; i++) {
    const a = near.a[i]!;
    if (stand.keeper[a] !== NONE) continue;
    const b = near.b[i]!;
    if (stand.keeper[b] === NONE || near.jaccard[i]! > stand.jaccard[b]!) {
      stand.keeper[b] = a;
      stand.jaccard[b] = near.jaccard[i]!;
    }
  }
}

/** Decides the later members of the groups, given which first members are kept. */
function dropMembers(classes: IdentityClasses, near: NearPairs, stand: Stand): void {
  const { firsts, offsets, members } = classes.members;
  let row = 0;
  for (let c = 0; c < firsts.length; c++) {
    const first = firsts[c]!;
    while (row < near.count && near.a[row]! < first) row++;
    let keeper = stand.keeper[first]!;
    let jaccard = stand.jaccard[first]!;
    // A kept first member has no kept document near it, so it replaces its whole group.
    const identical = keeper === NONE;
    if (identical) {
      keeper = first;
      jaccard = 1;
    }
    for (let m = offsets[c]! + 1; m < offsets[c + 1]!; m++) {
      const member = members[m]!;
      // Members of a dropped group can be near to documents kept between its first member and this one: those
      // are earlier, too.
      for (; !identical && row < near.count && near.a[row] === first && near.b[row]! < member; row++) {
        if (stand.keeper[near.b[row]!] === NONE && near.jaccard[row]! > jaccard) {
          keeper = near.b[row]!;
          jaccard = near.jaccard[row]!;
        }
      }
      stand.keeper[member] = keeper;
      stand.jaccard[member] = jaccard;
    }
  }
}

/**
 * The documents that `dropList` keeps: 1 for every document that is not dropped. A document is decided when
 * the rows begin in which it is the earlier one; `dropList` explains why later members of a group are never
 * kept.
 */
export function keptDocuments({ first }: IdentityClasses, near: Pairs): Uint8Array {
  const kept = new Uint8Array(first.length);
  for (let d = 0; d < first.length; d++) if (first[d] === d) kept[d] = 1;
  for (let i = 0; i < near.count; i++) if (kept[near.a[i]!] === 1) kept[near.b[i]!] = 0;
  return kept;
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
