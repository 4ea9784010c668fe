/**
 * A Spark session: `spark-submit` runs driver.py, which receives requests from a local socket. The driver authenticates with a token
 * from its environment; other connections are closed. The output of Spark is written to a log file.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MinHashError } from '../../errors.js';

export interface DriverOptions {
  /** The master; null: the master in Spark's own settings. */
  readonly master: string | null;
  /** Settings, such as `spark.executor.memory`. */
  readonly conf: Readonly<Record<string, string>>;
  /** Files that are sent to every executor. */
  readonly files: readonly string[];
  readonly program: string;
  /** The folder of the log, which is also the current folder of Spark. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/** An answer of driver.py. */
interface Answer {
  readonly rows?: (string | null)[][];
  readonly lines?: string[];
  readonly end?: boolean;
  readonly exists?: boolean;
  readonly text?: string | null;
  readonly error?: string;
  readonly token?: string;
  readonly version?: string;
  readonly parallelism?: number;
  readonly partitions?: string | null;
}

type Request = readonly [
  command: 'sql' | 'lines' | 'read' | 'write' | 'exists' | 'remove',
  ...texts: string[],
];

export interface SparkDriver {
  readonly version: string;
  /** Number of tasks that run at a time. */
  readonly parallelism: number;
  /** Whether the settings have a number of shuffle partitions. */
  readonly hasPartitions: boolean;
  /** Sends a request when earlier ones have been answered. @throws MinHashError SPARK_FAILED, INTERRUPTED */
  ask(...request: Request): Promise<Answer>;
  /** The lines of a query, in order. */
  lines(sql: string): AsyncGenerator<string>;
  close(): Promise<void>;
}

/** The log of Spark in the folder of a session. */
export const LOG_NAME = 'spark.log';
/** Lines of the log that a message shows. */
const SHOWN_LINES = 3;
const SHOWN_ERROR = 600;

/** The command: SPARK_HOME/bin/spark-submit, as in Spark's own scripts, or spark-submit on PATH. */
function sparkSubmit(): string {
  const { SPARK_HOME } = process.env;
  return SPARK_HOME === undefined ? 'spark-submit' : join(SPARK_HOME, 'bin', 'spark-submit');
}

/** Starts the session. @throws MinHashError SPARK_UNUSABLE, INTERRUPTED */
export async function startDriver(options: DriverOptions): Promise<SparkDriver> {
  const { master, conf, files, program, folder, signal } = options;
  mkdirSync(folder, { recursive: true });
  const log = join(folder, LOG_NAME);
  const token = randomBytes(16).toString('hex');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const words = [
    ...(master === null ? [] : ['--master', master]),
    ...['--name', 'mr-minhash', '--deploy-mode', 'client'],
    ...Object.entries(conf).flatMap(([name, value]) => ['--conf', `${name}=${value}`]),
    ...['--files', files.join(',')],
    program,
  ];
  const descriptor = openSync(log, 'w');
  const { port } = server.address() as AddressInfo;
  const child = spawn(sparkSubmit(), words, {
    cwd: folder,
    stdio: ['ignore', descriptor, descriptor],
    env: { ...process.env, MR_MINHASH_DRIVER: `${port} ${token}` },
  });
  closeSync(descriptor);
  const ended = new Promise<string>((resolve) => {
    child.once('error', () =>
      resolve('it cannot be started; install Spark (pip install pyspark), or set SPARK_HOME'),
    );
    child.once('exit', (code, by) =>
      resolve(by === null ? `it ended with status ${code}` : `it was ended by ${by}`),
    );
  });
  const unusable = (why: string): MinHashError =>
    new MinHashError({ code: 'SPARK_UNUSABLE', detail: `${sparkSubmit()}: ${why}` });
  const end = async (): Promise<void> => {
    server.close();
    child.kill();
    await ended;
  };
  try {
    const connected = connectionOf(server, token);
    const socket = await Promise.race([connected, ended, aborted(signal)]);
    if (typeof socket === 'string') throw unusable(`${socket}${lastLines(log)}`);
    return await sessionOf(socket, { child, ended, server, log, signal });
  } catch (error) {
    await end();
    throw error;
  }
}

/** The connection that sends the token; others are closed. */
function connectionOf(server: Server, token: string): Promise<Socket> {
  return new Promise((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => socket.destroy());
      let text = '';
      const onData = (bytes: Buffer): void => {
        text += bytes.toString('utf8');
        const end = text.indexOf('\n');
        if (end < 0 && text.length < 1000) return;
        socket.off('data', onData);
        socket.pause();
        if (text.slice(0, end) !== JSON.stringify({ token }).replace(':', ': ')) socket.destroy();
        else {
          socket.unshift(Buffer.from(text.slice(end + 1)));
          resolve(socket);
        }
      };
      socket.on('data', onData);
    });
  });
}

/** Rejects when the run is interrupted; else never settles. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const interrupt = (): void =>
      reject(new MinHashError({ code: 'INTERRUPTED', detail: 'the Spark session was ended' }));
    if (signal?.aborted) interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
  });
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<string>;
  readonly server: Server;
  readonly log: string;
  readonly signal: AbortSignal | undefined;
}

async function sessionOf(
  socket: Socket,
  { child, ended, server, log, signal }: Started,
): Promise<SparkDriver> {
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  const interrupted = aborted(signal);
  interrupted.catch(() => {});
  const answer = async (): Promise<Answer> => {
    const next = await Promise.race([answers.next(), interrupted]);
    if (next.done)
      throw new MinHashError({
        code: 'SPARK_FAILED',
        detail: `the session is over: ${await ended}${lastLines(log)}`,
      });
    const value = JSON.parse(next.value) as Answer;
    if (value.error === undefined) return value;
    throw new MinHashError({ code: 'SPARK_FAILED', detail: shownError(value.error) });
  };
  const { version, parallelism, partitions } = await answer();
  const send = (request: Request): unknown => socket.write(`${JSON.stringify(request)}\n`);
  return {
    version: version!,
    parallelism: parallelism!,
    hasPartitions: partitions !== null,
    ask(...request) {
      send(request);
      return answer();
    },
    async *lines(sql) {
      send(['lines', sql]);
      for (;;) {
        const { lines, end } = await answer();
        yield* lines!;
        if (end) return;
      }
    },
    async close() {
      socket.end();
      server.close();
      if (signal?.aborted) child.kill();
      await ended;
      socket.destroy();
    },
  };
}

/** The error of a task if a message has one, else its beginning. */
function shownError(message: string): string {
  const ofTask = /Subprocess exited with status \d+\. Error: ([^\n]*)/.exec(message);
  const text = ofTask === null ? message.slice(0, SHOWN_ERROR) : ofTask[0];
  return text.replace(/\s+/g, ' ').trim();
}

/** The last errors in the log; if there are none, its last lines. */
function lastLines(log: string): string {
  if (!existsSync(log)) return '';
  const lines = readFileSync(log, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const errors = lines.filter((line) => /^(?!at )[^:]*(?:Exception|Error)\b.*:/.test(line));
  const shown = (errors.length > 0 ? errors : lines).slice(-SHOWN_LINES).join(' | ');
  return shown === '' ? '' : `: ${shown.slice(0, SHOWN_ERROR)}`;
}
