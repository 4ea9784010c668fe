/**
 * Map by band: the buckets that are not small -> pairs with their agreements.
 *
 * All pairs of a middle bucket are compared; members of a large bucket are compared with its leaders. Each pair has one origin:
 *
 * - Documents that share a small bucket in any band are listed there, and skipped here.
 * - If two documents share middle buckets in several bands, the first of these bands emits the pair.
 * - In a large bucket, a pair of a member and a leader is skipped if a small or middle bucket emits it. Large buckets of other bands
 *   may emit it again.
 */

import type { CountedPairs, PairRanges, SignatureSource } from '../src/blocks/signatures.js';
import { type GroupedPairs, PART_PAIRS, PairParts } from '../src/kernel/pairParts.js';
import type { KernelMemory } from '../src/kernel/wasmMemory.js';
import type { BandingParams } from '../src/sketch/params.js';
import { strideOf } from '../src/sketch/signature.js';

/** The bands in which the bucket of a document is not small, and in which it is large. */
export interface BucketMarks {
  /** `words` words per document number, with one bit per band. */
  readonly larger: Uint32Array;
  readonly large: Uint32Array;
  readonly words: number;
}

export interface BucketInput extends CountedPairs {
  readonly band: number;
  readonly banding: BandingParams;
  readonly hashes: number;
  readonly source: SignatureSource;
  /** The row of each document number; null: it is the number. */
  readonly rowOf: Uint32Array | null;
  /** As in `BandBuckets`. */
  readonly members: Uint32Array;
  readonly ends: Uint32Array;
  readonly marks: BucketMarks;
  /** Buckets with more members are large. */
  readonly cap: number;
  /** Minimum agreement of a pair that is kept, and of a pair at the threshold. */
  readonly cutoff: number;
  readonly near: number;
  /** Maximum number of leaders of a large bucket, and of leaders that a member is paired with. */
  readonly mostLeaders: number;
  readonly mostFollowed: number;
  readonly ranges: PairRanges;
  /** Bytes that signatures of members may use. */
  readonly room: number;
}

export interface BucketPairs {
  /** By agreement, the number of distinct pairs of middle buckets below the cutoff. */
  readonly tally: Uint32Array;
  readonly largeBuckets: number;
  readonly largeMembers: number;
  /** Members of large buckets that reached the threshold with no leader when the list of leaders was full. */
  readonly unmatched: number;
}

/** A call compares this many members with as many others. */
const MEMBERS_PER_CALL = 256;
const LEAST_MEMBERS = 64;
const COUNTS_BYTES = 4096;

