/**
 * `mr-minhash compare`: two documents by every measure.
 *
 * Floor 5. What is measured is the library's; here are what is asked, what is read, and what is shown.
 */
import { type Fault, MinHashError } from '../src/errors.js';
import type { Comparison, ShingleLists } from '../src/index.js';
import { signatureParams } from '../src/sketch/sketchKind.js';
import { bytesText } from './amounts.js';
import { type ComparedDocument, documentsToCompare } from './compareDocuments.js';
import { estimateLines, exactLines, shingleLines, sizeLines } from './compareText.js';
import { type CompareRequest, readCompareRequest } from './compareWish.js';
import { EXIT, reportFailure } from './failure.js';
import type { ParsedFlags } from './flags.js';
import { idText, type Terminal } from './terminal.js';
import type { WordFault } from './words.js';

/** What the command needs of the library. */
type CompareLibrary = Pick<
  typeof import('../src/index.js'),
  'compareTexts' | 'explainTexts' | 'MOST_EXPLAINED_BYTES'
>;

export interface CompareContext {
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
function checkExplained(documents: readonly ComparedDocument[], most: number): void {
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
  a: ComparedDocument,
  b: ComparedDocument,
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
  a: ComparedDocument,
  b: ComparedDocument,
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
