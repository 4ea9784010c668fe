/**
 * Map by band: the keys of all documents -> the pairs of small buckets, the members of larger buckets, and the sizes of all buckets.
 *
 * Two flag bits exclude keys that occur once, before keys are sorted. Keys have 32 bits; a collision only adds a comparison of two
 * documents.
 */
import { concatenated } from '../src/arrays/growable.js';
import type { CountedPairs, PairRanges, SignatureSource } from '../src/blocks/signatures.js';
import { type GroupedPairs, PairParts } from '../src/kernel/pairParts.js';
import type { KernelMemory } from '../src/kernel/wasmMemory.js';
import { SIZE_CLASSES, SMALL_BUCKET } from '../src/sketch/bucketCap.js';

export interface BandInput extends CountedPairs {
  readonly band: number;
  readonly source: SignatureSource;
  /** One bit per row, lowest bit of a byte first: whether the document is compared. */
  readonly takesPart: Uint8Array;
  /** The number of each row; null: it is the row. */
  readonly numberOf: Uint32Array | null;
  /** Maximum number of members of a small bucket, at most SMALL_BUCKET. */
  readonly small: number;
  readonly ranges: PairRanges;
  /** Bytes that the task may use, without flags, parts and the records of one very large bucket. */
  readonly room: number;
}

export interface BandBuckets {
  /** Members of buckets that are not small, ascending in each bucket. */
  readonly members: Uint32Array;
  /** Bucket i has the members up to ends[i], from ends[i - 1] on. */
  readonly ends: Uint32Array;
  /** By size class (src/sketch/bucketCap.ts), the pairs that count. */
  readonly pairsBySize: number[];
  /** Pairs of small buckets. */
  readonly listed: number;
}

/** Rows per call of the kernel, a multiple of 8. */
const PIECE = 1 << 16;
const LEAST_FLAG_BITS = 14;
/** Flags per document. With four, one in five documents with a unique key is not excluded. */
const FLAGS_PER_DOCUMENT = 4;
/** If their records do not fit into memory, keys are divided by their highest 12 bits. */
const BINS = 4096;
const LEAST_RECORDS = 256;
const COUNTS_BYTES = 4096;
/** Maximum number of pairs in a small bucket. */
const SMALL_PAIRS = (SMALL_BUCKET * (SMALL_BUCKET - 1)) / 2;

