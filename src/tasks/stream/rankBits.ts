/**
 * Side files with bits by rank:
 *
 *      modulus     u64 big-endian
 *      bits        bit r % 8 of byte r / 8 is that of all ranks that are r modulo the modulus; no bit is set behind the end
 *
 * Where documents are compared, the modulus is beyond all ranks. Units have ranks too far apart for that: of theirs, a file tells
 * which may be meant, for a collision only costs the transport of a signature, or of a set, too many.
 */
import { grown } from '../../arrays/growable.js';
import { FieldWriter, u64At } from './records.js';
import type { StagePlace } from './stage.js';

/** The documents that are not the first members of their classes: their signatures take no part. Without the file, none is. */
export const COPIES = 'copies';
/** The documents that the job needs, so that no other one's signature or id is shuffled. Without the file, all are. */
export const PAIRED = 'paired';
/** Of these, the later documents of pairs: their signatures are passed on to the next job. */
export const LATER = 'later';
/** The documents that the second reading turns into sets; of units, these and the documents that they are of. */
export const WANTED = 'wanted';

const HEAD = 8;
/** A modulus beyond all ranks. */
const EXACT = 2 ** 52;
const LEAST_SPREAD = 2 ** 16;
/** 4 MB. */
const MOST_SPREAD = 2 ** 25;
/** Bits for each rank that is set: where ranks are spread, about one in 16 of the others collides. */
const SPARE = 16;

export class RankBitsFile {
  private readonly modulus: number;
  private bits = new Uint8Array(LEAST_SPREAD / 8);
  private end = 0;

  private constructor(modulus: number) {
    this.modulus = modulus;
  }

  /** Memory: a bit a rank, up to the last one that is set. */
  static exact(): RankBitsFile {
    return new RankBitsFile(EXACT);
  }

  /** For so many ranks, which may be far apart. Memory: 4 MB at most. */
  static spread(count: number): RankBitsFile {
    let modulus = LEAST_SPREAD;
    while (modulus < MOST_SPREAD && modulus < SPARE * count) modulus *= 2;
    return new RankBitsFile(modulus);
  }

  add(rank: number): void {
    const bit = rank % this.modulus;
    const byte = Math.floor(bit / 8);
    this.bits = grown(this.bits, byte + 1);
    this.bits[byte]! |= 1 << (bit % 8);
    this.end = Math.max(this.end, byte + 1);
  }

  bytes(): Uint8Array {
    return new FieldWriter().u64(this.modulus).raw(this.bits, 0, this.end).view;
  }
}

/** Bytes of a window of the file, and how many a task holds: 4 MB. */
const WINDOW = 2 ** 16;
const MOST_WINDOWS = 64;

/** Reads a side file in windows, each once where ranks are asked for in their order. */
export class RankBits {
  private readonly here: StagePlace;
  private readonly name: string;
  private readonly modulus: number;
  private readonly windows = new Map<number, Uint8Array>();
  private window: Uint8Array = new Uint8Array(0);
  private number = -1;

  private constructor(here: StagePlace, name: string) {
    this.here = here;
    this.name = name;
    this.modulus = u64At(here.side(name, 0, HEAD), 0);
  }

  /** The file of a task; null: its job has none. */
  static from(here: StagePlace, name: string): RankBits | null {
    return here.manifest.sides[name] === undefined ? null : new RankBits(here, name);
  }

  has(rank: number): boolean {
    const bit = rank % this.modulus;
    const byte = Math.floor(bit / 8);
    const number = Math.floor(byte / WINDOW);
    if (number !== this.number) this.open(number);
    return (((this.window[byte % WINDOW] ?? 0) >>> (bit % 8)) & 1) === 1;
  }

  private open(number: number): void {
    const { windows } = this;
    let window = windows.get(number);
    if (window === undefined) {
      if (windows.size === MOST_WINDOWS) windows.delete(windows.keys().next().value!);
      window = this.here.side(this.name, HEAD + number * WINDOW, WINDOW);
      windows.set(number, window);
    }
    this.window = window;
    this.number = number;
  }
}
