/**
 * Tables of ids by number, an index of ids, and their byte order.
 *
 *      offsets   u32 or f64, n+1 entries into bytes
 *      bytes     u8
 *
 * Ids are bytes, not strings: file names need not be valid UTF-8.
 */
import { numbersBelow } from '../arrays/growable.js';
import { newArray } from '../arrays/ownPages.js';
import { rowsByKey } from '../arrays/rowsByKey.js';
import { sortByKey64 } from '../arrays/sort.js';

export interface IdTable {
  /** n+1 entries; id i is `bytes[offsets[i] .. offsets[i+1])`. */
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

export const ID_COLUMNS = { offsets: 'u32', bytes: 'u8' } as const;

const ESCAPE = /\\(?:([tnr\\])|x([0-9a-fA-F]{2}))/g;
const MEANING: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

/** The id (binary string) in a cell of a result file, given as bytes (a binary string). Unknown escapes stay unchanged. */
export function unescapeBytes(cell: string): string {
  if (!cell.includes('\\')) return cell;
  return cell.replace(ESCAPE, (_, letter: string | undefined, digits: string | undefined) =>
    letter === undefined ? String.fromCharCode(Number.parseInt(digits!, 16)) : MEANING[letter]!,
  );
}

/** An id for a message: bytes that are not UTF-8 become U+FFFD. */
export function idText(table: IdTable, id: number): string {
  // slice, not subarray: TextDecoder rejects shared memory.
  return new TextDecoder().decode(table.bytes.slice(table.offsets[id]!, table.offsets[id + 1]!));
}

/** Compares ids i and j of a table by their bytes from `skip` on; negative when i comes first. */
export function compareIds(table: IdTable, i: number, j: number, skip = 0): number {
  const { offsets, bytes } = table;
  let p = offsets[i]! + skip;
  let q = offsets[j]! + skip;
  const pEnd = offsets[i + 1]!;
  const qEnd = offsets[j + 1]!;
  while (p < pEnd && q < qEnd) {
    const difference = bytes[p++]! - bytes[q++]!;
    if (difference !== 0) return difference;
  }
  return pEnd - p - (qEnd - q);
}

/** Slots of an index per id: at least half of them are free. */
const PLACES = 2;

/** Mean number of slots searched per id from which hashes are considered unevenly distributed. */
const MOST_STEPS = 8;

/**
 * Finds ids of a table by their bytes. If many ids collide, for example ids chosen by an adversary, the index changes its hash
 * function.
 */
export class IdIndex {
  private readonly table: IdTable;
  private readonly mask: number;
  /** Two words per slot: the number of the id + 1 (0: free), and its hash, so that a step reads one cache line. */
  private readonly places: Uint32Array;
  private multiplier = 0x9e3779b1;
  /** Number of slots that may be searched before the hash function changes. */
  private steps: number;
  private most: number;
  /** The slot at which the last search ended. */
  private place = 0;

  /** @param most maximum number of ids to be added */
  constructor(table: IdTable, most = table.offsets.length - 1) {
    this.table = table;
    this.mask = 2 ** Math.ceil(Math.log2(PLACES * most + 1)) - 1;
    this.places = new Uint32Array(2 * (this.mask + 1));
    this.most = MOST_STEPS * (most + 1);
    this.steps = this.most;
  }

  /** An index of all ids of a table, which finds the first of equal ids. */
  static of(table: IdTable): IdIndex {
    const index = new IdIndex(table);
    for (let id = 0; id + 1 < table.offsets.length; id++) index.put(id);
    return index;
  }

  /** Adds an id and returns -1; if the index has an equal id, returns that one and adds nothing. */
  put(id: number): number {
    const { bytes, offsets } = this.table;
    const hash = this.hashOf(bytes, offsets[id]!, offsets[id + 1]!);
    const other = this.look(hash, bytes, offsets[id]!, offsets[id + 1]!);
    if (other >= 0) return other;
    this.places[2 * this.place] = id + 1;
    this.places[2 * this.place + 1] = hash;
    if (this.steps < 0) this.rehash();
    return -1;
  }

  /** Replaces the equal id that `put` returned. */
  replace(id: number): void {
    this.places[2 * this.place] = id + 1;
  }

  /** The number of the id `bytes[from .. to)`; -1: the index does not have it. */
  find(bytes: Uint8Array, from = 0, to = bytes.length): number {
    return this.look(this.hashOf(bytes, from, to), bytes, from, to);
  }

