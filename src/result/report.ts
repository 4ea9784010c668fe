/**
 * The report of a finished run: data for `--json` and the library, and the lines of the summary. Paths in it
 * are as given; the caller that prints them escapes them.
 */

import { ERRORS, type ErrorCode } from '../errors.js';
import { deepFrozen } from '../options/check.js';
import type { LeftOut, RootPlace } from '../readers/list/inputs.js';
import { sketchFamilyOf } from '../sketch/family.js';
import type { ResultParams, Unit } from '../sketch/params.js';
import type { WrittenFile } from '../store/files.js';
import { sizeText } from '../store/sizeText.js';
import { ALL_FACTS, listedRows, type ManifestCounts, worded } from './facts.js';
import {
  type LackedValues,
  orderOfPaths,
  type ReadAs,
  type SCurveFacts,
  type StageStats,
  type Stats,
  skippedTotal,
} from './manifest.js';
import { counted, grouped } from './wording/amounts.js';
import {
  amountText,
  droppedLines,
  droppedText,
  referenceLine,
  shortDocumentNotes,
  shortReferenceNotes,
} from './wording/numberLines.js';
import type { ReportedNumbers } from './wording/reportedNumbers.js';
import {
  brokenWarnings,
  identityText,
  largeBucketWarnings,
  leftOutLines,
  othersText,
  promiseLine,
  readAsLines,
  resultsText,
  sameTokensWarnings,
  survivorsText,
  survivorWarnings,
  thresholdText,
  wordingOf,
} from './wording/wording.js';

/** Where the documents of a run came from. */
export interface ReportedInputs {
  /** Prefixes of places, by PATH. */
  readonly places: readonly RootPlace[];
}

/**
 * Advice how to write the corpus without the dropped documents. `to`: into this folder, which can be written; `force`: it
 * replaces an earlier corpus; `corpus`: PATHs of the corpus, where the result's own cannot be trusted. Else `listed`: what a list
 * of places is for, and why the corpus cannot be written.
 */
export type CorpusAdvice =
  | { readonly to: string; readonly force?: true; readonly corpus?: readonly string[] }
  | { readonly listed: string };

/** `; it does not hold for ...`; empty if the expected recall holds for all documents. */
function exceptionsText({ counts, parameters }: Report): string {
  const { documents } = wordingOf(parameters);
  const skipped = skippedTotal(counts);
  const exceptions: [count: number, text: string][] = [
    [
      counts.hot_members,
      `${counted(counts.hot_buckets, 'large bucket')}, whose ${documents} were compared with at most 64 others`,
    ],
    [counts.empty, `${grouped(counts.empty)} empty, which ${counts.empty === 1 ? 'is' : 'are'} in no pair`],
    [skipped, `${grouped(skipped)} skipped`],
  ];
  const told = exceptions.filter(([count]) => count > 0).map(([, text]) => text);
  return told.length === 0 ? '' : `; it does not hold for ${told.join('; ')}`;
}

/** The most PATHs that the summary names; stats.json has all. */
const MOST_PLACES = 10;

/** The lines of the prefixes of places; none if places are plain paths below the only folder, or from the current folder. */
function placeLines({ inputs, parameters }: Report): string[] {
  // The place of a set is its name.
  if (inputs === undefined || parameters.sets !== undefined) return [];
  const { places } = inputs;
  const [first] = places;
  if (first === undefined) return [];
  if (places.length === 1 && (first.kind !== 'file' || first.path.replace(/^(\.\/+)+/, '') === first.prefix))
    return [];
  const told = places.slice(0, MOST_PLACES).map(placeText);
  const more = places.length - told.length;
  if (more > 0) told.push(`${counted(more, 'more PATH')}: see places in stats.json`);
  return told.map((text, i) => `${i === 0 ? 'Places' : '      '}      ${text}`);
}

function placeText({ prefix, path, kind }: RootPlace): string {
  if (kind === 'stdin')
    return prefix === '-' ? '-#line is a line of standard input' : `${prefix}#n is a row of the query`;
  if (kind === 'file') return `${prefix} stands for ${path}`;
  return `${prefix === '' ? '' : `${prefix}/`}... is below ${path}`;
}

/** The PATHs of the reference. */
export function referencePaths({ inputs }: Report): readonly string[] {
  return inputs?.places.filter(({ isReference }) => isReference === true).map(({ path }) => path) ?? [];
}

/** The prefixes of the places of several PATHs, in the order of the PATHs. */
function pathsOf({ inputs }: Report): readonly string[] {
  const places = inputs?.places.filter(({ isReference }) => isReference !== true);
  return places === undefined ? [] : (orderOfPaths(places) ?? []);
}

