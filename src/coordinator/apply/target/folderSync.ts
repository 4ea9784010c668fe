/** Folders that are made once each; and all of a tree made durable at once: one by one each file waits for the disk. */
import { spawn } from 'node:child_process';
import { close, closeSync, fsync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { writeErrorOf } from '../../../store/files.js';

/** Folders below one that is there. Paths are binary strings. */
export class MadeFolders {
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
}

/** Makes the entries of a folder durable. */
export function syncFolder(path: string): void {
  const descriptor = openSync(bytesOf(path), 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes all files and folders below a folder durable: by one call for its file system, where the program `sync` knows that (Linux);
 * else one by one.
 *
 * @throws MinHashError WRITE_FAILED, DISK_FULL
 */
export async function syncTree(path: string): Promise<void> {
  if (await syncedAtOnce(path)) return;
  const files: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(bytesOf(folder), { withFileTypes: true, encoding: 'latin1' })) {
      if (entry.isDirectory()) visit(`${folder}/${entry.name}`);
      else files.push(`${folder}/${entry.name}`);
    }
    syncFolder(folder);
  };
  visit(path);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < files.length) await synced(files[next++]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const AT_ONCE = 4;

function syncedAtOnce(path: string): Promise<boolean> {
  // Names on the command line are texts.
  const name = textOf(path);
  if (process.platform !== 'linux' || !bytesOf(path).equals(Buffer.from(name))) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn('sync', ['-f', name], { stdio: 'ignore' });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}

function synced(path: string): Promise<void> {
  const descriptor = openSync(bytesOf(path), 'r');
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => {
      close(descriptor, () => (error === null ? resolve() : reject(writeErrorOf(error, textOf(path)))));
    });
  });
}

/** Where the machine starts within so many minutes of another start it is the same one: clocks drift. */
const MINUTES = 3;

/** The start of the machine: what was written before it may not have reached the disk. */
export function thisBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return String(Math.round((Date.now() / 1000 - uptime()) / 60));
  }
}

/** Whether two starts are one. */
export function isSameBoot(a: string, b: string): boolean {
  return a === b || Math.abs(Number(a) - Number(b)) <= MINUTES;
}
