/**
 * An interrupt by the keyboard, by `kill`, or by a terminal that closes: the first asks the run to stop, the second ends the process at once.
 */
import { EXIT } from './exit.js';

interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back to Node. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens from the first time that the caller waits, until released; `onFirst` runs after the signal was given on. What comes before
 * writes nothing, and may wait for a pipe that an option names, where no listener would be called: there a signal ends the process.
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
