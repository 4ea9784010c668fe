/**
 * Ids by number, and their byte order.
 *
 *      offsets   u32 or f64, n+1 entries into bytes
 *      bytes     u8
 *
 * Ids are bytes, not strings: file names need not be valid UTF-8, and the order of the result is byte order.
 */
import { sortByKey64 } from '../arrays/sort.js';
import { ElementHash } from '../text/elements.js';

export interface IdTable {
  /** n+1 entries; id i is `bytes[offsets[i] .. offsets[i+1])`. */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

/** The columns of a table where it is a block. */
export const ID_COLUMNS = { offsets: 'u32', bytes: 'u8' } as const;

/** An id for a message: bytes that are not UTF-8 become U+FFFD. */
export function idText(table: IdTable, id: number): string {
  // slice, not subarray: TextDecoder rejects shared memory.
  return new TextDecoder().decode(table.bytes.slice(table.offsets[id]!, table.offsets[id + 1]!));
}

/** Compares ids i and j of a table by their bytes from `skip` on; negative when i comes first. */
export function compareIds(table: IdTable, i: number, j: number, skip = 0): number {
  return compareAcross(table, i, table, j, skip);
}

/** Compares id i of one table with id j of another in the same way. */
export function compareAcross(one: IdTable, i: number, other: IdTable, j: number, skip = 0): number {
  const { bytes } = one;
  const otherBytes = other.bytes;
  let p = one.offsets[i]! + skip;
  let q = other.offsets[j]! + skip;
  const pEnd = one.offsets[i + 1]!;
  const qEnd = other.offsets[j + 1]!;
  while (p < pEnd && q < qEnd) {
    const difference = bytes[p++]! - otherBytes[q++]!;
    if (difference !== 0) return difference;
  }
  return pEnd - p - (qEnd - q);
}

/** The 64-bit hashes of some ids, a pair (low, high) each in the order of `ids`; they follow from bytes and seed alone. */
export function idHashes(table: IdTable, ids: Uint32Array, seed: number): Uint32Array {
  const hash = new ElementHash(seed);
  const out = new Uint32Array(2 * ids.length);
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    hash.write(table.bytes, table.offsets[id]!, table.offsets[id + 1]!, out, 2 * i);
  }
  return out;
}

/** Shorter runs are sorted by comparison, because a radix pass costs more. */
const SMALL = 48;

/** The numbers of ids in the order of their bytes. */
export interface OrderedIds {
  /** Equal ids stay in order of their numbers. */
  readonly order: Uint32Array;
  /** No id occurs twice. */
  readonly distinct: boolean;
}

/** The numbers 0..n-1 in the byte order of their ids; equal ids stay in order of their numbers. */
export function idOrder(table: IdTable): Uint32Array {
  return orderedIds(table).order;
}

/**
 * The order of ids, and whether they are distinct.
 *
 * Radix sort on as many bytes as two words hold, then the runs that are still equal by their next ones: ids share long
 * prefixes (folders, `file.jsonl#`), on which a comparison sort would spend its time. What all begin with is
 * passed over, and words hold many bytes, because few different ones occur behind it: nine decimal digits each.
 */
export function orderedIds(table: IdTable): OrderedIds {
  const n = table.offsets.length - 1;
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  const sorted = firstDisorder(table);
  if (sorted.at === n) return { order, distinct: sorted.distinct };
  const words = wordsOf(table);
  const keys = new Uint32Array(2 * n);
  const runs: number[] = [0, n, words.start];
  let distinct = true;
  while (runs.length > 0) {
    const depth = runs.pop()!;
    const to = runs.pop()!;
    const from = runs.pop()!;
    const run = order.subarray(from, to);
    if (run.length < SMALL || depth >= words.longest) {
      if (depth < words.longest) run.sort((i, j) => compareIds(table, i, j, depth) || i - j);
      distinct &&= areDistinct(table, run, depth);
      continue;
    }
    const runKeys = keys.subarray(2 * from, 2 * to);
    writeKeys(table, words, run, depth, runKeys);
    sortByKey64(runKeys, run, run.length);
    for (let start = 0, i = 1; i <= run.length; i++) {
      const isSame =
        i < run.length &&
        runKeys[2 * i] === runKeys[2 * start] &&
        runKeys[2 * i + 1] === runKeys[2 * start + 1];
      if (isSame) continue;
      if (i - start > 1) runs.push(from + start, from + i, depth + words.high + words.low);
      start = i;
    }
  }
  return { order, distinct };
}

