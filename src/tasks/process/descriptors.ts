/**
 * Input and output of a task process: file descriptors, read and written by blocking calls, in large pieces.
 *
 * Never process.stdin and process.stdout: touching them makes a pipe non-blocking, and costs a third of the speed.
 */
import { readSync, writeSync } from 'node:fs';
import { MinHashError } from '../../errors.js';

const ROOM = 1 << 20;

/** Reads at most `length` bytes into `into` and returns how many; 0: the input has ended. */
export type ReadPiece = (into: Uint8Array, at: number, length: number) => number;
/** Writes all `length` bytes of `from` from `at` on. */
export type WritePiece = (from: Uint8Array, at: number, length: number) => void;

/** The input in a window of memory that is reused; the window grows where a record does not fit in it. */
export class InputWindow {
  bytes: Uint8Array;
  /** The same memory as a Buffer, whose methods search and decode faster. */
  buffer: Buffer;
  /** Where the next record begins in `bytes`. */
  at = 0;
  /** Where the bytes read so far end. */
  end = 0;
  private dropped = 0;
  private readonly read: ReadPiece;

  constructor(read: ReadPiece, room = ROOM) {
    this.read = read;
    this.bytes = new Uint8Array(room);
    this.buffer = Buffer.from(this.bytes.buffer);
  }

  /** Offset of `at` in the whole input, in bytes. */
  get offset(): number {
    return this.dropped + this.at;
  }

  /** Reads more, and moves the bytes from `at` on to the beginning of the window. False: the input has ended. */
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

  /** Whether the input has so many bytes from `at` on; reads until the window holds them. */
  holds(bytes: number): boolean {
    while (this.end - this.at < bytes) if (!this.more()) return false;
    return true;
  }

  /** Length of the line that begins at `at`, without its LF; -1: the input ends before an LF. */
  lineEnd(): number {
    for (let from = 0; ; ) {
      // The bytes behind `end` are of earlier reads.
      const found = this.buffer.indexOf(0x0a, this.at + from);
      if (found >= 0 && found < this.end) return found - this.at;
      from = this.end - this.at;
      if (!this.more()) return -1;
    }
  }
}

/** Gathers output into large pieces. */
export class OutputWindow {
  bytes: Uint8Array;
  /** The same memory as a Buffer. */
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
 * Makes a reader of a descriptor.
 *
 * @param look called before every read
 * @throws MinHashError TASK_STREAM
 */
export function readingFrom(descriptor: number, look: () => void = () => {}): ReadPiece {
  return (into, at, length) => {
    look();
    return patiently('read its input', () => readSync(descriptor, into, at, length, null));
  };
}

/**
 * Makes a writer to a descriptor.
 *
 * @throws MinHashError TASK_STREAM with the platform's error as cause: EPIPE where the reader closed the pipe
 */
export function writingTo(descriptor: number, look: () => void = () => {}): WritePiece {
  return (from, at, length) => {
    look();
    for (const end = at + length; at < end; )
      at += patiently('write its output', () => writeSync(descriptor, from, at, end - at));
  };
}

/** Writes a text for people; ignores errors. */
export function tell(descriptor: number, text: string): void {
  try {
    const bytes = new TextEncoder().encode(text);
    writingTo(descriptor)(bytes, 0, bytes.length);
  } catch {
    // Nobody reads the text: the task goes on.
  }
}

const PAUSE = 1;
const WHY: Readonly<Record<string, string>> = {
  EPIPE: 'the engine closed it before its end',
  ENOSPC: 'no space is left',
};

/** Repeats the call until it succeeds: another process may have made the pipe non-blocking, then this one waits (EAGAIN). */
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
