/** Opens the engine that a run asks for: Hadoop or Spark. */
import { type ClusterFiles, clusterFiles } from '../../engines/cluster/clusterFiles.js';
import type { ClusterEngine } from '../../engines/cluster/job.js';
import type { ClusterExecution } from '../../options/check.js';

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

export async function openClusterEngine(
  _open: OpenEngine,
): Promise<ClusterEngine & { close(): Promise<void> }> {
  throw new Error('not built');
}
