/**
 * The layouts of the characteristic matrix in row chunks: tiles, and their partial signatures.
 *
 * All tiles of some columns are in one block of kind `tile`, a tile batch. A document batch is one tile batch,
 * unless it has more rows than a batch holds: then its last column may continue in the next batch.
 *
 *      runChunks    u32 a run      its row chunk: the tile that it is in
 *      runColumns   u32 a run      its column, counted from the first of the batch, ascending
 *      runEnds      u32 a run      end of its rows, in hashes
 *      rows         u32 pairs      column 0: rows in one chunk, in another, ... | column 1: ...
 *      totals       u32 a column   occurrences in all row chunks; in an open column those so far; VOID: void column
 *      meta         rowChunks, firstColumn, continues, open (StepColumns)
 *
 * A block of kind `partials` belongs to a tile batch: `runs` (u32, ascending run numbers) have signatures,
 * which are in `slots` (u32, `stride` per run). Every other run is a list that stays in the batch.
 */

import { newBuffer } from '../arrays/ownPages.js';
import type { Partials, ScatteredRows, StepColumns } from '../sketch/rowChunks.js';
import { type Block, type BlockBuffer, encodeBlock } from './block.js';

/**
 * In `totals`: the column is void and its runs belong to no document. Only the last columns of a batch can be
 * void.
 */
export const VOID = 0xffffffff;

/** A tile batch, with the metadata of its block. */
interface Step extends StepColumns {
  readonly rowChunks: number;
  /** Number of column 0 in its document batch. */
  readonly firstColumn: number;
  readonly scattered: ScatteredRows;
  readonly totals: Uint32Array;
}

/** Least size of the buffer of a tile batch in bytes; larger ones double. */
const LEAST_ROOM = 65536;

/** A new shared buffer for a tile batch, rounded up: most batches of a corpus fit into one buffer. */
function roomForSteps(bytes: number): SharedArrayBuffer {
  let room = LEAST_ROOM;
  while (room < bytes) room *= 2;
  return newBuffer(SharedArrayBuffer, room);
}

/**
 * Encodes a tile batch. Columns are copied once, out of memory that may belong to a kernel. `spent`: blocks
 * that no later task reads; the last one gives its buffer and leaves the list, if the batch fits into it.
 * Fresh memory costs more time than the copy, because every page of it is a fault.
 */
export function encodeStep(step: Omit<Step, 'columns'>, spent: BlockBuffer[]): Block {
  const { scattered, totals, ...meta } = step;
  const room = (bytes: number): BlockBuffer => {
    const last = spent.at(-1);
    if (last === undefined || last.byteLength < bytes) return roomForSteps(bytes);
    return spent.pop()!;
  };
  return encodeBlock('tile', { ...meta }, { ...scattered, totals }, room);
}

export function stepOf(block: Block): Step {
  const { meta, columns } = block;
  const totals = columns.totals as Uint32Array;
  let present = totals.length;
  while (present > 0 && totals[present - 1] === VOID) present--;
  return {
    rowChunks: meta.rowChunks as number,
    firstColumn: meta.firstColumn as number,
    columns: present,
    continues: meta.continues as boolean,
    open: (meta.open as boolean) && present === totals.length,
    scattered: columns as unknown as ScatteredRows,
    totals,
  };
}

/** Marks the columns of a tile batch from number `column` on, counted within the batch, as void. */
export function voidFrom(block: Block, column: number): void {
  (block.columns.totals as Uint32Array).fill(VOID, column);
}

export function encodePartials(partials: Partials, stride: number): Block {
  return encodeBlock('partials', { stride }, { ...partials }, true);
}

export function partialsOf(block: Block): Partials {
  return block.columns as unknown as Partials;
}
