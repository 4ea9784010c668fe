/**
 * The thread that fetches, as the thread that reads sees it: started at the first errand, and ended with the thread that
 * asked. Readers do not wait for promises, so they wait for a number in shared memory.
 */
import { createRequire } from 'node:module';
import type { MessagePort } from 'node:worker_threads';
import { MinHashError } from '../../../errors.js';
import { FETCHER_FILE } from '../../../store/packageFiles.js';
import type { Answered, Errand, ErrandAnswer, FetchSetup } from './messages.js';

/** Every run loads this file before its workers start, and few fetch anything: the module takes milliseconds. */
const threads = (): typeof import('node:worker_threads') =>
  createRequire(FETCHER_FILE)('node:worker_threads');

/** Every errand has an answer long before, in milliseconds: its requests have times of their own. */
const MOST_WAIT = 15 * 60_000;

interface Fetcher {
  readonly port: MessagePort;
  readonly signal: Int32Array;
}

let running: Fetcher | null = null;

function fetcher(): Fetcher {
  if (running !== null) return running;
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { MessageChannel, Worker } = threads();
  const { port1, port2 } = new MessageChannel();
  const thread = new Worker(FETCHER_FILE, {
    workerData: { signal: signal.buffer as SharedArrayBuffer, port: port2 } satisfies FetchSetup & {
      port: MessagePort;
    },
    transferList: [port2],
    // What npm and others set for the program is not meant for this thread.
    execArgv: [],
  });
  const started: Fetcher = { port: port1, signal };
  // Who waits for it finds out by itself.
  thread.on('error', () => {
    running = null;
  });
  thread.unref();
  port1.unref();
  running = started;
  return started;
}

/** Gives an errand that has no answer. */
export function tell(errand: Errand): void {
  fetcher().port.postMessage({ errand });
}

type ErrandOf<K extends Answered> = Errand & { readonly kind: K };

/** The answer to an errand; waits for it with the whole thread. @throws MinHashError REMOTE_FAILED where the thread that fetches has died */
export function ask<K extends Answered>(errand: ErrandOf<K>): ErrandAnswer<K> {
  const { port, signal } = fetcher();
  const { MessageChannel, receiveMessageOnPort } = threads();
  const { port1, port2 } = new MessageChannel();
  port.postMessage({ errand, reply: port2 }, [port2]);
  for (;;) {
    const seen = Atomics.load(signal, 0);
    const received = receiveMessageOnPort(port1) as { readonly message: ErrandAnswer<K> } | undefined;
    if (received !== undefined) {
      port1.close();
      return received.message;
    }
    if (Atomics.wait(signal, 0, seen, MOST_WAIT) !== 'timed-out') continue;
    running = null;
    throw new MinHashError({ code: 'REMOTE_FAILED', detail: 'the thread that fetches gave no answer' });
  }
}

/** The same for who may wait for a promise, and has other things to do meanwhile, such as hearing an interrupt. */
export function askLater<K extends Answered>(errand: ErrandOf<K>): Promise<ErrandAnswer<K>> {
  const { port } = fetcher();
  const { port1, port2 } = new (threads().MessageChannel)();
  port.postMessage({ errand, reply: port2 }, [port2]);
  return new Promise((resolve) => {
    port1.once('message', (answer: ErrandAnswer<K>) => {
      port1.close();
      resolve(answer);
    });
  });
}
