/**
 * One long session of `spark-sql`, fed through its standard input: a session takes seconds to start, and a run has some twenty
 * jobs.
 *
 * An interactive session goes on after a statement that failed. So the statements of a call stand on one line, which it leaves at
 * the first that fails, and end with one that says that all went through; the line after says that the first is done with.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { MinHashError } from '../../../errors.js';
import { byLines, endGroup, processEnvironment } from '../command.js';
import { usefulLines } from './sparkErrors.js';
import { sqlText } from './sparkSql.js';

export interface SessionOptions {
  /** The command with all its options. */
  readonly words: readonly string[];
  /** Takes what it says on standard error; added to. */
  readonly log: string;
  readonly signal?: AbortSignal;
}

/** Makes the part of a select that marks rows for us: `SELECT ${mark('count(*)')} FROM ...`. */
export type Mark = (value: string) => string;

/** Statements that failed, with what the session said. */
export class SqlFailure extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('; '));
    this.lines = lines;
  }
}

/** Lines of standard error that are kept of one call. */
const MOST_KEPT = 2000;
const GRACE = 10_000;
/** What a failing statement says comes on another pipe than that it failed. */
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
  /** The echo of a statement has its two halves apart. */
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
    // A log that cannot be written is no reason to end a run.
    this.log.on('error', () => {});
    // In a group of its own: ^C in a terminal ends it when we say so.
    this.child = spawn(words[0]!, words.slice(1), {
      ...{ env: processEnvironment(), detached: true, stdio: ['pipe', 'pipe', 'pipe'] },
    });
    eachLine(this.child.stdout!, (line) => this.answer(line));
    eachLine(this.child.stderr!, (line) => this.note(line));
    this.child.stderr!.pipe(this.log);
    // That it went away is told by its end.
    this.child.stdin!.on('error', () => {});
    signal?.addEventListener('abort', this.stop);
    this.whenEnded = this.watch();
  }

  /**
   * Runs statements one after the other; the rows that they mark.
   *
   * @throws SqlFailure where one fails; MinHashError ENGINE_UNUSABLE, JOB_FAILED where the session ends, INTERRUPTED
   */
  async run(statements: (mark: Mark) => readonly string[]): Promise<readonly string[]> {
    if (this.call !== null) throw new Error('a session was asked two things at once: our own defect');
    if (this.ended !== null) throw this.ended;
    const number = String(++this.calls);
    const mark: Mark = (value) =>
      `concat('mrm-', '${this.nonce}', '~', '${number}', '~', CAST(${value} AS STRING))`;
    const lines = [[...statements(mark), `SELECT ${mark("'~done'")}`], [`SELECT ${mark("'~end'")}`]];
    // Spark keeps the last 500 lines in ~/.hivehistory, these too: no setting but the JVM's user.home says otherwise, and that one
    // moves the user's credentials as well.
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

  /** What the end of the session means for who waits for an answer. */
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

/** A terminal's editor reads the statements: no line may end within one, and TAB would complete a word. */
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
