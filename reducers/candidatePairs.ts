/**
 * Reduce by range of documents: the pairs of small buckets of all bands (made distinct and compared here) and the pairs of larger
 * buckets -> sorted candidate pairs with their agreements.
 */
import type { SignatureSource } from '../src/blocks/signatures.js';
import type { KernelMemory } from '../src/kernel/wasmMemory.js';
import type { BandingParams } from '../src/sketch/params.js';
import { strideOf } from '../src/sketch/signature.js';

export interface ListedPairs {
  /** Pairs of small buckets, two words each: the second number, then the first. May repeat. */
  readonly listed: readonly Uint32Array[];
  /** Pairs of larger buckets in the same form, with their agreements. May repeat; disjoint from `listed`. */
  readonly compared: readonly { readonly pairs: Uint32Array; readonly agreements: Uint16Array }[];
}

export interface ComparisonInput {
  readonly banding: BandingParams;
  readonly hashes: number;
  readonly source: SignatureSource;
  /** The row of each document number; null: it is the number. */
  readonly rowOf: Uint32Array | null;
  /** Minimum agreement of a pair that is kept. */
  readonly cutoff: number;
  /** Bytes that signatures may use. */
  readonly room: number;
}

/** Pairs (a, b) of numbers, a < b, with their equal slots: distinct, sorted by (a, b). */
export interface CandidatePairs {
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly agreement: Uint16Array;
}

export interface ComparedPairs extends CandidatePairs {
  /** By agreement, the number of distinct pairs of small buckets below the cutoff that agree in a band. */
  readonly tally: Uint32Array;
}

const LEAST_PAIRS = 1024;
const COUNTS_BYTES = 4096;

export function candidatePairs(
  memory: KernelMemory,
  { listed, compared }: ListedPairs,
  { banding, hashes, source, rowOf, cutoff, room }: ComparisonInput,
): ComparedPairs {
  const { call } = memory;
  memory.release();
  const { bands, rows } = banding;
  const width = 2 * strideOf(hashes);
  const maskWords = Math.ceil(hashes / 64);
  const wordsListed = listed.reduce((sum, { length }) => sum + length, 0);
  const total = compared.reduce((sum, { pairs }) => sum + pairs.length, wordsListed) / 2;
  const pairs = memory.allocate(8 * total);
  const agreements = memory.allocate(4 * total);
  const spare = memory.allocate(8 * total);
  const spareAgreements = memory.allocate(compared.length === 0 ? 0 : 4 * total);
  const counts = memory.allocate(COUNTS_BYTES);
  const tally = memory.allocate(4 * (hashes + 1));
  const bits = memory.allocate(8 * (2 * maskWords + 1));
  const starts = memory.allocate(8 * maskWords);
  const most = Math.max(LEAST_PAIRS, Math.min(wordsListed / 2, Math.floor(room / (2 * (width + 20)))));
  const signatures = memory.allocate(2 * width * most);
  const order = memory.allocate(16 * most);
  const spareOrder = memory.allocate(16 * most);
  const places = memory.allocate(8 * most);
  memory.bytes.fill(0, tally, tally + 4 * (hashes + 1));
  memory.bytes.fill(0, bits, bits + 8 * (2 * maskWords + 1));
  memory.bytes.fill(0, starts, starts + 8 * maskWords);
  const { words } = memory;
  for (let slot = 0; slot < bands * rows; slot += rows) words[starts / 4 + (slot >> 5)]! |= 1 << (slot & 31);

  let at = pairs / 4;
  for (const list of listed) {
    words.set(list, at);
    at += list.length;
  }
  const distinct = call.distinctPairs16!(pairs, 0, wordsListed / 2, spare, 0, counts);
  let count = 0;
  for (let from = 0; from < distinct; from += most) {
    const some = Math.min(most, distinct - from);
    const first = pairs + 8 * from;
    // Each document is loaded once, however many pairs it has.
    const documents = call.placeDocuments!(first, some, order, spareOrder, counts, places);
    if (rowOf !== null) {
      for (let i = order / 4 + 1, end = i + 2 * documents; i < end; i += 2) words[i] = rowOf[words[i]!]!;
      call.sortRecords!(order, documents, spareOrder, counts);
    }
    source.gather(memory.wordsAt(order, 2 * documents), words, signatures / 4);
    const rule = [width, hashes, rows, starts, cutoff, tally, bits] as const;
    // Kept pairs overwrite the compared ones.
    const kept = [pairs + 8 * count, agreements + 4 * count] as const;
    count += call.agreePairs!(first, some, places, signatures, ...rule, ...kept);
  }
  if (compared.length > 0) {
    for (const { pairs: list, agreements: equal } of compared) {
      words.set(list, pairs / 4 + 2 * count);
      words.set(equal, agreements / 4 + count);
      count += equal.length;
    }
    count = call.distinctPairs16!(pairs, agreements, count, spare, spareAgreements, counts);
  }
  const [a, b] = [spare, spare + 4 * count];
  call.splitPairs!(pairs, count, a, b);
  return {
    a: memory.wordsAt(a, count).slice(),
    b: memory.wordsAt(b, count).slice(),
    agreement: new Uint16Array(memory.wordsAt(agreements, count)),
    tally: memory.wordsAt(tally, hashes + 1).slice(),
  };
}
