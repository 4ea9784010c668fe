/** The answers of `tune`, as lines for people. Pure. */
import { ERRORS } from '../../src/errors.js';
import type {
  AgreeRule,
  ComparedSetting,
  CorpusEstimate,
  Extrapolation,
  Setting,
  SignatureLengths,
  Tuning,
} from '../../src/index.js';
import { bytesText, counted, durationText, grouped } from '../../src/result/wording/amounts.js';
import { tableLines } from './width.js';

// Numbers.

/** `0.80`, `0.8125`: two decimals, or up to four if two are not exact. */
export function shareText(share: number): string {
  return share.toFixed(4).replace(/0{1,2}$/, '');
}

/** `1.4 %`, `32 %`, `99.93 %`, `0.0031 %`: two digits of the percentage or of its distance to 100 %. */
export function percentText(probability: number): string {
  if (probability <= 0) return '0 %';
  if (probability >= 1) return '100 %';
  const percent = 100 * probability;
  if (percent < 1e-4) return 'less than 0.0001 %';
  if (percent < 9.95) return `${plain(percent)} %`;
  if (percent <= 90) return `${percent.toFixed(0)} %`;
  const missing = 100 - percent;
  if (missing < 1e-4) return 'more than 99.9999 %';
  const decimals = missing < 9.95 ? decimalsOf(missing) : 0;
  return `${percent.toFixed(decimals)} %`;
}

/** Two significant digits without an exponent. */
function plain(value: number): string {
  return value.toFixed(decimalsOf(value));
}

function decimalsOf(value: number): number {
  return Math.max(0, 1 - Math.floor(Math.log10(value)));
}

/** A probability with six decimals; if these would all be zero, two digits and a power of ten. */
export function probabilityText(probability: number): string {
  return probability === 0 || probability >= 1e-5 ? probability.toFixed(6) : probability.toExponential(1);
}

/** `about 12,000 (3,400 to 55,000)`, with bounds of 95 %; an exact count without bounds. */
export function estimateText({ value, lower, upper }: Extrapolation): string {
  if (upper - lower < 0.5) return grouped(Math.round(value));
  return `about ${rounded(value)} (${rounded(lower)} to ${rounded(upper)})`;
}

/** A number with two significant digits: a sample is not more precise. */
function rounded(value: number): string {
  if (value < 99.5) return String(Math.round(value));
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return grouped(Math.round(value / unit) * unit);
}

/**
 * The lines about the choice: its reasons, other settings, the pairs that it misses, and its S-curve.
 *
 * @param flags further flags of the run, each followed by a blank
 */
export function choiceLines(tuning: Tuning, command: string, flags: string): string[] {
  const { setting, hashes, sketch, threshold } = tuning;
  const { bands, rows } = setting;
  const own = sketch === 'fss' ? '' : ` --sketch ${sketch}`;
  const left = hashes - setting.slots;
  const slots = left === 0 ? `all ${hashes} slots` : `${setting.slots} of ${hashes} slots`;
  return [
    `${bands} bands of ${rows} rows (${slots})`,
    `why: ${reasonText(tuning)}`,
    `use it: ${command} run PATH ${flags}--threshold ${threshold}${own} --hashes ${hashes} --bands ${bands} --rows ${rows}`,
    ...neighbourLines(tuning),
    '',
    ...missLines(tuning),
  ];
}

function reasonText({ reason, recall, threshold, setting }: Tuning): string {
  const goal = `recall ${recall} at ${shareText(threshold)}`;
  switch (reason) {
    case 'given':
      return `as requested: recall ${setting.atThreshold.toFixed(4)} at ${shareText(threshold)}`;
    case 'recall':
      return `reaches ${goal} with the fewest false candidates (the most rows per band); run chooses the same`;
  }
}

function neighbourLines({ neighbours, setting, threshold, recall }: Tuning): string[] {
  if (neighbours.length === 0) return [];
  return [
    '',
    ...settingLines(neighbours, threshold, (other) => {
      if (other.rows === setting.rows) return 'chosen';
      return other.atThreshold < recall ? 'recall too low' : '';
    }),
  ];
}

/** One row per setting: cost, recall at the threshold, the similarities where the curve is 0.1, 0.5 and 0.9, and its steepness. */
function settingLines(
  settings: readonly Setting[],
  threshold: number,
  remarkOf: (setting: Setting, index: number) => string,
): string[] {
  const rows = settings.map((setting, i) => [
    `${setting.bands} x ${setting.rows}`,
    String(setting.slots),
    String(setting.keys),
    setting.atThreshold.toFixed(4),
    setting.tenth.toFixed(3),
    setting.half.toFixed(3),
    setting.ninetieth.toFixed(3),
    setting.slope.toFixed(1),
    remarkOf(setting, i),
  ]);
  const at = `at ${shareText(threshold)}`;
  return tableLines([
    ['bands x rows', 'slots', 'keys', at, '10 % at', '50 % at', '90 % at', 'slope', ''],
    ...rows,
  ]);
}

