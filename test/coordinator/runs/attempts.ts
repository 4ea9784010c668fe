/** Runs from the inputs to the outcome, without result files, over a store and a budget that a test chooses. */

import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Run } from '../../../src/coordinator/context.js';
import type { Outcome } from '../../../src/coordinator/finish/clusters.js';
import { SkipList } from '../../../src/coordinator/sketch/corpus.js';
import { FilesSource } from '../../../src/coordinator/sketch/source.js';
import { startEngine } from '../../../src/coordinator/start/engine.js';
import { checkOptions, type RunOptions } from '../../../src/options/check.js';
import { listInputs } from '../../../src/readers/list/inputs.js';
import { planPieces } from '../../../src/readers/pieces.js';
import { type Budget, UNBOUNDED } from '../../../src/store/budget.js';
import { DiskRoom } from '../../../src/store/disk.js';
import { Store } from '../../../src/store/store.js';
import { blockMemory } from '../../store/blockMemory.js';
import { execute } from '../executed.js';

export interface AttemptOptions {
  readonly run: RunOptions;
  /** The folder of the store. */
  readonly work: string;
  /** Bytes of blocks beyond which signatures leave memory. */
  readonly resident?: number;
  readonly budget?: Partial<Budget>;
  readonly stdin?: Readable;
  /** Bytes of a column block's input; default: as in any run. */
  readonly pieceBytes?: number;
  /** The attempt ends with an error when so many tasks of a stage are done. */
  readonly stopAfter?: { readonly stage: string; readonly tasks: number };
}

export interface Attempted {
  /** Null: it was stopped. */
  readonly outcome: Outcome | null;
  /** Tasks that ended well, by stage. */
  readonly tasks: Readonly<Record<string, number>>;
  readonly faults: FilesSource['faults'];
}

export async function attempt(options: AttemptOptions): Promise<Attempted> {
  const { resolved } = checkOptions({ threads: 0, ...options.run });
  const { params, execution } = resolved;
  const inputs = await listInputs({ paths: execution.paths, outFolder: null, params });
  await inputs.files.spool?.keepIn(join(options.work, 'spool'), new DiskRoom(options.work));
  const store = new Store({ limit: blockMemory(options.resident ?? 1e9) });
  store.open(options.work);
  const engine = await (await startEngine(params, execution, store)).ready;
  const tasks: Record<string, number> = {};
  const perform = engine.run;
  engine.run = async (task) => {
    const { stopAfter } = options;
    const done = tasks[task.kind] ?? 0;
    if (stopAfter !== undefined && stopAfter.stage === task.kind && done >= stopAfter.tasks)
      throw new Error('stopped');
    const result = await perform(task);
    tasks[task.kind] = (tasks[task.kind] ?? 0) + 1;
    return result;
  };
  const run = new Run(params, engine, undefined, undefined, { ...UNBOUNDED, ...options.budget });
  const pieces = planPieces(inputs, params, options.pieceBytes);
  const source = new FilesSource(run, inputs.files, pieces, { stdin: options.stdin });
  const outcome = await execute(run, source, 1, new SkipList()).then(
    (executed) => executed.outcome,
    (error: unknown) => {
      if (!(error instanceof Error && error.message === 'stopped')) throw error;
      return null;
    },
  );
  await store.flush();
  await store.close();
  await engine.close();
  inputs.files.spool?.close();
  return { outcome, tasks, faults: source.faults };
}
