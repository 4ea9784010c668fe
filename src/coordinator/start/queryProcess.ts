/**
 * Runs the query of a run in a process of its own (queryEntry.ts), which can be ended when it takes too much memory or the run is
 * stopped: DuckDB neither counts the memory of a call of a function nor releases it. Messages go between both, and rows through a pipe.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { errorOf } from '../../engines/failure.js';
import type { Failure } from '../../engines/protocol.js';
import { MinHashError } from '../../errors.js';
import type { ResultParams } from '../../sketch/params.js';
import { QUERY_FILE } from '../../store/packageFiles.js';
import type { SqlBounds } from './sqlQuery.js';

/** The request, sent once. */
export interface Asked {
  readonly sql: string;
  readonly params: ResultParams;
  readonly bounds: SqlBounds;
}

/** `ready`: DuckDB understands the query, and rows follow. A number: all rows are written, in this many bytes. */
export type Said = 'ready' | number | Failure;

/** The file descriptor of the pipe of rows in the process; not standard output, where statements may write. */
export const ROWS = 3;

/**
 * Starts the process, which opens DuckDB and prepares the query.
 *
 * @throws MinHashError DUCKDB_UNAVAILABLE, SQL_FAILED, TEXT_FIELD_UNKNOWN, FIELD_UNKNOWN: wrong use; MEMORY_QUERY, PROGRAM_FAILED,
 * INTERRUPTED
 */
export async function startQuery(
  sql: string,
  params: ResultParams,
  bounds: SqlBounds,
  signal: AbortSignal | undefined,
): Promise<QueryProcess> {
  const query = new QueryProcess(bounds.folder, signal);
  try {
    await query.ask({ sql, params, bounds });
    return query;
  } catch (error) {
    await query.close();
    throw error;
  }
}

/** A query that DuckDB understood, and that has the needed columns. */
export class QueryProcess {
  readonly #child: ChildProcess;
  readonly #rows: Readable;
  readonly #folder: string;
  readonly #signal: AbortSignal | undefined;
  /** The last message, once the process has ended; null: there was none. */
  readonly #ended: Promise<Said | null>;
  #ready: () => void = () => {};

  constructor(folder: string, signal: AbortSignal | undefined) {
    this.#folder = folder;
    this.#signal = signal;
    // Detached, so that the run alone handles an interrupt from the keyboard.
    const stdio = ['inherit', 'inherit', 'inherit', 'pipe', 'ipc'] as const;
    this.#child = fork(QUERY_FILE, { stdio: [...stdio], detached: true });
    // The rows are read from the start: Node drops the unread output of a process when the process ends.
    this.#rows = (this.#child.stdio[ROWS] as Readable).pipe(new PassThrough());
    let last: Said | null = null;
    this.#child.on('message', (said: Said) => {
      last = said;
      if (said === 'ready') this.#ready();
    });
    this.#ended = new Promise((resolve) => {
      const end = (): void => resolve(last);
      this.#child.on('error', end);
      // The last message may come after the end of the process.
      this.#child.on('close', () => (this.#child.connected ? this.#child.once('disconnect', end) : end()));
    });
    if (signal?.aborted === true) this.#kill();
    signal?.addEventListener('abort', this.#kill);
  }

  readonly #kill = (): void => {
    this.#child.kill('SIGKILL');
  };

  async ask(asked: Asked): Promise<void> {
    const ready = new Promise<void>((resolve) => {
      this.#ready = resolve;
    });
    this.#child.send(asked, () => {});
    if ((await Promise.race([ready, this.#ended])) !== undefined) await this.#mustBeDone();
  }

  /** The rows as JSON lines, cut anywhere; can be called once. @throws MinHashError INPUT_FAILED, MEMORY_QUERY, PROGRAM_FAILED */
  async *lines(): AsyncGenerator<Uint8Array> {
    let read = 0;
    for await (const piece of this.#rows) {
      read += (piece as Uint8Array).length;
      yield piece as Uint8Array;
    }
    await this.#mustBeDone(read);
  }

  /** Waits for the end of the process, and throws unless it says that `read` bytes of rows are all. */
  async #mustBeDone(read = 0): Promise<void> {
    const said = await this.#ended;
    if (this.#signal?.aborted === true) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
    if (said === read) return;
    if (typeof said === 'number')
      throw new MinHashError({
        code: 'PROGRAM_FAILED',
        detail: `--sql: ${said} bytes of rows were written, ${read} read`,
      });
    if (said === 'ready' || said === null) {
      const why = this.#child.signalCode ?? `exit ${this.#child.exitCode}`;
      throw new MinHashError({ code: 'PROGRAM_FAILED', detail: `--sql: ${why}` });
    }
    const cause = errorOf(said);
    throw said.faults === null ? cause : new MinHashError(said.faults, { cause });
  }

  /** Ends the process, if it still runs, and removes its files. */
  async close(): Promise<void> {
    this.#kill();
    this.#child.stdio[ROWS]?.destroy();
    await this.#ended;
    this.#signal?.removeEventListener('abort', this.#kill);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
