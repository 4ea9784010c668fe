#!/usr/bin/env node
/**
 * The executable: passes arguments and streams of the process to the program, and the exit code back.
 *
 * It has no exports: everything that tests need is in cli/program.ts.
 */
import { fstatSync } from 'node:fs';
import { Readable } from 'node:stream';
import { MinHashError } from '../src/errors.js';
import { reportFailure } from './exit.js';
import { runProgram } from './program.js';
import { createTerminal } from './terminal.js';

const argv = process.argv.slice(2);

const terminal = createTerminal(process.stdout, process.stderr, process.env, process.argv[1]);

/** Standard input; Node reads a directory as if it were empty. */
function standardInput(): Readable {
  const { stdin } = process;
  let isDirectory = false;
  try {
    isDirectory = fstatSync(0).isDirectory();
  } catch {
    // Standard input is closed.
  }
  if (!isDirectory) return stdin;
  return new Readable({
    read() {
      const detail = 'standard input is a directory; pass it as PATH instead of -';
      this.destroy(new MinHashError({ code: 'OPTION_INVALID', detail }));
    },
  });
}

/** Reports an error that no command caught, and ends the process, because its state is unknown. */
function endWithDefect(error: unknown): void {
  const code = reportFailure(error, terminal, argv.includes('--verbose'));
  void terminal.end().then(() => process.exit(code));
}

process.on('uncaughtException', endWithDefect);
process.on('unhandledRejection', endWithDefect);

const exitCode = await runProgram(argv, terminal, standardInput());
const written = await terminal.end();
// An explicit exit: an open standard input or an abandoned thread would keep the process alive.
process.exit(written || exitCode !== 0 ? exitCode : 1);
