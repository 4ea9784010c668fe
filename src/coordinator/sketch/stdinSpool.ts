/**
 * Standard input on disk, as it was cut into chunks: it comes once, and is needed for the second reading and by a run that
 * takes this one up.
 *
 *      spool/k     chunk k, from 0: its bytes; reported with it: firstLine, lines
 *      spool/end   written behind the last chunk: how many there are, and the faults that were met
 *
 * It is kept in every run with a folder to keep it in, also where nothing is read twice: without it such a run
 * could never be taken up, because who wrote into the pipe is gone. It leaves memory at once.
 */

import { type BlockBuffer, encodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { ErrorCode } from '../../errors.js';
import type { LineChunk } from '../../readers/bytes/chunks.js';
import type { Store } from '../../store/store.js';

const END = 'spool/end';

/** Lines of a chunk. */
export type SpooledChunk = Omit<LineChunk, 'bytes'>;

/** Standard input ended before its end, or a line of it is too long. */
type SpooledFault = {
  readonly line: number;
  readonly code: ErrorCode;
};

/** All that came on standard input: in an earlier attempt at the run, or in an earlier reading. */
export interface RecalledSpool {
  readonly chunks: readonly SpooledChunk[];
  readonly faults: readonly SpooledFault[];
}

/** What is noted at the end: JSON. */
type End = {
  readonly chunks: number;
  readonly faults: readonly SpooledFault[];
};

/** The block with the bytes of a chunk. */
export function spoolName(chunk: number): string {
  return NAMES.spool(chunk);
}

/** What an earlier attempt left in the store; null where it is not all of standard input, and cannot be had again. */
export function recalledSpool(store: Store): RecalledSpool | null {
  if (!(store.recalled?.(END) ?? []).includes(END)) return null;
  const end = store.reportOf?.(END) as End | null;
  if (end === null || end === undefined) return null;
  const chunks: SpooledChunk[] = [];
  for (let chunk = 0; chunk < end.chunks; chunk++) {
    if (!store.has(spoolName(chunk))) return null;
    chunks.push(store.reportOf!(spoolName(chunk)) as SpooledChunk);
  }
  return { chunks, faults: end.faults };
}

export class StdinSpool {
  private readonly store: Store;
  /** Whether this run itself reads chunks again. */
  private readonly isRead: boolean;
  private readonly kept: SpooledChunk[] = [];
  private met = 0;
  private readonly faults: SpooledFault[] = [];

  constructor(store: Store, isRead: boolean) {
    this.store = store;
    this.isRead = isRead;
  }

  /** Whether anything has to be kept. */
  private get isKept(): boolean {
    return this.isRead || this.store.recalled !== undefined;
  }

  /** Whether nothing came. */
  get isEmpty(): boolean {
    return this.met === 0 && this.faults.length === 0;
  }

  /** Keeps the next chunk. @throws MinHashError WRITE_FAILED, DISK_FULL */
  async keep(bytes: BlockBuffer, chunk: SpooledChunk): Promise<void> {
    this.met++;
    if (!this.isKept) return;
    const name = spoolName(this.kept.length);
    this.kept.push(chunk);
    this.store.put(name, bytes, 'input', { ...chunk });
    // What is deleted here stays on disk.
    if (this.isRead) this.store.unload?.(name);
    else this.store.delete(name);
    await this.store.room();
  }

  fault(fault: SpooledFault): void {
    this.faults.push(fault);
  }

  /** Nothing more comes. Returns what this run itself reads again; null: nothing. */
  end(): RecalledSpool | null {
    if (!this.isKept) return null;
    const { kept: chunks, faults } = this;
    const end: End = { chunks: chunks.length, faults };
    this.store.put(END, encodeBlock('text', {}, {}).buffer, 'input', end);
    this.store.delete(END);
    return this.isRead ? { chunks, faults } : null;
  }
}
