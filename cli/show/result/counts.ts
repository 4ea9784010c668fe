/** `mr-minhash inspect`: shows the counts of a result, in groups and with the meaning of each. */

import { countGroups } from '../../../src/analysis/result/countGroups.js';
import type { OpenedResult } from '../../../src/index.js';
import { grouped } from '../../../src/output/wording/amounts.js';

/** The lines: a heading for each group, and below it a line for each count: the number, right-aligned, then its meaning. */
export function countLines({ counts, unit, ofSets, byContainment }: OpenedResult): string[] {
  const groups = countGroups(counts, { things: ofSets ? 'sets' : `${unit}s`, byContainment });
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
