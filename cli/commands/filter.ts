/**
 * `mr-minhash filter`: reads JSON lines, and passes on the records that are not near-duplicates of earlier ones.
 *
 * The coordinator decides; this file has the flags, the files of --dropped and --counts, and the messages.
 */
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { Forgotten } from '../../src/coordinator/filter/documentFilter.js';
import { checkFilter, type FilterSetup } from '../../src/coordinator/filter/filterOptions.js';
import { type StreamCounts, StreamFilter } from '../../src/coordinator/filter/filterStream.js';
import { ERRORS } from '../../src/errors.js';
import { shownValue } from '../../src/options/values.js';
import { bytesText, counted, grouped } from '../../src/result/wording/amounts.js';
import {
  inputProblem,
  isReplacedFile,
  namedFileProblem,
  openNamedFile,
  writeNamedFile,
} from '../../src/store/namedFile.js';
import { type CommandContext, Problems, reporting } from '../command.js';
import { FILTER_FLAGS } from '../commandTable.js';
import { EXIT, reportFailure } from '../exit.js';
import { optionsFromFlags, type ParsedFlags } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import { createProgressDisplay } from '../show/progress.js';

/** The checked flags; null if not set. */
interface FilterRequest {
  readonly setup: FilterSetup;
  readonly dropped: string | null;
  readonly counts: string | null;
  readonly quiet: boolean;
  readonly failOnDuplicates: boolean;
}

interface FilterContext extends CommandContext {
  readonly stdin: NodeJS.ReadableStream;
}

/** Checks the command line before a line is read. @throws MinHashError with all usage errors */
async function readFilterRequest(
  words: readonly string[],
  flags: ParsedFlags,
  problems: Problems,
): Promise<FilterRequest> {
  const { say } = problems;
  const stray = words.find((word) => word !== '-');
  if (stray !== undefined)
    say(
      `${shownValue(stray)}: expected JSON lines on standard input (< FILE); use --against PATH to compare with other documents`,
    );
  const {
    force,
    quiet = false,
    failOnDuplicates = false,
    verbose: _,
    ...rules
  } = optionsFromFlags(flags, {
    append: FILTER_FLAGS.append,
    portion: FILTER_FLAGS.portion,
  });
  const against = flags.against as readonly string[] | undefined;
  const { index, append, portion } = flags;
  if (append === true && typeof portion !== 'string')
    say('--append: expected together with --portion NAME, a name for the added documents');
  if (append !== true && portion !== undefined) say('--portion: expected together with --append only');
  const checked = await checkFilter({
    ...{ ...rules, ...(against !== undefined && { against }) },
    ...(typeof index === 'string' && { index }),
    ...(append === true && { appendAs: String(portion) }),
  });
  problems.add(checked.problems);
  const fileOf = (key: 'dropped' | 'counts'): string | null =>
    typeof flags[key] === 'string' ? flags[key] : null;
  const [dropped, counts] = [fileOf('dropped'), fileOf('counts')];
  for (const [name, file] of Object.entries({ dropped, counts })) {
    const whyKept = (name: string) =>
      force === true
        ? inputProblem(name, against ?? [])
        : 'the file exists; choose another name, or replace it with --force';
    const isStdout = file === '-' ? 'expected a file name: standard output has the kept records' : null;
    const problem = file === null ? null : (isStdout ?? namedFileProblem(file, whyKept));
    if (problem !== null) say(`--${name} ${shownValue(file)}: ${problem}`);
  }
  const isOneFile = dropped !== null && counts !== null && resolve(dropped) === resolve(counts);
  if (isOneFile && namedFileProblem(dropped, () => null) === null && isReplacedFile(dropped))
    say('--dropped --counts: expected two files, got one name');
  if (force === true && dropped === null && counts === null)
    say('--force: expected together with --dropped or --counts only');
  problems.refuse();
  return { setup: checked.setup, dropped, counts, quiet, failOnDuplicates };
}

export const filterCommand = reporting('filter', async (words, flags, context: FilterContext) => {
  const request = await readFilterRequest(words, flags, new Problems(context));
  return filterInto(request, context, flags.verbose === true);
});

