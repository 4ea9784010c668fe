/**
 * The program of the process that runs a query (queryProcess.ts): it receives the query in a message, answers that DuckDB understands
 * the query or with its faults, and then writes the rows. It watches its own memory, as DuckDB does not count what functions allocate.
 */
import { Socket } from 'node:net';
import { failureOf } from '../../engines/failure.js';
import { MinHashError } from '../../errors.js';
import { sizeText } from '../../store/disk.js';
import { type Asked, ROWS, type Said } from './queryProcess.js';
import { openSqlQuery } from './sqlQuery.js';

/** Most bytes of memory of the process beside those that DuckDB counts: Node, the code of DuckDB, the rows. */
const MOST_BESIDE = 256e6;

/** Milliseconds between two looks at the memory of the process. */
const WATCH_EVERY = 50;

/** Ends the process at once: DuckDB cannot stop a call of a function before its end. */
function end(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('this is not reached');
}

function say(said: Said): Promise<void> {
  return new Promise((resolve) => process.send!(said, () => resolve()));
}

function watchMemory(memory: number): void {
  const most = memory + MOST_BESIDE;
  const watch = setInterval(() => {
    const held = process.memoryUsage.rss();
    if (held <= most) return;
    clearInterval(watch);
    const detail = `--sql: its process takes ${sizeText(held)}, of which ${sizeText(most)} are allowed`;
    say(failureOf(new MinHashError({ code: 'MEMORY_QUERY', detail }))).then(end);
  }, WATCH_EVERY);
  watch.unref();
}

async function answer({ sql, params, bounds }: Asked): Promise<void> {
  watchMemory(bounds.memory);
  const query = await openSqlQuery(sql, params, bounds);
  await say('ready');
  const rows = new Socket({ fd: ROWS, readable: false });
  // An error of the pipe means that the reader of the rows is gone.
  rows.on('error', end);
  try {
    for await (const piece of query.lines)
      await new Promise<void>((resolve) => rows.write(piece, () => resolve()));
  } finally {
    query.close();
  }
  await new Promise<void>((resolve) => rows.end(() => resolve()));
  await say(rows.bytesWritten);
}

process.on('disconnect', end);
process.once('message', (asked: Asked) => {
  answer(asked)
    .catch((error: unknown) => say(failureOf(error)))
    .then(end);
});
