/** The recipe of a run without result files: sketch, pair and verify, cluster. */
import type { Run } from '../../src/coordinator/context.js';
import type { Executed } from '../../src/coordinator/finish/makeFacts.js';
import { execute as executeInto } from '../../src/coordinator/recipe.js';
import type { SkipList } from '../../src/coordinator/sketch/corpus.js';
import type { Source } from '../../src/coordinator/sketch/source.js';

export async function execute(
  run: Run,
  source: Source,
  rowChunks: number,
  skipped: SkipList,
): Promise<Executed> {
  const nowhere = { candidates: () => {}, finish: () => {} };
  return (await executeInto(run, source, rowChunks, skipped, nowhere)).executed;
}
