/**
 * The coordinator of a run over files: options -> inputs -> column blocks -> outcome -> result folder.
 *
 * Plans and joins; what is computed is in mappers and reducers, what is read and written in src/storage.
 */

import { join, resolve } from 'node:path';
import type { VerifiedPairs } from '../../reducers/verifiedPairs.js';
import { type IdTable, idText } from '../blocks/ids.js';
import { COLLECT_EVERY, type Engine } from '../engines/engine.js';

import { createInlineEngine } from '../engines/inline.js';
import { createThreadsEngine } from '../engines/threads.js';
import { type ErrorCode, type Fault, LISTED_CODES, MinHashError } from '../errors.js';
import type { Execution, RunOptions } from '../options/check.js';
import { checkOutput, isFinished, type OutputFolder, othersIn, prepareOutput } from '../output/folder.js';
import { countFaults, manifestOf, statsOf } from '../output/manifest.js';
import { VERSION, WORK_NAME } from '../output/names.js';
import { completeReplacement } from '../output/replacement.js';
import { type Report, reportOf } from '../output/report.js';
import { inListOrder } from '../output/tables/tables.js';
import { missingColumns } from '../readers/columns.js';
import { unknownTextField } from '../readers/firstRecords.js';
import { givenStream } from '../readers/formats/givenDocuments.js';
import { InputsRecord } from '../readers/inputsRecord.js';
import type { FileTable } from '../readers/list/fileTable.js';
import { type Inputs, listInputs } from '../readers/list/inputs.js';
import { binaryOf } from '../readers/list/pathIds.js';
import { resolveRoots } from '../readers/list/roots.js';
import { realPathOf } from '../readers/list/walk.js';
import { planSources, type SourcePlan } from '../readers/split.js';
import type { ResultParams } from '../sketch/params.js';
import { budgetOf } from '../store/budget.js';
import { DiskRoom, DiskWatch, type LowDisk } from '../store/disk.js';
import { createSpillingStore, type SpillingStore } from '../store/spilling.js';
import type { Store } from '../store/store.js';
import type { RunSetup } from '../tasks/task.js';
import { KERNEL_MODULE, loadKernelModule } from '../tasks/workplace.js';
import { type Progress, Run } from './context.js';
import { rowChunksOfSets, unpackedBytes, workEstimate } from './estimate.js';
import { findOutcome, type Outcome } from './finish/clusters.js';
import { factsOf, reportedInputs } from './finish/facts.js';
import { ResultWriting } from './finish/write.js';
import { hasReadNothing, leftOutOf, refuseNoFiles, refuseNothing } from './nothingRead.js';
import { Attempt, corpusMark, finishedRun, InputsNote, type Resumption } from './resume.js';
import { checkRunOptions, notedOptions } from './savedOptions.js';
import { type Documents, FileBlocks } from './sketch/columnBlocks.js';
import { type Corpus, CorpusBuilder, codeCounts, refuse, SkipList } from './sketch/corpus.js';
import { type Eliminated, eliminatedShingles, eliminatedTexts } from './sketch/frequentShingles.js';
import { RowForm } from './sketch/setMatrix.js';
import { sketchBlocks } from './sketch/sketching.js';
import { SetReader } from './verify/reread.js';
import type { SetSource } from './verify/tileSets.js';

/*
 * The beginning of a run: its output folder is taken, with what an earlier attempt left there if that is asked for.
 *
 * Floor 4.
 */

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

/*
 * A run from column blocks to the outcome, on an engine: what runs over files and over documents in memory share.
 *
 * Floor 4.
 */

const TASKS = new URL('../tasks/table.js', import.meta.url).href;

/** Where the tasks of a run are performed. */
interface Place {
  readonly threads: number;
  /** Milliseconds. */
  readonly taskTimeout: number;
  /** See Budget; default: never. */
  readonly collectEvery?: number;
}

