/**
 * Resumes an unfinished run: decides whether `.work` belongs to the same run, and reports what is kept.
 *
 * The run is compared with the note of the earlier attempt (runState.ts): result parameters, version and
 * inputs. Execution parameters are not compared: the blocks on disk are the same for all of them.
 */

import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type Block, decodeBlock } from '../../blocks/block.js';
import { type OpenedColumns, openedColumns } from '../../blocks/documents.js';
import { familyPrefix, NAMES } from '../../blocks/names.js';
import { type Fault, flagName, MinHashError } from '../../errors.js';
import type { Execution } from '../../options/check.js';
import { OPTION_KEYS } from '../../options/table.js';
import { keepText } from '../../options/values.js';
import { isOwnName, WORK_NAME } from '../../output/fileNames.js';
import {
  completeFinish,
  type OutputFolder,
  othersIn,
  outputStateOf,
  prepareOutput,
} from '../../output/folder.js';
import {
  type ManifestParameters,
  manifestParameters,
  promiseIn,
  type ResumedStats,
  type SourceOrder,
  type Stats,
  sourceOrder,
} from '../../output/manifest.js';
import { readManifest, readStats } from '../../output/readManifest.js';
import { type Report, reportOf, toldIn } from '../../output/report.js';
import { findRun, fingerprintOf, type RunState, writeRunState } from '../../output/runState.js';
import { faultText, verifyResult } from '../../output/verifyResult.js';
import { counted } from '../../output/wording/amounts.js';
import { damageOfPiped } from '../../readers/bytes/spool.js';
import { InputsRecord } from '../../readers/inputsRecord.js';
import { placesOf, type RootPlace } from '../../readers/list/inputs.js';
import { binaryOf } from '../../readers/list/pathIds.js';
import { resolveRoots } from '../../readers/list/roots.js';
import { realPathOf } from '../../readers/list/walk.js';
import type { ResultParams } from '../../sketch/params.js';
import type { LogCut, LogDamage } from '../../store/blockLog.js';
import { VERSION } from '../../store/packageFiles.js';
import type { Store } from '../../store/store.js';
import { UNICODE_VERSION } from '../../text/unicode/codePoints.js';
import { hasReadNothing } from '../sketch/nothingRead.js';
import { recalledBlocks } from '../sketch/sketching.js';
import { absolutePath, notedOptions, strangersInWork } from './noted.js';
import type { Prepared } from './prepare.js';
import { recalledCheck } from './recalled.js';

/** Most inputs that messages name; more are counted. */
const MOST_NAMED = 5;

const NOT_NOTED = 'the earlier attempt ended before it kept anything (--checkpoint-after)';
const STDIN_CUT = 'not all of standard input is there, so it is read anew';

/** The state that `--resume` found; reported before work begins. */
export type Resumption =
  /** There is no unfinished run: a new one begins. */
  | { readonly kind: 'nothing' }
  /** An unfinished run that left nothing to resume starts over. */
  | { readonly kind: 'over'; readonly why: string; readonly damage: readonly LogDamage[] }
  /** An unfinished run is continued: sound column blocks are kept, damaged ones are made anew. */
  | {
      readonly kind: 'taken up';
      readonly columnBlocks: number;
      readonly damage: readonly LogDamage[];
      /** Blocks that the earlier attempt was writing when it was killed. */
      readonly cut: readonly LogCut[];
    }
  /** A finished result: nothing is left to do. Its inputs can be compared only where its work was kept. */
  | { readonly kind: 'finished'; readonly inputsCompared: boolean };

/** Everything but its inputs that decides the result of a run. */
type Identity = Pick<RunState, 'version' | 'unicode' | 'parameters' | 'sources'>;

/** An attempt at a run, a new or a resumed one, that has taken its output folder and opened its store. */
export class Attempt {
  readonly output: OutputFolder;
  private state: Exclude<Resumption, { readonly kind: 'finished' }> = { kind: 'nothing' };
  private identity: Identity & Pick<RunState, 'key'>;
  /** The inputs that the earlier attempt noted. */
  private earlier: Block | null = null;
  private readonly params: ResultParams;
  private readonly resume: boolean;
  private readonly store: Store;
  private readonly record: InputsRecord;

