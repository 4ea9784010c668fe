/**
 * `mr-minhash tune`: the calculator on the command line.
 *
 * The library has all arithmetic; this file has the flags, the tables, and the file of the picture.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sharedRuns } from '../../src/analysis/result/sharedRuns.js';
import { type CorpusEstimate, estimateCorpus } from '../../src/analysis/tune/corpusEstimate.js';
import { type SamplePairs, samplePairs } from '../../src/analysis/tune/samplePairs.js';
import { type AgreeRule, agreeRule } from '../../src/analysis/tune/setting.js';
import {
  type ComparedSetting,
  compareSettings,
  type SignatureLengths,
  signatureLengths,
  type TuneWish,
  type Tuning,
  tune,
} from '../../src/analysis/tune/tune.js';
import { flagName, MinHashError } from '../../src/errors.js';
import { checkOptions, type RunOptions } from '../../src/options/check.js';
import { type Conflict, conflictsIn } from '../../src/options/conflicts.js';
import { presetOptions } from '../../src/options/presets.js';
import { shellQuoted } from '../../src/options/shellWord.js';
import { shownValue } from '../../src/options/values.js';
import { counted, grouped } from '../../src/result/wording/amounts.js';
import { probabilityOfCandidate } from '../../src/sketch/banding.js';
import type { BandingParams } from '../../src/sketch/params.js';
import { inputProblem, namedFileProblem, writeNamedFile } from '../../src/store/namedFile.js';
import { curvesAsSvg, MOST_CURVES } from '../../src/view/charts.js';
import { samplePage } from '../../src/view/samplePage.js';
import { pathProblems } from '../argumentFiles.js';
import { type CommandContext, Problems, reporting } from '../command.js';
import { TUNE_FLAGS } from '../commandTable.js';
import { EXIT } from '../exit.js';
import { optionsFromFlags, type ParsedFlags } from '../flags.js';
import { openBrowser, pageFileProblem, writePage } from '../savedPage.js';
import { curveMark, plotLines } from '../show/curve.js';
import { showRows } from '../show/result/writtenTexts.js';
import {
  choiceLines,
  comparedLines,
  corpusLines,
  curveLines,
  lengthLines,
  ruleLines,
} from '../show/tuneTables.js';
import { screenId, type Terminal } from '../terminal.js';

/*
 * Checks the flags of `tune`. The options table of `run` checks values of options that both have.
 */

/** The parts of the answer to print. */
export interface Parts {
  readonly choice: boolean;
  readonly lengths: boolean;
  readonly rule: boolean;
  readonly compared: boolean;
  readonly corpus: boolean;
}

type OwnValues = ReturnType<typeof Problems.prototype.values<typeof TUNE_FLAGS>>;

/** The checked flags; null if not set. */
interface TuneRequest {
  readonly options: RunOptions;
  readonly parts: Parts;
  readonly own: OwnValues;
  readonly compare: readonly BandingParams[];
}

const MOST_SLOTS = 1024;
const USUAL_HASHES = 128;
const SETTING = /^([1-9]\d{0,3})x([1-9]\d{0,3})$/;

/** Checks everything that does not need the library: arguments, values, and file names. */
async function readRequest(
  paths: readonly string[],
  flags: ParsedFlags,
  problems: Problems,
): Promise<TuneRequest> {
  const { preset, ...typed } = optionsFromFlags(flags, TUNE_FLAGS) as RunOptions;
  problems.add(
    checkOptions(preset === undefined ? {} : { preset }).problems.filter(({ option }) => option === 'preset'),
  );
  const options: RunOptions = {
    ...presetOptions(preset),
    ...typed,
    ...(paths.length > 0 ? { paths } : {}),
  };
  // The calculator, not this check, chooses bands and rows.
  problems.add(checkOptions(options, { bands: 1, rows: 1 }).problems);
  const own = problems.values(TUNE_FLAGS, flags);
  const request: TuneRequest = {
    options: { ...options, ...thresholdOf(options, own) },
    own,
    compare: settingsOf(own.compare, problems.say),
    parts: partsOf(paths, flags),
  };
  for (const { detail } of conflictsIn(CONFLICTS, { ...request, given: flags })) problems.say(detail);
  problems.add(await pathProblems(paths, 'PATH', 'sampled'));
  problems.refuse();
  return request;
}

