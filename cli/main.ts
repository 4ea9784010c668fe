#!/usr/bin/env node
/**
 * The executable: gives the program the process's arguments and streams, and the process its exit code.
 *
 * Has no exports; everything testable is in cli/program.ts.
 */
import { writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { reportFailure } from './exit.js';
import { runProgram } from './program.js';
import { createTerminal, type OutputStream } from './terminal.js';

const argv = process.argv.slice(2);

/** A task reads and writes by calls that wait; to touch the streams of the process would make its pipes such that do not. */
const isTask = argv[0] === 'task' && !argv.some((word) => word === '-h' || word === '--help');
const out = isTask ? waitingStream(1) : process.stdout;
const terminal = createTerminal(
  out,
  isTask ? waitingStream(2) : process.stderr,
  process.env,
  process.argv[1],
);

function waitingStream(descriptor: number): OutputStream {
  return {
    on: () => {},
    write(text, done) {
      try {
        writeSync(descriptor, Buffer.from(text));
        done?.();
      } catch (error) {
        done?.(error as Error);
      }
      return true;
    },
  };
}

/** A defect that no command could catch; the state is unknown, so the process ends. */
function endWithDefect(error: unknown): void {
  const code = reportFailure(error, terminal, argv.includes('--verbose'));
  void terminal.end().then(() => process.exit(code));
}

process.on('uncaughtException', endWithDefect);
process.on('unhandledRejection', endWithDefect);

const exitCode = await runProgram(argv, terminal, isTask ? Readable.from([]) : process.stdin);
const written = await terminal.end();
// Explicitly, because an open standard input or a thread given up on would keep the process alive.
process.exit(written || exitCode !== 0 ? exitCode : 1);
