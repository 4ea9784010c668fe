/**
 * `mr-minhash query`: finds the documents of a corpus that resemble a base, contain it or are contained in it.
 *
 * The library searches; this file has the flags, reads the bases, and prints the answers.
 */

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methodMeasures } from '../../src/analysis/methods/table.js';
import { type IndexRead, queryIndex, queryProblems } from '../../src/coordinator/index/queryIndex.js';
import { checkQueryOptions, type ResolvedQuery } from '../../src/coordinator/query/checkQuery.js';
import { type QueryBase, type QueryRead, query } from '../../src/coordinator/query/query.js';
import { ERRORS, type ErrorCode, MinHashError, type Problem } from '../../src/errors.js';
import { isIndex } from '../../src/index/indexManifest.js';
import { LARGEST_LIST, readOptionFile } from '../../src/options/optionFile.js';
import { QUERY_OPTIONS, type QueryOptions } from '../../src/options/queryOptions.js';
import { shownValue } from '../../src/options/values.js';
import { binaryOf, idText } from '../../src/readers/list/pathIds.js';
import { resolveRoots } from '../../src/readers/list/roots.js';
import { bytesText, counted } from '../../src/result/wording/amounts.js';
import { temporaryFolder } from '../../src/store/files.js';
import { createShingleStream } from '../../src/text/shingles.js';
import { type ArgumentText, fileProblems, readFiles } from '../argumentFiles.js';
import { type CommandContext, Problems, reporting } from '../command.js';
import { QUERY_OWN } from '../commandTable.js';
import { EXIT } from '../exit.js';
import { optionsFromFlags, type ParsedFlags, valuesOf } from '../flags.js';
import { listenForInterrupt } from '../interrupt.js';
import { type AnswerFormat, type Shown, showAnswer, showHeader } from '../show/answers.js';
import { createProgressDisplay } from '../show/progress.js';

interface QueryContext extends CommandContext {
  readonly stdin: NodeJS.ReadableStream;
  /** The search; tests replace it. */
  readonly search?: typeof query;
}

/** The checked flags. */
interface QueryRequest {
  /** As typed; `-` is standard input. */
  readonly bases: readonly string[];
  readonly isListed: boolean;
  readonly paths: readonly string[];
  readonly options: QueryOptions;
  readonly resolved: ResolvedQuery;
  readonly format: AnswerFormat | null;
  /** The folder of the index to search; null: PATHs are searched. */
  readonly index: string | null;
}

export const queryCommand = reporting('query', async (words, flags, context: QueryContext) => {
  const { terminal } = context;
  const interrupt = listenForInterrupt(() => terminal.say('stopping; interrupt again to stop at once'));
  try {
    const request = await readRequest(words, flags, new Problems(context));
    const bases = await readBases(request, context);
    const count = await (request.index === null
      ? answer(request, bases, flags, context, interrupt.signal)
      : answerFromIndex(request, request.index, bases, flags, context));
    return flags.failOnMatch === true && count > 0 ? EXIT.duplicates : EXIT.done;
  } catch (error) {
    terminal.status('');
    if (!interrupt.signal.aborted) throw error;
    terminal.say('interrupted: answers are complete only after all input is read');
    return EXIT.interrupted;
  } finally {
    interrupt.release();
  }
});

/** Checks everything that can be checked before a text is read. @throws MinHashError with all usage errors */
async function readRequest(
  words: readonly string[],
  flags: ParsedFlags,
  problems: Problems,
): Promise<QueryRequest> {
  const { say } = problems;
  const { format = null, baseList } = problems.values(QUERY_OWN, flags);
  const listed = baseList === undefined ? null : basesIn(baseList, say);
  const [base, ...others] = words;
  const bases = listed ?? (base === undefined ? [] : [base]);
  const paths = listed === null ? others : words;
  if (listed === null && base === undefined)
    say('BASE PATH...: expected a document, and files or an index to search');
  else if (paths.length === 0) say('PATH...: expected at least one file or directory to search');
  const { quiet: _, verbose: __, ...shared } = optionsFromFlags(flags);
  const options = { ...shared, ...valuesOf(QUERY_OPTIONS, flags) } as QueryOptions;
  const { resolved, problems: optionProblems } = checkQueryOptions({ ...options, paths });
  problems.add(optionProblems);
  const index = paths.find(isIndex) ?? null;
  if (index !== null && optionProblems.length === 0) problems.add(queryProblems(index, options));
  if (index !== null && paths.length > 1)
    say(`${paths.map(shownValue).join(' ')}: expected one index, or files and directories`);
  if (bases.includes('-') && paths.includes('-')) {
    say('-: standard input is either the base or the corpus');
  }
  problems.add(await baseProblems(bases, baseList ?? null));
  if (paths.length > 0 && index === null) problems.add(resolveRoots(paths, null).problems);
  problems.refuse();
  return { bases, paths, options, resolved, isListed: listed !== null, format, index };
}