  /**
   * Takes the output folder, with the work of an earlier attempt if the run resumes it.
   *
   * @param lasted milliseconds since the run began
   * @throws MinHashError RESUME_MISMATCH, and what prepareOutput throws
   */
  constructor({ options, params, execution, inputs }: Prepared, store: Store, lasted: number) {
    const { out, force, keepWork, resume, checkpointAfter } = execution;
    this.params = params;
    this.resume = resume;
    this.store = store;
    this.record = new InputsRecord(inputs.files);
    this.identity = { ...identityOf(params, inputs.places), key: randomBytes(8).toString('hex') };
    this.output = prepareOutput(out, {
      ...{ force, version: VERSION, keepWork, options: { ...notedOptions(options) } },
      ...(resume ? { takesUp: (path) => this.takeUp(path) } : {}),
    });
    try {
      this.open(Math.max(0, checkpointAfter - lasted));
    } catch (error) {
      this.output.abandon();
      throw error;
    }
  }

  get resumption(): Resumption {
    return this.state;
  }

  /** Whether standard input has to come again, because an earlier attempt may have begun to read it. */
  get needsStdin(): boolean {
    return this.state.kind === 'over';
  }

  get isTakenUp(): boolean {
    return this.state.kind === 'taken up';
  }

  /**
   * Notes the run, and the states of its inputs as far as they are known, for a run that resumes it. `columnBlocks`: the number of
   * column blocks that are read; their tables have the states of their inputs.
   *
   * @throws MinHashError WRITE_FAILED, DISK_FULL
   */
  note(columnBlocks = 0): void {
    this.learn(columnBlocks);
    const { version, unicode, key, parameters, sources } = this.identity;
    const state = { version, unicode, key, parameters, ...(sources && { sources }) };
    writeRunState(this.output.path, state, this.record.block());
  }

  /**
   * The states of the files of the first `columnBlocks` column blocks when they were read: for a later apply
   * (src/coordinator/apply).
   */
  seen(columnBlocks: number): Block {
    this.learn(columnBlocks);
    this.record.lookAtRest();
    return this.record.block();
  }

  /** Takes the states of the files that readers opened for the first `columnBlocks` column blocks. */
  private learn(columnBlocks: number): void {
    const names = Array.from({ length: columnBlocks }, (_, k) => NAMES.documents(k));
    for (const opened of openedIn(this.store, names)) this.record.noteOpened(opened);
  }

  /**
   * Ends the use of the folder of a failed run: removes the work where it is of no use to a later run, else keeps it to
   * be resumed.
   */
  leave(error: unknown): void {
    // Wrong use of a query shows only when the query begins; a resumed run keeps the work of the earlier attempt even then.
    const isWrong = error instanceof MinHashError && error.exitCode === 2 && !this.resume;
    if (isWrong || hasReadNothing(error)) this.output.discard();
    else this.output.abandon();
  }

  /**
   * Looks for an earlier attempt in the output folder, which is locked; returns whether this run resumes it.
   *
   * @throws MinHashError RESUME_MISMATCH naming every difference
   */
  private takeUp(out: string): boolean {
    const { record } = this;
    if (outputStateOf(out).kind !== 'unfinished') return false;
    const found = findRun(out);
    if (found.kind === 'none') {
      const cut = STDIN_CUT;
      return this.startOver(record.files.hasStdin ? cut : NOT_NOTED);
    }
    if (found.kind === 'damaged') return this.startOver('what it noted is damaged', [found.damage]);
    const faults = identityFaults(found.state, this.identity);
    if (faults.length > 0) throw new MinHashError([...faults, ...changedInputs(record, found.inputs)]);
    // Whoever may write in `.work` decides the result: checksums do not protect blocks.
    const distrust = strangersInWork(join(out, WORK_NAME));
    if (distrust !== null) return this.startOver(distrust);
    this.earlier = found.inputs;
    if (record.files.hasStdin) {
      // The note says that standard input was read to its end, so it cannot be read again.
      const damage = damageOfPiped(spoolFolder(out));
      if (damage !== null)
        throw new MinHashError(
          mismatch(`standard input was read whole, but what was kept of it is damaged (${damage})`),
        );
    }
    this.identity = found.state;
    this.state = { kind: 'taken up', columnBlocks: 0, damage: [], cut: [] };
    return true;
  }