/** Calls `take` for each part of the pairs at the cutoff. */
export function bucketPairs(
  memory: KernelMemory,
  input: BucketInput,
  take: (part: GroupedPairs) => void,
): BucketPairs {
  const { band, banding, hashes, source, rowOf, members, ends, marks, cap, references, onlyAgainst } = input;
  const { call } = memory;
  memory.release();
  const { bands, rows } = banding;
  const width = 2 * strideOf(hashes);
  const maskWords = Math.ceil(hashes / 64);
  // Signature, mask, marks, number, and its place in the order of rows, twice.
  const bytesOfMember = width + 8 * maskWords + 8 * marks.words + 4 + 16;
  const most = Math.max(LEAST_MEMBERS, Math.min(members.length, Math.floor(input.room / bytesOfMember)));
  const numbers = memory.allocate(4 * most);
  const signatures = memory.allocate(width * most);
  const masks = memory.allocate(8 * maskWords * most);
  const larger = memory.allocate(4 * marks.words * most);
  const large = memory.allocate(4 * marks.words * most);
  const order = memory.allocate(8 * most);
  const spare = memory.allocate(8 * most);
  const counts = memory.allocate(COUNTS_BYTES);
  const tally = memory.allocate(4 * (hashes + 1));
  const bits = memory.allocate(8 * (2 * maskWords + 1));
  const own = memory.allocate(8 * maskWords);
  const leaders = memory.allocate(width * input.mostLeaders);
  const state = memory.allocate(8 + 4 * input.mostLeaders);
  const candidates = memory.allocate(4 * input.mostLeaders);
  const parts = new PairParts(memory, input.ranges, take);
  memory.bytes.fill(0, tally, tally + 4 * (hashes + 1));
  memory.bytes.fill(0, bits, bits + 8 * (2 * maskWords + 1));
  memory.bytes.fill(0, own, own + 8 * maskWords);
  const firstSlot = band * rows;
  memory.words[own / 4 + (firstSlot >> 5)] = (1 << (firstSlot & 31)) >>> 0;
  const { words } = memory;

  /** Loads the numbers, signatures and masks of some spans of members, in order. */
  const load = (isLarge: boolean, ...spans: readonly (readonly [from: number, to: number])[]): void => {
    let count = 0;
    for (const [from, to] of spans) {
      for (let i = from; i < to; i++, count++) {
        const number = members[i]!;
        words[numbers / 4 + count] = number;
        words[order / 4 + 2 * count] = count;
        words[order / 4 + 2 * count + 1] = rowOf === null ? number : rowOf[number]!;
        for (let w = 0; w < marks.words; w++) {
          words[larger / 4 + marks.words * count + w] = marks.larger[marks.words * number + w]!;
          words[large / 4 + marks.words * count + w] = marks.large[marks.words * number + w]!;
        }
      }
    }
    call.sortRecords!(order, count, spare, counts);
    source.gather(memory.wordsAt(order, 2 * count), words, signatures / 4);
    const of = [band, bands, rows, isLarge ? 1 : 0, maskWords, masks] as const;
    call.maskBands!(count, larger, large, marks.words, ...of);
  };
  /** The first of the loaded members [from, to), in ascending order, that is not a reference document. */
  const firstNew = (from: number, to: number): number => {
    while (from < to && words[numbers / 4 + from]! < references) from++;
    return from;
  };
  /** Compares loaded members [i0, i1) with later members in [j0, j1). */
  const compare = (i0: number, i1: number, j0: number, j1: number): void => {
    const firstEnd = onlyAgainst ? firstNew(i0, i1) : i1;
    for (let i = i0; i < firstEnd; i += MEMBERS_PER_CALL) {
      const iEnd = Math.min(firstEnd, i + MEMBERS_PER_CALL);
      for (let j = Math.max(i, firstNew(j0, j1)); j < j1; j += MEMBERS_PER_CALL) {
        const jEnd = Math.min(j1, j + MEMBERS_PER_CALL);
        const to = parts.next(MEMBERS_PER_CALL * MEMBERS_PER_CALL);
        const of = [numbers, signatures, width, hashes, rows, masks, own, i, iEnd, j, jEnd] as const;
        const rest = [input.cutoff, tally, bits, to.pairs, to.agreements] as const;
        parts.added(call.compareMembers16!(...of, ...rest));
      }
    }
  };
  const follow = (from: number, to: number): number => {
    words[state / 4] = 0;
    words[state / 4 + 1] = 0;
    const { mostLeaders, mostFollowed, cutoff, near } = input;
    const step = Math.min(most, Math.floor(PART_PAIRS / mostFollowed));
    for (let first = from; first < to; first += step) {
      const count = Math.min(step, to - first);
      load(true, [first, first + count]);
      const { pairs, agreements } = parts.next(mostFollowed * count);
      const rule = [cutoff, near, references, onlyAgainst ? 1 : 0, mostLeaders, mostFollowed] as const;
      const rest = [leaders, state, candidates, bits, pairs, agreements] as const;
      parts.added(
        call.followLeaders!(numbers, 0, count, signatures, width, hashes, rows, masks, ...rule, ...rest),
      );
    }
    return words[state / 4 + 1]!;
  };

  let largeBuckets = 0;
  let largeMembers = 0;
  let unmatched = 0;
  /** Buckets [firstBucket, bucket) are loaded together; their members begin at `from`. */
  let firstBucket = 0;
  let from = 0;
  const flush = (bucket: number): void => {
    const end = bucket === 0 ? 0 : ends[bucket - 1]!;
    if (end > from) load(false, [from, end]);
    for (let start = from; firstBucket < bucket; firstBucket++) {
      const next = ends[firstBucket]!;
      compare(start - from, next - from, start - from, next - from);
      start = next;
    }
    from = end;
  };
  for (let bucket = 0, start = 0; bucket < ends.length; bucket++) {
    const end = ends[bucket]!;
    const size = end - start;
    if (size > cap || end - from > most) flush(bucket);
    if (size > cap) {
      largeBuckets++;
      largeMembers += size;
      unmatched += follow(start, end);
    } else if (size > most) {
      const half = most >> 1;
      for (let i = start; i < end; i += half) {
        const iEnd = Math.min(end, i + half);
        load(false, [i, iEnd]);
        compare(0, iEnd - i, 0, iEnd - i);
        for (let j = iEnd; j < end; j += half) {
          const jEnd = Math.min(end, j + half);
          load(false, [i, iEnd], [j, jEnd]);
          compare(0, iEnd - i, iEnd - i, iEnd - i + jEnd - j);
        }
      }
    }
    if (size > cap || size > most) {
      firstBucket = bucket + 1;
      from = end;
    }
    start = end;
  }
  flush(ends.length);
  parts.flush();
  return { tally: memory.wordsAt(tally, hashes + 1).slice(), largeBuckets, largeMembers, unmatched };
}