/**
 * An engine for a run: `threads` workers, or this thread for 0. The environment variable MR_MINHASH_KERNEL=reference
 * keeps the compiled kernel out, for comparing: the bytes of the result are the same.
 *
 * Resolves as soon as the workers are starting, which they do on other cores: what the coordinator has to do before it
 * has a task, it can do meanwhile. `ready` is the engine once they all answered, or why they cannot.
 */
export async function startEngine(
  params: ResultParams,
  { threads, taskTimeout, collectEvery }: Place,
  store: Store,
): Promise<{ readonly ready: Promise<Engine> }> {
  const module = process.env.MR_MINHASH_KERNEL === 'reference' ? null : await loadKernelModule();
  const options = {
    workerData: {
      ...(module === null ? {} : { [KERNEL_MODULE]: module }),
      ...(collectEvery === undefined ? {} : { [COLLECT_EVERY]: collectEvery }),
    },
    tasks: TASKS,
    setup: { params } satisfies RunSetup,
    store,
  };
  const ready =
    threads === 0 ? createInlineEngine(options) : createThreadsEngine({ ...options, threads, taskTimeout });
  // Whoever waits for it hears of its failure; until then somebody else may have failed first.
  ready.catch(() => {});
  return { ready };
}

/** What is told on the way. */
export interface Steps {
  /** All is read; last moment for what is skipped and only known then. */
  read(): void;
  /** All pairs have their evidence. */
  verified(corpus: Corpus, verified: VerifiedPairs): Promise<void> | void;
}

/** Eliminated shingles, and what they are in words. */
export interface ListedShingles extends Eliminated {
  readonly texts: IdTable;
}

export interface Executed {
  readonly corpus: Corpus;
  readonly outcome: Outcome;
  /** Shingles in no sketch; null: none was looked for. */
  readonly eliminated: ListedShingles | null;
  readonly textBytes: number;
  /** Documents and places met while reading, skipped ones too: counted apart, so that the counts can be held against it. */
  readonly met: number;
}

/**
 * Sketches, numbers, buckets, verifies. What is skipped is added to `skipped`; `finishSkipped` is called when the first
 * reading is over, for what only then is known.
 *
 * @throws MinHashError INPUT_REFUSED with --on-error fail, INTERRUPTED, TASK_FAILED, WORKER_LOST
 */
export async function execute(
  run: Run,
  documents: Documents,
  rowChunks: number,
  skipped: SkipList,
  steps: Steps,
): Promise<Executed> {
  const { maxShingleDocuments, sets } = run.params;
  const { files } = documents;
  if (files !== null) run.tables.take(`${files.length} input files`, files.tableBytes);
  const eliminated =
    maxShingleDocuments === null
      ? null
      : await run.stage('count', () => countShingles(run, documents, maxShingleDocuments));
  const sketch = sets === undefined ? sketchDocuments : sketchSets;
  const { corpus, reader, textBytes, met } = await sketch(run, documents, rowChunks, skipped, steps);
  const outcome = await findOutcome(run, corpus, reader, (verified) => steps.verified(corpus, verified));
  addWithdrawn(corpus, outcome, reader, skipped);
  return { corpus, outcome, eliminated, textBytes, met };
}

/** A corpus whose signatures and bucket keys are in the store. */
interface Sketched {
  readonly corpus: Corpus;
  /** The sets of its documents, for exact verification. */
  readonly reader: SetSource;
  readonly textBytes: number;
  readonly met: number;
}

