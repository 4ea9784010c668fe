/**
 * A run on an engine that sorts, from the listing of its inputs to its report. On worker threads this is runFiles (recipe.ts).
 */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { addressOf } from '../../engines/cluster/clusterFiles.js';
import type { Engine } from '../../engines/engine.js';
import { MinHashError } from '../../errors.js';
import type { ClusterExecution } from '../../options/check.js';
import type { RunOptions } from '../../options/runOptions.js';
import { SORTED_NAME, WORK_NAME } from '../../output/fileNames.js';
import type { Report } from '../../output/report.js';
import type { LinesHead } from '../../readers/ahead/firstRecords.js';
import { hasScheme } from '../../readers/bytes/remote/addresses.js';
import { inputsText } from '../../readers/inputsRecord.js';
import type { Inputs } from '../../readers/list/inputs.js';
import { textOf } from '../../readers/list/pathIds.js';
import { budgetOf, recordRoomOf } from '../../store/budget.js';
import { DiskRoom } from '../../store/disk.js';
import { VERSION } from '../../store/packageFiles.js';
import { Store } from '../../store/store.js';
import { RECORD_FORMAT, runHash } from '../../tasks/stream/taskManifest.js';
import { finishResult } from '../finish/finishResult.js';
import type { RunHooks } from '../recipe.js';
import { hasReadNothing, refuseNoFiles } from '../sketch/nothingRead.js';
import { lackedTextFields, refuseMissingFields } from '../start/askedFields.js';
import { type Checked, check } from '../start/checked.js';
import { startEngine } from '../start/engine.js';
import { list, type Prepared, tellLeftOut } from '../start/prepare.js';
import { Attempt } from '../start/resume.js';
import { openStreams, type Streams } from '../start/streams.js';
import { listClusterInputs } from './clusterInputs.js';
import { usualJobs } from './clusterPlan.js';
import { type ClusterForm, type ClusterOutcome, clusterRecipe } from './clusterRecipe.js';
import { DiskCorpus } from './diskCorpus.js';
import { Jobs } from './jobs.js';
import { JobTeller } from './jobTeller.js';
import { type EngineWish, type OpenedEngine, openClusterEngine } from './openClusterEngine.js';
import { refuseWithout, type StreamedResult, streamedResult } from './result/streamedResult.js';
import { streamedFiles } from './streamedFiles.js';
import { refuseUnread } from './unreadFiles.js';

/** The environment variable that makes stars find the components, however few documents there are: for tests. */
const BY_STARS = 'MR_MINHASH_STARS';

/**
 * Lists the files of a run, compares them on the engine, and writes the result folder.
 *
 * @param start the clock of this thread when the run began
 * @throws what `run` throws
 */
export async function runOnCluster(checked: Checked, hooks: RunHooks, start: number): Promise<Report> {
  const cluster = engineOf(checked);
  const prepared = { ...checked, inputs: await inputsOf(checked, cluster, hooks) };
  const { execution, inputs } = prepared;
  tellLeftOut(inputs, hooks);
  refuseNoFiles(prepared);
  refuseUnread(prepared, cluster);
  const base = baseOf(prepared);
  const shared = sharedFolder(base, prepared, cluster);
  // Checked before the output folder is taken, so that a missing command leaves nothing behind.
  (await engineFor(prepared, { ...cluster, work: shared })).check();
  const room = new DiskRoom(execution.out);
  const store = new Store({ room });
  const attempt = new Attempt(prepared, store, execution.checkpointAfter);
  let streams: Streams | null = null;
  try {
    const { resumption, needsStdin } = attempt;
    let corpus: DiskCorpus | null = null;
    if (cluster.engine === 'disk') {
      const budget = budgetOf(execution.memory, execution.threads, checked.params.sql !== null);
      streams = await openStreams(prepared, attempt, { budget, room }, hooks);
      const stdinEnded = async (): Promise<void> => attempt.note();
      const options = { stdin: streams.stdin, needsStdin, stdinEnded };
      corpus = new DiskCorpus(prepared, { budget, signal: hooks.signal, options });
    }
    if (execution.resume) {
      const isTakenUp = resumption.kind === 'taken up';
      hooks.onResume?.(isTakenUp ? { kind: 'sorted', engine: cluster.engine } : resumption);
    }
    // With standard input the run is noted when all of it has been read.
    if (!inputs.files.hasStdin) attempt.note();
    return await runJobs(attempt, prepared, { cluster, start, base, shared, corpus }, hooks);
  } catch (error) {
    attempt.leave(error);
    throw error;
  } finally {
    await streams?.close();
    await store.close();
  }
}

