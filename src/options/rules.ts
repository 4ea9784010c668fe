/**
 * Which options go together: the rules beside the usual ones, their faults, and their parameters.
 *
 * Values come checked each for itself; here is only what one says about another.
 */
import type {
  ClusterKind,
  InputKind,
  Measure,
  RepresentativeKind,
  RuleParams,
  SampleName,
  SampleParams,
  SetsParams,
  SketchName,
  VerifyMode,
} from '../sketch/params.js';
import { leastShared, sharedProbability, wholeBelowOf } from '../sketch/samples/sampleRule.js';
import type { RatingRule } from '../text/elements.js';
import type { RunOptions } from './runOptions.js';
import { flagName, OPTIONS, type OptionKey, USUAL_MODULUS } from './table.js';
import { shownValue } from './values.js';

/** The values of the options of table.ts after their own checks; null where one without a default was not given. */
export interface RuleValues {
  readonly agree: number | null;
  readonly exactDuplicates: boolean;
  readonly sample: number;
  readonly maxShingleDocuments: number | null;
  readonly cluster: ClusterKind;
  readonly representative: RepresentativeKind | null;
}

/** What else the rules look at. */
interface Neighbours {
  readonly threshold: number;
  readonly hashes: number;
  readonly verify: VerifyMode;
}

interface RuleFault {
  readonly option: OptionKey;
  readonly detail: string;
}

type Soundness = (...keys: OptionKey[]) => boolean;

/** What says how near pairs are found: without effect where only identical documents are. */
const OF_NEAR_PAIRS = [
  'bag',
  'measure',
  'threshold',
  'sketch',
  'hashes',
  'modulus',
  'bands',
  'rows',
  'recall',
  'hotBucket',
  'verify',
  'agree',
  'sample',
  'maxShingleDocuments',
  'cluster',
  'representative',
] as const satisfies readonly OptionKey[];

/**
 * What does not go together. `sound`: whether none of these options has a value that cannot be used.
 *
 * Beside --exact-duplicates all others are told too: which of the two goes is for the user to decide.
 */
export function ruleFaults(
  values: RuleValues & Neighbours,
  given: RunOptions,
  sound: Soundness,
): RuleFault[] {
  return [
    ...(values.exactDuplicates ? exactDuplicatesFaults(given) : []),
    ...readingFaults(given),
    ...clusterFaults(values, given, sound),
    ...agreeFaults(values, given, sound),
  ];
}

function clusterFaults(
  { cluster, verify }: RuleValues & Neighbours,
  { representative }: RunOptions,
  sound: Soundness,
): RuleFault[] {
  if (cluster === 'greedy' && verify === 'none') {
    const why = 'expected another --verify: greedy clusters are made of candidates that are alike enough';
    return [{ option: 'cluster', detail: `--cluster greedy --verify none: ${why}` }];
  }
  if (cluster === 'greedy' || representative === undefined || !sound('cluster')) return [];
  const detail = `--representative ${shownValue(representative)}: expected together with --cluster greedy only`;
  return [{ option: 'representative', detail }];
}

/** What is read more than once cannot be standard input. */
function readingFaults({ maxShingleDocuments, paths }: RunOptions): RuleFault[] {
  if (maxShingleDocuments === undefined || !Array.isArray(paths) || !paths.includes('-')) return [];
  const why = 'expected files, for the input is read more than once, got standard input (-)';
  const detail = `--max-shingle-documents ${shownValue(maxShingleDocuments)}: ${why}`;
  return [{ option: 'maxShingleDocuments', detail }];
}

function exactDuplicatesFaults(given: RunOptions): RuleFault[] {
  // A switch that a config file sets can be unset.
  const beside = OF_NEAR_PAIRS.filter((key) => given[key] !== undefined && given[key] !== false);
  return beside.map((key) => {
    const value = given[key] === true ? '' : ` ${shownValue(given[key])}`;
    const why = 'expected one of the two: only documents with the same tokens are looked for';
    return { option: key, detail: `${flagName(key)}${value} --exact-duplicates: ${why}` };
  });
}

function agreeFaults(
  { agree, verify, hashes }: RuleValues & Neighbours,
  given: RunOptions,
  sound: Soundness,
): RuleFault[] {
  if (given.agree === undefined) return [];
  const details: string[] = [];
  const flag = `--agree ${shownValue(given.agree)}`;
  if (verify !== 'signature' && sound('verify')) {
    const usual = given.verify === undefined ? 'the default ' : '';
    const instead = verify === 'exact' ? 'decides by the shingle sets' : 'accepts nothing';
    details.push(
      `${flag}: expected together with --verify signature, for it counts slots that agree; ` +
        `${usual}--verify ${verify} ${instead}`,
    );
  }
  if (agree !== null && agree > hashes && sound('hashes')) {
    details.push(`${flag}: expected at most the ${hashes} of --hashes`);
  }
  if (given.threshold !== undefined) {
    details.push(`${flag} --threshold ${shownValue(given.threshold)}: expected one of the two, got both`);
  }
  return details.map((detail) => ({ option: 'agree', detail }));
}

