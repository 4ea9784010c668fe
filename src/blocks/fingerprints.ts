/**
 * The layout of samples of fingerprints, one sample per row: of the documents of a document batch, or of the
 * runs of a tile batch.
 *
 *      offsets    u32 n+1    sample i is fingerprints [offsets[i], offsets[i+1])
 *      values     u32 pairs  (low, high), sorted and distinct within a sample
 *      sampled    u32        number of its fingerprints that a sample which is not whole could also have
 *      whole      u8         1: the sample is the whole set
 */

import { ByteColumn, Uint32Column } from '../arrays/growable.js';
import type { Sample } from '../sketch/samples/fingerprintSamples.js';
import { type Block, encodeBlock, heldColumns, must, mustDivide } from './block.js';

export interface Fingerprints {
  readonly offsets: Uint32Array;
  readonly values: Uint32Array;
  readonly sampled: Uint32Array;
  readonly whole: Uint8Array;
}

/** Collects samples, one after the other. */
export class FingerprintColumns {
  private readonly offsets = new Uint32Column();
  private readonly values = new Uint32Column();
  private readonly sampled = new Uint32Column();
  private readonly whole = new ByteColumn();

  constructor() {
    this.offsets.push(0);
  }

  push({ values, sampled, whole }: Sample): void {
    this.values.append(values);
    this.offsets.push(this.values.length / 2);
    this.sampled.push(sampled);
    this.whole.push(whole ? 1 : 0);
  }

  truncate(samples: number): void {
    this.offsets.truncate(samples + 1);
    this.values.truncate(2 * this.offsets.view[samples]!);
    this.sampled.truncate(samples);
    this.whole.truncate(samples);
  }

  /** All samples as a block of kind `fingerprints`, shared. */
  finish(): Block {
    const { offsets, values, sampled, whole } = this;
    const columns = { offsets: offsets.view, values: values.view, sampled: sampled.view, whole: whole.view };
    return encodeBlock('fingerprints', {}, columns, true);
  }
}

export function fingerprintsOf(block: Block): Fingerprints {
  return block.columns as unknown as Fingerprints;
}

export function fingerprintsAt({ offsets, values }: Fingerprints, row: number): Uint32Array {
  return values.subarray(2 * offsets[row]!, 2 * offsets[row + 1]!);
}

/**
 * Checks that a block of samples that was read from a disk has this layout; returns the number of samples.
 *
 * @throws MinHashError BLOCK_FOREIGN
 */
export function checkFingerprints(block: Block): number {
  const count = block.columns.whole?.length ?? 0;
  const { offsets, values, whole } = heldColumns(
    block,
    { whole: 'u8', sampled: 'u32', offsets: 'u32', values: 'u32' },
    { sampled: count, offsets: count + 1 },
  );
  mustDivide(offsets, values.length / 2, 'offsets');
  for (let row = 0; row < count; row++) {
    must(whole[row]! <= 1, 'whole that is 0 or 1');
    for (let i = offsets[row]! + 1; i < offsets[row + 1]!; i++) {
      const [low, high] = [values[2 * i]!, values[2 * i + 1]!];
      const [lowBefore, highBefore] = [values[2 * i - 2]!, values[2 * i - 1]!];
      must(high > highBefore || (high === highBefore && low > lowBefore), 'values that are sorted');
    }
  }
  return count;
}
