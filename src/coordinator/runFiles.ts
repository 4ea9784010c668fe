/** A run over files: lists the inputs, locks the output folder, runs the pipeline, and finishes the result folder. */

import type { Readable } from 'node:stream';
import { decodeBlock, typedColumns } from '../blocks/block.js';
import { openedColumns } from '../blocks/documents.js';
import { NAMES } from '../blocks/names.js';
import { givenStream } from '../readers/formats/givenDocuments.js';
import { inputsBlock, inputsText, RecordDigests } from '../readers/inputsRecord.js';
import type { Inputs } from '../readers/list/inputs.js';
import { type Piece, planPieces } from '../readers/pieces.js';
import { type NewFolder, takeResultFolder } from '../result/folder.js';
import type { Report } from '../result/report.js';
import type { ResultParams } from '../sketch/params.js';
import type { Budget } from '../store/budget.js';
import { removeWorkFolder } from '../store/workFiles.js';
import { type Progress, Run } from './context.js';
import type { Documents } from './documentList.js';
import { countedDocuments, factsOf } from './finish/counts.js';
import { finishResult } from './finish/finishResult.js';
import type { IndexReference } from './index/indexReference.js';
import { type PipelineResult, pipeline } from './pipeline.js';
import { differencesFromNote, isResumable, NOT_RESUMABLE, NOTHING_TO_RESUME, writeNote } from './resume.js';
import { refuseNoFiles, refuseNothing } from './sketch/nothingRead.js';
import { FilesSource, type Source } from './sketch/source.js';
import type { Sketched } from './sketch.js';
import { damagedFiles, type SkipList, skipListOf, skippedInputs } from './skips.js';
import type { Checked } from './start/checked.js';
import type { StartingEngine } from './start/engine.js';
import { inputNotes } from './start/inputNotes.js';
import { list, type Prepared } from './start/prepare.js';
import { Storage } from './storage.js';
import { writeTables } from './write.js';

