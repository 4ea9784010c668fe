/** The context that all stages of a run share: parameters, engine, progress, clock and stop signal. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Block } from '../blocks/block.js';
import type { Engine } from '../engines/engine.js';
import { runInOrder } from '../engines/ordered.js';
import { MinHashError } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { type Budget, isScarce, UNBOUNDED } from '../store/budget.js';
import { collectGarbage } from '../store/garbage.js';
import { sizeText } from '../store/sizeText.js';
import type { KindName, ParamsOf, ReportOf } from '../tasks/table.js';
import type { Task } from '../tasks/task.js';
import { Storage } from './storage.js';

/** The progress of a stage of a run, reported often and at the end of the stage. */
export interface Progress {
  readonly stage: string;
  /** Work done, in `unit`; equal to `total` at the end of a stage. */
  readonly done: number;
  /** Total work; null while unknown. */
  readonly total: number | null;
  readonly unit: string;
  /** Bytes of text that this stage has read. */
  readonly bytes: number;
  readonly elapsedMs: number;
}

interface StageTime {
  readonly stage: string;
  readonly ms: number;
  readonly tasks: number;
  readonly bytes: number;
}

export interface Planned<K extends KindName> extends Task {
  readonly kind: K;
  readonly params: ParamsOf<K>;
}

/** Settings of Run.each. */
interface EachSettings {
  /** Items that are started beyond one per worker; default: one more per worker. Fewer if waiting results are large. */
  readonly ahead?: number;
  /** Reports progress after each result. */
  readonly progress?: { readonly unit: string; readonly total: number };
}

interface BlockText {
  /** Name of the text in the store; null: the text is not in the store. */
  readonly text: string | null;
  /** Whether the text is kept in the store for another reading. */
  readonly keepText?: boolean;
}

/** Bounds the bytes of texts that were read from streams and wait for the end of their tasks. */
class WaitingTexts {
  private readonly most: number;
  private readonly bytes = new Map<string, number>();
  private sum = 0;
  private wake: () => void = () => {};

  constructor(most: number) {
    this.most = most;
  }

  /** Resolves when `bytes` more fit, or when no text is waiting. */
  async room(bytes: number): Promise<void> {
    while (this.sum > 0 && this.sum + bytes > this.most)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
  }

  add(name: string, bytes: number): void {
    this.bytes.set(name, bytes);
    this.sum += bytes;
  }

  remove(name: string): void {
    this.sum -= this.bytes.get(name) ?? 0;
    this.bytes.delete(name);
    this.wake();
  }
}

/** A run in progress, owned by one coordinator. */
export class Run {
  readonly params: ResultParams;
  readonly engine: Engine;
  readonly times: StageTime[] = [];
  private readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Aborts when the run must stop. */
  readonly signal: AbortSignal | undefined;
  readonly budget: Budget;
  /** Where signatures and sets are kept. */
  readonly storage: Storage;
  /** Texts that are read and that tasks still need. */
  readonly texts: WaitingTexts;
  private tableBytes = 0;
  private stageName = '';
  private stageStart = 0;
  private stageTasks = 0;
  private stageBytes = 0;

  constructor(
    params: ResultParams,
    engine: Engine,
    onProgress: ((progress: Progress) => void) | undefined,
    signal: AbortSignal | undefined,
    budget: Budget = UNBOUNDED,
    storage = new Storage(null, budget),
  ) {
    this.params = params;
    this.engine = engine;
    this.onProgress = onProgress;
    this.signal = signal;
    this.budget = budget;
    this.storage = storage;
    this.texts = new WaitingTexts(budget.record);
  }

