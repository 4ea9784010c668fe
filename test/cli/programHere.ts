/**
 * Runs the program in this process, in a folder of its own, without the start of a process. Streams, signals and the exit of the
 * executable are tested by starting it.
 */
import { Readable } from 'node:stream';
import { runProgram } from '../../cli/program.js';
import { type CaptureOptions, capturedTerminal } from './capturedTerminal.js';

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without a folder of its own: tests beside it may run at the same time. */
export async function said(
  argv: readonly string[],
  capture: CaptureOptions = {},
  input: NodeJS.ReadableStream = process.stdin,
  program = runProgram,
): Promise<Said> {
  const { terminal, stdout, stderr } = capturedTerminal(capture);
  const code = await program(argv, terminal, input);
  return { code, stdout: stdout(), stderr: stderr() };
}

/** The lines about problems, without what begins each. */
export function errorsOf(stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => /^error: (.*)$/.exec(line)?.[1] ?? []);
}

/** The working folder is the whole process's: one call after the other, so from tests that are serial. */
export async function programHere(
  cwd: string,
  argv: readonly string[],
  input: string | Uint8Array = '',
  program = runProgram,
): Promise<Said> {
  const before = process.cwd();
  process.chdir(cwd);
  try {
    return await said(argv, {}, Readable.from([Buffer.from(input)]), program);
  } finally {
    process.chdir(before);
  }
}
