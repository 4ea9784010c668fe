/**
 * All pairs of a sample by their agreement, counted for every document, and sums over them with their chance.
 *
 * Floor 4. Pure.
 */
import type { Kernel } from '../kernel/kernel.js';
import type { CorpusSample } from './corpusSample.js';

/** How many pairs of each document have how many equal slots. */
export interface PairCounts {
  /** Documents; each is in documents - 1 pairs. */
  readonly documents: number;
  readonly hashes: number;
  /** `hashes + 2` counts a document: pairs with 0..hashes equal slots, then pairs with the same content. */
  readonly counts: Uint32Array;
}

/** A sum over the pairs of a sample and the variance of that sum over samples. */
export interface PairSum {
  readonly sum: number;
  readonly variance: number;
}

/** Compares all pairs: documents^2 / 2 agreements. */
export function pairCounts(sample: CorpusSample, kernel: Pick<Kernel, 'agreement'>): PairCounts {
  const { signatures, contentKeys, hashes } = sample;
  const documents = signatures.length / hashes;
  const width = hashes + 2;
  const counts = new Uint32Array(documents * width);
  for (let i = 0; i < documents; i++) {
    for (let j = i + 1; j < documents; j++) {
      const column = sameKey(contentKeys, 4 * i, 4 * j)
        ? hashes + 1
        : kernel.agreement(signatures, i * hashes, signatures, j * hashes, hashes);
      counts[i * width + column]!++;
      counts[j * width + column]!++;
    }
  }
  return { documents, hashes, counts };
}

function sameKey(keys: Uint32Array, a: number, b: number): boolean {
  return (
    keys[a] === keys[b] &&
    keys[a + 1] === keys[b + 1] &&
    keys[a + 2] === keys[b + 2] &&
    keys[a + 3] === keys[b + 3]
  );
}

/**
 * The sum over all pairs of `weights[column]` (hashes + 2 of them, as the counts), with the variance by the jackknife:
 * leaving one document out takes all its pairs away, so pairs that share a document do not count as independent (it is
 * up to twice too large where pairs share none). Fewer than three documents: variance 0.
 */
export function pairSum({ documents, hashes, counts }: PairCounts, weights: Float64Array): PairSum {
  const width = hashes + 2;
  let total = 0;
  const sums = new Float64Array(documents);
  for (let i = 0; i < documents; i++) {
    let sum = 0;
    for (let column = 0; column < width; column++) sum += counts[i * width + column]! * weights[column]!;
    sums[i] = sum;
    total += sum / 2;
  }
  if (documents < 3) return { sum: total, variance: 0 };
  // Sums of leaving one out, scaled to as many pairs as there are.
  const scale = documents / (documents - 2);
  const mean = scale * (total - (2 * total) / documents);
  let squares = 0;
  for (let i = 0; i < documents; i++) squares += (scale * (total - sums[i]!) - mean) ** 2;
  return { sum: total, variance: ((documents - 1) / documents) * squares };
}
