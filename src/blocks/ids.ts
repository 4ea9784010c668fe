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

/** Eight bytes of an id from `depth` on, as a big-endian key (low, high), zero padded. */
function keyAt(table: IdTable, id: number, depth: number, keys: Uint32Array, at: number): void {
  const { offsets, bytes } = table;
  const from = offsets[id]! + depth;
  const end = offsets[id + 1]!;
  let high = 0;
  let low = 0;
  for (let k = 0; k < 4; k++) high = (high << 8) | (from + k < end ? bytes[from + k]! : 0);
  for (let k = 4; k < 8; k++) low = (low << 8) | (from + k < end ? bytes[from + k]! : 0);
  keys[2 * at] = low >>> 0;
  keys[2 * at + 1] = high >>> 0;
}

/**
 * The numbers 0..n-1 in the byte order of their ids; equal ids stay in order of their numbers.
 *
 * Radix sort on eight bytes at a time, then the runs that are still equal by their next eight: ids share long
 * prefixes (folders, `file.jsonl#`), on which a comparison sort would spend its time.
 */
export function idOrder(table: IdTable): Uint32Array {
  const n = table.offsets.length - 1;
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  if (isSorted(table)) return order;
  const keys = new Uint32Array(2 * n);
  const runs: number[] = [0, n, 0];
  while (runs.length > 0) {
    const depth = runs.pop()!;
    const to = runs.pop()!;
    const from = runs.pop()!;
    const run = order.subarray(from, to);
    if (run.length < SMALL || endsWithin(table, run, depth)) {
      run.sort((i, j) => compareIds(table, i, j, depth) || i - j);
      continue;
    }
    const runKeys = keys.subarray(2 * from, 2 * to);
    for (let i = 0; i < run.length; i++) keyAt(table, run[i]!, depth, runKeys, i);
    sortByKey64(runKeys, run, run.length);
    let start = 0;
    for (let i = 1; i <= run.length; i++) {
      const same =
        i < run.length &&
        runKeys[2 * i] === runKeys[2 * start] &&
        runKeys[2 * i + 1] === runKeys[2 * start + 1];
      if (same) continue;
      if (i - start > 1) runs.push(from + start, from + i, depth + 8);
      start = i;
    }
  }
  return order;
}

/** Whether some id has no byte at `depth`: padding would then be taken for a byte. */
function endsWithin(table: IdTable, run: Uint32Array, depth: number): boolean {
  for (const id of run) if (table.offsets[id + 1]! - table.offsets[id]! < depth) return true;
  return false;
}

function isSorted(table: IdTable): boolean {
  const n = table.offsets.length - 1;
  for (let i = 1; i < n; i++) if (compareIds(table, i - 1, i) > 0) return false;
  return true;
}

/** Rows of skipped.tsv in their order: by the bytes of the place, then by the name of the code. */
export interface ListedPlaces {
  readonly places: IdTable;
  /** Row i is about the place with this number. */
  readonly rows: Uint32Array;
  /** By row: an index into LISTED_CODES. */
  readonly codes: Uint8Array;
}