/** The least resemblance of a reported pair: of M of N slots it is M/N, of identical documents 1. */
export function thresholdOf(values: RuleValues & Neighbours): number {
  const { agree, threshold, hashes, exactDuplicates } = values;
  if (exactDuplicates) return 1;
  return agree === null ? threshold : Math.min(1, agree / hashes);
}

export function ruleParams(values: RuleValues): RuleParams {
  const { agree, exactDuplicates, sample, maxShingleDocuments, cluster } = values;
  const representative = cluster === 'greedy' ? (values.representative ?? 'first') : null;
  return { agree, exactDuplicates, sample, maxShingleDocuments, cluster, representative };
}

/** Options whose defaults must not be written down beside these: given they would be faults. */
export function excludedBy({ agree, exactDuplicates, measure, sketch }: RunOptions): ReadonlySet<OptionKey> {
  if (exactDuplicates === true) return new Set(OF_NEAR_PAIRS);
  const hasModulus = sketch === 'mod-m' || measure === 'containment';
  return new Set<OptionKey>([
    ...(agree === undefined ? [] : (['threshold'] as const)),
    ...(hasModulus ? (['hashes'] as const) : []),
  ]);
}

/*
 * Sketches that are samples of fingerprints: what was asked for, as parameters, and what does not go with them.
 *
 * The mathematics is in src/sketch/samples/sampleRule.ts; here are the faults.
 */

/** The options that samples follow from; the default where one has no sound value. */
export interface SamplingWish {
  readonly measure: Measure;
  readonly sketch: SketchName | SampleName;
  readonly hashes: number;
  readonly modulus: number | null;
  readonly threshold: number;
  readonly recall: number;
  readonly verify: VerifyMode;
  readonly seed: number;
}

/** Rules over the slots of signatures, and what is left out of them. */
const OF_SIGNATURES = ['agree', 'sample', 'maxShingleDocuments', 'cluster', 'representative'] as const;

type Reporter = (option: keyof RunOptions, detail: string) => unknown;
type Clash = readonly [option: OptionKey, detail: string];

/**
 * The kind of sketch; containment is measured by mod-m, whatever was asked for. Null where an option without a sound value
 * would decide it.
 */
export function sketchNameOf(
  { measure, sketch }: Pick<SamplingWish, 'measure' | 'sketch'>,
  given: RunOptions,
  sound: Soundness,
): SketchName | SampleName | null {
  if (measure === 'containment') return 'mod-m';
  const isDecided = sound('sketch') && (sound('measure') || given.sketch !== undefined);
  return isDecided ? sketch : null;
}

export function isSample(name: SketchName | SampleName): name is SampleName {
  return name === 'min-s' || name === 'mod-m';
}

/** Everything that does not go together with the kind of sketch or the measure. */
export function samplingClashes(wish: SamplingWish, given: RunOptions, sound: Soundness): Clash[] {
  const clashes: Clash[] = [];
  if (wish.measure === 'containment') {
    if (given.sketch !== undefined && sound('sketch') && wish.sketch !== 'mod-m') {
      clashes.push(['sketch', `--sketch ${wish.sketch}: expected mod-m with --measure containment`]);
    }
    if (wish.verify === 'signature') {
      const expected = 'expected exact or none with --measure containment (containment is verified exactly)';
      clashes.push(['verify', `--verify signature: ${expected}`]);
    }
  }
  const name = sketchNameOf(wish, given, sound);
  if (name === null) return clashes;
  if (name !== 'mod-m' && given.modulus !== undefined) {
    clashes.push(['modulus', `${typed('modulus', given)}: expected together with --sketch mod-m only`]);
  }
  return isSample(name) ? [...clashes, ...sampleClashes(name, wish.measure, given)] : clashes;
}

function sampleClashes(name: SampleName, measure: Measure, given: RunOptions): Clash[] {
  const clashes: Clash[] = [];
  const isContainment = measure === 'containment';
  for (const key of ['bands', 'rows'] as const) {
    if (given[key] === undefined) continue;
    const expected = isContainment
      ? 'expected without --measure containment, whose samples (mod-m) have no bands'
      : `expected with --sketch fss, classic or oph only, ${name} has no bands`;
    clashes.push([key, `${typed(key, given)}: ${expected}`]);
  }
  for (const key of OF_SIGNATURES) {
    if (given[key] === undefined || given[key] === OPTIONS[key].default) continue;
    const expected = isContainment
      ? 'expected without --measure containment, which is found by samples (mod-m)'
      : `expected with --sketch fss, classic or oph only, not ${name}`;
    clashes.push([key, `${typed(key, given)}: ${expected}`]);
  }
  if (name === 'mod-m' && given.hashes !== undefined) {
    const expected = isContainment
      ? 'expected without --measure containment'
      : 'expected with other sketches only';
    const reason = 'a sample of mod-m is as long as --modulus makes it';
    clashes.push(['hashes', `${typed('hashes', given)}: ${expected} (${reason})`]);
  }
  return clashes;
}

