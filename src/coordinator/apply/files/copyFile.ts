/** Copies a file unchanged, or links it. */
import { closeSync, constants, copyFileSync, fstatSync, linkSync, openSync, readSync } from 'node:fs';
import { ERRORS, MinHashError } from '../../../errors.js';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { NODE_FILES } from '../../../store/fileSystem.js';
import { guardWrite, plainCauseOf, systemCodeOf, writeErrorOf } from '../../../store/files.js';
import { PlainSink } from './byteSinks.js';
import { type FileNow, inputLost, plainPieces } from './rewriteFile.js';

/** A smaller file is read and written in one call each. */
const SMALL = 1 << 20;

/** Creates a file for writing. @throws MinHashError WRITE_FAILED, DISK_FULL */
export function openedToWrite(path: string, mode: number): number {
  return guardWrite(textOf(path), () => openSync(bytesOf(path), 'wx', mode));
}

/** The permissions of an input, for the file that is written from it. */
export function modeOfFile({ path }: Pick<FileNow, 'path'>): number {
  const descriptor = openSync(bytesOf(path), 'r');
  try {
    return fstatSync(descriptor).mode & 0o777;
  } finally {
    closeSync(descriptor);
  }
}

export class Copier {
  readonly #small = Buffer.allocUnsafeSlow(SMALL + 1);
  /** Whether to ask the file system for a copy that shares disk blocks; false after it refused. */
  #mayClone = true;

  /**
   * Copies a file. For a large one `onBytes` is called with the bytes of each piece, and may throw to stop.
   *
   * @throws MinHashError INPUT_LOST, WRITE_FAILED, DISK_FULL
   */
  async copy(file: FileNow, to: string, onBytes: (bytes: number) => void): Promise<void> {
    const isSmall = file.size >= 0 && file.size <= SMALL;
    if (!isSmall && this.#clone(file, to)) return;
    const small = isSmall ? this.#read(file) : null;
    const descriptor = openedToWrite(to, small?.mode ?? modeOfFile(file));
    try {
      if (small !== null) writeAll(descriptor, small.bytes);
      else {
        const sink = new PlainSink(descriptor);
        for await (const piece of plainPieces(file)) {
          onBytes(piece.length);
          await sink.write([piece]);
        }
      }
    } catch (error) {
      throw writeErrorOf(error, textOf(file.id));
    } finally {
      closeSync(descriptor);
    }
  }

  #read({ size, ...file }: FileNow): { readonly bytes: Uint8Array; readonly mode: number } {
    const source = openedInput(file);
    try {
      const count = readSync(source, this.#small, 0, SMALL + 1, 0);
      if (count !== size) throw inputLost(file, 'its size has changed');
      const mode = fstatSync(source).mode & 0o777;
      return { bytes: this.#small.subarray(0, count), mode };
    } finally {
      closeSync(source);
    }
  }

  #clone({ path }: FileNow, to: string): boolean {
    if (!this.#mayClone) return false;
    try {
      copyFileSync(bytesOf(path), bytesOf(to), constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    } catch {
      this.#mayClone = false;
    }
    return this.#mayClone;
  }
}

function openedInput(file: Pick<FileNow, 'path' | 'id'>): number {
  try {
    return openSync(bytesOf(file.path), 'r');
  } catch {
    throw inputLost(file, ERRORS.UNREADABLE.text);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += NODE_FILES.write(descriptor, bytes, at);
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
