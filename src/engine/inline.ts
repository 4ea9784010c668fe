/**
 * The engine of this thread: for debugging, for small runs, and as the reference for every other engine.
 *
 * Floor 3. Tasks run one after the other, as on one worker: a kernel in `scratch` is not re-entrant, so a stage that
 * waits for something must not let another one in. Errors keep the very exception as their cause.
 */
import type { BlockStore, Engine } from './engine.js';
import { createEngine, inputsOf } from './lifecycle.js';
import { createPerformer, loadStages } from './performer.js';
import type { Answer, EngineOptions, StagesModule } from './protocol.js';

/**
 * An engine of parallelism 1. Inputs are the store's own buffers, not copies; consumed ones leave the store when their
 * task is done.
 *
 * @throws MinHashError WORKER_UNUSABLE when the module of stages cannot be loaded
 */
export async function createInlineEngine(
  options: EngineOptions<string | StagesModule, BlockStore>,
): Promise<Engine> {
  const stages = await loadStages(options.stages);
  const performer = createPerformer(stages, JSON.stringify(options.setup), options.workerData);
  const { store } = options;
  let freed = false;
  let last: Promise<unknown> = Promise.resolve();

  return createEngine(
    {
      name: 'inline',
      parallelism: 1,
      perform(task) {
        const turn = last.then((): Promise<{ answer: Answer; thrown?: unknown }> => {
          if (freed) throw new Error('the engine was freed');
          return performer.perform({ task: JSON.stringify(task), inputs: inputsOf(store, task) });
        });
        last = turn.catch(() => undefined);
        return turn;
      },
      free() {
        freed = true;
        return Promise.resolve();
      },
    },
    store,
  );
}
