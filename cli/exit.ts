/**
 * Turns an error into lines on stderr and an exit code.
 *
 * Texts come from the table of errors; an error that is not in the table is a bug.
 */
import { ERRORS, MinHashError, problemLine } from '../src/errors.js';
import type { Terminal } from './terminal.js';

export const EXIT = { done: 0, failed: 1, use: 2, duplicates: 3, interrupted: 130 } as const;

/**
 * Prints every error on its own line with its hint after it, and returns the exit code. Hints that mention the help mention
 * that of `command`.
 *
 * @param more hints printed after those of the errors
 */
export function reportFailure(
  error: unknown,
  terminal: Terminal,
  verbose: boolean,
  command = 'run',
  more: readonly string[] = [],
): number {
  if (error instanceof MinHashError) {
    const hints = error.problems.map(({ code, remedy }) => remedy ?? ERRORS[code].remedy);
    for (const [i, problem] of error.problems.entries()) {
      terminal.say(`error: ${problemLine(problem)}`);
      // A hint that several errors in a row share is printed once.
      if (hints[i] !== hints[i + 1]) sayHint(hints[i]!, terminal, command);
    }
    for (const hint of more) sayHint(hint, terminal, command);
    // The text explains a usage error; a stack would help nobody.
    if (verbose && error.exitCode === EXIT.failed) sayStack(error, terminal);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  terminal.say(`error: bug in mr-minhash: ${message}`);
  if (verbose) sayStack(error, terminal);
  else terminal.say('hint: please report it with the output of --verbose');
  return EXIT.failed;
}

function sayHint(hint: string, terminal: Terminal, command: string): void {
  if (hint === '') return;
  const ofCommand = hint.replace('mr-minhash run --help', `mr-minhash ${command} --help`);
  terminal.say(`hint: ${ofCommand.replace(/(^|: )mr-minhash /g, `$1${terminal.command} `)}`);
}

/** Prints the stacks of an error and of its causes. */
function sayStack(error: unknown, terminal: Terminal): void {
  let link: unknown = error;
  for (let depth = 0; link instanceof Error && depth < 5; depth++) {
    terminal.sayText(link.stack ?? link.message);
    link = link.cause;
  }
}
