/** Opens the inputs of a run that are not files: objects of servers, standard input, rows of a query. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { WORK_NAME } from '../../output/fileNames.js';
import { givenStream } from '../../readers/formats/givenDocuments.js';
import type { Budget } from '../../store/budget.js';
import type { DiskRoom } from '../../store/disk.js';
import type { Prepared } from './prepare.js';
import type { QueryProcess } from './queryProcess.js';
import { type Attempt, spoolFolder } from './resume.js';

/** The standard input that the calling program passes, and its signal to stop. */
interface Passed {
  readonly stdin?: Parameters<typeof givenStream>[0];
  readonly signal?: AbortSignal;
}

export interface Streams {
  /** The stream to read as standard input; undefined: the standard input of the process. */
  readonly stdin: Readable | undefined;
  close(): Promise<void>;
}

/**
 * Starts the query of a run, and prepares the spool in its output folder, which keeps what streams give.
 *
 * @throws MinHashError the errors of startQuery; WRITE_FAILED, DISK_FULL
 */
export async function openStreams(
  { params, execution, inputs }: Prepared,
  { output: { path }, isTakenUp }: Pick<Attempt, 'output' | 'isTakenUp'>,
  { budget, room }: { readonly budget: Pick<Budget, 'query'>; readonly room: DiskRoom },
  { stdin, signal }: Passed,
): Promise<Streams> {
  const { spool } = inputs.files;
  let query: QueryProcess | null = null;
  try {
    await spool?.keepIn(spoolFolder(path), room, isTakenUp);
    if (params.sql !== null) {
      const { startQuery } = await import('./queryProcess.js');
      const folder = join(path, WORK_NAME, 'query');
      const bounds = { threads: execution.threads, memory: budget.query, folder };
      query = await startQuery(params.sql, params, bounds, signal);
    }
  } catch (error) {
    spool?.close();
    throw error;
  }
  const close = async (): Promise<void> => {
    await query?.close();
    spool?.close();
  };
  if (query !== null) return { stdin: Readable.from(query.lines()), close };
  return { stdin: stdin && givenStream(stdin, signal), close };
}
