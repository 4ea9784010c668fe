/**
 * Reduce verified pairs to clusters: the connected components of identity and near pairs.
 *
 * Floor 2. Works on document numbers; it never knows texts or ids. Resemblance is not transitive, so a
 * cluster can hold members far below the threshold to each other: every row says how alike it is to the
 * representative and whether that number is exact, and members below the threshold are counted. Never use
 * clusters to drop documents; see `dropList`.
 */
import { disjointSets, rootOf, unite } from '../src/sketch/disjointSets.js';
import type { IdentityClasses } from './identityClasses.js';
import { evidenceFrom, type NearPairs, type VerifiedPairs } from './verifiedPairs.js';

/** Values of the role column. */
export const REPRESENTATIVE = 0;
export const MEMBER = 1;

/** Values of the basis column. */
export const EXACT = 0;
export const ESTIMATE = 1;

/** Rows sorted by (cluster, document). */
export interface Clusters {
  /** Clusters are numbered from 1 in the order of their representatives, their smallest documents. */
  readonly cluster: Uint32Array;
  readonly document: Uint32Array;
  readonly role: Uint8Array;
  /** To the representative; 1 for the representative itself. */
  readonly similarity: Float64Array;
  readonly basis: Uint8Array;
  /** Number of clusters. */
  readonly count: number;
  /** Members whose similarity is below the threshold, and clusters that have such members. */
  readonly membersBelow: number;
  readonly clustersBelow: number;
}

/** What the similarity of a member to its representative is taken from. */
export interface SimilaritySource {
  /** All candidate pairs, rejected ones too; those with an exact resemblance (not NaN) are looked up. */
  readonly verified: Pick<VerifiedPairs, 'a' | 'b' | 'count' | 'exact'>;
  /** Estimated resemblance (agreement / N) of two first members a < b. */
  readonly estimate: (a: number, b: number) => number;
  readonly threshold: number;
}

/**
 * Clusters of two or more documents; members of an identity class share the near pairs of their first member.
 *
 * The similarity of a member is 1, exact, within the representative's class; else the resemblance of the two
 * first members where that pair was verified exactly, accepted or not; else the estimate.
 */
export function clusters(classes: IdentityClasses, near: NearPairs, source: SimilaritySource): Clusters {
  return clusterTable(rootsOf(classes, near), classes, source);
}

/** The same of clusters made in another way: `roots` names for every document the smallest of its cluster. */
export function clusterTable(
  roots: Uint32Array,
  classes: IdentityClasses,
  source: SimilaritySource,
): Clusters {
  const { cluster, document, count } = clusterRows(roots);
  const rows = document.length;
  const role = new Uint8Array(rows);
  const similarity = new Float64Array(rows);
  const basis = new Uint8Array(rows);
  let membersBelow = 0;
  let clustersBelow = 0;
  let lastBelow = 0;
  let representative = 0;
  let look: LookUp = NOTHING;
  for (let row = 0; row < rows; row++) {
    if (row === 0 || cluster[row] !== cluster[row - 1]) {
      representative = document[row]!;
      look = lookUp(source, representative);
      similarity[row] = 1;
      continue;
    }
    role[row] = MEMBER;
    const first = classes.first[document[row]!]!;
    const exact = first === representative ? 1 : exactResemblance(source, look, first);
    basis[row] = Number.isNaN(exact) ? ESTIMATE : EXACT;
    similarity[row] = Number.isNaN(exact) ? source.estimate(representative, first) : exact;
    if (similarity[row]! >= source.threshold) continue;
    membersBelow++;
    if (cluster[row] !== lastBelow) clustersBelow++;
    lastBelow = cluster[row]!;
  }
  return { cluster, document, role, similarity, basis, count, membersBelow, clustersBelow };
}

/** The root of every document, which is the smallest document of its component. */
function rootsOf(classes: IdentityClasses, near: NearPairs): Uint32Array {
  const count = classes.first.length;
  const sets = disjointSets(count);
  for (let d = 0; d < count; d++) {
    if (classes.first[d] !== d) unite(sets, classes.first[d]!, d);
  }
  for (let i = 0; i < near.count; i++) unite(sets, near.a[i]!, near.b[i]!);
  const roots = new Uint32Array(count);
  for (let d = 0; d < count; d++) roots[d] = rootOf(sets, d);
  return roots;
}

/**
 * Rows (cluster, document) of the components of two or more. Roots ascend with the documents that are met
 * first, so two passes of counting give the order and nothing is compared.
 */
function clusterRows(roots: Uint32Array): { cluster: Uint32Array; document: Uint32Array; count: number } {
  const next = new Uint32Array(roots.length);
  for (let d = 0; d < roots.length; d++) next[roots[d]!]!++;
  let count = 0;
  let rows = 0;
  for (let d = 0; d < next.length; d++) {
    const size = next[d]!;
    if (size < 2) {
      next[d] = ALONE;
      continue;
    }
    next[d] = rows;
    rows += size;
    count++;
  }
  const cluster = new Uint32Array(rows);
  const document = new Uint32Array(rows);
  let number = 0;
  for (let d = 0; d < roots.length; d++) {
    const root = roots[d]!;
    if (next[root] === ALONE) continue;
    const row = next[root]!++;
    document[row] = d;
    // The root is the first of its cluster, so its own row carries the number before any member asks for it.
    cluster[row] = root === d ? ++number : cluster[row - 1]!;
  }
  return { cluster, document, count };
}

/** Marks a document in no cluster; no row, as rows are below 2^32 - 1. */
const ALONE = 0xffffffff;

/** Rows [from, to) of the verified pairs whose a is the representative. */
interface LookUp {
  readonly from: number;
  readonly to: number;
}

const NOTHING: LookUp = { from: 0, to: 0 };

/**
 * All rows of the representative: in every verified pair with a member of its cluster it is the smaller, so
 * a.
 */
function lookUp(source: SimilaritySource, representative: number): LookUp {
  const { verified } = source;
  if (verified.exact === null) return NOTHING;
  const from = lowerBound(verified.a, 0, verified.count, representative);
  return { from, to: lowerBound(verified.a, from, verified.count, representative + 1) };
}

/** Exact resemblance of the representative and a first member; NaN where that pair was never verified. */
function exactResemblance(source: SimilaritySource, look: LookUp, first: number): number {
  const { verified } = source;
  if (verified.exact === null) return Number.NaN;
  const row = lowerBound(verified.b, look.from, look.to, first);
  if (row === look.to || verified.b[row] !== first) return Number.NaN;
  const { rows, jaccard } = verified.exact;
  const position = evidenceFrom(verified.exact, row);
  return rows[position] === row ? jaccard[position]! : Number.NaN;
}

/** First position of ascending column[from, to) whose value is at least `value`; `to` when there is none. */
function lowerBound(column: Uint32Array, from: number, to: number, value: number): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (column[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