/** `--bands 3`, also where the value cannot be used. */
function typed(key: OptionKey, given: RunOptions): string {
  return `${flagName(key)} ${shownValue(given[key])}`;
}

/** The samples asked for; null where a fault was told, or where a value that they follow from cannot be used. */
export function resolveSampling(
  name: SampleName,
  wish: SamplingWish,
  sound: Soundness,
  report: Reporter,
): SampleParams | null {
  if (!sound('threshold', 'recall', name === 'min-s' ? 'hashes' : 'modulus')) return null;
  if (name === 'mod-m') return modSamples(wish, report);
  const { hashes, seed } = wish;
  return reachable(wish, report) ? { sketch: name, hashes, seed } : null;
}

function reachable({ hashes, recall, threshold, measure }: SamplingWish, report: Reporter): boolean {
  const best = sharedProbability(threshold, hashes, { threshold, recall, measure });
  if (best >= recall) return true;
  const least = leastShared(hashes, { threshold, recall });
  const detail =
    `--threshold ${threshold}: --recall ${recall} is not reachable with --sketch min-s --hashes ${hashes}, ` +
    `whose pairs share at least ${least}: the best is ${(Math.floor(best * 10_000) / 10_000).toFixed(4)}; ` +
    'lower --recall, or raise --hashes or --threshold';
  report('threshold', detail);
  return false;
}

function modSamples(
  { threshold, recall, seed, ...wish }: SamplingWish,
  report: Reporter,
): SampleParams | null {
  const modulus = wish.modulus ?? USUAL_MODULUS;
  const wholeBelow = wholeBelowOf(modulus, { threshold, recall });
  if (wholeBelow !== null) return { sketch: 'mod-m', modulus, wholeBelow, seed };
  const detail =
    `--threshold ${threshold}: --recall ${recall} is not reachable with --modulus ${modulus}, unless documents of ` +
    'more than a million shingles are kept whole; lower --recall or --modulus, or raise --threshold';
  report('threshold', detail);
  return null;
}

/*
 * What goes together with `--input sets`, and what it comes to.
 */

const OF_SETS = ['columns', 'ratings', 'likedFrom'] as const;
const OF_TEXTS = ['shingle', 'textField', 'idField', 'maxShingleDocuments'] as const;
const NUMBER = /^[1-9]\d{0,3}$/;

/** Fields that are all numbers are meant by their places; else all are names. */
function areNamed(fields: readonly string[]): boolean {
  return !fields.every((field) => NUMBER.test(field));
}

const USUAL_COLUMNS = ['1', '2', '3'];
const USUAL_LIKED_FROM = 4;

export interface SetsWish {
  readonly input: InputKind;
  /** Null: not given. */
  readonly columns: readonly string[] | null;
  readonly ratings: RatingRule | null;
  readonly likedFrom: number | null;
  readonly bag: boolean;
}

/** The parameters of sets, where the input is sets. */
export function setsParamsOf({ input, ratings, ...given }: SetsWish): { sets?: SetsParams } {
  if (input !== 'sets') return {};
  const columns = given.columns ?? USUAL_COLUMNS;
  const takesLiking = ratings === 'liked' || ratings === 'liked-hated';
  return {
    sets: {
      columns: [...columns],
      named: areNamed(columns),
      ratings,
      likedFrom: takesLiking ? (given.likedFrom ?? USUAL_LIKED_FROM) : null,
    },
  };
}

/** Options that mean nothing beside the others. `sound`: whether none of these has a value that cannot be used. */
export function setsClashes(
  wish: SetsWish,
  given: RunOptions,
  sound: (...keys: OptionKey[]) => boolean,
): Clash[] {
  if (!sound('input')) return [];
  const isGiven = (option: keyof RunOptions): boolean => given[option] !== undefined;
  if (wish.input !== 'sets') {
    return OF_SETS.filter(isGiven).map((option) => {
      return [option, `${flagName(option)}: expected together with --input sets only`];
    });
  }
  const clashes: Clash[] = [];
  for (const option of OF_TEXTS.filter(isGiven)) {
    clashes.push([option, `${flagName(option)}: expected with texts, got --input sets`]);
  }
  if (!sound('ratings')) return clashes;
  if (wish.ratings === null) {
    if (isGiven('likedFrom'))
      clashes.push(['likedFrom', '--liked-from: expected together with --ratings only']);
    return clashes;
  }
  if (wish.ratings === 'stars' && isGiven('likedFrom')) {
    clashes.push(['likedFrom', '--liked-from: expected with --ratings liked or liked-hated, got stars']);
  }
  if (sound('columns') && (wish.columns ?? USUAL_COLUMNS).length < 3) {
    const detail = `--ratings ${wish.ratings}: expected a third field of --columns, the rating`;
    clashes.push(['ratings', detail]);
  }
  if (wish.bag) {
    clashes.push([
      'bag',
      `--bag: expected with weights, got --ratings ${wish.ratings}, which says how ratings count`,
    ]);
  }
  return clashes;
}
