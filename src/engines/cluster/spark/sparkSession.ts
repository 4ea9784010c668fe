/**
 * One long session of `spark-sql`, fed through its standard input: a session takes seconds to start, and a run has some twenty
 * jobs.
 *
 * An interactive session goes on after a failed statement. So the statements of a call stand on one line, which the session
 * abandons at the first failure; the last statement of the line reports success, and the next line reports the end of the call.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { MinHashError } from '../../../errors.js';
import { byLines, endGroup, processEnvironment } from '../command.js';
import { usefulLines } from './sparkErrors.js';
import { sqlText } from './sparkSql.js';

export interface SessionOptions {
  /** The command of the session, as words. */
  readonly words: readonly string[];
  /** The file to which its standard error is appended. */
  readonly log: string;
  readonly signal?: AbortSignal;
}

/** Wraps a value of a select so that the session's answer is recognized: `SELECT ${mark('count(*)')} FROM ...`. */
export type Mark = (value: string) => string;

/** Statements that failed; `lines`: the useful lines of the session's log. */
export class SqlFailure extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('; '));
    this.lines = lines;
  }
}

/** Most lines of standard error that are kept for one call. */
const MOST_KEPT = 2000;
const GRACE = 10_000;
/** Milliseconds: the error of a failed statement arrives on another pipe than the end of its line. */
const DRAIN = 300;

interface Call {
  readonly mark: string;
  readonly rows: string[];
  isDone: boolean;
  readonly resolve: (rows: readonly string[]) => void;
  readonly reject: (error: Error) => void;
}

export class SparkSession {
  private readonly child: ChildProcess;
  private readonly log: WriteStream;
  private readonly options: SessionOptions;
  /** Marks rows of this session. The echo of a statement does not match: there the parts of the mark stand apart. */
  private readonly nonce = randomBytes(6).toString('hex');
  private calls = 0;
  private call: Call | null = null;
  private said: string[] = [];
  private hasAnswered = false;
  private ended: Error | null = null;
  private readonly whenEnded: Promise<void>;

  constructor(options: SessionOptions) {
    const { words, log, signal } = options;
    if (signal?.aborted === true) throw new MinHashError({ code: 'INTERRUPTED', detail: '' });
    this.options = options;
    this.log = createWriteStream(log, { flags: 'a' });
    // A log that cannot be written does not end the run.
    this.log.on('error', () => {});
    // In a process group of its own: only this process ends it on ^C.
    this.child = spawn(words[0]!, words.slice(1), {
      ...{ env: processEnvironment(), detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
    });
    eachLine(this.child.stdout!, (line) => this.answer(line));
    eachLine(this.child.stderr!, (line) => this.note(line));
    this.child.stderr!.pipe(this.log);
    // The end of the process reports that it went away.
    this.child.stdin!.on('error', () => {});
    signal?.addEventListener('abort', this.stop);
    this.whenEnded = this.watch();
  }

  /**
   * Runs statements one after the other; returns their marked rows.
   *
   * @throws SqlFailure where a statement fails; MinHashError ENGINE_UNUSABLE, JOB_FAILED where the session ends, INTERRUPTED
   */
  async run(statements: (mark: Mark) => readonly string[]): Promise<readonly string[]> {
    if (this.call !== null) throw new Error('a session was asked two things at once: our own defect');
    if (this.ended !== null) throw this.ended;
    const number = String(++this.calls);
    const mark: Mark = (value) =>
      `concat('mrm-', '${this.nonce}', '~', '${number}', '~', CAST(${value} AS STRING))`;
    const lines = [[...statements(mark), `SELECT ${mark("'~done'")}`], [`SELECT ${mark("'~end'")}`]];
    // Spark keeps the last 500 lines in ~/.hivehistory, these too: only the JVM's user.home changes that, and it would move the
    // user's credentials as well.
    const text = lines.map((line) => `${line.map(oneLine).join('; ')};\n`).join('');
    return new Promise((resolve, reject) => {
      this.said = [];
      this.call = { mark: `mrm-${this.nonce}~${number}~`, rows: [], isDone: false, resolve, reject };
      this.child.stdin!.write(text);
    });
  }

  /** Ends the session. */
  async close(): Promise<void> {
    if (this.ended === null) {
      this.child.stdin!.end('exit;\n');
      const force = setTimeout(this.stop, GRACE);
      await this.whenEnded;
      clearTimeout(force);
    }
    await this.whenEnded;
  }

  private async watch(): Promise<void> {
    const { signal, words } = this.options;
    this.ended = await new Promise<Error>((resolve) => {
      this.child.on('error', (cause: NodeJS.ErrnoException) => {
        const why = cause.code === 'ENOENT' ? 'no such command' : `cannot be started: ${cause.message}`;
        resolve(new MinHashError({ code: 'ENGINE_UNUSABLE', detail: `${words[0]}: ${why}` }, { cause }));
      });
      this.child.on('close', (code) => resolve(this.endOf(code)));
    });
    signal?.removeEventListener('abort', this.stop);
    this.log.end();
    this.call?.reject(this.ended);
    this.call = null;
  }

  /** The error that a waiting caller gets when the session ends. */
  private endOf(code: number | null): Error {
    const { signal, words, log } = this.options;
    if (signal?.aborted === true) return new MinHashError({ code: 'INTERRUPTED', detail: '' });
    const said = usefulLines(this.said).join('; ');
    const early = this.hasAnswered ? '' : ' before it answered a statement: expected a session of spark-sql';
    const how = code === null ? 'was killed' : `ended with exit code ${code}${said === '' ? early : ''}`;
    const detail = `${words[0]} ${how}${said === '' ? '' : `: ${said}`}; its log is ${log}`;
    return new MinHashError({ code: this.hasAnswered ? 'JOB_FAILED' : 'ENGINE_UNUSABLE', detail });
  }

  private note(line: string): void {
    this.said.push(line);
    if (this.said.length > MOST_KEPT) this.said.shift();
  }

  private answer(line: string): void {
    const { call } = this;
    if (call === null) return;
    const at = line.indexOf(call.mark);
    if (at < 0) return;
    this.hasAnswered = true;
    const value = line.slice(at + call.mark.length);
    if (value === '~done') call.isDone = true;
    else if (value !== '~end') call.rows.push(value);
    else this.finish(call);
  }

  private finish(call: Call): void {
    this.call = null;
    if (call.isDone) call.resolve(call.rows);
    else setTimeout(() => call.reject(new SqlFailure(usefulLines(this.said))), DRAIN);
  }

  private readonly stop = (): void => endGroup(this.child, GRACE);
}

/** One line of ASCII: a terminal's line editor reads the statements, where TAB would complete a word. */
function oneLine(statement: string): string {
  const line = statement.replace(/\s*\n\s*/g, ' ').trim();
  if (/[^ -~]/.test(line)) throw new Error(`a statement with foreign characters: ${sqlText(line)}`);
  return line;
}

function eachLine(from: NodeJS.ReadableStream, take: (line: string) => void): void {
  const lines = byLines(take);
  from.on('data', lines.push);
  from.on('end', lines.end);
}
