/**
 * Estimated resemblances of single pairs, from the signatures or samples in the store.
 *
 * Floor 4.
 */
import { sampleEstimate, sampleSizes } from '../../reducers/sampledPairs.js';
import { decodeBlock } from '../blocks/block.js';
import { fingerprintsOf } from '../blocks/fingerprints.js';
import { agreementOf } from '../sketch/agreement.js';
import { SampleRule, sampleWishOf } from '../sketch/sampleRule.js';
import { signatureParams } from '../sketch/sketchKind.js';
import type { Corpus } from './corpus.js';
import type { Run } from './run.js';

type Places = Pick<Corpus, 'tables' | 'blockOf' | 'columnOf'>;
type Estimate = (a: number, b: number) => number;

/** Equal slots of two documents' signatures, as a share of N; or what their samples say, NaN where that is nothing. */
export function estimates(run: Run, { tables, blockOf, columnOf }: Places): Estimate {
  const samples = sampleWishOf(run.params);
  if (samples !== null) return sampleEstimates(run, { tables, blockOf, columnOf }, samples);
  const { hashes } = signatureParams(run.params).sketch;
  let stride = 0;
  const slots = tables.map((_, k) => {
    const { meta, columns } = decodeBlock(run.engine.store.get(`signatures/${k}`), 'signatures');
    stride = meta.stride as number;
    return columns.slots as Uint32Array;
  });
  return (a, b) => {
    const [x, y] = [slots[blockOf[a]!]!, slots[blockOf[b]!]!];
    return agreementOf(x, columnOf[a]! * stride, y, columnOf[b]! * stride, hashes) / hashes;
  };
}

function sampleEstimates(
  run: Run,
  { tables, blockOf, columnOf }: Places,
  { params, wish }: NonNullable<ReturnType<typeof sampleWishOf>>,
): Estimate {
  const rule = new SampleRule(params, wish);
  const blocks = tables.map((_, k) =>
    fingerprintsOf(decodeBlock(run.engine.store.get(`fingerprints/${k}`), 'fingerprints')),
  );
  const samples = { blocks, blockOf, columnOf };
  const documents = { ...samples, sizes: sampleSizes(samples) };
  return (a, b) => sampleEstimate(documents, params, rule, a, b);
}
