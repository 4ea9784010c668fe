/**
 * `mr-minhash compare`: two documents by every measure.
 *
 * The library measures; this file has the flags, the reading of the two documents, and the tables.
 */

import { CorpusWords, compareBy, type MethodComparison } from '../../src/analysis/compare/byMethod.js';
import {
  type Comparison,
  compareTexts,
  explainTexts,
  MOST_EXPLAINED_BYTES,
} from '../../src/analysis/compare/compare.js';
import type { ShingleLists } from '../../src/analysis/compare/shingleTexts.js';
import { METHOD_NAMES, type MethodName } from '../../src/analysis/methods/method.js';
import { methodNamed } from '../../src/analysis/methods/table.js';
import { type ErrorCode, MinHashError, type Problem } from '../../src/errors.js';
import { checkOptions, type RunOptions, stopWordList } from '../../src/options/check.js';
import { type Conflict, conflictsIn } from '../../src/options/conflicts.js';
import { meantName } from '../../src/options/nearestName.js';
import { METHOD_CONFLICTS, METHOD_OPTION_NAMES, METHOD_OPTIONS } from '../../src/options/queryOptions.js';
import { eachDocument, findDocuments } from '../../src/readers/find.js';
import { listInputs } from '../../src/readers/list/inputs.js';
import { idText } from '../../src/readers/list/pathIds.js';
import { unescapeId } from '../../src/result/tables/escaping.js';
import { bytesText } from '../../src/result/wording/amounts.js';
import type { ResultParams } from '../../src/sketch/params.js';
import { type ArgumentText, fileProblems, pathProblems, readFiles } from '../argumentFiles.js';
import { type CommandContext, Problems } from '../command.js';
import { COMPARE_FLAGS } from '../commandTable.js';
import { EXIT, reportFailure } from '../exit.js';
import { optionsFromFlags, type ParsedFlags } from '../flags.js';
import { estimateLines, exactLines, methodLines, shingleLines, sizeLines } from '../show/compareTables.js';
import type { Terminal } from '../terminal.js';

/*
 * The two documents of `compare`, read as in a run.
 */

/** The most ids kept for suggestions after a mistyped id. */
const MOST_IDS = 10_000;

/**
 * Reads the two documents.
 *
 * @throws MinHashError with an error for each document that is missing or cannot be read
 */
async function documentsToCompare(request: CompareRequest): Promise<[ArgumentText, ArgumentText]> {
  const documents =
    request.places === null
      ? await readFiles(request.names, request.params)
      : await readByIds(request, request.places);
  const problems = documents.flatMap((entry): Problem[] => ('code' in entry ? [entry] : []));
  if (problems.length > 0) throw new MinHashError(problems);
  return documents as [ArgumentText, ArgumentText];
}

async function readByIds(
  { names, params }: CompareRequest,
  places: readonly string[],
): Promise<(ArgumentText | Problem)[]> {
  const { files, skipped, links } = await listInputs({ paths: places, outFolder: null, params });
  const ids = names.map((name) => unescapeId(name));
  const known: string[] = [];
  // One entry per reason: these documents have no id.
  const unread = new Map<ErrorCode, string>(skipped.map(({ place, code }) => [code, place]));
  const refused = new Map<string, ErrorCode>();
  for (const { place, code } of [...skipped, ...links]) refused.set(place, code);
  for (let index = 0; index < Math.min(files.length, MOST_IDS); index++) known.push(idText(files.id(index)));
  const met = (id: string, _: string, code: ErrorCode | null): void => {
    if (code !== null) unread.set(code, id);
    if (code !== null && ids.includes(id)) refused.set(id, code);
    else if (known.length < MOST_IDS) known.push(idText(id));
  };
  const texts = await findDocuments({ files }, params, new Set(ids), { met });
  const others = (): Problem[] => [...unread].map(([code, place]) => ({ code, detail: idText(place) }));
  const documents = ids.map((id): ArgumentText | Problem => {
    const text = texts.get(id);
    if (text !== undefined) return { id, text };
    const code = refused.get(id);
    if (code !== undefined) return { code, detail: idText(id) };
    const place = `${idText(id)}: no such document in ${places.join(' ')}`;
    return { code: 'OPTION_INVALID', detail: place + meantName(idText(id), known) };
  });
  const isMissing = documents.some((entry) => 'code' in entry && entry.code === 'OPTION_INVALID');
  return isMissing ? [...others(), ...documents] : documents;
}