/** Sentences about the pairs missed at the threshold and above, and those compared below it. */
function missLines({ misses, threshold, signatureShare, hashes, setting }: Tuning): string[] {
  const above = misses.filter(({ similarity }) => similarity >= threshold);
  const below = misses.filter(({ similarity }) => similarity < threshold).reverse();
  const lost = above.map(({ similarity, missed }, i) => {
    const share = percentText(missed);
    return i === 0
      ? `${share} of pairs at exactly ${shareText(similarity)}`
      : `${share} at ${shareText(similarity)}`;
  });
  const vain = below.map(({ similarity, seen }, i) => {
    const share = percentText(seen);
    return `${share} ${i === 0 ? 'of pairs at' : 'at'} ${shareText(similarity)}`;
  });
  const both = percentText(signatureShare * setting.atThreshold);
  return [
    `missed: ${lost.join(', ')}`,
    ...(vain.length === 0 ? [] : [`compared although below the threshold: ${vain.join(', ')}`]),
    `with --verify signature: ${both} of pairs at exactly ${shareText(threshold)} are reported, because the estimate from ${hashes} slots`,
    `  reaches the threshold for ${percentText(signatureShare)} of them`,
  ];
}

/** The S-curve as a table. */
export function curveLines({ curve, threshold }: Tuning): string[] {
  const rows = curve.map(({ similarity, probability }) => [
    shareText(similarity),
    probabilityText(probability),
    percentText(1 - probability),
    similarity === threshold ? 'the threshold' : '',
  ]);
  return tableLines([['similarity', 'is a candidate', 'is missed', ''], ...rows]);
}

/** The lines about the error of signatures, and the length needed for an error. */
export function lengthLines(lengths: SignatureLengths): string[] {
  const { resemblance, error, confidence, hashes, table, least, leastAtHalf } = lengths;
  const at = shareText(resemblance);
  const rows = table.map(({ slots, standardError, within }) => [
    String(slots),
    standardError.toFixed(4),
    within.toFixed(4),
    slots === hashes
      ? `with ${slots} slots an estimate at ${at} is within ${error} with probability ${within.toFixed(2)}`
      : '',
  ]);
  const sure = `for an error of at most ${error} with probability ${confidence}`;
  const text = (slots: number | null): string => (slots === null ? 'more than 1024' : String(slots));
  return [
    ...tableLines([['slots', 'standard error', `within ${error}`, ''], ...rows]),
    `${sure}: ${text(least)} slots at ${at}, ${text(leastAtHalf)} at 0.50 (the worst case)`,
  ];
}

/** The lines about the m-of-n rule. */
export function ruleLines({ agree, hashes, points, hundredth, half, ninetyNinth }: AgreeRule): string[] {
  const rows = points.map(({ similarity, probability }) => [
    shareText(similarity),
    probabilityText(probability),
    Math.abs(similarity - agree / hashes) < 1e-12 ? `${agree} of ${hashes}` : '',
  ]);
  return [
    `two documents pass when at least ${agree} of ${hashes} slots agree`,
    ...tableLines([['similarity', 'passes', ''], ...rows]),
    `1 % pass at ${hundredth.toFixed(3)}, half at ${half.toFixed(3)}, 99 % at ${ninetyNinth.toFixed(3)}`,
    'this is exact for --sketch classic; fss spreads a little less',
  ];
}

/** Settings side by side: their numbers, then the probability of a candidate at several similarities. */
export function comparedLines(
  settings: readonly ComparedSetting[],
  threshold: number,
  marks: readonly string[],
): string[] {
  const places = settings[0]!.curve.filter(({ similarity }, i) => {
    return (i % 2 === 0 && similarity >= 0.3 && similarity < 1) || similarity === threshold;
  });
  const heads = settings.map(({ bands, rows }) => `${bands}x${rows}`);
  const rows = places.map(({ similarity }) => [
    shareText(similarity),
    ...settings.map(({ curve }) => {
      const point = curve.find((other) => other.similarity === similarity)!;
      return probabilityText(point.probability);
    }),
    similarity === threshold ? 'the threshold' : '',
  ]);
  return [
    ...settingLines(settings, threshold, (_, i) => marks[i]!),
    '',
    ...tableLines([['similarity', ...heads, ''], ...rows]),
    '',
    ...settings.map(({ bands, rows: r, atThreshold }) => {
      const missed = percentText(1 - atThreshold);
      return `${bands}x${r} misses ${missed} of pairs at exactly ${shareText(threshold)}`;
    }),
  ];
}

