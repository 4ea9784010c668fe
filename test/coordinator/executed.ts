/** The recipe of a run without result files: sketch, pair and verify, cluster. */
import type { Run } from '../../src/coordinator/context.js';
import { cluster } from '../../src/coordinator/finish/clusters.js';
import type { Executed } from '../../src/coordinator/finish/facts.js';
import { pairAndVerify } from '../../src/coordinator/pair/comparedPairs.js';
import type { Documents } from '../../src/coordinator/sketch/columnBlocks.js';
import type { SkipList } from '../../src/coordinator/sketch/corpus.js';
import { sketchCorpus } from '../../src/coordinator/sketch/sketchCorpus.js';
import { Verifier } from '../../src/coordinator/verify/verify.js';

export async function execute(
  run: Run,
  documents: Omit<Documents, 'nameFaults'>,
  rowChunks: number,
  skipped: SkipList,
): Promise<Executed> {
  const sketched = await sketchCorpus(run, { ...documents, nameFaults: () => {} }, rowChunks, skipped);
  const verifier = new Verifier(run, sketched.corpus, sketched.reader);
  const compared = await pairAndVerify(run, sketched.corpus, verifier);
  return { ...sketched, outcome: await cluster(run, sketched, verifier, compared, skipped) };
}
