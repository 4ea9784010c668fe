/**
 * Writes the bytes of a file, compressed or not. Compressed bytes may differ from those of the input if another program
 * wrote them; decompressed bytes are equal.
 *
 *      gzip              Node; for WARC archives one member per record
 *      zstd, bzip2, xz   the program of that name
 */
import { once } from 'node:events';
import { writev } from 'node:fs';
import type { Transform } from 'node:stream';
import { createGzip } from 'node:zlib';
import { MinHashError } from '../../../errors.js';
import {
  type ProgramName,
  programPath,
  type RunningProgram,
  startProgram,
} from '../../../readers/bytes/programs.js';
import type { Codec } from '../../../readers/list/fileList.js';
import { reportsNoSpace } from '../../../store/files.js';

/** Writes bytes to an open file. */
export interface ByteSink {
  /** The parts may be reused after the promise resolves. */
  write(parts: readonly Uint8Array[]): Promise<void>;
  /** Resolves when all bytes are in the file. */
  end(): Promise<void>;
  /** Cancels writing and ends its program. */
  abandon(): void;
}

/** Writes bytes unchanged. */
class PlainSink implements ByteSink {
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  async write(parts: readonly Uint8Array[]): Promise<void> {
    let left = parts.filter(({ length }) => length > 0);
    while (left.length > 0) {
      const batch = left.slice(0, MOST_PARTS);
      let written = await new Promise<number>((resolve, reject) => {
        writev(this.#descriptor, batch, (error, count) => (error === null ? resolve(count) : reject(error)));
      });
      // The system may write fewer bytes than requested.
      let whole = 0;
      while (whole < batch.length && written >= batch[whole]!.length) written -= batch[whole++]!.length;
      left = left.slice(whole);
      if (written > 0) left[0] = left[0]!.subarray(written);
    }
  }

  async end(): Promise<void> {}

  abandon(): void {}
}

/** The system accepts at most 1024 parts in one call. */
const MOST_PARTS = 1000;

/** Writes nothing, for a check before anything is written. */
export const NOWHERE: ByteSink = { write: async () => {}, end: async () => {}, abandon: () => {} };

/** Compresses with a stream of Node. */
class TransformSink implements ByteSink {
  readonly #plain: ByteSink;
  readonly #transform: Transform;
  #compressed: Buffer[] = [];
  #failed: Error | null = null;

  constructor(plain: ByteSink, transform: Transform) {
    this.#plain = plain;
    this.#transform = transform;
    transform.on('data', (piece: Buffer) => this.#compressed.push(piece));
    transform.on('error', (error: Error) => {
      this.#failed = error;
    });
  }

  async write(parts: readonly Uint8Array[]): Promise<void> {
    for (const part of parts) {
      await new Promise<void>((resolve, reject) => {
        this.#transform.write(part, (error) => (error ? reject(error) : resolve()));
      });
      await this.#flush();
    }
  }

  async end(): Promise<void> {
    const ended = once(this.#transform, 'end');
    this.#transform.end();
    await ended;
    await this.#flush();
  }

  abandon(): void {
    this.#transform.destroy();
  }

  async #flush(): Promise<void> {
    if (this.#failed !== null) throw this.#failed;
    const compressed = this.#compressed;
    this.#compressed = [];
    if (compressed.length > 0) await this.#plain.write(compressed);
  }
}

/** Follows the parts of a record that becomes a member of its own. */
export const RECORD_END = new Uint8Array(0);

/**
 * gzip with one member per record, as in WARC archives: a reader that knows where a member begins can skip everything
 * before it.
 */
class MemberSink implements ByteSink {
  readonly #plain: ByteSink;
  #member: TransformSink | null = null;
  #isAny = false;

  constructor(plain: ByteSink) {
    this.#plain = plain;
  }

  async write(parts: readonly Uint8Array[]): Promise<void> {
    for (const part of parts) {
      if (part === RECORD_END) await this.#endMember();
      else await this.#current().write([part]);
    }
  }

  async end(): Promise<void> {
    // An empty file is not valid gzip, so at least one member is written.
    if (!this.#isAny) this.#current();
    await this.#endMember();
  }

  abandon(): void {
    this.#member?.abandon();
  }

  #current(): TransformSink {
    this.#isAny = true;
    this.#member ??= new TransformSink(this.#plain, createGzip());
    return this.#member;
  }

  async #endMember(): Promise<void> {
    await this.#member?.end();
    this.#member = null;
  }
}

/** Compresses with a program, which writes to the file itself. */
class ProgramSink implements ByteSink {
  readonly #name: ProgramName;
  readonly #program: RunningProgram;

  constructor(descriptor: number, name: ProgramName, path: string) {
    this.#name = name;
    this.#program = startProgram(name, path, 'pack', descriptor);
  }

  async write(parts: readonly Uint8Array[]): Promise<void> {
    for (const part of parts) if (!(await this.#program.write(part))) return;
  }

  async end(): Promise<void> {
    this.#program.end();
    const { status, why, said: stderr } = await this.#program.ended;
    if (status === 0) return;
    if (reportsNoSpace(stderr))
      throw new MinHashError({ code: 'DISK_FULL', detail: `${this.#name}: no space is left on the device` });
    const detail = `${this.#name}: ${status === null ? why : `it ended with ${status}`}`;
    throw new MinHashError({ code: 'PROGRAM_FAILED', detail });
  }

  abandon(): void {
    this.#program.kill();
  }
}

/**
 * A sink that writes to an open file, compressed or not. A missing program was reported before: the
 * same programs compress and decompress.
 *
 * @param hasEnds whether RECORD_END follows records
 */
export function sinkOf(descriptor: number, codec: Codec | null, hasEnds: boolean): ByteSink {
  const plain = new PlainSink(descriptor);
  if (codec === null) return plain;
  if (codec === 'gzip') return hasEnds ? new MemberSink(plain) : new TransformSink(plain, createGzip());
  return new ProgramSink(descriptor, codec, programPath(codec) ?? codec);
}
