/** `mr-minhash inspect`: the counts of a result, in groups and with what each means. */

import { countGroups } from '../../../src/analysis/result/countGroups.js';
import type { Counts } from '../../library.js';
import { grouped } from '../amounts.js';

/** A heading a group, and below it a line a count: the number, right-aligned, then what it means. */
export function countLines(counts: Counts, ofSets = false): string[] {
  const groups = countGroups(counts, ofSets);
  const all = groups.flatMap(({ lines }) => lines);
  const width = Math.max(0, ...all.map(({ count }) => grouped(count).length));
  return groups.flatMap(({ title, lines }, i) => [
    ...(i === 0 ? [] : ['']),
    title,
    ...lines.map(({ count, text, isPart }) =>
      isPart
        ? `  ${' '.repeat(width)}    ${grouped(count)} ${text}`
        : `  ${grouped(count).padStart(width)}  ${text}`,
    ),
  ]);
}
