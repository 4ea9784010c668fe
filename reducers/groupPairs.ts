/**
 * Reduces pairs of documents to distinct pairs of duplicate groups, each represented by its first member.
 *
 * A group with reference documents is compared with two documents: its first member, which is a reference document, and the first of
 * the others, because a pair has at most one reference document. So up to three pairs of documents may connect two groups.
 */
import { numbersBelow } from '../src/arrays/growable.js';
import { newArray } from '../src/arrays/ownPages.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import type { Pairs } from '../src/blocks/pairs.js';
import type { DuplicateGroups } from './duplicateGroups.js';

/** Which documents are a pair. Near pairs connect duplicate groups, and members of a group are pairs of similarity 1. */
export interface PairRules {
  readonly groups: DuplicateGroups;
  /** Reference documents, which have the smallest numbers; two of them are not a pair. */
  readonly references: number;
  /** Whether only pairs with a reference document count. */
  readonly onlyAgainst: boolean;
}

/** Pairs of duplicate groups: sorted by (a, b), a < b, distinct. */
export interface VerifiedPart extends Pairs {
  /** The Jaccard similarity of a pair; NaN if it was not verified. */
  similarityOf(i: number): number;
  /** Whether a pair reaches the threshold. */
  isNear(i: number): boolean;
}

/** Pairs of duplicate groups in parts, sorted by (a, b) over all parts. Pairs with the same `a` may be in several parts. */
export interface VerifiedPairs {
  parts(): Iterable<VerifiedPart>;
}

/** Pairs of first members of groups, and the original row of each. */
interface NamedPairs extends Pairs {
  readonly rows: Uint32Array;
}

function namedPairs({ groups: { firstOf }, references, onlyAgainst }: PairRules, pairs: Pairs): NamedPairs {
  const keys = new Uint32Array(2 * pairs.count);
  const rows = new Uint32Array(pairs.count);
  let count = 0;
  for (let i = 0; i < pairs.count; i++) {
    const [one, other] = [firstOf[pairs.a[i]!]!, firstOf[pairs.b[i]!]!];
    const isCounted = pairs.b[i]! >= references && !(onlyAgainst && pairs.a[i]! >= references);
    if (one === other || !isCounted) continue;
    keys[2 * count] = Math.max(one, other);
    keys[2 * count + 1] = Math.min(one, other);
    rows[count++] = i;
  }
  sortByKey64(keys, rows, count);
  const [a, b] = [new Uint32Array(count), new Uint32Array(count)];
  let distinct = 0;
  for (let i = 0; i < count; i++) {
    const [low, high] = [keys[2 * i + 1]!, keys[2 * i]!];
    if (distinct > 0 && a[distinct - 1] === low && b[distinct - 1] === high) continue;
    a[distinct] = low;
    b[distinct] = high;
    rows[distinct++] = rows[i]!;
  }
  return { count: distinct, a, b, rows };
}

/**
 * The rows of the pairs that count, ascending: the first one between each two groups.
 *
 * @param pairs of compared documents, sorted by (a, b), a < b
 */
export function countedRows(rules: PairRules, pairs: Pairs): Uint32Array {
  const { rows, count } = namedPairs(rules, pairs);
  return rows.subarray(0, count).sort();
}

/**
 * Counted pairs of first members of groups, and the original row of each (null: the same rows). Without a reference, only first
 * members are compared.
 */
export function groupPairs(rules: PairRules, pairs: Pairs): Pairs & { readonly rows: Uint32Array | null } {
  return rules.references === 0 ? { ...pairs, rows: null } : namedPairs(rules, pairs);
}

/** Pairs of documents with the same tokens, sorted by (a, b), a < b. */
export interface IdenticalPairs extends Pairs {
  /** 1 if both documents have the same text, byte for byte. */
  readonly isSame: Uint8Array;
  /** How many pairs have different punctuation. */
  readonly differing: number;
}

/** Calls `give` with the positions of the two members of each pair of a group. */
function eachPair(
  { groups: { offsets, members }, references, onlyAgainst }: PairRules,
  give: (earlier: number, later: number) => void,
): void {
  for (let group = 0; group + 1 < offsets.length; group++) {
    const [first, end] = [offsets[group]!, offsets[group + 1]!];
    let other = first;
    while (other < end && members[other]! < references) other++;
    // Two reference documents are not a pair; with `onlyAgainst`, a pair needs a reference document.
    if (other === end || (onlyAgainst && other === first)) continue;
    for (let i = Math.max(other, first + 1); i < end; i++) give(first, i);
    for (let i = first + 1; i < other; i++) give(i, other);
  }
}

/** The pairs of duplicate groups in the result: k - 1 pairs that connect the k members of a group. */
export function identicalPairs(rules: PairRules): IdenticalPairs {
  const { members, texts, punctuation } = rules.groups;
  let count = 0;
  eachPair(rules, () => count++);
  const [a, b] = [newArray(Uint32Array, count), newArray(Uint32Array, count)];
  const isSame = newArray(Uint8Array, count);
  let [row, differing] = [0, 0];
  eachPair(rules, (earlier, later) => {
    a[row] = members[earlier]!;
    b[row] = members[later]!;
    isSame[row++] = texts[earlier] === texts[later] ? 1 : 0;
    if (punctuation[earlier] !== punctuation[later]) differing++;
  });
  // Groups ascend by their first members, which are the first documents of all pairs unless there is a reference.
  const pairs = { count, a, b, isSame, differing };
  return rules.references === 0 ? pairs : sortedPairs(pairs);
}

function sortedPairs({ count, a, b, isSame, differing }: IdenticalPairs): IdenticalPairs {
  const keys = new Uint32Array(2 * count);
  const rows = numbersBelow(count);
  for (let row = 0; row < count; row++) {
    keys[2 * row] = b[row]!;
    keys[2 * row + 1] = a[row]!;
  }
  sortByKey64(keys, rows, count);
  return {
    count,
    a: rows.map((row) => a[row]!),
    b: rows.map((row) => b[row]!),
    isSame: Uint8Array.from(rows, (row) => isSame[row]!),
    differing,
  };
}
