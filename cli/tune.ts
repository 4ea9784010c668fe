/**
 * `mr-minhash tune`: the calculator on the command line.
 *
 * Floor 5. All arithmetic is behind the library; here are what is asked, what is shown, and the picture's file.
 */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Fault, MinHashError } from '../src/errors.js';
import type { ComparedSetting, CorpusEstimate, SignatureLengths, SketchName, Tuning } from '../src/index.js';
import { AtomicFile } from '../src/storage/results/atomicFile.js';
import { EXIT, reportFailure } from './failure.js';
import type { ParsedFlags } from './flags.js';
import { curveMark, plotLines } from './plot.js';
import { curvesAsSvg } from './plotSvg.js';
import type { Terminal } from './terminal.js';
import { corpusLines } from './tuneCorpusText.js';
import { choiceLines, comparedLines, curveLines, lengthLines, ruleLines } from './tuneText.js';
import { readRequest, type TuneRequest } from './tuneWish.js';
import type { WordFault } from './words.js';

/** What the command needs of the library. */
type TuneLibrary = Pick<
  typeof import('../src/index.js'),
  'agreeRule' | 'candidateCurve' | 'compareSettings' | 'estimateCorpus' | 'signatureLengths' | 'tune'
>;

export interface TuneContext {
  readonly terminal: Terminal;
  readonly loadLibrary: () => Promise<TuneLibrary>;
  /** Milliseconds, for the rate of the sample. */
  readonly clock: () => number;
  /** What was wrong with the words themselves. */
  readonly wordFaults?: readonly WordFault[];
}

/** The answer as `--json` prints it; parts that were not asked for are null. */
interface Answer {
  readonly threshold: number;
  readonly choice: Tuning | null;
  readonly lengths: SignatureLengths | null;
  readonly rule: ReturnType<TuneLibrary['agreeRule']> | null;
  readonly compared: readonly ComparedSetting[] | null;
  readonly corpus: CorpusEstimate | null;
}

const USUAL_THRESHOLD = 0.8;
const USUAL_HASHES = 128;

/** Runs the command and returns the exit code; errors are reported here. */
export async function tuneCommand(
  paths: readonly string[],
  flags: ParsedFlags,
  context: TuneContext,
): Promise<number> {
  const { terminal } = context;
  try {
    const { request, faults } = readRequest(paths, flags, context.wordFaults ?? []);
    if (faults.length > 0) throw new MinHashError(faults);
    const library = await context.loadLibrary();
    const answer = await answerTo(request, library, context.clock);
    if (request.svg !== null) writePicture(request.svg, request, answer, library);
    if (flags.json === true) terminal.printJson({ ...answer, svg: request.svg });
    else show(answer, request, library, terminal);
    return EXIT.done;
  } catch (error) {
    return reportFailure(error, terminal, flags.verbose === true, 'tune');
  }
}

async function answerTo(request: TuneRequest, library: TuneLibrary, clock: () => number): Promise<Answer> {
  const { options, parts, error, confidence } = request;
  const { threshold = USUAL_THRESHOLD } = options;
  const sketch = sketchOf(request);
  const choice = parts.choice ? library.tune(wishOf(request)) : null;
  const hashes = choice?.hashes ?? options.hashes ?? USUAL_HASHES;
  const lengths = parts.lengths
    ? library.signatureLengths({
        ...{ hashes, resemblance: threshold, sketch },
        ...(error === null ? {} : { error }),
        ...(confidence === null ? {} : { confidence }),
      })
    : null;
  const compared = parts.compared
    ? library.compareSettings(request.compare, threshold, { sketch, hashes })
    : null;
  const settings = [...(choice === null ? [] : [choice.setting]), ...(compared ?? [])];
  const corpus = parts.corpus
    ? await library.estimateCorpus({
        options: { ...options, hashes },
        settings,
        clock,
        ...(request.sample === null ? {} : { sample: request.sample }),
      })
    : null;
  const rule = parts.rule ? library.agreeRule(request.agree!, hashes) : null;
  return { threshold, choice, lengths, rule, compared, corpus };
}

/** Samples, which have no slots, were refused with the request. */
function sketchOf({ options: { sketch = 'fss' } }: TuneRequest): SketchName {
  return sketch === 'min-s' || sketch === 'mod-m' ? 'fss' : sketch;
}

/** Only what was given, so that faults do not blame a default. */
function wishOf({ options, keys, ceiling }: TuneRequest): Parameters<TuneLibrary['tune']>[0] {
  const { threshold, recall, hashes, bands, rows, sketch } = options;
  const wish = {
    threshold,
    sketch,
    recall,
    hashes,
    bands,
    rows,
    keys: keys ?? undefined,
    ceiling: ceiling ?? undefined,
  };
  return Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
}

/** A curve to draw. */
interface Drawn {
  readonly bands: number;
  readonly rows: number;
  readonly at: (similarity: number) => number;
}

/** The curves to draw: of the settings compared, else of the choice. */
function curvesToDraw({ choice, compared }: Answer, request: TuneRequest, library: TuneLibrary): Drawn[] {
  const settings = compared ?? (choice === null ? [] : [choice.setting]);
  const length = choice?.hashes ?? request.options.hashes ?? USUAL_HASHES;
  return settings.map(({ bands, rows }) => {
    const slots = { sketch: sketchOf(request), hashes: Math.max(length, bands * rows) };
    return { bands, rows, at: library.candidateCurve({ bands, rows }, slots) };
  });
}

function writePicture(file: string, request: TuneRequest, answer: Answer, library: TuneLibrary): void {
  const { force } = request;
  const curves = curvesToDraw(answer, request, library).map(({ bands, rows, at }) => ({
    name: `${bands} bands of ${rows} rows`,
    at,
  }));
  // It was looked at before, but calculating takes time.
  if (!force && existsSync(file)) {
    const fault: Fault = { code: 'OPTION_INVALID', detail: `--svg ${file}: the file exists` };
    throw new MinHashError(fault);
  }
  const picture = new AtomicFile(dirname(file), basename(file));
  picture.append(new TextEncoder().encode(curvesAsSvg(curves, answer.threshold)));
  picture.finish(0);
}

function show(answer: Answer, request: TuneRequest, library: TuneLibrary, terminal: Terminal): void {
  const { choice, lengths, rule, compared, corpus, threshold } = answer;
  const isFull = choice !== null && corpus === null && compared === null;
  const blocks: (readonly string[])[] = [];
  const marks = compared?.map((_, i) => String.fromCharCode(0x61 + i)) ?? [curveMark(terminal.utf8)];
  const plot = (): string[] => {
    const curves = curvesToDraw(answer, request, library).map(({ at }, i) => ({ mark: marks[i]!, at }));
    return plotLines(curves, { columns: terminal.columns, utf8: terminal.utf8, threshold });
  };
  if (choice !== null) blocks.push(choiceLines(choice));
  if (choice !== null && isFull) blocks.push(curveLines(choice), plot());
  if (compared !== null) blocks.push(comparedLines(compared, threshold, marks), plot());
  if (lengths !== null) blocks.push(lengthLines(lengths));
  if (rule !== null) blocks.push(ruleLines(rule));
  if (corpus !== null) blocks.push(corpusLines(corpus));
  if (request.svg !== null) blocks.push([`drawn into ${request.svg}`]);
  blocks.forEach((lines, i) => {
    if (i > 0) terminal.print('');
    for (const line of lines) terminal.print(line);
  });
}
