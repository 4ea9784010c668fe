/**
 * Where the bytes of a file go: as they are, or packed. Packed data that were made by another program may differ from those of the
 * input in their bytes; what they unpack to is the same.
 *
 *      gzip          Node
 *      zstd          frames of 4 MB by zstd as WebAssembly, the same bytes in every version of Node
 *      bzip2, xz     the program of that name
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writev } from 'node:fs';
import type { Transform } from 'node:stream';
import { createGzip } from 'node:zlib';
import { MinHashError } from '../../../errors.js';
import type { Packing } from '../../../readers/list/fileList.js';
import { parser } from '../../../readers/parsers/load.js';

/** Takes bytes for an open file. */
export interface ByteSink {
  /** Bytes that were written to the file. */
  readonly bytes: number;
  /** The parts may change once it has ended. */
  write(parts: readonly Uint8Array[]): Promise<void>;
  /** After it all bytes are in the file. */
  end(): Promise<void>;
  /** Gives up: nothing of it runs on. */
  abandon(): void;
}

/** Bytes as they are. */
export class PlainSink implements ByteSink {
  bytes = 0;
  readonly #descriptor: number;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  async write(parts: readonly Uint8Array[]): Promise<void> {
    let left = parts.filter(({ length }) => length > 0);
    while (left.length > 0) {
      const some = left.slice(0, MOST_PARTS);
      let written = await new Promise<number>((resolve, reject) => {
        writev(this.#descriptor, some, (error, count) => (error === null ? resolve(count) : reject(error)));
      });
      this.bytes += written;
      // The system may write fewer bytes than given.
      let whole = 0;
      while (whole < some.length && written >= some[whole]!.length) written -= some[whole++]!.length;
      left = left.slice(whole);
      if (written > 0) left[0] = left[0]!.subarray(written);
    }
  }

  async end(): Promise<void> {}

  abandon(): void {}
}

/** Systems take 1024 parts in one call. */
const MOST_PARTS = 1000;

/** Counts alone: for who looks before anything is written. */
export class NoSink implements ByteSink {
  bytes = 0;

  async write(parts: readonly Uint8Array[]): Promise<void> {
    for (const { length } of parts) this.bytes += length;
  }

  async end(): Promise<void> {}

  abandon(): void {}
}

/** Through a stream of Node that packs. */
export class TransformSink implements ByteSink {
  readonly #plain: ByteSink;
  readonly #transform: Transform;
  #packed: Buffer[] = [];
  #failed: Error | null = null;

  constructor(plain: ByteSink, transform: Transform) {
    this.#plain = plain;
    this.#transform = transform;
    transform.on('data', (piece: Buffer) => this.#packed.push(piece));
    transform.on('error', (error: Error) => {
      this.#failed = error;
    });
  }

  get bytes(): number {
    return this.#plain.bytes;
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
    const packed = this.#packed;
    this.#packed = [];
    if (packed.length > 0) await this.#plain.write(packed);
  }
}

/** ENOSPC and EDQUOT in the words of programs. */
const NO_SPACE = /No space left|quota exceeded/i;

/** Through a program, which writes into the file itself. */
class ProgramSink implements ByteSink {
  bytes = 0;
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #said = '';

  constructor(descriptor: number, name: string, words: readonly string[]) {
    this.#name = name;
    // What it says of the disk is read below.
    const env = { ...process.env, LC_ALL: 'C' };
    this.#child = spawn(name, [...words], { stdio: ['pipe', descriptor, 'pipe'], env });
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', () => resolve(null));
      this.#child.on('close', resolve);
    });
    // Its end says what went wrong.
    this.#child.stdin!.on('error', () => {});
    this.#child.stderr!.on('data', (piece: Buffer) => {
      this.#said += piece.toString();
    });
  }

  async write(parts: readonly Uint8Array[]): Promise<void> {
    for (const part of parts) {
      const taken = await new Promise<boolean>((resolve) => {
        this.#child.stdin!.write(part, (error) => resolve(!error));
      });
      if (!taken) return;
    }
  }

  async end(): Promise<void> {
    this.#child.stdin!.end();
    const code = await this.#ended;
    if (code === 0) return;
    if (NO_SPACE.test(this.#said))
      throw new MinHashError({ code: 'DISK_FULL', detail: `${this.#name}: no space is left on the device` });
    const detail = `the program ${this.#name} ended with ${code ?? 'an error'}: ${this.#said.trim().split('\n')[0]}`;
    throw new MinHashError({ code: 'WRITE_FAILED', detail });
  }

  abandon(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Bytes of a frame of zstd before it is packed. */
const FRAME_BYTES = 4 << 20;

/** Frames of zstd, one behind the other: whoever unpacks reads them as one. */
class ZstdSink implements ByteSink {
  readonly #plain: ByteSink;
  readonly #frame = Buffer.allocUnsafe(FRAME_BYTES);
  #filled = 0;
  #frames = 0;
  #pack: ((bytes: Uint8Array) => Uint8Array) | null = null;

  constructor(plain: ByteSink) {
    this.#plain = plain;
  }

  get bytes(): number {
    return this.#plain.bytes;
  }

  async write(parts: readonly Uint8Array[]): Promise<void> {
    for (const part of parts) {
      for (let from = 0; from < part.length; ) {
        const to = Math.min(part.length, from + FRAME_BYTES - this.#filled);
        this.#frame.set(part.subarray(from, to), this.#filled);
        this.#filled += to - from;
        from = to;
        if (this.#filled === FRAME_BYTES) await this.#flush();
      }
    }
  }

  /** A file without a byte is a frame without one: nothing at all would be no zstd. */
  async end(): Promise<void> {
    if (this.#filled > 0 || this.#frames === 0) await this.#flush();
  }

  abandon(): void {}

  async #flush(): Promise<void> {
    this.#pack ??= await parser('zstdPack').zstdPacker();
    await this.#plain.write([this.#pack(this.#frame.subarray(0, this.#filled))]);
    this.#filled = 0;
    this.#frames++;
  }
}

/** Programs, and words with which they pack standard input in one thread: more would cut it otherwise. */
const PROGRAMS: Readonly<Partial<Record<Packing, readonly string[]>>> = {
  bzip2: ['-c'],
  xz: ['-T1', '-c'],
};

const known = new Map<string, boolean>();

function hasProgram(name: string): boolean {
  let has = known.get(name);
  if (has === undefined) {
    has = spawnSync(name, ['--version'], { stdio: ['ignore', 'ignore', 'ignore'] }).error === undefined;
    known.set(name, has);
  }
  return has;
}

/** Why files of a packing cannot be written here, and what would help; null: they can. */
export function whyUnpackable(packing: Packing): string | null {
  if (packing === 'gzip' || packing === 'zstd' || hasProgram(packing)) return null;
  return `nothing here packs ${packing}: install the program ${packing}, or unpack the input first`;
}

/** A sink that packs into an open file. */
export function packedSink(packing: Packing, descriptor: number): ByteSink {
  const plain = new PlainSink(descriptor);
  if (packing === 'gzip') return new TransformSink(plain, createGzip());
  return packing === 'zstd' ? new ZstdSink(plain) : new ProgramSink(descriptor, packing, PROGRAMS[packing]!);
}
