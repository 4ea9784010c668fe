/**
 * The recipe of a run: sketch, pair and verify, cluster, write; and a run over files by it, from the listing to its report.
 *
 * Plans and joins. What is computed is in mappers and reducers; what is read and written is in readers, store and output.
 */

import type { Readable } from 'node:stream';
import { identityClasses } from '../../reducers/identityClasses.js';
import type { VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { Engine } from '../engines/engine.js';
import { type ErrorCode, MinHashError } from '../errors.js';
import type { Report } from '../output/report.js';
import { inListOrder } from '../output/tables/tables.js';
import { planPieces } from '../readers/pieces.js';
import type { Budget, TableMemory } from '../store/budget.js';
import type { DiskWatch, LowDisk } from '../store/disk.js';
import { VERSION } from '../store/packageFiles.js';
import type { SpillingStore } from '../store/spilling.js';
import { type Progress, Run } from './context.js';
import { cluster, namedPairs } from './finish/clusters.js';
import { finishResult } from './finish/finishResult.js';
import { type Executed, factsOf } from './finish/makeFacts.js';
import { survivorsOrder } from './finish/precedence.js';
import { ResultWriting } from './finish/write.js';
import { pairAndVerify } from './pair/comparedPairs.js';
import { refuseDocuments, unpackedBytes, workEstimate } from './planning/estimate.js';
import { type Corpus, refuseSkipped, SkipList } from './sketch/corpus.js';
import { refuseNoFiles, refuseNothing } from './sketch/nothingRead.js';
import { sketchCorpus } from './sketch/sketchCorpus.js';
import { FilesSource, type Source } from './sketch/source.js';
import type { Checked } from './start/checked.js';
import { list, type Prepared, rowChunksOf, tellLeftOut } from './start/prepare.js';
import { type Begun, begin, leave, type Resumption } from './start/resume.js';
import { endOf, type Sorted } from './start/sortedInstead.js';
import { openStreams, type Streams } from './start/streams.js';
import { Verifier } from './verify/verify.js';

/** What a program has to do with a run while it runs; all optional. */
export interface RunHooks {
  /** Told now and then how far a stage is. What it throws ends the run. */
  onProgress?(progress: Progress): void;
  /** Told once, before work begins, where `resume` was asked for. */
  onResume?(found: Resumption): void;
  /** Told once, where the disk of the output folder will probably be too small; what surely is too small ends the run. */
  onLowDisk?(found: LowDisk): void;
  /**
   * Told once, where the run does not fit into `memory` and is sorted on the disk of the output folder instead. `why`: MEMORY_BUDGET,
   * with what did not fit and which `memory` has room. What it throws ends the run.
   */
  onSorted?(why: MinHashError): void;
  /** Told of every symbolic link below the PATHs, before work begins: its place, and which it is of the error table. */
  onLeftOut?(place: string, code: ErrorCode): void;
  /**
   * Told once, where `write` was asked for: the result is finished, and the corpus is written next.
   *
   * @internal what goes wrong from here on is no fault of the result
   */
  onResult?(): void;
  /** When it fires the run ends with INTERRUPTED, and can be taken up with `resume`. */
  readonly signal?: AbortSignal;
  /**
   * JSON lines for the path `-`, as text or bytes cut anywhere: a stream, a generator or any other (async) iterable; default
   * process.stdin. What it throws ends the run with INPUT_FAILED, whose `cause` it is. Not named as a stream of Node, so
   * that the types of the library need no declarations of Node.
   */
  readonly stdin?: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/**
 * Where the result of a run goes: a folder, or the caller's memory.
 *
 * @internal no part of the library's types
 */
export interface Destination<Early, Result> {
  /** Candidates are most of the rows, and known before the clusters are: they go out meanwhile. */
  candidates(corpus: Corpus, verified: VerifiedPairs, unlisted: Float64Array | null): Promise<Early> | Early;
  /** The rest, once all is known. `early`: what became of the candidates. */
  finish(executed: Executed, early: Early): Promise<Result> | Result;
}

/**
 * The recipe: sketch, pair and verify in rounds, cluster, write. What is skipped is added to `skipped`.
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
  const order = await run.turns.through(ordering);
  const compared = await pairAndVerify(run, sketched.corpus, verifier, order.precedence);
  const named = namedPairs(run, sketched.corpus, verifier, compared.verified);
  await run.turns.give();
  const candidates = await destination.candidates(sketched.corpus, named, compared.unlisted);
  const outcome = await cluster(run, sketched, verifier, compared, named, skipped, order);
  const executed = { ...sketched, outcome };
  await run.turns.give();
  return { executed, written: await destination.finish(executed, candidates) };
}

/** What is there when the recipe is loaded. */
interface Started {
  readonly checked: Checked;
  readonly budget: Budget;
  readonly tables: TableMemory;
  readonly store: SpillingStore;
  readonly disk: DiskWatch;
  /** The engine once its workers answered, or why they cannot. */
  readonly ready: Promise<Engine>;
  /** The clock of this thread when the run began. */
  readonly start: number;
}

/**
 * Lists the files of a run that was started, compares them, and writes the result folder.
 *
 * @returns the run on the disk that is to take its place, where it does not fit into memory: nothing is left of it then
 * @throws what `run` throws
 */
export async function runFiles(started: Started, hooks: RunHooks): Promise<Report | Sorted> {
  const { checked, budget, tables, store, disk, ready, start } = started;
  const { params, execution } = checked;
  let begun: Begun | null = null;
  let prepared: Prepared | null = null;
  let current: Run | null = null;
  let streams: Streams | null = null;
  try {
    // Workers that do not start are told where they are waited for.
    ready.catch(() => {});
    prepared = { ...checked, inputs: await list(checked, hooks.signal) };
    tellLeftOut(prepared.inputs, hooks);
    const skipped = new SkipList();
    for (const { place, code } of prepared.inputs.skipped) skipped.addBinary(place, code);
    refuseSkipped(params, skipped);
    refuseNoFiles(prepared);
    begun = begin(prepared, store, disk, performance.now() - start);
    streams = await openStreams(prepared, begun, { budget, room: disk.room }, hooks);
    if (execution.resume) hooks.onResume?.(begun.attempt.resumption);
    const engine = await ready;
    current = new Run(params, engine, hooks.onProgress, hooks.signal, budget, tables);
    const report = await runInto(begun, current, prepared, skipped, streams.stdin, start);
    await engine.close();
    return report;
  } catch (error) {
    // No task may write into a folder that is given up. What keeps an engine from starting was thrown above.
    await ready.then(
      (engine) => engine.destroy(),
      () => {},
    );
    await store.flush().catch(() => {});
    await store.close();
    const end = begun === null || prepared === null ? { error } : endOf(prepared, error);
    if ('sorted' in end) {
      begun?.output.discard();
      return end;
    }
    if (begun !== null) giveUp(begun, checked, current, end.error);
    throw end.error;
  } finally {
    await streams?.close();
  }
}

/** What is left in the folder of a run that failed. */
function giveUp(
  { output }: Begun,
  { params, execution }: Checked,
  current: Run | null,
  error: unknown,
): void {
  if (error instanceof MinHashError && error.code === 'COUNTS_UNBALANCED') {
    const balances = current?.ledger.balances ?? [];
    output.report({ version: VERSION, error: error.message, params, execution, balances });
  }
  leave(output, execution, error);
}

async function runInto(
  begun: Begun,
  current: Run,
  prepared: Prepared,
  skipped: SkipList,
  stdin: Readable | undefined,
  start: number,
): Promise<Report> {
  const { output, attempt, store, disk } = begun;
  const { params, execution, inputs } = prepared;
  const pieces = planPieces(inputs, params);
  await refuseDocuments(current, inputs.files, pieces);
  const { workBytes } = workEstimate(params, pieces, unpackedBytes(inputs.files), execution.threads);
  disk.warn(workBytes - store.recalledBytes);
  current.disk = disk;
  const source = new FilesSource(current, inputs.files, pieces, {
    stdin,
    needsStdin: attempt.needsStdin,
    // The note says that all of it is there.
    stdinEnded: async () => {
      await store.flush();
      begun.note();
    },
  });
  const writing = new ResultWriting(current, output.path);
  const rowChunks = rowChunksOf(params, execution, inputs.files);
  const { executed, written } = await execute(current, source, rowChunks, skipped, {
    candidates: (corpus, verified, unlisted) => writing.candidates(corpus, verified, unlisted),
    finish: (executed, candidates) => {
      refuseNothing(prepared, executed, skipped, source.piped);
      const listed = { skipped: inListOrder(skipped.columns()), links: inputs.links };
      return current.stage('write', () => writing.finish(executed, listed, candidates));
    },
  });
  const found = inputs.skipped.length + source.faults.length + executed.met;
  const facts = await current.turns.through(factsOf(params, executed, skipped, found, inputs, written));
  // No task follows: threads end while the result is made durable. Whoever waits for their end hears of a failure.
  current.engine.close().catch(() => {});
  return finishResult(begun, prepared, current, executed, facts, { start, piped: source.piped });
}
