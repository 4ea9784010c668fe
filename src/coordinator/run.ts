/**
 * The start of a run over files: checks the options and starts the workers before it loads runFiles.ts and the modules
 * that only the pipeline needs.
 */

import type { RunOptions } from '../options/check.js';
import type { Report } from '../result/report.js';
import { budgetOf, recordRoomOf } from '../store/budget.js';
import { Store } from '../store/store.js';
import type { RunHooks } from './runFiles.js';
import { type Checked, check } from './start/checked.js';
import { startEngine } from './start/engine.js';

/**
 * Finds the near-duplicates in files and writes the result folder.
 *
 * @throws MinHashError: a usage error, with all problems of options, paths and output folder at once (nothing is
 * written); or the error that ended the run (the folder stays unfinished): INPUT_FAILED with the error of a stream as
 * its `cause`, INTERRUPTED and others
 */
export async function run(options: RunOptions, hooks: RunHooks = {}): Promise<Report> {
  const start = performance.now();
  const checked = await check(options);
  const report = await (checked.execution.spark === null ? newRun : newSparkRun)(checked, hooks, start);
  const { out, write, force } = checked.execution;
  if (write === null) {
    if (report.counts.dropped === 0) return report;
    const { corpusAdvice } = await import('./apply/corpusAdvice.js');
    return Object.freeze({ ...report, cleaned: corpusAdvice(report) });
  }
  hooks.onResult?.();
  const { applyResult } = await import('./apply/apply.js');
  const { signal, onProgress } = hooks;
  const applied = await applyResult(
    out,
    { to: write, force },
    { ...(signal && { signal }), ...(onProgress && { onProgress }) },
  );
  return Object.freeze({ ...report, ...(applied !== null && { applied }) });
}

async function newRun(checked: Checked, hooks: RunHooks, start: number): Promise<Report> {
  const { params, execution } = checked;
  const budget = budgetOf(execution.memory, execution.threads);
  const { collectEvery } = budget;
  const store = new Store(collectEvery);
  const place = { ...execution, collectEvery, room: recordRoomOf(budget) };
  const begun = await startEngine(params, place, store);
  // Loading the pipeline takes as long as starting a worker, so both happen at once.
  const { runFiles } = await import('./runFiles.js');
  return runFiles({ checked, budget, begun, start }, hooks);
}

async function newSparkRun(checked: Checked, hooks: RunHooks, start: number): Promise<Report> {
  const { openSpark, runOnSpark } = await import('./sparkRun.js');
  return runOnSpark(checked, hooks, start, openSpark(checked.execution));
}
