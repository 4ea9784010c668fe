/** The messages between a run and the process of its query. A separate pipe carries the rows. */
import type { Failure } from '../../engines/protocol.js';
import type { ResultParams } from '../../sketch/params.js';
import type { SqlBounds } from './sqlQuery.js';

/** The request, sent once. */
export interface Asked {
  readonly sql: string;
  readonly params: ResultParams;
  readonly bounds: SqlBounds;
}

/** `ready`: DuckDB understands the query, and rows follow. A number: all rows are written, in this many bytes. */
export type Said = 'ready' | number | Failure;

/** The file descriptor of the pipe of rows in the process; not standard output, where statements may write. */
export const ROWS = 3;

/** Most bytes of memory of the process beside those that DuckDB counts: Node, the code of DuckDB, the rows. */
export const MOST_BESIDE = 256e6;
