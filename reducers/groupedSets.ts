/**
 * Reduce by group: sets of documents, from many blocks, become a block for each group of pairs that needs them; a set that
 * several groups need is copied to each.
 *
 * Floor 2. Works on numbers of blocks, sets and groups; it never knows documents or pairs.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { Float64Column, Uint32Column } from '../src/blocks/growable.js';
import type { ShingleSetBlock } from './exactPairs.js';

/** Row by row: set `index` of block `block` goes to group `group`. Rows of one block stand together. */
export interface SetCopies {
  readonly block: Uint32Array;
  readonly index: Uint32Array;
  readonly group: Uint32Array;
}

/** Sets one behind the other. */
class Sets {
  readonly hashes = new Uint32Column();
  readonly offsets = new Float64Column();

  constructor() {
    this.offsets.push(0);
  }

  add({ hashes, offsets }: ShingleSetBlock, index: number): void {
    this.hashes.append(hashes.subarray(2 * offsets[index]!, 2 * offsets[index + 1]!));
    this.offsets.push(this.hashes.length / 2);
  }
}

/** Sets of a group in the order of its rows: kind `shingleSets`, shared. `blockOf` is asked once a stretch of rows. */
export function groupedSets(
  { block, index, group }: SetCopies,
  blockOf: (block: number) => ShingleSetBlock,
): Map<number, Block> {
  const groups = new Map<number, Sets>();
  for (let i = 0; i < block.length; ) {
    const number = block[i]!;
    const source = blockOf(number);
    for (; i < block.length && block[i] === number; i++) {
      let sets = groups.get(group[i]!);
      if (sets === undefined) {
        sets = new Sets();
        groups.set(group[i]!, sets);
      }
      sets.add(source, index[i]!);
    }
  }
  const blocks = new Map<number, Block>();
  for (const [number, { hashes, offsets }] of groups) {
    const columns = { hashes: hashes.view, offsets: offsets.view };
    blocks.set(number, encodeBlock('shingleSets', {}, columns, true));
    groups.delete(number);
  }
  return blocks;
}
