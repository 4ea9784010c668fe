/**
 * Which options go together: the rules beside the usual ones, their faults, and their parameters.
 *
 * Floor 4. Values come checked each for itself; here is only what one says about another.
 */
import type { ClusterKind, RepresentativeKind, RuleParams, VerifyMode } from '../sketch/params.js';
import type { OptionKey } from './entry.js';
import { shownValue } from './kinds.js';
import type { RunOptions } from './runOptions.js';
import { flagName } from './table.js';

/** The values of the options of ruleTable.ts after their own checks; null where one without a default was not given. */
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

export interface RuleFault {
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
