/** All warnings about a run, as sentences with what to type, and the notes that `--verbose` adds. */

import { deepFrozen } from '../options/check.js';
import { presetText } from '../options/presets.js';
import { shellPath } from '../options/shellWord.js';
import type { ResultParams } from '../sketch/params.js';
import type { ShingleUnit } from '../text/shingles.js';
import { acceptedPairs } from './manifest.js';
import type { Report, ReportFacts } from './report.js';
import { counted, grouped } from './wording/amounts.js';
import { listed, thresholdText, wordingOf } from './wording/wording.js';

/** The sentences of a warning; none if it does not apply. */
type Rule = (facts: ReportFacts) => readonly string[];

/** Mean number of elements per set, below which lines are hardly meant as elements of sets. */
const MOST_SINGLE = 1.5;

/** Number of invalid JSON records per document, from which on the file probably has another format. */
const BROKEN_PER_DOCUMENT = 9;

/** Codes of compressed files that end early or are damaged: apply cannot write such files. */
const CUT_SHORT = /^(GZIP|ZSTD|BZIP2|XZ)_(TRUNCATED|DAMAGED)$/;

/** How to rescue the readable part of a compressed file that was skipped from some point on; null if the code means something else. */
export function rescueOf(code: string, file: string): string | null {
  const program = CUT_SHORT.exec(code)?.[1];
  if (program === undefined) return null;
  const plain = file.replace(/\.[^./]+$/, '');
  return `${program.toLowerCase()} -dc ${shellPath(file)} > ${shellPath(plain)}`;
}