/** The first id that is less than the one before it; the number of ids where they are in order. */
function firstDisorder(table: IdTable): { readonly at: number; readonly distinct: boolean } {
  const n = table.offsets.length - 1;
  let distinct = true;
  for (let i = 1; i < n; i++) {
    const difference = compareIds(table, i - 1, i);
    if (difference > 0) return { at: i, distinct };
    if (difference === 0) distinct = false;
  }
  return { at: n, distinct };
}

/** Whether neighbours in a sorted run, which are equal up to `depth`, differ. */
function areDistinct(table: IdTable, run: Uint32Array, depth: number): boolean {
  for (let i = 1; i < run.length; i++) if (compareIds(table, run[i - 1]!, run[i]!, depth) === 0) return false;
  return true;
}

/** How bytes of ids become words that have their order. */
interface IdWords {
  /** Bytes that all ids begin with. */
  readonly start: number;
  /** The longest id. */
  readonly longest: number;
  /** By byte: its rank among those that occur behind the beginning, from 1; 0: the id has ended. */
  readonly codes: Uint16Array;
  /** Codes, the end among them: a word is a number in this base. */
  readonly base: number;
  /** Bytes in the high word, and in the low one. */
  readonly high: number;
  readonly low: number;
}

function wordsOf({ offsets, bytes }: IdTable): IdWords {
  const n = offsets.length - 1;
  let [start, longest] = [offsets[1]! - offsets[0]!, 0];
  for (let id = 0; id < n; id++) {
    const from = offsets[id]!;
    longest = Math.max(longest, offsets[id + 1]! - from);
    start = Math.min(start, offsets[id + 1]! - from);
    let same = 0;
    while (same < start && bytes[from + same] === bytes[offsets[0]! + same]) same++;
    start = same;
  }
  const occurs = new Uint8Array(256);
  for (let id = 0; id < n; id++) {
    for (let at = offsets[id]! + start; at < offsets[id + 1]!; at++) occurs[bytes[at]!] = 1;
  }
  const codes = new Uint16Array(256);
  let base = 1;
  for (let byte = 0; byte < 256; byte++) if (occurs[byte] === 1) codes[byte] = base++;
  // Of two codes a word holds 32 bytes; where ids are short it holds no more than they have.
  const most = Math.floor(32 / Math.log2(Math.max(2, base)));
  const high = Math.max(1, Math.min(most, longest - start));
  return { start, longest, codes, base, high, low: Math.min(most, Math.max(0, longest - start - high)) };
}

/** The bytes of ids from `depth` on as pairs (low, high). */
function writeKeys(
  { offsets, bytes }: IdTable,
  { codes, base, high, low }: IdWords,
  ids: Uint32Array,
  depth: number,
  keys: Uint32Array,
): void {
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]!;
    const end = offsets[id + 1]!;
    let at = offsets[id]! + depth;
    let word = 0;
    for (let k = 0; k < high; k++, at++) word = word * base + (at < end ? codes[bytes[at]!]! : 0);
    keys[2 * i + 1] = word;
    word = 0;
    for (let k = 0; k < low; k++, at++) word = word * base + (at < end ? codes[bytes[at]!]! : 0);
    keys[2 * i] = word;
  }
}

/** Rows of skipped.tsv in their order: by the bytes of the place, then by the name of the code. */
export interface ListedPlaces {
  readonly places: IdTable;
  /** Row i is about the place with this number. */
  readonly rows: Uint32Array;
  /** By row: an index into LISTED_CODES. */
  readonly codes: Uint8Array;
}
