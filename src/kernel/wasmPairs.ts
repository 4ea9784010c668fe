/**
 * Computes buckets, distinct pairs and pairs of large buckets in the kernel, a whole column per call. Columns are
 * copied in; results are views or new columns.
 */
import type { CompareMembers, Pairs } from '../blocks/pairs.js';
import type { Pairing } from './kernel.js';
import { type KernelMemory, KernelRooms } from './wasmMemory.js';

/** Number of pairs copied out per call: 1 MB, about the size of the second cache. */
const PAIRS_AT_A_TIME = 131072;

/** Bytes of the counts of the radix sort, and of sizes or state. */
const COUNTS_BYTES = 4096;
const STATE_BYTES = 64;

/** The least flags of a band: those of few documents take 4 KB. */
const LEAST_FLAG_BITS = 14;

/** Flags for each document, up to twice as many: with four, one document in five keeps another's company by chance. */
const FLAGS_A_DOCUMENT = 4;

/** `bucketPairs` in this memory, for up to 2^31 documents. */
export function createWasmBucketPairs(memory: KernelMemory, arena: KernelRooms): Pairing['bucketPairs'] {
  const call = memory.call;
  const bandRooms = new KernelRooms(memory);
  return (keys, documents, hotBucket, slice, groups = null) => {
    const all = documents.length;
    const columns = keys.blocks.reduce((sum, block) => sum + block.length / 2, 0);
    const [first] = keys.blocks;
    // The keys that `bandColumns` made are here already.
    const heldAt = first !== undefined && memory.holds(first) ? first.byteOffset : null;
    const bits = Math.max(LEAST_FLAG_BITS, Math.ceil(Math.log2(FLAGS_A_DOCUMENT * (all + 1))));
    const [placesAt, documentsAt, flags, room] = bandRooms.rooms(
      4 * all,
      4 * all,
      2 ** bits / 4,
      heldAt === null ? 8 * columns : 0,
    );
    const keysAt = heldAt ?? room;
    let at = keysAt / 4;
    for (const block of heldAt === null ? keys.blocks : []) {
      memory.words.set(block, at);
      at += block.length;
    }
    if (keys.places !== null) memory.words.set(keys.places, placesAt / 4);
    memory.words.set(documents, documentsAt / 4);
    const hasPlaces = keys.places === null ? 0 : 1;
    const count = call.repeatedEntries!(keysAt, placesAt, hasPlaces, documentsAt, all, flags, bits);
    const [records, spare, counts, state, a, b, ofGroups] = arena.rooms(
      8 * count,
      8 * count,
      COUNTS_BYTES,
      STATE_BYTES,
      4 * PAIRS_AT_A_TIME,
      4 * PAIRS_AT_A_TIME,
      groups === null ? 0 : 4 * count,
    );
    const groupsAt = groups === null ? 0 : ofGroups;
    if (groups !== null) {
      const { words } = memory;
      for (let entry = 0; entry < count; entry++)
        words[groupsAt / 4 + entry] = groups.of[words[documentsAt / 4 + entry]!]!;
    }
    call.sortBuckets!(keysAt, placesAt, count, records, spare, counts);
    // The sort is finished, and the links fit into its spare room.
    const links = spare;
    call.linkBuckets!(records, count, Math.min(hotBucket, 0xffffffff), groupsAt, links, state);
    const sizes = memory.wordsAt(state, 6).slice();
    const total = sizes[5]! * 2 ** 32 + sizes[4]!;
    const passed = Math.min(total, slice?.from ?? 0);
    const made = Math.min(total - passed, slice?.most ?? total);
    const pairs = { a: new Uint32Array(made), b: new Uint32Array(made) };
    call.skipPairs!(links, count, BigInt(passed), state);
    for (let done = 0; done < made; ) {
      const most = Math.min(PAIRS_AT_A_TIME, made - done);
      const some = call.emitPairs!(records, links, documentsAt, count, groupsAt, state, most, a, b);
      pairs.a.set(memory.wordsAt(a, some), done);
      pairs.b.set(memory.wordsAt(b, some), done);
      done += some;
    }
    // Hot members are never before the entries that they are read from, and places are no longer needed.
    const hot = sizes[3]!;
    const [members, buckets] = [documentsAt, placesAt];
    call.emitHot!(records, links, documentsAt, count, members, buckets);
    return {
      ...pairs,
      count: made,
      total,
      buckets: sizes[0]!,
      // Documents that share no bucket are left out above.
      largestBucket: Math.max(sizes[1]!, Math.min(all, 1)),
      hotBuckets: sizes[2]!,
      hot: {
        documents: memory.wordsAt(members, hot).slice(),
        buckets: memory.wordsAt(buckets, hot).slice(),
      },
    };
  };
}

