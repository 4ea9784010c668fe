/**
 * The file that a worker thread runs: loads the tasks once, then performs one request after the other.
 *
 * Its only export is the default, which the pool calls: a promise of the function that answers, without top-level await, which
 * CommonJS lacks (workerEntry.cts). A module of tasks that cannot be loaded gives an answer, not an exception: the pool never
 * calls a worker again that failed while loading, and all queued requests would hang.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { createPerformer, loadTasks, type Performer } from './engine.js';
import { failureOf } from './failure.js';
import type { Answer, Failure, LastWords, Request, WorkerSetup } from './protocol.js';

const READY: Answer = { ok: true, report: 'null', names: [], buffers: [] };

/**
 * Tasks are loaded before the pool hears of the worker: meanwhile the coordinator lists its inputs, and a worker that waits for
 * a request blocks its thread.
 */
export default load(workerData as WorkerSetup).then(
  (loaded) => (request: Request) => respond(loaded, request),
);

type Loaded = Performer | { readonly failure: Failure };

async function load(setup: WorkerSetup): Promise<Loaded> {
  try {
    return createPerformer(await loadTasks(setup.tasks), setup.setup, setup.entries);
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** The answer with its ArrayBuffers moved, each once; shared ones stay where they are. */
function withTransfer(answer: Answer): unknown {
  if (!answer.ok) return answer;
  const buffers = new Set(answer.buffers.filter((buffer) => buffer instanceof ArrayBuffer));
  if (buffers.size === 0) return answer;
  return move({ [transferableSymbol]: [...buffers], [valueSymbol]: answer });
}

async function respond(loaded: Loaded, request: Request): Promise<unknown> {
  if ('failure' in loaded) return { ok: false, failure: loaded.failure } satisfies Answer;
  if (request === 'ping') return READY;
  const { answer } = await loaded.perform(request);
  if (!answer.ok && answer.failure.faults === null) {
    // Messages posted before a thread ends arrive before the news of its end.
    parentPort!.postMessage({ number: request.number, failure: answer.failure } satisfies LastWords);
    process.exit(1);
  }
  return withTransfer(answer);
}
