/**
 * Reduce by document: the lists of its fingerprints -> its candidate pairs with later documents, with their
 * estimates.
 *
 * The rule is evaluated twice: with the highest number of fingerprints that a pair may share (the counted ones, and as many
 * frequent ones as both can have); and, for the few remaining pairs, with the number that their samples share. So the counts
 * ignore frequent fingerprints, and a single other fingerprint finds a pair, or a frequent one on which the pair relies
 * (reducers/frequentPairs.ts).
 */

import { areOfOneGroup, type Groups } from '../src/arrays/groupCounts.js';
import { Float64Column, Uint32Column } from '../src/arrays/growable.js';
import type { Fingerprints } from '../src/blocks/fingerprints.js';
import type { AgreeingPairs, Pairs } from '../src/blocks/pairs.js';
import type { SampleParams } from '../src/sketch/params.js';
import type { SampleRule, SampleSizes } from '../src/sketch/samples/sampleRule.js';
import { commonAmongFirst, intersectionSize } from '../src/sketch/similarity.js';
import {
  type FingerprintBlocks,
  FREQUENT,
  type FullLists,
  LAST,
  NOWHERE,
  partnersOf,
} from './sampleLists.js';

export interface SizedSamples extends FingerprintBlocks {
  readonly sizes: SampleSizes;
}

interface SampledDocuments extends SizedSamples {
  /** By document: how many fingerprints of its sample are frequent. */
  readonly frequent: Uint32Array;
}

export function sampleSizes({ blocks, blockOf, columnOf }: FingerprintBlocks): SampleSizes {
  const count = blockOf.length;
  const sizes = {
    size: new Uint32Array(count),
    sampled: new Uint32Array(count),
    whole: new Uint8Array(count),
  };
  for (let d = 0; d < count; d++) {
    const { offsets, sampled, whole } = blocks[blockOf[d]!]!;
    const row = columnOf[d]!;
    sizes.size[d] = offsets[row + 1]! - offsets[row]!;
    sizes.sampled[d] = sampled[row]!;
    sizes.whole[d] = whole[row]!;
  }
  return sizes;
}

export interface ListedFingerprints {
  /** Ends of the ranges of fingerprints, as high words, ascending. */
  readonly ends: readonly number[];
  /** By range: its lists; see FingerprintLists. */
  readonly listed: readonly Uint32Array[];
  /**
   * By document batch, fingerprint after fingerprint: the position in the lists of its range, NOWHERE, or the place of a
   * frequent fingerprint.
   */
  readonly places: readonly Uint32Array[];
  /** The documents of frequent fingerprints that are paired in full. */
  readonly full: FullLists;
}

/** Room for the number of fingerprints that one document shares with all others. */
interface SharedCounts {
  /** By document: the number it shares with the current one; all 0 between documents. */
  readonly shared: Uint32Array;
  readonly met: Uint32Array;
}

/** Added once to the count of a pair that a frequent fingerprint made, because such fingerprints are not counted. */
const MADE = 2 ** 30;

export function sharedCounts(documents: number): SharedCounts {
  return { shared: new Uint32Array(documents), met: new Uint32Array(documents) };
}

/**
 * Calls `visit` for each of `documents` with the later documents with which it shares fingerprints, in no order, and by document
 * how many (listed ones, modulo 2^30). Both are valid until `visit` returns, which may reorder the partners. Returns the number
 * of steps along lists.
 */
export function eachSharing(
  { blocks, blockOf, columnOf }: FingerprintBlocks,
  { ends, listed, places, full }: ListedFingerprints,
  documents: Uint32Array,
  { shared, met }: SharedCounts,
  visit: (document: number, partners: Uint32Array, shared: Uint32Array) => void,
): number {
  let steps = 0;
  for (const document of documents) {
    const { offsets, values } = blocks[blockOf[document]!]!;
    const ofBlock = places[blockOf[document]!]!;
    const row = columnOf[document]!;
    let count = 0;
    for (let e = offsets[row]!, range = 0; e < offsets[row + 1]!; e++) {
      const place = ofBlock[e]!;
      if (place === NOWHERE) continue;
      if (place >= FREQUENT) {
        const partners = partnersOf(full, place - FREQUENT, document);
        if (partners === null) continue;
        const { offsets: ends, documents: others } = partners.lists;
        for (let p = partners.from; p < ends[place - FREQUENT + 1]!; p++, steps++) {
          const other = others[p]!;
          if (shared[other] === 0) met[count++] = other;
          if (shared[other]! < MADE) shared[other]! += MADE;
        }
        continue;
      }
      while (values[2 * e + 1]! >= ends[range]!) range++;
      const list = listed[range]!;
      for (let p = place, isLast = false; !isLast; p++, steps++) {
        isLast = list[p]! >= LAST;
        const other = isLast ? list[p]! - LAST : list[p]!;
        if (shared[other]!++ === 0) met[count++] = other;
      }
    }
    const partners = met.subarray(0, count);
    visit(document, partners, shared);
    for (let i = 0; i < count; i++) shared[partners[i]!] = 0;
  }
  return steps;
}

/** The parameters that determine the rule and the estimates of a run. */
interface PairingRule {
  readonly params: SampleParams;
  readonly rule: SampleRule;
  /** Least estimate of an accepted pair. */
  readonly least: number;
}

/**
 * The pairs of `some` documents (ascending) with later ones that pass the rule, with their estimates, sorted
 * by (a, b), no pair within a group; `steps`: steps along lists. Only pairs that pass take memory.
 */
