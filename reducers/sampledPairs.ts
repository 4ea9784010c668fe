/**
 * Reduce by pair: what two documents share over all ranges of fingerprints -> candidate pairs with their estimates.
 *
 * Floor 2. The rule is asked twice: with what the pair may share at most, the counted fingerprints and as many eliminated
 * ones as both can have; and, of the few pairs that are left, with what their samples do share. So elimination loses no
 * pair that shares a single other fingerprint.
 */
import type { Fingerprints } from '../src/blocks/fingerprints.js';
import { commonAmongFirst } from '../src/sketch/broder/sortedFingerprints.js';
import type { AgreeingPairs } from '../src/sketch/pairs.js';
import type { SampleParams } from '../src/sketch/params.js';
import type { SampleRule, SampleSizes } from '../src/sketch/sampleRule.js';
import { intersectionSize } from '../src/sketch/similarity.js';
import type { FingerprintBlocks, SharingPairs } from './fingerprintPairs.js';

/** All samples, and what is known of them by document. */
export interface SizedSamples extends FingerprintBlocks {
  readonly sizes: SampleSizes;
}

export interface SampledDocuments extends SizedSamples {
  /** By document: fingerprints of its sample that were eliminated. */
  readonly eliminated: Uint32Array;
}

/** The sizes of all samples, by document. */
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

/** The lists as one, sorted by (a, b) and distinct; what a pair shares is added up. Each list is sorted and distinct. */
export function addedPairs(lists: readonly SharingPairs[]): SharingPairs {
  let round = lists;
  // Neighbours are merged, so that a row is copied as often as the number of lists can be halved.
  while (round.length > 1) {
    const next: SharingPairs[] = [];
    for (let i = 0; i < round.length; i += 2) {
      next.push(i + 1 < round.length ? bothAdded(round[i]!, round[i + 1]!) : round[i]!);
    }
    round = next;
  }
  const none = new Uint32Array(0);
  return round[0] ?? { a: none, b: none, shared: none, count: 0 };
}

function bothAdded(one: SharingPairs, other: SharingPairs): SharingPairs {
  const a = new Uint32Array(one.count + other.count);
  const b = new Uint32Array(one.count + other.count);
  const shared = new Uint32Array(one.count + other.count);
  let count = 0;
  for (let i = 0, j = 0; i < one.count || j < other.count; count++) {
    const order = i === one.count ? 1 : j === other.count ? -1 : orderOf(one, i, other, j);
    const from = order <= 0 ? one : other;
    const at = order <= 0 ? i : j;
    a[count] = from.a[at]!;
    b[count] = from.b[at]!;
    shared[count] = from.shared[at]! + (order === 0 ? other.shared[j]! : 0);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return { a, b, shared, count };
}

/** Negative, 0 or positive as pair i of one list is before, equal to or behind pair j of the other. */
function orderOf(one: SharingPairs, i: number, other: SharingPairs, j: number): number {
  return one.a[i] === other.a[j] ? one.b[i]! - other.b[j]! : one.a[i]! - other.a[j]!;
}

/**
 * The pairs that the rule passes, with their estimates, in their order; accepted where the estimate is at least `least`.
 * `pairs` are sorted and distinct.
 */
export function sampledPairs(
  pairs: SharingPairs,
  documents: SampledDocuments,
  params: SampleParams,
  rule: SampleRule,
  least: number,
): AgreeingPairs {
  const { sizes, eliminated } = documents;
  const a = new Uint32Array(pairs.count);
  const b = new Uint32Array(pairs.count);
  const estimates = new Float64Array(pairs.count);
  let count = 0;
  for (let i = 0; i < pairs.count; i++) {
    const x = pairs.a[i]!;
    const y = pairs.b[i]!;
    const hidden = Math.min(eliminated[x]!, eliminated[y]!);
    if (!rule.passes(sizes, x, y, pairs.shared[i]! + hidden)) continue;
    const shared = hidden === 0 ? pairs.shared[i]! : sharedOf(documents, x, y);
    if (hidden > 0 && !rule.passes(sizes, x, y, shared)) continue;
    a[count] = x;
    b[count] = y;
    estimates[count++] = estimateOf(documents, params, rule, x, y, shared);
  }
  const agreement = estimates.slice(0, count);
  const accepted = Uint8Array.from(agreement, (estimate) => (estimate >= least ? 1 : 0));
  return { a: a.slice(0, count), b: b.slice(0, count), count, agreement, accepted };
}

/** Fingerprints that both samples have. */
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

/** Common ones among the `most` smallest fingerprints of both samples together. */
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

/** The measure of a pair by theorem 1 of Broder 1997; exact where both sets are whole, NaN where nothing was drawn. */
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
  if (params.sketch === 'mod-m') return rule.share(shared, sampled[x]!, sampled[y]!);
  // The union has s elements or more, for one of both sets has.
  return commonOf(documents, x, y, params.hashes) / params.hashes;
}

/** The estimate of any pair; see above. */
export function sampleEstimate(
  documents: SizedSamples,
  params: SampleParams,
  rule: SampleRule,
  x: number,
  y: number,
): number {
  return estimateOf(documents, params, rule, x, y, sharedOf(documents, x, y));
}