/** The threshold M/N of `--agree`, for every part of the answer, as in `run`. */
function thresholdOf({ threshold, hashes = USUAL_HASHES }: RunOptions, { agree }: OwnValues): RunOptions {
  if (agree === undefined || threshold !== undefined || typeof hashes !== 'number') return {};
  return { threshold: Math.min(1, agree / hashes) };
}

/** The parts to print: those that flags choose; without such a flag the whole choice. */
function partsOf(paths: readonly string[], flags: ParsedFlags): Parts {
  const has = (...keys: string[]): boolean => keys.some((key) => flags[key] !== undefined);
  const rule = has('agree');
  const compared = has('compare');
  const corpus = paths.length > 0;
  const lengths = has('error', 'confidence');
  const isPlain = !rule && !compared && !corpus && !lengths;
  const choice = isPlain || has('bands', 'rows', 'recall') || (!compared && (corpus || has('svg')));
  return { choice, lengths: isPlain || lengths, rule, compared, corpus };
}

function settingsOf(value: unknown, say: (detail: string) => unknown): BandingParams[] {
  if (typeof value !== 'string') return [];
  const settings: BandingParams[] = [];
  for (const text of value.split(',').map((part) => part.trim())) {
    const match = SETTING.exec(text);
    const [bands, rows] = [Number(match?.[1]), Number(match?.[2])];
    if (match === null) say(`--compare ${shownText(text)}: expected BxR, such as 20x5 or 20x5,16x8,14x8`);
    else if (bands * rows > MOST_SLOTS) {
      say(`--compare ${text}: B x R is ${bands * rows}, expected at most ${MOST_SLOTS}`);
    } else if (!settings.some((other) => other.bands === bands && other.rows === rows))
      settings.push({ bands, rows });
  }
  if (settings.length > MOST_CURVES) {
    say(`--compare: expected at most ${MOST_CURVES} settings, got ${settings.length}`);
  }
  return settings;
}

function shownText(text: string): string {
  return Number.isNaN(Number(text)) ? shownValue(text) : text;
}

/** The checked request, with the flags as typed. */
interface Seen extends TuneRequest {
  readonly given: ParsedFlags;
}

/** The signature length; null if the value is not a number. */
function lengthOf({ options: { hashes = USUAL_HASHES } }: TuneRequest): number | null {
  return typeof hashes === 'number' ? hashes : null;
}

const CONFLICTS: readonly Conflict<Seen, string>[] = [
  {
    when: ['agree'],
    with: (seen) => (seen.own.agree ?? 0) > (lengthOf(seen) ?? MOST_SLOTS),
    bare: true,
    beside: ({ own: { agree } }) => String(agree),
    remedy: (seen) => `expected at most the ${lengthOf(seen)} of --hashes`,
  },
  {
    when: ['agree'],
    with: ({ given }) => given.threshold !== undefined,
    bare: true,
    beside: '--threshold',
    remedy: 'expected only one of these: M of N slots is a threshold, too',
  },
  {
    when: ['sample'],
    with: ({ parts }) => !parts.corpus,
    bare: true,
    remedy: 'expected together with a PATH only',
  },
  {
    when: ['save', 'open'],
    with: ({ parts }) => !parts.corpus,
    bare: true,
    remedy: 'expected together with a PATH only, whose pairs are shown',
  },
  {
    when: ['save'],
    with: ({ own: { save } }) => save !== undefined && pageFileProblem(save) !== null,
    remedy: ({ own: { save } }) => pageFileProblem(save!)!,
  },
  {
    when: ['force'],
    with: ({ given }) => given.svg === undefined,
    remedy: 'expected together with --svg only',
  },
  {
    when: ['svg'],
    with: ({ own: { svg, force }, options }) =>
      svg !== undefined && svgProblem(svg, force === true, options.paths ?? []) !== null,
    remedy: ({ own: { svg, force }, options }) => svgProblem(svg!, force === true, options.paths ?? [])!,
  },
];

