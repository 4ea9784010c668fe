/**
 * Turns an error into lines on stderr and an exit code.
 *
 * The texts are those of the error table; an error that is not in the table is a defect of ours.
 */
import { ERRORS, type Fault, MinHashError } from '../src/errors.js';
import type { Terminal } from './terminal.js';

export const EXIT = { done: 0, failed: 1, use: 2, duplicates: 3, interrupted: 130 } as const;

/**
 * Prints every fault on a line of its own with its hint behind it, and returns the exit code. Hints that name the help
 * name that of `command`.
 *
 * @param more hints that follow those about the faults
 */
export function reportFailure(
  error: unknown,
  terminal: Terminal,
  verbose: boolean,
  command = 'run',
  more: readonly string[] = [],
): number {
  if (error instanceof MinHashError) {
    const hints = error.faults.map(({ code, remedy }) => remedy ?? ERRORS[code].remedy);
    for (const [i, fault] of error.faults.entries()) {
      terminal.say(`error: ${faultLine(fault)}`);
      // Several errors in a row with the same hint have it once.
      if (hints[i] !== hints[i + 1]) sayHint(hints[i]!, terminal, command);
    }
    for (const hint of more) sayHint(hint, terminal, command);
    // The text explains wrong use; a stack that shows where we found it would help nobody.
    if (verbose && error.exitCode === EXIT.failed) sayStack(error, terminal);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  terminal.say(`error: a defect of mr-minhash: ${message}`);
  if (verbose) sayStack(error, terminal);
  else terminal.say('hint: please report it, with what --verbose prints');
  return EXIT.failed;
}

function sayHint(hint: string, terminal: Terminal, command: string): void {
  if (hint === '') return;
  const ofCommand = hint.replace('mr-minhash run --help', `mr-minhash ${command} --help`);
  terminal.say(`hint: ${ofCommand.replace(/(^|: )mr-minhash /g, `$1${terminal.command} `)}`);
}

/** The line of a fault: an option's detail alone, else the table's text before the detail. */
function faultLine(fault: Fault): string {
  const detail = fault.typed ?? fault.detail;
  if (fault.code === 'OPTION_INVALID') return detail;
  const { text } = ERRORS[fault.code];
  return detail === '' ? text : `${text}: ${detail}`;
}

/** Prints the stacks of the error and of its causes, for us to read. */
function sayStack(error: unknown, terminal: Terminal): void {
  let link: unknown = error;
  for (let depth = 0; link instanceof Error && depth < 5; depth++) {
    terminal.sayText(link.stack ?? link.message);
    link = link.cause;
  }
}
