/**
 * Notes the inputs of a run that begins, beside the work: every file is looked at before a task that reads it is handed
 * out, and when all have been looked at, the note is written.
 *
 * Floor 4. A look costs two microseconds, so they are taken in slices between which this thread answers its workers.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeBlock } from '../blocks/block.js';
import type { BlockStore } from '../engine/engine.js';
import type { InputsRecord } from '../storage/inputsRecord.js';
import type { ColumnBlock } from './sketching.js';

/** Files that are looked at before anybody else has a turn: half a millisecond. */
const SLICE = 256;

export class InputsNote {
  private readonly store: Pick<BlockStore, 'get'>;
  private readonly record: InputsRecord;
  private readonly write: () => void;
  private state: 'waiting' | 'looking' | 'written' | 'stopped' = 'waiting';
  private failure: unknown = null;

  /**
   * @param store where the blocks' lists of files are
   * @param write called once, when the record is complete
   */
  constructor(store: Pick<BlockStore, 'get'>, record: InputsRecord, write: () => void) {
    this.store = store;
    this.record = record;
    this.write = write;
  }

  /** The column blocks as they come; each is handed on when its files have been looked at. Throws what `write` throws. */
  async *before(blocks: AsyncIterable<ColumnBlock>): AsyncGenerator<ColumnBlock> {
    // Streams are read before their first block comes: what the list knows anyway is complete now.
    this.record.lookAtSized();
    try {
      for await (const block of blocks) {
        this.look(block);
        yield block;
        // Standard input is noted when all of it is there: before, nothing can go on without it.
        if (this.state === 'waiting' && !this.record.hasStdin) void this.lookOn();
        if (this.failure !== null) throw this.failure;
      }
      // The last tasks are on their way after this.
      await nextTurn();
      await nextTurn();
      this.record.lookOn(Number.POSITIVE_INFINITY);
      this.writeOnce();
      if (this.failure !== null) throw this.failure;
    } finally {
      this.stop();
    }
  }

  /** Nothing is written any more. */
  stop(): void {
    if (this.state !== 'written') this.state = 'stopped';
  }

  private look({ source, text }: ColumnBlock): void {
    if (source.kind === 'files') {
      const { indexes } = decodeBlock(this.store.get(text!), 'text', text!).columns;
      for (const index of indexes!) this.record.look(index);
    } else if (source.kind !== 'memory') this.record.look(source.index);
  }

  private async lookOn(): Promise<void> {
    this.state = 'looking';
    for (;;) {
      await nextTurn();
      if (this.state !== 'looking') return;
      this.record.lookOn(SLICE);
      if (this.record.complete) return this.writeOnce();
    }
  }

  private writeOnce(): void {
    if (this.state === 'written' || this.state === 'stopped') return;
    this.state = 'written';
    try {
      this.write();
    } catch (error) {
      this.failure = error;
    }
  }
}
