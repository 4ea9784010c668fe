/**
 * Map: the tiles of one column block of sets -> the sets that candidate pairs ask for, sorted, as shingle sets.
 *
 *      offsets        f64  n+1: set i is hashes [offsets[i], offsets[i+1])
 *      hashes         u32  pairs (low, high), sorted and distinct within a set
 *
 * What is compared are the sets themselves; no line is read a second time.
 *
 * Floor 2: pure.
 */
import { type Block, encodeBlock } from '../src/blocks/block.js';
import { TiledSets } from '../src/blocks/setBlocks.js';
import type { Kernel } from '../src/kernel/kernel.js';

/** The labelled sets of these columns (ascending, distinct): kind `shingleSets`, shared. */
export function gatheredSets(
  tiles: readonly Block[],
  columns: Uint32Array,
  kernel: Pick<Kernel, 'setCollector'>,
  seed: number,
): Block {
  const collector = kernel.setCollector();
  const sets = new TiledSets(tiles, seed);
  const offsets = new Float64Array(columns.length + 1);
  const add = (hashes: Uint32Array, count: number): void => collector.add(hashes, count);
  collector.clear();
  for (let i = 0; i < columns.length; i++) {
    sets.rowsOf(columns[i]!, add);
    offsets[i + 1] = offsets[i]! + collector.close();
  }
  return encodeBlock('shingleSets', {}, { offsets, hashes: collector.sets() }, true);
}
