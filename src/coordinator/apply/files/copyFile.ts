/** Copies a file as it is, or links it. */
import { close, closeSync, constants, copyFileSync, fstatSync, linkSync, openSync, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { ERRORS, MinHashError } from '../../../errors.js';
import { fileBytes } from '../../../readers/bytes/byteStreams.js';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { NODE_FILES } from '../../../store/fileDoor.js';
import { guardWrite, plainCauseOf, systemCodeOf } from '../../../store/files.js';
import { PlainSink } from '../packed/packers.js';
import { type FileNow, inputLost } from './rewriteFile.js';

const closeLater = promisify(close);

/** A smaller file is read and written at once, in one call each. */
const SMALL = 1 << 20;

/** A written file, still open to be made durable. */
export interface Copied {
  readonly descriptor: number;
  readonly bytes: number;
}

/** Makes a file to write to. @throws MinHashError WRITE_FAILED, DISK_FULL */
export function openedToWrite(path: string, mode: number): number {
  return guardWrite(textOf(path), () => openSync(bytesOf(path), 'wx', mode));
}

/** Permissions for a file from a server, less those that umask removes. */
const NEW_MODE = 0o666;

/** Permissions of a file, for the file that is written from it. */
export function modeOfFile({ path, isObject }: Pick<FileNow, 'path' | 'isObject'>): number {
  if (isObject) return NEW_MODE;
  const descriptor = openSync(bytesOf(path), 'r');
  try {
    return fstatSync(descriptor).mode & 0o777;
  } finally {
    closeSync(descriptor);
  }
}

export class Copier {
  readonly #small = Buffer.allocUnsafeSlow(SMALL + 1);
  /** Whether to ask the file system to share blocks of the disk: until it refuses. */
  #mayClone = true;

  /** Copies a small file in one step; null: the file is not small. @throws MinHashError INPUT_LOST, WRITE_FAILED, DISK_FULL */
  small(file: FileNow, to: string): Copied | null {
    if (file.size > SMALL) return null;
    const source = openedInput(file);
    try {
      const count = readSync(source, this.#small, 0, SMALL + 1, 0);
      if (count !== file.size) throw inputLost(file, 'its size is another');
      const descriptor = openedToWrite(to, file.isObject ? NEW_MODE : fstatSync(source).mode & 0o777);
      guardWrite(textOf(file.id), () => {
        for (let at = 0; at < count; ) at += NODE_FILES.write(descriptor, this.#small.subarray(0, count), at);
      });
      return { descriptor, bytes: count };
    } finally {
      closeSync(source);
    }
  }

  /** Copies any file. `onBytes` may throw to end the work. */
  async large(file: FileNow, to: string, onBytes: (bytes: number) => void): Promise<Copied> {
    const cloned = this.#clone(file, to);
    if (cloned !== null) return cloned;
    const descriptor = openedToWrite(to, modeOfFile(file));
    const sink = new PlainSink(descriptor);
    try {
      for await (const piece of fileBytes(file.path)) {
        if (typeof piece === 'string') throw inputLost(file, ERRORS[piece].text);
        onBytes(piece.length);
        await sink.write([piece]);
      }
      if (sink.bytes !== file.size && file.size >= 0) throw inputLost(file, 'its size is another');
      return { descriptor, bytes: sink.bytes };
    } catch (error) {
      await closeLater(descriptor);
      throw error;
    }
  }

  #clone({ path, size, isObject }: FileNow, to: string): Copied | null {
    if (!this.#mayClone || isObject) return null;
    try {
      copyFileSync(bytesOf(path), bytesOf(to), constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
      return { descriptor: openSync(bytesOf(to), 'r'), bytes: size };
    } catch {
      this.#mayClone = false;
      return null;
    }
  }
}

function openedInput(file: FileNow): number {
  try {
    return openSync(bytesOf(file.path), 'r');
  } catch {
    throw inputLost(file, ERRORS.UNREADABLE.text);
  }
}

/** A second name for a file. @throws MinHashError WRITE_FAILED, DISK_FULL */
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
