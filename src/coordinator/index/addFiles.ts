/** Adds the documents of files to an index as a portion. */
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { MinHashError } from '../../errors.js';
import type { AddedPortion } from '../../index/format.js';
import type { IndexWriter } from '../../index/indexFolder.js';
import type { RunOptions } from '../../options/runOptions.js';
import { resolveRoots } from '../../readers/list/roots.js';
import { planPieces } from '../../readers/pieces.js';
import { budgetOf, recordRoomOf } from '../../store/budget.js';
import { Store } from '../../store/store.js';
import { kernelHere } from '../../tasks/kernelModule.js';
import { type Progress, Run } from '../context.js';
import { refuseNoFiles, refuseUnread } from '../sketch/nothingRead.js';
import { FilesSource } from '../sketch/source.js';
import { type SkipList, skippedInputs } from '../skips.js';
import { startEngine } from '../start/engine.js';
import { list, type Prepared } from '../start/prepare.js';
import { workersFor } from '../start/workers.js';
import { addPortion, appendRead, type OnNear } from './addDocuments.js';
import { checkBesideIndex, repeatedPortion } from './indexOptions.js';
import { portionSources, sourceProblems } from './indexSources.js';

/** Callbacks and streams of an addition. */
export interface AddHooks {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onNear?: OnNear | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For the path `-`. */
  readonly stdin?: Readable | undefined;
}

export interface AddedFiles extends AddedPortion {
  /** Skipped locations and reasons. */
  readonly skipped: SkipList;
  /** Files of records without the text field, which were read as texts. */
  readonly asText: number;
}

/**
 * Adds the documents that a run would read.
 *
 * @param options PATHs, and options for reading them
 * @throws MinHashError: a usage error with all problems of the options; NOTHING_READ, INPUT_LOST, INDEX_DAMAGED,
 * WRITE_FAILED, DISK_FULL, INTERRUPTED: the index is unchanged
 */
export async function addFiles(
  writer: IndexWriter,
  options: RunOptions,
  portion: string,
  { onProgress, onNear, signal, stdin }: AddHooks = {},
): Promise<AddedFiles> {
  const { params, execution, problems } = checkBesideIndex(
    options,
    writer.manifest.parameters,
    writer.folder,
  );
  const ofPaths = execution.paths.length === 0 ? [] : (await resolveRoots(execution.paths, null)).problems;
  const all = [
    ...problems,
    ...(writer.manifest.sets ? [] : sourceProblems(execution.paths)),
    ...ofPaths,
    ...repeatedPortion(writer.manifest.portions, portion),
  ];
  if (all.length > 0) throw new MinHashError(all);
  const threads = workersFor(execution, options.threads === undefined ? 0 : 1);
  const checked = {
    index: null,
    options,
    params,
    execution: { ...execution, threads, out: resolve(writer.folder) },
  };
  const inputs = await list(checked, signal);
  return addInputs(writer, { ...checked, inputs }, portion, { onProgress, onNear, signal, stdin });
}

/** Adds the documents of inputs, which are closed. @throws MinHashError as `addFiles`, for inputs without documents too */
export async function addInputs(
  writer: IndexWriter,
  { params, execution, inputs }: Pick<Prepared, 'params' | 'execution' | 'inputs'>,
  portion: string,
  { onProgress, onNear, signal, stdin }: AddHooks,
): Promise<AddedFiles> {
  const skipped = skippedInputs(inputs, params);
  refuseNoFiles({ params, inputs });
  const budget = budgetOf(execution.memory, execution.threads);
  const pieces = planPieces(inputs, params);
  const { collectEvery } = budget;
  const place = { ...execution, collectEvery, room: recordRoomOf(budget) };
  const engine = await (await startEngine(params, place, new Store(collectEvery))).ready;
  let asText = 0;
  try {
    // Documents are read once.
    const run = new Run({ ...params, verify: 'signature' }, engine, onProgress, signal, budget);
    const source = new FilesSource(run, inputs.files, pieces, { stdin });
    const kernel = await kernelHere();
    const added = await addPortion(
      writer,
      { name: portion, kernel, onNear, sources: portionSources(inputs, params) },
      async (segment, number) => {
        const read = await appendRead(segment, number, { run, source, skipped });
        if (read.documents === 0) refuseUnread({ params, inputs }, skipped.counts());
        asText = read.asText;
        return read.empty;
      },
    );
    await engine.close();
    return { ...added, skipped, asText };
  } catch (error) {
    await engine.destroy();
    throw error;
  } finally {
    inputs.files.close();
  }
}