/** Callbacks and inputs of a run for the calling program; all optional. */
export interface RunHooks {
  /** Called from time to time with the progress of a stage. An error that it throws ends the run. */
  onProgress?(progress: Progress): void;
  /** Called if `resume` is set and the run starts over, with the reasons. */
  onStartOver?(differences: readonly string[]): void;
  /**
   * Keeps data in files even if it fits in memory.
   *
   * @internal for tests
   */
  readonly inFiles?: boolean;
  /**
   * Called once if the option `write` is set, after the result is finished and before the corpus is written.
   *
   * @internal a later error does not concern the result
   */
  onResult?(): void;
  /** When it is aborted, the run ends with INTERRUPTED. */
  readonly signal?: AbortSignal;
  /**
   * JSON lines for the path `-`, as text or bytes cut anywhere: a stream, a generator or any other (async) iterable;
   * default process.stdin. If it throws, the run ends with INPUT_FAILED and that error as its `cause`. The type does
   * not refer to Node streams, so the types of the library do not need the declarations of Node.
   */
  readonly stdin?: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** The state of a run when this file is loaded. */
interface Started {
  readonly checked: Checked;
  readonly budget: Budget;
  readonly begun: StartingEngine;
  /** The clock of this thread at the start of the run. */
  readonly start: number;
}

/**
 * Lists the files of a started run, compares them, and writes the result folder.
 *
 * @throws what `run` throws
 */
export async function runFiles(started: Started, hooks: RunHooks): Promise<Report> {
  const { checked, budget, begun } = started;
  const { params, execution } = checked;
  let output: NewFolder | null = null;
  let current: Run | null = null;
  let inputs: Inputs | null = null;
  let indexed: RunIndex = NO_INDEX;
  let storage: Storage | null = null;
  try {
    inputs = await list(checked, hooks.signal);
    const prepared: Prepared = { ...checked, inputs };
    const skipped = skippedInputs(prepared.inputs, params);
    refuseNoFiles(prepared);
    indexed = await openRunIndex(prepared);
    output = takeResultFolder(execution.out, execution.force, execution.resume);
    const pieces = ownPieces(planPieces(prepared.inputs, params), prepared);
    storage = storageOf(started, prepared, output.work, hooks, () => current);
    if (hooks.inFiles === true) storage.useFiles();
    else storage.decide(params, pieces);
    const engine = await begun.ready;
    current = new Run(params, engine, hooks.onProgress, hooks.signal, budget, storage);
    const stdin = hooks.stdin && givenStream(hooks.stdin, hooks.signal);
    const report = await runInto(started, output, current, { ...prepared, pieces }, skipped, stdin, indexed);
    await engine.close();
    return report;
  } catch (error) {
    // Tasks must not write into a folder that was released. If the engine failed to start, `error` has that error
    // already.
    await begun.ready.then(
      (engine) => engine.destroy(),
      () => {},
    );
    output?.release(storage?.isInFiles ?? execution.resume);
    throw error;
  } finally {
    inputs?.files.close();
    indexed.close();
  }
}

/** The storage of a run. It uses the work files of an earlier attempt if possible, and otherwise removes them. */
function storageOf(
  { budget, checked: { params, execution, index } }: Started,
  { inputs: { files } }: Prepared,
  work: string,
  { onStartOver }: RunHooks,
  current: () => Run | null,
): Storage {
  const isOfUse = isResumable(files, index);
  const differences = !execution.resume
    ? []
    : isOfUse
      ? (differencesFromNote(work, files, params) ?? [NOTHING_TO_RESUME])
      : [NOT_RESUMABLE];
  const resumes = execution.resume && differences.length === 0;
  if (differences.length > 0) onStartOver?.(differences);
  if (!resumes) removeWorkFolder(work);
  const onFiles = (): void => {
    if (resumes || !isOfUse) return;
    const store = current()?.engine.store;
    for (let k = 0; store?.has(NAMES.documents(k)) === true; k++)
      files.noteOpened(openedColumns(decodeBlock(store.get(NAMES.documents(k)), 'documents')));
    writeNote(work, files, params);
  };
  return new Storage(work, budget, { resumes, onFiles });
}

/** The index that is the reference of a run. */
interface RunIndex {
  /** Null: the run has no index. */
  readonly reference: IndexReference | null;
  /** With `append`: adds the kept documents. */
  append(run: Run, source: Source, result: PipelineResult): Promise<void>;
  close(): void;
}

const NO_INDEX: RunIndex = { reference: null, append: async () => {}, close: () => {} };

/** @throws MinHashError INDEX_DAMAGED, INDEX_MISMATCH; INDEX_LOCKED if another process writes to it */
async function openRunIndex({ index, inputs, execution: { append, portion } }: Prepared): Promise<RunIndex> {
  if (index === null) return NO_INDEX;
  const [{ IndexReference }, { IndexWriter }, { kernelHere }] = await Promise.all([
    import('./index/indexReference.js'),
    import('../index/indexFolder.js'),
    import('../tasks/kernelModule.js'),
  ]);
  const kernel = await kernelHere();
  const writer = append ? new IndexWriter(index) : null;
  try {
    const reference = new IndexReference(index, kernel);
    return {
      reference,
      append: async (run, source, result) => {
        if (writer === null) return;
        const { appendKept } = await import('./index/appendKept.js');
        await appendKept(writer, reference, portion!, run, source, result, inputs);
      },
      close: () => {
        reference.close();
        writer?.close();
      },
    };
  } catch (error) {
    writer?.close();
    throw error;
  }
}

/** The pieces that are read: all except the documents of an index. */
function ownPieces(pieces: Piece[], { index, inputs: { files } }: Prepared): Piece[] {
  if (index === null) return pieces;
  return pieces.flatMap((piece): Piece[] => {
    if (piece.kind !== 'files') return files.isReference(piece.index) ? [] : [piece];
    const own = piece.files.filter((file) => !files.isReference(file));
    return own.length === 0 ? [] : [{ ...piece, files: own }];
  });
}

async function runInto(
  { start }: Started,
  output: NewFolder,
  current: Run,
  prepared: Prepared & { readonly pieces: readonly Piece[] },
  skipped: SkipList,
  stdin: Readable | undefined,
  indexed: RunIndex,
): Promise<Report> {
  const { params, execution, inputs, pieces, results } = prepared;
  const source = new FilesSource(current, inputs.files, pieces, { stdin });
  const { reference } = indexed;
  const read = ({ documents }: Sketched): void => {
    refuseNothing(prepared, documents, skipped.counts(), source.piped, reference !== null);
  };
  const isLeftOut =
    results.length === 0
      ? null
      : await (await import('./start/againstResult.js')).documentsLeftOut(
          results,
          inputs.files,
          current.signal,
        );
  const result = await pipeline(current, source, execution.shards, skipped, read, reference, isLeftOut);
  const { sketched, numbered, decided, exact } = result;
  const { documents } = sketched;
  const writing = current.stage('write', () =>
    writeTables(current, output.path, {
      ...{ documents, numbered, decided, exact, tally: result.pairs?.tally ?? null },
      listed: [skipped.columns(), skipListOf(inputs.links).columns()],
    }),
  );
  // Workers write meanwhile.
  const counting = async () => ({
    counted: countedDocuments(params, result, inputs.files),
    files: readInputs(documents, inputs, params),
  });
  const [written, { counted, files }] = await Promise.all([writing, counting()]);
  const places = inputs.skipped.length + source.problems.length + sketched.met;
  const facts = factsOf(params, result, skipped, places, inputs, written, counted);
  await indexed.append(current, source, result);
  // No task follows, so threads end while the result is synced. `engine.close` in runFiles reports an error of their
  // end.
  current.engine.close().catch(() => {});
  const end = {
    stages: current.times.map(({ stage, tasks, ms, bytes }) => ({ stage, tasks, milliseconds: ms, bytes })),
    elapsedMilliseconds: performance.now() - start,
    execution: { documents_read_again: exact?.documentsReadAgain ?? 0 },
    files,
    inputNotes: inputNotes(inputs.files, params, source.piped),
    damagedFiles: damagedFiles(skipped, inputs.files),
    unverifiedSources: reference?.unverified ?? [],
  };
  const { readAs } = counted;
  const { textBytes } = sketched;
  const { valuesMissing } = documents;
  return finishResult(
    output,
    prepared,
    { facts, readAs, textBytes, hasNamedIds: documents.hasIds, valuesMissing },
    end,
  );
}

/** The states of the input files when they were read, and the digests of their texts; units and sets have none. */
function readInputs(documents: Documents, { files }: Inputs, { unit, sets }: ResultParams): string {
  const digests = unit === 'document' && sets === undefined ? new RecordDigests(files.length) : undefined;
  for (let batch = 0; batch + 1 < documents.starts.length; batch++) {
    const table = documents.table(batch);
    files.noteOpened(openedColumns(table));
    if (digests === undefined) continue;
    const { file, textKey } = typedColumns(table, { file: 'u32', textKey: 'u32' });
    for (let i = 0; i < file.length; i++) digests.add(file[i]!, textKey, i);
  }
  return inputsText(inputsBlock(files, {}, digests));
}
