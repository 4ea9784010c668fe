/**
 * The promise of a run as a sentence, and how its numbers are written.
 *
 * Floor 4. Pure.
 */
import { sampleRuleText } from './samplingText.js';
import type { ResultParams } from './sketch/params.js';
import { agreementUnits, sampleParams, signatureParams } from './sketch/sketchKind.js';
import type { SampleRuleFacts, SCurveFacts } from './storage/results/manifest.js';
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
}

/** "a pair at 0.80 is found with probability 0.985", in signature mode times the agreement's share. */
export function promiseLine(report: Promised): string {
  const { parameters, sCurve } = report;
  if (parameters.exactDuplicates) {
    return `all ${wordingOf(parameters).alike} are found; near-duplicates were not looked for (--exact-duplicates)`;
  }
  const samples = sampleParams(parameters);
  const words = wordingOf(parameters);
  if (samples !== null) return samplePromiseLine(report, sampleRuleText(samples, report.sampleRule!, words));
  const { bands, rows } = signatureParams(parameters).banding;
  const isThinned = parameters.sample > 1 || parameters.maxShingleDocuments !== null;
  const sampled = isThinned ? ` whose sketched ${words.shingles} are` : '';
  const pair = `a pair${sampled} at ${thresholdText(parameters.threshold)}`;
  const candidate = sCurve.probability_at_threshold;
  const share = sCurve.agreement_share;
  const end = `(${counted(bands, 'band')} of ${counted(rows, 'row')})`;
  if (share !== null) {
    const { agree } = parameters;
    const slots = agreementUnits(parameters);
    const passes =
      agree === null ? 'its agreement reaches the threshold' : `${agree} of ${slots} slots agree`;
    return (
      `${pair} is found with probability ${probabilityText(candidate * share, 2)}: ` +
      `${probabilityText(candidate, 3)} to become a candidate ${end}, ` +
      `times ${probabilityText(share, 3)} that ${passes}`
    );
  }
  const found = parameters.verify === 'none' ? 'becomes a candidate' : 'is found';
  return `${pair} ${found} with probability ${probabilityText(candidate, 3)} ${end}`;
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
