/**
 * The parts of the error table that are about workers, and about blocks in memory and on disk.
 *
 * Floor 0: imports nothing; see src/errors.ts.
 */
export const ERRORS_OF_WORKERS = {
  TASK_FAILED: {
    scope: 'run',
    text: 'a task failed',
    remedy: 'the message names the stage and the file; run again with --threads 0 to see the true error',
  },
  WORKER_LOST: {
    scope: 'run',
    text: 'a worker died or hung twice on the same task',
    remedy: 'the message names it; give it more memory, fewer --threads or a longer --task-timeout',
  },
  WORKER_UNUSABLE: {
    scope: 'run',
    text: 'the worker threads cannot be started',
    remedy: 'run again with --threads 0 to see why',
  },
} as const;

export const ERRORS_OF_BLOCKS = {
  BLOCK_TRUNCATED: {
    scope: 'run',
    text: 'a block is shorter than its header says',
    remedy: 'go on with --resume: what is damaged is made anew',
  },
  BLOCK_CHECKSUM: {
    scope: 'run',
    text: 'a block does not match its checksum',
    remedy: 'go on with --resume: what is damaged is made anew',
  },
  BLOCK_FOREIGN: {
    scope: 'run',
    text: 'not a block of this version of mr-minhash, or of another kind than expected',
    remedy: 'start the run over with --force',
  },
} as const;
