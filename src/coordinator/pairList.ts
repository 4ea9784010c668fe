/**
 * The candidate pairs of a run, sorted by (a, b), in parts: one part in memory, or several parts in files of `.work` if the
 * pairs do not fit in memory. A part in a file is in memory only while a step reads it.
 */

import { encodeBlock, typedColumns } from '../blocks/block.js';
import { NAMES } from '../blocks/names.js';
import type { Pairs } from '../blocks/pairs.js';
import { workBlock, writeWorkFile } from '../store/workFiles.js';

/** Pairs of documents, by number, with their numbers of equal slots. */
export interface AgreeingNumbers extends Pairs {
  readonly agreement: Uint16Array;
}

export interface PairPart extends AgreeingNumbers {
  /** The row of its first pair among all pairs. */
  readonly first: number;
  /** By pair: common elements of both sets, or NOT_COMPARED. Empty outside exact mode. */
  readonly common: Uint32Array;
}

const PAIRS = { a: 'u32', b: 'u32', agreement: 'u16' } as const;
const NO_SIZES = new Uint32Array(0);

export class PairList {
  count = 0;
  /** By part: its first row. */
  private readonly firsts: number[] = [];
  /** The part in memory; null: all parts are in files. */
  private memory: PairPart | null = null;
  private readonly folder: string | null;
  /** Called with the bytes of a part that was read from its file, and is soon unused. */
  private readonly released: (bytes: number) => void;
  private areCompared = false;

  /** @param folder the folder of work files; null: there is one part, in memory */
  constructor(folder: string | null = null, released: (bytes: number) => void = () => {}) {
    this.folder = folder;
    this.released = released;
  }

  /** Pairs in memory. */
  static of(pairs: AgreeingNumbers, common = NO_SIZES): PairList {
    const list = new PairList();
    list.firsts.push(0);
    list.memory = { ...pairs, first: 0, common };
    list.count = pairs.count;
    return list;
  }

  /** Writes the next part to its file. @throws MinHashError WRITE_FAILED, DISK_FULL */
  write({ a, b, agreement, count }: AgreeingNumbers): void {
    writeWorkFile(
      this.folder!,
      NAMES.pairParts(this.firsts.length),
      encodeBlock('pairs', {}, { a, b, agreement }),
    );
    this.firsts.push(this.count);
    this.count += count;
  }

  /** The parts, from the one with row `from` on. @throws MinHashError BLOCK_CHECKSUM, BLOCK_TRUNCATED */
  *parts(from = 0): Generator<PairPart> {
    for (let part = 0; part < this.firsts.length; part++) {
      if ((this.firsts[part + 1] ?? this.count) > from) yield this.part(part);
    }
  }

  /** Replaces the common elements of each part by those that `compared` returns. */
  async compare(compared: (part: PairPart) => Promise<Uint32Array>): Promise<void> {
    for (let part = 0; part < this.firsts.length; part++) {
      const pairs = this.part(part);
      const common = await compared(pairs);
      if (this.memory !== null) this.memory = { ...pairs, common };
      else writeWorkFile(this.folder!, NAMES.pairCommon(part), encodeBlock('pairs', {}, { common }));
    }
    this.areCompared = true;
  }

  private part(part: number): PairPart {
    if (this.memory !== null) return this.memory;
    const pairs = typedColumns(workBlock(this.folder!, NAMES.pairParts(part), 'pairs'), PAIRS);
    const { common } = this.areCompared
      ? typedColumns(workBlock(this.folder!, NAMES.pairCommon(part), 'pairs'), { common: 'u32' })
      : { common: NO_SIZES };
    const count = pairs.a.length;
    this.released(10 * count + 4 * common.length);
    return { ...pairs, count, first: this.firsts[part]!, common };
  }
}
