/**
 * The layout of a block of partial signatures: what a mapper writes for every column of one row chunk.
 *
 *      ends      u32  where each column's data end, in u32
 *      form      u8   LIST: row hashes (low, high)...; SIGNATURE: `stride` slots
 *      data      u32
 *
 * Floor 1.
 */

/** The column's data are the hashes of its rows in this chunk. */
export const LIST = 0;
/** The column's data are a signature over its rows in this chunk. */
export const SIGNATURE = 1;

/**
 * Occurrences in all row chunks up to which a column travels as lists. Above it every chunk has enough rows to fill most
 * bins in the first round; below it one sketch over the gathered lists is cheaper than one a chunk.
 */
export const LIST_LIMIT = 4096;
