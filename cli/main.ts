#!/usr/bin/env node
/**
 * The executable: gives the program the process's arguments and streams, and the process its exit code.
 *
 * Has no exports; everything testable is in cli/program.ts.
 */
import { reportFailure } from './exit.js';
import { runProgram } from './program.js';
import { createTerminal } from './terminal.js';

const terminal = createTerminal(process.stdout, process.stderr, process.env, process.argv[1]);
const argv = process.argv.slice(2);

/** A defect that no command could catch; the state is unknown, so the process ends. */
function endWithDefect(error: unknown): void {
  const code = reportFailure(error, terminal, argv.includes('--verbose'));
  void terminal.end().then(() => process.exit(code));
}

process.on('uncaughtException', endWithDefect);
process.on('unhandledRejection', endWithDefect);

const exitCode = await runProgram(argv, terminal, process.stdin);
const written = await terminal.end();
// Explicitly, because an open standard input or a thread given up on would keep the process alive.
process.exit(written || exitCode !== 0 ? exitCode : 1);
