/** Opens the inputs of a run that are not files: objects of servers, and standard input. */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { WORK_NAME } from '../../output/fileNames.js';
import type { OutputFolder } from '../../output/folder.js';
import { givenStream } from '../../readers/formats/givenDocuments.js';
import type { DiskRoom } from '../../store/disk.js';
import type { Prepared } from './prepare.js';

/** The standard input that the calling program passes, and its signal to stop. */
interface Passed {
  readonly stdin?: Parameters<typeof givenStream>[0];
  readonly signal?: AbortSignal;
}

export interface Streams {
  /** The stream to read as standard input; undefined: the standard input of the process. */
  readonly stdin: Readable | undefined;
  close(): void;
}

/**
 * Prepares the spool in the output folder of a run, which keeps what streams give.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL
 */
export async function openStreams(
  { inputs }: Prepared,
  { path }: Pick<OutputFolder, 'path'>,
  room: DiskRoom,
  { stdin, signal }: Passed,
): Promise<Streams> {
  const { spool } = inputs.files;
  const close = (): void => spool?.close();
  try {
    await spool?.keepIn(join(path, WORK_NAME, 'spool'), room);
  } catch (error) {
    close();
    throw error;
  }
  return { stdin: stdin && givenStream(stdin, signal), close };
}