/** The answer as printed by `--json`; parts that were not requested are null. */
interface Answer {
  readonly threshold: number;
  readonly choice: Tuning | null;
  readonly lengths: SignatureLengths | null;
  readonly rule: AgreeRule | null;
  readonly compared: readonly ComparedSetting[] | null;
  readonly corpus: CorpusEstimate | null;
  readonly pairs: SamplePairs | null;
}

const USUAL_THRESHOLD = 0.8;

export const tuneCommand = reporting('tune', async (paths, flags, context: CommandContext) => {
  const request = await readRequest(paths, flags, new Problems(context));
  const answer = await answerTo(request);
  const { svg, force = false } = request.own;
  if (svg !== undefined) writePicture(svg, force, paths, answer);
  const page = savedPage(answer.pairs, request);
  if (flags.json === true)
    context.terminal.printJson({
      ...answer,
      ...{ pairs: pairsJson(answer.pairs), svg: svg ?? null, page: page?.file ?? null },
    });
  else show(answer, request, context.terminal, page?.line ?? null);
  if (page !== null && request.own.open === true) openBrowser(page.file, context.terminal);
  return EXIT.done;
});

async function answerTo(request: TuneRequest): Promise<Answer> {
  const { options, parts, own } = request;
  const { error, confidence, sample } = own;
  const { threshold = USUAL_THRESHOLD } = options;
  const choice = parts.choice ? tune(wishOf(request)) : null;
  const hashes = choice?.hashes ?? options.hashes ?? USUAL_HASHES;
  const lengths = parts.lengths
    ? signatureLengths({
        ...{ hashes, resemblance: threshold },
        ...(error !== undefined && { error }),
        ...(confidence !== undefined && { confidence }),
      })
    : null;
  const compared = parts.compared ? compareSettings(request.compare, threshold) : null;
  const settings = [...(choice === null ? [] : [choice.setting]), ...(compared ?? [])];
  const corpus = parts.corpus
    ? await estimateCorpus({
        options: { ...options, hashes },
        settings,
        clock: () => performance.now(),
        ...(sample !== undefined && { sample }),
      })
    : null;
  const rule = parts.rule ? agreeRule(own.agree!, hashes) : null;
  const pairs = parts.corpus ? await samplePairs(options) : null;
  return { threshold, choice, lengths, rule, compared, corpus, pairs };
}

/** The request to the library: only flags on the command line, so that no error is about a default. */
function wishOf({ options }: TuneRequest): TuneWish {
  const { threshold, recall, hashes, bands, rows, sketch } = options;
  const wish = {
    threshold,
    sketch,
    recall,
    hashes,
    bands,
    rows,
  };
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
}

/** A curve to draw. */
interface Drawn {
  readonly bands: number;
  readonly rows: number;
  readonly at: (similarity: number) => number;
}

/** The curves to draw: those of the compared settings, else that of the choice. */
function curvesToDraw({ choice, compared }: Answer): Drawn[] {
  const settings = compared ?? (choice === null ? [] : [choice.setting]);
  return settings.map(({ bands, rows }) => ({
    bands,
    rows,
    at: (similarity) => probabilityOfCandidate(similarity, bands, rows),
  }));
}

function svgProblem(file: string, force: boolean, paths: readonly string[]): string | null {
  return namedFileProblem(file, (name) =>
    force ? inputProblem(name, paths) : 'the file exists; choose another name, or replace it with --force',
  );
}

function writePicture(file: string, force: boolean, paths: readonly string[], answer: Answer): void {
  const curves = curvesToDraw(answer).map(({ bands, rows, at }) => ({
    name: `${bands} bands of ${rows} rows`,
    at,
  }));
  // The flags were checked before the calculation, which takes time: the file may exist now.
  const problem = svgProblem(file, force, paths);
  if (problem !== null)
    throw new MinHashError({ code: 'OPTION_INVALID', detail: `--svg ${file}: ${problem}` });
  const picture = new TextEncoder().encode(curvesAsSvg(curves, answer.threshold));
  writeNamedFile(file, picture);
}

