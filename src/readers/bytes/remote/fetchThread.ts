/**
 * The thread that fetches, as the thread that reads sees it: started at the first errand, and ended with the thread that
 * asked. Readers do not wait for promises, so they wait for a number in shared memory.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { FETCHER_FILE } from '../../../store/packageFiles.js';
import type { Answered, Errand, ErrandAnswer, FetchSetup } from './messages.js';

/** After so long a wait the thread is looked at: it may have died. */
const LOOK_EVERY = 60_000;

interface Fetcher {
  readonly port: MessagePort;
  readonly signal: Int32Array;
  /** What the thread died of. */
  death: string | null;
}

let running: Fetcher | null = null;

function fetcher(): Fetcher {
  if (running !== null) return running;
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const thread = new Worker(FETCHER_FILE, {
    workerData: { signal: signal.buffer as SharedArrayBuffer, port: port2 } satisfies FetchSetup & {
      port: MessagePort;
    },
    transferList: [port2],
    // What npm and others set for the program is not meant for this thread.
    execArgv: [],
  });
  const started: Fetcher = { port: port1, signal, death: null };
  thread.on('error', (error) => {
    started.death = error.message;
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

/** The answer to an errand; waits for it with the whole thread. */
export function ask<K extends Answered>(errand: ErrandOf<K>): ErrandAnswer<K> {
  const { port, signal } = fetcher();
  const { port1, port2 } = new MessageChannel();
  port.postMessage({ errand, reply: port2 }, [port2]);
  for (;;) {
    const seen = Atomics.load(signal, 0);
    const received = receiveMessageOnPort(port1) as { readonly message: ErrandAnswer<K> } | undefined;
    if (received !== undefined) {
      port1.close();
      return received.message;
    }
    Atomics.wait(signal, 0, seen, LOOK_EVERY);
  }
}

/** The same for who may wait for a promise, and has other things to do meanwhile, such as hearing an interrupt. */
export function askLater<K extends Answered>(errand: ErrandOf<K>): Promise<ErrandAnswer<K>> {
  const { port } = fetcher();
  const { port1, port2 } = new MessageChannel();
  port.postMessage({ errand, reply: port2 }, [port2]);
  return new Promise((resolve) => {
    port1.once('message', (answer: ErrandAnswer<K>) => {
      port1.close();
      resolve(answer);
    });
  });
}
