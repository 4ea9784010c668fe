/**
 * The coordinator of a run over files: options -> inputs -> column blocks -> outcome -> result folder.
 *
 * Floor 4. Plans and joins; what is computed is in mappers and reducers, what is read and written in src/storage.
 */
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { type Fault, MinHashError } from './errors.js';
import { checkRunOptions, notedOptions } from './options/savedOptions.js';
import type { Execution, RunOptions } from './options.js';
import { type Begun, begin, type Checked, type Prepared } from './pipeline/beginning.js';
import { budgetOf } from './pipeline/budget.js';
import { DiskWatch, type LowDisk } from './pipeline/diskWatch.js';
import type { Documents } from './pipeline/documents.js';
import { execute, startEngine } from './pipeline/execute.js';
import { factsOf } from './pipeline/facts.js';
import { finishedRun } from './pipeline/finishedRun.js';
import type { InputsNote } from './pipeline/inputsNote.js';
import { missingColumns } from './pipeline/missingColumns.js';
import { reportedInputs } from './pipeline/reportedInputs.js';
import type { Resumption } from './pipeline/resume.js';
import { rowChunksOfSets, unpackedBytes } from './pipeline/rowChunks.js';
import { type Progress, Run } from './pipeline/run.js';
import { refuse, SkipList } from './pipeline/skipped.js';
import { FileBlocks } from './pipeline/sources.js';
import { workEstimate } from './pipeline/workEstimate.js';
import { ResultWriting } from './pipeline/writing.js';
import { type Report, reportOf } from './report.js';
import type { ResultParams } from './sketch/params.js';
import { DiskRoom } from './storage/diskRoom.js';
import type { FileTable } from './storage/fileTable.js';
import { type Inputs, listInputs } from './storage/inputs.js';
import { planSources, type SourcePlan } from './storage/inputsPlan.js';
import { InputsRecord } from './storage/inputsRecord.js';
import { countFaults, manifestOf } from './storage/results/manifest.js';
import { othersIn, outputStateOf } from './storage/results/outputState.js';
import { WORK_NAME } from './storage/results/resultNames.js';
import { statsOf } from './storage/results/stats.js';
import { createSpillingStore } from './storage/spillingStore.js';
import { placeFaults } from './usage.js';
import { VERSION } from './version.js';

export interface RunHooks {
  onProgress?(progress: Progress): void;
  /** Told once, before work begins, where `resume` was asked for. */
  onResume?(found: Resumption): void;
  /** Told once, where the disk of the output folder will probably be too small; what surely is too small ends the run. */
  onLowDisk?(found: LowDisk): void;
  readonly signal?: AbortSignal;
  /**
   * Standard input for the PATH `-`; default process.stdin. Not named as a stream of Node, so that the types of the
   * library need no declarations of Node.
   */
  readonly stdin?: AsyncIterable<string | Uint8Array>;
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
  const unknown = missingColumns(inputs.files, params);
  const faults = unknown === null ? inputs.faults : [...inputs.faults, unknown];
  if (faults.length > 0) throw new MinHashError(faults);
  return inputs;
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

function readableOf(stdin: RunHooks['stdin']): Readable | undefined {
  return stdin === undefined || stdin instanceof Readable ? stdin : Readable.from(stdin);
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
 * @throws MinHashError: wrong use (nothing was written), or what ended the run (the folder is left unfinished)
 */
export async function run(options: RunOptions, hooks: RunHooks = {}): Promise<Report> {
  const start = performance.now();
  const checked = check(options);
  const { params, execution } = checked;
  if (execution.resume && outputStateOf(execution.out).kind === 'finished') {
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
    const skipped = new SkipList();
    for (const { place, code } of prepared.inputs.skipped) skipped.addBinary(place, code);
    if (params.onError === 'fail' && skipped.length > 0) refuse(skipped);
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
    begun?.output.abandon();
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
  { options, params, execution, inputs }: Prepared,
  skipped: SkipList,
  hooks: RunHooks,
  start: number,
): Promise<Report> {
  const plan = planSources(inputs, params);
  const { workBytes } = workEstimate(params, plan, unpackedBytes(inputs.files), execution.threads);
  disk.warn(workBytes - store.recalledBytes);
  current.disk = disk;
  const files = new FileBlocks(current, inputs.files, plan, readableOf(hooks.stdin), attempt.needsStdin);
  const documents = documentsOf(files, plan, inputs, note);
  const rowChunks = rowChunksOf(params, execution, inputs.files);
  const writing = new ResultWriting(current, output.path);
  const read = (): void => {
    for (const { index, line, code } of files.faults) {
      const id = inputs.files.id(index);
      // The line at which it happened; a stream that fails before its first record is named as a file.
      skipped.addBinary(code === 'TOO_LARGE' || line > 0 ? `${id}#${line + 1}` : id, code);
    }
  };
  const executed = await execute(current, documents, rowChunks, skipped, {
    read,
    verified: (corpus, verified) => writing.begin(corpus, verified),
  });
  const written = await current.stage('write', () =>
    writing.finish(executed.corpus, executed.outcome, skipped.columns(), executed.eliminated),
  );
  const found = inputs.skipped.length + files.faults.length + executed.met;
  const facts = factsOf(params, executed, skipped, found, written);
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
    }),
  );
  const others = othersIn(output.path);
  return reportOf({
    version: VERSION,
    out: execution.out,
    ...(others.length > 0 && { others }),
    parameters: params,
    counts: facts.counts,
    sCurve: manifest.s_curve,
    ...(manifest.sample_rule && { sampleRule: manifest.sample_rule }),
    files: facts.files,
    inputs: reportedInputs(execution.paths, params),
    stages,
    elapsedMilliseconds,
    resumed,
    ...(inputs.roots.some((root) => root !== '-') && { leftOut: inputs.leftOut }),
  });
}
