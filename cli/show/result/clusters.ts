/** `mr-minhash inspect --clusters` and `--cluster N`: shows clusters by size, and the documents of one cluster. */

import { MinHashError } from '../../../src/errors.js';
import type { ClusterMember, OpenedResult, RowPage } from '../../../src/index.js';
import { counted, grouped } from '../../../src/output/wording/amounts.js';
import { screenId, type Terminal } from '../../terminal.js';
import { tableLines } from '../width.js';
import { answerAsJson } from './json.js';
import { fraction } from './pair.js';

/** `1 to 10 of 1,234`. */
function rangeText({ skip }: RowPage, shown: number, total: number): string {
  return `${grouped(skip + 1)} to ${grouped(skip + shown)} of ${grouped(total)}`;
}

/** The line that says how to see the next rows; none at the end. */
function nextPageLine(page: RowPage, total: number): string[] {
  if (page.top === 0 || page.skip + page.top >= total) return [];
  return ['', `the next ones: --page ${page.skip / page.top + 2}`];
}

/** Shows clusters, the largest first. */
export async function showClusters(
  reader: OpenedResult,
  page: RowPage,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  const found = await reader.largestClusters(page);
  if (json) {
    terminal.printJson(answerAsJson(found));
    return;
  }
  const { total, rows } = found;
  const things = reader.ofSets ? 'sets' : `${reader.unit}s`;
  if (rows.length === 0) {
    terminal.print(total === 0 ? 'no clusters' : `${counted(total, 'cluster')}, none on this page`);
    return;
  }
  terminal.print(`clusters ${rangeText(page, rows.length, total)}, the largest first:`);
  const cells = rows.map(({ cluster, size, representative, leastSimilarity }) => [
    grouped(cluster),
    grouped(size),
    fraction(leastSimilarity),
    screenId(representative),
  ]);
  const lines = tableLines([['cluster', things, 'least similarity', 'representative'], ...cells]);
  for (const line of [...lines, ...nextPageLine(page, total)]) terminal.print(line);
}

/** The fate of a document; for a dropped one also the kept document that replaces it. */
function fateText({ drop }: ClusterMember): string {
  return drop === null ? 'kept' : `dropped for ${screenId(drop.kept)}`;
}

/** Shows one cluster. @throws MinHashError OPTION_INVALID for a number that no cluster has */
export async function showCluster(
  reader: OpenedResult,
  number: number,
  page: RowPage,
  { json, terminal }: { readonly json: boolean; readonly terminal: Terminal },
): Promise<void> {
  const found = await reader.cluster(number, page);
  if (found === null) {
    const clusters = reader.counts.clusters as number;
    const expected = clusters === 0 ? 'the result has no clusters' : `expected 1 to ${grouped(clusters)}`;
    throw new MinHashError({ code: 'OPTION_INVALID', detail: `--cluster ${number}: ${expected}` });
  }
  if (json) {
    terminal.printJson(answerAsJson(found));
    return;
  }
  const { size, dropped, representative, members } = found;
  const thing = reader.ofSets ? 'set' : reader.unit;
  terminal.print(
    `cluster ${grouped(number)}: ${counted(size, thing)}, of which ${grouped(size - dropped)} ${size - dropped === 1 ? 'is' : 'are'} kept; ` +
      `similarities are to the representative, ${screenId(representative)}`,
  );
  if (members.length === 0) return;
  if (members.length < size) terminal.print(`${thing}s ${rangeText(page, members.length, size)}:`);
  const cells = members.map((member) => [
    member.role,
    fraction(member.similarity).trimEnd(),
    member.basis,
    `${screenId(member.document)}  ${fateText(member)}`,
  ]);
  const lines = tableLines([['role', 'similarity', 'basis', thing], ...cells]);
  for (const line of [...lines, ...nextPageLine(page, size)]) terminal.print(line);
}
