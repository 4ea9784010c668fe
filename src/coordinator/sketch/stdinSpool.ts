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

import {
  type Block,
  type BlockBuffer,
  encodeBlock,
  heldColumns,
  isCount,
  type Json,
  must,
} from '../../blocks/block.js';
import { familyPrefix, NAMES } from '../../blocks/names.js';
import { type ErrorCode, SKIP_CODES } from '../../errors.js';
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

/** Holds what is reported with a block of the spool that was read from a disk against its layout. @throws MinHashError BLOCK_FOREIGN */
export function checkSpooled(name: string, report: Json, block: Block): void {
  const told = report as Partial<End & SpooledChunk> | null;
  must(typeof told === 'object' && told !== null, 'a report');
  if (name !== END) {
    heldColumns(block, { bytes: 'u8' });
    const { firstLine, lines, head = [] } = told;
    must(isCount(firstLine) && isCount(lines), 'counts of lines');
    must(Array.isArray(head) && head.every((field) => typeof field === 'string'), 'names of fields');
    return;
  }
  const { chunks, faults } = told;
  must(isCount(chunks) && Array.isArray(faults), 'how many chunks there are, and the faults');
  for (const fault of faults as readonly (Partial<SpooledFault> | null)[]) {
    must(isCount(fault?.line) && SKIP_CODES.includes(fault!.code!), 'lines and codes of faults');
  }
}

/** The block with the bytes of a chunk. */
export function spoolName(chunk: number): string {
  return NAMES.spool(chunk);
}

/** What an earlier attempt left in the store; null where it is not all of standard input, and cannot be had again. */
export function recalledSpool(store: Store): RecalledSpool | null {
  if (!(store.recalled?.(END) ?? []).includes(END)) return null;
  const end = store.reportOf?.(END) as End | null;
  if (end === null || end === undefined) return null;
  // END and its chunks; of an attempt before there may be more.
  if ((store.recalled?.(familyPrefix('spool')) ?? []).length < end.chunks + 1) return null;
  const chunks: SpooledChunk[] = [];
  let line = 0;
  let between = end.faults.filter(({ code }) => code === 'TOO_LARGE').length;
  for (let ordinal = 0; ordinal < end.chunks; ordinal++) {
    if (!store.has(spoolName(ordinal))) return null;
    const chunk = store.reportOf!(spoolName(ordinal)) as SpooledChunk;
    // Lines that are too long to be held are in no chunk.
    between -= chunk.firstLine - line;
    if (chunk.firstLine < line || between < 0) return null;
    line = chunk.firstLine + chunk.lines;
    chunks.push(chunk);
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