async function sketchDocuments(
  run: Run,
  documents: Documents,
  rowChunks: number,
  skipped: SkipList,
  steps: Steps,
): Promise<Sketched> {
  let textBytes = 0;
  let met = 0;
  const fails = run.params.onError === 'fail';
  const { corpus, blocks } = await run.stage('sketch', async () => {
    const builder = new CorpusBuilder(run.engine.store, documents.files, skipped);
    const progress = new ReadingProgress(run, documents);
    for await (const block of sketchBlocks(run, documents.first(), rowChunks)) {
      const before = builder.bytes;
      builder.add(block);
      const { rows } = builder.totals;
      run.tables.take(`${rows} documents and more`, builder.bytes - before, () =>
        progress.ahead(builder.bytes),
      );
      textBytes += block.report.bytes;
      met += block.report.documents + block.report.skipped;
      if (block.report.skipped > 0 && fails) refuse(skipped);
      progress.add(block.inputBytes, block.report.bytes);
    }
    steps.read();
    if (fails && skipped.length > 0) refuse(skipped);
    // No task runs now: the room of tasks is there for the second copy.
    const copy = Math.max(0, builder.bytes - run.engine.parallelism * run.budget.task);
    run.tables.take('documents in the order of their ids', copy);
    const all = builder.finish((bytes) => run.tables.take('places of documents whose ids repeat', bytes));
    run.tables.give(copy);
    const { rows, skips } = builder.totals;
    const { repeatedIds } = all.counts;
    run.balance('documents and places', met, { documents: rows, skipped: skips });
    run.balance('documents', rows, {
      'called by their ids': all.documents - repeatedIds,
      'called by their places, because their ids repeat': repeatedIds,
    });
    if (run.engine.store.recalled !== undefined) run.corpusMark = corpusMark(all);
    return { corpus: all, blocks: builder.blocks };
  });
  const reader = new SetReader(run, corpus, blocks, documents.again, documents.filesAgain);
  return { corpus, reader, textBytes, met: met - corpus.skipsRepeated };
}

async function sketchSets(
  run: Run,
  documents: Documents,
  rowChunks: number,
  skipped: SkipList,
  steps: Steps,
): Promise<Sketched> {
  const rows = new RowForm(run, documents.files!, rowChunks, skipped);
  await run.stage('rows', async () => {
    const progress = new ReadingProgress(run, documents);
    await rows.read(documents.first(), (inputBytes, textBytes) => progress.add(inputBytes, textBytes));
    steps.read();
    if (run.params.onError === 'fail' && skipped.length > 0) refuse(skipped);
  });
  return run.stage('sketch', async () => {
    const sketched = await rows.sketch();
    if (run.engine.store.recalled !== undefined) run.corpusMark = corpusMark(sketched.corpus);
    return sketched;
  });
}

async function countShingles(run: Run, documents: Documents, most: number): Promise<ListedShingles> {
  const eliminated = await eliminatedShingles(run, documents, most);
  return { ...eliminated, texts: await eliminatedTexts(run, documents, eliminated) };
}

/** Tells how far the first reading is: in bytes of the input files where all are known, else in blocks, else in text. */
class ReadingProgress {
  private readonly run: Run;
  private readonly totalBytes: number | null;
  private readonly totalBlocks: number | null;
  private inputBytes = 0;
  private textBytes = 0;
  private blocks = 0;

  constructor(run: Run, { totalBytes, totalBlocks }: Pick<Documents, 'totalBytes' | 'totalBlocks'>) {
    this.run = run;
    this.totalBytes = totalBytes;
    this.totalBlocks = totalBlocks;
  }

  /** Bytes that a table of documents will still take, of which those that were read take `held`. */
  ahead(held: number): number {
    const whole = this.totalBytes === null || this.inputBytes === 0 ? 1 : this.totalBytes / this.inputBytes;
    return held * (Math.max(1, whole) - 1);
  }

  /** A block more: bytes of the files it stands for, where they are known, and of text. */
  add(inputBytes: number | undefined, textBytes: number): void {
    this.inputBytes += inputBytes ?? 0;
    this.textBytes += textBytes;
    this.blocks++;
    if (this.totalBytes !== null) {
      this.run.progress(this.inputBytes, this.totalBytes, 'bytes', textBytes);
      this.run.disk?.forecast(this.inputBytes, this.totalBytes);
    } else if (this.totalBlocks !== null) {
      this.run.progress(this.blocks, this.totalBlocks, 'blocks', textBytes);
      this.run.disk?.forecast(this.blocks, this.totalBlocks);
    } else this.run.progress(this.textBytes, null, 'bytes', textBytes);
  }
}

