/**
 * A plan as lines for people.
 *
 * Floor 5. Pure.
 */
import { bytesText, counted, grouped } from './amounts.js';
import type { Plan } from './library.js';

function freeText(bytes: number | null): string {
  return bytes === null ? 'how much is free is not known' : `${bytesText(bytes)} are free`;
}

/** What will be read and in how many tasks: what `--verbose` says before a run. */
export function planLines(plan: Plan): string[] {
  const skipped = plan.skipped === 0 ? '' : `, ${grouped(plan.skipped)} skipped`;
  return [
    `input: ${counted(plan.files, 'file')}, ${bytesText(plan.bytes)}${skipped}`,
    `matrix: ${counted(plan.columnBlocks, 'column block')}, ${counted(plan.rowChunks, 'row chunk')} each`,
    ...plan.tasks.map(({ stage, tasks }) =>
      tasks === null ? `tasks for ${stage}: known later` : `tasks for ${stage}: ${grouped(tasks)}`,
    ),
    `banding: ${counted(plan.bands, 'band')} of ${counted(plan.rows, 'row')}`,
    `memory: about ${bytesText(plan.memoryBytes)} and the pairs (an estimate); the budget is ${bytesText(plan.budgetBytes)}`,
    `disk: about ${bytesText(plan.workBytes)} while the run lasts (an estimate), and the result; ${freeText(plan.freeBytes)}`,
  ];
}

/** All of a plan: what `--dry-run` prints. */
export function dryRunLines(plan: Plan): string[] {
  const atThreshold = plan.probability.toFixed(4);
  return [
    ...planLines(plan),
    `a pair at ${plan.threshold} becomes a candidate with probability ${atThreshold}`,
    '',
    'similarity  probability of becoming a candidate',
    ...plan.sCurve.map(
      ({ similarity, probability }) => `      ${similarity.toFixed(2)}  ${probability.toFixed(6)}`,
    ),
    '',
    'dry run: no document was read and nothing was written',
  ];
}