/** The last lines of the details: what is kept and what can be dropped. */
function endLines(report: Report): string[] {
  const { counts, numbers, parameters } = report;
  const survivors = counts.dropped === 0 ? '' : `: ${survivorsText(parameters, pathsOf(report))}`;
  return [
    `Keep        ${amountText(numbers.kept, parameters)}${survivors}`,
    `Drop        ${amountText(numbers.dropped, parameters)}${droppedText(report)}`,
    ...droppedLines(report),
    ...referenceLine(report, referencePaths(report)),
    ...placeLines(report),
  ];
}

/** Warnings about ids, as sentences. */
function idWarnings(
  { counts, parameters }: Pick<ReportFacts, 'counts' | 'parameters'>,
  readAs: ReportFacts['readAs'] | undefined,
): string[] {
  const { document, documents } = wordingOf(parameters);
  const { ids_repeated: repeated } = counts;
  const warnings: string[] = [];
  const unnamed = readAs?.unnamed ?? 0;
  if (unnamed > 0) {
    const rows = counted(unnamed, 'row of the query', 'rows of the query');
    warnings.push(
      `${rows} without an id (--id-field): called row#n, by the number of the row, from 1. ` +
        'Without an ORDER BY DuckDB may give the rows in another order, and the result then has other bytes.',
    );
  }
  if (repeated > 0) {
    const [has, is] = repeated === 1 ? [`${document} has`, 'is'] : [`${documents} have`, 'are'];
    warnings.push(
      `${grouped(repeated)} ${has} an id that another one has, and ${is} called by the location instead: ` +
        'to remove by id would remove others, so remove by location.',
    );
  }
  return warnings;
}

export interface ReportFacts {
  readonly version: string;
  /** The output folder as typed. */
  readonly out: string;
  readonly parameters: ResultParams;
  readonly counts: ManifestCounts;
  readonly numbers: ReportedNumbers;
  readonly sCurve: SCurveFacts;
  readonly files: readonly WrittenFile[];
  readonly stages: readonly StageStats[];
  readonly elapsedMilliseconds: number;
  /** The source of the documents. */
  readonly inputs?: ReportedInputs;
  /** Entries below the PATHs that were not read. */
  readonly leftOut?: LeftOut;
  /** The numbers of documents by format; absent for a result that existed already, and for documents in memory. */
  readonly readAs?: ReadAs;
  /** The field of `--id-field`, where it was given and no record has it; absent otherwise. */
  readonly missingIdField?: string;
  /** The names of `--text-field`, if there are several, that none of the first records has. Absent: none. */
  readonly lackedTextFields?: readonly string[];
  /** Fields of `--keep` and `--group-field` that some documents lack. Absent: none. */
  readonly lackedValues?: readonly LackedValues[];
  /** Files and folders in the output folder that are not ours, and were left unchanged. Absent: none. */
  readonly others?: readonly string[];
}

/** What `apply` writes. `kept`: the kept documents; `dropped`: the dropped ones; `annotated`: all documents, with fields added. */
export type ApplyMode = 'kept' | 'dropped' | 'annotated';

/** The outcome of writing the corpus. JSON. */
export interface ApplyReport {
  readonly version: string;
  /** The folder of the result, and that of the written corpus; as given. */
  readonly result: string;
  readonly out: string | null;
  readonly mode: ApplyMode;
  /** The unit of comparison. Where it is not the document, `documents` counts units, which were removed from documents. */
  readonly unit: Unit;
  /** Documents of the run. */
  readonly documents: { readonly read: number; readonly kept: number; readonly dropped: number };
  /**
   * Input files: read; written, with those that are unchanged; left out, because all or (mode `dropped`) none of their documents
   * were dropped.
   */
  readonly files: {
    readonly read: number;
    readonly written: number;
    readonly unchanged: number;
    readonly left_out: number;
  };
  /** Records, documents or not, of files that were written anew; files of which no record remains count, too. */
  readonly records: { readonly read: number; readonly written: number; readonly left_out: number };
  /** Bytes of files as they are stored. */
  readonly bytes: { readonly read: number; readonly written: number };
}

/** The report of a run. Frozen; JSON. */
export interface Report extends ReportFacts {
  /**
   * Plain sentences, in the words of the command, about limits, estimates and open points; empty if there are
   * none.
   */
  readonly warnings: readonly string[];
  /** The outcome of writing the corpus, where that was requested. */
  readonly applied?: ApplyReport;
  /** How to write the corpus; of a result in a folder, where documents are dropped and the corpus is not written. */
  readonly cleaned?: CorpusAdvice;
}

