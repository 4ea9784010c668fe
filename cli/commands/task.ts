/**
 * `mr-minhash task`: one Map or Reduce task of an engine, over descriptors 0 and 1.
 *
 * What it does is that of the program which is shipped to the machines of an engine (src/tasks/process/taskEntry.ts).
 */
import { closedCode, runTaskProcess, taskRequest } from '../../src/tasks/process/taskProcess.js';
import type { WordFault } from '../argv.js';
import { EXIT, reportFailure } from '../exit.js';
import type { ParsedFlags } from '../flags.js';
import type { Terminal } from '../terminal.js';

interface TaskContext {
  readonly terminal: Terminal;
  /** What was wrong with the words themselves. */
  readonly wordFaults?: readonly WordFault[];
}

/** Runs the task and returns the exit code; errors are reported here. */
export function taskCommand(words: readonly string[], flags: ParsedFlags, context: TaskContext): number {
  const { terminal, wordFaults = [] } = context;
  const { request, faults } = taskRequest(words, flags);
  // Of a flag without its value one fault is enough.
  const told = wordFaults.map(({ option }) => `--${option}`);
  const more = faults.filter((fault) => !told.some((flag) => fault.startsWith(flag)));
  const all = [...wordFaults.map(({ detail }) => detail), ...more];
  if (all.length > 0) {
    for (const fault of all) terminal.say(`error: ${fault}`);
    terminal.say(`hint: ${terminal.command} task --help lists every option with its values`);
    return EXIT.use;
  }
  try {
    runTaskProcess(request, process.env);
    return EXIT.done;
  } catch (error) {
    const code = reportFailure(error, terminal, flags.verbose === true, 'task');
    return closedCode(error) ?? code;
  }
}
