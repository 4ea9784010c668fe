/** A plan as lines for people. Pure. */
import type { Plan } from '../../src/index.js';
import { bytesText, counted, grouped } from '../../src/result/wording/amounts.js';

/** Bytes of a pair in all tables of a result, with locations of some ten bytes. */
const PAIR_BYTES = 300;

function diskLine({ workBytes, freeBytes }: Plan): string {
  const files =
    workBytes === 0
      ? 'no work files, because the data fit in memory'
      : `about ${bytesText(workBytes)} of work files (an estimate)`;
  const needed = `disk: ${files}; the result takes about ${PAIR_BYTES} bytes per pair`;
  if (freeBytes === null) return `${needed}; how much is free is not known`;
  return `${needed}; ${bytesText(freeBytes)} are free${freeBytes < workBytes ? ', probably too little' : ''}`;
}

/** The lines about memory: that of data and workers, which the budget covers, and that of the program, which it does not. */
function memoryLines({ memoryBytes, programBytes, budgetBytes, workBytes, compared }: Plan): string[] {
  const counted = memoryBytes - programBytes;
  const fit = workBytes === 0 ? 'fit' : 'do not fit: data are kept in files';
  return [
    `memory: about ${bytesText(counted)} for workers and ${compared.documents} (an estimate), and the pairs`,
    `memory: the budget (--memory) is ${bytesText(budgetBytes)}, so workers and ${compared.documents} ${fit}; the program takes about ${bytesText(programBytes)} besides`,
  ];
}

/** The inputs and the needs of a run: the message of `--verbose` before the run begins. */
export function planLines(plan: Plan): string[] {
  const skipped = plan.skipped === 0 ? '' : `, ${grouped(plan.skipped)} skipped`;
  const shards = plan.shards === 1 ? '' : `, ${counted(plan.shards, 'shard')} each`;
  return [
    `input: ${counted(plan.files, 'file')}, ${bytesText(plan.bytes)}${skipped}`,
    ...leftOutLines(plan),
    `reading: ${counted(plan.columnBlocks, 'batch', 'batches')}${shards}`,
    ...bandingLines(plan),
    ...memoryLines(plan),
    diskLine(plan),
  ];
}

/** The lines about skipped entries, except hidden files, which are always skipped. */
function leftOutLines({ leftOut }: Plan): string[] {
  const { links, unwanted, results } = leftOut;
  const all = links.inside + links.outside + links.broken;
  const others = `${grouped(links.outside)} elsewhere, ${grouped(links.broken)} broken`;
  const parts = [
    unwanted > 0 ? `${counted(unwanted, 'file')} by --include and --exclude` : '',
    results.length > 0 ? `${counted(results.length, 'folder')} with a result (${results[0]})` : '',
    all > 0 ? `${counted(all, 'symbolic link')} (${grouped(links.inside)} below the PATHs, ${others})` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [`left out: ${parts.join(', ')}`];
}

function bandingLines({ agree, bands, rows, compared }: Plan): string[] {
  if (bands === 0) return [`banding: none, only ${compared.alike} are looked for`];
  const lines = [`banding: ${counted(bands, 'band')} of ${counted(rows, 'row')}`];
  if (agree !== null) {
    lines.push(`rule: a candidate is accepted when ${agree.least} of ${agree.hashes} slots agree`);
  }
  return lines;
}

/** The whole plan, as `--dry-run` prints it. */
export function dryRunLines(plan: Plan): string[] {
  return [
    ...planLines(plan),
    ...curveLines(plan),
    '',
    `dry run: no ${plan.compared.document} was read and nothing was written`,
  ];
}

function curveLines(plan: Plan): string[] {
  if (plan.sCurve.length === 0) return [];
  const atThreshold = plan.probability.toFixed(4);
  return [
    `a pair at ${plan.threshold} becomes a candidate with probability ${atThreshold}`,
    ...(plan.agree === null
      ? []
      : [`and is accepted then with probability ${plan.agree.probability.toFixed(4)}`]),
    '',
    'similarity  probability of becoming a candidate',
    ...plan.sCurve.map(
      ({ similarity, probability }) => `      ${similarity.toFixed(2)}  ${probability.toFixed(6)}`,
    ),
  ];
}
