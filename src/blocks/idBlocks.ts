/**
 * Tables of ids as blocks, for tasks. It is a file of its own so that code that only compares ids loads no codec of blocks.
 */
import { type Block, encodeBlock, newBlock } from './block.js';
import type { IdTable } from './ids.js';

/** An empty block, in shared memory, for a table of `ids` ids with `bytes` bytes in all. */
export function newIdBlock(ids: number, bytes: number): Block {
  return newBlock('pairs', {}, { offsets: ['u32', ids + 1], bytes: ['u8', bytes] }, true);
}

/** A table as a block, in shared memory. */
export function idBlock({ offsets, bytes }: IdTable): Block {
  return encodeBlock('pairs', {}, { offsets, bytes }, true);
}

export function idsIn({ columns }: Block): IdTable {
  return { offsets: columns.offsets as Uint32Array, bytes: columns.bytes as Uint8Array };
}
