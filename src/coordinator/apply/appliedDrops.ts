/**
 * The drop list for `apply`: the one of the result, one at a higher threshold (computed from the pairs), or one that a
 * person edited, which is checked against the result.
 */
import { MinHashError, type Problem } from '../../errors.js';
import { textOf } from '../../readers/list/pathIds.js';
import { readDropList } from '../../result/dropListFile.js';
import type { Manifest } from '../../result/manifest.js';
import { type DropRow, tableRows } from '../../result/readResult.js';
import { checkFiles } from '../../result/verifyResult.js';
import type { ApplyOptions } from './applyOptions.js';
import { dropsAbove } from './dropsAbove.js';

/** Rows of a drop list, and the manifest of the result with their counts. */
export interface AppliedDrops {
  readonly manifest: Manifest;
  rows(): AsyncIterable<DropRow>;
}

/**
 * The drop list of a result, or the rows of the file `dropList`.
 *
 * @throws MinHashError OPTION_INVALID for a file that is not a drop list; APPLY_REFUSED, unless `force` is set, if a
 * listed document has no kept near-duplicate; RESULT_DAMAGED
 */
export async function appliedDrops(
  folder: string,
  manifest: Manifest,
  { dropList: file, threshold, force = false }: Pick<ApplyOptions, 'dropList' | 'threshold' | 'force'>,
): Promise<AppliedDrops> {
  if (threshold !== undefined) {
    refuseThreshold(folder, manifest, threshold);
    for (const table of ['duplicates.', 'pairs/']) await checkFiles(folder, manifest, table);
    return withRows(manifest, await dropsAbove(folder, manifest, threshold));
  }
  if (file === undefined) return { manifest, rows: () => tableRows(folder, 'duplicates') };
  // First of all, before a signal is handled: the file may be a pipe, at which the process waits.
  const listed = await readDropList(file, folder);
  for (const table of ['duplicates.', 'clusters/', 'pairs/']) await checkFiles(folder, manifest, table);
  const lost = force ? [] : await lossesIn(folder, listed);
  if (lost.length > 0) throw new MinHashError(refusals(lost));
  return withRows(manifest, listed);
}

function withRows(manifest: Manifest, listed: readonly DropRow[]): AppliedDrops {
  const { counts } = manifest;
  const changed = { dropped: listed.length, kept: counts.kept + counts.dropped - listed.length };
  async function* rows(): AsyncGenerator<DropRow> {
    yield* listed;
  }
  return { manifest: { ...manifest, counts: { ...counts, ...changed } }, rows };
}

/** @throws MinHashError OPTION_INVALID if the pairs of the result do not determine the drop list at the threshold */
function refuseThreshold(folder: string, { parameters }: Manifest, threshold: number): void {
  const { threshold: least, exactDuplicates, verify } = parameters;
  const isCompared = exactDuplicates !== true && verify !== 'none';
  if (isCompared && threshold >= least) return;
  const expected = isCompared
    ? `${least} or more, the threshold of ${folder}; for less, run again`
    : `a result with compared documents, but ${folder} has token-identical ones only`;
  throw new MinHashError({
    code: 'OPTION_INVALID',
    detail: `--threshold ${threshold}: expected ${expected}`,
  });
}

/** Documents in a message; more are counted. */
const MOST_NAMED = 5;

function refusals(lost: readonly Loss[]): Problem[] {
  // Errors with the same hint follow one another.
  const sorted = [...lost.filter(({ isPaired }) => isPaired), ...lost.filter(({ isPaired }) => !isPaired)];
  const problems = sorted
    .slice(0, MOST_NAMED)
    .map(({ row: { place, at = 'the list' }, isPaired }): Problem => {
      const why = isPaired
        ? 'no document that is kept is a near-duplicate of it'
        : 'the result has no near-duplicate of it';
      return {
        code: 'APPLY_REFUSED',
        detail: `${textOf(place)} is listed (${at}), but ${why}`,
        remedy: isPaired ? OF_PAIRED : OF_UNIQUE,
      };
    });
  const more = lost.length - problems.length;
  if (more === 0) return problems;
  const { remedy } = problems.at(-1)!;
  return [
    ...problems,
    { code: 'APPLY_REFUSED', detail: `${more} more like these`, ...(remedy !== undefined && { remedy }) },
  ];
}

const OF_PAIRED = 'remove its line or that of a near-duplicate, or drop its text with --force';
const OF_UNIQUE =
  'remove its line, or drop its text with --force; if its location is wrong, correct it (the column place of duplicates.tsv)';

/** A listed document without a kept near-duplicate. */
interface Loss {
  readonly row: DropRow;
  /** Whether it is in a pair of the result. */
  readonly isPaired: boolean;
}

async function lossesIn(folder: string, rows: readonly DropRow[]): Promise<readonly Loss[]> {
  const listed = new Set(rows.map(({ place }) => place));
  const open = new Map(rows.map((row) => [row.place, row]));
  for await (const { place, keptPlace } of tableRows(folder, 'duplicates'))
    if (!listed.has(keptPlace)) open.delete(place);
  if (open.size === 0) return [];
  const paired = new Set<string>();
  // Pairs connect one document of each duplicate group with the others, so the group counts as one document.
  const parents = new Map<string, string>();
  const groupOf = (document: string): string => {
    let root = document;
    for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
    return root;
  };
  const keeping = new Set<string>();
  for await (const { aLocation: a, bLocation: b, kind } of tableRows(folder, 'pairs')) {
    for (const place of [a, b]) if (open.has(place)) paired.add(place);
    if (kind === 'near' || (!listed.has(a) && !listed.has(b))) continue;
    const [groupA, groupB] = [groupOf(a), groupOf(b)];
    if (groupA === groupB) continue;
    parents.set(groupA, groupB);
    if (keeping.has(groupA) || !listed.has(a) || !listed.has(b)) keeping.add(groupB);
  }
  const hasKept = (document: string): boolean => !listed.has(document) || keeping.has(groupOf(document));
  const near = new Set<string>();
  for await (const { aLocation: a, bLocation: b, kind } of tableRows(folder, 'pairs')) {
    if (kind !== 'near') continue;
    if (hasKept(a)) near.add(groupOf(b));
    if (hasKept(b)) near.add(groupOf(a));
  }
  return [...open.values()]
    .filter(({ place }) => !hasKept(place) && !near.has(groupOf(place)))
    .map((row) => ({ row, isPaired: paired.has(row.place) }));
}
