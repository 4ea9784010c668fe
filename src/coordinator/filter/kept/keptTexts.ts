/**
 * The texts of kept documents, for verification: bytes are appended, and read by position. They are in memory until the
 * owner needs the room; then the oldest are moved to a temporary file.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MinHashError } from '../../../errors.js';
import { readAt } from '../../../store/fileDoor.js';
import { plainCauseOf, systemCodeOf } from '../../../store/files.js';

const PAGE = 1 << 20;
const SHORT = 64;

/** A file in the folder for temporary files. It is unlinked after opening if the system allows that. */
class ScratchFile {
  readonly #path = join(tmpdir(), `mr-minhash-filter-${randomUUID()}`);
  readonly #file: number;
  #isNamed = true;

  constructor() {
    this.#file = this.#attempt(() => openSync(this.#path, 'wx+', 0o600));
    this.#removeName();
  }

  write(bytes: Uint8Array, position: number): void {
    this.#attempt(() => {
      for (let at = 0; at < bytes.length; )
        at += writeSync(this.#file, bytes, at, bytes.length - at, position + at);
    });
  }

  read(into: Uint8Array, position: number): void {
    this.#attempt(() => {
      if (readAt(this.#file, into, position) < into.length)
        throw Object.assign(new Error('the file ends early'), { code: 'EIO' });
    });
  }

  close(): void {
    closeSync(this.#file);
    if (this.#isNamed) this.#removeName();
  }

  #removeName(): void {
    try {
      unlinkSync(this.#path);
      this.#isNamed = false;
    } catch {
      // Windows does not remove open files: removal is tried again when the file is closed.
    }
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === null) throw error;
      const detail = `${this.#path}: ${plainCauseOf(code)}`;
      throw new MinHashError({ code: 'SCRATCH_FAILED', detail }, { cause: error });
    }
  }
}

export class KeptTexts {
  /** Bytes appended: the position of the next ones. */
  length = 0;
  /** Null: in the file. */
  readonly #pages: (Uint8Array | null)[] = [];
  /** The last page, which is written to. */
  #open: Uint8Array = new Uint8Array(0);
  #inFile = 0;
  #file: ScratchFile | null = null;
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
      if (offset === 0) this.#openPage();
      const part = bytes.subarray(at, at + PAGE - offset);
      this.#open.set(part, offset);
      at += part.length;
      this.length += part.length;
    }
  }

  /** Bytes of [position, position + length), valid until the next call. @throws MinHashError SCRATCH_FAILED */
  read(position: number, length: number): Uint8Array {
    const first = Math.floor(position / PAGE);
    const offset = position - first * PAGE;
    const page = this.#pages[first];
    if (page && offset + length <= PAGE) return page.subarray(offset, offset + length);
    if (this.#scratch.length < length) this.#scratch = new Uint8Array(Math.max(length, 64 << 10));
    const into = this.#scratch.subarray(0, length);
    for (let at = 0; at < length; ) at += this.#copy(position + at, into.subarray(at));
    return into;
  }

  /** Copies the bytes from `position` on that are in one page, or in the file; returns their number. */
  #copy(position: number, into: Uint8Array): number {
    const inFile = this.#inFile * PAGE;
    if (position < inFile) {
      const part = into.subarray(0, inFile - position);
      this.#file!.read(part, position);
      return part.length;
    }
    const page = Math.floor(position / PAGE);
    const offset = position - page * PAGE;
    const part = this.#pages[page]!.subarray(offset, offset + into.length);
    into.set(part);
    return part.length;
  }

  /** Moves the oldest page to the file; returns false if no page is complete. @throws MinHashError SCRATCH_FAILED */
  spill(): boolean {
    const page = this.#pages[this.#inFile];
    if (!page || (this.#inFile + 1) * PAGE > this.length) return false;
    this.#file ??= new ScratchFile();
    this.#file.write(page, this.#inFile * PAGE);
    this.#pages[this.#inFile++] = null;
    this.#spare = page;
    return true;
  }

  /** Removes the file and all texts. */
  close(): void {
    this.#file?.close();
    this.#file = null;
    this.#pages.length = 0;
  }

  #openPage(): void {
    this.#open = this.#spare ?? new Uint8Array(PAGE);
    this.#spare = null;
    this.#pages.push(this.#open);
  }
}
