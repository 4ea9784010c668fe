/**
 * `mr-minhash run`: checks the options, runs, and prints the summary.
 *
 * The algorithm is in the library; this file has the command's input, messages and exit code.
 */

import { setFlagsFromString } from 'node:v8';
import { checkRunOptions, placeProblemsBeside } from '../../src/coordinator/start/checked.js';
import { MinHashError, type Problem } from '../../src/errors.js';
import type { ApplyReport, Plan, Report, RunHooks } from '../../src/index.js';
import {
  checkEachOption,
  type OptionProblem,
  type Resolved,
  type RunOptions,
} from '../../src/options/check.js';
import { effectiveOptions, readConfigFile } from '../../src/options/configFile.js';
import { presetText } from '../../src/options/presets.js';
import { lackOfResult } from '../../src/result/fileNames.js';
import { hasWork } from '../../src/result/folder.js';
import { acceptedPairs } from '../../src/result/manifest.js';
import type { CommandContext } from '../command.js';
import { EXIT, reportFailure } from '../exit.js';
import { optionsFromFlags, type ParsedFlags } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import { dryRunLines, planLines } from '../show/plan.js';
import { createProgressDisplay } from '../show/progress.js';
import type { Terminal } from '../terminal.js';

/** The part of a report that decides the exit code. */
export interface ReportCounts {
  readonly counts: Pick<Report['counts'], 'verified_pairs' | 'identical_pairs' | 'same_tokens_pairs'>;
  readonly applied?: ApplyReport;
}

/** The functions of the library that the command uses. */
export interface RunLibrary {
  run(options: RunOptions, hooks?: RunHooks): Promise<ReportCounts>;
  plan(options: RunOptions): Promise<Plan>;
  /** The statements of a run on Spark. */
  statements(options: RunOptions): Promise<string>;
  summaryLines(report: ReportCounts, command?: string): readonly string[] | Promise<readonly string[]>;
  /** All that the run counted, for `--verbose`. */
  detailLines?(report: ReportCounts): Promise<readonly string[]>;
}

interface RunContext extends CommandContext {
  readonly stdin: NodeJS.ReadableStream;
  /** Called only if the options are valid. Tests replace the library. */
  readonly loadLibrary?: () => Promise<RunLibrary>;
  /** Checks PATHs and output folder, so that their errors are reported together with those of the options. */
  readonly checkPlaces?: (execution: Resolved['execution']) => Promise<readonly Problem[]>;
}

/** Loads the part of the library that a run needs; workers start before the rest of it is loaded. */
async function loadRun(): Promise<RunLibrary> {
  const { run } = await import('../../src/coordinator/run.js');
  return {
    run,
    plan: async (...parameters) =>
      (await import('../../src/coordinator/planning/plan.js')).plan(...parameters),
    statements: async (options) => {
      const [{ check }, { sparkStatements }] = await Promise.all([
        import('../../src/coordinator/start/checked.js'),
        import('../../src/coordinator/sparkRun.js'),
      ]);
      return sparkStatements(await check(options));
    },
    summaryLines: async (report: Report, command) =>
      (await import('../../src/result/summary.js')).summaryLines(report, command),
    detailLines: async (report: Report) => (await import('../../src/result/details.js')).detailLines(report),
  };
}

/**
 * V8 flags for the whole process, which only the program may set. Each thread compiles its own code, much of it for work of a few
 * milliseconds. With V8's defaults (67,584; 920 bytes of bytecode) compilation takes a sixth of the processor time of a run over
 * 100,000 files.
 */
const LESS_COMPILED = '--interrupt-budget=270336 --max-inlined-bytecode-size-cumulative=300';

