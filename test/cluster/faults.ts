/** What goes wrong on the cluster while a run is at work, and what is done then. */
import type { ChildProcess } from 'node:child_process';
import type { Servers } from './servers.js';

/** What a fault can reach. */
export interface Struck {
  readonly servers: Servers;
  readonly driver: ChildProcess;
  /** The process of Node that left its mark. */
  readonly task: number;
}

export interface Fault {
  readonly name: string;
  /** What faultyTask.cts does while it is armed; none: nothing goes wrong. */
  readonly kind: 'none' | 'first' | 'slow' | 'memory';
  /** Which tasks are struck. */
  readonly sides: readonly ('map' | 'reduce')[];
  /** All tasks are struck; else the fault is disarmed once the first one is. */
  readonly isLasting?: boolean;
  /** Once a task was struck. */
  readonly strike?: (struck: Struck) => void;
  /** The driver ends, and is started again with --resume. */
  readonly endsDriver?: boolean;
}

export const FAULTS: readonly Fault[] = [
  { name: 'nothing', kind: 'none', sides: [] },
  { name: 'first', kind: 'first', sides: ['map', 'reduce'], isLasting: true },
  { name: 'kill', kind: 'slow', sides: ['map'], strike: ({ task }) => process.kill(task, 'SIGKILL') },
  { name: 'node-in-map', kind: 'slow', sides: ['map'], strike: ({ servers }) => servers.lose(1) },
  { name: 'node-in-reduce', kind: 'slow', sides: ['reduce'], strike: ({ servers }) => servers.lose(2) },
  { name: 'memory', kind: 'memory', sides: ['reduce'] },
  {
    name: 'driver',
    kind: 'slow',
    sides: ['reduce'],
    strike: ({ driver }) => driver.kill('SIGKILL'),
    endsDriver: true,
  },
];
