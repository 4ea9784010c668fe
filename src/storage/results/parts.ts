/**
 * How the rows of a table are cut into part files.
 *
 * Floor 2. Part boundaries follow from the number of rows alone, so they are the same for any threads or
 * shards.
 */

/** Rows of a part; the last one of a table may have fewer. */
export const ROWS_PER_PART = 1_000_000;

/** Rows [from, to) of a table go to part number `part`. JSON, so it can be the parameter of a task. */
export interface RowRange {
  readonly part: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The parts of a table of `rows` rows. No rows: one part without any, so that the file with the column names
 * is there.
 */
export function planParts(rows: number, rowsPerPart: number = ROWS_PER_PART): RowRange[] {
  const parts: RowRange[] = [];
  for (let from = 0; from < rows; from += rowsPerPart) {
    parts.push({ part: parts.length, from, to: Math.min(rows, from + rowsPerPart) });
  }
  return parts.length > 0 ? parts : [{ part: 0, from: 0, to: 0 }];
}
