/** Runs a corpus by the pipeline of Spark, with DuckDB in its place, and on one machine, for comparison. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../../src/coordinator/run.js';
import { runOnSpark } from '../../../src/coordinator/sparkRun.js';
import { check } from '../../../src/coordinator/start/checked.js';
import type { RunOptions } from '../../../src/options/runOptions.js';
import type { Report } from '../../../src/result/report.js';
import { openDuckDb, type Tamper } from './duckdb.js';

const PROGRAM = fileURLToPath(new URL('../../../package/spark/task.cjs', import.meta.url));

/** The result is in the folder `out` of the options, and tables are beside it. */
export async function runOnDuckDb(options: RunOptions, tamper?: Tamper): Promise<Report> {
  const checked = await check({ ...options, engine: 'spark' });
  return runOnSpark(checked, {}, performance.now(), ({ params }) =>
    openDuckDb({ work: `${options.out}-tables`, program: PROGRAM, params, ...(tamper && { tamper }) }),
  );
}

export function runOnOneMachine(options: RunOptions): Promise<Report> {
  return run({ ...options, threads: 0 });
}

/** The tables below a folder, as texts by the names of their files. */
export function tablesIn(folder: string, prefix = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, prefix)).sort()) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    if (statSync(join(folder, path)).isDirectory()) Object.assign(found, tablesIn(folder, path));
    else if (path.endsWith('.tsv')) found[path] = readFileSync(join(folder, path), 'utf8');
  }
  return found;
}
