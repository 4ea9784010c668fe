/**
 * The programs zstd, bzip2 and xz: they unpack data at once or as a stream, and pack.
 *
 * A program is found by PATH alone, in its absolute folders, and used where it unpacks a sample with
 * the flags that are used here. Data go through its standard input and output; its messages are not shown.
 */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type ErrorCode, MinHashError } from '../../errors.js';
import type { Pieces } from './byteStreams.js';

/** A packing that a program unpacks. */
export type ProgramName = 'zstd' | 'bzip2' | 'xz';

interface ProgramWords {
  /** Data that refer back by more than 512 MB are refused: they would take as much memory. */
  readonly unpack: readonly string[];
  /** In one thread: more would cut the data otherwise. */
  readonly pack: readonly string[];
  /** An empty file, packed, in base 64. */
  readonly sample: string;
}

const PROGRAMS: Readonly<Record<ProgramName, ProgramWords>> = {
  zstd: { unpack: ['-dc', '--memory=512MB'], pack: ['-c', '-q'], sample: 'KLUv/SQAAQAAmenYUQ==' },
  bzip2: { unpack: ['-dc'], pack: ['-c'], sample: 'QlpoORdyRThQkAAAAAA=' },
  xz: {
    unpack: ['-dc', '-T1', '--memlimit-decompress=600MiB'],
    pack: ['-c', '-T1'],
    sample: '/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo=',
  },
};

/** Its messages are matched below, so they are in English, and no variable changes what it does. */
const ENVIRONMENT = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };

const known = new Map<ProgramName, string | null>();

/** The path of a program; null: no program works. */
export function programPath(name: ProgramName): string | null {
  let path = known.get(name);
  if (path === undefined) {
    path = foundByPath(name);
    if (path !== null && !works(path, PROGRAMS[name])) path = null;
    known.set(name, path);
  }
  return path;
}

function foundByPath(name: string): string | null {
  for (const folder of ENVIRONMENT.PATH.split(delimiter)) {
    // A folder relative to the working directory could belong to a corpus.
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Another folder may have it.
    }
  }
  return null;
}

function works(path: string, { unpack, sample }: ProgramWords): boolean {
  const { status, stdout } = spawnSync(path, unpack, {
    input: Buffer.from(sample, 'base64'),
    env: ENVIRONMENT,
  });
  return status === 0 && stdout.length === 0;
}

export function adviceFor(name: ProgramName): string {
  return `install the program ${name}, or decompress the files yourself`;
}

/** What data were unpacked to. */
export interface Unpacked {
  readonly flaw: Flaw | null;
  /** All that could be had, where there is a flaw. */
  readonly bytes: Uint8Array;
}

/**
 * Why data cannot be unpacked. `TRUNCATED`: they end too early. `FOREIGN`: they are valid, but of a kind that is not read.
 */
export type Flaw = 'TRUNCATED' | 'DAMAGED' | 'FOREIGN';

const FOREIGN = /dictionary|too much memory|memory usage limit|unsupported options|filter chain/i;
const TRUNCATED = /premature end|unexpected end|ends unexpectedly/i;
/** Only a warning. */
const BEHIND = /trailing garbage/i;

function flawIn(status: number, said: string): Flaw | null {
  if (status === 0 && !BEHIND.test(said)) return null;
  if (FOREIGN.test(said)) return 'FOREIGN';
  return TRUNCATED.test(said) ? 'TRUNCATED' : 'DAMAGED';
}

/**
 * Unpacks data at once. Null: they unpack to more than `most` bytes.
 *
 * @param path of `programPath`
 * @throws MinHashError INPUT_FAILED where the program was ended by somebody else
 */
