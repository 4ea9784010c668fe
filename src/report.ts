/**
 * The report of a finished run: data for `--json` and the library, and the lines of the summary.
 *
 * Floor 4. Pure: prints nothing, reads nothing. Paths in it are as they came; whoever prints cleans them.
 */
import { ERRORS, type ErrorCode } from './errors.js';
import { nothingReadText, othersText, resultsText } from './leftOutText.js';
import { counted, grouped, promiseLine, thresholdText } from './promiseText.js';
import { eliminationWarnings, smallText } from './samplingText.js';
import type { ResultParams } from './sketch/params.js';
import { agreementUnits, sampleParams, signatureParams } from './sketch/sketchKind.js';
import type { LeftOut } from './storage/inputs.js';
import type { WrittenFile } from './storage/results/atomicFile.js';
import type { ManifestCounts, SampleRuleFacts, SCurveFacts } from './storage/results/manifest.js';
import type { ResumedStats, StageStats } from './storage/results/stats.js';
import { endLines, exceptionsText, idWarnings, type ReportedInputs } from './summaryEnd.js';
import { wordingOf } from './wording.js';

export { grouped, promiseLine };

export interface ReportFacts {
  readonly version: string;
  /** The output folder as typed. */
  readonly out: string;
  readonly parameters: ResultParams;
  readonly counts: ManifestCounts;
  readonly sCurve: SCurveFacts;
  /** Where samples of fingerprints are compared. */
  readonly sampleRule?: SampleRuleFacts;
  readonly files: readonly WrittenFile[];
  readonly stages: readonly StageStats[];
  readonly elapsedMilliseconds: number;
  /** What was done by earlier attempts at the run; `finished`: all of it. Absent: this was the first. */
  readonly resumed?: ResumedStats | 'finished' | undefined;
  /** Where the documents came from. */
  readonly inputs?: ReportedInputs;
  /** What lies below the PATHs and was not read. */
  readonly leftOut?: LeftOut;
  /** Files and folders in the output folder that are not ours, and were left there. Absent: none. */
  readonly others?: readonly string[];
}

/** Frozen, JSON. */
export interface Report extends ReportFacts {
  /** Plain sentences about what was capped, estimated or left open; empty where nothing was. */
  readonly warnings: readonly string[];
}

/** Standard error of an agreement over `hashes` slots at resemblance `s`: that of a binomial share. */
function standardError(s: number, hashes: number): number {
  return Math.sqrt((s * (1 - s)) / hashes);
}

function hotBucketWarnings(counts: ManifestCounts, parameters: ResultParams): string[] {
  if (sampleParams(parameters) !== null) return eliminationWarnings(counts, parameters, grouped);
  const warnings: string[] = [];
  const { document, documents } = wordingOf(parameters);
  if (counts.hot_buckets > 0) {
    warnings.push(
      `${counted(counts.hot_buckets, 'bucket')} with more than ${grouped(parameters.hotBucket)} ${documents} ` +
        `(the largest: ${grouped(counts.largest_bucket)}) ` +
        `${counts.hot_buckets === 1 ? 'was' : 'were'} paired linearly, ` +
        `in ${counted(counts.rounds, 'round')}: at most ` +
        `${counted(counts.pairs_skipped_at_most, 'pair was', 'pairs were')} not compared, ` +
        'and the promise of recall does not hold for them.',
    );
  }
  if (counts.kept_uncompared > 0) {
    warnings.push(
      `${counted(counts.kept_uncompared, `kept ${document} shares`, `kept ${documents} share`)} a bucket with ` +
        'another kept one that it was never compared with: near-duplicates may be left among them.',
    );
  }
  return warnings;
}

function estimateWarning(parameters: ResultParams): string[] {
  const { threshold, verify, exactDuplicates } = parameters;
  if (exactDuplicates) return [];
  const { documents, shingles } = wordingOf(parameters);
  if (verify === 'none') {
    return [
      'Nothing was verified (--verify none): candidates are listed, but clusters and the drop list come ' +
        `from identical ${documents} alone.`,
    ];
  }
  if (verify === 'exact') return [];
  const samples = sampleParams(parameters);
  if (samples?.sketch === 'mod-m') {
    return [
      'Every resemblance of a near pair is an estimate (--verify signature) from as many fingerprints as its ' +
        `${documents} have, about one in ${samples.modulus} of their ${shingles}.`,
    ];
  }
  const { hashes } = samples ?? signatureParams(parameters).sketch;
  const error = standardError(threshold, hashes).toFixed(3);
  return [
    `Every resemblance of a near pair is an estimate from ${hashes} ${samples === null ? 'slots' : 'fingerprints'} ` +
      '(--verify signature): ' +
      `its standard error at ${thresholdText(threshold)} is ${error}.`,
  ];
}

