/**
 * The context of a run that all its stages share: parameters, the engine, progress, the clock, and a stop signal.
 */

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
  /** How many items the stage took in. */
  readonly taken: number;
  /** By outcome, the number of items. */
  readonly given: Readonly<Record<string, number>>;
}

/**
 * Balances of what every stage took in and gave out: a run that silently loses an item fails.
 *
 * Both sides of a balance are counted separately, where items come in and where they go out; a side computed from the other would
 * prove nothing.
 */
export class Ledger {
  /** In the order in which they were made. */
  readonly balances: Balance[] = [];

  /** @throws MinHashError COUNTS_UNBALANCED where the parts do not add up to what was taken in: our own defect */
  balance(stage: string, what: string, taken: number, given: Readonly<Record<string, number>>): void {
    this.balances.push({ stage, what, taken, given });
    const total = Object.values(given).reduce((sum, part) => sum + part, 0);
    if (total === taken) return;
    const parts = Object.entries(given).map(([name, part]) => `${part} ${name}`);
    const detail = `stage ${stage}, ${what}: ${taken} in, ${total} out (${parts.join(', ')})`;
    throw new MinHashError({ code: 'COUNTS_UNBALANCED', detail });
  }
}

/** The progress of a stage of a run; reported often, and at the end of the stage. */
export interface Progress {
  readonly stage: string;
  /** Work done, in `unit`; at the end of a stage equal to `total`. */
  readonly done: number;
  /** Work in all; null while unknown. */
  readonly total: number | null;
  readonly unit: string;
  /** Bytes of text read by this stage. */
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
  /** Items begun beyond one a worker; default: one more a worker. Callers give fewer where waiting results are large. */
  readonly ahead?: number;
  /** Reports progress after each result, which adds `amount` (default 1) to `from` (default 0). */
  readonly progress?: {
    readonly unit: string;
    readonly total: number | null;
    readonly from?: number;
    readonly amount?: (result: R) => number;
  };
  /** The name of the items, where the number of results must equal the number of items. */
  readonly balance?: string;
}

interface BlockText {
  /** Name of the text in the store; null: the block has none there. */
  readonly text: string | null;
  /** The text stays in the store, for another reading. */
  readonly keepText?: boolean;
}

/** The texts of streams from their reading to the end of the tasks that use them; bounds the bytes of the texts that wait. */
class WaitingTexts {
  private readonly most: number;
  private readonly bytes = new Map<string, number>();
  private sum = 0;
  private wake: () => void = () => {};

  constructor(most: number) {
    this.most = most;
  }

  /** Resolves when there is room for `bytes` more, or when no text waits. */
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

/** A run in progress: owned by one coordinator. */
export class Run {
  readonly params: ResultParams;
  readonly engine: Engine;
  readonly times: StageTime[] = [];
  readonly ledger = new Ledger();
  private readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Fires when the run is to stop. */
  readonly signal: AbortSignal | undefined;
  readonly budget: Budget;
  /** The part of the budget that tables take. */
  readonly tables: TableMemory;
  /** Where its signatures and sets are. */
  readonly storage: Storage;
  /** Texts that were read and that tasks still need. */
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

  /** Runs a stage and notes its time; calls of `progress` meanwhile belong to it. */
  async stage<T>(name: string, work: () => Promise<T> | T): Promise<T> {
    this.stageName = name;
    this.stageStart = performance.now();
    this.stageTasks = 0;
    this.stageBytes = 0;
    this.checkStopped();
    // A task may hang, so the signal ends running tasks at once.
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

  /** Works on a block and forgets its text, also where the work fails: a reader may wait for the room of the text. */
  async withText<R>(block: BlockText, work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } finally {
      this.forgetText(block);
    }
  }

  /**
   * Forgets the text of a block that no task needs any more; with `keepText` it stays in the store, as its source
   * cannot give it again.
   */
  forgetText({ text, keepText }: BlockText): void {
    if (text === null) return;
    if (keepText !== true) this.engine.store.delete(text);
    this.texts.remove(text);
  }

  /** Reports the progress of the stage; `bytes` are added to the bytes of text that it read. */
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

  /** Runs a task; returns its report. */
  async task<K extends KindName>(task: Planned<K>): Promise<ReportOf<K>> {
    // Tasks on this thread follow one another without waiting: this turn of the event loop lets signals of the process in.
    await nextTurn();
    this.checkStopped();
    this.stageTasks++;
    const { report } = await this.engine.run(task);
    return report as ReportOf<K>;
  }

  /**
   * Works on items, on enough of them at once to keep every worker busy, and yields the results in the order of the items: so
   * neither the error that ends a run nor the order of what is written depends on timing.
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

  /** @throws MinHashError INTERRUPTED once the signal fired */
  checkStopped(): void {
    if (this.signal?.aborted)
      throw new MinHashError({ code: 'INTERRUPTED', detail: `in stage ${this.stageName}` });
  }

  /** Adds a balance of the present stage to the ledger. @throws MinHashError COUNTS_UNBALANCED */
  balance(what: string, taken: number, given: Readonly<Record<string, number>>): void {
    this.ledger.balance(this.stageName, what, taken, given);
  }

  /** Puts a block that the coordinator made into the store. */
  put(name: string, block: Block): void {
    this.engine.store.put(name, block.buffer);
  }
}
