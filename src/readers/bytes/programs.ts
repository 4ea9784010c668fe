/**
 * The programs zstd, bzip2 and xz: they decompress data at once or as a stream, and pack.
 *
 * A program is found by PATH alone, in its absolute folders, and used where it decompresses a sample with
 * the flags that are used here. Data go through its standard input and output; its messages are not shown.
 */
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type ErrorCode, MinHashError } from '../../errors.js';
import type { Pieces } from './byteStreams.js';

/** A codec that a program decompresses. */
export type ProgramName = 'zstd' | 'bzip2' | 'xz';

interface ProgramWords {
  /** Data that refer back by more than 512 MB are refused: they would take as much memory. */
  readonly decompress: readonly string[];
  /** In one thread: more would cut the data otherwise. */
  readonly pack: readonly string[];
  /** An empty file, compressed, in base 64. */
  readonly sample: string;
}

const PROGRAMS: Readonly<Record<ProgramName, ProgramWords>> = {
  zstd: { decompress: ['-dc', '--memory=512MB'], pack: ['-c', '-q'], sample: 'KLUv/SQAAQAAmenYUQ==' },
  bzip2: { decompress: ['-dc'], pack: ['-c'], sample: 'QlpoORdyRThQkAAAAAA=' },
  xz: {
    decompress: ['-dc', '-T1', '--memlimit-decompress=600MiB'],
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

function works(path: string, { decompress, sample }: ProgramWords): boolean {
  const { status, stdout } = spawnSync(path, decompress, {
    input: Buffer.from(sample, 'base64'),
    env: ENVIRONMENT,
  });
  return status === 0 && stdout.length === 0;
}

export function adviceFor(name: ProgramName): string {
  return `install the program ${name}, or decompress the files yourself`;
}

/** What data were decompressed to. */
export interface Decompressed {
  readonly flaw: Flaw | null;
  /** All of them, or those before the flaw. */
  readonly bytes: Uint8Array;
}

/**
 * Why data cannot be decompressed. `TRUNCATED`: they end too early. `BEHIND`: other bytes follow them. `OTHER`: they have another format.
 * `FOREIGN`: they are valid, but of a kind that is not read.
 */
export type Flaw = 'TRUNCATED' | 'DAMAGED' | 'BEHIND' | 'OTHER' | 'FOREIGN';

/** What programs print. A format that is not recognised begins the data, or follows them. */
const FOREIGN = /dictionary|too much memory|memory usage limit|unsupported options|filter chain/i;
const TRUNCATED = /premature end|unexpected end|ends unexpectedly/i;
const UNRECOGNISED = /unsupported format|unknown header|not recognized|is not a bzip2 file/i;
const TRAILING = /trailing garbage/i;

function flawIn(status: number, messages: string, hasOutput: boolean): Flaw | null {
  if (TRAILING.test(messages)) return 'BEHIND';
  if (status === 0) return null;
  if (FOREIGN.test(messages)) return 'FOREIGN';
  if (UNRECOGNISED.test(messages)) return hasOutput ? 'BEHIND' : 'OTHER';
  return TRUNCATED.test(messages) ? 'TRUNCATED' : 'DAMAGED';
}

/**
 * Decompresses data at once. Null: they decompress to more than `most` bytes.
 *
 * @param path of `programPath`
 * @throws MinHashError INPUT_FAILED where the program was ended by somebody else
 */
export function decompressAtOnce(
  name: ProgramName,
  path: string,
  compressed: Uint8Array,
  most: number,
): Decompressed | null {
  const { status, signal, error, stdout, stderr } = spawnSync(path, PROGRAMS[name].decompress, {
    input: compressed,
    // 0 would mean no limit.
    maxBuffer: Math.max(1, most),
    env: ENVIRONMENT,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOBUFS') return null;
  if (status === null) throw endedFromOutside(name, signal ?? systemError(error));
  if (stdout.length > most) return null;
  return { flaw: flawIn(status, stderr.toString(), stdout.length > 0), bytes: stdout };
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
 * Starts a program that packs or decompresses its input.
 *
 * @param into an open file for its output; null: `output` gives it
 */
export function startProgram(
  name: ProgramName,
  path: string,
  what: 'pack' | 'decompress',
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
 * Decompresses a stream. On an error the last value is a code of the codec, made by `flawed`, after every byte that could be
 * decompressed.
 *
 * @throws MinHashError PROGRAM_FAILED where the program was ended by somebody else
 */
export async function* decompressThrough(
  name: ProgramName,
  path: string,
  compressed: Pieces,
  flawed: (flaw: Flaw) => ErrorCode,
): Pieces {
  const program = startProgram(name, path, 'decompress', null);
  const fed = feed(program, compressed);
  // The error is thrown when the output has ended.
  fed.catch(() => {});
  try {
    let hasOutput = false;
    for await (const piece of program.output) {
      hasOutput ||= piece.length > 0;
      yield piece;
    }
    const { status, why, said } = await program.ended;
    const code = await fed;
    if (code === null && status === null) throw endedFromOutside(name, why);
    const flaw = code === null ? flawIn(status!, said, hasOutput) : null;
    if (code !== null) yield code;
    else if (flaw !== null) yield flawed(flaw);
  } finally {
    program.kill();
    await compressed.return(undefined);
  }
}

/** Writes the compressed bytes as long as the program reads them; returns the code that the data end with. */
async function feed(program: RunningProgram, compressed: Pieces): Promise<ErrorCode | null> {
  try {
    for (;;) {
      const { value, done } = await compressed.next();
      if (done === true) return null;
      if (typeof value === 'string') return value as ErrorCode;
      if (!(await program.write(value))) return null;
    }
  } finally {
    program.end();
  }
}
