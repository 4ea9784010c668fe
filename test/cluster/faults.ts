/** What goes wrong on a cluster while a run is at work, and what is done then. */
import type { ChildProcess } from 'node:child_process';
import { killTree } from './processTree.js';
import type { Servers } from './servers.js';
import type { SparkServers } from './sparkServers.js';

/** What a fault can reach. */
export interface Struck<S> {
  readonly servers: S;
  readonly driver: ChildProcess;
  /** The process of Node that left its mark. */
  readonly task: number;
}

export interface Fault<S> {
  readonly name: string;
  /** What faultyTask.cts does while it is armed; none: nothing goes wrong. */
  readonly kind: 'none' | 'first' | 'slow' | 'memory';
  /** Which tasks are struck. */
  readonly sides: readonly ('map' | 'reduce')[];
  /** Pairs are verified by their sets, too, which takes more jobs. */
  readonly isExact?: boolean;
  /** The jobs are Spark's, on the same machines. */
  readonly isOnSpark?: boolean;
  /** All tasks are struck; else the fault is disarmed once the first one is. */
  readonly isLasting?: boolean;
  /** Once a task was struck. */
  readonly strike?: (struck: Struck<S>) => void;
  /** The driver ends, and is started again with --resume. */
  readonly endsDriver?: boolean;
}

export const HADOOP_FAULTS: readonly Fault<Servers>[] = [
  { name: 'nothing', kind: 'none', sides: [], isExact: true },
  { name: 'first', kind: 'first', sides: ['map', 'reduce'], isLasting: true, isExact: true },
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
  { name: 'spark-on-yarn', kind: 'first', sides: ['map', 'reduce'], isLasting: true, isOnSpark: true },
];

export const SPARK_FAULTS: readonly Fault<SparkServers>[] = [
  { name: 'spark-nothing', kind: 'none', sides: [] },
  { name: 'spark-first', kind: 'first', sides: ['map', 'reduce'], isLasting: true },
  {
    name: 'spark-worker',
    kind: 'slow',
    sides: ['reduce'],
    strike: ({ servers, task }) => servers.loseWorkerOf(task),
  },
  {
    name: 'spark-driver',
    kind: 'slow',
    sides: ['reduce'],
    // With its session, which is a process of its own.
    strike: ({ driver }) => killTree(driver.pid!),
    endsDriver: true,
  },
];