/** Runs the command and returns the exit code; errors are reported here. */
export async function runCommand(
  paths: readonly string[],
  flags: ParsedFlags,
  context: RunContext,
): Promise<number> {
  const { terminal } = context;
  try {
    const { options, resolved } = await readOptions(paths, flags, context);
    if (flags.printConfig === true) {
      terminal.printPretty(effectiveOptions(options, resolved));
      return EXIT.done;
    }
    if (options.preset !== undefined && options.quiet !== true) {
      const effect = presetText(options.preset, options) || 'no effect, because all of its options are set';
      terminal.say(`--preset ${options.preset}: ${effect}`);
    }
    setFlagsFromString(LESS_COMPILED);
    const library = await (context.loadLibrary ?? loadRun)();
    if (resolved.execution.dryRun) return await dryRun(options, resolved, library, terminal);
    return await realRun(options, resolved, library, context);
  } catch (error) {
    return reportFailure(error, terminal, flags.verbose === true);
  }
}

/**
 * The options of the config file, overridden by those of the command line.
 *
 * @throws MinHashError with all usage errors; those of the config file begin with its name
 */
async function readOptions(
  paths: readonly string[],
  flags: ParsedFlags,
  context: Pick<RunContext, 'checkPlaces' | 'wordProblems'>,
): Promise<{ options: RunOptions; resolved: Resolved }> {
  const typed: RunOptions = { ...optionsFromFlags(flags), ...(paths.length > 0 ? { paths } : {}) };
  const problems: OptionProblem[] = (context.wordProblems ?? []).map((problem) => ({
    ...problem,
    code: 'OPTION_INVALID',
  }));
  const config = typeof flags.config === 'string' ? configOptions(flags.config, problems) : {};
  const options = { ...config, ...typed };
  const checked = await checkRunOptions(options);
  const fromConfig = configProblems(config, typed, checked.problems);
  problems.push(
    ...fromConfig.map((problem) => ({ ...problem, detail: `${flags.config}: ${problem.detail}` })),
  );
  problems.push(...checked.problems.filter((problem) => !fromConfig.includes(problem)));
  const { execution } = checked.resolved;
  // A config without paths can be printed: PATHs are added on the next command line.
  const isPrinted = flags.printConfig === true;
  if (!isPrinted) problems.push(...(await placeProblemsBeside(problems, execution, context.checkPlaces)));
  if (problems.length > 0) throw new MinHashError(problems);
  return { options, resolved: checked.resolved };
}

/** The options of a config file; if it cannot be used there are none, and an error is added to `problems`. */
function configOptions(file: string, problems: OptionProblem[]): RunOptions {
  try {
    return readConfigFile(file);
  } catch (error) {
    if (!(error instanceof MinHashError)) throw error;
    problems.push(...error.problems.map((problem) => ({ ...problem, option: 'config' })));
    return {};
  }
}

/**
 * The errors of the config file: those of `problems` about options that only the file sets, and those of values that the command line
 * overrides.
 */
function configProblems(
  config: RunOptions,
  typed: RunOptions,
  problems: readonly OptionProblem[],
): readonly OptionProblem[] {
  const isOverridden = (key: string): boolean => Object.hasOwn(typed, key);
  const overridden = Object.fromEntries(Object.entries(config).filter(([key]) => isOverridden(key)));
  const effective = problems.filter(({ option, detail }) => {
    return option !== null && detail !== '' && Object.hasOwn(config, option) && !isOverridden(option);
  });
  return [...effective, ...checkEachOption(overridden)];
}

async function dryRun(
  options: RunOptions,
  resolved: Resolved,
  library: RunLibrary,
  terminal: Terminal,
): Promise<number> {
  if (resolved.execution.spark !== null) {
    terminal.printText(await library.statements(options));
    return EXIT.done;
  }
  const plan = await library.plan(options);
  if (resolved.execution.json) terminal.printJson(plan);
  else for (const line of dryRunLines(plan)) terminal.print(line);
  return EXIT.done;
}

