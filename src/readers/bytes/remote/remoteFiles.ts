/**
 * Files on other machines as open files: numbers that stand for them, read by position or in sequence, synchronously.
 *
 * Who reads in sequence is given windows that double up to MOST_WINDOW, and the next one is fetched while one is read; who
 * reads here and there is given what is asked for.
 */
import { type ErrorCode, MinHashError } from '../../../errors.js';
import { ask, askLater, tell } from './fetchThread.js';
import type { ErrandAnswer, Opened, Range } from './messages.js';

/** Descriptors of remote files are numbers from here on: no system gives such to a file of its own. */
export const FIRST_REMOTE = 2 ** 30;

/** So much of a file comes when it is opened. */
const FIRST_BYTES = 256 << 10;
/** Where a range is known that will be read: what tells whether the file is a text. */
const HEAD_BYTES = 8 << 10;
const LEAST_WINDOW = 256 << 10;
const MOST_WINDOW = 4 << 20;
/** What is announced is fetched whole up to this size. */
const MOST_ANNOUNCED = 1 << 20;

/** What is wrong with one file only; anything else ends the run, which can be resumed. */
const OF_ONE_FILE: readonly ErrorCode[] = ['VANISHED', 'DENIED', 'CHANGED', 'UNREADABLE'];

const open = new Map<number, RemoteFile>();
let next = FIRST_REMOTE;

const decoder = new TextDecoder();

/** The address in the bytes of a path, or in a binary string. */
function textOfAddress(path: string | Uint8Array): string {
  const bytes = typeof path === 'string' ? Buffer.from(path, 'latin1') : path;
  return decoder.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
}

class RemoteFile {
  readonly size: number;
  readonly time: number;
  /** Where the next read in sequence begins. */
  position = 0;
  /** Why the last read failed. */
  fault: ErrorCode = 'UNREADABLE';
  readonly #number: number;
  /** Read no further ahead than this. */
  readonly #until: number;
  #held: Uint8Array;
  #heldFrom = 0;
  #window = LEAST_WINDOW;
  /** What is being fetched. */
  #ahead: Range | null = null;

  constructor(number: number, { size, time, bytes }: Opened, reads: ExpectedRange | null) {
    this.#number = number;
    this.size = size;
    this.time = time;
    this.#held = bytes;
    this.#until = Math.min(size, reads?.to ?? size);
    if (reads !== null && reads.to > bytes.length) {
      this.#window = MOST_WINDOW;
      this.#fetchAhead(Math.min(reads.from, size));
    }
  }

  /** Copies bytes from a position on; returns how many, 0 at the end. @throws MinHashError */
  read(into: Uint8Array, position: number): number {
    if (position >= this.size || into.length === 0) return 0;
    if (!this.#holds(position)) {
      const range = this.#next(position, into.length);
      this.#take(range, ask({ kind: 'read', file: this.#number, ...range }));
    }
    return this.#copy(into, position);
  }

  /** The same without holding up the thread. */
  async readLater(into: Uint8Array, position: number): Promise<number> {
    if (position >= this.size || into.length === 0) return 0;
    if (!this.#holds(position)) {
      const range = this.#next(position, into.length);
      this.#take(range, await askLater({ kind: 'read', file: this.#number, ...range }));
    }
    return this.#copy(into, position);
  }

