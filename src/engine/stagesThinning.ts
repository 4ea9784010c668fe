/**
 * What of the shingles of this run goes into its sketches.
 *
 * Floor 3. Made once a worker: the kernel keeps it in its memory.
 */
import type { Thinning } from '../sketch/thinning.js';
import type { TaskContext } from './protocol.js';
import { block, kernelOf, setupOf } from './stagesContext.js';

/** The thinning of a run; undefined where all shingles are sketched. Tasks that ask have the eliminated hashes as a block. */
export function thinningOf(context: TaskContext): Thinning | undefined {
  const { sample, seed, maxShingleDocuments } = setupOf(context).params;
  if (sample === 1 && maxShingleDocuments === null) return undefined;
  const known = context.scratch.get('thinning') as Thinning | undefined;
  if (known !== undefined) return known;
  const eliminated =
    maxShingleDocuments === null
      ? new Uint32Array(0)
      : (block(context, 'eliminated', 'shingleCounts').columns.hashes as Uint32Array);
  const thinning = kernelOf(context).thinning({ sample, seed, eliminated });
  context.scratch.set('thinning', thinning);
  return thinning;
}