/*
 * Checks the arguments of `compare`. The options table of `run` checks values of options that both have.
 */

type OwnValues = ReturnType<typeof Problems.prototype.values<typeof COMPARE_FLAGS>>;

/** The checked flags. */
interface CompareRequest {
  /** File names as typed, or ids as typed if `places` is set. */
  readonly names: readonly [string, string];
  readonly places: readonly string[] | null;
  readonly params: ResultParams;
  readonly own: OwnValues;
  /** Distinct methods, in the order of METHOD_NAMES. */
  readonly methods: readonly MethodName[];
  /** Words that methods ignore. */
  readonly stopWords: readonly string[];
}

const FILE_ADVICE = {
  stdin: '-: expected a file name, standard input cannot be compared',
  folder: (name: string) => `; use --in ${name} to compare documents in it`,
};
const CONFLICTS: readonly Conflict<{ readonly given: ParsedFlags }, string>[] = [
  {
    when: ['most'],
    with: ({ given }) => given.explain !== true,
    bare: true,
    remedy: 'expected together with --explain only',
  },
  {
    when: ['input'],
    with: ({ given }) => given.input === 'sets',
    remedy: 'expected documents; inspect shows two sets of a result',
  },
  {
    // Flags for reading a corpus are meaningless for two files.
    when: ['input', 'textField', 'idField', 'include', 'exclude'],
    with: ({ given }) => given.in === undefined,
    bare: true,
    remedy: 'expected together with --in only',
  },
];

/** Checks everything that can be checked without reading a document. @throws MinHashError with all usage errors */
async function readCompareRequest(
  names: readonly string[],
  flags: ParsedFlags,
  problems: Problems,
): Promise<CompareRequest> {
  const { say } = problems;
  const options = optionsFromFlags(flags, COMPARE_FLAGS);
  const own = problems.values(COMPARE_FLAGS, flags);
  const { method: chosen = [], in: places = null } = own;
  const methods = METHOD_NAMES.filter((name) => chosen.includes(name) || chosen.includes('all'));
  const stopWords = methods.length === 0 ? null : stopWordsOf(options, say);
  const { stopWords: _, ...others } = options;
  // compare uses no bands: with 1 band of 1 row the check of --hashes always passes.
  const checked = checkOptions(stopWords === null ? options : others, { bands: 1, rows: 1 });
  const { params } = checked.resolved;
  problems.add(checked.problems);
  const request: CompareRequest = {
    names: [names[0] ?? '', names[1] ?? ''],
    places,
    params,
    own,
    methods,
    stopWords: stopWords ?? params.shingle.stopWords,
  };
  const ofMethods = { given: { ...flags, ...own }, methods, settings: own };
  for (const { detail } of conflictsIn(METHOD_CONFLICTS, ofMethods)) say(detail);
  // One of the words may be the value of an unknown option.
  const isUnclear = names.length > 2 && problems.hasUnclearWord;
  if (names.length !== 2 && !isUnclear)
    say(`expected two documents to compare, A and B, got ${names.length}`);
  for (const { detail } of conflictsIn(CONFLICTS, { given: flags })) say(detail);
  if (places !== null) problems.add(await pathProblems(places, '--in', 'compared', false));
  else if (!isUnclear) problems.add(await fileProblems(names.slice(0, 2), FILE_ADVICE));
  problems.refuse();
  return request;
}

/** The stop words of methods; null if the shingles start at stop words, because methods then use the same ones. */
function stopWordsOf(
  { shingle, stopWords }: RunOptions,
  say: (detail: string) => void,
): readonly string[] | null {
  if (typeof shingle === 'string' && shingle.startsWith('stopwords:')) return null;
  return stopWordList(stopWords ?? null, (_, detail) => say(detail));
}

/** Flags that print the estimates. */
const ESTIMATED_BY = ['estimates', 'hashes', 'samples', 'modulus', 'levelUnit'];

