/** Runs over documents in memory with a budget, and with blocks on disk where it is small. */

import { atOnce } from '../../../src/arrays/stepwise.js';
import { Run } from '../../../src/coordinator/context.js';
import { countsOf, type Executed } from '../../../src/coordinator/finish/makeFacts.js';
import { documentNumbers } from '../../../src/coordinator/finish/numbers.js';
import { SkipList } from '../../../src/coordinator/sketch/corpus.js';
import { MemorySource } from '../../../src/coordinator/sketch/source.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import { createThreadsEngine } from '../../../src/engines/threads.js';
import type { MemoryDocument } from '../../../src/index.js';
import { checkOptions, type RunOptions } from '../../../src/options/check.js';
import { type Budget, UNBOUNDED } from '../../../src/store/budget.js';
import { Store } from '../../../src/store/store.js';
import { KERNEL_MODULE, loadKernelModule } from '../../../src/tasks/kernelModule.js';
import { packDocuments } from '../../data/packedDocuments.js';
import { blockMemory } from '../../store/blockMemory.js';
import { execute } from '../executed.js';

const TASKS = new URL('../../../src/tasks/table.js', import.meta.url).href;

/** Everything in the smallest pieces: several blocks, ranges, slices and batches of some hundreds of documents. */
export const TINY: Budget = {
  total: 1e6,
  blocks: 20_000,
  task: 60_000,
  collectEvery: Number.POSITIVE_INFINITY,
  tables: Number.POSITIVE_INFINITY,
  record: Number.POSITIVE_INFINITY,
};

export interface Budgeted {
  readonly options?: RunOptions;
  readonly threads?: number;
  readonly budget?: Budget;
  /** Folder for blocks; absent: they stay in memory. */
  readonly spill?: string | undefined;
  /** Documents of a column block. */
  readonly columns?: number;
}

/** What a run found, as plain values; and the tasks of each stage. */
export interface Found {
  readonly result: unknown;
  readonly counts: ReturnType<typeof countsOf>;
  readonly tasks: ReadonlyMap<string, number>;
}

export async function foundIn(documents: readonly MemoryDocument[], how: Budgeted): Promise<Found> {
  const { options = {}, threads = 0, budget = UNBOUNDED, spill, columns = 40 } = how;
  const { params } = checkOptions({ threads, ...options }).resolved;
  const closing = spill === undefined ? null : spillingStore(spill, budget.blocks);
  const store = closing ?? new Store();
  const module = await loadKernelModule();
  const setup = { params } as unknown as Record<string, never>;
  const workerData = { [KERNEL_MODULE]: module };
  const engineOptions = { tasks: TASKS, setup, store, workerData };
  const engine = await (threads === 0
    ? createInlineEngine(engineOptions)
    : createThreadsEngine({ ...engineOptions, threads }));
  const tasks = new Map<string, number>();
  const counting = {
    ...engine,
    run: (task: Parameters<typeof engine.run>[0]) => {
      tasks.set(task.kind, (tasks.get(task.kind) ?? 0) + 1);
      return engine.run(task);
    },
  };
  try {
    const run = new Run(params, counting, undefined, undefined, budget);
    const source = new MemorySource(run, packed(documents, columns));
    const skipped = new SkipList();
    const executed = await execute(run, source, 1, skipped);
    const counts = countsOf(params, executed, atOnce(documentNumbers(params, executed, null)), {
      skipped,
      found: executed.met,
    });
    return { result: plain(executed), counts, tasks };
  } finally {
    await engine.close();
    await closing?.close();
  }
}

function* packed(documents: readonly MemoryDocument[], columns: number) {
  for (let from = 0; from < documents.length; from += columns) {
    yield* packDocuments(documents.slice(from, from + columns));
  }
}

/** A store on disk beyond so many bytes. */
function spillingStore(folder: string, limit: number) {
  const store = new Store({ limit: blockMemory(limit) });
  store.open(folder);
  return store;
}

function plain({ outcome }: Executed): unknown {
  const { verified, clusters, drop, counts, withdrawn } = outcome;
  const { count } = verified;
  return {
    a: verified.a.slice(0, count),
    b: verified.b.slice(0, count),
    agreement: verified.agreement.slice(0, count),
    accepted: verified.accepted.slice(0, count),
    exact: verified.exact,
    clusters,
    drop,
    counts,
    withdrawn,
  };
}
