/**
 * A run on Spark, from the listing of its inputs to its report. On one machine this is runFiles.ts.
 *
 *      inputs --planBatches--> tables of files and batches
 *        --statements--> tables in the work folder, each checked          src/engines/spark
 *        --queries--> rows in order --> result files, counts, manifest
 */
import { createHash } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BATCH_COLUMNS, type BatchPlan, FILE_COLUMNS, planBatches } from '../engines/spark/batchPlan.js';
import { SPARK } from '../engines/spark/dialects.js';
import { numberQueries, type SqlTable, tableQueries } from '../engines/spark/resultQueries.js';
import { type WrittenTable, withOwnSkips, writeSqlTable } from '../engines/spark/resultTables.js';
import { runSteps, type SqlExecutor, statementsText } from '../engines/spark/runSteps.js';
import { LOG_NAME, startDriver } from '../engines/spark/sparkDriver.js';
import { sparkTables } from '../engines/spark/sparkTables.js';
import { type StatementParams, statements } from '../engines/spark/statements.js';
import { type ErrorCode, MinHashError } from '../errors.js';
import type { Execution } from '../options/check.js';
import { inputsBlock, inputsText } from '../readers/inputsRecord.js';
import { bytesOf } from '../readers/list/pathIds.js';
import { SplitReader } from '../readers/reader.js';
import { type NewFolder, takeResultFolder } from '../result/folder.js';
import type { Report } from '../result/report.js';
import { decidingAgreements, leastKept, leastListed, NEAR_MISS, sketchFamilyOf } from '../sketch/family.js';
import type { ResultParams } from '../sketch/params.js';
import { makeFolders } from '../store/files.js';
import { SPARK_FOLDER, VERSION } from '../store/packageFiles.js';
import { kernelHere } from '../tasks/kernelModule.js';
import { finishResult, type RunEnd } from './finish/finishResult.js';
import type { RunHooks } from './runFiles.js';
import { refuseNoFiles, refuseUnread } from './sketch/nothingRead.js';
import { type SparkFacts, type SparkTables, skippedByCode, sparkFacts } from './sparkFacts.js';
import type { Checked } from './start/checked.js';
import { inputNotes } from './start/inputNotes.js';
import { list, type Prepared } from './start/prepare.js';

/** Where an engine works. */
export interface SqlWorkplace {
  /** A local folder for notes, logs and, unless the user sets another folder, tables. */
  readonly folder: string;
  /** The file in that folder with the parameters of tasks. */
  readonly params: string;
  readonly batches: number;
  readonly signal: AbortSignal | undefined;
}

/** Opens the engine of a run. Tests use DuckDB instead of Spark. */
export type OpenSql = (place: SqlWorkplace) => Promise<SqlExecutor>;

/**
 * Lists the files of a run, compares them on Spark, and writes the result folder.
 *
 * @param start the clock of this thread at the start of the run
 * @throws what `run` throws; SPARK_UNUSABLE, SPARK_FAILED, SPARK_ROWS_LOST, INPUT_CHANGED
 */
export async function runOnSpark(
  checked: Checked,
  hooks: RunHooks,
  start: number,
  open: OpenSql,
): Promise<Report> {
  const prepared: Prepared = { ...checked, inputs: await list(checked, hooks.signal) };
  try {
    refuseNoFiles(prepared);
    const plan = await planOf(prepared);
    const { out, force } = checked.execution;
    const output = takeResultFolder(out, force);
    try {
      return await runInto(output, prepared, plan, { hooks, start, open });
    } catch (error) {
      const keepsLog = error instanceof MinHashError && KEEP_LOG.includes(error.code);
      output.release(keepsLog);
      if (!keepsLog) throw error;
      const detail = `${error.problems[0]!.detail}; the log is ${join(output.work, WORK, LOG_NAME)}`;
      throw new MinHashError({ code: error.code, detail });
    }
  } finally {
    prepared.inputs.files.close();
  }
}

/** The folder of a run in its `.work`. */
const WORK = 'spark';
/** Errors after which the log is kept. */
const KEEP_LOG: readonly ErrorCode[] = ['SPARK_FAILED', 'SPARK_ROWS_LOST'];