/** Calls `take` for each part of the pairs of small buckets. */
export function bandBuckets(
  memory: KernelMemory,
  input: BandInput,
  take: (part: GroupedPairs) => void,
): BandBuckets {
  const { band, source, takesPart, numberOf, references, small, room } = input;
  const { call } = memory;
  const documents = source.starts.at(-1)!;
  const onlyAgainst = input.onlyAgainst ? 1 : 0;
  memory.release();

  const wanted = Math.ceil(Math.log2(FLAGS_PER_DOCUMENT * (documents + 1)));
  const bits = Math.max(LEAST_FLAG_BITS, Math.min(wanted, Math.floor(Math.log2(Math.max(1, room)))));
  const areKeysHeld = 4 * documents <= room / 4;
  const flags = memory.allocate(2 ** bits / 4);
  const keys = memory.allocate(4 * (areKeysHeld ? documents : PIECE));
  const part = memory.allocate(takesPart.length);
  const numbers = memory.allocate(numberOf === null ? 0 : 4 * PIECE);
  const bins = memory.allocate(4 * BINS);
  const counts = memory.allocate(COUNTS_BYTES);
  memory.bytes.fill(0, flags, flags + 2 ** bits / 4);
  memory.bytes.set(takesPart, part);
  memory.words.fill(0, bins / 4, bins / 4 + BINS);

  let areKeysRead = false;
  const eachPiece = (work: (keys: number, count: number, part: number, first: number) => void): void => {
    for (let first = 0; first < documents; first += PIECE) {
      const count = Math.min(PIECE, documents - first);
      const at = areKeysHeld ? keys + 4 * first : keys;
      if (!areKeysRead) source.keys(band, first, count, memory.words, at / 4);
      work(at, count, part + first / 8, first);
    }
    areKeysRead = areKeysHeld;
  };

  eachPiece((at, count, partAt) => call.markKeys!(at, count, partAt, flags, bits));
  const most = Math.min(documents, Math.max(LEAST_RECORDS, Math.floor(room / 2 / 16)));
  let records = memory.allocate(8 * most);
  let spare = memory.allocate(8 * most);
  /** Writes the records of a span of bins; returns their number, or more than `count` if they do not fit. */
  const takeRecords = ({ from, to, count: room }: BinSpan): number => {
    let taken = 0;
    eachPiece((at, count, partAt, first) => {
      if (taken > room) return;
      if (numberOf !== null) memory.words.set(numberOf.subarray(first, first + count), numbers / 4);
      const numbersAt = numberOf === null ? 0 : numbers;
      const rest = [from, to, numbersAt, first, room - taken, records + 8 * taken] as const;
      taken += call.takeKeys!(at, count, partAt, flags, bits, ...rest);
    });
    return taken;
  };
  // Usually all records fit, and need not be counted first.
  let spans: readonly BinSpan[] = [{ from: 0, to: BINS, count: most }];
  let firstTaken = takeRecords(spans[0]!);
  if (firstTaken > most) {
    eachPiece((at, count, partAt) => call.countKeys!(at, count, partAt, flags, bits, bins));
    spans = binSpans(memory.wordsAt(bins, BINS), most);
    const largest = spans.reduce((sum, { count }) => Math.max(sum, count), 0);
    if (largest > most) {
      records = memory.allocate(8 * largest);
      spare = memory.allocate(8 * largest);
    }
    firstTaken = takeRecords(spans[0]!);
  }
  const pairs = memory.allocate(8 * SIZE_CLASSES);
  const state = memory.allocate(4);
  const parts = new PairParts(memory, input.ranges, take);
  memory.bytes.fill(0, pairs, pairs + 8 * SIZE_CLASSES);

  const members: Uint32Array[] = [];
  const ends: number[] = [];
  let end = 0;
  for (const [i, span] of spans.entries()) {
    const taken = i === 0 ? firstTaken : takeRecords(span);
    call.sortRecords!(records, taken, spare, counts);
    const isNumbered = numberOf === null ? 0 : 1;
    const rule = [isNumbered, references, onlyAgainst] as const;
    const kept = call.keepBuckets!(records, taken, ...rule, pairs, spare, counts);
    memory.words[state / 4] = 0;
    while (memory.words[state / 4]! < kept) {
      if (parts.room < SMALL_PAIRS) parts.flush();
      const { pairs: at } = parts.next(0);
      const rest = [references, onlyAgainst, parts.room, at, state] as const;
      parts.added(call.listPairs!(records, kept, small, ...rest));
    }
    const endsAt = spare + 4 * kept;
    const buckets = call.largerBuckets!(records, kept, small, spare, endsAt);
    if (buckets === 0) continue;
    for (const own of memory.wordsAt(endsAt, buckets)) ends.push(end + own);
    members.push(memory.wordsAt(spare, ends.at(-1)! - end).slice());
    end = ends.at(-1)!;
  }
  parts.flush();
  return {
    members: concatenated(members),
    ends: Uint32Array.from(ends),
    pairsBySize: Array.from(new Float64Array(memory.bytes.buffer, pairs, SIZE_CLASSES)),
    listed: parts.total,
  };
}

interface BinSpan {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Divides the bins into spans of at most `most` keys, or of a single bin, without empty spans. */
function binSpans(bins: Uint32Array, most: number): BinSpan[] {
  const spans: BinSpan[] = [];
  for (let from = 0; from < BINS; ) {
    let count = bins[from]!;
    let to = from + 1;
    while (to < BINS && count + bins[to]! <= most) count += bins[to++]!;
    if (count > 0) spans.push({ from, to, count });
    from = to;
  }
  return spans;
}
