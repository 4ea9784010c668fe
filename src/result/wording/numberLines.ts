/**
 * The numbers of a run in the words of its summary: dropped documents by reason, by source and at other thresholds, groups of
 * documents and a reference, and the effect of short documents on the threshold.
 */

import { presetText } from '../../options/presets.js';
import type { ResultParams } from '../../sketch/params.js';
import { sizeText } from '../../store/sizeText.js';
import type { ShingleUnit } from '../../text/shingles.js';
import type { ManifestCounts } from '../facts.js';
import { counted, grouped } from './amounts.js';
import type { Amount, ReportedNumbers } from './reportedNumbers.js';
import { listed, thresholdText, wordingOf } from './wording.js';

/** The facts behind these lines. */
interface Numbered {
  readonly parameters: ResultParams;
  readonly numbers: ReportedNumbers;
}

/** The facts behind lines about groups of documents: only pairs of two different groups are found. */
interface Counted {
  readonly parameters: ResultParams;
  readonly counts: ManifestCounts;
}

const TOKEN_WORDS: Readonly<Record<ShingleUnit, string>> = {
  words: 'word',
  stopwords: 'word',
  chars: 'character',
  bytes: 'byte',
  lines: 'line',
};

const bytesText = (bytes: number): string => (bytes < 1e5 ? counted(bytes, 'byte') : sizeText(bytes));

/** `351,234 words`; null where the tokens are bytes, whose number stands beside it already. */
function tokensText(tokens: number, { sets, shingle }: ResultParams): string | null {
  if (sets !== undefined) return counted(tokens, 'element');
  return shingle.unit === 'bytes' ? null : counted(tokens, TOKEN_WORDS[shingle.unit]);
}

/** `142 documents, 2.2 MB of text, 351,234 words`. */
export function amountText({ documents, bytes, tokens }: Amount, parameters: ResultParams): string {
  const { document, documents: many } = wordingOf(parameters);
  const parts = [
    counted(documents, document, many),
    bytes === undefined ? null : `${bytesText(bytes)} of text`,
    tokensText(tokens, parameters),
  ];
  return parts.filter((part) => part !== null).join(', ');
}

/** `2.2 MB, 351,234 words`. */
function contentText({ bytes, tokens }: Amount, parameters: ResultParams): string {
  const parts = [bytes === undefined ? null : bytesText(bytes), tokensText(tokens, parameters)];
  return parts.filter((part) => part !== null).join(', ');
}

/** Why a document can be dropped, in the terms of the run. */
export function droppedText({
  counts,
  parameters,
}: Pick<Numbered, 'parameters'> & { readonly counts: { readonly dropped: number } }): string {
  const { document } = wordingOf(parameters);
  const { verify, exactDuplicates, measure, threshold } = parameters;
  if (counts.dropped === 0) return '';
  const each = counts.dropped === 1 ? 'it' : 'each';
  if (exactDuplicates || verify === 'none') {
    const kept = parameters.sets === undefined ? 'a kept document with the same tokens' : 'an equal kept set';
    return `: ${each} has ${kept}, which is named`;
  }
  if (measure === 'containment') {
    return `: ${each} contains ${thresholdText(threshold)} or more of a ${document} of the reference, which is named`;
  }
  const similarity = verify === 'signature' ? 'estimated similarity' : 'similarity';
  return `: ${each} has a kept near-duplicate, named with its ${similarity}`;
}

/** Lines about the dropped documents; none where none is dropped. */
export function droppedLines({ parameters, numbers }: Numbered): string[] {
  if (numbers.dropped.documents === 0) return [];
  return [
    `By reason   ${reasonsText(numbers, parameters)}`,
    ...sourceLines(numbers, parameters),
    ...thresholdLines(numbers, parameters),
  ];
}

function reasonsText({ reasons }: ReportedNumbers, parameters: ResultParams): string {
  const told: [amount: Amount, what: string][] = [
    [reasons.identical, 'identical'],
    [reasons.same_tokens, 'with the same tokens'],
    [reasons.near, 'near'],
  ];
  return told
    .filter(([{ documents }]) => documents > 0)
    .map(([amount, what]) => `${grouped(amount.documents)} ${what} (${contentText(amount, parameters)})`)
    .join(', ');
}

