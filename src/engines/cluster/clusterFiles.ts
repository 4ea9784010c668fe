/**
 * File systems of a cluster, as this machine sees them: Node reads paths and file: addresses; Hadoop's FsShell, a command of the
 * engine (`hadoop fs`, or a class that comes with Spark), reads all others.
 */
import { createReadStream, createWriteStream, type Stats } from 'node:fs';
import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MinHashError } from '../../errors.js';
import { makeFolders, writeErrorOf } from '../../store/files.js';
import { byLines, type CommandOptions, commandOutput, runCommand, shownCommand } from './command.js';

export interface ListedPath {
  /** The address that tasks get: with scheme and host. */
  readonly uri: string;
  readonly bytes: number;
  /** Time of its last change, in milliseconds since 1970; on a cluster to the minute, in the time zone of the command. */
  readonly time: number;
  readonly isFolder: boolean;
}

/** @internal */
export interface ClusterFiles {
  /** The address that tasks get for a path or address. */
  qualified(uri: string): Promise<string>;
  /** A file itself, or everything below a folder, by name; null: the path does not exist. */
  list(uri: string): Promise<readonly ListedPath[] | null>;
  /** Reads the files as one stream. */
  read(...uris: readonly string[]): AsyncIterable<Uint8Array>;
  /** Writes a file, or overwrites it; makes its folders. */
  write(uri: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Removes files and folders with their content; missing ones are no error. */
  remove(uris: readonly string[]): Promise<void>;
  makeFolder(uri: string): Promise<void>;
  /** Copies files into a folder of this machine; returns the paths of the copies, in the same order. */
  fetch(uris: readonly string[], folder: string): Promise<readonly string[]>;
}

interface FilesSetting {
  /** The command of FsShell, as words: `-ls` and the like follow. */
  readonly shell: readonly string[];
  /** Variables for its environment, besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]+:/;
const isLocal = (uri: string): boolean => !SCHEME.test(uri) || uri.startsWith('file:');

/** The path of a local address; null for others. Hadoop's addresses are not percent-encoded. */
export function localPathOf(uri: string): string | null {
  if (!isLocal(uri)) return null;
  return resolve(uri.replace(/^file:(\/\/(?=\/))?/, ''));
}

/** Hadoop's address of a path of this machine. */
const localAddress = (path: string): string => `file:${path}`;

/** The address that tasks get for a path of this machine, or for an address. */
export const addressOf = (uri: string): string => (SCHEME.test(uri) ? uri : localAddress(resolve(uri)));

/** @internal */
export function clusterFiles(setting: FilesSetting): ClusterFiles {
  const local = new LocalFiles();
  const shell = new ShellFiles(setting);
  const of = (uri: string): ClusterFiles => (isLocal(uri) ? local : shell);
  return {
    qualified: (uri) => of(uri).qualified(uri),
    list: (uri) => of(uri).list(uri),
    read: (...uris) => of(uris[0] ?? '').read(...uris),
    write: (uri, chunks) => of(uri).write(uri, chunks),
    async remove(uris) {
      await local.remove(uris.filter(isLocal));
      await shell.remove(uris.filter((uri) => !isLocal(uri)));
    },
    makeFolder: (uri) => of(uri).makeFolder(uri),
    fetch: async (uris, folder) => (uris.length === 0 ? [] : of(uris[0]!).fetch(uris, folder)),
  };
}

class LocalFiles implements ClusterFiles {
  async qualified(uri: string): Promise<string> {
    return localAddress(localPathOf(uri)!);
  }

  async list(uri: string): Promise<readonly ListedPath[] | null> {
    const path = localPathOf(uri)!;
    const found = await statOrNull(path);
    if (found === null) return null;
    if (!found.isDirectory())
      return [{ uri: localAddress(path), bytes: found.size, time: found.mtimeMs, isFolder: false }];
    const all: ListedPath[] = [];
    for (const name of (await readdir(path, { recursive: true })).sort()) {
      const entry = join(path, name);
      // Follows links, as Hadoop does; leaves out broken ones.
      const facts = await statOrNull(entry);
      if (facts === null) continue;
      const isFolder = facts.isDirectory();
      const bytes = isFolder ? 0 : facts.size;
      all.push({ uri: localAddress(entry), bytes, time: facts.mtimeMs, isFolder });
    }
    return all;
  }

