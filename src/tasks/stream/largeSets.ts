/**
 * Sets that are too large for a task are split: into ranges of their hashes, each a record of its own. Two sets have the same hashes
 * in the same range, so what two ranges have in common adds up to what the sets have. Ranges are told apart by the first bits of
 * hashes: a set of `bits` has 2^bits ranges.
 *
 * The side file `large` lists the documents of such sets: their number u32; by document, place 16, bits u8.
 */
import { MOST_RANGES, PIECE_BYTES, RangeScatter } from '../../../mappers/shingleSets.js';
import { PLACE } from './kinds.js';
import { FieldWriter, type RecordSink, u32At, u64At } from './records.js';
import type { StagePlace } from './stage.js';

/** Name of the side file in manifests. Without the file, no set is split. */
export const LARGE = 'large';

/** The count of documents whose sets are larger than a range. */
export const LARGE_SETS = 'large sets';
/** The count of hashes of the sets that were read. */
export const SET_HASHES = 'hashes of sets';
/** The count of ranges of pairs that were compared. */
export const SIZES = 'sizes in ranges';

const COUNT = 4;
const ROW = PLACE + 1;

/** The bits of a set of so many hashes, of which a range may have about `most`; 0: the set is not split. */
export function rangeBits(hashes: number, most: number): number {
  return Math.min(Math.log2(MOST_RANGES), Math.max(0, Math.ceil(Math.log2(hashes / most))));
}

/** Whether a hash, by its high word, is in a range of 2^bits. */
export function isInRange(high: number, bits: number, range: number): boolean {
  return bits === 0 || high >>> (32 - bits) === range;
}

/** The value of a record of a set that says that there is such a range, for values are not empty. */
export const NO_HASH = Uint8Array.of(0);

export function hasNoHash(value: Uint8Array): boolean {
  return value.length === NO_HASH.length;
}

/** Puts the records of a set; `key` has kind and place, and goes on with ranges. */
export function putHashes(out: RecordSink, key: FieldWriter, hashes: Uint8Array, bits = 0): void {
  const head = key.view.length;
  const put = (range: number, bytes: Uint8Array): void => out.put(key.reset(head).u16(range).view, bytes);
  if (bits === 0) {
    for (let at = 0; at < hashes.length; at += PIECE_BYTES) put(0, hashes.subarray(at, at + PIECE_BYTES));
    return;
  }
  for (let range = 0; range < 2 ** bits; range++) put(range, NO_HASH);
  const scatter = new RangeScatter(2 ** bits, (range, found) =>
    put(range, new Uint8Array(found.buffer, found.byteOffset, found.byteLength)),
  );
  const words = new Uint32Array(hashes.slice().buffer);
  scatter.add(words, words.length / 2);
  scatter.end();
}

export interface LargeSet {
  readonly place: Uint8Array;
  readonly bits: number;
}

export class LargeSets {
  /** By file and number in it. */
  private readonly files = new Map<number, Map<number, LargeSet>>();

  static from({ manifest, side }: StagePlace): LargeSets {
    const large = new LargeSets();
    if (manifest.sides[LARGE] === undefined) return large;
    const bytes = side(LARGE, COUNT, ROW * u32At(side(LARGE, 0, COUNT), 0));
    for (let at = 0; at < bytes.length; at += ROW)
      large.add(bytes.subarray(at, at + PLACE), bytes[at + PLACE]!);
    return large;
  }

  add(given: Uint8Array, bits: number): void {
    const place = given.slice();
    const [file, number] = [u32At(place, 0), u64At(place, 4)];
    const known = this.files.get(file);
    if (known === undefined) this.files.set(file, new Map([[number, { place, bits }]]));
    else known.set(number, { place, bits });
  }

  /** The side file; null: no set is split. */
  get bytes(): Uint8Array | null {
    if (this.files.size === 0) return null;
    const all = [...this.files.values()].flatMap((ofFile) => [...ofFile.values()]);
    const file = new FieldWriter().u32(all.length);
    for (const { place, bits } of all) file.raw(place).u8(bits);
    return file.view.slice();
  }

  /** The document with a number in a file; undefined: its set is not split. */
  of(file: number, number: number): LargeSet | undefined {
    return this.files.get(file)?.get(number);
  }

  /** The bits of the document whose place stands at `at`. */
  bitsAt(bytes: Uint8Array, at: number): number {
    return this.files.size === 0 ? 0 : (this.of(u32At(bytes, at), u64At(bytes, at + 4))?.bits ?? 0);
  }
}