/** The most sources that a summary names; manifest.json has more. */
const MOST_LINES = 5;

/** `mail: 100 of 1,000 documents dropped (2.2 MB, 351,234 words)`, the sources with most of them. */
function sourceLines({ sources, kept, dropped }: ReportedNumbers, parameters: ResultParams): string[] {
  if (sources.length < 2) return [];
  const { documents } = wordingOf(parameters);
  const droppedText = (of: Amount, all: number): string =>
    `${grouped(of.documents)} of ${grouped(all)} ${documents} dropped`;
  const told = sources.filter((row) => row.source !== null && row.dropped.documents > 0).slice(0, MOST_LINES);
  const lines = told.map(
    (row) =>
      `${row.source}: ${droppedText(row.dropped, row.kept.documents + row.dropped.documents)} ` +
      `(${contentText(row.dropped, parameters)})`,
  );
  const rest = { kept: kept.documents, dropped: dropped.documents };
  for (const row of told) {
    rest.kept -= row.kept.documents;
    rest.dropped -= row.dropped.documents;
  }
  if (rest.kept + rest.dropped > 0)
    lines.push(
      `all others: ${grouped(rest.dropped)} of ${grouped(rest.kept + rest.dropped)} ${documents} dropped`,
    );
  return lines.map((text, i) => `${i === 0 ? 'By source' : '         '}   ${text}`);
}

/** `0.95 would drop 60, 0.90 90, 0.85 120 documents`, of thresholds above that of the run. */
function thresholdLines({ thresholds }: ReportedNumbers, parameters: ResultParams): string[] {
  const others = thresholds.slice(0, -1).reverse();
  if (others.length === 0) return [];
  const { document, documents } = wordingOf(parameters);
  const [first, ...more] = others;
  const parts = [
    `${thresholdText(first!.threshold)} would drop ${counted(first!.dropped, document, documents)}`,
    ...more.map(({ threshold, dropped }) => `${thresholdText(threshold)} ${grouped(dropped)}`),
  ];
  const basis = parameters.verify === 'signature' ? ' (by estimates)' : '';
  return [`Thresholds  ${parts.join(', ')}${basis}`];
}

/** Documents with fewer words are records, such as people, companies and titles. */
const RECORD_TOKENS = 20;

/**
 * A note where the median document has so few shingles that one changed token in its middle takes a pair below the threshold,
 * with settings that find such a pair. A token is in k of the document's n shingles, so two documents that differ in one token
 * share n - k shingles, and their union has n + k; a document of fewer than k tokens is one shingle.
 */
export function shortDocumentNotes({ parameters, numbers }: Numbered): string[] {
  const { threshold, shingle, sets, verify, agree, exactDuplicates, measure } = parameters;
  const tokens = numbers.median_tokens;
  const isOther = sets !== undefined || verify === 'none' || exactDuplicates || measure === 'containment';
  // The number of shingles at stop words does not follow from the length of a text.
  if (tokens === null || isOther || agree !== null || shingle.unit === 'stopwords') return [];
  const { unit, size } = shingle;
  if (unit === 'words' && size === 5 && tokens < RECORD_TOKENS)
    return [
      `Half of the ${wordingOf(parameters).documents} have ${counted(tokens, 'word')} or fewer, too few for shingles of five: ` +
        `use --preset records (${presetText('records')}).`,
    ];
  const left = similarityOfChanged(tokens, size);
  if (left >= threshold) return [];
  const n = shinglesOf(tokens, size);
  const token = TOKEN_WORDS[unit];
  const among = parameters.groups?.by === 'against' ? 'new ' : '';
  const shingles = size === 1 ? 'one' : `up to ${Math.min(n, size)}`;
  return [
    `Half of the ${among}${wordingOf(parameters).documents} have ${counted(n, 'shingle')} or fewer, of which one changed ${token} is in ${shingles}: ` +
      `two of ${grouped(n)} that differ in one ${token} have a Jaccard similarity of ${truncated(left).toFixed(2)}, and the threshold is ` +
      `${thresholdText(threshold)}. ${remediesText(tokens, parameters)}`,
  ];
}