function addWithdrawn(corpus: Corpus, outcome: Outcome, reader: SetSource, skipped: SkipList): void {
  const { offsets, bytes } = corpus.ids;
  for (let d = 0; d < corpus.documents; d++) {
    if (outcome.withdrawn[d] === 0) continue;
    skipped.add(bytes.subarray(offsets[d]!, offsets[d + 1]!), reader.reasonOf(d));
  }
}

/*
 * What is wrong with the places a user named: PATHs that are not there, an output folder that may not be written.
 *
 * Looks, changes nothing; together with the faults of the options it is all that is reported before work starts.
 */

/**
 * The faults of PATHs and output folder; no PATH at all is a fault of the options and not told again. To resume what is
 * finished is no fault: nothing is left to do.
 */
export function placeFaults({
  paths,
  out,
  force,
  resume,
}: Pick<Execution, 'paths' | 'out' | 'force' | 'resume'>): Fault[] {
  const output = realPathOf(binaryOf(resolve(out)));
  const faults = paths.length === 0 ? [] : resolveRoots(paths, output).faults;
  const ofOutput = checkOutput(out, { force, resume });
  return [...faults, ...ofOutput.filter(({ code }) => !(resume && code === 'OUTPUT_EXISTS'))];
}

/** What a program has to do with a run while it runs; all optional. */
export interface RunHooks {
  /** Told now and then how far a stage is. What it throws ends the run. */
  onProgress?(progress: Progress): void;
  /** Told once, before work begins, where `resume` was asked for. */
  onResume?(found: Resumption): void;
  /** Told once, where the disk of the output folder will probably be too small; what surely is too small ends the run. */
  onLowDisk?(found: LowDisk): void;
  /** Told of every symbolic link below the PATHs, before work begins: its place, and which it is of the error table. */
  onLeftOut?(place: string, code: ErrorCode): void;
  /** When it fires the run ends with INTERRUPTED, and can be taken up with `resume`. */
  readonly signal?: AbortSignal;
  /**
   * JSON lines for the path `-`, as text or bytes cut anywhere: a stream, a generator or any other (async) iterable; default
   * process.stdin. What it throws ends the run with INPUT_FAILED, whose `cause` it is. Not named as a stream of Node, so
   * that the types of the library need no declarations of Node.
   */
  readonly stdin?: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;
}

/** @throws MinHashError with every fault of options, PATHs and output folder at once: wrong use */
function check(given: RunOptions): Checked {
  const { options, resolved, faults } = checkRunOptions(given);
  const { params, execution } = resolved;
  const all: Fault[] = [...faults, ...placeFaults(execution)];
  if (all.length > 0) throw new MinHashError(all);
  return { options, params, execution };
}

/** @throws MinHashError: places change while we look at them, and the listing has the last word */
function list({ params, execution }: Checked): Inputs {
  const inputs = listInputs({ paths: execution.paths, outFolder: execution.out, params });
  const unknown = [missingColumns(inputs.files, params), unknownTextField(inputs.files, params)];
  const faults = [...inputs.faults, ...unknown.filter((fault) => fault !== null)];
  if (faults.length > 0) throw new MinHashError(faults);
  return inputs;
}

/** Names the links that are left out. */
export function tellLeftOut(
  { links: { places, rows, codes } }: Inputs,
  { onLeftOut }: Pick<RunHooks, 'onLeftOut'>,
): void {
  if (onLeftOut === undefined) return;
  rows.forEach((row, i) => {
    onLeftOut(idText(places, row), LISTED_CODES[codes[i]!]!);
  });
}

/**
 * Checks the options, the PATHs and the output folder, and lists the inputs; nothing is written.
 *
 * @throws MinHashError with every fault at once: wrong use
 */
