/** Opens the engine that a run asks for: Hadoop or Spark. */
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

export async function openClusterEngine(
  _open: OpenEngine,
): Promise<ClusterEngine & { close(): Promise<void> }> {
  throw new Error('not built');
}
