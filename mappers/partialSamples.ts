/**
 * Map: tiles -> partial samples of their columns: one sample per run, which is the rows of one column in one
 * row chunk.
 */
import type { Block } from '../src/blocks/block.js';
import { FingerprintColumns } from '../src/blocks/fingerprints.js';
import { stepOf } from '../src/blocks/tiles.js';
import type { ShingleSampleParams } from '../src/sketch/params.js';
import { createSampleBuilder } from '../src/sketch/samples/fingerprintSamples.js';

/** The partial samples of one tile batch, in the order of its runs: kind `fingerprints`, shared. */
export function partialFingerprints(tiles: Block, samples: ShingleSampleParams): Block {
  const { runEnds, rows } = stepOf(tiles).scattered;
  const columns = new FingerprintColumns();
  const builder = createSampleBuilder(samples);
  for (let run = 0, from = 0; run < runEnds.length; from = runEnds[run++]!) {
    builder.begin();
    builder.push(rows.subarray(2 * from, 2 * runEnds[run]!), runEnds[run]! - from);
    columns.push(builder.finish());
  }
  return columns.finish();
}