export function sampledPairs(
  documents: SampledDocuments,
  lists: ListedFingerprints,
  some: Uint32Array,
  { params, rule, least }: PairingRule,
  counts: SharedCounts = sharedCounts(documents.blockOf.length),
  groups: Groups | null = null,
): AgreeingPairs & { readonly steps: number } {
  const { sizes, frequent } = documents;
  const [a, b, estimates] = [new Uint32Column(), new Uint32Column(), new Float64Column()];
  const passing = new Uint32Column();
  const steps = eachSharing(documents, lists, some, counts, (x, partners, counted) => {
    passing.truncate(0);
    for (let i = 0; i < partners.length; i++) {
      const y = partners[i]!;
      if (areOfOneGroup(groups, x, y)) continue;
      if (!mayPass(documents, rule, x, y, counted[y]! % MADE)) continue;
      const isCounted = frequent[x] === 0 || frequent[y] === 0;
      if (isCounted || rule.passes(sizes, x, y, sharedOf(documents, x, y))) passing.push(y);
    }
    for (const y of passing.view.sort()) {
      const isCounted = frequent[x] === 0 || frequent[y] === 0;
      a.push(x);
      b.push(y);
      const shared = isCounted ? counted[y]! : sharedOf(documents, x, y);
      estimates.push(estimateOf(documents, params, rule, x, y, shared));
    }
  });
  const accepted = Uint8Array.from(estimates.view, (estimate) => (estimate >= least ? 1 : 0));
  return { a: a.view, b: b.view, count: a.length, agreement: estimates.view, accepted, steps };
}

/**
 * The pairs that pass the rule, with their estimates; `pairs` is sorted and distinct, and so is the result.
 */
export function estimatedPairs(
  documents: SizedSamples,
  pairs: Pairs,
  { params, rule, least }: PairingRule,
): AgreeingPairs {
  const [a, b, estimates] = [new Uint32Column(), new Uint32Column(), new Float64Column()];
  for (let i = 0; i < pairs.count; i++) {
    const [x, y] = [pairs.a[i]!, pairs.b[i]!];
    const estimate = passingEstimate(documents, params, rule, x, y);
    if (estimate === null) continue;
    a.push(x);
    b.push(y);
    estimates.push(estimate);
  }
  const accepted = Uint8Array.from(estimates.view, (estimate) => (estimate >= least ? 1 : 0));
  return { a: a.view, b: b.view, count: a.length, agreement: estimates.view, accepted };
}

/** The estimate of a pair that passes the rule; null: it does not pass. */
function passingEstimate(
  documents: SizedSamples,
  params: SampleParams,
  rule: SampleRule,
  x: number,
  y: number,
): number | null {
  const shared = sharedOf(documents, x, y);
  return rule.passes(documents.sizes, x, y, shared)
    ? estimateOf(documents, params, rule, x, y, shared)
    : null;
}

/**
 * Whether a pair that shares `counted` fingerprints which are not frequent may pass the rule: with as many frequent ones as both can
 * have.
 */
function mayPass(
  { sizes, frequent }: Pick<SampledDocuments, 'sizes' | 'frequent'>,
  rule: SampleRule,
  x: number,
  y: number,
  counted: number,
): boolean {
  return rule.passes(sizes, x, y, counted + Math.min(frequent[x]!, frequent[y]!));
}

function sharedOf({ blocks, blockOf, columnOf }: FingerprintBlocks, x: number, y: number): number {
  const one = blocks[blockOf[x]!]!;
  const other = blocks[blockOf[y]!]!;
  const [i, j] = [columnOf[x]!, columnOf[y]!];
  const { values, offsets } = one;
  return intersectionSize(
    values,
    offsets[i]!,
    offsets[i + 1]!,
    other.values,
    other.offsets[j]!,
    other.offsets[j + 1]!,
  );
}

/** The number of common ones among the `most` smallest fingerprints of both samples together. */
function commonOf(
  { blocks, blockOf, columnOf }: FingerprintBlocks,
  x: number,
  y: number,
  most: number,
): number {
  const one: Fingerprints = blocks[blockOf[x]!]!;
  const other: Fingerprints = blocks[blockOf[y]!]!;
  const [i, j] = [columnOf[x]!, columnOf[y]!];
  return commonAmongFirst(
    one.values,
    one.offsets[i]!,
    one.offsets[i + 1]!,
    other.values,
    other.offsets[j]!,
    other.offsets[j + 1]!,
    most,
  );
}

/** The measure of a pair by theorem 1 of Broder 1997; exact where both sets are whole, NaN without draws. */
function estimateOf(
  documents: SizedSamples,
  params: SampleParams,
  rule: SampleRule,
  x: number,
  y: number,
  shared: number,
): number {
  const { size, sampled, whole } = documents.sizes;
  if (whole[x] === 1 && whole[y] === 1) return rule.share(shared, size[x]!, size[y]!);
  if (params.sketch !== 'min-s') return rule.share(shared, sampled[x]!, sampled[y]!);
  // The union has s elements or more, because one of the sets has.
  return commonOf(documents, x, y, params.hashes) / params.hashes;
}

/** The estimate of any pair, as defined above. */
export function sampleEstimate(
  documents: SizedSamples,
  params: SampleParams,
  rule: SampleRule,
  x: number,
  y: number,
): number {
  return estimateOf(documents, params, rule, x, y, sharedOf(documents, x, y));
}