/** Saves the page of pairs if one is requested: to the named file, or for --open alone to a temporary one. */
function savedPage(
  pairs: SamplePairs | null,
  { own: { save, open }, options }: TuneRequest,
): { readonly file: string; readonly line: string } | null {
  if (pairs === null || (save === undefined && open !== true)) return null;
  const file = resolve(save ?? join(mkdtempSync(join(tmpdir(), 'mr-minhash-tune-')), 'pairs.html'));
  const page = samplePage(pairs, checkOptions(options).resolved.params.shingle);
  return { file, line: writePage(file, new TextEncoder().encode(page)) };
}

function show(answer: Answer, request: TuneRequest, terminal: Terminal, pageLine: string | null): void {
  const { choice, lengths, rule, compared, corpus, pairs, threshold } = answer;
  const isFull = choice !== null && corpus === null && compared === null;
  const blocks: (readonly string[])[] = [];
  const marks = compared?.map((_, i) => String.fromCharCode(0x61 + i)) ?? [curveMark(terminal.utf8)];
  const plot = (): string[] => {
    const curves = curvesToDraw(answer).map(({ at }, i) => ({ mark: marks[i]!, at }));
    return plotLines(curves, { columns: terminal.columns, utf8: terminal.utf8, threshold });
  };
  if (choice !== null) blocks.push(choiceLines(choice, terminal.command, textFlags(request.options)));
  if (choice !== null && isFull) blocks.push(curveLines(choice), plot());
  if (compared !== null) blocks.push(comparedLines(compared, threshold, marks), plot());
  if (lengths !== null) blocks.push(lengthLines(lengths));
  if (rule !== null) blocks.push(ruleLines(rule));
  if (corpus !== null) blocks.push(corpusLines(corpus));
  if (request.own.svg !== undefined) blocks.push([`written to ${request.own.svg}`]);
  blocks.forEach((lines, i) => {
    if (i > 0) terminal.print('');
    for (const line of lines) terminal.print(line);
  });
  if (pageLine !== null) {
    terminal.print('');
    terminal.print(pageLine);
  } else if (pairs !== null) showPairs(pairs, request.options, terminal);
}

/** The flags that decide how a text becomes shingles, as typed: `run` needs them too. */
function textFlags(options: RunOptions): string {
  const flags = (['shingle', 'bag', 'normalize', 'textField'] as const).flatMap((key) => {
    const value = options[key];
    if (value === undefined || value === false) return [];
    return value === true ? [flagName(key)] : [`${flagName(key)} ${shellQuoted(String(value))}`];
  });
  return flags.map((flag) => `${flag} `).join('');
}

/** The longest text printed in JSON, in bytes. */
const MOST_TEXT = 4000;

function pairsJson(pairs: SamplePairs | null) {
  if (pairs === null) return null;
  const textOf = (text: Uint8Array): string => new TextDecoder().decode(text.subarray(0, MOST_TEXT));
  return {
    ...pairs,
    levels: pairs.levels.map(({ similarity, pairs: near }) => ({
      similarity,
      pairs: near.map(({ a, b, jaccard, textA, textB }) => ({
        ...{ a, b, jaccard },
        text_a: textOf(textA),
        text_b: textOf(textB),
      })),
    })),
  };
}

/** Rows printed per pair: enough to see the differences. */
const MOST_ROWS = 8;

function showPairs({ documents, whole, levels }: SamplePairs, options: RunOptions, terminal: Terminal): void {
  const { shingle } = checkOptions(options).resolved.params;
  // Compared by single tokens, so that every word that differs is marked.
  const words = { ...shingle, size: 1, bag: false };
  terminal.print('');
  const of = whole ? `all ${grouped(documents)} documents` : `a sample of ${counted(documents, 'document')}`;
  terminal.print(
    `Pairs in ${of} by Jaccard similarity. Choose the lowest similarity at which you would delete one of the two.`,
  );
  for (const { similarity, pairs } of levels) {
    if (pairs.length === 0) {
      terminal.print('');
      terminal.print(`near ${similarity.toFixed(1)}: no pair`);
    }
    for (const { a, b, jaccard, textA, textB } of pairs) {
      terminal.print('');
      terminal.print(`${jaccard.toFixed(2)}  ${screenId(a)}  |  ${screenId(b)}`);
      if (!showRows(sharedRuns(textA, textB, words), terminal, MOST_ROWS)) terminal.print('   …');
    }
  }
}
