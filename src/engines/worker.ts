/**
 * The file that a worker thread runs: loads the tasks once, then performs one request after the other.
 *
 * The default export is a promise of the function that the pool calls; there is no top-level await, because CommonJS lacks it
 * (workerEntry.cts). If the module of tasks cannot be loaded, that is reported in the answer: after an exception the pool would never
 * call the worker again, and all queued requests would hang.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { createPerformer, loadTasks, type Perform } from './engine.js';
import { failureOf } from './failure.js';
import type { Answer, Failure, LastWords, Request, WorkerSetup } from './protocol.js';

const READY: Answer = { ok: true, report: 'null', names: [], buffers: [] };

/**
 * Tasks are loaded before the worker is ready, while the coordinator lists its inputs. Later the worker blocks its thread while it
 * waits for a request.
 */
export default load(workerData as WorkerSetup).then(
  (loaded) => (request: Request) => respond(loaded, request),
);

type Loaded = Perform | { readonly failure: Failure };

async function load(setup: WorkerSetup): Promise<Loaded> {
  try {
    return createPerformer(await loadTasks(setup.tasks), setup.setup, setup.entries);
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** The answer with its ArrayBuffers transferred, each once; SharedArrayBuffers are shared. */
function withTransfer(answer: Answer): unknown {
  if (!answer.ok) return answer;
  const buffers = new Set(answer.buffers.filter((buffer) => buffer instanceof ArrayBuffer));
  if (buffers.size === 0) return answer;
  return move({ [transferableSymbol]: [...buffers], [valueSymbol]: answer });
}

async function respond(loaded: Loaded, request: Request): Promise<unknown> {
  if (typeof loaded !== 'function') return { ok: false, failure: loaded.failure } satisfies Answer;
  if (request === 'ping') return READY;
  const { answer } = await loaded(request);
  if (!answer.ok && answer.failure.problems === null) {
    // Messages that are posted before a thread ends arrive before its `exit` event.
    parentPort!.postMessage({ number: request.number, failure: answer.failure } satisfies LastWords);
    process.exit(1);
  }
  return withTransfer(answer);
}
