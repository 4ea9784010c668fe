/** Starts the engine of a run: worker threads, or this thread. */

import { COLLECT_EVERY, type Engine } from '../../engines/engine.js';
import type { ResultParams } from '../../sketch/params.js';
import { isScarce, type RecordRoom } from '../../store/budget.js';
import type { Store } from '../../store/store.js';
import { KERNEL_MODULE, loadKernelModule } from '../../tasks/kernelModule.js';
import type { RunSetup } from '../../tasks/task.js';

/**
 * Size of the young generation. A run with a million records takes as long as with the default of 48 MB, and 20 MB less
 * per worker.
 */
const YOUNG_MEGABYTES = 8;

interface Place {
  readonly threads: number;
  /** See Budget; default: never. */
  readonly collectEvery?: number;
  /** Bounds the size of a record; default: no bound. */
  readonly room?: RecordRoom;
  /** The module that workers load their tasks from; default: the table of tasks. */
  readonly tasks?: string;
}

/** An engine whose workers are starting. */
export interface StartingEngine {
  /** Resolves after all workers have answered; rejects if a worker cannot start. */
  readonly ready: Promise<Engine>;
}

/**
 * Returns an engine for a run: `threads` workers, or this thread for 0.
 *
 * Resolves as soon as the workers are starting, so that the coordinator continues meanwhile. `ready` resolves to the
 * engine after all workers have answered, and rejects if a worker cannot start.
 */
export async function startEngine(
  params: ResultParams,
  { threads, collectEvery, room, tasks }: Place,
  store: Store,
): Promise<StartingEngine> {
  const [module, create] = await Promise.all([
    loadKernelModule(),
    threads === 0
      ? import('../../engines/inline.js').then(({ createInlineEngine }) => createInlineEngine)
      : import('../../engines/threads.js').then(({ createThreadsEngine }) => createThreadsEngine),
  ]);
  const isSmall = collectEvery !== undefined && isScarce({ collectEvery });
  const ready = create({
    ...{ threads, ...(isSmall && { youngMegabytes: YOUNG_MEGABYTES }) },
    workerData: {
      [KERNEL_MODULE]: module,
      ...(collectEvery === undefined ? {} : { [COLLECT_EVERY]: collectEvery }),
    },
    setup: { params, ...(room !== undefined && { room }) } satisfies RunSetup,
    store,
    ...(tasks !== undefined && { tasks }),
  });
  // The caller that awaits `ready` gets its error. If another error ends the run first, nobody awaits it.
  ready.catch(() => {});
  return { ready };
}
