/**
 * Taking up an unfinished run: whether what lies in `.work` is of the run that is asked for, and what is told of it.
 *
 * Floor 4. What is asked for is compared with what was noted (storage/results/runState.ts): result parameters, version and
 * inputs. Execution parameters are not: what is kept on disk is the same for all of them.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Block } from '../blocks/block.js';
import { type Fault, MinHashError } from '../errors.js';
import { flagName, OPTION_KEYS } from '../options/table.js';
import type { ResultParams } from '../sketch/params.js';
import { UNICODE_VERSION } from '../sketch/unicode/codePoints.js';
import type { LogCut, LogDamage } from '../storage/blockLog.js';
import type { InputsRecord } from '../storage/inputsRecord.js';
import { type ManifestParameters, manifestParameters } from '../storage/results/manifest.js';
import { outputStateOf } from '../storage/results/outputState.js';
import { WORK_NAME } from '../storage/results/resultNames.js';
import { findRun, fingerprintOf, type RunState, writeRunState } from '../storage/results/runState.js';
import type { ResumedStats } from '../storage/results/stats.js';
import { createSpillingStore, type SpillingStore } from '../storage/spillingStore.js';
import { VERSION } from '../version.js';
import { EVIDENCE } from './evidenceBlocks.js';
import { recalledBlocks } from './sketching.js';
import { recalledSpool } from './stdinSpool.js';

/** Inputs that are named; more are counted. */
const MOST_NAMED = 5;

const NOT_NOTED = 'the earlier attempt ended before it had noted its inputs';
const STDIN_CUT = 'not all of standard input is there, so it is read anew';

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
      /** What the earlier attempt was writing when it was killed. */
      readonly cut: readonly LogCut[];
    }
  /** A result that is finished: nothing is left to do. Whether its inputs are what they were is only known with its work. */
  | { readonly kind: 'finished'; readonly inputsCompared: boolean };

/** What a run is, so far as it decides the result. */
export type Identity = Pick<RunState, 'version' | 'unicode' | 'key' | 'parameters'>;

/** One attempt at a run: a new run, or one that is taken up. */
export class Attempt {
  private state: Exclude<Resumption, { readonly kind: 'finished' }> = { kind: 'nothing' };
  private identity: Identity;

  private readonly params: ResultParams;

  constructor(params: ResultParams) {
    this.params = params;
    this.identity = {
      version: VERSION,
      unicode: UNICODE_VERSION,
      key: randomBytes(8).toString('hex'),
      parameters: manifestParameters(params),
    };
  }

  /** What is told to who asked for it. */
  get resumption(): Resumption {
    return this.state;
  }

  /** Standard input that had begun has to come again. */
  get needsStdin(): boolean {
    return this.state.kind === 'over';
  }

  get isTakenUp(): boolean {
    return this.state.kind === 'taken up';
  }

  /** Notes the run in its output folder. @throws MinHashError WRITE_FAILED, DISK_FULL */
  note(out: string, options: RunState['options'], record: InputsRecord): void {
    const { version, unicode, key, parameters } = this.identity;
    writeRunState(out, { version, unicode, key, parameters, options }, record.block({}));
  }

  /**
   * Looks for an earlier attempt in the output folder, which is locked by now, and says whether it is taken up.
   *
   * @throws MinHashError RESUME_MISMATCH naming every difference
   */
  takeUp(out: string, record: InputsRecord): boolean {
    if (outputStateOf(out).kind !== 'unfinished') return false;
    const found = findRun(out);
    if (found.kind === 'none') return this.startOver(record.hasStdin ? STDIN_CUT : NOT_NOTED);
    if (found.kind === 'damaged') return this.startOver('what it noted is damaged', [found.damage]);
    const faults = [...identityFaults(found.state, this.identity), ...changedInputs(record, found.inputs)];
    if (faults.length > 0) throw new MinHashError(faults);
    if (record.hasStdin) {
      const spool = spoolIn(out, fingerprintOf(found.state));
      // It was noted when it had ended: nobody can be asked to say it again without a word.
      if (!spool.isWhole) throw new MinHashError(spoilt(spool.damage));
    }
    this.identity = found.state;
    this.state = { kind: 'taken up', columnBlocks: 0, verifiedPairs: 0, damage: [], cut: [] };
    return true;
  }

