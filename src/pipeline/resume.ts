/**
 * Taking up an unfinished run: whether what lies in `.work` is of the run that is asked for, and what is told of it.
 *
 * Floor 4. What is asked for is compared with what was noted (storage/results/runState.ts): result parameters, version and
 * inputs. Execution parameters are not: what is kept on disk is the same for all of them.
 */
import { randomBytes } from 'node:crypto';
import { type Fault, MinHashError } from '../errors.js';
import { flagName, OPTION_KEYS } from '../options/table.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../sketch/unicode/codePoints.js';
import type { LogDamage } from '../storage/blockLog.js';
import type { InputsRecord } from '../storage/inputsRecord.js';
import { type ManifestParameters, manifestParameters } from '../storage/results/manifest.js';
import { findRun, fingerprintOf, type RunState } from '../storage/results/runState.js';
import { VERSION } from '../version.js';

/** Inputs that are named; more are counted. */
const MOST_NAMED = 5;

/** What `--resume` found; told before work begins. */
export type Resumption =
  /** No unfinished run: one begins. */
  | { readonly kind: 'nothing' }
  /** An unfinished run that left nothing to go on with: it is started over. */
  | { readonly kind: 'over'; readonly why: string; readonly damage: readonly LogDamage[] }
  /** Column blocks and verified pairs that are there, and what was damaged and is made anew. */
  | {
      readonly kind: 'taken up';
      readonly columnBlocks: number;
      readonly verifiedPairs: number;
      readonly damage: readonly LogDamage[];
    }
  /** A result that is finished: nothing is left to do. Its inputs were not looked at. */
  | { readonly kind: 'finished' };

/** What a run is, so far as it decides the result. */
export type Identity = Pick<RunState, 'version' | 'unicode' | 'key' | 'parameters'>;

/** One attempt at a run: a new run, or one that is taken up. */
export class Attempt {
  /** Told to the user where it was asked for; its counts are not known yet. */
  found: Exclude<Resumption, { kind: 'finished' }> = { kind: 'nothing' };
  private identity: Identity;

  constructor(params: ResultParams) {
    this.identity = {
      version: VERSION,
      unicode: UNICODE_VERSION,
      key: randomBytes(8).toString('hex'),
      parameters: manifestParameters(params),
    };
  }

  /** Of the blocks that belong to this run. */
  get fingerprint(): string {
    return fingerprintOf(this.identity);
  }

  get isTakenUp(): boolean {
    return this.found.kind === 'taken up';
  }

  /** What is noted of the run. */
  noted(options: RunState['options']): Identity & Pick<RunState, 'options'> {
    return { ...this.identity, options };
  }

  /**
   * Looks for an earlier attempt in the output folder, which is locked by now, and says whether it is taken up.
   *
   * @param record complete
   * @param unusable why an attempt with these inputs cannot be taken up though they are the same, or null
   * @throws MinHashError RESUME_MISMATCH naming every difference
   */
  takeUp(out: string, isUnfinished: boolean, record: InputsRecord, unusable: () => string | null): boolean {
    const found = findRun(out);
    if (found.kind === 'none') {
      const why = 'the earlier attempt ended before it had noted its inputs';
      if (isUnfinished) this.found = { kind: 'over', why, damage: [] };
      return false;
    }
    if (found.kind === 'damaged') {
      this.found = { kind: 'over', why: 'what it noted is damaged', damage: [found.damage] };
      return false;
    }
    const faults = [
      ...identityFaults(found.state, this.identity),
      ...inputFaults(record.differencesFrom(found.inputs, MOST_NAMED)),
    ];
    if (faults.length > 0) throw new MinHashError(faults);
    const why = unusable();
    if (why !== null) {
      this.found = { kind: 'over', why, damage: [] };
      return false;
    }
    this.identity = found.state;
    this.found = { kind: 'taken up', columnBlocks: 0, verifiedPairs: 0, damage: [] };
    return true;
  }
}

function mismatch(detail: string): Fault {
  return { code: 'RESUME_MISMATCH', detail };
}

/** What differs between a run and the one that is asked for, but for its inputs. */
export function identityFaults(
  before: Omit<Identity, 'key'>,
  now: Omit<Identity, 'key'>,
): Fault[] {
  const faults: Fault[] = [];
  if (before.version !== now.version) {
    faults.push(mismatch(`it is of version ${before.version}, this is ${now.version}`));
  } else if (before.unicode !== now.unicode) {
    faults.push(mismatch(`its Unicode tables are of version ${before.unicode}, these of ${now.unicode}`));
  }
  const old = shownParameters(before.parameters);
  const shown = shownParameters(now.parameters);
  for (const name of new Set([...old.keys(), ...shown.keys()])) {
    const [was, is] = [old.get(name) ?? 'none', shown.get(name) ?? 'none'];
    if (was !== is) faults.push(mismatch(`${name} was ${was}, is ${is}`));
  }
  return faults;
}

function inputFaults({ named, count }: { readonly named: readonly string[]; readonly count: number }): Fault[] {
  const faults = named.map((text) => mismatch(`input ${text}`));
  const more = count - named.length;
  if (more > 0) faults.push(mismatch(`${more} more ${more === 1 ? 'input differs' : 'inputs differ'}`));
  return faults;
}

/** Parts of parameters that no option of that name gives. */
const CALLED: Readonly<Record<string, string>> = {
  unit: '--shingle',
  size: '--shingle',
  textFieldGiven: '--text-field (given)',
};

/** Result parameters as text under the names of their flags. What has no flag keeps its name. */
function shownParameters(parameters: ManifestParameters): Map<string, string> {
  const shown = new Map<string, string>();
  const add = (key: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [inner, part] of Object.entries(value)) add(key === 'stopWords' ? key : inner, part);
      return;
    }
    const isOption = (OPTION_KEYS as readonly string[]).includes(key);
    const name = CALLED[key] ?? (isOption ? flagName(key) : key);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const known = shown.get(name);
    // The seed stands in several places and is one.
    if (known === undefined) shown.set(name, text);
    else if (known !== text) shown.set(name, `${known}${name === '--shingle' ? ':' : ' '}${text}`);
  };
  for (const [key, value] of Object.entries(parameters)) add(key, value);
  return shown;
}
