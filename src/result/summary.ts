/** The summary of a run: what can be dropped, the numbers behind it, and what to type next. Details are in details.ts. */

import { checkObject, MinHashError } from '../errors.js';
import { shellPath } from '../options/shellWord.js';
import { standardError } from '../sketch/probability.js';
import { briefFacts, type FactWords } from './factText.js';
import type { CorpusAdvice, Report } from './report.js';
import { bytesText, counted, grouped } from './wording/amounts.js';
import { keptText, listed, thresholdText, wordingOf } from './wording/wording.js';

/** The column where the second part of a line begins. */
const COLUMN = 58;

/**
 * The summary for people, one string per line, without line ends: warnings, then five to nine lines.
 *
 * @param program how the user starts the program, for the commands to type next
 */
export function summaryLines(report: Report, program = 'mr-minhash'): string[] {
  checkObject('report', report);
  if (!Array.isArray(report.warnings))
    throw new MinHashError({ code: 'OPTION_INVALID', detail: 'report: expected what `run` returns' });
  return [
    ...report.warnings.map((warning) => `warning: ${warning}`),
    answerLine(report),
    ...amountLines(report),
    ...thresholdLine(report),
    ...recallLine(report),
    ...referenceLine(report),
    ...skippedLine(report),
    resultsLine(report),
    ...nextLines(report, program),
  ];
}

/** `142 of 728 documents can be dropped (19.5 %)   threshold 0.80, exact, 0.7 s` */
function answerLine({ counts, parameters, elapsedMilliseconds }: Report): string {
  const { document, documents } = wordingOf(parameters);
  const { dropped, kept, read, reference_documents: reference } = counts;
  const [answered, can] =
    reference === undefined ? [dropped, 'can be dropped'] : [kept, kept === 1 ? 'is new' : 'are new'];
  const share = answered === 0 ? '' : ` (${((100 * answered) / Math.max(1, read)).toFixed(1)} %)`;
  const answer = `${grouped(answered)} of ${counted(read, document, documents)} ${can}${share}`;
  const { verify, threshold, exactDuplicates } = parameters;
  const error = () => standardError(parameters.sketch.hashes, threshold).toFixed(3);
  const method = verify === 'exact' ? 'exact' : verify === 'none' ? 'not verified' : `estimated ± ${error()}`;
  const rule = exactDuplicates ? 'same words only' : `threshold ${thresholdText(threshold)}, ${method}`;
  return `${`${answer}  `.padEnd(COLUMN)}${rule}, ${(elapsedMilliseconds / 1000).toFixed(1)} s`;
}

function factWords(parameters: Report['parameters']): FactWords {
  return { things: wordingOf(parameters).documents, byContainment: parameters.measure === 'containment' };
}

function amountLines({ counts, numbers, parameters }: Report): string[] {
  if (counts.dropped === 0) return [];
  const why = briefFacts('drop', { counts, numbers }, factWords(parameters));
  const { document, documents } = wordingOf(parameters);
  const amounts = [numbers.dropped, numbers.kept];
  const [drop, keep] = columnsOf(amounts.map((amount) => counted(amount.documents, document, documents)));
  const [dropBytes, keepBytes] = columnsOf(
    amounts.map(({ bytes }) => (bytes === undefined ? '' : bytesText(bytes))),
  );
  const cells = (...parts: string[]): string => parts.filter((part) => part !== '').join('   ');
  return [
    `  drop  ${cells(drop!, dropBytes!, why)}`,
    `  keep  ${cells(keep!, keepBytes!, keptText(parameters))}${parameters.measure === 'containment' ? '' : ' (change with --keep)'}`,
  ];
}

/** Texts of equal width, aligned on the right. */
function columnsOf(texts: readonly string[]): string[] {
  const width = Math.max(...texts.map(({ length }) => length));
  return texts.map((text) => text.padStart(width));
}

/** The drops at other thresholds, each above that of the run. */
function thresholdLine({ numbers, counts }: Report): string[] {
  const others = numbers.thresholds.filter(({ dropped }) => dropped !== counts.dropped).reverse();
  if (counts.dropped === 0 || others.length === 0) return [];
  const parts = others.map(
    ({ threshold, dropped }) => `${thresholdText(threshold)} drops ${grouped(dropped)}`,
  );
  return [`At other thresholds: ${parts.join(', ')}`];
}

