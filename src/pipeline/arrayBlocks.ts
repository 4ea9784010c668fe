/**
 * Large files that are one JSON array: a task looks at all of one and says where it is to be cut, before its first column
 * block is read.
 *
 *      file --cuts--> cuts/i     kept with the column blocks, for a run that is taken up and for another first reading
 *
 * Floor 4.
 */
import { decodeBlock } from '../blocks/block.js';
import { MinHashError } from '../errors.js';
import { cutsBlock, type ElementsSource, elementSources } from '../storage/arrayCuts.js';
import type { ArrayPlan } from '../storage/inputsPlan.js';
import type { Run } from './run.js';

/** What its column blocks are; none: it is to be read as a whole, which says what it is. */
export async function elementsOfArray(run: Run, plan: ArrayPlan): Promise<ElementsSource[]> {
  const name = `cuts/${plan.index}`;
  const { store } = run.engine;
  if (!store.has(name)) await look(run, plan, name);
  return [...elementSources(plan, decodeBlock(store.get(name), 'cuts', name))];
}

async function look(run: Run, { file, index, step }: ArrayPlan, name: string): Promise<void> {
  const params = { name, index, step, file: { ...file } };
  try {
    await run.task({ stage: 'cuts', label: file.id, params, inputs: [], keep: { cuts: 'durable' } });
  } catch (error) {
    if (!(error instanceof MinHashError) || !['TASK_FAILED', 'WORKER_LOST'].includes(error.code)) throw error;
    // Whatever it is that no worker could look at: read as one file it is found out, or named.
    run.put(name, cutsBlock(null), 'durable');
  }
}
