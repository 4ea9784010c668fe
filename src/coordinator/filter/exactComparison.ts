/**
 * The exact Jaccard similarity of one text to others, one after the other, over their shingle hashes as in a run.
 *
 * Sets stay in the kernel's comparer while there is room, so a kept document that resembles many others is hashed once.
 * Two texts of more than a few MB are compared in ranges of their hashes, and are read again for each range.
 */
import type { Kernel, SetCollector, SetComparer } from '../../kernel/kernel.js';
import { intersectionSize, resemblanceOf } from '../../sketch/similarity.js';
import type { ShingleParams, ShingleStream } from '../../text/shingles.js';

/** A text that can be read in pieces repeatedly. */
export interface TextPieces {
  readonly length: number;
  /** The bytes of [from, to), valid until the next call. */
  piece(from: number, to: number): Uint8Array;
}

/** Bytes of a long text that are read at once. */
const PIECE = 1 << 20;
/** Longer texts are compared in ranges. */
const LONG = 4 << 20;
/** Bytes of hashes per byte of text: each character or byte begins a shingle; words have at least four bytes. */
const HASHES_OF = { chars: 8, bytes: 8, words: 4, lines: 4, stopwords: 4 } as const;
/** Most characters that NFKC produces per byte: eighteen of three bytes. */
const COMPATIBLE = 6;
/** Beyond this many sets, the sets in the comparer are released. */
const MOST_SETS = 16_384;

export class ExactComparison {
  /** Most bytes of hashes per byte of text. */
  readonly #hashesOf: number;
  readonly #rangeBytes: number;
  readonly #collector: SetCollector;
  readonly #comparer: SetComparer;
  readonly #stream: ShingleStream;
  readonly #sortUnique: Kernel['sortUnique'];
  /** Only hashes whose upper halves are in this range are collected. */
  #range = 0;
  #ranges = 1;
  #text: TextPieces | null = null;
  /** Number of the text's set; -1: it is not in the comparer. */
  #mine = -1;
  /** Sizes of the sets in the comparer. */
  readonly #sizes: number[] = [];
  readonly #known = new Map<number, number>();
  readonly #pair = [new Uint32Array(1), new Uint32Array(1), new Uint32Array(1)] as const;

  /** @param rangeBytes most bytes of hashes outside the kernel */
  constructor(kernel: Kernel, shingle: ShingleParams, rangeBytes: number) {
    this.#hashesOf = HASHES_OF[shingle.unit] * (shingle.normalize?.includes('nfkc') ? COMPATIBLE : 1);
    this.#rangeBytes = rangeBytes;
    this.#collector = kernel.setCollector();
    this.#comparer = kernel.setComparer();
    this.#sortUnique = kernel.sortUnique;
    this.#stream = kernel.shingleStream(shingle, (hashes, count) => this.#collect(hashes, count));
    this.forget();
  }

  /** Sets the text that others are compared with. */
  begin(text: TextPieces): void {
    this.#text = text;
    this.#mine = -1;
    if (this.#comparer.isLarge || this.#sizes.length > MOST_SETS) this.forget();
  }

  /**
   * Jaccard similarity to another text, 0..1.
   *
   * @param number unique for each text that may be compared again
   */
  with(number: number, other: TextPieces): number {
    const text = this.#text!;
    if (text.length > LONG || other.length > LONG) return this.#byRanges(text, other);
    if (!this.#takenIn(number, text, other)) {
      this.forget();
      if (!this.#takenIn(number, text, other)) return this.#byRanges(text, other);
    }
    const [a, b, common] = this.#pair;
    a[0] = this.#mine;
    b[0] = this.#known.get(number)!;
    this.#comparer.compare(a, b, 0, 1, common);
    return resemblanceOf(common[0]!, this.#sizes[a[0]!]!, this.#sizes[b[0]!]!);
  }

  #takenIn(number: number, text: TextPieces, other: TextPieces): boolean {
    if (this.#mine < 0) this.#mine = this.#place(text);
    if (this.#mine < 0) return false;
    if (this.#known.has(number)) return true;
    const set = this.#place(other);
    if (set >= 0) this.#known.set(number, set);
    return set >= 0;
  }

  /** The number of the set of a text; -1: there is no room. */
  #place(text: TextPieces): number {
    this.#collector.clear();
    this.#read(text);
    const count = this.#collector.keep();
    const size = this.#comparer.place(this.#collector.sets(), 0, count);
    return size < 0 ? -1 : this.#sizes.push(size) - 1;
  }

  /** Releases all texts that may be compared again. */
  forget(): void {
    this.#comparer.clear();
    this.#sizes.length = 0;
    this.#known.clear();
    this.#mine = -1;
  }

  #read(text: TextPieces): void {
    const stream = this.#stream;
    const { length } = text;
    if (length <= PIECE) {
      stream.whole(text.piece(0, length));
      return;
    }
    stream.begin();
    for (let at = 0; at < length; at += PIECE) stream.push(text.piece(at, Math.min(length, at + PIECE)));
    stream.end();
  }

  #byRanges(a: TextPieces, b: TextPieces): number {
    const hashBytes = this.#hashesOf * (a.length + b.length);
    this.#ranges = Math.max(1, Math.ceil(hashBytes / this.#rangeBytes));
    let [common, sizeA, sizeB] = [0, 0, 0];
    for (this.#range = 0; this.#range < this.#ranges; this.#range++) {
      const ofA = this.#rangeOf(a);
      const ofB = this.#rangeOf(b);
      sizeA += ofA.length / 2;
      sizeB += ofB.length / 2;
      common += intersectionSize(ofA, 0, ofA.length / 2, ofB, 0, ofB.length / 2);
    }
    this.#range = 0;
    this.#ranges = 1;
    return resemblanceOf(common, sizeA, sizeB);
  }

  #rangeOf(text: TextPieces): Uint32Array {
    this.#collector.clear();
    this.#read(text);
    this.#collector.keep();
    const hashes = this.#collector.sets().slice();
    return hashes.subarray(0, 2 * this.#sortUnique(hashes, hashes.length / 2));
  }

  /** The list is scratch memory, so it is compacted in place. */
  #collect(hashes: Uint32Array, count: number): void {
    if (this.#ranges === 1) {
      this.#collector.add(hashes, count);
      return;
    }
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const high = hashes[2 * i + 1]!;
      if (Math.floor((high * this.#ranges) / 2 ** 32) !== this.#range) continue;
      hashes[2 * kept] = hashes[2 * i]!;
      hashes[2 * kept + 1] = high;
      kept++;
    }
    this.#collector.add(hashes, kept);
  }
}
