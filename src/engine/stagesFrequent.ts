/**
 * Stages over hot fingerprints: their documents become pairs, and pairs that several have become candidates with estimates.
 *
 * Floor 3. What bands and signatures are to the stages `hot` and `agreement`, fingerprints and samples are to these.
 */
import { distinctPairs } from '../../reducers/candidatePairs.js';
import { frequentPairs } from '../../reducers/frequentPairs.js';
import type { HotSlice } from '../../reducers/hotBuckets.js';
import { estimatedPairs, sampleSizes } from '../../reducers/sampledPairs.js';
import { encodeBlock } from '../blocks/block.js';
import { SampleRule, sampleWishOf } from '../sketch/sampleRule.js';
import type { Json } from './engine.js';
import type { Stage } from './protocol.js';
import { type PairRange, rowsOf } from './stagesAgreement.js';
import { block, kernelOf, put, setupOf } from './stagesContext.js';
import { kept, samplesIn } from './stagesFingerprints.js';
import { putList } from './stagesPairs.js';

interface FrequentTask {
  readonly name: string;
  /** Block with the members of hot fingerprints. */
  readonly hot: string;
  readonly slice: HotSlice;
  readonly segmentRows: number;
  /** Blocks of the samples of all documents. */
  readonly blocks: readonly string[];
}

/** Reduce: hot fingerprints of a group become pairs, sorted. */
export const frequent: Stage = (context) => {
  const task = context.params as unknown as FrequentTask;
  const { hotBucket } = setupOf(context).params;
  const { documents, buckets } = block(context, task.hot, 'buckets').columns as Record<string, Uint32Array>;
  const known = block(context, 'frequent', 'documents').columns;
  const samples = samplesIn(context, task.blocks);
  const { size } = kept(context, 'sizes', () => sampleSizes(samples));
  const own = size.map((all, d) => all - known.frequent![d]!);
  const bareness = { own, relies: known.relies as Uint8Array };
  const { pairing, sortByKey64 } = kernelOf(context);
  const members = { documents: documents!, buckets: buckets! };
  const found = frequentPairs(members, bareness, hotBucket, sortByKey64, task.slice);
  const pairs = (pairing?.distinctPairs ?? distinctPairs)([found], []);
  putList(context, task.name, pairs, pairs.count, task.segmentRows);
  return { skipped: found.skipped, pairs: pairs.count };
};

interface SharesTask {
  readonly name: string;
  /** Ascending. */
  readonly ranges: readonly PairRange[];
  readonly blocks: readonly string[];
  /** Least estimate of an accepted pair. */
  readonly least: number;
}

/** Reduce: lists of pairs become distinct pairs that are not known and pass the rule, with estimates; see `agreement`. */
export const shares: Stage = (context) => {
  const task = context.params as unknown as SharesTask;
  const { params, wish } = sampleWishOf(setupOf(context).params)!;
  const samples = samplesIn(context, task.blocks);
  const sizes = kept(context, 'sizes', () => sampleSizes(samples));
  const rule = kept(context, 'rule', () => new SampleRule(params, wish));
  const { pairing } = kernelOf(context);
  const counts: number[] = [];
  let rows = 0;
  for (const range of task.ranges) {
    const lists = rowsOf(context, range, range.lists);
    if (lists.length === 0) continue;
    for (const { count } of lists) rows += count;
    const pairs = (pairing?.distinctPairs ?? distinctPairs)(lists, rowsOf(context, range, range.known));
    const found = estimatedPairs({ ...samples, sizes }, pairs, { params, rule, least: task.least });
    context.progress();
    if (found.count === 0) continue;
    const { a, b, agreement, accepted } = found;
    put(context, `${task.name}/${counts.length}`, encodeBlock('pairs', {}, { a, b, agreement, accepted }));
    counts.push(found.count);
  }
  return { rows, pairs: counts } satisfies Json;
};