  private startOver(why: string, damage: readonly LogDamage[] = []): false {
    this.state = { kind: 'over', why, damage };
    return false;
  }

  /**
   * Opens the store in the folder of the run, with the blocks of the earlier attempt; the inputs must be unchanged since that attempt
   * read them.
   *
   * @param after milliseconds until the run keeps its blocks
   * @throws MinHashError WRITE_FAILED, RESUME_MISMATCH naming every difference
   */
  private open(after: number): void {
    const { store, record, isTakenUp } = this;
    // A run without standard input can be resumed from any blocks; a run with it only once all of it is spooled.
    const begin = (): void => {
      if (!record.files.hasStdin) this.note();
    };
    store.open({
      fingerprint: fingerprintOf(this.identity),
      resume: isTakenUp,
      folder: join(this.output.path, WORK_NAME),
      // A resumed run keeps its blocks from the start: the earlier attempt has lasted long enough.
      ...(isTakenUp
        ? { check: recalledCheck(this.params, record.length) }
        : { checkpoints: { after, begin } }),
    });
    if (!isTakenUp) return;
    const opened = openedIn(store, store.recalled(familyPrefix('documents')));
    const faults = changedInputs(record, this.earlier!, opened);
    if (faults.length > 0) throw new MinHashError(faults);
    const columnBlocks = recalledBlocks(store, this.params).size;
    this.state = { kind: 'taken up', columnBlocks, ...store.left };
  }

  /** The statistics of a resumed run, at its end. */
  statsOf(columnBlocksInAll: number): ResumedStats | undefined {
    if (this.state.kind !== 'taken up') return undefined;
    const { columnBlocks, damage } = this.state;
    return { columnBlocks, columnBlocksInAll, damaged: damage.length };
  }
}

/** The folder in which a run keeps the streams that it reads. */
export const spoolFolder = (out: string): string => join(out, WORK_NAME, 'spool');

/** The states of input files when they were opened, from tables of documents. */
function* openedIn(store: Store, tables: readonly string[]): Generator<OpenedColumns> {
  for (const name of tables) {
    // Runs over sets have no tables of documents.
    if (store.has(name)) yield openedColumns(decodeBlock(store.get(name), 'documents', name));
  }
}

function mismatch(detail: string): Fault {
  return { code: 'RESUME_MISMATCH', detail };
}

/** The differences between an earlier attempt and this run, without those of their inputs. */
export function identityFaults(before: Identity, now: Identity): Fault[] {
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
  const [was, is] = [shownOrder(before.sources), shownOrder(now.sources)];
  if (was !== is)
    faults.push(mismatch(`the order of PATHs, which decides what is kept, was ${was}, is ${is}`));
  return faults;
}

function identityOf(params: ResultParams, places: readonly RootPlace[]): Identity {
  const sources = sourceOrder(places);
  return {
    version: VERSION,
    unicode: UNICODE_VERSION,
    parameters: manifestParameters(params),
    ...(sources && { sources }),
  };
}

function shownOrder(sources: SourceOrder | undefined): string {
  if (sources === undefined) return 'that of one';
  return 'sha256' in sources ? `of ${sources.count}, SHA-256 ${sources.sha256}` : sources.join(', ');
}

/** The differences between the present files and those that the earlier attempt noted. */
function changedInputs(record: InputsRecord, noted: Block, opened: Iterable<OpenedColumns> = []): Fault[] {
  const { named, count } = record.differencesFrom(noted, opened, MOST_NAMED);
  const faults = named.map((text) => mismatch(`input ${text}`));
  const more = count - named.length;
  if (more > 0) faults.push(mismatch(`${more} more ${more === 1 ? 'input differs' : 'inputs differ'}`));
  return faults;
}

/**
 * Result parameters as text under the names of their flags, in the order of these names. A parameter without a flag keeps its own
 * name, so that no parameter that decides the result is missing.
 */
