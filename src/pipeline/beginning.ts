/**
 * The beginning of a run: its output folder is taken, with what an earlier attempt left there if that is asked for.
 *
 * Floor 4.
 */
import { notedOptions } from '../options/savedOptions.js';
import type { Execution, RunOptions } from '../options.js';
import type { ResultParams } from '../sketch/params.js';
import type { Inputs } from '../storage/inputs.js';
import { InputsRecord } from '../storage/inputsRecord.js';
import { type OutputFolder, prepareOutput } from '../storage/results/outputFolder.js';
import type { SpillingStore } from '../storage/spillingStore.js';
import { VERSION } from '../version.js';
import type { DiskWatch } from './diskWatch.js';
import { InputsNote } from './inputsNote.js';
import { Attempt } from './resume.js';

/** The options of a run, checked. */
export interface Checked {
  /** As given, or as noted by the run that is taken up. */
  readonly options: RunOptions;
  readonly params: ResultParams;
  readonly execution: Execution;
}

/** Options and inputs of a run, checked. */
export interface Prepared extends Checked {
  readonly inputs: Inputs;
}

/** An attempt at a run, and what it goes on with. */
export interface Begun {
  readonly output: OutputFolder;
  readonly store: SpillingStore;
  readonly attempt: Attempt;
  readonly disk: DiskWatch;
  /** Null: the inputs are noted already. */
  readonly note: InputsNote | null;
}

/**
 * Takes the output folder, with what an earlier attempt left there if that is asked for.
 *
 * @throws MinHashError RESUME_MISMATCH, DISK_FULL where not even the notes fit, and what prepareOutput throws
 */
export function begin(
  { options, params, execution, inputs }: Prepared,
  store: SpillingStore,
  disk: DiskWatch,
): Begun {
  const { out, force, keepWork, resume } = execution;
  const attempt = new Attempt(params);
  const record = new InputsRecord(inputs.files);
  const takesUp = (path: string): boolean => attempt.takeUp(path, record);
  const noted = { ...notedOptions(options) };
  const output = prepareOutput(out, {
    force,
    version: VERSION,
    keepWork,
    options: noted,
    ...(resume ? { takesUp } : {}),
  });
  try {
    attempt.open(store, output.path);
    disk.expect(attempt.isTakenUp ? 0 : record.bytes);
  } catch (error) {
    output.abandon();
    throw error;
  }
  const write = (): void => {
    attempt.note(output.path, noted, record);
    disk.expect(0);
  };
  return {
    output,
    store,
    attempt,
    disk,
    note: attempt.isTakenUp ? null : new InputsNote(store, record, write),
  };
}