/** Of how many distinct shingles two documents are, in the example of what a sample adds. */
const EXAMPLE_UNION = 1000;

function thinningWarnings(counts: ManifestCounts, parameters: ResultParams): string[] {
  const { sample, maxShingleDocuments, verify, threshold } = parameters;
  const { document, documents, shingle, shingles } = wordingOf(parameters);
  const warnings: string[] = [];
  if (sample > 1) {
    const error = Math.sqrt((threshold * (1 - threshold) * (sample - 1)) / EXAMPLE_UNION);
    const means =
      verify === 'signature'
        ? `estimates are of the samples, too: for two ${documents} of ${grouped(EXAMPLE_UNION)} ${shingles} together that ` +
          `adds a standard error of ${error.toFixed(3)} at ${thresholdText(threshold)}`
        : `the S-curve is that of the samples${verify === 'exact' ? '; resemblances are of the full sets' : ''}`;
    warnings.push(`Sketches are of one ${shingle} in ${grouped(sample)} (--sample ${sample}): ${means}.`);
  }
  if (maxShingleDocuments !== null) {
    const values =
      verify === 'signature' ? 'estimates are of what is left' : 'resemblances are of the full sets';
    const be = counts.eliminated_shingles === 1 ? 'occurs' : 'occur';
    warnings.push(
      `${counted(counts.eliminated_shingles, 'shingle')} that ${be} in more than ` +
        `${counted(maxShingleDocuments, 'document')} (--max-shingle-documents ${maxShingleDocuments}) are in no sketch: ` +
        `the S-curve is that of the others; ${values}. They are listed in eliminated.${parameters.format}.`,
    );
  }
  if (counts.unsketched > 0) {
    warnings.push(
      `${counted(counts.unsketched, `${document} has`, `${documents} have`)} ` +
        `${parameters.sets === undefined ? 'tokens but no shingle' : 'elements but none'} left in the sketch: ` +
        `only identical ${documents} of theirs were looked for.`,
    );
  }
  return warnings;
}

/** What a reader of the result must know, as sentences built from the counts. */
export function warningsOf({
  counts,
  parameters,
  leftOut,
  out,
  others,
}: Pick<ReportFacts, 'counts' | 'parameters' | 'leftOut' | 'others' | 'out'>): string[] {
  const results = resultsText(leftOut);
  const otherFiles = othersText(out, others);
  const warnings = [
    ...estimateWarning(parameters),
    ...thinningWarnings(counts, parameters),
    ...hotBucketWarnings(counts, parameters),
    ...idWarnings({ counts, parameters }),
  ];
  if (counts.read === 0) warnings.push(nothingReadText(counts, parameters, leftOut));
  if (results !== null) warnings.push(results);
  if (otherFiles !== null) warnings.push(otherFiles);
  if (counts.clusters_uncompared > 0) {
    const founded = counted(counts.clusters_uncompared, 'cluster was', 'clusters were');
    warnings.push(
      `${founded} founded although fingerprints of the first member are in more than ` +
        `${grouped(parameters.hotBucket)} clusters (--hot-bucket), of which only the first were looked at.`,
    );
  }
  if (counts.members_below_threshold > 0) {
    const below = counted(
      counts.members_below_threshold,
      'member of a cluster is',
      'members of clusters are',
    );
    const why =
      parameters.cluster === 'greedy'
        ? 'they joined by estimates'
        : `${parameters.measure} is not transitive`;
    warnings.push(
      `${below} less like the representative than ${thresholdText(parameters.threshold)}: ${why}. ` +
        `Use the drop list, not the clusters, to remove ${wordingOf(parameters).documents}.`,
    );
  }
  return warnings;
}

/** The frozen report of a run. */
export function reportOf(facts: ReportFacts): Report {
  return deepFrozen({ ...facts, warnings: warningsOf(facts) });
}