/** Errors of bases that are reported one by one: a file that is not a list of file names has one per line. */
const MOST_PROBLEMS = 5;

/** @param list the file that lists the bases; null: they are on the command line */
async function baseProblems(bases: readonly string[], list: string | null): Promise<Problem[]> {
  const problems = await fileProblems(bases, { stdin: null, folder: () => ', the document to search for' });
  if (list === null) return problems;
  const reported = problems
    .slice(0, MOST_PROBLEMS)
    .map((problem) => ({ ...problem, detail: `${problem.detail} (a base of ${shownValue(list)})` }));
  const more = problems.length - reported.length;
  if (more === 0) return reported;
  const detail = `--base-list ${shownValue(list)}: ${counted(more, 'more line')} that is not the name of a file`;
  return [...reported, { code: 'OPTION_INVALID', detail }];
}

/** The file names in a list, one per line; blank lines are ignored. */
function basesIn(file: string, say: (detail: string) => unknown): string[] {
  const read = readOptionFile(file, LARGEST_LIST);
  if ('problem' in read) {
    say(`--base-list ${shownValue(file)}: ${read.problem}`);
    return [];
  }
  const names = read.text.split(/\r?\n/).filter((name) => name.trim() !== '');
  if (names.length === 0) say(`--base-list ${shownValue(file)}: expected one file name per line`);
  return names;
}

/** Reads the bases. @throws MinHashError, as a usage error, with an error for each base that cannot be read */
async function readBases(
  { bases, resolved }: QueryRequest,
  { stdin }: QueryContext,
): Promise<ArgumentText[]> {
  const problems: Problem[] = [];
  const texts: ArgumentText[] = [];
  for (const name of bases) {
    const read = name === '-' ? await readPiped(stdin, resolved) : await readFiles([name], resolved.params);
    for (const text of read) {
      if ('code' in text) problems.push({ ...text, ...(name === '-' ? { detail: '-' } : {}) });
      else texts.push({ id: binaryOf(name), text: text.text });
    }
  }
  if (problems.length > 0) throw new MinHashError(problems);
  return texts;
}