  /** Adds all ids again with another hash function, and allows twice as many steps, so that rehashing ends. */
  private rehash(): void {
    const ids = this.places.filter((entry, at) => at % 2 === 0 && entry !== 0);
    this.places.fill(0);
    this.multiplier = Math.imul(this.multiplier, 0x85ebca6b) | 1;
    this.most *= 2;
    this.steps = this.most;
    for (const id of ids) this.put(id - 1);
  }

  private look(hash: number, bytes: Uint8Array, from: number, to: number): number {
    const { places, mask } = this;
    let place = hash & mask;
    for (let entry = places[2 * place]!; entry !== 0; entry = places[2 * place]!) {
      if (places[2 * place + 1] === hash && this.is(entry - 1, bytes, from, to)) break;
      place = (place + 1) & mask;
      this.steps--;
    }
    this.place = place;
    return places[2 * place]! - 1;
  }

  private is(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    const { bytes: own, offsets } = this.table;
    let at = offsets[id]!;
    if (offsets[id + 1]! - at !== to - from) return false;
    for (let i = from; i < to; i++) if (own[at++] !== bytes[i]) return false;
    return true;
  }

  private hashOf(bytes: Uint8Array, from: number, to: number): number {
    const { multiplier } = this;
    let hash = to - from;
    let at = from;
    for (; at + 4 <= to; at += 4) {
      const word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
      hash = Math.imul(hash ^ word, multiplier);
      hash ^= hash >>> 15;
    }
    for (; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, multiplier);
    hash = Math.imul(hash ^ (hash >>> 15), multiplier);
    return (hash ^ (hash >>> 13)) >>> 0;
  }
}

/** Shorter runs are sorted by comparison, because a radix pass costs more. */
const SMALL = 48;

/**
 * The numbers of ids in the byte order of the ids; equal ids stay in order of their numbers.
 *
 * Radix sort on as many bytes as two words hold, then on the next bytes of runs that are still equal: ids share long prefixes
 * (folders, `file.jsonl#`), which are slow in a comparison sort. The common prefix is skipped, and a word holds many bytes, because
 * few different bytes occur after the prefix: nine decimal digits, for example. Ids with the same first byte after the
 * prefix are sorted one group after the other, so that few keys are in memory.
 */
export function idOrder(table: IdTable): Uint32Array {
  const n = table.offsets.length - 1;
  if (isOrdered(table)) return numbersBelow(n);
  const words = wordsOf(table);
  const { starts, rows: order } = rowsByKey(words.base, (give) => {
    for (let id = 0; id < n; id++) give(codeAt(table, words, id), id);
  });
  const runs: number[] = [];
  for (let code = 0; code < words.base; code++)
    if (starts[code + 1]! > starts[code]!) runs.push(starts[code]!, starts[code + 1]!, words.start);
  while (runs.length > 0) {
    const depth = runs.pop()!;
    const to = runs.pop()!;
    const from = runs.pop()!;
    const run = order.subarray(from, to);
    if (run.length < SMALL || depth >= words.longest) {
      if (depth < words.longest) run.sort((i, j) => compareIds(table, i, j, depth) || i - j);
      continue;
    }
    const runKeys = newArray(Uint32Array, 2 * run.length);
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
  return order;
}

function isOrdered(table: IdTable): boolean {
  for (let i = 1; i + 1 < table.offsets.length; i++) if (compareIds(table, i - 1, i) > 0) return false;
  return true;
}

/** An order-preserving encoding of bytes of ids as words. */
interface IdWords {
  /** Length of the common prefix of all ids. */
  readonly start: number;
  readonly longest: number;
  /** The code of each byte: its rank among the bytes that occur after the prefix, from 1; code 0 is the end of an id. */
  readonly codes: Uint16Array;
  /** Number of codes including 0: a word is a number in this base. */
  readonly base: number;
  /** Number of bytes in the high word, and in the low word. */
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
  // With two codes a word holds 32 bytes.
  const most = Math.floor(32 / Math.log2(Math.max(2, base)));
  const high = Math.max(1, Math.min(most, longest - start));
  return { start, longest, codes, base, high, low: Math.min(most, Math.max(0, longest - start - high)) };
}

/** The code of the first byte of an id after the prefix. */
function codeAt({ offsets, bytes }: IdTable, { start, codes }: IdWords, id: number): number {
  const at = offsets[id]! + start;
  return at < offsets[id + 1]! ? codes[bytes[at]!]! : 0;
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
