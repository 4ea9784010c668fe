/**
 * The program in this process, in a folder of its own: what a command says and writes, without the start of a process.
 * What belongs to the executable alone (streams, signals, exit) is for tests that start it.
 */
import { Readable } from 'node:stream';
import { runProgram } from '../../cli/program.js';
import { capturedTerminal } from './capturedTerminal.js';

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The working folder is the whole process's: one call after the other, so from tests that are serial. */
export async function programHere(
  cwd: string,
  argv: readonly string[],
  input: string | Uint8Array = '',
  program = runProgram,
): Promise<Said> {
  const { terminal, stdout, stderr } = capturedTerminal();
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await program(argv, terminal, Readable.from([Buffer.from(input)]));
    return { code, stdout: stdout(), stderr: stderr() };
  } finally {
    process.chdir(before);
  }
}
