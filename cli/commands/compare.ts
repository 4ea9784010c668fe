/**
 * `mr-minhash compare`: two documents by every measure.
 *
 * What is measured is the library's; here are what is asked, what is read, and what is shown.
 */

import { type ErrorCode, type Fault, LISTED_CODES, MinHashError } from '../../src/errors.js';
import type { Comparison, ShingleLists } from '../../src/index.js';
import { checkOptions, type RunOptions } from '../../src/options/check.js';
import { nearestName } from '../../src/options/nearestName.js';
import { unescapeId } from '../../src/output/tables/escaping.js';
import { findDocuments } from '../../src/readers/find.js';
import { listInputs } from '../../src/readers/list/inputs.js';
import { binaryOfBytes } from '../../src/readers/list/pathIds.js';
import { resolveRoots } from '../../src/readers/list/roots.js';
import type { ResultParams } from '../../src/sketch/params.js';
import { signatureParams } from '../../src/sketch/params.js';
import type { WordFault } from '../argv.js';
import { COMPARE_FLAGS } from '../commandTable.js';
import { EXIT, reportFailure } from '../exit.js';
import { numberReader, optionsFromFlags, type ParsedFlags } from '../flags.js';
import { fileFaults, type GivenText, readFiles } from '../givenFiles.js';
import { bytesText } from '../show/amounts.js';
import { estimateLines, exactLines, shingleLines, sizeLines } from '../show/compareTables.js';
import { idText, type Terminal } from '../terminal.js';

/*
 * The two documents that `compare` was asked for, read as a run would read them.
 */

/** Ids that are remembered for saying which one was meant. */
const MOST_IDS = 10_000;

/**
 * Reads both.
 *
 * @throws MinHashError with a fault for each that is not there or cannot be read
 */
async function documentsToCompare(request: CompareRequest): Promise<[GivenText, GivenText]> {
  const found =
    request.places === null
      ? await readFiles(request.names, request.params)
      : await readByIds(request, request.places);
  const faults = found.filter((entry): entry is Fault => 'code' in entry);
  if (faults.length > 0) throw new MinHashError(faults);
  return found as [GivenText, GivenText];
}

async function readByIds(
  { names, params }: CompareRequest,
  places: readonly string[],
): Promise<(GivenText | Fault)[]> {
  const { files, skipped, links } = listInputs({ paths: places, outFolder: null, params });
  const ids = names.map((name) => unescapeId(name, 'tsv'));
  const known: string[] = [];
  const refused = new Map<string, ErrorCode>();
  for (const { place, code } of skipped) refused.set(place, code);
  links.rows.forEach((row, i) => {
    const { bytes, offsets } = links.places;
    const place = binaryOfBytes(bytes.subarray(offsets[row]!, offsets[row + 1]!));
    if (ids.includes(place)) refused.set(place, LISTED_CODES[links.codes[i]!]!);
  });
  for (let index = 0; index < Math.min(files.length, MOST_IDS); index++) known.push(idText(files.id(index)));
  const met = (id: string, code: ErrorCode | null): void => {
    if (code !== null && ids.includes(id)) refused.set(id, code);
    else if (known.length < MOST_IDS) known.push(idText(id));
  };
  const texts = await findDocuments({ files }, params, new Set(ids), { met });
  return ids.map((id): GivenText | Fault => {
    const text = texts.get(id);
    if (text !== undefined) return { id, text };
    const code = refused.get(id);
    if (code !== undefined) return { code, detail: idText(id) };
    const near = nearestName(idText(id), known);
    const place = `${idText(id)}: no such document in ${places.join(' ')}`;
    return { code: 'OPTION_INVALID', detail: near === null ? place : `${place}, did you mean ${near}?` };
  });
}

/*
 * The words of `compare`, checked: what is to be compared and how, or everything that is wrong.
 *
 * Values that `run` has too are checked by the same table.
 */

/** What is asked for; null: not given. */
interface CompareRequest {
  /** Files as typed, or ids as written where `places` are given. */
  readonly names: readonly [string, string];
  readonly places: readonly string[] | null;
  readonly params: ResultParams;
  readonly samples: number | null;
  readonly modulus: number | null;
  readonly levelUnit: number | null;
  readonly explain: boolean;
  /** Shingles shown of each list. */
  readonly most: number;
}

const USUAL_MOST = 20;
const FILE_ADVICE = {
  stdin: '-: expected the name of a file, standard input cannot be compared',
  folder: (name: string) => `; name the documents in it by --in ${name}`,
};
/** What says how a corpus is read says nothing of two files. */
const CORPUS_FLAGS = {
  input: '--input',
  textField: '--text-field',
  idField: '--id-field',
  include: '--include',
  exclude: '--exclude',
} as const;

/** Checks everything that can be checked without reading a document. */
function readCompareRequest(
  names: readonly string[],
  flags: ParsedFlags,
  wordFaults: readonly WordFault[],
): { readonly request: CompareRequest; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const say = (detail: string): unknown => faults.push({ code: 'OPTION_INVALID', detail });
  for (const { detail } of wordFaults) say(detail);
  // The modulus of a run, where short documents are kept whole, is another.
  const { modulus: _, ...options } = optionsFromFlags(flags);
  const { params, faults: optionFaults } = paramsOf(options);
  faults.push(...optionFaults);
  const number = numberReader(COMPARE_FLAGS, flags, say);
  const places = (flags.in ?? null) as readonly string[] | null;
  const request: CompareRequest = {
    names: [names[0] ?? '', names[1] ?? ''],
    places,
    params,
    samples: number('samples'),
    modulus: number('modulus'),
    levelUnit: number('levelUnit'),
    explain: flags.explain === true,
    most: number('most') ?? USUAL_MOST,
  };
  for (const detail of conflicts(names, flags)) say(detail);
  faults.push(...(places === null ? fileFaults(names.slice(0, 2), FILE_ADVICE) : placeFaults(places)));
  return { request, faults };
}