const WARNINGS: readonly Rule[] = [
  ({ counts: { skipped } }) => {
    const cut = Object.keys(skipped).filter((code) => rescueOf(code, '') !== null);
    if (cut.length === 0) return [];
    const files = counted(
      cut.reduce((sum, code) => sum + skipped[code]!, 0),
      'compressed file',
    );
    return [
      `${files} could be read only in part (${cut.join(', ')}, listed in skipped.tsv), and apply cannot write such a file: ` +
        `decompress it first (${rescueOf(cut[0]!, 'x.gz')}) and run on that.`,
    ];
  },
  ({ parameters }) => {
    if (parameters.exactDuplicates || parameters.verify !== 'none') return [];
    return [
      'Nothing was verified (--verify none): candidates are listed, but clusters and the drop list come ' +
        `from ${wordingOf(parameters).alike} alone.`,
    ];
  },
  ({ parameters, counts: { hot_buckets: buckets, hot_members: members, hot_unmatched: unmatched } }) => {
    if (buckets === 0) return [];
    const left = unmatched === 0 ? '' : `; ${grouped(unmatched)} reached the threshold with none of them`;
    return [
      `${grouped(members)} ${wordingOf(parameters).documents} of ${counted(buckets, 'large bucket')} were compared with at most 64 others${left}`,
    ];
  },
  ({ missingIdField: field }) =>
    field === undefined
      ? []
      : [`No record has the field ${JSON.stringify(field)} of --id-field: ids are locations instead.`],
  ({ unverifiedSources = [] }) => {
    if (unverifiedSources.length === 0) return [];
    const more = unverifiedSources.length > 5 ? `; and ${unverifiedSources.length - 5} more` : '';
    const named = unverifiedSources.slice(0, 5).join('; ');
    return [`Candidates of the index could not be verified: ${named}${more}.`];
  },
  ({ parameters: { textField }, counts: { records_as_text: files = 0 } }) =>
    files === 0
      ? []
      : [
          `${counted(files, 'file of records lacks', 'files of records lack')} the text field ${JSON.stringify(textField ?? 'text')} and ` +
            `${files === 1 ? 'is compared as a text' : 'are compared as texts'}: name the field with --text-field, or --exclude them.`,
        ],
  ({ lackedTextFields = [] }) =>
    lackedTextFields.map(
      (name) => `None of the first records has the field ${JSON.stringify(name)} of --text-field.`,
    ),
  ({ lackedValues = [] }) =>
    lackedValues.map(({ field, documents }) => {
      const [lack, come] = documents === 1 ? ['lacks', 'it comes'] : ['lack', 'they come'];
      return `${counted(documents, 'document')} ${lack} the field ${JSON.stringify(field)}: ${come} last.`;
    }),
  ({ counts: { read, skipped } }) => {
    const broken = skipped.JSON_BROKEN ?? 0;
    if (broken < BROKEN_PER_DOCUMENT * Math.max(1, read)) return [];
    return [
      `${counted(broken, 'record is', 'records are')} not valid JSON, and only ${counted(read, 'document was', 'documents were')} ` +
        'read: for tables use --input csv or --input tsv.',
    ];
  },
  ({ parameters, counts: { ids_repeated: repeated } }) => {
    if (repeated === 0) return [];
    const { document, documents } = wordingOf(parameters);
    const has = repeated === 1 ? `${document} has` : `${documents} have`;
    return [
      `${grouped(repeated)} ${has} the id of an earlier one: remove by location (the columns place and a_location), not by id.`,
    ];
  },
  ({ parameters: { shingle }, counts }) => {
    const differing = counts.same_tokens_other_punctuation;
    const comparesWords = shingle.unit === 'words' || shingle.unit === 'stopwords';
    if (differing === 0 || !comparesWords) return [];
    return [
      `${grouped(differing)} of ${counted(acceptedPairs(counts), 'accepted pair has', 'accepted pairs have')} the same words but other ` +
        'punctuation or symbols, which may matter ("C++", "C#"; "age >= limit", "age < limit"): --shingle chars:16 compares them too.',
    ];
  },
  ({ parameters: { sets }, counts: { read, shingle_occurrences: elements }, numbers }) => {
    const areSingle = numbers.median_shingles === 1 && elements < MOST_SINGLE * read;
    if (sets === undefined || read < 2 || !areSingle) return [];
    return [
      'Most sets have one element, because every line is a set and one element. For lines that are whole baskets (11,22,33) use: ' +
        `awk -F, '{ for (i = 1; i <= NF; i++) print NR "\\t" $i }' FILE | mr-minhash run - --input sets`,
    ];
  },
  (facts) => (areManyRecords(facts) ? shortRecords(facts) : []),
  ({ leftOut }) => {
    const results = leftOut?.results ?? [];
    if (results.length === 0) return [];
    const [holds, was] = results.length === 1 ? ['holds', 'was'] : ['hold', 'were'];
    const folders = counted(results.length, 'folder');
    return [
      `${folders} below the PATHs that ${holds} a result of mr-minhash ${was} skipped: ${listed(results)}.`,
    ];
  },
  ({ parameters: { keep }, inputs }) => {
    const places = inputs?.places ?? [];
    const isByTime = keep.by === 'newest' || keep.by === 'oldest';
    if (!isByTime || places.length !== 1 || places[0]!.kind === 'folder') return [];
    return [
      `Records of one file are equally new, so --keep ${keep.by} has no effect on them; --keep field:NAME compares a field.`,
    ];
  },
];

/** The frozen report of a run, with its warnings. */
export function reportOf(facts: ReportFacts): Report {
  return deepFrozen({ ...facts, warnings: WARNINGS.flatMap((rule) => rule(facts)) });
}

/** The notes of `--verbose`. */
export function notesOf(report: Report): string[] {
  const short = areManyRecords(report) ? [] : shortRecords(report);
  return [
    ...(short.length > 0 ? short : shortDocuments(report)),
    ...shortReferences(report),
    ...chains(report),
  ];
}

function chains({ counts, parameters }: Report): string[] {
  if (counts.members_below_threshold === 0) return [];
  const members = counted(
    counts.members_below_threshold,
    'member of a cluster is',
    'members of clusters are',
  );
  return [
    `${members} less similar to their representative than ${thresholdText(parameters.threshold)}: similarity is not transitive. ` +
      `Use the drop list, not the clusters, to remove ${wordingOf(parameters).documents}.`,
  ];
}

/** A note about documents of a reference that are shorter than a shingle: the whole text is one shingle, which only equal texts have. */
function shortReferences({ counts, parameters }: Report): string[] {
  const { reference_short: short = 0, reference_documents: total = 0 } = counts;
  if (short === 0) return [];
  const { unit, size } = parameters.shingle;
  return [
    `${grouped(short)} of ${counted(total, 'document')} of the reference ${short === 1 ? 'is' : 'are'} shorter than a shingle ` +
      `(${unit}:${size}), and can only be found as a whole text: use a smaller --shingle, ${unit}:${Math.max(1, size - 2)}.`,
  ];
}

