/**
 * Reduce all verified pairs to the drop list: which documents can go, each naming the kept document that
 * stands for it.
 *
 * Floor 2. Works on document numbers; it never knows texts, signatures or how a pair was verified.
 * Resemblance is not transitive, so "all but one of a cluster" would lose text; by the greedy rule below
 * every dropped document has a kept near-duplicate, and no verified pair is left among the kept.
 */
import type { Pairs } from '../src/sketch/pairs.js';
import type { IdentityClasses } from './identityClasses.js';
import type { NearPairs } from './verifiedPairs.js';

export interface DropList {
  /** 1 for every document that is not dropped, empty ones too. */
  readonly kept: Uint8Array;
  /** Dropped documents, ascending; row i says that `document[i]` goes because `keptDocument[i]` stays. */
  readonly document: Uint32Array;
  readonly keptDocument: Uint32Array;
  readonly jaccard: Float64Array;
}

const NONE = 0xffffffff;

/** For every document the kept document that stands for it (NONE: it is kept) and their resemblance. */
interface Stand {
  readonly keeper: Uint32Array;
  readonly jaccard: Float64Array;
}

/**
 * Goes through the documents in id order: one without a verified pair to an earlier kept document is kept,
 * every other is dropped and names the earlier kept document it resembles most (ties: first in id order). A
 * verified pair is a near pair, or identity with resemblance 1; members of a class have the near pairs of
 * their first member. Linear.
 *
 * Only first members can be kept: let d be a later member of the class of f < d. If f is kept, (f, d) is an
 * identity pair to an earlier kept document. If f is dropped, then for a near pair to a kept k < f (f has no
 * earlier identical document), which d shares, and k < d. Either way d is dropped. So kept documents are
 * found over first members alone, and the other members are looked at afterwards.
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
 * documents were seen and `a` is decided. A later row replaces an equal resemblance never, so ties go to the
 * first in id order.
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

/** Decides the later members of the classes, given which first members are kept. */
function dropMembers(classes: IdentityClasses, near: NearPairs, stand: Stand): void {
  const { firsts, offsets, members } = classes.members;
  let row = 0;
  for (let c = 0; c < firsts.length; c++) {
    const first = firsts[c]!;
    while (row < near.count && near.a[row]! < first) row++;
    let keeper = stand.keeper[first]!;
    let jaccard = stand.jaccard[first]!;
    // A kept first member has no kept document near it, so it stands for its whole class.
    const identical = keeper === NONE;
    if (identical) {
      keeper = first;
      jaccard = 1;
    }
    for (let m = offsets[c]! + 1; m < offsets[c + 1]!; m++) {
      const member = members[m]!;
      // A dropped class can be near to documents kept between its first member and this one: they are earlier
      // too.
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
 * What `dropList` keeps, alone: 1 for every document that is not dropped. A document is decided when the rows
 * begin in which it is the earlier one; see there why later members of a class are never kept.
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
