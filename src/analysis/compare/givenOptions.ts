/**
 * Options of the library's small functions: the same names, spellings, ranges and defaults as the options of
 * a run, all faults at once.
 */
import { type Fault, MinHashError } from '../../errors.js';
import { meantName } from '../../options/nearestName.js';
import { ESTIMATE_OPTIONS, METHOD_OPTIONS } from '../../options/queryOptions.js';
import type { OptionValues } from '../../options/runOptions.js';
import { OPTIONS } from '../../options/table.js';
import { checkValue, expectation, shownValue, type ValueKind, type ValueOf } from '../../options/values.js';
import { SIGNATURE_NAMES } from '../../sketch/params.js';
import { normalizing } from '../../text/preparedText.js';
import type { ShingleParams } from '../../text/shingles.js';
import { ENGLISH_STOP_WORDS } from '../../text/stopWords.js';
import { METHOD_NAMES } from '../methods/method.js';

/** Every option of these functions; an option that a run also has is checked in the same way. */
const KINDS = {
  shingle: OPTIONS.shingle.kind,
  unit: { kind: 'choice', choices: ['words', 'chars', 'bytes', 'lines', 'stopwords'] },
  size: { kind: 'integer', least: 1, most: 63 },
  bag: OPTIONS.bag.kind,
  stopWords: OPTIONS.stopWords.kind,
  normalize: OPTIONS.normalize.kind,
  seed: OPTIONS.seed.kind,
  sketch: { kind: 'choice', choices: SIGNATURE_NAMES },
  hashes: OPTIONS.hashes.kind,
  ...kindsOf(ESTIMATE_OPTIONS),
  method: { kind: 'choice', choices: METHOD_NAMES },
  ...kindsOf(METHOD_OPTIONS),
} as const satisfies Record<string, ValueKind>;

function kindsOf<Rows extends Readonly<Record<string, { readonly kind: ValueKind }>>>(rows: Rows) {
  return Object.fromEntries(Object.entries(rows).map(([key, { kind }]) => [key, kind])) as {
    readonly [Key in keyof Rows]: Rows[Key]['kind'];
  };
}

export type GivenKey = keyof typeof KINDS;

/** Options of shingles, which all functions over texts take. */
export const OF_SHINGLES = ['shingle', 'unit', 'size', 'bag', 'stopWords', 'seed', 'normalize'] as const;
/** Options of a signature. */
export const OF_SIGNATURES = ['sketch', 'hashes'] as const;

/** Checked values; an option that was not given is absent. */
export type GivenValues = Partial<Pick<OptionValues, OfRun>> & {
  readonly [Key in Exclude<GivenKey, OfRun | 'stopWords'>]?: ValueOf<(typeof KINDS)[Key]>;
} & { readonly stopWords?: readonly string[] };

/** Options that a run has in the same form. */
type OfRun = 'shingle' | 'bag' | 'seed' | 'hashes' | 'normalize';

/**
 * The values of the options that a function takes.
 *
 * @param more further faults found by the function, reported with the others
 * @throws MinHashError OPTION_INVALID with every fault at once
 */
export function givenOptions(
  options: object,
  keys: readonly GivenKey[],
  more: readonly string[] = [],
): GivenValues {
  const details: string[] = [];
  const values: Record<string, unknown> = {};
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  if (!isObject) details.push(`options ${shownValue(options)}: expected an object`);
  for (const [key, value] of Object.entries(isObject ? options : {})) {
    if (value === undefined) continue;
    if (!(keys as readonly string[]).includes(key)) {
      details.push(`${shownValue(key)}: no such option${meantName(key, keys)}`);
      continue;
    }
    const kind = KINDS[key as GivenKey];
    const checked = checkValue(kind, value);
    // This function reads no file.
    const isGood = checked.ok && (key !== 'stopWords' || typeof value !== 'string');
    if (isGood) values[key] = checked.value;
    else {
      const expected = key === 'stopWords' ? 'a list of words' : expectation(kind);
      details.push(`${key} ${shownValue(value)}: expected ${expected}`);
    }
  }
  details.push(...normalizeFaults(values as GivenValues));
  const twice = (['unit', 'size'] as const).filter((key) => key in values && 'shingle' in values);
  if (twice.length > 0)
    details.push(`shingle, ${twice.join(', ')}: expected either shingle or unit and size`);
  const faults = [...details, ...more].map((detail): Fault => ({ code: 'OPTION_INVALID', detail }));
  if (faults.length > 0) throw new MinHashError(faults);
  return values as GivenValues;
}

/** The shingle parameters of the options, with the defaults of the command line. */
export function shinglesOf(values: GivenValues): ShingleParams {
  const { bag = false, stopWords = ENGLISH_STOP_WORDS, seed = 1, normalize = ['nfc'] } = values;
  const { unit = 'words', size = 5 } = values.shingle ?? values;
  return { unit, size, bag, stopWords, seed, ...normalizing(normalize) };
}

/** Faults of `normalize` and its combination with `shingle`, as the check of a run finds them. */
function normalizeFaults({ shingle, unit = shingle?.unit, normalize = [] }: GivenValues): string[] {
  const got = `normalize ${normalize.join()}`;
  const isTwo = normalize.includes('nfc') && normalize.includes('nfkc');
  const isOfBytes =
    unit === 'bytes' && normalize.length > 0 && normalizing(normalize).normalize !== undefined;
  return [
    ...(isTwo ? [`${got}: expected nfc or nfkc, got both`] : []),
    ...(isOfBytes ? [`${got}, unit bytes: expected one of the two: bytes are compared as they are`] : []),
  ];
}