/** Freezes a JSON value of ours and all within it (its depth is fixed by its type). */
function deepFrozen<T extends object>(value: T): T {
  for (const item of Object.values(value)) {
    if (typeof item === 'object' && item !== null && !Object.isFrozen(item)) deepFrozen(item);
  }
  return Object.freeze(value);
}

function documentLines({ counts, parameters }: Report): string[] {
  const isSets = parameters.sets !== undefined;
  const parts = [`${counted(counts.read, wordingOf(parameters).document)} read`];
  if (counts.empty > 0) parts.push(`${grouped(counts.empty)} empty`);
  if (counts.repaired > 0) parts.push(`${grouped(counts.repaired)} repaired`);
  const skipped = Object.entries(counts.skipped).filter(([, count]) => count > 0);
  const total = skipped.reduce((sum, [, count]) => sum + count, 0);
  const lines = [
    `${isSets ? 'Sets     ' : 'Documents'}   ${parts.join(', ')}`,
    `Skipped     ${total === 0 ? 'none' : grouped(total)}`,
  ];
  for (const [code, count] of skipped.sort(([x], [y]) => (x < y ? -1 : 1))) {
    const text = code in ERRORS ? `: ${ERRORS[code as ErrorCode].text}` : '';
    lines.push(`            ${grouped(count)} ${code}${text}`);
  }
  return lines;
}

function pairLines(report: Report): string[] {
  const { counts, parameters } = report;
  const threshold = thresholdText(parameters.threshold);
  const measure = `${parameters.verify === 'signature' ? 'estimated' : 'exact'} ${parameters.measure}`;
  const rule =
    parameters.agree === null
      ? `${measure} of at least ${threshold}`
      : `at least ${parameters.agree} of ${agreementUnits(parameters)} slots equal (${measure} ${threshold})`;
  const near =
    parameters.verify === 'none' ? 'none verified' : `${counted(counts.verified_pairs, 'pair')} with ${rule}`;
  const identical =
    counts.identity_classes === 0
      ? 'none'
      : `${counted(counts.identical_documents, wordingOf(parameters).document)} in ` +
        `${counted(counts.identity_classes, 'class', 'classes')}, ${counted(counts.identical_pairs, 'row')}`;
  if (parameters.exactDuplicates) return [`Identical   ${identical}`];
  const isSampled = sampleParams(parameters) !== null;
  const bucket = isSampled ? 'shared fingerprint' : 'bucket';
  const capped = isSampled
    ? `${grouped(counts.hot_buckets)} eliminated`
    : `${counted(counts.hot_buckets, 'hot bucket')} capped`;
  const hot = counts.hot_buckets === 0 ? '' : `, ${capped}`;
  return [
    `Identical   ${identical}`,
    `Candidates  ${counted(counts.candidate_pairs, 'pair')} from ${counted(counts.buckets, bucket)}${hot}`,
    `Near        ${near}`,
  ];
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

function smallNotes({ parameters, sampleRule }: Report): string[] {
  const text =
    sampleRule && smallText(thresholdText(parameters.threshold), sampleRule, wordingOf(parameters));
  return text ? [`Note        ${text}`] : [];
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

function resumedLines({ resumed }: Report): string[] {
  if (resumed === undefined) return [];
  if (resumed === 'finished') return ['Resumed     all of it was done'];
  const { columnBlocks, columnBlocksInAll, verifiedPairs, damaged } = resumed;
  const blocks = `${grouped(columnBlocks)} of ${counted(columnBlocksInAll, 'column block')}`;
  const lost = damaged === 0 ? '' : `; ${counted(damaged, 'place')} damaged and made anew`;
  return [`Resumed     ${blocks}, ${counted(verifiedPairs, 'verified pair')}${lost}`];
}

/** The summary for people, one string a line, without line ends. */
export function summaryLines(report: Report): string[] {
  const header = report.parameters.verify === 'signature' ? ['Resemblance of near pairs: estimate'] : [];
  return [
    ...header,
    ...documentLines(report),
    ...pairLines(report),
    clusterLine(report),
    `Promise     ${promiseLine(report)}${exceptionsText(report)}`,
    ...smallNotes(report),
    ...report.warnings.map((warning) => `Note        ${warning}`),
    ...resumedLines(report),
    `Written     ${report.out}: ${fileList(report.files)}, manifest.json, stats.json, _SUCCESS`,
    `Time        ${(report.elapsedMilliseconds / 1000).toFixed(1)} s`,
    ...endLines(report),
  ];
}