/**
 * The statements of a run as text. Only the inputs are listed; no file is read. @throws MinHashError: usage errors, as
 * in `run`
 */
export async function sparkStatements(checked: Checked): Promise<string> {
  const prepared = { ...checked, inputs: await list(checked) };
  refuseNoFiles(prepared);
  return statementsText(statements(sqlParams(checked.params, await planOf(prepared)), SPARK));
}

const planOf = async ({ inputs, params }: Prepared): Promise<BatchPlan> =>
  planBatches(inputs, params, new SplitReader(await kernelHere()));

/** Thresholds are multiples of 1/20. */
const STEPS = 20;

/** The parameters of statements and tasks. */
function sqlParams(params: ResultParams, { references }: BatchPlan): StatementParams {
  const higher = Array.from({ length: STEPS }, (_, i) => i / STEPS).filter((step) => step > params.threshold);
  const { margin } = decidingAgreements(params);
  const { units } = sketchFamilyOf(params);
  const isByJaccard = params.candidates === 'margin' && params.verify === 'exact';
  return {
    params,
    thresholds: [params.threshold, ...higher],
    margin,
    cutoff: leastKept(params),
    listed: isByJaccard ? params.threshold - NEAR_MISS : Math.min(leastListed(params), units + 1),
    leaders: {
      references,
      onlyAgainst: params.groups?.only === true,
      cutoff: leastKept(params),
      near: params.exactDuplicates ? units + 1 : sketchFamilyOf(params).least(),
    },
  };
}

interface Started {
  readonly hooks: RunHooks;
  readonly start: number;
  readonly open: OpenSql;
}

async function runInto(
  output: NewFolder,
  prepared: Prepared,
  plan: BatchPlan,
  { hooks, start, open }: Started,
): Promise<Report> {
  const { params, inputs } = prepared;
  const folder = join(output.work, WORK);
  makeFolders(folder);
  const all = sqlParams(params, plan);
  const paramsFile = join(folder, 'params.json');
  writeFileSync(paramsFile, JSON.stringify(all));
  const stages: RunEnd['stages'][number][] = [];
  let last = performance.now();
  /** Reports a table as a stage. */
  const noteTable = (stage: string, isReused = false): void => {
    const milliseconds = performance.now() - last;
    last = performance.now();
    stages.push({ stage, tasks: isReused ? 0 : 1, milliseconds });
    hooks.onProgress?.({ stage, done: 1, total: 1, unit: 'tables', bytes: 0, elapsedMs: milliseconds });
  };
  const executor = await open({
    folder,
    params: paramsFile,
    batches: plan.batches.length,
    signal: hooks.signal,
  });
  let outcome: { readonly facts: SparkFacts; readonly engine: string };
  try {
    noteTable('start');
    await loadInputs(executor, plan);
    const queries = numberQueries(all);
    const { cap } = await runSteps(statements(all, executor.dialect), {
      executor,
      inputs: `${VERSION} ${plan.hash} ${JSON.stringify(all)}`,
      onTable: noteTable,
    });
    await refuseNothing(prepared, executor, queries.skips);
    const root = output.path;
    const written = await writtenTables(executor, all, prepared, root);
    const facts = await sparkFacts(
      executor,
      queries,
      { params, inputs, thresholds: all.thresholds, root },
      written.tables,
      {
        cap: params.exactDuplicates ? null : (cap ?? Number(params.hotBucket)),
        membersBelow: written.membersBelow,
      },
    );
    noteTable('result');
    await executor.removeTables();
    outcome = { facts, engine: executor.name };
  } finally {
    await executor.close().catch(() => {});
  }
  const { facts, engine } = outcome;
  return finishResult(
    output,
    prepared,
    { ...facts, valuesMissing: () => 0 },
    {
      stages,
      elapsedMilliseconds: performance.now() - start,
      execution: { engine, batches: plan.batches.length },
      files: inputsText(inputsBlock(inputs.files)),
      inputNotes: inputNotes(inputs.files, params, null),
    },
  );
}