function paramsOf(options: RunOptions): { params: ResultParams; faults: readonly Fault[] } {
  // Bands are not compared, but the check of --hashes must not find fault with them.
  const { resolved, faults } = checkOptions({ ...options, bands: 1, rows: 1 });
  return { params: resolved.params, faults: faults.filter(({ code }) => code !== 'NO_INPUT') };
}

function conflicts(names: readonly string[], flags: ParsedFlags): string[] {
  const details: string[] = [];
  if (names.length !== 2) details.push(`A B: expected two documents, got ${names.length}`);
  if (flags.most !== undefined && flags.explain !== true)
    details.push('--most: expected together with --explain only');
  if (flags.input === 'sets')
    details.push('--input sets: expected documents; inspect shows two sets of a result');
  if (flags.in !== undefined) return details;
  for (const [key, name] of Object.entries(CORPUS_FLAGS)) {
    if (flags[key] !== undefined) details.push(`${name}: expected together with --in only`);
  }
  return details;
}

function placeFaults(places: readonly string[]): readonly Fault[] {
  const named = places.filter((path) => path !== '-');
  const detail = '--in -: expected files and directories, standard input cannot be compared';
  const stdin: Fault[] = named.length < places.length ? [{ code: 'OPTION_INVALID', detail }] : [];
  return [...stdin, ...(named.length === 0 ? [] : resolveRoots(named, null).faults)];
}

/** What the command needs of the library. */
type CompareLibrary = Pick<
  typeof import('../../src/index.js'),
  'compareTexts' | 'explainTexts' | 'MOST_EXPLAINED_BYTES'
>;

interface CompareContext {
  readonly terminal: Terminal;
  readonly loadLibrary: () => Promise<CompareLibrary>;
  /** What was wrong with the words themselves. */
  readonly wordFaults?: readonly WordFault[];
}

/** Runs the command and returns the exit code; errors are reported here. */
export async function compareCommand(
  names: readonly string[],
  flags: ParsedFlags,
  context: CompareContext,
): Promise<number> {
  const { terminal } = context;
  try {
    const { request, faults } = readCompareRequest(names, flags, context.wordFaults ?? []);
    if (faults.length > 0) throw new MinHashError(faults);
    const [a, b] = await documentsToCompare(request);
    const library = await context.loadLibrary();
    if (request.explain) checkExplained([a, b], library.MOST_EXPLAINED_BYTES);
    const options = optionsOf(request);
    const comparison = library.compareTexts(a.text, b.text, options);
    const explained = request.explain ? library.explainTexts(a.text, b.text, options, request.most) : null;
    if (flags.json === true) terminal.printJson(asJson(a, b, comparison, explained));
    else show(a, b, comparison, explained, terminal);
    return EXIT.done;
  } catch (error) {
    const code = reportFailure(error, terminal, flags.verbose === true, 'compare');
    // A document that cannot be read was named by the user: there is no run that it could fail.
    return error instanceof MinHashError ? EXIT.use : code;
  }
}

/** Said before anything is shown, for each that is too large. */
function checkExplained(documents: readonly GivenText[], most: number): void {
  const faults = documents
    .filter(({ text }) => text.length > most)
    .map(({ id, text }): Fault => {
      const detail = `--explain: expected texts of at most ${bytesText(most)}, ${idText(id)} has ${bytesText(text.length)}`;
      return { code: 'OPTION_INVALID', detail };
    });
  if (faults.length > 0) throw new MinHashError(faults);
}

function optionsOf({ params, samples, modulus, levelUnit }: CompareRequest) {
  const { unit, size, stopWords, seed } = params.shingle;
  return {
    ...{ unit, size, stopWords, seed, hashes: signatureParams(params).sketch.hashes },
    ...(samples === null ? {} : { samples }),
    ...(modulus === null ? {} : { modulus }),
    ...(levelUnit === null ? {} : { levelUnit }),
  };
}

function show(
  a: GivenText,
  b: GivenText,
  comparison: Comparison,
  explained: ShingleLists | null,
  terminal: Terminal,
): void {
  const blocks = [
    [`a  ${idText(a.id)}`, `b  ${idText(b.id)}`],
    sizeLines(comparison),
    exactLines(comparison),
    estimateLines(comparison),
    ...(explained === null ? [] : [shingleLines(explained, terminal.columns)]),
  ];
  blocks.forEach((lines, i) => {
    if (i > 0) terminal.print('');
    for (const line of lines) terminal.print(line);
  });
}

function asJson(
  a: GivenText,
  b: GivenText,
  comparison: Comparison,
  explained: ShingleLists | null,
): Record<string, unknown> {
  return {
    ...comparison,
    a: { id: idText(a.id), ...comparison.a },
    b: { id: idText(b.id), ...comparison.b },
    explained,
  };
}
