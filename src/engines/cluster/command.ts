/**
 * Runs commands of engines in process groups of their own, so that only this process ends them on ^C, and reads their output by
 * line.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { MinHashError } from '../../errors.js';
import { shellQuoted } from '../../options/shellWord.js';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Called with each line of standard error, without its end. */
  readonly onError?: (line: string) => void;
  readonly signal?: AbortSignal;
}

const GRACE = 5000;

/** The environment of a command: names of files are UTF-8 in it, whatever the locale. */
export function processEnvironment(env?: CommandOptions['env']): NodeJS.ProcessEnv {
  const { LC_ALL = '', LC_CTYPE = '', LANG = '' } = process.env;
  const isUtf8 = /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG);
  return { ...process.env, ...(!isUtf8 && { LC_ALL: 'C.UTF-8' }), ...env };
}

/** The path of a program, given by path or found in the PATH; null: there is none. */
export function programFile(program: string, path = process.env.PATH): string | null {
  const files = program.includes('/')
    ? [program]
    : (path ?? '').split(delimiter).map((folder) => join(folder, program));
  return files.find((file) => existsSync(file)) ?? null;
}

/** @throws MinHashError ENGINE_UNUSABLE where the program is neither a path nor in the PATH */
export function refuseMissing(program: string, option: string): void {
  if (programFile(program) !== null) return;
  const detail = `there is no command ${shownCommand([program])}; ${option} names it`;
  throw new MinHashError({ code: 'ENGINE_UNUSABLE', detail });
}

/** The command as one would type it in a shell. */
export const shownCommand = (words: readonly string[]): string => words.map(shellQuoted).join(' ');

/** Splits chunks into lines, and calls `take` with each. */
export function byLines(take: (line: string) => void): { push(chunk: Uint8Array): void; end(): void } {
  let held = Buffer.alloc(0);
  return {
    push(chunk) {
      held = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk]);
      let from = 0;
      for (let at = held.indexOf(10); at >= 0; at = held.indexOf(10, from)) {
        take(held.toString('utf8', from, at).replace(/\r$/, ''));
        from = at + 1;
      }
      held = held.subarray(from);
    },
    end() {
      if (held.length > 0) take(held.toString('utf8'));
    },
  };
}

/**
 * Runs a command to its end and returns its exit code; 128 where a signal ended it.
 *
 * @throws MinHashError ENGINE_UNUSABLE where the command cannot be started, INTERRUPTED once the signal fired
 */
export async function runCommand(words: readonly string[], options: CommandOptions = {}): Promise<number> {
  const running = start(words, options, 'ignore');
  return running.end;
}

/**
 * Yields the output of a command as it arrives; a reader that stops early ends the command. Throws what `runCommand` throws.
 *
 * @param check called with the exit code
 */
export async function* commandOutput(
  words: readonly string[],
  options: CommandOptions,
  check: (code: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { child, end } = start(words, options, 'pipe');
  let isWhole = false;
  try {
    for await (const chunk of child.stdout!) yield chunk as Uint8Array;
    isWhole = true;
    check(await end);
  } finally {
    if (!isWhole) {
      endGroup(child);
      await end.catch(() => {});
    }
  }
}

function start(
  words: readonly string[],
  options: CommandOptions,
  output: 'ignore' | 'pipe',
): { readonly child: ChildProcess; readonly end: Promise<number> } {
  const { cwd, env, signal } = options;
  const interrupted = (): MinHashError => new MinHashError({ code: 'INTERRUPTED', detail: '' });
  if (signal?.aborted === true) throw interrupted();
  const child = spawn(words[0]!, words.slice(1), {
    ...(cwd !== undefined && { cwd }),
    env: processEnvironment(env),
    detached: true,
    stdio: ['ignore', output, 'pipe'],
  });
  const stop = (): void => endGroup(child);
  signal?.addEventListener('abort', stop);
  const end = ended(child, words[0]!, options).finally(() => signal?.removeEventListener('abort', stop));
  return {
    child,
    end: end.then((code) => {
      if (signal?.aborted === true) throw interrupted();
      return code;
    }),
  };
}

async function ended(child: ChildProcess, program: string, options: CommandOptions): Promise<number> {
  const lines = byLines(options.onError ?? (() => {}));
  child.stderr!.on('data', lines.push);
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'ENOENT' ? 'there is no such command' : cause.message;
      const detail = `${program} cannot be started: ${why}`;
      reject(new MinHashError({ code: 'ENGINE_UNUSABLE', detail }, { cause }));
    });
    child.on('close', (exit) => resolve(exit ?? 128));
  });
  lines.end();
  return code;
}

/** Ends a command and its children: by SIGTERM, and after `grace` milliseconds by SIGKILL. */
export function endGroup(child: ChildProcess, grace = GRACE): void {
  const { pid } = child;
  if (pid === undefined) return;
  const send = (name: NodeJS.Signals): void => {
    try {
      process.kill(-pid, name);
    } catch {
      // All processes have ended.
    }
  };
  send('SIGTERM');
  const force = setTimeout(() => send('SIGKILL'), grace);
  child.once('close', () => {
    clearTimeout(force);
    send('SIGKILL');
  });
}
