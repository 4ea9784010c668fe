/**
 * The engine on this thread: for debugging, for small runs, and as the reference for every other engine.
 *
 * Tasks run one after the other, as on one worker: a kernel in `scratch` is not re-entrant, so a task must not start while another one
 * waits. Errors have the thrown exception as their cause. A task that hangs or ends the process is not detected.
 */

import type { TasksModule } from '../tasks/task.js';
import { createPerformer, type Engine, loadTasks } from './engine.js';
import { createEngine, requestOf } from './lifecycle.js';
import type { EngineOptions } from './protocol.js';

/**
 * An engine of parallelism 1. Inputs are the buffers of the store, not copies; consumed inputs are removed when their task is done.
 * After a task throws, the next one gets a new scratch.
 *
 * @throws MinHashError WORKER_UNUSABLE when the module of tasks cannot be loaded
 */
export async function createInlineEngine(options: EngineOptions<string | TasksModule>): Promise<Engine> {
  const tasks = await loadTasks(options.tasks ?? null);
  const begin = () => createPerformer(tasks, JSON.stringify(options.setup), options.workerData);
  const { store } = options;
  let perform = begin();
  let freed = false;

  return createEngine(
    {
      parallelism: 1,
      async attempt(task) {
        if (freed) throw new Error('the engine was freed');
        const { answer, thrown } = await perform(requestOf(task, store));
        if (!answer.ok) perform = begin();
        return { answer, cause: thrown };
      },
      free() {
        freed = true;
        return Promise.resolve();
      },
    },
    store,
  );
}
