/**
 * Reduces accepted pairs to clusters: connected components of duplicate groups and near pairs, or (greedy; Broder 1997, section 4.4)
 * each kept document with the documents that are dropped for it.
 *
 * Resemblance is not transitive, so members of a component can be far below the threshold: every row has its similarity to the
 * representative, and members below the threshold are counted. Never use clusters to drop documents; use the drop list.
 */
import { disjointSets, rootOf, unite } from '../src/arrays/disjointSets.js';
import { numbersBelow } from '../src/arrays/growable.js';
import { lowerBound } from '../src/arrays/search.js';
import type { Pairs } from '../src/blocks/pairs.js';
import type { DropList } from './dropList.js';
import type { GroupPairs, PairRules } from './groupPairs.js';

/** Value of the role column; 0: the representative. */
const MEMBER = 1;

/** Values of the basis column. */
const EXACT = 0;
const ESTIMATE = 1;

/** Marks clusters of one document, which have no rows. Rows are below 2^32 - 1. */
const ALONE = 0xffffffff;

/** Rows sorted by cluster, its representative first, then by document. */
export interface Clusters {
  /** The number of the cluster, from 1, in the order of representatives (the first documents). */
  readonly cluster: Uint32Array;
  readonly document: Uint32Array;
  readonly role: Uint8Array;
  /** Similarity to the representative; 1 for the representative itself. NaN: to be estimated from signatures. */
  readonly similarity: Float64Array;
  readonly basis: Uint8Array;
  readonly count: number;
}

/** The first document of the cluster of each document. Members of a duplicate group are in one cluster if they are pairs. */
export function componentRoots(
  { groups, references, onlyAgainst }: PairRules,
  near: GroupPairs,
): Uint32Array {
  const { firstOf, offsets, members } = groups;
  const sets = disjointSets(firstOf.length);
  const isNear = references === 0 ? null : new Uint8Array(firstOf.length);
  for (let i = 0; i < near.count; i++) {
    unite(sets, near.a[i]!, near.b[i]!);
    if (isNear === null) continue;
    isNear[near.a[i]!] = 1;
    isNear[near.b[i]!] = 1;
  }
  for (let group = 0; group + 1 < offsets.length; group++) {
    const [from, to] = [offsets[group]!, offsets[group + 1]!];
    const first = members[from]!;
    const isMixed = first < references && members[to - 1]! >= references;
    const isPair = isMixed || (first >= references && !onlyAgainst);
    // If members of a group are not pairs, they are in the cluster of their first member only if that is near another document.
    if (!isPair && isNear?.[first] !== 1) continue;
    for (let i = from + 1; i < to; i++) unite(sets, first, members[i]!);
  }
  for (let document = 0; document < sets.length; document++) sets[document] = rootOf(sets, document);
  return sets;
}

/** The first document of the cluster of each document: the kept document that it is dropped for, or itself. */
export function keptRoots(documents: number, { document, kept }: DropList): Uint32Array {
  const roots = numbersBelow(documents);
  for (let i = 0; i < document.length; i++) roots[document[i]!] = kept[i]!;
  return roots;
}

/**
 * The clusters of two documents or more.
 *
 * The similarity of a member is 1 (exact) in the duplicate group of the representative; else that of the pair of both groups if it
 * was verified, accepted or not; else NaN (to be estimated).
 *
 * @param roots the first document of the cluster of each document
 * @param verified all pairs of groups, accepted or not
 * @param similarityOf the similarity of a row of `verified`; NaN if it was not verified
 * @param isExact whether these similarities are those of sets
 */
export function clusterRows(
  roots: Uint32Array,
  { firstOf }: PairRules['groups'],
  verified: Pairs,
  similarityOf: (row: number) => number,
  isExact: boolean,
): Clusters {
  // By first document of a cluster: the number of its documents, later its next free row.
  const next = new Uint32Array(roots.length);
  for (let d = 0; d < roots.length; d++) next[roots[d]!]!++;
  let count = 0;
  let rows = 0;
  for (let first = 0; first < next.length; first++) {
    const size = next[first]!;
    next[first] = size < 2 ? ALONE : rows;
    if (size < 2) continue;
    rows += size;
    count++;
  }
  const cluster = new Uint32Array(rows);
  const document = new Uint32Array(rows);
  for (let d = 0, number = 0; d < roots.length; d++) {
    const root = roots[d]!;
    if (next[root] === ALONE) continue;
    const row = next[root]!++;
    document[row] = d;
    // The representative comes first, so its row has the number of the cluster already.
    cluster[row] = root === d ? ++number : cluster[row - 1]!;
  }
  const role = new Uint8Array(rows);
  const similarity = new Float64Array(rows).fill(1);
  const basisOf = new Uint8Array(rows);
  for (let row = 0, representative = 0, from = 0, to = 0; row < rows; row++) {
    const group = firstOf[document[row]!]!;
    if (row === 0 || cluster[row] !== cluster[row - 1]) {
      representative = group;
      from = lowerBound(verified.a, to, verified.count, representative);
      to = lowerBound(verified.a, from, verified.count, representative + 1);
      continue;
    }
    role[row] = MEMBER;
    if (group === representative) continue;
    const pair = pairRow(verified, representative, group, from, to);
    similarity[row] = pair < 0 ? Number.NaN : similarityOf(pair);
    basisOf[row] = Number.isNaN(similarity[row]) || !isExact ? ESTIMATE : EXACT;
  }
  return { cluster, document, role, similarity, basis: basisOf, count };
}

/** The row of the pair of two groups, -1 if there is none. Rows [from, to) have the representative as `a`. */
function pairRow(
  { a, b, count }: Pairs,
  representative: number,
  group: number,
  from: number,
  to: number,
): number {
  // The first document of a cluster may be in a group whose first member is a reference document.
  const isEarlier = group < representative;
  const [start, end] = isEarlier
    ? [lowerBound(a, 0, count, group), lowerBound(a, 0, count, group + 1)]
    : [from, to];
  const row = lowerBound(b, start, end, Math.max(group, representative));
  return row < end && b[row] === Math.max(group, representative) ? row : -1;
}
