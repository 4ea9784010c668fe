/** The context that all stages of a run share: parameters, engine, progress, clock and stop signal. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Block } from '../blocks/block.js';
import type { Engine } from '../engines/engine.js';
import { runInOrder } from '../engines/ordered.js';
import { MinHashError } from '../errors.js';
import { type SketchFamily, sketchFamilyOf } from '../sketch/family.js';
import type { ResultParams } from '../sketch/params.js';
import { type Budget, isScarce, TableMemory, UNBOUNDED } from '../store/budget.js';
import { collectGarbage } from '../store/garbage.js';
import type { KindName, ParamsOf, ReportOf } from '../tasks/table.js';
import type { Task } from '../tasks/task.js';
import { Storage } from './storage.js';

/** The counts of one kind of items in one stage. */
interface Balance {
  readonly stage: string;
  readonly what: string;
  /** The number of items that entered the stage. */
  readonly taken: number;
  /** The number of items by outcome. */
  readonly given: Readonly<Record<string, number>>;
}

/**
 * Compares how many items enter each stage with how many leave it. A run that loses an item fails.
 *
 * Both sides must be counted separately: a side that is computed from the other proves nothing.
 */
export class Ledger {
  /** In the order in which they were added. */
  readonly balances: Balance[] = [];

  /** @throws MinHashError COUNTS_UNBALANCED if the outcomes do not add up to `taken`: an internal error */
  balance(stage: string, what: string, taken: number, given: Readonly<Record<string, number>>): void {
    this.balances.push({ stage, what, taken, given });
    const total = Object.values(given).reduce((sum, part) => sum + part, 0);
    if (total === taken) return;
    const parts = Object.entries(given).map(([name, part]) => `${part} ${name}`);
    const detail = `stage ${stage}, ${what}: ${taken} in, ${total} out (${parts.join(', ')})`;
    throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
  }
}

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
interface EachItem<R> {
  /**
   * Items that are started beyond one per worker; default: one more per worker. Callers set fewer if waiting results
   * are large.
   */
  readonly ahead?: number;
  /** Reports progress after each result. Each result adds `amount` (default 1) to `from` (default 0). */
  readonly progress?: {
    readonly unit: string;
    readonly total: number | null;
    readonly from?: number;
    readonly amount?: (result: R) => number;
  };
  /** The name of the items; set if the number of results must equal the number of items. */
  readonly balance?: string;
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
  readonly ledger = new Ledger();
  private readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Aborts when the run must stop. */
  readonly signal: AbortSignal | undefined;
  readonly budget: Budget;
  /** The part of the budget for tables. */
  readonly tables: TableMemory;
  /** Where signatures and sets are kept. */
  readonly storage: Storage;
  /** Texts that are read and that tasks still need. */
  readonly texts: WaitingTexts;
  private chosen: SketchFamily | null = null;
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
    this.tables = new TableMemory(budget);
    this.storage = storage;
    this.texts = new WaitingTexts(budget.record);
  }

  get family(): SketchFamily {
    this.chosen ??= sketchFamilyOf(this.params);
    return this.chosen;
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
    { ahead = this.engine.parallelism, progress, balance }: EachItem<R> = {},
  ): AsyncGenerator<R, void, undefined> {
    let taken = 0;
    let given = 0;
    let done = progress?.from ?? 0;
    const counted = (item: T): Promise<R> => {
      taken++;
      return work(item);
    };
    for await (const result of runInOrder(counted, this.engine.parallelism + ahead, items)) {
      given++;
      yield result;
      if (progress !== undefined) {
        done += progress.amount?.(result) ?? 1;
        this.progress(done, progress.total, progress.unit);
      }
    }
    if (balance !== undefined) this.balance(balance, taken, { done: given });
  }

  /** @throws MinHashError INTERRUPTED if the signal is aborted */
  checkStopped(): void {
    if (this.signal?.aborted)
      throw new MinHashError({ code: 'INTERRUPTED', detail: `in stage ${this.stageName}` });
  }

  /** Adds a balance for the current stage to the ledger. @throws MinHashError COUNTS_UNBALANCED */
  balance(what: string, taken: number, given: Readonly<Record<string, number>>): void {
    this.ledger.balance(this.stageName, what, taken, given);
  }

  /** Puts a block of the coordinator into the store. */
  put(name: string, block: Block): void {
    this.engine.store.put(name, block.buffer);
  }
}
