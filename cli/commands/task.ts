/**
 * `mr-minhash task`: runs one Map or Reduce task of an engine, over descriptors 0 and 1.
 *
 * It does the same as the program that is shipped to the machines of an engine (src/tasks/process/taskEntry.ts).
 */
import { closedCode, runTaskProcess, taskRequest } from '../../src/tasks/process/taskProcess.js';
import { type CommandContext, Faults, reporting } from '../command.js';
import { EXIT, reportFailure } from '../exit.js';

export const taskCommand = reporting('task', (words, flags, context: CommandContext) => {
  const { request, faults } = taskRequest(words, flags);
  const all = new Faults(context);
  // For a flag without its value one fault is enough.
  const told = (context.wordFaults ?? []).map(({ option }) => `--${option}`);
  for (const fault of faults) if (!told.some((flag) => fault.startsWith(flag))) all.say(fault);
  all.refuse();
  try {
    runTaskProcess(request, process.env);
    return EXIT.done;
  } catch (error) {
    const code = reportFailure(error, context.terminal, flags.verbose === true, 'task');
    return closedCode(error) ?? code;
  }
});
