/** Writes files that the user named: regular files atomically, devices and pipes directly. Links are followed. */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { AtomicFile, guardWrite, quietly, systemCodeOf } from './files.js';

/** A file that is being written; `close` completes it. */
export interface NamedFile {
  /** @throws MinHashError WRITE_FAILED, DISK_FULL; then the file is abandoned */
  append(bytes: Uint8Array): void;
  /** False once it is closed or abandoned. */
  readonly isOpen: boolean;
  /** @throws MinHashError WRITE_FAILED, DISK_FULL */
  close(): void;
  /** Leaves a file that was there as it was. Never throws, because it runs after another error. */
  abandon(): void;
}

/** Open files of processes, which must not be replaced. */
const HELD_OPEN = /^\/(dev\/(stdout|stderr|stdin|fd\/)|proc\/)/;

/**
 * Why a file cannot be written, as far as known before writing; else null.
 *
 * @param whyKept why an existing regular file is not replaced; null: it is replaced
 */
export function namedFileProblem(file: string, whyKept: (file: string) => string | null): string | null {
  if (file === '') return 'expected the name of a file';
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return 'a folder, expected the name of a file';
    if (stats !== undefined) return stats.isFile() && !HELD_OPEN.test(resolve(file)) ? whyKept(file) : null;
    const folder = dirname(resolve(file));
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory()
      ? null
      : `there is no folder ${folder}; make it first, or choose another location`;
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === null) throw error;
    return `it cannot be written (${code})`;
  }
}

/**
 * Why an existing regular file is not replaced although that was requested: it is standard input, one of the inputs or in a folder of
 * them; else null.
 *
 * @param inputs paths as typed; addresses and missing files are ignored
 */
export function inputProblem(file: string, inputs: readonly string[]): string | null {
  const stats = statSync(file);
  const isSame = (other: { dev: number; ino: number } | undefined): boolean =>
    other?.dev === stats.dev && other.ino === stats.ino;
  const path = realpathSync(file);
  const isInput = inputs.some((input) => {
    const stat = statSync(input, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    return stat.isDirectory() ? path.startsWith(`${realpathSync(input)}${sep}`) : isSame(stat);
  });
  return isInput || isSame(fstatSync(0)) ? 'the file is an input; choose another name' : null;
}

/**
 * Whether a new file takes the place of `file`; false: devices, pipes and files held open, which are written into.
 *
 * @throws MinHashError WRITE_FAILED
 */
export function isReplacedFile(file: string): boolean {
  const stats = guardWrite(file, () => statSync(file, { throwIfNoEntry: false }));
  return (stats === undefined || stats.isFile()) && !HELD_OPEN.test(resolve(file));
}

/** @throws MinHashError WRITE_FAILED, DISK_FULL */
export function openNamedFile(file: string): NamedFile {
  if (isReplacedFile(file)) {
    // The target of a link is replaced, not the link.
    const atomic = new AtomicFile('', existsSync(file) ? realpathSync(file) : file, undefined, true);
    return {
      append: (bytes) => atomic.append(bytes),
      get isOpen() {
        return atomic.isOpen;
      },
      close: () => atomic.close(true),
      abandon: () => atomic.abandon(),
    };
  }
  let descriptor = guardWrite(file, () => openSync(file, constants.O_WRONLY | constants.O_APPEND));
  const close = (): void => {
    const last = descriptor;
    descriptor = -1;
    if (last >= 0) closeSync(last);
  };
  return {
    append(bytes) {
      try {
        guardWrite(file, () => {
          for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
        });
      } catch (error) {
        close();
        throw error;
      }
    },
    get isOpen() {
      return descriptor >= 0;
    },
    close,
    abandon: () => quietly(close),
  };
}

/** Writes a whole file. @throws MinHashError WRITE_FAILED, DISK_FULL; then an existing file is unchanged */
export function writeNamedFile(file: string, bytes: Uint8Array): void {
  const written = openNamedFile(file);
  written.append(bytes);
  written.close();
}