export function prepare(options: RunOptions): Prepared {
  const checked = check(options);
  return { ...checked, inputs: list(checked) };
}

/**
 * Of documents `auto` is one row chunk: text streams through a worker in pieces, so no block is too large for one. Of sets
 * there are at least as many as keep a tile small.
 */
export function rowChunksOf(params: ResultParams, execution: Execution, files: FileTable): number {
  if (params.sets !== undefined) {
    const { shards, threads, memory } = execution;
    return rowChunksOfSets(files, shards, threads, budgetOf(memory, threads));
  }
  return execution.shards === 'auto' ? 1 : execution.shards;
}

/**
 * Finds the near-duplicates in files and writes the result folder.
 *
 * @throws MinHashError: wrong use with every fault of options, paths and output folder at once (nothing was written), or what
 * ended the run (the folder is left unfinished): INPUT_FAILED with the error of a stream as its `cause`, INTERRUPTED and others
 */
export async function run(options: RunOptions, hooks: RunHooks = {}): Promise<Report> {
  const start = performance.now();
  const checked = check(options);
  const { params, execution } = checked;
  if (execution.resume) completeReplacement(execution.out, execution.keepWork);
  if (execution.resume && isFinished(execution.out)) {
    const record = (): InputsRecord => new InputsRecord(list(checked).files);
    const { report, inputsCompared } = await finishedRun(execution, params, record);
    hooks.onResume?.({ kind: 'finished', inputsCompared });
    return report;
  }
  // The workers start on other cores while this thread lists.
  const budget = budgetOf(execution.memory, execution.threads);
  const place = resolve(execution.out);
  const room = new DiskRoom(place);
  const { blocks: limit, collectEvery } = budget;
  const store = createSpillingStore({ folder: join(place, WORK_NAME), limit, collectEvery, room });
  const disk = new DiskWatch(room, store, hooks.onLowDisk);
  const { ready } = await startEngine(params, { ...execution, collectEvery }, store);
  let begun: Begun | null = null;
  let current: Run | null = null;
  try {
    const prepared = { ...checked, inputs: list(checked) };
    tellLeftOut(prepared.inputs, hooks);
    const skipped = new SkipList();
    for (const { place, code } of prepared.inputs.skipped) skipped.addBinary(place, code);
    if (params.onError === 'fail' && skipped.length > 0) refuse(skipped);
    refuseNoFiles(prepared, skipped);
    begun = begin(prepared, store, disk);
    if (execution.resume) hooks.onResume?.(begun.attempt.resumption);
    const engine = await ready;
    current = new Run(params, engine, hooks.onProgress, hooks.signal, budget);
    const report = await runInto(begun, current, prepared, skipped, hooks, start);
    await engine.close();
    return report;
  } catch (error) {
    begun?.note?.stop();
    // No task may write into a folder that is given up. What keeps an engine from starting was thrown above.
    await ready.then(
      (engine) => engine.destroy(),
      () => {},
    );
    await store.flush().catch(() => {});
    await store.close();
    if (error instanceof MinHashError && error.code === 'COUNTS_UNBALANCED') {
      const balances = current?.ledger.balances ?? [];
      begun?.output.report({ version: VERSION, error: error.message, params, execution, balances });
    }
    if (hasReadNothing(error)) begun?.output.discard();
    else begun?.output.abandon();
    throw error;
  }
}

/** What the run reads, as blocks. */
function documentsOf(
  files: FileBlocks,
  plan: readonly SourcePlan[],
  { files: table }: Inputs,
  note: InputsNote | null,
): Documents {
  const streams = plan.some((source) => source.kind === 'stream');
  const isCounted = !plan.some((source) => source.kind === 'stream' || source.kind === 'array');
  return {
    first: () => note?.before(files.first()) ?? files.first(),
    again: (blocks) => files.again(blocks),
    filesAgain: (indexes) => files.ofFiles(indexes),
    files: table,
    // A stream is read here in chunks that no longer say how many bytes of the file they were.
    totalBytes: streams ? null : table.totalBytes,
    totalBlocks: isCounted ? plan.length : null,
  };
}