/** The probability that a pair at the threshold is found, and the number of documents that it does not cover. */
function recallLine({ counts, numbers, parameters, sCurve }: Report): string[] {
  const { exactDuplicates, threshold } = parameters;
  if (exactDuplicates) return [];
  const probability = sCurve.probability_at_threshold * (sCurve.agreement_share ?? 1);
  // Rounded down: a guarantee is never rounded up.
  const percent = (Math.floor(1000 * probability + 1e-9) / 10).toFixed(1);
  const uncovered = briefFacts('recall', { counts, numbers }, factWords(parameters));
  const not = uncovered === '' ? '' : `; not covered: ${uncovered}`;
  return [
    `Expected recall: ${percent} % of pairs at exactly ${thresholdText(threshold)}, more for more similar pairs${not}`,
  ];
}

/** The number of documents with a near-duplicate in the reference, and of those dropped for another new document. */
function referenceLine(report: Report): string[] {
  const { reference_documents: reference, reference_matches: matches, read, dropped } = report.counts;
  if (reference === undefined || matches === undefined) return [];
  const { measure, verify, exactDuplicates } = report.parameters;
  const [have, resemble, contain] =
    matches === 1 ? ['has', 'resembles', 'contains'] : ['have', 'resemble', 'contain'];
  const isSame = exactDuplicates || verify === 'none';
  const alike = isSame ? `${have} the tokens of` : measure === 'containment' ? contain : resemble;
  const paths = report.inputs?.against ?? [];
  const where = paths.length === 0 ? '' : `${listed(paths)} `;
  const { document, documents } = wordingOf(report.parameters);
  const others = dropped - matches;
  const more =
    others > 0
      ? `; ${grouped(others)} more resemble${others === 1 ? 's' : ''} another of the ${grouped(read)}`
      : '';
  return [
    `Reference: ${where}(${counted(reference, document, documents)}): ${grouped(matches)} of ` +
      `${counted(read, document, documents)} ${alike} a document there${more}`,
  ];
}

function skippedLine({ counts, out }: Report): string[] {
  const skipped = Object.entries(counts.skipped).filter(([, count]) => count > 0);
  if (skipped.length === 0) return [];
  const codes = skipped.map(([code, count]) => `${grouped(count)} ${code}`).sort();
  return [`Skipped: ${codes.join(', ')}   listed in ${shellPath(`${out}/skipped.tsv`)}`];
}

function resultsLine({ out, counts }: Report): string {
  const folder = out.replace(/(.)\/+$/, '$1');
  const advice =
    counts.dropped === 0
      ? ''
      : `   delete what ${shellPath(`${folder}/duplicates.tsv`)} lists, not whole clusters`;
  return `Results: ${shellPath(`${folder}/`)}${advice}`;
}

/** The commands to type next, each with its effect. */
function nextLines({ out, counts, cleaned, applied }: Report, program: string): string[] {
  const result = shellPath(out);
  const commands: [command: string, effect: string][] =
    counts.dropped === 0
      ? [[`${program} inspect ${result}`, 'see counts and pairs']]
      : [
          [`${program} view ${result}`, 'check pairs before deleting'],
          ...(applied === undefined ? [applyCommand(result, cleaned, program)] : []),
        ];
  const width = Math.max(...commands.map(([{ length }]) => length));
  return commands.map(
    ([command, effect], i) => `${i === 0 ? 'Next:' : '     '}  ${command.padEnd(width)}   # ${effect}`,
  );
}

function applyCommand(
  result: string,
  cleaned: CorpusAdvice | undefined,
  program: string,
): [command: string, effect: string] {
  const apply = `${program} apply ${result}`;
  if (cleaned === undefined) return [`${apply} --list dropped`, 'list what to remove, by location'];
  if ('listed' in cleaned) return [`${apply} --list dropped`, cleaned.listed];
  const { to, force = false, corpus = [] } = cleaned;
  const words = [apply, `--to ${shellPath(to)}`, ...corpus.map((path) => `--corpus ${shellPath(path)}`)];
  return [
    `${words.join(' ')}${force ? ' --force' : ''}`,
    `write the cleaned corpus${force ? ', replacing the one there' : ''}`,
  ];
}