const TOKEN: Readonly<Record<Exclude<ShingleUnit, 'stopwords'>, string>> = {
  words: 'word',
  chars: 'character',
  bytes: 'byte',
  lines: 'line',
};

/** Documents with fewer words are records, such as people, companies and titles. */
const RECORD_TOKENS = 20;

/** Fewer documents are no database, and are looked at one by one. */
const MANY_RECORDS = 100;

/** Whether short documents are probably records: not lines or paragraphs, which are parts of texts. */
function areManyRecords({ counts: { read }, parameters: { unit } }: ReportFacts): boolean {
  return read >= MANY_RECORDS && (unit ?? 'document') === 'document';
}

/** The tokens of the median document, if they decide what is found; else null. */
function medianTokens({ parameters, numbers }: ReportFacts): number | null {
  const { shingle, sets, verify, agree, exactDuplicates, measure } = parameters;
  const isOther = sets !== undefined || verify === 'none' || exactDuplicates || measure === 'containment';
  // The number of shingles at stop words does not follow from the length of a text.
  return isOther || agree !== null || shingle.unit === 'stopwords' ? null : numbers.median_tokens;
}

function halfHave({ parameters }: ReportFacts): string {
  return `Half of the ${parameters.groups === null ? '' : 'new '}${wordingOf(parameters).documents} have`;
}

function shortRecords(facts: ReportFacts): string[] {
  const { unit, size } = facts.parameters.shingle;
  const tokens = medianTokens(facts);
  if (tokens === null || unit !== 'words' || size !== 5 || tokens >= RECORD_TOKENS) return [];
  return [
    `${halfHave(facts)} ${counted(tokens, 'word')} or fewer, too few for shingles of five: use --preset records (${presetText('records')}).`,
  ];
}

/**
 * A note if the median document has so few shingles that one changed token in its middle takes a pair below the threshold.
 * A token is in k of the document's n shingles, so two documents that differ in one token share n - k shingles, and their union
 * has n + k. A document of fewer than k tokens is one shingle.
 */
function shortDocuments(report: Report): string[] {
  const { parameters } = report;
  const { threshold, shingle } = parameters;
  const { unit, size } = shingle;
  const tokens = medianTokens(report);
  // Records have a warning instead, or a note of their own.
  if (tokens === null || unit === 'stopwords' || shortRecords(report).length > 0) return [];
  const shingles = (k: number): number => Math.max(1, tokens - k + 1);
  const similarity = (k: number): number => Math.max(0, (shingles(k) - k) / (shingles(k) + k));
  if (similarity(size) >= threshold) return [];
  return [
    `${halfHave(report)} ${counted(shingles(size), 'shingle')} or fewer: two of ${grouped(shingles(size))} that differ in one ${TOKEN[unit]} have a ` +
      `Jaccard similarity of ${hundredths(similarity(size)).toFixed(2)}, and the threshold is ${thresholdText(threshold)}. ${remedyText(parameters, similarity)}`,
  ];
}

/** Rounded down. */
function hundredths(similarity: number): number {
  return Math.floor(100 * similarity + 1e-9) / 100;
}

/** Options with which a pair of median documents that differ in one token is found. */
function remedyText(
  { shingle: { unit, size }, threshold, verify }: ResultParams,
  similarity: (k: number) => number,
): string {
  let smaller = size - 1;
  while (smaller > 0 && similarity(smaller) < threshold) smaller--;
  const ways = smaller > 0 ? [`--shingle ${unit}:${smaller}`] : [];
  const [own, ofOne] = [hundredths(similarity(size)), hundredths(similarity(1))];
  if (own > 0) ways.push(`--threshold ${own}`);
  else if (ways.length === 0 && ofOne > 0) ways.push(`--shingle ${unit}:1 --threshold ${ofOne}`);
  // Lines are few, and one changed word changes a whole line.
  if (smaller === 0 && unit === 'lines') ways.push('--shingle words:5, which compares words,');
  if (ways.length === 0) return 'No setting would find such a pair.';
  const finds =
    verify === 'signature'
      ? 'about half of such pairs, because estimates vary; a lower --threshold finds more.'
      : 'such a pair.';
  return `${ways.join(' or ')} would find ${finds}`;
}
