/**
 * Handles interrupts by the keyboard, by `kill`, or by closing the terminal: the first asks the run to stop, the second ends
 * the process at once.
 */
import { EXIT } from './exit.js';

interface Interrupt {
  readonly signal: AbortSignal;
  /** Stops listening: Node handles the signals again. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens from the caller's first `await` until released; `onFirst` runs after the run was asked to stop. Before that, nothing is
 * written, and the process may block on a pipe, so that a listener cannot run: a signal ends it.
 */
export function listenForInterrupt(onFirst: () => void): Interrupt {
  const controller = new AbortController();
  const listener = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
    onFirst();
  };
  let isReleased = false;
  queueMicrotask(() => {
    if (!isReleased) for (const name of SIGNALS) process.on(name, listener);
  });
  return {
    signal: controller.signal,
    release: () => {
      isReleased = true;
      for (const name of SIGNALS) process.off(name, listener);
    },
  };
}
