/**
 * A plan as lines for people.
 *
 * Floor 5. Pure.
 */
import { bytesText, counted, grouped } from './amounts.js';
import type { Plan } from './library.js';

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
    ...ruleLines(plan),
    `memory: about ${bytesText(plan.memoryBytes)} (an estimate)`,
  ];
}

function ruleLines({ agree }: Plan): string[] {
  return agree === null
    ? []
    : [`rule: a candidate is accepted when ${agree.least} of ${agree.hashes} slots agree`];
}

/** All of a plan: what `--dry-run` prints. */
export function dryRunLines(plan: Plan): string[] {
  const atThreshold = plan.probability.toFixed(4);
  return [
    ...planLines(plan),
    `a pair at ${plan.threshold} becomes a candidate with probability ${atThreshold}`,
    ...(plan.agree === null
      ? []
      : [`and is accepted then with probability ${plan.agree.probability.toFixed(4)}`]),
    '',
    'similarity  probability of becoming a candidate',
    ...plan.sCurve.map(
      ({ similarity, probability }) => `      ${similarity.toFixed(2)}  ${probability.toFixed(6)}`,
    ),
    '',
    'dry run: no document was read and nothing was written',
  ];
}
