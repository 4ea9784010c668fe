/** Opens the engine that sorts for a run: this machine's disk, Hadoop or Spark. Only the chosen one is loaded. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClusterFiles } from '../../engines/cluster/clusterFiles.js';
import type { Job, SortingEngine } from '../../engines/job.js';
import type { ClusterExecution, Execution } from '../../options/check.js';
import type { ResultParams } from '../../sketch/params.js';
import { budgetOf, recordRoomOf } from '../../store/budget.js';
import { TASK_FOLDER } from '../../store/packageFiles.js';
import { Store } from '../../store/store.js';
import type { DiskCorpus } from './diskCorpus.js';

export interface EngineWish {
  readonly cluster: ClusterExecution;
  readonly params: ResultParams;
  /** `shards`: Reduce tasks of a job. */
  readonly execution: Pick<Execution, 'shards' | 'threads' | 'memory' | 'taskTimeout'>;
  readonly corpusBytes: number;
  /** The folder of this machine for logs; also for the datasets of jobs, unless `cluster.work` names another. */
  readonly folder: string;
  /** Nothing in `folder` is used: it belongs to another run, or to inputs that were not compared. */
  readonly isFresh: boolean;
  readonly signal?: AbortSignal;
  /** The corpus for tasks on this machine's disk; absent: no job is run there. */
  readonly corpus?: DiskCorpus;
  /** Called with lines of the engine's output about its jobs. */
  onStatus(text: string): void;
}

export interface OpenedEngine extends SortingEngine {
  /** The file system of its datasets. */
  readonly files: ClusterFiles;
  /** Checks that the command of the engine exists. @throws MinHashError ENGINE_UNUSABLE */
  check(): void;
  /** The jobs as the engine would start them, as text. */
  dryRun(jobs: readonly Job[]): string;
  close(): Promise<void>;
}

/** Bytes of the corpus for each Reduce task; at least two tasks, so that small runs work as large ones do. */
const BYTES_A_REDUCER = 256e6;
const LEAST_REDUCERS = 2;
const MOST_REDUCERS = 2000;

/** @throws MinHashError ENGINE_UNUSABLE */
export async function openClusterEngine(wish: EngineWish): Promise<OpenedEngine> {
  const { cluster, execution, corpusBytes, folder, isFresh, signal } = wish;
  const { shards } = execution;
  if (cluster.engine === 'disk') return openDisk(wish);
  const usual = Math.min(MOST_REDUCERS, Math.max(LEAST_REDUCERS, Math.ceil(corpusBytes / BYTES_A_REDUCER)));
  const common = {
    ...{ command: cluster.command, conf: cluster.conf, bundle: fileURLToPath(TASK_FOLDER) },
    reducers: shards === 'auto' ? usual : shards,
    ...{ local: folder, isFresh },
    work: cluster.work ?? join(folder, 'jobs'),
    ...(signal !== undefined && { signal }),
  };
  if (cluster.engine === 'spark') {
    const { SparkEngine } = await import('../../engines/cluster/spark.js');
    return new SparkEngine({ ...common, master: cluster.master });
  }
  const { HadoopEngine } = await import('../../engines/cluster/hadoop.js');
  return new HadoopEngine({
    ...common,
    shipNode: cluster.shipNode,
    onStatus: (_, line) => wish.onStatus(line),
  });
}

/** Reduce tasks of a job on this machine's disk for each worker: more than one, since some tasks take longer than others. */
const REDUCERS_A_WORKER = 2;

async function* nothing(): AsyncGenerator<never, void, undefined> {}

async function openDisk({ params, execution, folder, ...wish }: EngineWish): Promise<OpenedEngine> {
  const [{ DiskEngine, diskSizes }, { SORTING_TASKS }, { startEngine }] = await Promise.all([
    import('../../engines/disk/diskEngine.js'),
    import('../../engines/engine.js'),
    import('../start/engine.js'),
  ]);
  const { shards, threads, memory, taskTimeout } = execution;
  const budget = budgetOf(memory, threads, params.sql !== null);
  const { collectEvery, total, query } = budget;
  const place = { threads, taskTimeout, collectEvery, room: recordRoomOf(budget), tasks: SORTING_TASKS };
  return new DiskEngine({
    workers: async () => (await startEngine(params, place, new Store())).ready,
    ...{ threads, isFresh: wish.isFresh, work: join(folder, 'jobs'), onStatus: wish.onStatus },
    corpus: (workers) => wish.corpus?.parts(workers) ?? nothing(),
    keepsOrder: wish.corpus?.isInOrder === true,
    sizes: diskSizes(total - query, threads),
    reducers: shards === 'auto' ? REDUCERS_A_WORKER * Math.max(1, threads) : shards,
    ...(wish.signal !== undefined && { signal: wish.signal }),
  });
}
