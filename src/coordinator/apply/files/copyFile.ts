/** Copies a file unchanged, or links it. */
import { accessSync, constants, copyFileSync, linkSync, openSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { ERRORS, MinHashError } from '../../../errors.js';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { guardWrite, plainCauseOf, systemCodeOf, writeErrorOf } from '../../../store/files.js';
import { type FileNow, inputLost } from './rewriteFile.js';

/** A larger file is copied while signals are handled. */
const SMALL = 1 << 20;

/** Creates a file for writing. @throws MinHashError WRITE_FAILED, DISK_FULL */
export function openedToWrite(path: string, mode: number): number {
  return guardWrite(textOf(path), () => openSync(bytesOf(path), 'wx', mode));
}

/** The permissions of an input, for the file that is written from it. */
export const modeOfFile = ({ path }: Pick<FileNow, 'path'>): number => statSync(bytesOf(path)).mode & 0o777;

/**
 * Copies a file, on file systems that can without copying its disk blocks.
 *
 * @throws MinHashError INPUT_LOST, WRITE_FAILED, DISK_FULL
 */
export async function copyInput(file: FileNow, to: string): Promise<void> {
  const [from, name] = [bytesOf(file.path), bytesOf(to)];
  const flags = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;
  try {
    accessSync(from, constants.R_OK);
  } catch {
    throw inputLost(file, ERRORS.UNREADABLE.text);
  }
  try {
    if (file.size >= 0 && file.size <= SMALL) copyFileSync(from, name, flags);
    else await copyFile(from, name, flags);
  } catch (error) {
    throw writeErrorOf(error, textOf(file.id));
  }
  if (file.size >= 0 && statSync(name).size !== file.size) throw inputLost(file, 'its size has changed');
}

/** Creates a hard link to a file. @throws MinHashError WRITE_FAILED, DISK_FULL */
export function linkFile({ path, id }: FileNow, to: string): void {
  const [from, name] = [bytesOf(path), bytesOf(to)];
  try {
    linkSync(from, name);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    const cause = code === 'EXDEV' ? 'the folder is on another file system' : plainCauseOf(code);
    throw new MinHashError(
      { code: 'WRITE_FAILED', detail: `--link ${textOf(id)}: ${cause}` },
      { cause: error },
    );
  }
}