type Base = ConstructorParameters<typeof Jobs>[1];

interface JobsStart {
  readonly cluster: ClusterExecution;
  readonly start: number;
  readonly base: Base;
  /** The folder that jobs share; null: the output folder of this machine. */
  readonly shared: string | null;
  /** The corpus for tasks on this machine's disk; null: the engine reads the files itself. */
  readonly corpus: DiskCorpus | null;
}

/** Opens the engine, runs the recipe, and writes the result. */
async function runJobs(
  attempt: Attempt,
  prepared: Prepared,
  { cluster, start, base, shared, corpus }: JobsStart,
  hooks: RunHooks,
): Promise<Report> {
  const { execution, params } = prepared;
  const teller = new JobTeller(hooks);
  const engine = await engineFor(
    prepared,
    { ...cluster, work: shared },
    {
      folder: join(attempt.output.path, WORK_NAME, SORTED_NAME),
      ...{ isFresh: !attempt.isTakenUp, onStatus: (text) => teller.status(text) },
      ...(hooks.signal && { signal: hooks.signal }),
      ...(corpus && { corpus }),
    },
  );
  const piped = (): LinesHead | null => corpus?.piped ?? null;
  try {
    const jobs = new Jobs(engine, base, (name) => teller.begin(name));
    if (params.maxShingleDocuments !== null) teller.begin('count');
    const eliminated = (await corpus?.eliminated(() => countingWorkers(prepared))) ?? null;
    const outcome = await clusterRecipe(jobs, { ...formOf(prepared, piped), eliminated });
    const found = { jobs, engine, outcome, piped: piped() };
    const report = await written(attempt, prepared, found, teller, { start, cluster, signal: hooks.signal });
    if (shared !== null && !execution.keepWork) await engine.files.remove([shared]);
    return report;
  } catch (error) {
    // A run without a document leaves nothing to resume.
    if (hasReadNothing(error) && shared !== null) await engine.files.remove([shared]).catch(() => {});
    throw error;
  } finally {
    await engine.close().catch(() => {});
  }
}

/** Worker threads that count shingles before the first job. */
async function countingWorkers({ params, execution }: Prepared): Promise<Engine> {
  const { threads, memory, taskTimeout } = execution;
  const budget = budgetOf(memory, threads, params.sql !== null);
  const place = { threads, taskTimeout, collectEvery: budget.collectEvery, room: recordRoomOf(budget) };
  return (await startEngine(params, place, new Store())).ready;
}

/**
 * The jobs of a usual run as its engine would start them, as text.
 *
 * @throws MinHashError: wrong use, as `run` would
 */
export async function planOnCluster(options: RunOptions): Promise<string> {
  const checked = await check(options);
  const cluster = engineOf(checked);
  const prepared = { ...checked, inputs: await inputsOf(checked, cluster, {}) };
  refuseNoFiles(prepared);
  refuseUnread(prepared, cluster);
  const base = baseOf(prepared);
  const engine = await engineFor(prepared, { ...cluster, work: sharedFolder(base, prepared, cluster) });
  return engine.dryRun(await usualJobs(base));
}

function engineOf({ execution: { cluster } }: Checked): ClusterExecution {
  if (cluster === null) throw new Error('a run on threads has no jobs: our own defect');
  return cluster;
}

/** The engine of a run. Without `more` it runs no job; it checks its command and shows its jobs. */
function engineFor(
  { params, execution, inputs }: Prepared,
  cluster: ClusterExecution,
  more: Partial<EngineWish> = {},
): Promise<OpenedEngine> {
  return openClusterEngine({
    ...{ cluster, params, execution, corpusBytes: inputs.files.totalBytes ?? 0 },
    folder: join(execution.out, WORK_NAME, SORTED_NAME),
    ...{ isFresh: true, onStatus: () => {} },
    ...more,
  });
}

/**
 * The settings of the recipe: how the environment wants components found, and checks that end a run that read nothing. `piped`: the
 * first lines of standard input, once it was read.
 */
