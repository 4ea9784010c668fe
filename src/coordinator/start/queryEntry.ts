/**
 * The program of the process that runs a query (queryProcess.ts): asked by a message, it says that the query is understood or what is
 * wrong with it, and writes the rows. It watches its own memory, as DuckDB does not count what functions make.
 */
import { Socket } from 'node:net';
import { failureOf } from '../../engines/failure.js';
import { MinHashError } from '../../errors.js';
import { sizeText } from '../../store/disk.js';
import { type Asked, MOST_BESIDE, ROWS, type Said } from './queryProtocol.js';
import { openSqlQuery } from './sqlQuery.js';

/** Milliseconds. */
const WATCH_EVERY = 50;

/** No statement can be waited for: a call of a function goes on until it is done. */
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
  // Whoever reads is gone.
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
