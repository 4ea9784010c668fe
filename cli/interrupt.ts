/**
 * Handles interrupts by the keyboard, by `kill`, or by a terminal that closes: the first asks the run to stop, the second ends
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
 * Listens from the first time that the caller waits, until released; `onFirst` runs after the run was asked to stop. Code before
 * that time writes nothing, and may block on a pipe that an option names, where no listener could run: there a signal ends the
 * process.
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
