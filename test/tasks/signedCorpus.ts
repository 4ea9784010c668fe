/** Documents with signatures and sets, as the stages that pair them read them, and as the reducers of the threads do. */

import { hotPairs } from '../../reducers/hotPairs.js';
import type { Pairs } from '../../src/blocks/pairs.js';
import type { DatasetRecord } from '../../src/engines/job.js';
import { createSketcher } from '../../src/sketch/family.js';
import { leastHotBucket } from '../../src/sketch/hotBuckets.js';
import { type ResultParams, signatureParams } from '../../src/sketch/params.js';
import { KINDS, OF_RANKED } from '../../src/tasks/stream/kinds.js';
import { isInRange, NO_HASH } from '../../src/tasks/stream/largeSets.js';
import { FieldWriter } from '../../src/tasks/stream/records.js';
import { ElementHash } from '../../src/text/elements.js';
import { randomWords } from '../data/randomHashes.js';
import { bandColumns } from '../kernel/referenceKernel.js';
import { bucketPairs, distinctPairs } from '../kernel/referencePairs.js';

export interface SignedCorpus {
  /** By document, as the kernel has them. */
  readonly sets: readonly Uint32Array[];
  readonly slots: Uint32Array;
  readonly stride: number;
  readonly ids: readonly Uint8Array[];
  /** Of the ids, low half first. */
  readonly idHashes: Uint32Array;
}

/** Documents in groups that share most of their hashes; some are alike in all slots. */
export function signedCorpus(params: ResultParams, documents: number, seed: number): SignedCorpus {
  const next = randomWords(seed);
  const sketcher = createSketcher(signatureParams(params).sketch);
  const pools = Array.from({ length: 1 + Math.ceil(documents / 12) }, () =>
    Uint32Array.from({ length: 80 }, next),
  );
  const sets = Array.from({ length: documents }, (_, d) => {
    const set = pools[next() % pools.length]!.slice(0, 2 * (30 + (next() % 11)));
    for (let changed = next() % 4; changed > 0; changed--) set[2 * (next() % 30)] = next();
    return d % 7 === 3 ? pools[0]!.slice() : set;
  });
  const slots = new Uint32Array(sketcher.stride * documents);
  const signature = new Uint32Array(sketcher.stride);
  sets.forEach((set, d) => {
    sketcher.clear(signature);
    sketcher.update(signature, set, set.length / 2);
    slots.set(signature, d * sketcher.stride);
  });
  // Ids repeat, so that their hashes do.
  const ids = sets.map(() => Uint8Array.of(next() % 3));
  const idHashes = new Uint32Array(2 * documents);
  const hash = new ElementHash(params.seed);
  ids.forEach((id, d) => {
    hash.write(id, 0, id.length, idHashes, 2 * d);
  });
  return { sets, slots, stride: sketcher.stride, ids, idHashes };
}

/** Ranks have gaps and pass 2^32; they are in the order of documents. */
export const rankOf = (d: number): number => Math.floor(d / 10) * 2 ** 32 + 3 * (d % 10);
export const documentOf = (rank: number): number => 10 * Math.floor(rank / 2 ** 32) + (rank % 2 ** 32) / 3;

export function placeOf(d: number): Uint8Array {
  return new FieldWriter()
    .u32(d % 3)
    .u64(d)
    .u32(Math.imul(d, 0x9e3779b1) >>> 0)
    .view.slice();
}

const bytesOf = (words: Uint32Array): Uint8Array =>
  new Uint8Array(words.buffer, words.byteOffset, words.byteLength);

/** By document: its signature. */
export function signatureRecords({ sets, slots, stride }: SignedCorpus, hashes: number): DatasetRecord[] {
  return sets.map((_, d) => [
    new FieldWriter().u8(KINDS.signature).u64(rankOf(d)).view.slice(),
    new FieldWriter()
      .raw(placeOf(d))
      .raw(bytesOf(slots.slice(d * stride, d * stride + hashes)))
      .view.slice(),
  ]);
}

/** By document: its record, of which only the id says something. */
export function idRecords({ ids }: SignedCorpus): DatasetRecord[] {
  return ids.map((id, d) => [
    new FieldWriter().u8(KINDS.ranked).u64(rankOf(d)).view.slice(),
    new FieldWriter().raw(new Uint8Array(OF_RANKED.id)).raw(id).view.slice(),
  ]);
}

/** The sets, those with `bits` in ranges, each in three records. */
export function setRecords({ sets }: SignedCorpus, bits: (d: number) => number = () => 0): DatasetRecord[] {
  return sets.flatMap((set, d) =>
    Array.from({ length: 2 ** bits(d) }, (_, range) => {
      const key = new FieldWriter().u8(KINDS.set).raw(placeOf(d)).u16(range).view.slice();
      const words = [...set.keys()].filter((i) => isInRange(set[i | 1]!, bits(d), range)).map((i) => set[i]!);
      const half = 2 * Math.floor(words.length / 4);
      const parts = bits(d) === 0 ? [words] : [words.slice(0, half), [], words.slice(half)];
      return parts.map((part): DatasetRecord => {
        return [key, part.length === 0 ? NO_HASH : bytesOf(Uint32Array.from(part))];
      });
    }).flat(),
  );
}

export interface Bucketed {
  /** Distinct, of all bands. */
  readonly pairs: Pairs;
  /** Pairs of hot buckets, each counted in every one. */
  readonly hot: number;
  readonly skipped: number;
  readonly buckets: number;
  readonly hotBuckets: number;
  readonly largestBucket: number;
}

/** What the reducers of the threads make of the signatures. */
export function bucketed(params: ResultParams, { sets, slots, stride, idHashes }: SignedCorpus): Bucketed {
  const { banding, sketch } = signatureParams(params);
  const count = sets.length;
  const documents = Uint32Array.from(sets, (_, d) => d);
  const keysOf = bandColumns([slots], { columns: count, stride }, banding, sketch.seed);
  const sum = { hot: 0, skipped: 0, buckets: 0, hotBuckets: 0, largestBucket: 0 };
  const lists: Pairs[] = [];
  for (let band = 0; band < banding.bands; band++) {
    const found = bucketPairs(
      { blocks: [keysOf(band)], places: null },
      documents,
      leastHotBucket(params.hotBucket),
    );
    const slot = ((band + 1) * banding.rows) % sketch.hashes;
    const members = [...found.hot.documents];
    const hot = hotPairs(
      found.hot,
      Uint32Array.from(members, (d) => slots[d * stride + slot]!),
      Uint32Array.from(members.flatMap((d) => [idHashes[2 * d]!, idHashes[2 * d + 1]!])),
    );
    lists.push(found, hot);
    sum.hot += hot.count;
    sum.skipped += hot.skipped;
    sum.buckets += found.buckets;
    sum.hotBuckets += found.hotBuckets;
    sum.largestBucket = Math.max(sum.largestBucket, found.largestBucket);
  }
  return { pairs: distinctPairs(lists), ...sum };
}
