/**
 * Candidate pairs of samples, which their tasks left in the store, become one list.
 *
 * Floor 4. All of them are counted before any is taken, so that a run they are too many for can say what is enough.
 */
import { decodeBlock } from '../blocks/block.js';
import type { AgreeingPairs } from '../sketch/pairs.js';
import { aheadOfLikely } from './pairMemory.js';
import type { Run } from './run.js';

/** Pairs in the block of this name. */
export interface SampledPart {
  readonly name: string;
  readonly count: number;
}

/** A candidate pair: two documents, estimate, accepted or not. */
export const SAMPLED_BYTES = 17;

/**
 * The rows of all parts, in their order; the parts leave the store one by one. `margin`: least estimate of a pair that can
 * be accepted.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export function joinedSamples(run: Run, parts: readonly SampledPart[], margin: number): AgreeingPairs {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const exact = run.params.verify === 'exact';
  run.tables.take(`${count} candidate pairs`, SAMPLED_BYTES * count, () =>
    aheadOfLikely(likelyIn(run, parts, margin), exact),
  );
  const all = {
    a: new Uint32Array(count),
    b: new Uint32Array(count),
    count,
    agreement: new Float64Array(count),
    accepted: new Uint8Array(count),
  };
  let at = 0;
  for (const part of parts) {
    const { a, b, agreement, accepted } = columnsOf(run, part);
    run.engine.store.delete(part.name);
    all.a.set(a!, at);
    all.b.set(b!, at);
    all.agreement.set(agreement!, at);
    all.accepted.set(accepted!, at);
    at += part.count;
  }
  return all;
}

function likelyIn(run: Run, parts: readonly SampledPart[], margin: number): number {
  let likely = 0;
  for (const part of parts) {
    for (const estimate of columnsOf(run, part).agreement!) likely += estimate >= margin ? 1 : 0;
  }
  return likely;
}

function columnsOf(run: Run, { name }: SampledPart) {
  return decodeBlock(run.engine.store.get(name), 'pairs', name).columns;
}
