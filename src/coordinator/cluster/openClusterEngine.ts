/** Opens the engine that a run asks for: Hadoop or Spark. Each is loaded where it is asked for alone. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClusterFiles } from '../../engines/cluster/clusterFiles.js';
import type { ClusterEngine, Job } from '../../engines/cluster/job.js';
import type { ClusterExecution } from '../../options/check.js';
import { TASK_FOLDER } from '../../store/packageFiles.js';

export interface EngineWish {
  readonly cluster: ClusterExecution;
  /** Reduce tasks of a job. */
  readonly shards: 'auto' | number;
  readonly corpusBytes: number;
  /** The folder of this machine for logs, and where no other is named for what jobs hand to each other. */
  readonly folder: string;
  /** What an earlier attempt left there is of another run, or of inputs that nobody has compared. */
  readonly isFresh: boolean;
  readonly signal?: AbortSignal;
  /** Told how far a job is. */
  onStatus(text: string): void;
}

/** An engine that a run has for itself. */
export interface OpenedEngine extends ClusterEngine {
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
  const { cluster, shards, corpusBytes, folder, isFresh, signal } = wish;
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