/** Copies lists of pairs one after the other. */
function copyPairs(words: Uint32Array, lists: readonly Pairs[], a: number, b: number): void {
  let at = 0;
  for (const list of lists) {
    words.set(list.a.length === list.count ? list.a : list.a.subarray(0, list.count), a / 4 + at);
    words.set(list.b.length === list.count ? list.b : list.b.subarray(0, list.count), b / 4 + at);
    at += list.count;
  }
}

/** `distinctPairs`; the result is valid until the next call. */
export function createWasmDistinctPairs(memory: KernelMemory, arena: KernelRooms): Pairing['distinctPairs'] {
  return (lists, known) => {
    const total = lists.reduce((sum, list) => sum + list.count, 0);
    const longest = known.reduce((most, list) => Math.max(most, list.count), total);
    const [a, b, records, spare, counts] = arena.rooms(
      4 * total,
      4 * total,
      8 * longest,
      8 * total,
      COUNTS_BYTES,
    );
    const { words, call } = memory;
    copyPairs(words, lists, a, b);
    let count = call.sortPairs!(a, b, total, records, spare, counts);
    for (const list of known) {
      if (count === 0) break;
      const other = records + 4 * list.count;
      copyPairs(words, [list], records, other);
      count = call.dropKnown!(a, b, count, records, other, list.count);
    }
    return { a: memory.wordsAt(a, count), b: memory.wordsAt(b, count), count };
  };
}

/** The most rows of a call, so that its emitted pairs have room: a pair for every two rows. */
const COMPARED_ROWS = 256;

export function createWasmCompareMembers(memory: KernelMemory, arena: KernelRooms): CompareMembers {
  const { call } = memory;
  return ({ documents, signatures, states, stride }, spans, rule, counts, take) => {
    const { band, bands, rows, hashes, least } = rule;
    const most = COMPARED_ROWS * COMPARED_ROWS;
    // Bits of slots, as many zero words and one more; then two masks per row.
    const bitWords = 2 * Math.ceil(hashes / 64) + 1;
    const maskWords = 2 * Math.ceil(hashes / 64) * COMPARED_ROWS;
    const [signaturesAt, statesAt, documentsAt, countsAt, a, b, agreement, bits] = arena.rooms(
      4 * signatures.length,
      states.length,
      4 * documents.length,
      4 * (hashes + 1),
      4 * most,
      4 * most,
      2 * most,
      8 * (bitWords + maskWords),
    );
    const { words, bytes } = memory;
    words.set(signatures, signaturesAt / 4);
    bytes.set(states, statesAt);
    words.set(documents, documentsAt / 4);
    words.fill(0, bits / 4, bits / 4 + 2 * bitWords);
    const counted = memory.wordsAt(countsAt, hashes + 1).fill(0);
    const madeA = memory.wordsAt(a, most);
    const madeB = memory.wordsAt(b, most);
    const equal = new Uint16Array(bytes.buffer, agreement, most);
    const members = [signaturesAt, stride, hashes, statesAt, documentsAt, band, bands, rows];
    const made = [Math.min(least, 0xffffffff), countsAt, a, b, agreement, bits];
    for (const { one, other } of spans) {
      for (let i = one.from; i < one.to; i += COMPARED_ROWS) {
        const end = Math.min(one.to, i + COMPARED_ROWS);
        for (let j = Math.max(other.from, i); j < other.to; j += COMPARED_ROWS) {
          const count = call.compareMembers!(
            ...members,
            ...[i, end, j, Math.min(other.to, j + COMPARED_ROWS)],
            ...made,
          );
          if (count > 0) take(madeA, madeB, equal, count);
        }
      }
      for (let slots = 0; slots <= hashes; slots++) counts[slots]! += counted[slots]!;
      counted.fill(0);
    }
  };
}