/** Creates the tables of inputs. Nothing is computed before, so an error leaves nothing. @throws MinHashError SPARK_UNUSABLE */
async function loadInputs(executor: SqlExecutor, plan: BatchPlan): Promise<void> {
  try {
    await executor.load('files', FILE_COLUMNS, plan.files());
    await executor.load('batches', BATCH_COLUMNS, numbered(plan.batches));
  } catch (error) {
    if (!(error instanceof MinHashError && error.code === 'SPARK_FAILED')) throw error;
    throw new MinHashError({ code: 'SPARK_UNUSABLE', detail: error.problems[0]!.detail });
  }
}

function* numbered(batches: readonly string[]): Generator<string> {
  for (const [batch, spec] of batches.entries()) yield `${batch}\t${spec}`;
}

/** @throws MinHashError NOTHING_READ */
async function refuseNothing(prepared: Prepared, executor: SqlExecutor, skips: string): Promise<void> {
  const [[read]] = (await executor.values('SELECT COUNT(*) FROM sketched WHERE row >= 0')) as [[string]];
  if (Number(read) > 0) return;
  refuseUnread(prepared, await skippedByCode(executor, skips));
}

async function writtenTables(
  executor: SqlExecutor,
  all: StatementParams,
  { inputs, params }: Prepared,
  root: string,
): Promise<{ readonly tables: SparkTables; readonly membersBelow: number }> {
  const queries = tableQueries(all, executor.dialect);
  let membersBelow = 0;
  const own = [...inputs.skipped, ...inputs.links].map(
    ({ place, code }) => [bytesOf(place).toString('hex'), code] as const,
  );
  const write = (table: SqlTable): Promise<WrittenTable> => {
    const lines = executor.rows(queries[table]);
    return writeSqlTable(
      table,
      table === 'skipped' ? withOwnSkips(lines, own) : lines,
      root,
      params,
      (similarity) => {
        if (!(similarity >= params.threshold)) membersBelow++;
      },
    );
  };
  const tables = {
    candidates: params.candidates === 'none' ? { files: [], rows: 0 } : await write('candidates'),
    pairs: await write('pairs'),
    clusters: await write('clusters'),
    duplicates: await write('duplicates'),
    skipped: await write('skipped'),
  };
  return { tables, membersBelow };
}

const DRIVER = 'driver.py';

/** Settings that results depend on, or without which files are left behind. */
const SETTINGS = {
  'spark.sql.ansi.enabled': 'true',
  'spark.sql.catalogImplementation': 'in-memory',
  'spark.ui.showConsoleProgress': 'false',
};
/** A local master listens on this machine only. */
const LOCAL = {
  'spark.driver.host': '127.0.0.1',
  'spark.driver.bindAddress': '127.0.0.1',
  'spark.ui.enabled': 'false',
};

/**
 * A run of so few batches (of 4 MB) ends before the optimizing JIT compiler pays off: with the first one only, 10^5
 * records of 450 bytes took 73 instead of 102 seconds of CPU time on a local master.
 */
const SHORT_RUN = 32;
const FIRST_COMPILER = '-XX:TieredStopAtLevel=1';
const SHORT = {
  'spark.driver.extraJavaOptions': FIRST_COMPILER,
  'spark.executor.extraJavaOptions': FIRST_COMPILER,
};

/** Opens Spark with its spark-submit. */
export function openSpark({ spark, out }: Execution): OpenSql {
  const { master, conf, work } = spark!;
  // Several runs may share a folder, and a resumed run finds its own tables.
  const run = createHash('sha256')
    .update(`${hostname()} ${resolve(out)}`)
    .digest('hex')
    .slice(0, 12);
  return async ({ folder, params, batches, signal }) => {
    const program = fileURLToPath(SPARK_FOLDER);
    const files = readdirSync(program).filter((name) => name !== DRIVER);
    const isLocal = master !== null && /^local\b/.test(master);
    const driver = await startDriver({
      master,
      conf: { ...SETTINGS, ...(isLocal && LOCAL), ...(batches <= SHORT_RUN && SHORT), ...conf },
      files: [...files.map((name) => join(program, name)), params],
      program: join(program, DRIVER),
      folder,
      signal,
    });
    return sparkTables(driver, {
      work: work === null ? `file:${folder}/tables` : `${work.replace(/\/+$/, '')}/mr-minhash-${run}`,
      command: 'node task.cjs',
      params: basename(params),
      batches,
    });
  };
}
