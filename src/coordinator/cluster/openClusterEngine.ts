/** Opens the engine that sorts for a run: this machine's disk, Hadoop or Spark. Each is loaded where it is asked for alone. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClusterFiles } from '../../engines/cluster/clusterFiles.js';
import type { Job, SortingEngine } from '../../engines/job.js';
import type { ClusterExecution, Execution } from '../../options/check.js';
import type { ResultParams } from '../../sketch/params.js';
import { budgetOf, recordRoomOf } from '../../store/budget.js';
import { TASK_FOLDER } from '../../store/packageFiles.js';
import { createMemoryStore } from '../../store/store.js';
import type { DiskCorpus } from './diskCorpus.js';

export interface EngineWish {
  readonly cluster: ClusterExecution;
  readonly params: ResultParams;
  /** `shards`: Reduce tasks of a job. */
  readonly execution: Pick<Execution, 'shards' | 'threads' | 'memory' | 'taskTimeout'>;
  readonly corpusBytes: number;
  /** The folder of this machine for logs, and where no other is named for what jobs hand to each other. */
  readonly folder: string;
  /** What an earlier attempt left there is of another run, or of inputs that nobody has compared. */
  readonly isFresh: boolean;
  readonly signal?: AbortSignal;
  /** What tasks on this machine's disk read; absent: nothing is run there. */
  readonly corpus?: DiskCorpus;
  /** Told how far a job is. */
  onStatus(text: string): void;
}

/** An engine that a run has for itself. */
export interface OpenedEngine extends SortingEngine {
  /** Where its datasets lie. */
  readonly files: ClusterFiles;
  /** Looks whether its command is there. @throws MinHashError ENGINE_UNUSABLE */
  check(): void;
  /** Jobs as it would be told them. */
  dryRun(jobs: readonly Job[]): string;
  /** Its sessions end. */
  close(): Promise<void>;
}

/** One Reduce task a so many bytes of the corpus; two, so that small runs see what large ones do. */
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

/** Reduce tasks of a job on this machine's disk, by worker: some end later than others. */
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
    workers: async () => (await startEngine(params, place, createMemoryStore())).ready,
    ...{ threads, collectEvery, isFresh: wish.isFresh, work: join(folder, 'jobs'), onStatus: wish.onStatus },
    corpus: (workers) => wish.corpus?.parts(workers) ?? nothing(),
    sizes: diskSizes(total - query, threads),
    reducers: shards === 'auto' ? REDUCERS_A_WORKER * Math.max(1, threads) : shards,
    ...(wish.signal !== undefined && { signal: wish.signal }),
  });
}
