/**
 * Reduce candidate pairs and signatures to clusters with a representative each (Broder 1997, section 4.4).
 *
 * Documents are taken in id order; one joins the cluster whose representative it resembles most, where the estimate from the
 * signatures is at least the threshold, else it founds a cluster. A fingerprint is a slot with its value, so of two
 * signatures the share of common fingerprints is their agreement. A document is held against the representatives that
 * candidate pairs of enough agreement link it to, directly or over other documents: clusters lie within the connected
 * components of such pairs, and a component at a time is in memory.
 *
 * Floor 2. Works on document numbers; it never knows texts or ids, nor what was verified.
 */
import {
  type GreedyParams,
  greedyClusters,
  type SketchColumns,
} from '../src/sketch/broder/greedyClusters.js';
import { disjointSets, rootOf, unite } from '../src/sketch/disjointSets.js';
import type { AgreeingPairs, SignatureBlocks } from '../src/sketch/pairs.js';
import type { IdentityClasses } from './identityClasses.js';

export interface GreedyRule {
  /** Least share of equal slots with which a document joins. */
  readonly threshold: number;
  /** The same as a number of slots. */
  readonly least: number;
  /** `popular`: as many fingerprints as a signature has, the most popular of the cluster. */
  readonly representative: 'first' | 'popular';
  /** A fingerprint leads to so many clusters at most, the first that have it. */
  readonly followed: number;
}

export interface GreedyRoots {
  /** Document -> the first member of its cluster; itself when it is alone. */
  readonly roots: Uint32Array;
  /** Documents that founded a cluster although they were not held against every representative with their fingerprints. */
  readonly uncompared: number;
}

/** Clusters of the first members of identity classes; later members are where their first is. */
export function greedyRoots(
  classes: IdentityClasses,
  candidates: Pick<AgreeingPairs, 'a' | 'b' | 'agreement' | 'count'>,
  signatures: SignatureBlocks,
  rule: GreedyRule,
): GreedyRoots {
  const count = classes.first.length;
  const roots = new Uint32Array(count);
  for (let d = 0; d < count; d++) roots[d] = d;
  let uncompared = 0;
  for (const documents of components(candidates, count, rule.least)) {
    // Two documents that are linked are alike enough.
    if (documents.length === 2) roots[documents[1]!] = documents[0]!;
    else uncompared += clusterComponent(documents, signatures, rule, roots);
  }
  for (let d = 0; d < count; d++) if (classes.first[d] !== d) roots[d] = roots[classes.first[d]!]!;
  return { roots, uncompared };
}

/** The documents of each component of two or more, ascending; views, each good until the end. */
function* components(
  { a, b, agreement, count }: Pick<AgreeingPairs, 'a' | 'b' | 'agreement' | 'count'>,
  documents: number,
  least: number,
): Generator<Uint32Array> {
  const sets = disjointSets(documents);
  for (let i = 0; i < count; i++) if (agreement[i]! >= least) unite(sets, a[i]!, b[i]!);
  const ends = new Uint32Array(documents);
  for (let d = 0; d < documents; d++) ends[rootOf(sets, d)]!++;
  const sizes = ends.slice();
  for (let d = 1; d < documents; d++) ends[d]! += ends[d - 1]!;
  const ordered = new Uint32Array(documents);
  for (let d = documents - 1; d >= 0; d--) ordered[--ends[rootOf(sets, d)]!] = d;
  // Now each end is a beginning.
  for (let d = 0; d < documents; d++) {
    if (sizes[d]! > 1) yield ordered.subarray(ends[d]!, ends[d]! + sizes[d]!);
  }
}

/** Clusters one component; returns how many founders were not compared with all. */
function clusterComponent(
  documents: Uint32Array,
  signatures: SignatureBlocks,
  rule: GreedyRule,
  roots: Uint32Array,
): number {
  const params: GreedyParams = {
    threshold: rule.threshold,
    // Of N fingerprints of a document: the share that the representative has.
    measure: 'containment',
    most: Number.POSITIVE_INFINITY,
    representative: rule.representative === 'first' ? 'first' : signatures.hashes,
    followed: rule.followed,
  };
  const { clusters, count, uncompared } = greedyClusters(fingerprintsOf(documents, signatures), params);
  const founders = new Uint32Array(count);
  let founded = 0;
  documents.forEach((document, i) => {
    // Clusters are numbered in the order of their founders.
    if (clusters[i] === founded) founders[founded++] = document;
    roots[document] = founders[clusters[i]!]!;
  });
  return uncompared;
}

/** Slots with their values, ascending as 64-bit numbers: the slot is the high word. */
function fingerprintsOf(
  documents: Uint32Array,
  { blocks, blockOf, columnOf, stride, hashes }: SignatureBlocks,
): SketchColumns {
  const starts = new Uint32Array(documents.length + 1);
  const values = new Uint32Array(2 * hashes * documents.length);
  let at = 0;
  for (let i = 0; i < documents.length; i++) {
    const document = documents[i]!;
    const slots = blocks[blockOf[document]!]!;
    const from = columnOf[document]! * stride;
    for (let slot = 0; slot < hashes; slot++) {
      values[at++] = slots[from + slot]!;
      values[at++] = slot;
    }
    starts[i + 1] = at / 2;
  }
  return { starts, values };
}
