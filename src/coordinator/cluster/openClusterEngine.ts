/** Opens the engine that a run asks for: Hadoop or Spark. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClusterFiles, clusterFiles } from '../../engines/cluster/clusterFiles.js';
import type { ClusterEngine } from '../../engines/cluster/job.js';
import type { ClusterExecution } from '../../options/check.js';
import { hasScheme } from '../../readers/bytes/remote/addresses.js';
import { TASK_FOLDER } from '../../store/packageFiles.js';

export interface OpenEngine {
  readonly cluster: ClusterExecution;
  /** Reduce tasks of a job. */
  readonly shards: 'auto' | number;
  readonly corpusBytes: number;
  /** The folder of this machine for logs, and where no other is named for what jobs hand to each other. */
  readonly folder: string;
  /** Nothing that lies there is of use. */
  readonly isFresh: boolean;
  readonly signal?: AbortSignal;
  /** Told how far a job is. */
  onProgress(text: string): void;
}

/** The file systems of the engine. */
export function clusterFilesOf({ engine, command }: ClusterExecution, signal?: AbortSignal): ClusterFiles {
  const shell = engine === 'hadoop' ? [...command, 'fs'] : [...besideSpark(command), FS_SHELL];
  return clusterFiles({ shell, ...(signal && { signal }) });
}

const FS_SHELL = 'org.apache.hadoop.fs.FsShell';

/** The command that runs a class of Spark: it lies beside spark-sql. */
function besideSpark(command: readonly string[]): string[] {
  return command.map((word, i) =>
    i === command.length - 1 ? word.replace(/spark-sql$/, 'spark-class') : word,
  );
}

/** A file as tasks are told its name: engines write paths of this machine as addresses, each in its way. */
export function addressOf(path: string, engine: ClusterExecution['engine']): string {
  if (hasScheme(path)) return path;
  const absolute = resolve(path);
  return engine === 'hadoop' ? `file:${absolute}` : `file://${absolute}`;
}

/** Reduce tasks of a job: one for so many bytes of the corpus, and not fewer than fill a small machine. */
const BYTES_OF_REDUCER = 2 ** 30;
const LEAST_REDUCERS = 4;

function reducersOf({ shards, corpusBytes }: OpenEngine): number {
  if (shards !== 'auto') return shards;
  return Math.max(LEAST_REDUCERS, Math.ceil(corpusBytes / BYTES_OF_REDUCER));
}

export async function openClusterEngine(
  open: OpenEngine,
): Promise<ClusterEngine & { close(): Promise<void> }> {
  const { cluster, folder, isFresh, signal, onProgress } = open;
  if (cluster.engine === 'spark') throw new Error('not built');
  const { HadoopEngine } = await import('../../engines/cluster/hadoop.js');
  return new HadoopEngine({
    ...{ command: cluster.command, conf: cluster.conf, shipNode: cluster.shipNode, isFresh },
    ...{ work: cluster.work ?? join(folder, 'jobs'), local: folder, bundle: fileURLToPath(TASK_FOLDER) },
    reducers: reducersOf(open),
    onStatus: (_job, line) => onProgress(line),
    ...(signal !== undefined && { signal }),
  });
}
