/**
 * The texts of kept documents, for verification: bytes are appended, and read by position. They are in memory until the
 * owner needs the room; then the oldest pages are moved to a temporary file.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { readAt } from '../../store/fileSystem.js';
import { plainCauseOf, quietly, systemCodeOf } from '../../store/files.js';

const PAGE = 1 << 20;
const SHORT = 64;

export class KeptTexts {
  /** Bytes appended: the position of the next ones. */
  length = 0;
  /** Null: in the file. */
  readonly #pages: (Uint8Array | null)[] = [];
  /** The last page, which is written to. */
  #open: Uint8Array = new Uint8Array(0);
  #inFile = 0;
  readonly #path = join(tmpdir(), `mr-minhash-filter-${randomUUID()}`);
  #file: number | null = null;
  /** A page whose content is in the file, for reuse. */
  #spare: Uint8Array | null = null;
  #scratch = new Uint8Array(0);

  /** Bytes in memory. */
  get bytes(): number {
    return PAGE * (this.#pages.length - this.#inFile);
  }

  append(bytes: Uint8Array): void {
    const within = this.length % PAGE;
    if (within > 0 && within + bytes.length <= PAGE) {
      // Ids and fixed-length fields are short, and a loop is cheaper than a call of `set`.
      if (bytes.length > SHORT) this.#open.set(bytes, within);
      else for (let i = 0; i < bytes.length; i++) this.#open[within + i] = bytes[i]!;
      this.length += bytes.length;
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      const offset = this.length % PAGE;
      if (offset === 0) {
        this.#open = this.#spare ?? new Uint8Array(PAGE);
        this.#spare = null;
        this.#pages.push(this.#open);
      }
      const part = bytes.subarray(at, at + PAGE - offset);
      this.#open.set(part, offset);
      at += part.length;
      this.length += part.length;
    }
  }

  /** Bytes of [position, position + length), valid until the next call. @throws MinHashError SCRATCH_FAILED */
  read(position: number, length: number): Uint8Array {
    const offset = position % PAGE;
    const page = this.#pages[Math.floor(position / PAGE)];
    if (page && offset + length <= PAGE) return page.subarray(offset, offset + length);
    if (this.#scratch.length < length) this.#scratch = new Uint8Array(Math.max(length, 64 << 10));
    const into = this.#scratch.subarray(0, length);
    const inFile = Math.max(0, Math.min(length, this.#inFile * PAGE - position));
    if (inFile > 0)
      this.#attempt(() => {
        if (readAt(this.#file!, into.subarray(0, inFile), position) < inFile)
          throw Object.assign(new Error('the file ends early'), { code: 'EIO' });
      });
    for (let at = inFile; at < length; ) {
      const from = (position + at) % PAGE;
      const own = this.#pages[Math.floor((position + at) / PAGE)]!;
      const part = own.subarray(from, from + length - at);
      into.set(part, at);
      at += part.length;
    }
    return into;
  }

  /** Moves the oldest page to the file; returns false if no page is complete. @throws MinHashError SCRATCH_FAILED */
  spill(): boolean {
    const page = this.#pages[this.#inFile];
    const start = this.#inFile * PAGE;
    if (!page || start + PAGE > this.length) return false;
    this.#attempt(() => {
      if (this.#file === null) {
        this.#file = openSync(this.#path, 'wx+', 0o600);
        // Windows does not remove open files: removal is tried again when the file is closed.
        quietly(() => unlinkSync(this.#path));
      }
      for (let at = 0; at < PAGE; ) at += writeSync(this.#file, page, at, PAGE - at, start + at);
    });
    this.#pages[this.#inFile++] = null;
    this.#spare = page;
    return true;
  }

  /** Removes the file and all texts. */
  close(): void {
    if (this.#file !== null) {
      closeSync(this.#file);
      quietly(() => unlinkSync(this.#path));
    }
    this.#file = null;
    this.#pages.length = 0;
  }

  #attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === null) throw error;
      const detail = `${this.#path}: ${plainCauseOf(code)}`;
      throw new MinHashError({ code: 'SCRATCH_FAILED', detail }, { cause: error });
    }
  }
}