async function realRun(
  options: RunOptions,
  resolved: Resolved,
  library: RunLibrary,
  context: RunContext,
): Promise<number> {
  const { terminal } = context;
  const { execution } = resolved;
  const progress = createProgressDisplay(terminal, execution.quiet);
  const interrupt = listenForInterrupt(() => terminal.say('stopping; interrupt again to stop at once'));
  let isFound = false;
  try {
    if (execution.verbose) for (const line of planLines(await library.plan(options))) terminal.say(line);
    const report = await library.run(options, {
      onProgress: progress.update,
      onResult: () => {
        isFound = true;
      },
      onStartOver: (differences) => terminal.say(`note: --resume starts over: ${differences.join('; ')}`),
      signal: interrupt.signal,
      ...(execution.paths.includes('-') ? { stdin: context.stdin } : {}),
    });
    progress.end();
    if (execution.json) terminal.printJson(report);
    else if (!execution.quiet)
      for (const line of await linesOf(report, library, terminal, execution.verbose)) terminal.print(line);
    return execution.failOnDuplicates && acceptedPairs(report.counts) > 0 ? EXIT.duplicates : EXIT.done;
  } catch (error) {
    progress.end();
    const isInterrupted = interrupt.signal.aborted;
    if (isFound) return await reportUnwritten(error, execution, isInterrupted, terminal);
    if (isInterrupted) return reportInterrupt(error, execution, terminal);
    return reportEnd(error, execution, terminal);
  } finally {
    interrupt.release();
  }
}

/** The summary, and the message about the written corpus. */
async function linesOf(
  report: ReportCounts,
  library: RunLibrary,
  { command }: Terminal,
  verbose: boolean,
): Promise<readonly string[]> {
  const details = verbose ? await library.detailLines?.(report) : undefined;
  const lines = [...(details ?? []), ...(await library.summaryLines(report, command))];
  if (report.applied === undefined) return lines;
  const { appliedLines } = await import('../show/applied.js');
  return [...lines, '', ...appliedLines(report.applied)];
}

/** Prints how to continue a run that left files. */
function sayResume({ out, spark }: Resolved['execution'], terminal: Terminal): void {
  if (spark === null) {
    if (hasWork(out)) terminal.say('hint: run the same command with --resume to continue');
  } else if (spark.work !== null)
    terminal.say('hint: run the same command again: it uses the tables in --spark-work that are complete');
}

/** Reports why a run ended and what is left; returns the exit code. */
function reportEnd(error: unknown, execution: Resolved['execution'], terminal: Terminal): number {
  const { out, verbose } = execution;
  const code = reportFailure(error, terminal, verbose);
  if (!(error instanceof MinHashError) || code !== EXIT.failed) return code;
  if (lackOfResult(out) === null) {
    const way = error.code === 'DISK_FULL' ? '; delete it first if it may be removed' : '';
    terminal.say(`hint: ${out} still has the earlier result${way}`);
  }
  if (error.code !== 'SPARK_UNUSABLE') sayResume(execution, terminal);
  return code;
}

/** Reports that the result is complete, why the corpus is not written, and how to write it. */
async function reportUnwritten(
  error: unknown,
  { out, write, force, verbose }: Resolved['execution'],
  isInterrupted: boolean,
  terminal: Terminal,
): Promise<number> {
  const { shellPath } = await import('../../src/options/shellWord.js');
  const state = `${out} has the complete result; the corpus is not written`;
  const to = `${shellPath(write!)}${force ? ' --force' : ''}`;
  const goOn = `continue with: ${terminal.command} apply ${shellPath(out)} --to ${to}`;
  if (!isInterrupted) return reportFailure(error, terminal, verbose, 'apply', [state, goOn]);
  if (verbose && !isOfInterrupt(error)) reportFailure(error, terminal, true, 'apply', []);
  terminal.say(`interrupted: ${state}`);
  terminal.say(`hint: ${goOn}`);
  return EXIT.interrupted;
}

function isOfInterrupt(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === 'AbortError' || (error as MinHashError).code === 'INTERRUPTED')
  );
}

/**
 * Reports the end of an interrupted run, for any error that the interrupt caused. Unexpected errors are shown with --verbose only.
 */
function reportInterrupt(error: unknown, execution: Resolved['execution'], terminal: Terminal): number {
  const { out, verbose } = execution;
  if (verbose && !isOfInterrupt(error)) reportFailure(error, terminal, true);
  const isThere = lackOfResult(out) === null;
  terminal.say(`interrupted: nothing was written${isThere ? `; ${out} has the earlier result` : ''}`);
  sayResume(execution, terminal);
  return EXIT.interrupted;
}
