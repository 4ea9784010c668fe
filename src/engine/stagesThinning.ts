/**
 * What of the shingles of this run goes into its sketches.
 *
 * Floor 3. Made once a worker: the kernel keeps it in its memory.
 */
import type { Thinning } from '../sketch/thinning.js';
import type { TaskContext } from './protocol.js';
import { kernelOf, setupOf } from './stagesContext.js';

/** The thinning of a run; undefined where all shingles are sketched. */
export function thinningOf(context: TaskContext): Thinning | undefined {
  const { sample, seed } = setupOf(context).params;
  if (sample === 1) return undefined;
  const known = context.scratch.get('thinning') as Thinning | undefined;
  if (known !== undefined) return known;
  const thinning = kernelOf(context).thinning({ sample, seed, eliminated: new Uint32Array(0) });
  context.scratch.set('thinning', thinning);
  return thinning;
}