export function unpackAtOnce(
  name: ProgramName,
  path: string,
  packed: Uint8Array,
  most: number,
): Unpacked | null {
  const { status, signal, error, stdout, stderr } = spawnSync(path, PROGRAMS[name].unpack, {
    input: packed,
    // 0 would mean no limit.
    maxBuffer: Math.max(1, most),
    env: ENVIRONMENT,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOBUFS') return null;
  if (status === null) throw endedFromOutside(name, signal ?? systemError(error));
  return stdout.length > most ? null : { flaw: flawIn(status, stderr.toString()), bytes: stdout };
}

const systemError = (error: Error | undefined): string =>
  (error as NodeJS.ErrnoException | undefined)?.code ?? 'no reason';

function endedFromOutside(name: string, why: string): MinHashError {
  return new MinHashError({ code: 'PROGRAM_FAILED', detail: `${name}: ${why}` });
}

export interface RunningProgram {
  /** Resolves to false once it reads no more. */
  write(bytes: Uint8Array): Promise<boolean>;
  /** Ends its input. */
  end(): void;
  /** Its output, where that does not go into a file. */
  readonly output: AsyncIterable<Uint8Array>;
  /** The exit status and the messages. */
  readonly ended: Promise<{ readonly status: number | null; readonly why: string; readonly said: string }>;
  kill(): void;
}

/** Bytes that are kept of the messages of a program. */
const MOST_SAID = 4096;

/**
 * Starts a program that packs or unpacks its input.
 *
 * @param into an open file for its output; null: `output` gives it
 */
export function startProgram(
  name: ProgramName,
  path: string,
  what: 'pack' | 'unpack',
  into: number | null,
): RunningProgram {
  const child = spawn(path, PROGRAMS[name][what], {
    stdio: ['pipe', into ?? 'pipe', 'pipe'],
    env: ENVIRONMENT,
    // An interrupt from the keyboard is handled here: half of a file must not be taken for all of it.
    detached: true,
  });
  let said = '';
  child.stderr!.on('data', (piece: Buffer) => {
    if (said.length < MOST_SAID) said += piece.toString();
  });
  // The exit status reports the problem.
  child.stdin!.on('error', () => {});
  const ended = new Promise<{ status: number | null; why: string; said: string }>((resolve) => {
    child.on('error', (error) => resolve({ status: null, why: systemError(error), said }));
    child.on('close', (status, signal) => resolve({ status, why: signal ?? '', said }));
  });
  return {
    write: (bytes) => new Promise((resolve) => child.stdin!.write(bytes, (error) => resolve(!error))),
    end: () => child.stdin!.end(),
    output: child.stdout ?? NOTHING,
    ended,
    kill: () => child.kill('SIGKILL'),
  };
}

const NOTHING: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => [][Symbol.iterator]() as never };

/**
 * Unpacks a stream. On an error the last value is a code of the packing, made by `flawed`, after every byte that could be
 * unpacked.
 *
 * @throws MinHashError PROGRAM_FAILED where the program was ended by somebody else
 */
export async function* unpackThrough(
  name: ProgramName,
  path: string,
  packed: Pieces,
  flawed: (flaw: Flaw) => ErrorCode,
): Pieces {
  const program = startProgram(name, path, 'unpack', null);
  const fed = feed(program, packed);
  // The error is thrown when the output has ended.
  fed.catch(() => {});
  try {
    for await (const piece of program.output) yield piece;
    const { status, why, said } = await program.ended;
    const code = await fed;
    if (code !== null) {
      yield code;
      return;
    }
    if (status === null) throw endedFromOutside(name, why);
    const flaw = flawIn(status, said);
    if (flaw !== null) yield flawed(flaw);
  } finally {
    program.kill();
    await packed.return(undefined);
  }
}

/** Writes the packed bytes as long as the program reads them; returns the code that the data end with. */
async function feed(program: RunningProgram, packed: Pieces): Promise<ErrorCode | null> {
  try {
    for (;;) {
      const { value, done } = await packed.next();
      if (done === true) return null;
      if (typeof value === 'string') return value as ErrorCode;
      if (!(await program.write(value))) return null;
    }
  } finally {
    program.end();
  }
}