  private startOver(why: string, damage: readonly LogDamage[] = []): false {
    this.state = { kind: 'over', why, damage };
    return false;
  }

  /** Opens the store where the run writes, with the blocks of the run that is taken up. @throws MinHashError WRITE_FAILED */
  open(store: SpillingStore, path: string): void {
    const folder = join(path, WORK_NAME);
    store.open({ fingerprint: fingerprintOf(this.identity), resume: this.isTakenUp, folder });
    if (this.state.kind !== 'taken up') return;
    const columnBlocks = recalledBlocks(store, this.params).size;
    const verifiedPairs = recalledPairs(store);
    this.state = { kind: 'taken up', columnBlocks, verifiedPairs, ...store.left };
  }

  /** What is told of a run that was taken up, when it is over. */
  statsOf(columnBlocksInAll: number, verifiedPairs: number): ResumedStats | undefined {
    if (this.state.kind !== 'taken up') return undefined;
    const { columnBlocks, damage } = this.state;
    return { columnBlocks, columnBlocksInAll, verifiedPairs, damaged: damage.length };
  }
}

/** Whether all of standard input is in `.work`. Looks with a store of its own, which then is forgotten. */
function spoolIn(
  out: string,
  fingerprint: string,
): { readonly isWhole: boolean; readonly damage: readonly LogDamage[] } {
  const store = createSpillingStore({ folder: join(out, WORK_NAME), limit: 0 });
  store.open({ fingerprint, resume: true });
  return { isWhole: recalledSpool(store) !== null, damage: store.left.damage };
}

/** Pairs whose evidence an earlier attempt left. */
function recalledPairs(store: SpillingStore): number {
  let pairs = 0;
  for (const name of store.recalled(EVIDENCE)) {
    pairs += (store.reportOf(name) as { readonly pairs?: number } | null)?.pairs ?? 0;
  }
  return pairs;
}

/** Standard input was there whole and is not any more: the run must not go on with another. */
function spoilt(damage: readonly LogDamage[]): Fault {
  const places = damage.map(({ path, offset, expected, found }) => {
    return `${path}, offset ${offset}: expected ${expected}, found ${found}`;
  });
  const where = places.length === 0 ? 'it is not there' : places.join('; ');
  return mismatch(`standard input was read whole, but what was kept of it is damaged (${where})`);
}

export function mismatch(detail: string): Fault {
  return { code: 'RESUME_MISMATCH', detail };
}

/** What differs between a run and the one that is asked for, but for its inputs. */
export function identityFaults(before: Omit<Identity, 'key'>, now: Omit<Identity, 'key'>): Fault[] {
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

/** What differs between the files of a run and those it noted. */
export function changedInputs(record: InputsRecord, noted: Block): Fault[] {
  record.lookOn(Number.POSITIVE_INFINITY);
  const { named, count } = record.differencesFrom(noted, MOST_NAMED);
  const faults = named.map((text) => mismatch(`input ${text}`));
  const more = count - named.length;
  if (more > 0) faults.push(mismatch(`${more} more ${more === 1 ? 'input differs' : 'inputs differ'}`));
  return faults;
}

/**
 * Result parameters as text under the names of their flags, in the order of their names. What has no flag keeps its name:
 * nothing that decides the result is left out.
 */
function shownParameters(parameters: ManifestParameters): ReadonlyMap<string, string> {
  const { unit, size, ...shingle } = parameters.shingle;
  const shown = new Map<string, string>([['--shingle', `${unit}:${size}`]]);
  const addAll = (values: object, place: string): void => {
    for (const [key, value] of Object.entries(values)) {
      const path = place + key;
      if (key !== 'stopWords' && typeof value === 'object' && value !== null && !Array.isArray(value)) {
        addAll(value, `${path}.`);
        continue;
      }
      const name = (OPTION_KEYS as readonly string[]).includes(key) ? flagName(key) : path;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      // The seed stands in several places and is one.
      shown.set((shown.get(name) ?? text) === text ? name : path, text);
    }
  };
  addAll({ ...parameters, shingle }, '');
  return new Map([...shown].sort(([a], [b]) => (a < b ? -1 : 1)));
}
