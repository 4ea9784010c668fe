/** Runs a corpus through the statements on DuckDB, and on one machine, for comparison. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../../src/coordinator/run.js';
import { prepare } from '../../../src/coordinator/start/prepare.js';
import { BATCH_COLUMNS, FILE_COLUMNS, planBatches } from '../../../src/engines/spark/batchPlan.js';
import { type ListingParams, tableQueries } from '../../../src/engines/spark/resultQueries.js';
import { writeSqlTable } from '../../../src/engines/spark/resultTables.js';
import { runSteps, TableNotes } from '../../../src/engines/spark/runSteps.js';
import { statements } from '../../../src/engines/spark/statements.js';
import type { RunOptions } from '../../../src/options/runOptions.js';
import { SplitReader } from '../../../src/readers/reader.js';
import { decidingAgreements, leastKept, leastListed } from '../../../src/sketch/family.js';
import { kernelHere } from '../../../src/tasks/kernelHere.js';
import { openDuckDb, type Tamper } from './duckdb.js';

const PROGRAM = fileURLToPath(new URL('../../../package/spark/task.cjs', import.meta.url));

export interface SqlRunOptions {
  readonly tamper?: Tamper;
  readonly onTable?: (name: string, isReused: boolean) => void;
}

/** Runs the statements; the tables of the result are in `work/result`. */
export async function runOnDuckDb(
  options: RunOptions,
  work: string,
  { tamper, onTable }: SqlRunOptions = {},
): Promise<string> {
  mkdirSync(work, { recursive: true });
  const { params, inputs } = await prepare({ ...options, out: join(work, 'none') });
  const plan = planBatches(inputs, params, new SplitReader(await kernelHere()));
  const { margin, least } = decidingAgreements(params);
  const isByJaccard = params.candidates === 'margin' && params.verify === 'exact';
  const all: ListingParams = {
    params,
    margin,
    cutoff: leastKept(params),
    listed: isByJaccard ? params.threshold - 0.05 : Math.ceil(leastListed(params)),
    thresholds: [params.threshold],
    leaders: {
      references: plan.references,
      onlyAgainst: false,
      cutoff: margin,
      near: Math.min(least, margin),
    },
  };
  const file = join(work, 'params.json');
  writeFileSync(file, JSON.stringify(all));
  const executor = await openDuckDb({ work, program: PROGRAM, params: file, ...(tamper && { tamper }) });
  const root = join(work, 'result');
  for (const table of ['pairs', 'candidates', 'clusters']) mkdirSync(join(root, table), { recursive: true });
  try {
    await executor.given(
      'batches',
      BATCH_COLUMNS,
      plan.batches.map((spec, batch) => `${batch}\t${spec}`),
    );
    await executor.given('files', FILE_COLUMNS, plan.files());
    const steps = statements(all, executor.dialect);
    const notes = new TableNotes(join(work, 'tables.json'));
    await runSteps(steps, {
      executor,
      notes,
      inputs: plan.hash + JSON.stringify(all),
      ...(onTable && { onTable }),
    });
    const queries = tableQueries(all, executor.dialect);
    for (const table of ['pairs', 'candidates', 'duplicates', 'clusters', 'skipped'] as const)
      await writeSqlTable(table, executor.rows(queries[table]), root, params);
    return root;
  } finally {
    await executor.close();
  }
}

/** The tables of both runs as texts by the names of their files. */
export async function onOneMachine(options: RunOptions, out: string): Promise<string> {
  await run({ ...options, out, threads: 0 });
  return out;
}

/** The tables below a folder. */
export function tablesIn(folder: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, prefix)).sort()) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    if (statSync(join(folder, path)).isDirectory()) Object.assign(found, tablesIn(folder, path));
    else if (path.endsWith('.tsv')) found[path] = readFileSync(join(folder, path), 'utf8');
  }
  return found;
}