/** Filters the stream, and completes the files of --dropped and --counts, after an error too. */
async function filterInto(
  request: FilterRequest,
  { terminal, stdin }: FilterContext,
  verbose: boolean,
): Promise<number> {
  const { setup, quiet } = request;
  const dropped = request.dropped === null ? null : openNamedFile(request.dropped);
  const interrupt = listenForInterrupt(() => {});
  const progress = createProgressDisplay(terminal, quiet);
  const reported = { forgotten: false };
  const filter = new StreamFilter(setup, {
    pass: (lines) => terminal.passOn(lines),
    rows: (rows) => dropped?.append(rows),
    onProgress: progress.update,
    onForgotten: (forgotten) => {
      if (!reported.forgotten && !quiet) terminal.say(forgottenLine(forgotten));
      reported.forgotten = true;
    },
    signal: interrupt.signal,
  });
  let code: number = EXIT.done;
  let complete = false;
  try {
    // process.stdin is a Readable; tests pass another stream.
    complete = await filter.run(stdin as Readable);
  } catch (error) {
    progress.end();
    const isStopped = interrupt.signal.aborted;
    code = isStopped ? EXIT.interrupted : reportFailure(error, terminal, verbose, 'filter');
  } finally {
    interrupt.release();
  }
  progress.end();
  const { counts } = filter;
  if (dropped?.isOpen === true) dropped.close();
  if (request.counts !== null) writeCounts(request.counts, counts, complete);
  if (!quiet) terminal.say((code === EXIT.interrupted ? 'interrupted: ' : '') + summaryOf(counts));
  return code === EXIT.done && request.failOnDuplicates && counts.duplicates > 0 ? EXIT.duplicates : code;
}

/** Writes the file of counts. `complete`: whether the stream was read to its end. */
function writeCounts(path: string, counts: StreamCounts, complete: boolean): void {
  const text = `${JSON.stringify({ complete, ...counts }, null, 2)}\n`;
  writeNamedFile(path, new TextEncoder().encode(text));
}

function forgottenLine({ documents, memory }: Forgotten): string {
  return (
    `memory is full: new records are not compared with the first ${counted(documents, 'kept document')}, and soon not with more of them; ` +
    `--memory ${Math.ceil(memory / 1e6)}MB has room for all so far`
  );
}

function summaryOf(counts: StreamCounts): string {
  const { records, passed, identical, same_tokens, near, empty, repaired, capped, forgotten } = counts;
  const asText = counts.against?.as_text ?? 0;
  const others = Object.values(counts.not_compared).reduce((sum, count) => sum + count, 0);
  const codes = Object.entries(counts.not_compared).map(([code, count]) => `${grouped(count)} ${code}`);
  const kinds: readonly (readonly [count: number, text: string])[] = [
    [identical, 'identical'],
    [same_tokens, 'with the same tokens'],
    [near, 'near'],
  ];
  const reasons = kinds
    .flatMap(([count, text]) => (count === 0 ? [] : [`${grouped(count)} ${text}`]))
    .join(', ');
  const parts = [
    `passed ${grouped(passed)} of ${counted(records, 'record')}, ${bytesText(counts.passed_bytes)} of ${bytesText(counts.bytes)}`,
    `dropped ${grouped(counts.duplicates)}${reasons === '' ? '' : `: ${reasons}`}`,
    ...(others > 0 ? [`${grouped(others)} passed without comparison: ${codes.join(', ')}`] : []),
    ...(empty > 0 ? [`${grouped(empty)} without tokens passed`] : []),
    ...(repaired > 0 ? [`${grouped(repaired)} read with U+FFFD in place of invalid UTF-8`] : []),
    ...(capped > 0 ? [`${grouped(capped)} were compared with only some documents of a large bucket`] : []),
    ...(counts.appended === null || counts.appended === 0
      ? []
      : [`${counted(counts.appended, 'document')} added to the index`]),
    ...(counts.unverified === null ? [] : [`warning: ${counts.unverified}`]),
    ...(forgotten > 0
      ? [`${grouped(forgotten)} kept documents were forgotten, because memory was full`]
      : []),
    ...(asText > 0 ? [`${counted(asText, 'document')} of --against ${ERRORS.RECORDS_AS_TEXT.text}`] : []),
  ];
  return parts.join('; ');
}
