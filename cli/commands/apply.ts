/**
 * `mr-minhash apply`: a finished result, its drop list and its corpus in, the corpus without what was dropped out.
 *
 * What is done is the coordinator's; here are what is asked, and what is said.
 */
import type {
  ApplyHooks,
  ApplyOptions,
  ApplyReport,
  ListKind,
} from '../../src/coordinator/apply/applyOptions.js';
import { checkApply } from '../../src/coordinator/apply/applyOptions.js';
import { type Fault, MinHashError } from '../../src/errors.js';
import type { WordFault } from '../argv.js';
import { EXIT, reportFailure } from '../exit.js';
import { corpusOf, type ParsedFlags } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import { appliedLines } from '../show/applied.js';
import { createProgressDisplay } from '../show/progress.js';
import type { Terminal } from '../terminal.js';

interface ApplyContext {
  readonly terminal: Terminal;
  /** Loaded once the flags are known to be good. */
  readonly applyResult: (
    folder: string,
    options: ApplyOptions,
    hooks: ApplyHooks,
  ) => Promise<ApplyReport | null>;
  /** What was wrong with the words themselves. */
  readonly wordFaults?: readonly WordFault[];
}

interface ApplyRequest {
  readonly folder: string;
  readonly options: ApplyOptions;
  readonly json: boolean;
  readonly quiet: boolean;
}

const SWITCHES = ['dropped', 'annotate', 'keepEmpty', 'link', 'null', 'force'] as const;

/** @throws MinHashError with all faults */
function readApplyRequest(
  words: readonly string[],
  flags: ParsedFlags,
  wordFaults: readonly WordFault[],
): ApplyRequest {
  const faults: Fault[] = wordFaults.map(({ detail }) => ({ code: 'OPTION_INVALID', detail }));
  if (words.length !== 1) {
    const got = words.length === 0 ? 'none' : words.map((word) => JSON.stringify(word)).join(' ');
    const repeated =
      words.length > 1 && flags.corpus !== undefined
        ? '; --corpus takes one PATH, and is repeated for several: --corpus A --corpus B'
        : '';
    const detail = `DIR: expected one output folder of a run, got ${got}${repeated}`;
    faults.push({ code: 'OPTION_INVALID', detail });
  }
  const options: ApplyOptions = {
    ...Object.fromEntries(SWITCHES.filter((name) => flags[name] === true).map((name) => [name, true])),
    ...(typeof flags.to === 'string' && { to: flags.to }),
    ...corpusOf(flags),
    ...(typeof flags.decisions === 'string' && { decisions: flags.decisions }),
    ...(typeof flags.list === 'string' && { list: flags.list as ListKind }),
  };
  faults.push(...checkApply(options));
  if (options.list !== undefined && flags.json === true)
    faults.push({ code: 'OPTION_INVALID', detail: '--json: expected without --list, which prints places' });
  if (faults.length > 0) throw new MinHashError(faults);
  return { folder: words[0]!, options, json: flags.json === true, quiet: flags.quiet === true };
}

/** Runs the command and returns the exit code; errors are reported here. */
export async function applyCommand(
  words: readonly string[],
  flags: ParsedFlags,
  context: ApplyContext,
): Promise<number> {
  const { terminal } = context;
  const verbose = flags.verbose === true;
  try {
    const request = readApplyRequest(words, flags, context.wordFaults ?? []);
    return await applyRequest(request, context, verbose);
  } catch (error) {
    return reportFailure(error, terminal, verbose, 'apply');
  }
}

/** Ends the listing of places. */
const NOBODY_READS = new Error('standard output takes no more');

async function applyRequest(
  { folder, options, json, quiet }: ApplyRequest,
  { terminal, applyResult }: ApplyContext,
  verbose: boolean,
): Promise<number> {
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
    if (json) terminal.printJson(report);
    else if (!quiet) for (const line of appliedLines(report)) terminal.print(line);
    return EXIT.done;
  } catch (error) {
    progress.end();
    if (error === NOBODY_READS) return EXIT.done;
    if (!interrupt.signal.aborted) return reportFailure(error, terminal, verbose, 'apply');
    terminal.say('interrupted: nothing is written; the same command starts over');
    return EXIT.interrupted;
  } finally {
    interrupt.release();
  }
}
