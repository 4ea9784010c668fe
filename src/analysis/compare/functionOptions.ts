/**
 * Options of the small functions of the library: the same names, spellings, ranges and defaults as the options of a
 * run. All problems are reported at once.
 */
import { MinHashError, type Problem } from '../../errors.js';
import { conflictsIn, NORMALIZE_CONFLICTS } from '../../options/conflicts.js';
import { meantName } from '../../options/nearestName.js';
import { ESTIMATE_OPTIONS, METHOD_OPTIONS, QUERY_OPTIONS } from '../../options/queryOptions.js';
import type { OptionValues } from '../../options/runOptions.js';
import { OPTIONS } from '../../options/table.js';
import { callWith, shownValue, usableValues, type ValueKind, type ValueOf } from '../../options/values.js';
import { SIGNATURE_NAMES } from '../../sketch/params.js';
import { normalizing } from '../../text/preparedText.js';
import type { ShingleParams } from '../../text/shingles.js';
import { ENGLISH_STOP_WORDS } from '../../text/stopWords.js';

const { shingle, bag, stopWords, normalize, seed, hashes } = OPTIONS;

/** Every option of these functions. Options that a run has too use its rows. */
const ROWS = {
  ...{ shingle, bag, stopWords, normalize, seed, hashes },
  unit: { kind: { kind: 'choice', choices: ['words', 'chars', 'bytes', 'lines', 'stopwords'] } },
  size: { kind: { kind: 'integer', least: 1, most: 63 } },
  sketch: { kind: { kind: 'choice', choices: SIGNATURE_NAMES } },
  ...ESTIMATE_OPTIONS,
  method: QUERY_OPTIONS.method,
  ...METHOD_OPTIONS,
} as const satisfies Readonly<Record<string, { readonly kind: ValueKind }>>;

export type GivenKey = keyof typeof ROWS;

/** Options of shingles, which all functions over texts accept. */
export const OF_SHINGLES = ['shingle', 'unit', 'size', 'bag', 'stopWords', 'seed', 'normalize'] as const;
/** Options of a signature. */
export const OF_SIGNATURES = ['sketch', 'hashes'] as const;

/** Checked values; an option that is not set is absent. */
export type GivenValues = Partial<Pick<OptionValues, OfRun>> & {
  readonly [Key in Exclude<GivenKey, OfRun | 'stopWords'>]?: ValueOf<(typeof ROWS)[Key]['kind']>;
} & { readonly stopWords?: readonly string[] };

/** Options that a run has in the same form. */
type OfRun = 'shingle' | 'bag' | 'seed' | 'hashes' | 'normalize';

/**
 * The values of the options of a function.
 *
 * @param more further problems of the function, reported with the others
 * @throws MinHashError OPTION_INVALID with all problems at once
 */
export function checkedOptions(
  options: object,
  keys: readonly GivenKey[],
  more: readonly string[] = [],
): GivenValues {
  const call = callWith(options, "{ shingle: 'words:3' }");
  const details = [...call.problems];
  const given: Readonly<Record<string, unknown>> = { ...call.options };
  const accepted: Partial<Record<GivenKey, unknown>> = {};
  for (const [key, value] of Object.entries(given)) {
    const own = keys.find((one) => one === key);
    if (own === undefined && value !== undefined)
      details.push(`${shownValue(key)}: no such option${meantName(key, keys)}`);
    // These functions read no file.
    else if (own === 'stopWords' && typeof value === 'string')
      details.push(`stopWords ${shownValue(value)}: expected a list of words`);
    else if (own !== undefined) accepted[own] = value;
  }
  const values: GivenValues = usableValues(ROWS, accepted, (_, detail) =>
    details.push(detail),
  ) as GivenValues;
  const { unit = 'words', size = 5 } = values.shingle ?? values;
  const { normalize = [] } = values;
  const seen = { given: values, shingle: { unit, size }, normalize };
  details.push(...conflictsIn(NORMALIZE_CONFLICTS, seen).map(({ detail }) => detail));
  const twice = (['unit', 'size'] as const).filter((key) => key in values && 'shingle' in values);
  if (twice.length > 0)
    details.push(`shingle, ${twice.join(', ')}: expected either shingle or unit and size`);
  const problems = [...details, ...more].map((detail): Problem => ({ code: 'OPTION_INVALID', detail }));
  if (problems.length > 0) throw new MinHashError(problems);
  return values;
}

/** The shingle parameters of the options, with the defaults of the command line. */
export function shinglesOf(values: GivenValues): ShingleParams {
  const { bag = false, stopWords = ENGLISH_STOP_WORDS, seed = 1, normalize = ['nfc'] } = values;
  const { unit = 'words', size = 5 } = values.shingle ?? values;
  return { unit, size, bag, stopWords, seed, ...normalizing(normalize) };
}