function estimateWarning(parameters: ResultParams): string[] {
  const { verify, exactDuplicates } = parameters;
  if (exactDuplicates) return [];
  const { alike } = wordingOf(parameters);
  if (verify === 'none') {
    return [
      'Nothing was verified (--verify none): candidates are listed, but clusters and the drop list come ' +
        `from ${alike} alone.`,
    ];
  }
  return [];
}

/** The name of the measure, in the words of users. */
function measureName({ measure }: ResultParams): string {
  return measure === 'containment' ? measure : 'Jaccard similarity';
}

function clusterWarnings(counts: ManifestCounts, parameters: ResultParams): string[] {
  const warnings: string[] = [];
  if (counts.members_below_threshold > 0) {
    const below = counted(
      counts.members_below_threshold,
      'member of a cluster is',
      'members of clusters are',
    );
    warnings.push(
      `${below} less like the representative than ${thresholdText(parameters.threshold)}: ${measureName(parameters)} is not transitive. ` +
        `Use the drop list, not the clusters, to remove ${wordingOf(parameters).documents}.`,
    );
  }
  return warnings;
}

function lackedText({ field, documents }: LackedValues): string {
  const [lack, come] = documents === 1 ? ['lacks', 'it comes'] : ['lack', 'they come'];
  return `${counted(documents, 'document')} ${lack} the field ${JSON.stringify(field)}: ${come} last.`;
}

/** Warnings for readers of the result, as sentences built from the counts. */
function warningsOf({
  counts,
  parameters,
  leftOut,
  out,
  others,
  missingIdField,
  lackedTextFields = [],
  inputs,
  lackedValues = [],
  readAs,
}: Omit<ReportFacts, 'version' | 'sCurve' | 'files' | 'stages' | 'elapsedMilliseconds'>): string[] {
  const results = resultsText(leftOut);
  const otherFiles = othersText(out, others);
  return [
    ...estimateWarning(parameters),
    ...largeBucketWarnings(counts, parameters),
    ...(missingIdField === undefined
      ? []
      : [`No record has the field ${JSON.stringify(missingIdField)} of --id-field: ids are places instead.`]),
    ...lackedTextFields.map(
      (name) => `None of the first records has the field ${JSON.stringify(name)} of --text-field.`,
    ),
    ...lackedValues.map(lackedText),
    ...brokenWarnings(counts),
    ...idWarnings({ counts, parameters }, readAs),
    ...sameTokensWarnings(counts, parameters),
    ...(results === null ? [] : [results]),
    ...(otherFiles === null ? [] : [otherFiles]),
    ...survivorWarnings(parameters, inputs?.places ?? []),
  ];
}

/** What a report tells of the statistics of its run. */
export function toldIn({
  stages,
  elapsed_milliseconds: elapsedMilliseconds,
  missing_id_field: missingIdField,
  lacked_text_fields: lackedTextFields,
  lacked_values: lackedValues,
  read_as: readAs,
}: Stats): Pick<
  ReportFacts,
  'stages' | 'elapsedMilliseconds' | 'missingIdField' | 'lackedTextFields' | 'lackedValues' | 'readAs'
> {
  return {
    ...{ stages, elapsedMilliseconds },
    ...(typeof missingIdField === 'string' && { missingIdField }),
    ...(lackedTextFields.length > 0 && { lackedTextFields }),
    ...(lackedValues.length > 0 && { lackedValues }),
    ...(readAs !== null && { readAs }),
  };
}

/** The frozen report of a run. */
export function reportOf(facts: ReportFacts): Report {
  return deepFrozen({ ...facts, warnings: warningsOf(facts) });
}

/** The texts that rows of the table of facts have in the summary, by line. */
function toldFacts({ counts, parameters }: Report): Record<string, string[]> {
  const lines: Record<string, string[]> = {};
  const values: Readonly<Record<string, unknown>> = counts;
  for (const [name, { told, from = 1 }] of ALL_FACTS) {
    const value = values[name];
    if (told === undefined || typeof value !== 'number' || value < from) continue;
    const words = typeof told.text === 'string' ? told.text : told.text(parameters);
    lines[told.line] = [...(lines[told.line] ?? []), `${grouped(value)} ${worded(words, value)}`];
  }
  return lines;
}

