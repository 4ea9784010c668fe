/**
 * The pool of text that corpora are cut from: the pages of the pinned packages, one after the other, with each line
 * only once. So all similarity in a corpus is planted, in known numbers. The corpus `docs` has text with its natural
 * repetition.
 */
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type PinnedPackage, POOLS, unpackedPackage } from './packages.js';
import { PROSE, pagesOf } from './pages.js';
import { between, type Random } from './random.js';

/** Changes with the rule of cutting and cleaning, so that a cached pool of an older rule is not used. */
const RULE = 2;
/** Lines of at least so many bytes occur once. Shorter lines are mostly punctuation; menus are lists of short lines. */
const ONLY_ONCE = 4;
/** Least bytes of a line that a piece is gathered from. */
const GATHERED = 24;
const SLOTS = 2 ** 24;
const BLOCK = 2 ** 20;
/** Bytes at the end of the pool in which no piece begins. */
const MARGIN = 1000;
const NEWLINE = 10;
const BLANK = 32;

/** The set of lines seen, by 64-bit hashes in an open-addressing table. */
class LinesSeen {
  readonly #table = new Uint32Array(2 * SLOTS);
  #count = 0;

  /** Whether the bytes from `start` to `end` are new; adds them. */
  add(bytes: Uint8Array, start: number, end: number): boolean {
    let low = 0x811c9dc5;
    let high = 0x9e3779b9;
    for (let i = start; i < end; i++) {
      low = Math.imul(low ^ bytes[i]!, 0x01000193);
      high = Math.imul((high ^ bytes[i]!) + (high >>> 15), 0x85ebca6b);
    }
    low = (low >>> 0 || 1) >>> 0;
    high >>>= 0;
    for (let slot = (low ^ (low >>> 13)) & (SLOTS - 1); ; slot = (slot + 1) & (SLOTS - 1)) {
      if (this.#table[2 * slot] === 0) {
        this.#table[2 * slot] = low;
        this.#table[2 * slot + 1] = high;
        if (++this.#count > SLOTS / 2) throw new Error('the pool has too many lines for its table');
        return true;
      }
      if (this.#table[2 * slot] === low && this.#table[2 * slot + 1] === high) return false;
    }
  }
}

/** Removes trailing blanks and repeated lines of a page, in place; returns the remaining number of bytes. */
function keepNewLines(bytes: Uint8Array, seen: LinesSeen): Uint8Array {
  let kept = 0;
  for (let start = 0; start < bytes.length; ) {
    let end = bytes.indexOf(NEWLINE, start);
    if (end < 0) end = bytes.length;
    let [first, last] = [start, end];
    while (last > first && bytes[last - 1]! <= BLANK) last--;
    while (first < last && bytes[first]! <= BLANK) first++;
    if (last > first && (last - first < ONLY_ONCE || seen.add(bytes, first, last))) {
      bytes.copyWithin(kept, start, last);
      kept += last - start;
      bytes[kept++] = NEWLINE;
    }
    start = end + 1;
  }
  return bytes.subarray(0, kept);
}

function buildPool(packages: readonly PinnedPackage[], cache: string, file: string): void {
  const scratch = `${file}.tmp`;
  const out = openSync(scratch, 'w');
  const seen = new LinesSeen();
  for (const source of packages) {
    for (const { text } of pagesOf(unpackedPackage(source, cache), PROSE)) {
      const bytes = keepNewLines(Buffer.from(`${text}\n`), seen);
      for (let written = 0; written < bytes.length; ) written += writeSync(out, bytes, written);
    }
  }
  closeSync(out);
  renameSync(scratch, file);
}

/**
 * Cuts pieces of text from the pool, each once; after its end a piece consists of lines from anywhere. Blocks of the
 * pool come in random order, so that the first tenth of a corpus has the same kinds of text as the whole corpus.
 */
export class Pool {
  readonly #bytes: Buffer;
  readonly #random: Random;
  /** Numbers of the blocks that are not yet used. */
  readonly #blocks: number[];
  #position = 0;
  #end = 0;

  constructor(bytes: Buffer, random: Random) {
    this.#bytes = bytes;
    this.#random = random;
    this.#blocks = Array.from({ length: Math.floor(bytes.length / BLOCK) }, (_, i) => i);
    for (let i = this.#blocks.length - 1; i > 0; i--) {
      const j = between(random, 0, i + 1);
      [this.#blocks[i], this.#blocks[j]] = [this.#blocks[j]!, this.#blocks[i]!];
    }
  }

  /** About `length` bytes of text, cut at white space, as a binary string (one char code per byte). */
  piece(length: number): string {
    while (this.#position + length > this.#end) {
      const block = this.#blocks.pop();
      if (block === undefined) return this.#gathered(length);
      this.#position = this.#bytes.indexOf(NEWLINE, block * BLOCK) + 1;
      this.#end = (block + 1) * BLOCK;
    }
    const start = this.#position;
    const end = this.#whiteSpaceFrom(start + length);
    this.#position = end + 1;
    return this.#bytes.toString('latin1', start, end);
  }

  /** A word from anywhere. */
  word(): string {
    for (;;) {
      const start = this.#whiteSpaceFrom(between(this.#random, 0, this.#bytes.length - MARGIN)) + 1;
      const word = this.#bytes.toString('latin1', start, Math.min(start + 40, this.#whiteSpaceFrom(start)));
      if (/^[A-Za-z]+$/.test(word)) return word;
    }
  }

  #gathered(length: number): string {
    const lines: string[] = [];
    let left = length;
    while (left > 0) {
      const anywhere = between(this.#random, 0, this.#bytes.length - MARGIN);
      const start = this.#bytes.indexOf(NEWLINE, anywhere) + 1;
      const end = this.#bytes.indexOf(NEWLINE, start);
      if (start === 0 || end - start < GATHERED) continue;
      lines.push(this.#bytes.toString('latin1', start, Math.min(end, this.#whiteSpaceFrom(start + left))));
      left -= lines.at(-1)!.length + 1;
    }
    return lines.join('\n');
  }

  #whiteSpaceFrom(position: number): number {
    let at = position;
    while (at < this.#bytes.length && this.#bytes[at]! > BLANK) at++;
    return at;
  }
}

/** A pool as bytes; cached in `cache`. */
export function poolBytes(name: keyof typeof POOLS, cache: string): Buffer {
  const packages = POOLS[name];
  const key = createHash('sha256')
    .update(JSON.stringify([RULE, packages]))
    .digest('hex')
    .slice(0, 12);
  const file = join(cache, `pool-${name}-${key}.txt`);
  if (!existsSync(file)) buildPool(packages, cache, file);
  return readFileSync(file);
}
