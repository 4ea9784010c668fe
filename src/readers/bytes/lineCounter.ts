/** Counts the lines of a file before a position. */
import { closeSync, openSync, readSync } from 'node:fs';
import { bytesOf } from '../list/pathIds.js';

const PIECE = 1 << 20;
const LINE_FEED = 0x0a;

/** Counts the lines of a file that start before a byte; bytes must not descend. */
export class LineCounter {
  readonly #file: number;
  readonly #piece = Buffer.alloc(PIECE);
  #at = 0;
  #lines = 1;

  constructor(path: string) {
    this.#file = openSync(bytesOf(path), 'r');
  }

  /** @param from above 0 */
  linesBefore(from: number): number {
    // A line starts after each line feed.
    while (this.#at < from - 1) {
      const wanted = Math.min(PIECE, from - 1 - this.#at);
      const length = readSync(this.#file, this.#piece, 0, wanted, this.#at);
      if (length === 0) break;
      const bytes = this.#piece.subarray(0, length);
      for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) this.#lines++;
      this.#at += length;
    }
    return this.#lines;
  }

  close(): void {
    closeSync(this.#file);
  }
}