async function runInto(
  { output, attempt, note, store, disk }: Begun,
  current: Run,
  prepared: Prepared,
  skipped: SkipList,
  hooks: RunHooks,
  start: number,
): Promise<Report> {
  const { options, params, execution, inputs } = prepared;
  const plan = planSources(inputs, params);
  const { workBytes } = workEstimate(params, plan, unpackedBytes(inputs.files), execution.threads);
  disk.warn(workBytes - store.recalledBytes);
  current.disk = disk;
  const stdin = hooks.stdin && givenStream(hooks.stdin, hooks.signal);
  const files = new FileBlocks(current, inputs.files, plan, stdin, attempt.needsStdin);
  const documents = documentsOf(files, plan, inputs, note);
  const rowChunks = rowChunksOf(params, execution, inputs.files);
  const writing = new ResultWriting(current, output.path);
  const nameFaults = (): void => {
    for (const { index, line, code } of files.faults) {
      const id = inputs.files.id(index);
      // The line at which it happened; a stream that fails before its first record is named as a file.
      skipped.addBinary(code === 'TOO_LARGE' || line > 0 ? `${id}#${line + 1}` : id, code);
    }
  };
  const executed = await execute(current, documents, rowChunks, skipped, {
    read: nameFaults,
    verified: (corpus, verified) => writing.begin(corpus, verified),
  });
  refuseNothing(prepared, executed, skipped, files.piped);
  const written = await current.stage('write', () =>
    writing.finish(
      executed.corpus,
      executed.outcome,
      { skipped: inListOrder(skipped.columns()), links: inputs.links },
      executed.eliminated,
    ),
  );
  const found = inputs.skipped.length + files.faults.length + executed.met;
  const leftOut = leftOutOf(inputs) ?? null;
  const facts = factsOf(params, executed, skipped, found, codeCounts(inputs.links.codes), written);
  const unbalanced = countFaults(facts.counts, facts.files);
  if (unbalanced.length > 0) throw new MinHashError(unbalanced);
  const elapsedMilliseconds = performance.now() - start;
  const stages = current.times.map(({ stage, tasks, ms, bytes }) => ({
    stage,
    tasks,
    milliseconds: ms,
    bytes,
  }));
  const resumed = attempt.statsOf(executed.corpus.tables.length, executed.outcome.counts.pairsRecalled);
  const manifest = manifestOf({ ...facts, version: VERSION });
  // Its folder goes when the result is whole.
  await store.close();
  output.finish(
    manifest,
    statsOf({
      version: VERSION,
      execution: {
        ...execution,
        paths: undefined,
        documents_read_again: executed.outcome.counts.documentsReadAgain,
        pairs_recalled: executed.outcome.counts.pairsRecalled,
      },
      options: { ...notedOptions(options) },
      resumed,
      inputs: execution.paths,
      directory: process.cwd(),
      stages,
      elapsedMilliseconds,
      documents: facts.counts.read,
      textBytes: executed.textBytes,
      peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
      balances: current.ledger.balances,
      leftOut,
    }),
  );
  const others = othersIn(output.folder);
  return reportOf({
    version: VERSION,
    out: execution.out,
    ...(others.length > 0 && { others }),
    parameters: params,
    counts: facts.counts,
    sCurve: manifest.s_curve,
    ...(manifest.sample_rule && { sampleRule: manifest.sample_rule }),
    ...(manifest.recall_estimate && { recall: manifest.recall_estimate }),
    files: facts.files,
    inputs: reportedInputs(execution.paths, params),
    stages,
    elapsedMilliseconds,
    resumed,
    ...(leftOut !== null && { leftOut }),
  });
}