/** Runs the command and returns the exit code; errors are reported here. */
export async function compareCommand(
  names: readonly string[],
  flags: ParsedFlags,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  try {
    const request = await readCompareRequest(names, flags, new Problems(context));
    const [a, b] = await documentsToCompare(request);
    const { explain = false, most = COMPARE_FLAGS.most.default } = request.own;
    if (explain) checkExplained([a, b]);
    const options = optionsOf(request);
    const comparison = compareTexts(a.text, b.text, options);
    const explained = explain ? explainTexts(a.text, b.text, options, most) : null;
    const corpus = await corpusOf(request);
    const methods = byMethods(a, b, request, corpus);
    const hasEstimates = ESTIMATED_BY.some((key) => flags[key] !== undefined);
    const shown = { a, b, comparison, explained, methods, hasEstimates };
    if (flags.json === true) terminal.printJson(asJson(shown));
    else show(shown, corpus, terminal);
    return EXIT.done;
  } catch (error) {
    const code = reportFailure(error, terminal, flags.verbose === true, 'compare');
    // The user typed the name of the unreadable document, so this is a usage error.
    return error instanceof MinHashError ? EXIT.use : code;
  }
}

/** Checks the size of each document before anything is printed. @throws MinHashError with an error for each that is too large */
function checkExplained(documents: readonly ArgumentText[]): void {
  const problems = documents
    .filter(({ text }) => text.length > MOST_EXPLAINED_BYTES)
    .map(({ id, text }): Problem => {
      const detail = `--explain: expected texts of at most ${bytesText(MOST_EXPLAINED_BYTES)}, ${idText(id)} has ${bytesText(text.length)}`;
      return { code: 'OPTION_INVALID', detail };
    });
  if (problems.length > 0) throw new MinHashError(problems);
}

function optionsOf({ params, own: { samples, modulus, levelUnit } }: CompareRequest) {
  const { bag: _, ...shingle } = params.shingle;
  return {
    ...{ ...shingle, hashes: params.sketch.hashes },
    ...(samples !== undefined && { samples }),
    ...(modulus !== undefined && { modulus }),
    ...(levelUnit !== undefined && { levelUnit }),
  };
}

/** Counts the words of the documents of --in; null without --in, or if no method weighs words. */
async function corpusOf({ places, params, methods }: CompareRequest): Promise<CorpusWords | null> {
  if (places === null || methods.every((name) => methodNamed(name).weighing === 'none')) return null;
  const words = new CorpusWords(params.shingle.seed, params.shingle.normalize);
  const inputs = await listInputs({ paths: places, outFolder: null, params });
  if (inputs.problems.length > 0) throw new MinHashError(inputs.problems);
  await eachDocument(inputs, params, (text) => words.add(text));
  return words;
}

function byMethods(
  a: ArgumentText,
  b: ArgumentText,
  { params, methods, stopWords, own }: CompareRequest,
  corpus: CorpusWords | null,
): MethodComparison[] {
  const { bag: _, ...shingle } = params.shingle;
  return methods.map((method) => {
    const ofMethod = METHOD_OPTION_NAMES.filter((name) => METHOD_OPTIONS[name].of === method);
    const settings = Object.fromEntries(ofMethod.map((name) => [name, own[name]]));
    const counted = corpus === null ? {} : { corpus };
    return compareBy(a.text, b.text, { ...shingle, method, stopWords, ...settings, ...counted });
  });
}

/** The results of a comparison to print. */
interface Shown {
  readonly a: ArgumentText;
  readonly b: ArgumentText;
  readonly comparison: Comparison;
  readonly hasEstimates: boolean;
  /** Null without --explain. */
  readonly explained: ShingleLists | null;
  /** Empty without --method. */
  readonly methods: readonly MethodComparison[];
}

function show(
  { a, b, comparison, explained, methods, hasEstimates }: Shown,
  corpus: CorpusWords | null,
  terminal: Terminal,
): void {
  const blocks = [
    [`a  ${idText(a.id)}`, `b  ${idText(b.id)}`],
    exactLines(comparison),
    sizeLines(comparison),
    ...(hasEstimates ? [estimateLines(comparison)] : []),
    ...(methods.length === 0 ? [] : [methodLines(methods, corpus?.documents ?? null)]),
    ...(explained === null ? [] : [shingleLines(explained, terminal.columns)]),
  ];
  blocks.forEach((lines, i) => {
    if (i > 0) terminal.print('');
    for (const line of lines) terminal.print(line);
  });
}

function asJson({ a, b, comparison, explained, methods }: Shown): Record<string, unknown> {
  return {
    ...comparison,
    a: { id: idText(a.id), ...comparison.a },
    b: { id: idText(b.id), ...comparison.b },
    methods,
    explained,
  };
}
