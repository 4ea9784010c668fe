/**
 * Reduce verified pairs to clusters: the connected components of identity and near pairs, or kept documents with what is dropped
 * for them.
 *
 * Works on document numbers. Resemblance is not transitive, so a cluster can hold members far below the
 * threshold to each other: every row has its similarity to the representative and whether that number is
 * exact, and members below the threshold are counted. Never use clusters to drop documents; see `dropList`.
 */

import { disjointSets, rootOf, unite } from '../src/arrays/disjointSets.js';
import { lowerBound, positionsOf } from '../src/arrays/search.js';
import { eachRange, type Stepwise } from '../src/arrays/stepwise.js';
import type { IdentityClasses } from './identityClasses.js';
import { evidenceFrom, type NearPairs, type VerifiedPairs } from './verifiedPairs.js';

/** Values of the role column. */
export const REPRESENTATIVE = 0;
export const MEMBER = 1;

/** Values of the basis column. */
export const EXACT = 0;
export const ESTIMATE = 1;

/** Rows sorted by cluster, its representative first, then by document. */
export interface Clusters {
  /** Clusters are numbered from 1 in the order of their representatives. */
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

/** The evidence for the similarity of members to their representative. */
export interface SimilaritySource {
  /** All candidate pairs, rejected ones too; those with an exact resemblance (not NaN) are looked up. */
  readonly verified: Pick<VerifiedPairs, 'a' | 'b' | 'count' | 'exact'>;
  /** Estimate of two first members a < b; NaN where there is none, which counts as below the threshold. */
  readonly estimate: (a: number, b: number) => number;
  readonly threshold: number;
}

/** Of the similarity of two first members: exact where their sets were compared, else (NaN) estimated from sketches. */
const basisOf = (exact: number): number => (Number.isNaN(exact) ? ESTIMATE : EXACT);

/** Whether a member counts as below the threshold: also where there is no estimate (NaN). */
const isBelow = (similarity: number, threshold: number): boolean => !(similarity >= threshold);

/**
 * Clusters of two or more documents; members of an exact-duplicate group share the near pairs of their first member.
 *
 * The similarity of a member is 1, exact, within the representative's class; else the resemblance of the two
 * first members where that pair was verified exactly, accepted or not; else the estimate.
 */
export function* clusters(
  classes: IdentityClasses,
  near: NearPairs,
  source: SimilaritySource,
): Stepwise<Clusters> {
  return yield* tableOf(yield* componentsOf(classes, near), classes, source);
}

/** Documents with an identical or near one (few have any), and their clusters. */
interface Linked {
  /** Ascending. */
  readonly documents: Uint32Array;
  /** By place in `documents`: the place of the first member of its cluster. */
  readonly roots: Uint32Array;
}

/** The flagged documents, and by document its place among them; undefined for others. */
function linkedDocuments(isLinked: Uint8Array): {
  readonly documents: Uint32Array;
  readonly placeOf: Uint32Array;
} {
  const documents = positionsOf(1, isLinked);
  const placeOf = new Uint32Array(isLinked.length);
  for (let place = 0; place < documents.length; place++) placeOf[documents[place]!] = place;
  return { documents, placeOf };
}

function* tableOf(linked: Linked, classes: IdentityClasses, source: SimilaritySource): Stepwise<Clusters> {
  const { cluster, document, count } = clusterRows(linked);
  yield;
  const rows = document.length;
  const role = new Uint8Array(rows);
  const similarity = new Float64Array(rows);
  const basis = new Uint8Array(rows);
  let membersBelow = 0;
  let clustersBelow = 0;
  let lastBelow = 0;
  let representative = 0;
  let look: LookUp = NOTHING;
  yield* eachRange(rows, (from, to) => {
    for (let row = from; row < to; row++) {
      if (row === 0 || cluster[row] !== cluster[row - 1]) {
        representative = classes.first[document[row]!]!;
        look = lookUp(source, representative);
        similarity[row] = 1;
        continue;
      }
      role[row] = MEMBER;
      const first = classes.first[document[row]!]!;
      const exact = first === representative ? 1 : exactResemblance(source, look, first);
      basis[row] = basisOf(exact);
      similarity[row] = basis[row] === ESTIMATE ? source.estimate(representative, first) : exact;
      if (!isBelow(similarity[row]!, source.threshold)) continue;
      membersBelow++;
      if (cluster[row] !== lastBelow) clustersBelow++;
      lastBelow = cluster[row]!;
    }
  });
  return { cluster, document, role, similarity, basis, count, membersBelow, clustersBelow };
}

function* componentsOf(classes: IdentityClasses, near: NearPairs): Stepwise<Linked> {
  const isLinked = new Uint8Array(classes.first.length);
  const { firsts, offsets, members } = classes.members;
  for (let i = 0; i < members.length; i++) isLinked[members[i]!] = 1;
  yield* eachRange(near.count, (from, to) => {
    for (let i = from; i < to; i++) {
      isLinked[near.a[i]!] = 1;
      isLinked[near.b[i]!] = 1;
    }
  });
  const { documents, placeOf } = linkedDocuments(isLinked);
  const sets = disjointSets(documents.length);
  for (let c = 0; c < firsts.length; c++) {
    const first = placeOf[firsts[c]!]!;
    for (let i = offsets[c]!; i < offsets[c + 1]!; i++) unite(sets, first, placeOf[members[i]!]!);
  }
  yield* eachRange(near.count, (from, to) => {
    for (let i = from; i < to; i++) unite(sets, placeOf[near.a[i]!]!, placeOf[near.b[i]!]!);
  });
  for (let place = 0; place < sets.length; place++) sets[place] = rootOf(sets, place);
  return { documents, roots: sets };
}

/**
 * Rows (cluster, document) of the components of two or more. Roots ascend in the order in which documents are
 * visited, so two counting passes give the order without comparisons.
 */
function clusterRows({ documents, roots }: Linked) {
  const next = new Uint32Array(roots.length);
  for (let place = 0; place < roots.length; place++) next[roots[place]!]!++;
  let count = 0;
  let rows = 0;
  for (let place = 0; place < next.length; place++) {
    const size = next[place]!;
    if (size < 2) {
      next[place] = NONE;
      continue;
    }
    next[place] = rows;
    rows += size;
    count++;
  }
  const cluster = new Uint32Array(rows);
  const document = new Uint32Array(rows);
  let number = 0;
  for (let place = 0; place < roots.length; place++) {
    const root = roots[place]!;
    if (next[root] === NONE) continue;
    const row = next[root]!++;
    document[row] = documents[place]!;
    // The root is the first of its cluster, so its own row has the number before any member needs it.
    cluster[row] = root === place ? ++number : cluster[row - 1]!;
  }
  return { cluster, document, count };
}

/** The root of a cluster of one document. No row has this number: rows are below 2^32 - 1. */
const NONE = 0xffffffff;

/** The representative, and rows [from, to) of the verified pairs whose a it is. */
interface LookUp {
  readonly representative: number;
  readonly from: number;
  readonly to: number;
}

const NOTHING: LookUp = { representative: 0, from: 0, to: 0 };

/** The representative is the smallest document of its cluster, so it is `a` in every verified pair with a member. */
function lookUp(source: SimilaritySource, representative: number): LookUp {
  const { verified } = source;
  if (verified.exact === null) return NOTHING;
  const from = lowerBound(verified.a, 0, verified.count, representative);
  return { representative, from, to: lowerBound(verified.a, from, verified.count, representative + 1) };
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
