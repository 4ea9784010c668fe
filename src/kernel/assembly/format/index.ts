/**
 * Columns -> rows of a result file: ids are escaped once into a table of cells, then rows are put together
 * from cells and numbers, thousands a call. src/output/tables/rows.ts is the reference.
 */
export { formatCells } from './cells';
export { formatRows } from './rows';
