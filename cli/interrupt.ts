/**
 * Handles interrupts by the keyboard, by `kill`, or by closing the terminal: the first asks the run to stop, the second ends
 * the process at once.
 */
import { EXIT } from './exit.js';
import type { Terminal } from './terminal.js';

interface Interrupt {
  readonly signal: AbortSignal;
  /** Stops listening: Node handles the signals again. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens to the signals instead of the previous listener, until released. */
let release = (): void => {};

function listen(listener: () => void): () => void {
  release();
  for (const name of SIGNALS) process.on(name, listener);
  release = () => {
    for (const name of SIGNALS) process.off(name, listener);
  };
  return release;
}

/** Ends the process at a signal, until the command listens itself: nothing is written before that. */
export function endAtInterrupt(terminal: Terminal): void {
  listen(() => {
    terminal.say('interrupted: nothing was written');
    void terminal.end().then(() => process.exit(EXIT.interrupted));
  });
}

/** Listens until released; `onFirst` runs after the run was asked to stop. */
export function listenForInterrupt(onFirst: () => void): Interrupt {
  const controller = new AbortController();
  const stop = listen(() => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
    onFirst();
  });
  return { signal: controller.signal, release: stop };
}
