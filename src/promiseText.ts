/**
 * The promise of a run as a sentence, and how its numbers are written.
 *
 * Floor 4. Pure.
 */
import { sampleRuleText } from './samplingText.js';
import type { ResultParams } from './sketch/params.js';
import { agreementUnits, sampleParams, signatureParams } from './sketch/sketchKind.js';
import type { RecallFacts, SampleRuleFacts, SCurveFacts } from './storage/results/manifest.js';
import { wordingOf } from './wording.js';

/** A whole number with a comma every three digits: 1234567 is `1,234,567`, on every machine. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function counted(value: number, one: string, many = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`;
}

/** A threshold with at least two decimals, and no more than it has, up to six: 0.8 is `0.80`, 0.8125 stays. */
export function thresholdText(threshold: number): string {
  const text = String(Number(threshold.toFixed(6)));
  return /^\d(\.\d)?$/.test(text) ? threshold.toFixed(2) : text;
}

/** A probability cut to `digits` decimals: a promise is never rounded up. */
function probabilityText(probability: number, digits: number): string {
  // In millionths, as the manifest has it: 0.57 * 100 is 56.99999999999999 in doubles, and would be cut to 0.56.
  const millionths = Math.round(probability * 1e6);
  const unit = 10 ** (6 - digits);
  return (Math.floor(millionths / unit) / 10 ** digits).toFixed(digits);
}

/** What a promise is told from. */
export interface Promised {
  readonly parameters: ResultParams;
  readonly sCurve: SCurveFacts;
  readonly sampleRule?: SampleRuleFacts;
  /** Where hot buckets skipped pairs. */
  readonly recall?: RecallFacts;
}

/** "a pair at 0.80 is found with probability 0.985", and what a run found of all pairs where it skipped some. */
export function promiseLine(report: Promised): string {
  return `${promiseText(report)}${recallText(report)}`;
}

/** What was estimated of a run that skipped pairs. */
function recallText({ parameters, sCurve, recall }: Promised): string {
  if (recall === undefined) return '';
  const promised = sCurve.probability_at_threshold * (sCurve.agreement_share ?? 1);
  const what = sampleParams(parameters) === null ? 'hot buckets' : 'hot fingerprints';
  const found = parameters.verify === 'none' ? 'became candidates' : 'were found';
  const share =
    `of all pairs at ${thresholdText(parameters.threshold)} or above an estimated ${probabilityText(recall.value, 3)} ` +
    `${found} (${probabilityText(recall.lower, 3)} to ${probabilityText(recall.upper, 3)} for 95 of 100 samples)`;
  if (recall.value >= promised) return `; ${what} skipped pairs: ${share}`;
  return `; it does not hold for this run, in which ${what} skipped pairs: ${share}`;
}

/** In signature mode times the agreement's share. */
function promiseText(report: Promised): string {
  const { parameters, sCurve } = report;
  if (parameters.exactDuplicates) {
    return `all ${wordingOf(parameters).alike} are found; near-duplicates were not looked for (--exact-duplicates)`;
  }
  const samples = sampleParams(parameters);
  const words = wordingOf(parameters);
  if (samples !== null) return samplePromiseLine(report, sampleRuleText(samples, report.sampleRule!, words));
  const { banding, sketch } = signatureParams(parameters);
  const { bands, rows } = banding;
  const isThinned = parameters.sample > 1 || parameters.maxShingleDocuments !== null;
  const sampled = isThinned ? ` whose sketched ${words.shingles} are` : '';
  const pair = `a pair${sampled} at ${thresholdText(parameters.threshold)}`;
  const candidate = sCurve.probability_at_threshold;
  const share = sCurve.agreement_share;
  const end = `(${counted(bands, 'band')} of ${counted(rows, 'row')})`;
  // What is promised of slots that depend on each other is the least over documents of all sizes.
  const more = sketch.sketch === 'oph' ? ' or more' : '';
  if (share !== null) {
    const { agree } = parameters;
    const slots = agreementUnits(parameters);
    const passes =
      agree === null ? 'its agreement reaches the threshold' : `${agree} of ${slots} slots agree`;
    return (
      `${pair} is found with probability ${probabilityText(candidate * share, 2)}${more}: ` +
      `${probabilityText(candidate, 3)} to become a candidate ${end}, ` +
      `times ${probabilityText(share, 3)} that ${passes}`
    );
  }
  const found = parameters.verify === 'none' ? 'becomes a candidate' : 'is found';
  return `${pair} ${found} with probability ${probabilityText(candidate, 3)}${more} ${end}`;
}

/** The same of samples; what passes the estimate passed the rule before, so there is nothing to multiply. */
function samplePromiseLine({ parameters, sCurve }: Promised, rule: string): string {
  const { measure, verify } = parameters;
  const pair = `a pair at ${thresholdText(parameters.threshold)}${measure === 'containment' ? ' (containment)' : ''}`;
  const share = sCurve.agreement_share;
  if (share !== null) return `${pair} is found with probability about ${probabilityText(share, 2)} (${rule})`;
  const found = verify === 'none' ? 'becomes a candidate' : 'is found';
  return `${pair} ${found} with probability ${probabilityText(sCurve.probability_at_threshold, 3)} or more (${rule})`;
}
