/**
 * `mr-minhash apply`: writes the corpus of a finished result without the documents of its drop list.
 *
 * The coordinator does the work; this file has the flags and the messages.
 */
import { applyResult } from '../../src/coordinator/apply/apply.js';
import { type ApplyOptions, checkApply } from '../../src/coordinator/apply/applyOptions.js';
import { APPLY_OPTIONS } from '../../src/options/resultOptions.js';
import { type CommandContext, Problems, reporting } from '../command.js';
import { EXIT } from '../exit.js';
import { valuesOf } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import { appliedLines } from '../show/applied.js';
import { createProgressDisplay } from '../show/progress.js';

/** Thrown to stop listing locations after standard output was closed. */
const NOBODY_READS = new Error('standard output is closed');

export const applyCommand = reporting('apply', async (words, flags, context: CommandContext) => {
  const { terminal } = context;
  const problems = new Problems(context);
  const folder = problems.folder(words, flags);
  const options = valuesOf(APPLY_OPTIONS, flags) as ApplyOptions;
  problems.add(checkApply(options));
  if (options.list !== undefined && flags.json === true)
    problems.say('--json: expected without --list, which prints locations');
  problems.refuse();
  const quiet = flags.quiet === true;
  const progress = createProgressDisplay(terminal, quiet || options.list !== undefined);
  const interrupt = listenForInterrupt(() => {});
  try {
    const report = await applyResult(folder, options, {
      onProgress: progress.update,
      onList: async (lines) => {
        if (!(await terminal.passOn(lines))) throw NOBODY_READS;
      },
      signal: interrupt.signal,
    });
    progress.end();
    if (report === null) return EXIT.done;
    if (flags.json === true) terminal.printJson(report);
    else if (!quiet) for (const line of appliedLines(report, options.link === true)) terminal.print(line);
    return EXIT.done;
  } catch (error) {
    progress.end();
    if (error === NOBODY_READS) return EXIT.done;
    if (!interrupt.signal.aborted) throw error;
    terminal.say('interrupted: nothing was written; the same command starts over');
    return EXIT.interrupted;
  } finally {
    interrupt.release();
  }
});
