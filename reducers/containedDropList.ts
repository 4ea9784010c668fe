/**
 * Reduce all pairs of a contained document and one that contains it to the drop list: what can go because a kept document
 * has it.
 *
 * Floor 2. Works on document numbers; it never knows texts or how a pair was verified. Documents are taken in the order of
 * their distinct shingles, the most first, then of ids: one that is not contained in an earlier kept one is kept. So what is
 * dropped is in a kept document, and of two kept ones neither was found in the other. Containment is no more transitive than
 * resemblance: what stands for a dropped document is a kept one that contains it itself.
 *
 * The order of two documents matters only where they are a pair, and there the containments tell it: of c common shingles
 * c/a < c/b where a has more. So sizes need not be known, and the order is found as that of a graph without cycles.
 */
import type { DropList } from './dropList.js';
import type { IdentityClasses } from './identityClasses.js';
import { acceptedRows, evidenceOfRows, type VerifiedPairs } from './verifiedPairs.js';

/** Accepted pairs, each as the document that comes first in the order and the one that is in it. */
export interface ContainedPairs {
  readonly count: number;
  readonly container: Uint32Array;
  readonly contained: Uint32Array;
  /** 1: both have as many shingles. */
  readonly equal: Uint8Array;
  /** How much of the contained document is in the other. */
  readonly containment: Float64Array;
}

const NONE = 0xffffffff;

/** The accepted pairs of exact mode; none of another mode. */
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
 * The drop list by containment. A dropped document names the kept one, earlier in the order, that has most of it (ties: first
 * in id order). Members of an identity class share the pairs of their first member; later ones are never kept. Linear.
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
      // Of as many shingles and between both in id order: earlier than the member, though not than its first.
      for (const row of others.get(first) ?? []) {
        if (pairs.contained[row]! < member) take(member, pairs.contained[row]!, pairs.containment[row]!);
      }
    }
  }
  return rowsOf(keeper, containment);
}

/** Rows of dropped containers whose partner is kept and has as many shingles, by container; seldom any. */
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

/** Calls back for every row after all rows in which its container is the contained one (Kahn 1962). */
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
function rowsOf(keeper: Uint32Array, containment: Float64Array): DropList {
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