function shownParameters(parameters: ManifestParameters): ReadonlyMap<string, string> {
  const { unit, size, normalize, ...shingle } = parameters.shingle;
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
      // A parameter in several places with one value, such as the seed, is shown once.
      shown.set((shown.get(name) ?? text) === text ? name : path, text);
    }
  };
  const { groups, keep, ...others } = parameters;
  addAll({ ...others, shingle, keep: keepText(keep) }, '');
  shown.set(flagName('normalize'), (normalize ?? ['nfc']).join());
  if (groups !== null) shown.set('--against', 'given');
  return new Map([...shown].sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface FinishedRun {
  readonly report: Report;
  /** Whether the inputs were compared with the note, which only a result with its work still has; else only the PATHs were. */
  readonly inputsCompared: boolean;
}

/**
 * The report of the finished result in the output folder, if it is of the same run. Removes the work of the run where its process
 * ended before it could.
 *
 * @param record lists the present files; called only where there is a note to compare them with
 * @throws MinHashError RESUME_MISMATCH naming every difference, RESULT_MISSING, RESULT_DAMAGED, OUTPUT_LOCKED, WRITE_FAILED
 */
export async function finishedRun(
  { out, paths, against, keepWork }: Execution,
  params: ResultParams,
  record: () => Promise<InputsRecord>,
): Promise<FinishedRun> {
  const manifest = readManifest(out);
  const { version, unicode, parameters, sources, counts } = manifest;
  const { roots } = await resolveRoots(paths, realPathOf(binaryOf(resolve(out))), against);
  const before = { version, unicode, parameters, ...(sources && { sources }) };
  const faults = identityFaults(before, identityOf(params, placesOf(roots)));
  const stats = readStats(out);
  const noted = findRun(out);
  if (noted.kind === 'found') faults.push(...changedInputs(await record(), noted.inputs));
  else faults.push(...pathFaults('PATH', stats.inputs.paths, paths, stats));
  faults.push(...pathFaults('--against', stats.inputs.against ?? [], against, stats));
  if (faults.length > 0) throw new MinHashError(faults);
  await refuseDamaged(out);
  completeFinish(out, keepWork);
  const others = othersIn(out);
  const report = reportOf({
    version,
    out,
    ...(others.length > 0 && { others }),
    parameters: params,
    counts,
    numbers: manifest.numbers,
    ...promiseIn(manifest),
    files: Object.entries(manifest.files).map(([file, facts]) => ({ file, ...facts })),
    inputs: { places: placesNow(stats) },
    resumed: 'finished',
    ...toldIn(stats),
  });
  return { report, inputsCompared: noted.kind === 'found' };
}

/**
 * Throws RESULT_DAMAGED for a result that `verify` calls damaged. Files in the folder that are not of a run are no damage here: a run
 * leaves them alone.
 */
async function refuseDamaged(out: string): Promise<void> {
  const { faults } = await verifyResult(out);
  const damages = faults.filter(({ kind, file }) => kind !== 'unknown' || isOwnName(file));
  if (damages.length === 0) return;
  const more = damages.length > 1 ? `, and ${counted(damages.length - 1, 'more fault')}` : '';
  const detail = `${faultText(damages[0]!, out)}${more}`;
  throw new MinHashError({ code: 'RESULT_DAMAGED', detail });
}

/** The places of the run, with absolute paths where the present directory is another than that of the run. */
function placesNow({ places, inputs: { directory } }: Stats): readonly RootPlace[] {
  if (directory === process.cwd()) return places;
  return places.map((place) =>
    place.kind === 'stdin' ? place : { ...place, path: absolutePath(place.path, directory) },
  );
}

/** Faults for PATHs that only one of the two runs has. */
function pathFaults(
  what: string,
  then: readonly string[],
  paths: readonly string[],
  { inputs: { directory } }: Stats,
): Fault[] {
  const before = new Map(then.map((path) => placeOf(absolutePath(path, directory))));
  const now = new Map(paths.map((path) => placeOf(absolutePath(path))));
  const only = (some: typeof now, others: typeof now): string[] =>
    [...some].filter(([place]) => !others.has(place)).map(([, path]) => path);
  return [
    ...only(before, now).map((path) => mismatch(`${what} ${path} was given then and is not now`)),
    ...only(now, before).map((path) => mismatch(`${what} ${path} was not given then`)),
  ];
}

/** The target of a PATH with links resolved, and the PATH for messages. */
function placeOf(absolute: string): [place: string, told: string] {
  return absolute === '-' ? ['-', absolute] : [realPathOf(binaryOf(absolute)) ?? absolute, absolute];
}
