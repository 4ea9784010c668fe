/** All warnings about a run, as sentences with what to type. */

import { deepFrozen } from '../options/check.js';
import { presetText } from '../options/presets.js';
import { shellPath } from '../options/shellWord.js';
import { CODEC_ENDINGS, type Codec } from '../readers/list/fileList.js';
import { acceptedPairs } from './manifest.js';
import type { Report, ReportFacts } from './report.js';
import { counted, grouped } from './wording/amounts.js';
import { listed, wordingOf } from './wording/wording.js';

/** The sentences of a warning; none if it does not apply. */
type Rule = (facts: ReportFacts) => readonly string[];

/** Mean number of elements per set, below which lines are hardly meant as elements of sets. */
const MOST_SINGLE = 1.5;

/** Number of invalid JSON records per document, from which on the file probably has another format. */
const BROKEN_PER_DOCUMENT = 9;

/** Codes of compressed files that end early, are damaged or have other bytes at their end: apply cannot write such files. */
const DAMAGED = /^(GZIP|ZSTD|BZIP2|XZ)_(?:TRUNCATED|DAMAGED|BEHIND)$/;

/**
 * The command that decompresses what can be read of a damaged compressed file; null if the code means something else.
 *
 * @param file its path; default: `x` with the usual ending
 */
export function rescueOf(code: string, file?: string): string | null {
  const program = DAMAGED.exec(code)?.[1]?.toLowerCase();
  if (program === undefined) return null;
  const [ending] = CODEC_ENDINGS[program as Codec];
  const compressed = file ?? `x${ending}`;
  const plain = compressed.replace(/\.[^./]+$/, '');
  return `${program} -dc ${shellPath(compressed)} > ${shellPath(plain === compressed ? `${plain}.txt` : plain)}`;
}

/** What to do with lines that are whole baskets, with this character between their elements. */
export function basketsText(separator: string, file = 'FILE'): string {
  const flag = separator === '\t' ? "-F'\\t'" : `-F${shellPath(separator)}`;
  return (
    'A line is read as a set, one element and its weight. If it is a whole basket (11,22,33), use: ' +
    `awk ${flag} '{ for (i = 1; i <= NF; i++) print NR "\\t" $i }' ${file} | mr-minhash run - --input sets`
  );
}

const WARNINGS: readonly Rule[] = [
  ({ counts: { skipped }, damagedFiles = {} }) => {
    const cut = Object.keys(skipped).filter((code) => rescueOf(code) !== null);
    if (cut.length === 0) return [];
    const files = counted(
      cut.reduce((sum, code) => sum + skipped[code]!, 0),
      'compressed file',
    );
    return [
      `${files} ended early or had damage (${cut.join(', ')}, listed in skipped.tsv): what follows it was not read, and apply cannot write ` +
        `such a file if documents in it are dropped. Decompress it (${cut.map((code) => rescueOf(code, damagedFiles[code])).join('; ')}), and delete or move the damaged file ` +
        'before you run again: otherwise both are read.',
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
  ({ inputNotes = [] }) => inputNotes,
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
  (facts) => {
    const { parameters, counts, numbers } = facts;
    const { read, shingle_occurrences: elements } = counts;
    const { sets } = parameters;
    const areSingle = numbers.median_shingles === 1 && elements < MOST_SINGLE * read;
    if (sets === undefined || read < 2 || !areSingle) return [];
    // The first lines may have shown it already.
    return facts.inputNotes === undefined
      ? [`Most sets have one element. ${basketsText(parameters.separator ?? ',')}`]
      : [];
  },
  shortRecords,
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
    const paths = inputs?.places ?? [];
    const isByTime = keep.by === 'newest' || keep.by === 'oldest';
    if (!isByTime || paths.length !== 1 || paths[0]!.kind === 'folder') return [];
    return [
      `Records of one file are equally new, so --keep ${keep.by} has no effect on them; --keep field:NAME compares a field.`,
    ];
  },
];

/** The frozen report of a run, with its warnings. */
export function reportOf(facts: ReportFacts): Report {
  return deepFrozen({ ...facts, warnings: WARNINGS.flatMap((rule) => rule(facts)) });
}

/** Documents with fewer words are records, such as people, companies and titles. */
const RECORD_TOKENS = 20;

/** Fewer documents are looked at one by one, and a median of few says little. */
const MANY_RECORDS = 30;

/** Advice if documents are short records: not lines or paragraphs, which are parts of texts, and not few, which are looked at one by one. */
function shortRecords({ parameters, counts: { read }, numbers }: ReportFacts): string[] {
  const { shingle, sets, unit, verify, agree, exactDuplicates, measure, groups } = parameters;
  const tokens = numbers.median_tokens;
  const isDefault =
    shingle.unit === 'words' && shingle.size === 5 && agree === null && measure === 'resemblance';
  if (!isDefault || sets !== undefined || unit !== 'document' || verify === 'none' || exactDuplicates)
    return [];
  if (read < MANY_RECORDS || tokens === null || tokens >= RECORD_TOKENS) return [];
  return [
    `Half of the ${groups === null ? '' : 'new '}documents have ${counted(tokens, 'word')} or fewer, too few for shingles of five: use --preset records (${presetText('records')}).`,
  ];
}
