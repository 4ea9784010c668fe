/** A file that is written from its beginning to its end, in large pieces. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { readInto } from '../../../readers/bytes/wholeFiles.js';
import { ParquetFault } from '../../../readers/formats/parquet/thrift.js';
import { guardWrite } from '../../../store/files.js';

const BUFFER_BYTES = 1 << 20;

export class OutputFile {
  /** Bytes that were given so far. */
  length = 0;
  readonly #name: string;
  readonly #descriptor: number;
  readonly #buffer = new Uint8Array(BUFFER_BYTES);
  #filled = 0;

  /** @throws MinHashError DISK_FULL, WRITE_FAILED, as every other method */
  constructor(path: string) {
    this.#name = path;
    this.#descriptor = guardWrite(path, () => openSync(path, 'w'));
  }

  write(bytes: Uint8Array): void {
    this.length += bytes.length;
    if (bytes.length > this.#buffer.length - this.#filled) this.#flush();
    if (bytes.length > this.#buffer.length) this.#give(bytes);
    else {
      this.#buffer.set(bytes, this.#filled);
      this.#filled += bytes.length;
    }
  }

  /** Copies bytes [from, to) of another open file. @throws ParquetFault UNREADABLE, PARQUET_BROKEN where it ends before */
  copy(descriptor: number, from: number, to: number): void {
    for (let at = from; at < to; ) {
      if (this.#filled === this.#buffer.length) this.#flush();
      const end = Math.min(this.#buffer.length, this.#filled + to - at);
      const filled = readInto(descriptor, this.#buffer.subarray(0, end), this.#filled, at);
      if (filled < 0) throw new ParquetFault('UNREADABLE');
      if (filled < end) throw new ParquetFault();
      at += end - this.#filled;
      this.length += end - this.#filled;
      this.#filled = end;
    }
  }

  finish(): void {
    this.#flush();
    guardWrite(this.#name, () => closeSync(this.#descriptor));
  }

  /** Closes it as it is. */
  abandon(): void {
    try {
      closeSync(this.#descriptor);
    } catch {
      // What is left of it is of no use.
    }
  }

  #flush(): void {
    this.#give(this.#buffer.subarray(0, this.#filled));
    this.#filled = 0;
  }

  #give(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      at += guardWrite(this.#name, () => writeSync(this.#descriptor, bytes, at));
    }
  }
}