  #copy(into: Uint8Array, position: number): number {
    const from = position - this.#heldFrom;
    const part = this.#held.subarray(from, Math.min(this.#held.length, from + into.length));
    into.set(part);
    return part.length;
  }

  #holds(position: number): boolean {
    return position >= this.#heldFrom && position < this.#heldFrom + this.#held.length;
  }

  /** What to ask for, to have bytes from a position on; what comes behind it is asked for, too. */
  #next(position: number, wanted: number): Range {
    const ahead = this.#ahead;
    const isNext = position === this.#heldFrom + this.#held.length;
    let range: Range;
    if (ahead !== null && position >= ahead.from && position < ahead.from + ahead.length) {
      range = ahead;
      this.#ahead = null;
      this.#fetchAhead(ahead.from + ahead.length);
    } else {
      if (!isNext) this.#window = LEAST_WINDOW;
      range = this.#rangeFrom(position, Math.min(wanted, MOST_WINDOW));
      if (isNext) this.#fetchAhead(position + range.length);
    }
    return range;
  }

  #take(range: Range, answer: ErrandAnswer<'read'>): void {
    if ('refusal' in answer) throw new MinHashError(answer.refusal);
    this.#held = answer.value;
    this.#heldFrom = range.from;
  }

  #rangeFrom(from: number, wanted: number): Range {
    const end =
      from < this.#until ? Math.min(this.#until, from + Math.max(wanted, this.#window)) : from + wanted;
    return { from, length: Math.min(this.size, end) - from };
  }

  #fetchAhead(from: number): void {
    if (from >= this.#until) return;
    this.#ahead = this.#rangeFrom(from, LEAST_WINDOW);
    this.#window = Math.min(MOST_WINDOW, 2 * this.#window);
    tell({ kind: 'ahead', file: this.#number, ...this.#ahead });
  }
}

/** Which bytes of a file will be read in sequence. */
export interface ExpectedRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Opens a file: a descriptor, or VANISHED, DENIED, CHANGED, UNREADABLE. `reads`: the range that will be read of it, where
 * that is known.
 *
 * @throws MinHashError REMOTE_FAILED and others that are no fault of this file
 */
export function openRemote(path: string | Uint8Array, reads: ExpectedRange | null): number | ErrorCode {
  const file = next++;
  const first = reads === null ? FIRST_BYTES : HEAD_BYTES;
  const address = textOfAddress(path);
  return opened(file, ask({ kind: 'open', file, address, first, keepsHead: reads !== null }), reads);
}

/** The same for a file that is read from its beginning, without holding up the thread. */
export async function openRemoteLater(path: string): Promise<number | ErrorCode> {
  const file = next++;
  const address = textOfAddress(path);
  return opened(
    file,
    await askLater({ kind: 'open', file, address, first: FIRST_BYTES, keepsHead: false }),
    null,
  );
}

function opened(file: number, answer: ErrandAnswer<'open'>, reads: ExpectedRange | null): number | ErrorCode {
  if ('refusal' in answer) return codeOf(new MinHashError(answer.refusal));
  open.set(file, new RemoteFile(file, answer.value, reads));
  return file;
}

/** The code of a fault of one file. @throws what is no such fault */
function codeOf(error: unknown): ErrorCode {
  const code = error instanceof MinHashError ? error.code : null;
  if (code === null || !OF_ONE_FILE.includes(code)) throw error;
  return code;
}

export function closeRemote(descriptor: number): void {
  if (open.delete(descriptor)) tell({ kind: 'close', file: descriptor });
}

/** Size and time of modification of an open file, as the server says them. */
export function statRemote(descriptor: number): { readonly size: number; readonly mtimeMs: number } {
  const { size, time } = open.get(descriptor)!;
  return { size, mtimeMs: time };
}

/**
 * Reads as readSync does: fewer bytes than asked for where a window ends, 0 at the end. -1: the file changed, or is not
 * given any more.
 *
 * @param position null for where the last such read ended
 * @throws MinHashError REMOTE_FAILED and others that are no fault of this file
 */
export function readRemote(descriptor: number, into: Uint8Array, position: number | null): number {
  const file = open.get(descriptor)!;
  try {
    const read = file.read(into, position ?? file.position);
    if (position === null) file.position += read;
    return read;
  } catch (error) {
    file.fault = codeOf(error);
    return -1;
  }
}

/** Reads what comes next, without holding up the thread; else as readRemote. */
export async function readRemoteLater(descriptor: number, into: Uint8Array): Promise<number> {
  const file = open.get(descriptor)!;
  try {
    const read = await file.readLater(into, file.position);
    file.position += read;
    return read;
  } catch (error) {
    file.fault = codeOf(error);
    return -1;
  }
}

/** Why the last read failed. */
export function faultOfRemote(descriptor: number): ErrorCode {
  return open.get(descriptor)!.fault;
}

/** Size and time of a file that is not opened; null: it is gone, or is not given. @throws MinHashError as openRemote */
export function lookAtRemote(path: Uint8Array): { readonly size: number; readonly mtimeMs: number } | null {
  const descriptor = openRemote(path, { from: 0, to: 0 });
  if (typeof descriptor === 'string') return null;
  const found = statRemote(descriptor);
  closeRemote(descriptor);
  return found;
}

/** A file that will be opened. */
export interface InputToOpen {
  readonly path: Uint8Array;
  /** Bytes; -1 where nobody knows. */
  readonly size: number;
  /** So much of it will be read. */
  readonly most: number;
}

/** Has files fetched side by side that will be opened one after the other, in this order. */
export function announceRemote(files: readonly InputToOpen[]): void {
  const objects = files.map(({ path, size, most }) => {
    const isWhole = size >= 0 && size <= Math.min(most, MOST_ANNOUNCED);
    const length = isWhole ? size : Math.min(most, FIRST_BYTES);
    return { address: textOfAddress(path), first: { from: 0, length, isWhole } };
  });
  tell({ kind: 'announce', objects });
}