/** The number of shingles of a document; one with fewer tokens than a shingle is one shingle. */
function shinglesOf(tokens: number, size: number): number {
  return Math.max(1, tokens - size + 1);
}

/** The resemblance of two documents of `tokens` tokens that differ in one token in the middle. */
function similarityOfChanged(tokens: number, size: number): number {
  const n = shinglesOf(tokens, size);
  return n <= size ? 0 : (n - size) / (n + size);
}

/** Rounds down to hundredths. */
function truncated(resemblance: number): number {
  return Math.floor(100 * resemblance + 1e-9) / 100;
}

/** The settings by which such a pair is found. */
function remediesText(tokens: number, parameters: ResultParams): string {
  const { threshold, verify, shingle } = parameters;
  const { unit, size } = shingle;
  const similarity = (k: number): number => similarityOfChanged(tokens, k);
  const hundredths = (k: number): number => truncated(similarity(k));
  let smaller = size - 1;
  while (smaller > 0 && similarity(smaller) < threshold) smaller--;
  const ways = [
    smaller > 0 ? `--shingle ${unit}:${smaller}` : '',
    hundredths(size) > 0 ? `--threshold ${hundredths(size)}` : '',
  ].filter((way) => way !== '');
  const least = hundredths(1);
  if (ways.length === 0 && least > 0) ways.push(`--shingle ${unit}:1 --threshold ${least}`);
  // Lines are few, and one changed word changes a whole line.
  if (smaller === 0 && unit === 'lines') ways.push('--shingle words:5, which compares words,');
  if (ways.length === 0) return 'No setting would find such a pair.';
  const finds =
    verify === 'signature'
      ? 'would find about half of such pairs, because estimates lie on both sides; a lower --threshold finds more.'
      : 'would find such a pair.';
  return `${ways.join(' or ')} ${finds}`;
}

/** A note where many reference documents are shorter than a shingle: such a text is one shingle, which only equal texts have. */
export function shortReferenceNotes({ counts, parameters }: Counted): string[] {
  const { reference_short: short = 0, reference_documents: all = 0 } = counts;
  if (short === 0) return [];
  const { unit, size } = parameters.shingle;
  return [
    `${grouped(short)} of ${counted(all, 'document')} of the reference ${short === 1 ? 'is' : 'are'} shorter than a shingle ` +
      `(${unit}:${size}), and found only in documents with the same text: use a smaller --shingle, ${unit}:${Math.max(1, size - 2)}.`,
  ];
}

/**
 * How many of the documents that were compared with a reference have a near-duplicate in it, and how many of these are dropped.
 *
 * @param paths the PATHs of the reference
 */
export function referenceLine({ counts, parameters }: Counted, paths: readonly string[]): string[] {
  const { reference_documents: reference, reference_matches: matches, read, dropped } = counts;
  if (reference === undefined || matches === undefined) return [];
  const where = paths.length === 0 ? '' : `${listed(paths)} `;
  const found = `${grouped(matches)} of ${counted(read - reference, 'new document')}`;
  const left =
    dropped === matches ? '' : `; ${grouped(dropped)} of them ${dropped === 1 ? 'is' : 'are'} dropped`;
  return [
    `Reference   ${where}(${counted(reference, 'document')}): ${found} ${alikeText(parameters, matches)}${left}`,
  ];
}

function alikeText({ measure, verify, exactDuplicates }: ResultParams, matches: number): string {
  const isOne = matches === 1;
  if (exactDuplicates || verify === 'none') return `${isOne ? 'has' : 'have'} the tokens of a document there`;
  if (measure === 'resemblance') return `${isOne ? 'resembles' : 'resemble'} a document there`;
  return `${isOne ? 'contains' : 'contain'} a document there`;
}