  async *read(...uris: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
    for (const uri of uris) yield* createReadStream(localPathOf(uri)!, { highWaterMark: 1 << 18 });
  }

  async write(uri: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const path = localPathOf(uri)!;
    try {
      makeFolders(dirname(path));
      await pipeline(chunks, createWriteStream(`${path}.part`, { flush: true }));
      await rename(`${path}.part`, path);
    } catch (error) {
      throw writeErrorOf(error, path);
    }
    // Removes Hadoop's checksums of the file that was overwritten.
    await rm(join(dirname(path), `.${path.slice(dirname(path).length + 1)}.crc`), { force: true });
  }

  async remove(uris: readonly string[]): Promise<void> {
    for (const uri of uris) await rm(localPathOf(uri)!, { recursive: true, force: true });
  }

  async makeFolder(uri: string): Promise<void> {
    const path = localPathOf(uri)!;
    try {
      makeFolders(path);
      await readdir(path);
    } catch (error) {
      const cause = String((error as NodeJS.ErrnoException).code);
      const detail = `the folder ${path} cannot be made (${cause})`;
      throw new MinHashError({ code: 'ENGINE_UNUSABLE', detail }, { cause: error });
    }
  }

  async fetch(uris: readonly string[]): Promise<readonly string[]> {
    return uris.map((uri) => localPathOf(uri)!);
  }
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

/** Kind, size, date, time and name in a line of `-ls`; names of owners may contain spaces. */
const LISTED = /^([-d])[-rwxsStT]{9}[.+]?\s+.*?\s(\d+) (\d{4}-\d\d-\d\d) (\d\d:\d\d) (.*)$/;
const ABSENT = /No such file or directory/;
/** Most names in one command: Linux bounds its bytes. */
const MOST_WORDS = 500;

class ShellFiles implements ClusterFiles {
  private readonly setting: FilesSetting;
  /** By scheme and host as given: the cluster's name of that file system. */
  private readonly systems = new Map<string, string>();

  constructor(setting: FilesSetting) {
    this.setting = setting;
  }

  async qualified(uri: string): Promise<string> {
    const [, given, path] = /^([A-Za-z][\w+.-]*:(?:\/\/[^/]*)?)(.*)$/s.exec(uri)!;
    // An address with a host is qualified; for one without, the cluster's settings name the host.
    if (/:\/\/./.test(given!)) return uri;
    let system = this.systems.get(given!);
    if (system === undefined) {
      const lines = await this.lines(['-df', uri]);
      system = lines?.at(-1)?.split(/\s+/)[0] ?? given!;
      this.systems.set(given!, system);
    }
    return `${system}${path}`;
  }

  async list(uri: string): Promise<readonly ListedPath[] | null> {
    const root = await this.qualified(uri);
    const lines = await this.lines(['-ls', '-R', escapedPattern(root)], ABSENT);
    if (lines === null) return null;
    const listed = lines.flatMap((line) => {
      const found = LISTED.exec(line);
      if (found === null) return [];
      const [, kind, bytes, day, hour, name] = found;
      const time = Date.parse(`${day}T${hour}Z`);
      return [{ uri: name!, bytes: Number(bytes), time, isFolder: kind === 'd' }];
    });
    return listed.sort((a, b) => (a.uri < b.uri ? -1 : Number(a.uri > b.uri)));
  }

  async *read(...uris: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
    for (const some of slices(uris)) {
      const { words, options, check } = this.command(['-cat', ...some.map(escapedPattern)]);
      yield* commandOutput(words, options, check);
    }
  }

