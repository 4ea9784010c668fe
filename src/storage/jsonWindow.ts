/**
 * A part of an open file, read in windows: what is held is what somebody still looks at, not the file.
 *
 * Floor 2; must never know what stands in the file.
 */
import type { ErrorCode } from '../errors.js';
import { readInto } from './wholeFiles.js';

export interface WindowParams {
  /** The most bytes that are held from `at` on. */
  readonly limit: number;
  /** Bytes of the file; default: all. */
  readonly from?: number;
  readonly to?: number;
  /** Called before every read. */
  readonly progress?: (() => void) | undefined;
}

/** A window of a file; what lies before `at` is done with. */
export class JsonWindow {
  bytes: Uint8Array;
  at = 0;
  end = 0;
  /** Why nothing more comes: null while more may come, else the end or a fault. */
  over: 'end' | ErrorCode | null = null;
  private position: number;
  private readonly file: number;
  private readonly limit: number;
  private readonly to: number;
  private readonly progress: (() => void) | undefined;

  /** @param bytes memory to begin with, at least one byte */
  constructor(file: number, bytes: Uint8Array, params: WindowParams) {
    this.file = file;
    this.bytes = bytes;
    this.limit = params.limit;
    this.position = params.from ?? 0;
    this.to = params.to ?? Number.POSITIVE_INFINITY;
    this.progress = params.progress;
  }

  /** Where in the file `at` is. */
  get offset(): number {
    return this.position - (this.end - this.at);
  }

  /** Reads more behind what is held from `at` on; false where nothing came. What is held begins at 0 then. */
  more(): boolean {
    if (this.over !== null) return false;
    const held = this.end - this.at;
    if (held > this.limit) {
      this.over = 'TOO_LARGE';
      return false;
    }
    this.progress?.();
    const old = this.bytes;
    const most = Math.min(2 * old.length, this.limit + 1);
    if (2 * held > old.length && most > old.length) this.bytes = new Uint8Array(most);
    if (this.bytes === old) old.copyWithin(0, this.at, this.end);
    else this.bytes.set(old.subarray(this.at, this.end));
    this.at = 0;
    this.end = held;
    const until = Math.min(this.bytes.length, held + this.to - this.position);
    const end = readInto(this.file, this.bytes, held, this.position, until);
    if (end < 0) this.over = 'UNREADABLE';
    else if (end === held) this.over = 'end';
    if (end <= held) return false;
    this.position += end - held;
    this.end = end;
    return true;
  }
}
