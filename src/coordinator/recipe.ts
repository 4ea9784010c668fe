/**
 * The recipe of a run: sketch, pair and verify, cluster, write; and a run over files, from the listing to its report.
 *
 * This module only orders the steps: mappers and reducers compute; readers, store and output read and write.
 */

import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { identityClasses } from '../../reducers/identityClasses.js';
import type { VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { Stepwise } from '../arrays/stepwise.js';
import { decodeBlock } from '../blocks/block.js';
import { openedColumns } from '../blocks/documents.js';
import { NAMES } from '../blocks/names.js';
import { type ErrorCode, MinHashError } from '../errors.js';
import { WORK_NAME } from '../output/fileNames.js';
import { type OutputFolder, prepareOutput } from '../output/folder.js';
import type { Report } from '../output/report.js';
import { inListOrder } from '../output/tables/tables.js';
import type { ReportedNumbers } from '../output/wording/reportedNumbers.js';
import { InputsRecord, inputsText } from '../readers/inputsRecord.js';
import { type Piece, planPieces } from '../readers/pieces.js';
import type { Budget, TableMemory } from '../store/budget.js';
import type { DiskWatch, LowDisk } from '../store/disk.js';
import { VERSION } from '../store/packageFiles.js';
import type { Store } from '../store/store.js';
import { type Progress, Run } from './context.js';
import { cluster, namedPairs } from './finish/clusters.js';
import { finishResult } from './finish/finishResult.js';
import { type Executed, factsOf } from './finish/makeFacts.js';
import { type DocumentNumbers, documentNumbers } from './finish/numbers.js';
import { survivorsOrder } from './finish/precedence.js';
import { ResultWriting } from './finish/write.js';
import { pairAndVerify } from './pair/comparedPairs.js';
import { refuseDocuments, rowChunksOf, unpackedBytes, workEstimate } from './planning/estimate.js';
import { type Corpus, type SkipList, skippedInputs } from './sketch/corpus.js';
import { refuseNoFiles, refuseNothing } from './sketch/nothingRead.js';
import { sketchCorpus } from './sketch/sketchCorpus.js';
import { FilesSource, type Source } from './sketch/source.js';
import { lackedTextFields } from './start/askedFields.js';
import type { Checked } from './start/checked.js';
import type { StartingEngine } from './start/engine.js';
import { list, type Prepared, tellLeftOut } from './start/prepare.js';
import { openStreams, type Streams } from './start/streams.js';
import { Verifier } from './verify/verify.js';

/** Callbacks and inputs of a run for the calling program; all optional. */
export interface RunHooks {
  /** Called now and then with the progress of a stage. An error it throws ends the run. */
  onProgress?(progress: Progress): void;
  /** Called once, where the disk of the output folder is probably too small; a disk that is surely too small ends the run. */
  onLowDisk?(found: LowDisk): void;
  /** Called for every symbolic link below the PATHs, before work begins: its place, and its code in the error table. */
  onLeftOut?(place: string, code: ErrorCode): void;
  /**
   * Called once, where the option `write` is set: the result is finished, and the corpus is written next.
   *
   * @internal a later error is no fault of the result
   */
  onResult?(): void;
  /** When it fires, the run ends with INTERRUPTED. */
  readonly signal?: AbortSignal;
  /**
   * JSON lines for the path `-`, as text or bytes cut anywhere: a stream, a generator or any other (async) iterable; default
   * process.stdin. An error it throws ends the run with INPUT_FAILED, and is its `cause`. The type is no stream of Node, so
   * that the types of the library need no declarations of Node.
   */
  readonly stdin?: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/**
 * The destination of the result of a run: a folder, or the caller's memory.
 *
 * @internal no part of the library's types
 */
export interface Destination<Early, Result> {
  /** Takes the candidate pairs, most of the rows, while the clusters are still computed. `withdrawn`: 1 where a document is left out. */
  candidates(
    corpus: Corpus,
    verified: VerifiedPairs,
    unlisted: Float64Array | null,
    withdrawn: Uint8Array,
  ): Promise<Early> | Early;
  /** Takes all other tables at the end. `early`: the result of `candidates`. */
  finish(executed: Executed, early: Early): Promise<Result> | Result;
}

/**
 * The recipe: sketch, pair and verify in rounds, cluster, write. Skipped documents are added to `skipped`.
 *
 * @internal no part of the library's types
 */
export async function execute<Early, Result>(
  run: Run,
  source: Source,
  rowChunks: number,
  skipped: SkipList,
  destination: Destination<Early, Result>,
): Promise<{ readonly executed: Executed; readonly written: Result }> {
  const sketched = await sketchCorpus(run, source, rowChunks, skipped);
  const { contentKeys, empty, textKeys } = sketched.corpus;
  const classes = await run.turns.through(identityClasses(contentKeys, empty, textKeys));
  const verifier = new Verifier(run, sketched.corpus, sketched.reader, classes);
  const ordering = survivorsOrder(run, sketched.corpus, source.input?.files ?? null);
  const precedence = await run.turns.through(ordering);
  const compared = await pairAndVerify(run, sketched.corpus, verifier, precedence);
  verifier.forgetSets();
  const named = namedPairs(run, sketched.corpus, verifier, compared.verified);
  await run.turns.give();
  const candidates = await destination.candidates(
    sketched.corpus,
    named,
    compared.unlisted,
    verifier.withdrawn,
  );
  const outcome = await cluster(run, sketched, verifier, compared, named, skipped, precedence);
  const executed = { ...sketched, outcome };
  await run.turns.give();
  return { executed, written: await destination.finish(executed, candidates) };
}

/** The state of a run when the recipe is loaded. */
interface Started {
  readonly checked: Checked;
  readonly budget: Budget;
  readonly tables: TableMemory;
  readonly store: Store;
  readonly disk: DiskWatch;
  /** Null: the engine has not begun to start. */
  readonly begun: StartingEngine | null;
  begin(): Promise<StartingEngine>;
  /** The clock of this thread when the run began. */
  readonly start: number;
}

/**
 * Lists the files of a started run, compares them, and writes the result folder.
 *
 * @throws what `run` throws
 */
export async function runFiles(started: Started, hooks: RunHooks): Promise<Report> {
  const { checked, budget, tables, store, disk } = started;
  const { params, execution } = checked;
  let { begun } = started;
  let output: OutputFolder | null = null;
  let prepared: Prepared | null = null;
  let current: Run | null = null;
  let streams: Streams | null = null;
  try {
    prepared = { ...checked, inputs: await list(checked, hooks.signal) };
    tellLeftOut(prepared.inputs, hooks);
    const skipped = skippedInputs(prepared.inputs, params);
    refuseNoFiles(prepared);
    output = prepareOutput(execution.out, { force: execution.force, version: VERSION });
    store.open(join(output.path, WORK_NAME));
    streams = await openStreams(prepared, output, disk.room, hooks);
    const pieces = planPieces(prepared.inputs, params);
    const sized = { params, budget, tables, engine: { parallelism: Math.max(1, execution.threads) } };
    // The sample is read while the workers start, if they do.
    await refuseDocuments(sized, prepared.inputs.files, pieces);
    begun ??= await started.begin();
    const engine = await begun.ready;
    current = new Run(params, engine, hooks.onProgress, hooks.signal, budget, tables);
    const report = await runInto(started, output, current, { ...prepared, pieces }, skipped, streams.stdin);
    await engine.close();
    return report;
  } catch (error) {
    // No task may write into a folder that is given up. An error of the start of the engine is `error` already.
    await begun?.ready.then(
      (engine) => engine.destroy(),
      () => {},
    );
    await store.flush().catch(() => {});
    await store.close();
    if (output !== null) giveUp(output, checked, current, error);
    throw error;
  } finally {
    streams?.close();
  }
}

/** Removes the files of a failed run; if counts were unbalanced, a report of all balances stays. */
function giveUp(
  output: OutputFolder,
  { params, execution }: Checked,
  current: Run | null,
  error: unknown,
): void {
  if (error instanceof MinHashError && error.code === 'COUNTS_UNBALANCED') {
    const balances = current?.ledger.balances ?? [];
    output.report({ version: VERSION, error: error.message, params, execution, balances });
    output.abandon();
  } else output.discard();
}

async function runInto(
  { store, disk, start }: Started,
  output: OutputFolder,
  current: Run,
  prepared: Prepared & { readonly pieces: readonly Piece[] },
  skipped: SkipList,
  stdin: Readable | undefined,
): Promise<Report> {
  const { params, execution, inputs, pieces } = prepared;
  const { workBytes } = workEstimate(params, pieces, unpackedBytes(inputs.files), execution.threads);
  disk.warn(workBytes);
  current.disk = disk;
  const source = new FilesSource(current, inputs.files, pieces, {
    stdin,
  });
  const writing = new ResultWriting(current, output.path);
  const rowChunks = rowChunksOf(execution);
  const { executed, written } = await execute(current, source, rowChunks, skipped, {
    candidates: (...early) => writing.candidates(...early),
    finish: (executed, candidates) => {
      refuseNothing(prepared, executed, skipped, source.piped);
      const listed = { skipped: inListOrder(skipped.columns()), links: inputs.links };
      const told = () => toldOf(current, prepared, executed);
      return current.stage('write', () => writing.finish(executed, listed, candidates, told));
    },
  });
  const places = inputs.skipped.length + source.faults.length + executed.met;
  const told = written.beside;
  const facts = factsOf(params, executed, skipped, places, inputs, written, told);
  // No task follows: threads end while the result is made durable. `engine.close` in runFiles throws an error of their end.
  current.engine.close().catch(() => {});
  const { corpus, outcome, textBytes } = executed;
  const { valuesMissing } = corpus;
  const end = {
    stages: current.times.map(({ stage, tasks, ms, bytes }) => ({ stage, tasks, milliseconds: ms, bytes })),
    elapsedMilliseconds: performance.now() - start,
    execution: { documents_read_again: outcome.documentsReadAgain },
    balances: current.ledger.balances,
    files: told.files,
    lackedTextFields: lackedTextFields(inputs.files, params, source.piped),
  };
  await store.close();
  const readAs = told.documents.readAs(corpus.leftOutRecords);
  const found = { facts, readAs, textBytes, hasNamedIds: corpus.places !== null, valuesMissing };
  return finishResult(output, prepared, found, end);
}

/** What manifest and statistics tell, and takes a while to make. */
interface Told {
  readonly documents: DocumentNumbers;
  readonly numbers: ReportedNumbers;
  /** The states of the files that were read, packed. */
  readonly files: string;
}

/** Makes it; `run` may still write. */
function* toldOf({ engine: { store } }: Run, prepared: Prepared, executed: Executed): Stepwise<Told> {
  const { corpus, outcome } = executed;
  const record = new InputsRecord(prepared.inputs.files);
  for (let k = 0; k < corpus.tables.length; k++) {
    const name = NAMES.documents(k);
    // Runs over sets have no tables of documents.
    if (store.has(name)) record.noteOpened(openedColumns(decodeBlock(store.get(name), 'documents', name)));
  }
  record.lookAtRest();
  const states = record.block();
  yield;
  const files = inputsText(states);
  yield;
  const documents = yield* documentNumbers(prepared.params, executed, prepared.inputs.files);
  yield;
  const numbers = documents.numbers(outcome.thresholds);
  return { documents, numbers, files };
}