export function formOf(
  { params, inputs }: Prepared,
  piped: () => LinesHead | null = () => null,
): ClusterForm {
  return {
    byStars: process.env[BY_STARS] === '1',
    onCorpus({ documents, tooShort, cut, skipped }) {
      if (documents + tooShort + cut > 0) return;
      refuseWithout(new Uint32Array(inputs.files.length), { params, inputs, piped: piped() }, skipped, {
        tooShort,
        cut,
      });
    },
    onNamed: (corpus) => refuseMissingFields(corpus, params, { files: inputs.files, piped: piped() }),
  };
}

/**
 * The folder of a run below the shared folder of all runs, named by what the run compares and where its result goes; null: jobs
 * share the output folder of this machine.
 */
function sharedFolder({ run }: Base, { execution }: Prepared, { work }: ClusterExecution): string | null {
  if (work === null) return null;
  const place = createHash('sha256').update(`${hostname()} ${resolve(execution.out)}`);
  return `${work.replace(/\/+$/, '')}/${run}-${place.digest('hex').slice(0, 8)}`;
}

/** The jobs of a run, its engine, and the outcome. */
interface Found {
  readonly jobs: Jobs;
  readonly engine: OpenedEngine;
  readonly outcome: ClusterOutcome;
  /** The first lines of standard input; null: there are none. */
  readonly piped: LinesHead | null;
}

interface WritingStart extends Pick<JobsStart, 'start' | 'cluster'> {
  readonly signal: AbortSignal | undefined;
}

/** Writes the result from the ordered dataset. */
async function written(
  attempt: Attempt,
  prepared: Prepared,
  { jobs, engine, outcome, piped }: Found,
  teller: JobTeller,
  { start, cluster, signal }: WritingStart,
): Promise<Report> {
  const { params, inputs, execution } = prepared;
  const { output } = attempt;
  teller.begin('write');
  const result = await streamedResult({
    ...{ engine, params, outcome, inputs, piped, root: output.path },
    onDocuments: (count) => teller.count(count, 'documents'),
    signal,
  });
  return finishResult(output, prepared, result, {
    stages: teller.stages(),
    elapsedMilliseconds: performance.now() - start,
    execution: { engine: cluster.engine, master: cluster.master, jobs: jobCounts(result.jobs) },
    balances: [],
    ...(attempt.isTakenUp && { resumedJobs: jobs.resumed }),
    ...(cluster.engine === 'disk' || !execution.paths.some(hasScheme)
      ? ofThisMachine(prepared, attempt, piped)
      : {}),
  });
}

/** By name of a job: the counts of its tasks. */
function jobCounts(jobs: StreamedResult['jobs']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...jobs].map(([job, { tasks, sums, most }]) => [job, { tasks, ...sums, ...most }]),
  );
}

/** Facts of the input files that only this machine can look up. */
function ofThisMachine({ inputs, params }: Prepared, attempt: Attempt, piped: LinesHead | null) {
  return {
    files: inputsText(attempt.seen(0)),
    lackedTextFields: lackedTextFields(inputs.files, params, piped),
  };
}

/** Lists the inputs: paths of this machine as a run on threads does; where one PATH is an address, the engine lists all. */
async function inputsOf(checked: Checked, cluster: ClusterExecution, { signal }: RunHooks): Promise<Inputs> {
  const { params, execution } = checked;
  const { paths, against, out } = execution;
  if (cluster.engine === 'disk' || ![...paths, ...against].some(hasScheme)) return list(checked, signal);
  if (against.length > 0) {
    const detail = `--against with --engine ${cluster.engine}: expected PATHs of this machine, of it and of what is new`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail });
  }
  const wish = {
    ...{ cluster, params, execution, corpusBytes: 0 },
    ...{ isFresh: true, onStatus: () => {} },
    ...(signal && { signal }),
  } as const;
  const { files } = await openClusterEngine({ ...wish, folder: join(out, WORK_NAME, SORTED_NAME) });
  return listClusterInputs(paths, files, params);
}

/** The part that the manifests of all jobs have in common. */
function baseOf({ params, inputs, execution }: Prepared): Base {
  const { files } = inputs;
  const uriOf =
    execution.cluster?.engine === 'disk'
      ? null
      : (file: number): string => addressOf(textOf(files.source(file)));
  const { hasOrder, ...told } = streamedFiles(params, files, uriOf);
  const shared = { format: RECORD_FORMAT, version: VERSION, ...told };
  return { ...shared, run: runHash(shared), ...(hasOrder && { hasOrder }) };
}
