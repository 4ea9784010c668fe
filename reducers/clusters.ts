/**
 * Reduces accepted pairs to clusters: connected components of duplicate groups and near pairs, or (greedy; Broder 1997, section 4.4)
 * each kept document with the documents that are dropped for it.
 *
 * Resemblance is not transitive, so members of a component can be far below the threshold: every row has its similarity to the
 * representative, and members below the threshold are counted. Never use clusters to drop documents; use the drop list.
 */
import { disjointSets, rootOf, unite } from '../src/arrays/disjointSets.js';
import { numbersBelow } from '../src/arrays/growable.js';
import type { DropList } from './dropList.js';
import type { PairRules, VerifiedPairs } from './groupPairs.js';

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
function componentRoots(
  { groups, references, onlyAgainst }: PairRules,
  verified: VerifiedPairs,
): Uint32Array {
  const { firstOf, offsets, members } = groups;
  const sets = disjointSets(firstOf.length);
  const isNear = references === 0 ? null : new Uint8Array(firstOf.length);
  for (const pairs of verified.parts())
    for (let i = 0; i < pairs.count; i++) {
      if (!pairs.isNear(i)) continue;
      unite(sets, pairs.a[i]!, pairs.b[i]!);
      if (isNear === null) continue;
      isNear[pairs.a[i]!] = 1;
      isNear[pairs.b[i]!] = 1;
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

/** Each kept document with the documents that are dropped for it. Their similarities are those of the drop list. */
export function keptClusters(
  { groups: { firstOf } }: PairRules,
  { document, kept, jaccard }: DropList,
  isExact: boolean,
): Clusters {
  const roots = numbersBelow(firstOf.length);
  const similarity = new Float64Array(firstOf.length);
  for (let i = 0; i < document.length; i++) {
    roots[document[i]!] = kept[i]!;
    similarity[document[i]!] = jaccard[i]!;
  }
  return clusterRows(roots, firstOf, (member) => similarity[member]!, isExact);
}

/** Connected components. A member whose group was not verified with that of the representative has the similarity NaN. */
export function componentClusters(rules: PairRules, verified: VerifiedPairs, isExact: boolean): Clusters {
  const { firstOf } = rules.groups;
  const roots = componentRoots(rules, verified);
  // By first member of a group: the group of the representative of its cluster, and the similarity of both groups.
  const representative = roots.map((root) => firstOf[root]!);
  const similarity = new Float64Array(firstOf.length).fill(Number.NaN);
  for (const { a, b, count, similarityOf } of verified.parts())
    for (let i = 0; i < count; i++) {
      if (representative[b[i]!] === a[i]) similarity[b[i]!] = similarityOf(i);
      // The first document of a cluster may be in a group whose first member is a reference document.
      if (representative[a[i]!] === b[i]) similarity[a[i]!] = similarityOf(i);
    }
  return clusterRows(roots, firstOf, (_, group) => similarity[group]!, isExact);
}

/**
 * The clusters of two documents or more. The similarity of a member is 1 (exact) in the duplicate group of the representative.
 *
 * @param roots the first document of the cluster of each document
 * @param similarityOf the similarity of a member of a group to its representative; NaN: to be estimated
 * @param isExact whether these similarities are those of sets
 */
function clusterRows(
  roots: Uint32Array,
  firstOf: Uint32Array,
  similarityOf: (document: number, group: number) => number,
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
  for (let row = 0, representative = 0; row < rows; row++) {
    const group = firstOf[document[row]!]!;
    if (row === 0 || cluster[row] !== cluster[row - 1]) {
      representative = group;
      continue;
    }
    role[row] = MEMBER;
    if (group === representative) continue;
    similarity[row] = similarityOf(document[row]!, group);
    basisOf[row] = Number.isNaN(similarity[row]) || !isExact ? ESTIMATE : EXACT;
  }
  return { cluster, document, role, similarity, basis: basisOf, count };
}
