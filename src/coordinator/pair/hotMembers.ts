/**
 * Pairs the members of hot buckets linearly, by tasks over slices of them.
 */
import { encodeBlock } from '../../blocks/block.js';
import { NAMES } from '../../blocks/names.js';
import type { HotMembers } from '../../blocks/pairs.js';
import type { HotTask } from '../../tasks/kinds/pairTasks.js';
import type { Run } from '../context.js';
import { groupBlocks } from './documentGroups.js';
import type { StoredPairs } from './pairLists.js';
import type { PairPlan } from './pairPlan.js';

/**
 * @param call distinguishes the calls of a run
 * @param parts members by band
 * @param inputs what the tasks read beside members
 * @param blocks how many blocks of signatures there are
 * @returns lists in the store, and how many pairs of the members were not made
 */
export async function pairedLinearly(
  run: Run,
  { hotMembers: most }: PairPlan,
  call: number,
  parts: readonly HotMembers[],
  inputs: readonly string[],
  blocks: number,
): Promise<{ readonly lists: readonly StoredPairs[]; readonly skipped: number }> {
  const tasks = parts.flatMap((members, part): HotTask[] => {
    const rows = members.documents.length;
    if (rows < 2) return [];
    const hot = NAMES.hotMembers(call, part);
    run.put(hot, encodeBlock('buckets', {}, { ...members }, true), 'counted');
    return Array.from({ length: Math.ceil(rows / most) }, (_, number) => {
      const slice = { from: number * most, to: Math.min(rows, (number + 1) * most) };
      return { name: NAMES.hot(call, part, number), hot, slice, band: part, blocks };
    });
  });
  const pair = async (task: HotTask) => {
    const { pairs, skipped } = await run.task({
      kind: 'hot',
      label: `hot buckets of band ${task.band}`,
      params: task,
      inputs: [...groupBlocks(run), task.hot, ...inputs],
      keep: { hot: 'counted' },
    });
    return { list: { count: pairs, blocks: [task.name] }, skipped };
  };
  const lists: StoredPairs[] = [];
  let skipped = 0;
  for await (const made of run.each(tasks, pair)) {
    lists.push(made.list);
    skipped += made.skipped;
  }
  for (const { hot, slice } of tasks) if (slice.from === 0) run.engine.store.delete(hot);
  return { lists, skipped };
}
