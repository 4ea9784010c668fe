/**
 * `mr-minhash run`: options, then the run, then the summary.
 *
 * Floor 5. The algorithm is behind the library; here are only what goes in, what is shown, and the exit code.
 */
import { existsSync } from 'node:fs';
import { type Fault, MinHashError } from '../src/errors.js';
import { effectiveOptions, readConfigFile } from '../src/options/configFile.js';
import { checkOptions, type OptionFault, type Resolved, type RunOptions } from '../src/options.js';
import { EXIT, reportFailure } from './failure.js';
import { optionsFromFlags, type ParsedFlags } from './flags.js';
import { listenForInterrupt } from './interrupt.js';
import type { ReportCounts, RunLibrary } from './library.js';
import { dryRunLines, planLines } from './planText.js';
import { createProgressDisplay } from './progress.js';
import type { Terminal } from './terminal.js';

export interface RunContext<Report extends ReportCounts> {
  readonly terminal: Terminal;
  /** Loads the library; called only once the options are known to be good. */
  readonly loadLibrary: () => Promise<RunLibrary<Report>>;
  readonly stdin: NodeJS.ReadableStream;
  /** What is wrong with PATHs and output folder; asked together with the options, so that all faults come at once. */
  readonly checkPlaces?: (execution: Resolved['execution']) => readonly Fault[];
}

/** Runs the command and returns the exit code; errors are reported here. */
export async function runCommand<Report extends ReportCounts>(
  paths: readonly string[],
  flags: ParsedFlags,
  context: RunContext<Report>,
): Promise<number> {
  const { terminal } = context;
  try {
    const { options, resolved } = readOptions(paths, flags, context.checkPlaces);
    if (flags.printConfig === true) {
      terminal.printPretty(effectiveOptions(options, resolved));
      return EXIT.done;
    }
    const library = await context.loadLibrary();
    if (resolved.execution.dryRun) return await dryRun(options, resolved, library, terminal);
    return await realRun(options, resolved, library, context);
  } catch (error) {
    return reportFailure(error, terminal, flags.verbose === true);
  }
}

/**
 * The options of the config file with those of the command line over them.
 *
 * @throws MinHashError with all faults; what comes from the config file names it
 */
function readOptions(
  paths: readonly string[],
  flags: ParsedFlags,
  checkPlaces: RunContext<ReportCounts>['checkPlaces'],
): { options: RunOptions; resolved: Resolved } {
  const given: RunOptions = { ...optionsFromFlags(flags), ...(paths.length > 0 ? { paths } : {}) };
  const faults: OptionFault[] = [];
  let config: RunOptions = {};
  if (typeof flags.config === 'string') {
    try {
      config = readConfigFile(flags.config);
    } catch (error) {
      if (!(error instanceof MinHashError)) throw error;
      faults.push(...error.faults.map((fault) => ({ ...fault, option: 'config' })));
    }
  }
  const options = { ...config, ...given };
  const checked = checkOptions(options);
  for (const fault of checked.faults) {
    // A config without paths is as good to print as any: the paths come with the next command line.
    if (fault.code === 'NO_INPUT' && flags.printConfig === true) continue;
    const key = fault.option ?? '';
    const fromConfig = Object.hasOwn(config, key) && !Object.hasOwn(given, key) && fault.detail !== '';
    faults.push(fromConfig ? { ...fault, detail: `${flags.config}: ${fault.detail}` } : fault);
  }
  if (flags.printConfig !== true) {
    const places = checkPlaces?.(checked.resolved.execution) ?? [];
    faults.push(...places.map((fault) => ({ ...fault, option: null })));
  }
  if (faults.length > 0) throw new MinHashError(faults);
  return { options, resolved: checked.resolved };
}

async function dryRun<Report extends ReportCounts>(
  options: RunOptions,
  resolved: Resolved,
  library: RunLibrary<Report>,
  terminal: Terminal,
): Promise<number> {
  const plan = await library.plan(options);
  if (resolved.execution.json) terminal.printJson(plan);
  else for (const line of dryRunLines(plan)) terminal.print(line);
  return EXIT.done;
}

async function realRun<Report extends ReportCounts>(
  options: RunOptions,
  resolved: Resolved,
  library: RunLibrary<Report>,
  context: RunContext<Report>,
): Promise<number> {
  const { terminal } = context;
  const { execution } = resolved;
  const progress = createProgressDisplay(terminal, execution.quiet);
  const interrupt = listenForInterrupt(() => terminal.say('stopping; interrupt again to stop at once'));
  try {
    if (execution.verbose) for (const line of planLines(await library.plan(options))) terminal.say(line);
    const report = await library.run(options, {
      onProgress: progress.update,
      signal: interrupt.signal,
      ...(execution.paths.includes('-') ? { stdin: context.stdin } : {}),
    });
    progress.end();
    if (execution.json) terminal.printJson(report);
    else if (!execution.quiet) for (const line of library.summaryLines(report)) terminal.print(line);
    const accepted = report.counts.verified_pairs + report.counts.identical_pairs;
    return execution.failOnDuplicates && accepted > 0 ? EXIT.duplicates : EXIT.done;
  } catch (error) {
    progress.end();
    if (!interrupt.signal.aborted) throw error;
    return reportInterrupt(error, execution.out, execution.verbose, terminal);
  } finally {
    interrupt.release();
  }
}

/**
 * Whatever error the interrupt led to, the user asked for the end; other errors than the expected are for
 * --verbose.
 */
function reportInterrupt(error: unknown, out: string, verbose: boolean, terminal: Terminal): number {
  const expected =
    error instanceof Error && (error.name === 'AbortError' || (error as MinHashError).code === 'INTERRUPTED');
  if (verbose && !expected) reportFailure(error, terminal, true);
  if (existsSync(out)) {
    terminal.say(`interrupted: ${out} holds an unfinished run`);
    terminal.say('hint: the same command with --force starts over');
  } else {
    terminal.say('interrupted: nothing was written');
  }
  return EXIT.interrupted;
}
