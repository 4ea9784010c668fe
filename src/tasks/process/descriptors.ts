/**
 * Input and output of a task process: file descriptors, read and written by calls that wait, in large pieces.
 *
 * Never process.stdin and process.stdout: to touch them makes a pipe one that does not wait, and costs a third of the speed.
 */
import { readSync, writeSync } from 'node:fs';
import { MinHashError } from '../../errors.js';

const ROOM = 1 << 20;

/** Fills a part of `into` and returns how many bytes it was given; 0: the input has ended. */
export type ReadPiece = (into: Uint8Array, at: number, length: number) => number;
/** Takes a part of `from`, all of it. */
export type WritePiece = (from: Uint8Array, at: number, length: number) => void;

/** What is read, in a window of memory that is used again; it grows where a record does not fit it. */
export class InputWindow {
  bytes: Uint8Array;
  /** The same memory, for what buffers do quicker. */
  buffer: Buffer;
  /** Where the next record begins in `bytes`. */
  at = 0;
  /** Where what was read ends. */
  end = 0;
  private dropped = 0;
  private readonly read: ReadPiece;

  constructor(read: ReadPiece, room = ROOM) {
    this.read = read;
    this.bytes = new Uint8Array(room);
    this.buffer = Buffer.from(this.bytes.buffer);
  }

  /** Bytes of the input before `at`. */
  get offset(): number {
    return this.dropped + this.at;
  }

  /** Reads on; what stands from `at` on moves to the beginning. False: the input has ended. */
  more(): boolean {
    const held = this.end - this.at;
    if (this.at > 0) {
      this.bytes.copyWithin(0, this.at, this.end);
      this.dropped += this.at;
      this.at = 0;
      this.end = held;
    }
    if (held === this.bytes.length) {
      const larger = new Uint8Array(2 * held);
      larger.set(this.bytes);
      this.bytes = larger;
      this.buffer = Buffer.from(larger.buffer);
    }
    const count = this.read(this.bytes, held, this.bytes.length - held);
    this.end += count;
    return count > 0;
  }

  /** Whether so many bytes stand from `at` on; reads until they do. */
  holds(bytes: number): boolean {
    while (this.end - this.at < bytes) if (!this.more()) return false;
    return true;
  }

  /** Where the line that begins at `at` has its LF, from `at` on; -1: the input ends before. */
  lineEnd(): number {
    for (let from = 0; ; ) {
      // Behind `end` stands what was there before.
      const found = this.buffer.indexOf(0x0a, this.at + from);
      if (found >= 0 && found < this.end) return found - this.at;
      from = this.end - this.at;
      if (!this.more()) return -1;
    }
  }
}

/** What is to be written, gathered to large pieces. */
export class OutputWindow {
  bytes: Uint8Array;
  /** The same memory. */
  buffer: Buffer;
  end = 0;
  private readonly write: WritePiece;

  constructor(write: WritePiece, room = ROOM) {
    this.write = write;
    this.bytes = new Uint8Array(room);
    this.buffer = Buffer.from(this.bytes.buffer);
  }

  /** Makes room for so many bytes at `end`. */
  reserve(bytes: number): void {
    if (this.end + bytes <= this.bytes.length) return;
    this.flush();
    if (bytes <= this.bytes.length) return;
    this.bytes = new Uint8Array(bytes);
    this.buffer = Buffer.from(this.bytes.buffer);
  }

  flush(): void {
    if (this.end > 0) this.write(this.bytes, 0, this.end);
    this.end = 0;
  }
}

/**
 * Reads a descriptor.
 *
 * @param look is called at every piece
 * @throws MinHashError TASK_STREAM
 */
export function readingFrom(descriptor: number, look: () => void = () => {}): ReadPiece {
  return (into, at, length) => {
    look();
    return patiently('read its input', () => readSync(descriptor, into, at, length, null));
  };
}

/**
 * Writes to a descriptor.
 *
 * @throws MinHashError TASK_STREAM, with the error of the platform as cause: EPIPE where the reader went away
 */
export function writingTo(descriptor: number, look: () => void = () => {}): WritePiece {
  return (from, at, length) => {
    look();
    for (const end = at + length; at < end; )
      at += patiently('write its output', () => writeSync(descriptor, from, at, end - at));
  };
}

/** A text for people, as far as somebody reads it. */
export function tell(descriptor: number, text: string): void {
  try {
    const bytes = new TextEncoder().encode(text);
    writingTo(descriptor)(bytes, 0, bytes.length);
  } catch {
    // Whoever does not read what is said misses it.
  }
}

const PAUSE = 1;
const WHY: Readonly<Record<string, string>> = {
  EPIPE: 'the engine closed it before its end',
  ENOSPC: 'no space is left',
};

/** Somebody else may have made a pipe one that does not wait: then this waits. */
function patiently(what: string, call: () => number): number {
  for (;;) {
    try {
      return call();
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'EAGAIN') pause();
      else if (code !== 'EINTR') {
        const why = WHY[code ?? ''] ?? code ?? String(cause);
        throw new MinHashError({ code: 'TASK_STREAM', detail: `it cannot ${what}: ${why}` }, { cause });
      }
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
}