  async write(uri: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    // From a file of this machine: the command takes broken standard input for a whole one. It copies under another name and moves
    // the copy, but makes no folders.
    const folder = await mkdtemp(join(tmpdir(), 'mr-minhash-put-'));
    try {
      const file = join(folder, 'file');
      await pipeline(chunks, createWriteStream(file, { mode: 0o600 }));
      const words = ['-put', '-f', file, uri];
      if ((await this.lines(words, ABSENT)) !== null) return;
      await this.makeFolder(folderOf(uri));
      await this.run(words);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async remove(uris: readonly string[]): Promise<void> {
    for (const some of slices(uris))
      await this.run(['-rm', '-r', '-f', '-skipTrash', ...some.map(escapedPattern)]);
  }

  async makeFolder(uri: string): Promise<void> {
    await this.run(['-mkdir', '-p', uri]);
  }

  async fetch(uris: readonly string[], folder: string): Promise<readonly string[]> {
    // Files of several folders may share a name, so each source folder has its own folder here.
    const origins = new Map<string, string[]>();
    for (const uri of uris) {
      const origin = folderOf(uri);
      origins.set(origin, [...(origins.get(origin) ?? []), uri]);
    }
    const places = new Map<string, string>();
    for (const some of origins.values()) {
      const place = await mkdtemp(join(folder, 'fetched-'));
      await this.run(['-get', ...some.map(escapedPattern), place]);
      for (const uri of some) places.set(uri, join(place, uri.slice(uri.lastIndexOf('/') + 1)));
    }
    return uris.map((uri) => places.get(uri)!);
  }

  private async run(words: readonly string[]): Promise<void> {
    const { words: all, options, check } = this.command(words);
    check(await runCommand(all, options));
  }

  /** The lines that a command prints; null: it failed with an error that matches `absent`. */
  private async lines(words: readonly string[], absent?: RegExp): Promise<string[] | null> {
    const { words: all, options, check, errors } = this.command(words);
    const found: string[] = [];
    const lines = byLines((line) => found.push(line));
    let isAbsent = false;
    for await (const chunk of commandOutput(all, options, (code) => {
      isAbsent = code !== 0 && errors.some((line) => absent?.test(line));
      if (!isAbsent) check(code);
    }))
      lines.push(chunk);
    lines.end();
    return isAbsent ? null : found;
  }

  private command(words: readonly string[]): {
    readonly words: readonly string[];
    readonly options: Pick<CommandOptions, 'env' | 'signal' | 'onError'>;
    readonly check: (code: number) => void;
    readonly errors: readonly string[];
  } {
    const { shell, env, signal } = this.setting;
    const all = [...shell, ...words];
    const errors: string[] = [];
    return {
      words: all,
      options: {
        ...(env !== undefined && { env }),
        ...(signal !== undefined && { signal }),
        onError: (line) => {
          if (errors.push(line) > 100) errors.shift();
        },
      },
      check(code) {
        if (code === 0) return;
        // The error comes first, then how the command is used.
        const said = errors
          .filter((line) => !/ (WARN|INFO) |^WARNING: |^\s+at |^Usage:/.test(line))
          .slice(0, 3);
        const detail = `${shownCommand(withoutSettings(all))} ended with ${code}: ${said.join(' | ')}`;
        throw new MinHashError({ code: 'ENGINE_UNUSABLE', detail });
      },
      errors,
    };
  }
}

const folderOf = (uri: string): string => uri.slice(0, uri.lastIndexOf('/'));

/** Groups of as many addresses as one command takes. */
function* slices(uris: readonly string[]): Generator<readonly string[], void, undefined> {
  for (let i = 0; i < uris.length; i += MOST_WORDS) yield uris.slice(i, i + MOST_WORDS);
}

/** Leaves out settings: they are long, and may be secrets. */
const withoutSettings = (words: readonly string[]): readonly string[] =>
  words.filter((_, i) => !isSetting(words[i]!) && !isSetting(words[i - 1] ?? ''));
const isSetting = (word: string): boolean => word === '-D' || word === '--conf';

/** A name as a pattern that matches only itself, for commands and readers that take patterns. */
export const escapedPattern = (uri: string): string => uri.replace(/[\\{}[\]*?]/g, '\\$&');