function documentLines({ counts, parameters, leftOut, readAs }: Report, told: readonly string[]): string[] {
  const { document, documents } = wordingOf(parameters);
  const of = counts.documents_cut === undefined ? '' : ` of ${counted(counts.documents_cut, 'document')}`;
  const parts = [`${counted(counts.read, document)}${of} read`, ...told];
  const named = listedRows(counts) > 0 ? ' (named in skipped.tsv)' : '';
  const skipped = Object.entries(counts.skipped).filter(([, count]) => count > 0);
  const total = skippedTotal(counts);
  const lines = [
    `${(documents[0]!.toUpperCase() + documents.slice(1)).padEnd(12)}${parts.join(', ')}${named}`,
    ...readAsLines(readAs),
    `Skipped     ${total === 0 ? 'none' : grouped(total)}`,
  ];
  for (const [code, count] of skipped.sort(([x], [y]) => (x < y ? -1 : 1))) {
    const text = code in ERRORS ? `: ${ERRORS[code as ErrorCode].text}` : '';
    lines.push(`            ${grouped(count)} ${code}${text}`);
  }
  return [...lines, ...leftOutLines(leftOut)];
}

function pairLines(report: Report): string[] {
  const { counts, parameters } = report;
  const threshold = thresholdText(parameters.threshold);
  const measure = `${parameters.verify === 'signature' ? 'estimated' : 'exact'} ${measureName(parameters)}`;
  const rule =
    parameters.agree === null
      ? `${measure} of at least ${threshold}`
      : `at least ${parameters.agree} of ${sketchFamilyOf(parameters).units} slots equal (${measure} ${threshold})`;
  const near =
    parameters.verify === 'none' ? 'none verified' : `${counted(counts.verified_pairs, 'pair')} with ${rule}`;
  const identical = identityText(counts, parameters);
  if (parameters.exactDuplicates) return [`Identical   ${identical}`];
  return [
    `Identical   ${identical}`,
    `Candidates  ${counted(counts.candidate_pairs, 'pair')}${listedText(report)}`,
    `Near        ${near}`,
  ];
}

/** How many candidates are listed, of how many if not all are, and the size of their files. */
function listedText({ counts, files }: Report): string {
  const { candidate_pairs: all, candidates_listed: listed = all } = counts;
  if (listed === all) return '';
  const bytes = files.reduce(
    (sum, file) => (file.file.startsWith('candidates/') ? sum + file.bytes : sum),
    0,
  );
  return `; ${grouped(listed)} listed (${sizeText(bytes)})`;
}

function clusterLine({ counts, parameters }: Report): string {
  const below =
    parameters.verify === 'none'
      ? ''
      : `; ${counted(counts.members_below_threshold, 'member')} below ` +
        `${thresholdText(parameters.threshold)} to the representative`;
  const kind = parameters.cluster === 'greedy' ? 'greedy, ' : '';
  const documents = counted(counts.clustered_documents, wordingOf(parameters).document);
  return `Clusters    ${kind}${grouped(counts.clusters)} with ${documents}${below}`;
}

function smallNotes(report: Report): string[] {
  return [...shortDocumentNotes(report), ...shortReferenceNotes(report)].map((note) => `Note        ${note}`);
}

/** `candidates (2 parts), pairs (1 part), duplicates.tsv, ...` in the order of the names. */
function fileList(files: readonly WrittenFile[]): string {
  const parts = new Map<string, number>();
  for (const { file } of files) {
    const slash = file.indexOf('/');
    const name = slash < 0 ? file : file.slice(0, slash + 1);
    parts.set(name, (parts.get(name) ?? 0) + 1);
  }
  const names = [...parts.keys()].sort();
  return names
    .map((name) => (name.endsWith('/') ? `${name} (${counted(parts.get(name)!, 'part')})` : name))
    .join(', ');
}

/**
 * All that the run counted, one string per line, for `--verbose`. The summary is in summary.ts.
 */
export function detailLines(report: Report): string[] {
  const header =
    report.parameters.verify === 'signature' ? ['Jaccard similarity of near pairs: estimate'] : [];
  const { Documents: ofDocuments = [], ...others } = toldFacts(report);
  return [
    ...header,
    ...documentLines(report, ofDocuments),
    ...pairLines(report),
    clusterLine(report),
    ...Object.entries(others).map(([line, facts]) => `${line.padEnd(12)}${facts.join(', ')}`),
    `Promise     ${promiseLine(report)}${exceptionsText(report)}`,
    ...smallNotes(report),
    ...clusterWarnings(report.counts, report.parameters).map((warning) => `Note        ${warning}`),
    `Written     ${report.out}: ${fileList(report.files)}, manifest.json, stats.json, _SUCCESS`,
    `Time        ${(report.elapsedMilliseconds / 1000).toFixed(1)} s`,
    ...endLines(report),
  ];
}
