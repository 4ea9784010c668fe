/** The cells of result files that are Parquet, as those of the other formats are read. */
import { join } from 'node:path';
import { ERRORS } from '../../errors.js';
import { flatRows, tableFacts } from '../../readers/formats/parquet/flatRows.js';
import { ParquetFault } from '../../readers/formats/parquet/thrift.js';

/** What is to be thrown for a file that cannot be read: what is wrong with it, and why. */
type Damage = (what: string, cause?: unknown) => Error;

/**
 * The rows of a file in pieces: the cells of these columns in their order, as binary strings; empty for a missing value, and
 * for a column of `optional` that the file lacks.
 */
export function* parquetCells(
  dir: string,
  file: string,
  names: readonly string[],
  optional: readonly string[],
  damage: Damage,
): Generator<string[][]> {
  const path = Buffer.from(join(dir, file));
  try {
    const there = tableFacts(path).names;
    const lacking = names.filter((name) => !there.includes(name));
    if (lacking.length > 0) throw damage(`it lacks the column ${lacking.join(', ')}`);
    yield* flatRows(path, [...names, ...optional]);
  } catch (error) {
    throw error instanceof ParquetFault ? damage(ERRORS[error.code].text, error) : error;
  }
}

/** The number of rows of a file; 0 where its footer cannot be read. */
export function parquetRowCount(path: string): number {
  try {
    return tableFacts(Buffer.from(path)).rows;
  } catch (error) {
    if (error instanceof ParquetFault) return 0;
    throw error;
  }
}
