/**
 * Reduce: the partial samples of one document batch over all row chunks -> its samples of fingerprints.
 *
 * MIN_s of a union is the s smallest of the parts' MIN_s, MOD_m of a union the union of the parts' MOD_m
 * (Broder 1997, section 3): an element that is not in the sample of its row chunk cannot be in that of the
 * whole.
 */
import type { Block } from '../src/blocks/block.js';
import { FingerprintColumns, fingerprintsAt, fingerprintsOf } from '../src/blocks/fingerprints.js';
import { stepOf } from '../src/blocks/tiles.js';
import type { ShingleSampleParams } from '../src/sketch/params.js';
import { mergedSample, type SamplePart } from '../src/sketch/samples/fingerprintSamples.js';

/**
 * The samples of one document batch from its tile batches, in their order, and the partials of each: kind
 * `fingerprints`, shared. A column without rows in any chunk has the sample of the empty set.
 */
export function fingerprints(
  tiles: readonly Block[],
  partials: readonly Block[],
  samples: ShingleSampleParams,
): Block {
  const columns = new FingerprintColumns();
  let open: SamplePart[] = [];
  tiles.forEach((block, i) => {
    const step = stepOf(block);
    const parts = Array.from({ length: step.columns }, (): SamplePart[] => []);
    // The first column of a batch that continues is the last one of the previous batch.
    if (step.continues && step.columns > 0) parts[0] = open;
    const found = fingerprintsOf(partials[i]!);
    step.scattered.runColumns.forEach((column, run) => {
      const part = { values: fingerprintsAt(found, run), whole: found.whole[run] === 1 };
      if (column < step.columns) parts[column]!.push(part);
    });
    if (step.open) open = parts.pop()!;
    for (const ofColumn of parts) columns.push(mergedSample(ofColumn, samples));
  });
  return columns.finish();
}
