/** Folders that are made once each, and files and folders that are made durable together: one by one each waits for the disk. */
import { close, closeSync, fsync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { writeErrorOf } from '../../../store/files.js';

/** Folders below one that is there. Paths are binary strings. */
export class FolderSync {
  readonly #made = new Set<string>();

  /** Makes a folder and those above it. @throws the platform's error */
  make(path: string): void {
    if (this.#made.has(path) || path === '') return;
    try {
      mkdirSync(bytesOf(path));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT') {
        this.make(path.slice(0, path.lastIndexOf('/')));
        mkdirSync(bytesOf(path));
      } else if (code !== 'EEXIST') throw error;
    }
    this.#made.add(path);
  }

  sync(): void {
    for (const path of this.#made) this.syncOne(path);
  }

  syncOne(path: string): void {
    const descriptor = openSync(bytesOf(path), 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

/** A file that is written and still open, and what is to be done when it is on the disk. */
interface Written {
  /** -1: there is no file to wait for. */
  readonly descriptor: number;
  readonly name: string;
}

/** So many files wait for the disk together, */
const BATCH = 256;
/** by so many threads at once. */
const AT_ONCE = 4;

/** Files that are written go to the disk in batches, while others are written. */
export class BatchedSync<Line> {
  readonly #noted: (lines: readonly Line[]) => void;
  #files: Written[] = [];
  #lines: Line[] = [];
  #running: Promise<void> = Promise.resolve();

  /** @param noted told of what is on the disk, in the order in which it came */
  constructor(noted: (lines: readonly Line[]) => void) {
    this.#noted = noted;
  }

  /** Takes a file that is written, and closes it in time. @throws MinHashError of an earlier batch */
  async add(descriptor: number, name: string, line: Line): Promise<void> {
    if (descriptor >= 0) this.#files.push({ descriptor, name });
    this.#lines.push(line);
    if (this.#lines.length < BATCH) return;
    await this.#running;
    this.#running = this.#batch();
    this.#running.catch(() => {});
  }

  /** Waits for all. @throws MinHashError WRITE_FAILED, DISK_FULL */
  async end(): Promise<void> {
    await this.#running;
    await this.#batch();
  }

  async #batch(): Promise<void> {
    const files = this.#files;
    const lines = this.#lines;
    this.#files = [];
    this.#lines = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < files.length) await synced(files[next++]!);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.#noted(lines);
  }
}

function synced({ descriptor, name }: Written): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => {
      close(descriptor, () => (error === null ? resolve() : reject(writeErrorOf(error, textOf(name)))));
    });
  });
}