  /** Runs a stage and records its time. Calls of `progress` during the stage report for it. */
  async stage<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    this.stageName = name;
    this.stageStart = performance.now();
    this.stageTasks = 0;
    this.stageBytes = 0;
    this.checkStopped();
    // A task may hang, so the signal ends running tasks immediately.
    const stop = (): void => {
      void this.engine.destroy();
    };
    this.signal?.addEventListener('abort', stop);
    const result = await Promise.resolve(work()).finally(() =>
      this.signal?.removeEventListener('abort', stop),
    );
    if (isScarce(this.budget)) collectGarbage('all');
    this.times.push({
      stage: name,
      ms: performance.now() - this.stageStart,
      tasks: this.stageTasks,
      bytes: this.stageBytes,
    });
    return result;
  }

  /** Processes a block, then frees its text, even if processing fails: a reader may be waiting for that memory. */
  async withText<R>(block: BlockText, work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } finally {
      this.forgetText(block);
    }
  }

  /**
   * Frees the text of a block that no task needs any more. With `keepText` it remains in the store, because its source
   * cannot be read again.
   */
  forgetText({ text, keepText }: BlockText): void {
    if (text === null) return;
    if (keepText !== true) this.engine.store.delete(text);
    this.texts.remove(text);
  }

  /** Reports the progress of the stage. `bytes` is added to the bytes of text read. */
  progress(done: number, total: number | null, unit: string, bytes = 0): void {
    this.stageBytes += bytes;
    this.onProgress?.({
      stage: this.stageName,
      done,
      total,
      unit,
      bytes: this.stageBytes,
      elapsedMs: performance.now() - this.stageStart,
    });
  }

  /** Runs a task and returns its report. */
  async task<K extends KindName>(task: Planned<K>): Promise<ReportOf<K>> {
    // Without workers, tasks follow one another without a pause. This lets the process handle signals between them.
    await nextTurn();
    this.checkStopped();
    this.stageTasks++;
    const { report } = await this.engine.run(task);
    return report as ReportOf<K>;
  }

  /**
   * Processes enough items at once to keep every worker busy, and yields results in the order of the items. The error
   * that ends a run and the order of output therefore do not depend on timing.
   */
  async *each<T, R>(
    items: Iterable<T> | AsyncIterable<T>,
    work: (item: T) => Promise<R>,
    { ahead = this.engine.parallelism, progress }: EachSettings = {},
  ): AsyncGenerator<R, void, undefined> {
    let done = 0;
    for await (const result of runInOrder(work, this.engine.parallelism + ahead, items)) {
      yield result;
      if (progress !== undefined) this.progress(++done, progress.total, progress.unit);
    }
  }

  /** @throws MinHashError INTERRUPTED if the signal is aborted */
  checkStopped(): void {
    if (this.signal?.aborted)
      throw new MinHashError({ code: 'INTERRUPTED', detail: `in stage ${this.stageName}` });
  }

  /**
   * Compares the number of items that entered the stage with the numbers by outcome. Both must be counted separately: a
   * number that is computed from the others proves nothing.
   *
   * @throws MinHashError COUNTS_UNBALANCED if an item was lost: an internal error
   */
  balance(what: string, taken: number, outcomes: Readonly<Record<string, number>>): void {
    const total = Object.values(outcomes).reduce((sum, part) => sum + part, 0);
    if (total === taken) return;
    const parts = Object.entries(outcomes).map(([name, part]) => `${part} ${name}`);
    const detail = `stage ${this.stageName}, ${what}: ${taken} in, ${total} out (${parts.join(', ')})`;
    throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
  }

  /**
   * Counts memory of tables with an entry per file, document or set, which are always in memory. A run that would exceed
   * its budget fails before the system kills it.
   *
   * @param what the entries, as the beginning of a sentence: "1000 documents"
   * @throws MinHashError MEMORY_BUDGET if the tables do not fit
   */
  takeTables(what: string, bytes: number): void {
    const { total, tables } = this.budget;
    this.tableBytes += bytes;
    if (this.tableBytes <= tables) return;
    const detail =
      `${what} so far: their tables take more than the ${sizeText(tables)} that are left for them of --memory ${sizeText(total)}; ` +
      'give more memory, or run on Spark';
    throw new MinHashError({ code: 'MEMORY_BUDGET', detail });
  }

  /** Puts a block of the coordinator into the store. */
  put(name: string, block: Block): void {
    this.engine.store.put(name, block.buffer);
  }
}