/** Standard input as one text, by way of a file, so that its format and encoding are detected as for any other base. */
async function readPiped(
  stdin: NodeJS.ReadableStream,
  { params }: ResolvedQuery,
): Promise<(ArgumentText | Problem)[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stdin) pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece);
  const bytes = Buffer.concat(pieces);
  const folder = temporaryFolder('query');
  try {
    const file = join(folder, bytes[0] === 0x1f && bytes[1] === 0x8b ? 'base.gz' : 'base');
    writeFileSync(file, bytes);
    return await readFiles([file], params);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints the answers as the library finds them; returns their number. */
async function answer(
  request: QueryRequest,
  texts: readonly ArgumentText[],
  flags: ParsedFlags,
  { terminal, stdin, search = query }: QueryContext,
  signal: AbortSignal,
): Promise<number> {
  const { bases, paths, options, resolved } = request;
  const quiet = flags.quiet === true;
  const queryBases = texts.map(
    ({ text }, i): QueryBase => (bases[i] === '-' ? text : { text, path: bases[i]! }),
  );
  const shown = shownOf(request, texts, methodMeasures(resolved.method));
  if (!quiet) for (const line of shortBases(request, texts)) terminal.say(line);
  const progress = createProgressDisplay(terminal, quiet);
  let count = 0;
  let read: QueryRead | null = null;
  const answers = search(queryBases, { paths }, options, {
    signal,
    onProgress: progress.update,
    onRead: (counts) => {
      read = counts;
      progress.end();
      showHeader(shown, terminal);
    },
    ...(flags.verbose === true ? { onSkipped: (place, code) => terminal.say(skippedLine(place, code)) } : {}),
    ...(paths.includes('-') ? { stdin: stdin as AsyncIterable<Uint8Array> } : {}),
  });
  for await (const answer of answers) {
    count++;
    showAnswer(answer, shown, terminal);
  }
  if (!quiet && read !== null) for (const line of summary(read, count, request)) terminal.say(line);
  return count;
}

/** Warnings about bases shorter than a shingle: the whole text is their only shingle, so only equal texts match. */
function shortBases(
  { bases, resolved: { method, params } }: QueryRequest,
  texts: readonly ArgumentText[],
): string[] {
  const { shingle } = params;
  if (!['resemblance', 'containment'].includes(method) || !['words', 'chars', 'bytes'].includes(shingle.unit))
    return [];
  const stream = createShingleStream(shingle, () => {});
  return texts.flatMap(({ text }, i) => {
    stream.whole(text);
    const { tokens } = stream;
    if (tokens === 0 || tokens >= shingle.size) return [];
    return [
      `warning: ${bases[i]} has ${counted(tokens, shingle.unit.slice(0, -1))}, fewer than a shingle of ` +
        `${shingle.size}, so only an equal text can match: --shingle ${shingle.unit}:${tokens}`,
    ];
  });
}

/** Prints the answers of an index; returns their number. */
async function answerFromIndex(
  request: QueryRequest,
  folder: string,
  texts: readonly ArgumentText[],
  flags: ParsedFlags,
  { terminal }: QueryContext,
): Promise<number> {
  const shown = { ...shownOf(request, texts, methodMeasures('resemblance')), portions: true };
  let count = 0;
  let read: IndexRead | null = null;
  showHeader(shown, terminal);
  const bases = texts.map(({ text }) => text);
  const answers = queryIndex(bases, folder, request.options, (counts) => {
    read = counts;
  });
  for await (const answer of answers) {
    count++;
    showAnswer(answer, shown, terminal);
  }
  if (flags.quiet !== true && read !== null)
    for (const line of indexSummary(read, count, request.bases)) terminal.say(line);
  return count;
}

function indexSummary(
  { documents, barren, capped, unverified }: IndexRead,
  count: number,
  bases: readonly string[],
): string[] {
  return [
    ...barren.map((base) => `${bases[base]}: nothing can match it: it has no words`),
    `${counted(count, 'answer')} in an index of ${counted(documents, 'document')}`,
    ...(capped > 0
      ? [`${counted(capped, 'base')} shared a bucket of which only the first members were compared`]
      : []),
    ...(unverified === null ? [] : [`warning: ${unverified}`]),
  ];
}

function shownOf(
  { format, isListed, resolved: { explain } }: QueryRequest,
  texts: readonly ArgumentText[],
  measures: Shown['measures'],
): Shown {
  return {
    format: format ?? 'tsv',
    bases: isListed ? texts.map(({ id }) => idText(id)) : null,
    measures,
    explain,
    passageRows: explain && format !== null && format !== 'jsonl',
  };
}

function skippedLine(place: string, code: ErrorCode): string {
  return `not read: ${place}: ${ERRORS[code].text}`;
}

/** Prints the summary to stderr, so that stdout has rows only. */
function summary(
  { documents, bytes, matches, skipped, asText, barren }: QueryRead,
  count: number,
  { bases, resolved: { method, threshold, top } }: QueryRequest,
): string[] {
  const all = `${counted(documents, 'document')} (${bytesText(bytes)})`;
  const among = count < matches ? ` of ${counted(matches, 'match', 'matches')}` : '';
  const most = top !== null && count >= top ? `, the best (--top ${top})` : '';
  const reasons = Object.entries(skipped).map(
    ([code, times]) => `${times} ${code}, ${ERRORS[code as ErrorCode].text}`,
  );
  return [
    ...barren.map(
      (base) => `${bases[base]}: nothing can match it: it has no words, or too few for ${method}`,
    ),
    `${counted(count, 'answer')}${among}${most} in ${all}; method ${method}, threshold ${threshold}`,
    ...(asText > 0 ? [`${counted(asText, 'document')} ${ERRORS.RECORDS_AS_TEXT.text}`] : []),
    ...(reasons.length > 0 ? [`not read: ${reasons.join('; ')} (--verbose lists them)`] : []),
  ];
}
