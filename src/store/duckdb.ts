/**
 * Opens DuckDB, an optional package that is installed with this package or in the current folder.
 * Statements cannot load extensions.
 */
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { MinHashError } from '../errors.js';

const PACKAGE = '@duckdb/node-api';

/** The part of the package that we use. */
interface DuckDbPackage {
  readonly DuckDBInstance: {
    create(path: string, settings: Readonly<Record<string, string>>): Promise<Instance>;
  };
}

interface Instance {
  connect(): Promise<DuckDbConnection>;
  closeSync(): void;
}

/** The part of a connection that we use. */
export interface DuckDbConnection {
  run(sql: string, values?: readonly (string | number | null)[]): Promise<DuckDbRows>;
  createAppender(table: string): Promise<DuckDbAppender>;
  interrupt(): void;
  closeSync(): void;
}

interface DuckDbRows {
  /** Integers of 64 bits are bigint. */
  getRowObjectsJS(): Promise<Readonly<Record<string, unknown>>[]>;
}

/** Puts rows into a table. */
export interface DuckDbAppender {
  appendBigInt(value: bigint): void;
  appendBoolean(value: boolean): void;
  appendDouble(value: number): void;
  appendNull(): void;
  endRow(): void;
  closeSync(): void;
}

/** Limits of a database. */
export interface DuckDbBounds {
  readonly threads: number;
  /** Bytes; larger data go to the folder. */
  readonly memory: number;
  /** The folder for temporary files, whose parent exists; created when it is needed, and removed at the end. */
  readonly folder: string;
  /** When it is aborted, the running statement is interrupted. */
  readonly signal: AbortSignal | undefined;
}

/** An open database in memory. */
export interface DuckDb {
  readonly connection: DuckDbConnection;
  close(): void;
}

/**
 * Opens a database in memory.
 *
 * @param user the option or command that needs DuckDB, for the message
 * @throws MinHashError DUCKDB_UNAVAILABLE
 */
export async function openDuckDb(user: string, bounds: DuckDbBounds): Promise<DuckDb> {
  const { DuckDBInstance } = loadDuckDb(user);
  const instance = await DuckDBInstance.create(':memory:', settingsOf(bounds));
  const connection = await instance.connect();
  let again: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    // Repeated, because an interrupt just before a statement begins has no effect.
    again = setInterval(() => connection.interrupt(), INTERRUPT_EVERY).unref();
  };
  bounds.signal?.addEventListener('abort', interrupt);
  const close = (): void => {
    bounds.signal?.removeEventListener('abort', interrupt);
    clearInterval(again);
    connection.closeSync();
    instance.closeSync();
    rmSync(bounds.folder, { recursive: true, force: true });
  };
  return { connection, close };
}

/** Milliseconds. */
const INTERRUPT_EVERY = 50;

/** Bytes that a thread of DuckDB needs for its buffers, and the lowest memory limit of DuckDB. */
const THREAD_BYTES = 64e6;

/** The settings of a database. Rows keep their order, so that the same statement gives the same rows. */
function settingsOf({ threads, memory, folder }: DuckDbBounds): Readonly<Record<string, string>> {
  return {
    threads: String(Math.max(1, Math.min(threads, Math.floor(memory / THREAD_BYTES)))),
    memory_limit: `${Math.floor(Math.max(THREAD_BYTES, memory) / 1e6)}MB`,
    preserve_insertion_order: 'true',
    temp_directory: folder,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    lock_configuration: 'true',
  };
}

/** Loads the package. @throws MinHashError DUCKDB_UNAVAILABLE if it is not installed, or cannot be loaded */
export function loadDuckDb(user: string): DuckDbPackage {
  for (const place of [import.meta.url, join(resolve('.'), 'package.json')]) {
    const require = createRequire(place);
    let path: string;
    try {
      path = require.resolve(PACKAGE);
    } catch {
      continue;
    }
    try {
      return require(path) as DuckDbPackage;
    } catch (error) {
      const detail = `${user}: ${path}: ${duckDbMessage(error)}`;
      throw new MinHashError({ code: 'DUCKDB_UNAVAILABLE', detail }, { cause: error });
    }
  }
  throw new MinHashError({ code: 'DUCKDB_UNAVAILABLE', detail: user });
}

/** The message of DuckDB on one line, without the arrow below the statement. */
export function duckDbMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error))
    .replaceAll(/\n\s*\^\s*$/gm, '')
    .replaceAll(/([.!?;:])?\s*\n\s*/g, (_, mark: string | undefined) => `${mark ?? ';'} `)
    .trim();
}

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name of a column as a quoted identifier of SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