// Expectations for a corpus: every number with its bounds, and the limits of the estimate.

/** The lines about the corpus, its pairs, each setting on it, memory and time, and the reliability of the sample. */
export function corpusLines(estimate: CorpusEstimate): string[] {
  const { sample } = estimate;
  const lines = [
    `corpus: ${counted(estimate.files, 'file')}, documents: ${estimateText(estimate.documents)}`,
    sampleLine(estimate),
  ];
  if (sample.streams > 0 && !sample.whole) {
    const streams = counted(sample.streams, 'file');
    lines.push(
      `${streams} can only be read from the beginning (compressed, CSV): first records represent the rest, and the`,
      'number of documents is a guess',
    );
  }
  if (sample.asText > 0) lines.push(`${counted(sample.asText, 'document')} ${ERRORS.RECORDS_AS_TEXT.text}`);
  if (sample.cut) lines.push('large files were read in part: their first documents represent the rest');
  if (sample.documents - sample.empty < 2) return [...lines, 'too few documents for estimates about pairs'];
  return [
    ...lines,
    '',
    ...pairLines(estimate),
    '',
    ...corpusSettingLines(estimate),
    '',
    ...costLines(estimate),
    ...trustLines(estimate),
  ];
}

function sampleLine({ sample, shinglesPerDocument }: CorpusEstimate): string {
  const left = [
    ...(sample.empty > 0 ? [`${grouped(sample.empty)} empty`] : []),
    ...(sample.skipped > 0 ? [`${grouped(sample.skipped)} skipped`] : []),
  ];
  const documents = `${counted(sample.documents, 'document')}${left.length > 0 ? ` (${left.join(', ')})` : ''}`;
  const scope = sample.whole ? ', the whole corpus' : '';
  const shingles = `${grouped(Math.round(shinglesPerDocument))} shingles each`;
  return `sample: ${documents}, ${bytesText(sample.bytes)}, ${shingles}${scope}`;
}

function pairLines({ pairsAtLeast, identicalPairs }: CorpusEstimate): string[] {
  return [
    'pairs by estimated similarity:',
    ...pairsAtLeast.map(({ similarity, seen, pairs }) => {
      return `  ${shareText(similarity)} or more: ${estimateText(pairs)} (${grouped(seen)} in the sample)`;
    }),
    `  same tokens: ${estimateText(identicalPairs)}`,
  ];
}

function corpusSettingLines({ settings, threshold }: CorpusEstimate): string[] {
  return settings.flatMap(({ bands, rows, candidates, found, missed }) => {
    const near = found.value + missed.value;
    const share = missed.value > 0 ? `, ${percentText(missed.value / near)} of them` : '';
    return [
      `${bands}x${rows}: candidates ${estimateText(candidates)}`,
      `  near pairs (${shareText(threshold)} or more) found: ${estimateText(found)}`,
      `  near pairs missed: ${estimateText(missed)}${share}`,
    ];
  });
}

function costLines({
  settings,
  setBytesAtMost,
  readMilliseconds,
  textBytes,
  threads,
}: CorpusEstimate): string[] {
  const memory = Math.max(...settings.map(({ memoryBytes }) => memoryBytes));
  const lines = [
    `memory: about ${bytesText(memory)} plus candidate pairs; --verify exact adds the shingle sets of documents in`,
    `  candidate pairs, at most ${bytesText(setBytesAtMost)}`,
  ];
  if (readMilliseconds === null) return lines;
  const once = durationText(readMilliseconds);
  const workers = threads === 0 ? 'this thread' : counted(threads, 'thread');
  return [
    ...lines,
    `time: about ${once} to read and sketch ${bytesText(textBytes)} on ${workers}; up to ${durationText(2 * readMilliseconds)} with --verify exact,`,
    '  which reads documents of candidate pairs again; comparing candidates and writing are not included',
  ];
}

function trustLines({ sample, seenGroup, identicalPairs }: CorpusEstimate): string[] {
  const lines: string[] = [];
  if (!sample.whole) {
    lines.push(
      '',
      'bounds hold in about 95 of 100 samples, if similar documents are spread over the corpus; a group of fewer than',
      `${grouped(seenGroup)} similar documents can be missing from the sample (try another --seed or more --sample)`,
    );
  }
  if (identicalPairs.value > 0) {
    lines.push('a run reports fewer pairs: of documents with the same tokens it compares only the first');
  }
  return lines;
}
