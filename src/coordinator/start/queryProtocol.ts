/** The messages between a run and the process of its query. Rows go through a pipe beside them. */
import type { Failure } from '../../engines/protocol.js';
import type { ResultParams } from '../../sketch/params.js';
import type { SqlBounds } from './sqlQuery.js';

/** The request, sent once. */
export interface Asked {
  readonly sql: string;
  readonly params: ResultParams;
  readonly bounds: SqlBounds;
}

/** `ready`: the query is understood, and rows follow. A number: all of them are written, in so many bytes. */
export type Said = 'ready' | number | Failure;

/** The pipe of rows, in the process. Statements may write to standard output. */
export const ROWS = 3;

/** Memory of the process beside that of DuckDB: Node, the code of DuckDB, the rows it makes. */
export const MOST_BESIDE = 256e6;
