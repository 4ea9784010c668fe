/**
 * Samples of fingerprints in records.
 *
 *      sample    sampled u32, isWhole u8, then the fingerprints: 8 bytes each, low word first, little-endian, as columns hold them
 *      sizes     size u32, sampled u32, isWhole u8, frequent u32: facts of a sample, the last one how many of its fingerprints are
 *                frequent
 *
 * In keys a fingerprint has its high word first, big-endian: then the order of bytes is that of the numbers.
 */
import { numbersBelow } from '../../arrays/growable.js';
import type { Fingerprints } from '../../blocks/fingerprints.js';
import type { Sample } from '../../sketch/samples/fingerprintSamples.js';
import type { SampleSizes } from '../../sketch/samples/sampleRule.js';
import { type FieldWriter, u32At } from './records.js';

/** Offsets of the fields of a sample, and of its sizes. */
export const OF_SAMPLE = { sampled: 0, isWhole: 4, values: 5 } as const;
const OF_SIZES = { size: 0, sampled: 4, isWhole: 8, frequent: 9 } as const;
/** Bytes of a fingerprint, and of sizes. */
export const FINGERPRINT = 8;
export const SIZES = 13;

export function appendSample(out: FieldWriter, { values, whole, sampled }: Sample): FieldWriter {
  out.u32(sampled).u8(whole ? 1 : 0);
  return out.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

/** The samples of a few documents, read from records: document i has block i. */
export class HeldSamples {
  readonly blocks: Fingerprints[];
  readonly blockOf: Uint32Array;
  readonly columnOf: Uint32Array;
  readonly sizes: SampleSizes;
  /** By document: how many of its fingerprints are frequent. */
  readonly frequent: Uint32Array;

  constructor(documents: number) {
    this.blocks = Array.from({ length: documents }, () => ({
      offsets: new Uint32Array(2),
      values: new Uint32Array(0),
      sampled: new Uint32Array(1),
      whole: new Uint8Array(1),
    }));
    this.blockOf = numbersBelow(documents);
    this.columnOf = new Uint32Array(documents);
    this.sizes = {
      size: new Uint32Array(documents),
      sampled: new Uint32Array(documents),
      whole: new Uint8Array(documents),
    };
    this.frequent = new Uint32Array(documents);
  }

  /** Reads the sample in [from, to) of a value as that of document `i`. */
  read(i: number, value: Uint8Array, from: number, to: number): void {
    const size = (to - from - OF_SAMPLE.values) / FINGERPRINT;
    let { offsets, values, sampled, whole } = this.blocks[i]!;
    if (values.length < 2 * size) values = new Uint32Array(4 * size);
    new Uint8Array(values.buffer).set(value.subarray(from + OF_SAMPLE.values, to));
    offsets[1] = size;
    sampled[0] = this.sizes.sampled[i] = u32At(value, from + OF_SAMPLE.sampled);
    whole[0] = this.sizes.whole[i] = value[from + OF_SAMPLE.isWhole]!;
    this.sizes.size[i] = size;
    this.blocks[i] = { offsets, values, sampled, whole };
  }

  /** Reads the sizes at `at` of a value as those of document `i`, whose fingerprints stay unknown. */
  readSizes(i: number, value: Uint8Array, at: number): void {
    const { size, sampled, whole } = this.sizes;
    size[i] = u32At(value, at + OF_SIZES.size);
    sampled[i] = u32At(value, at + OF_SIZES.sampled);
    whole[i] = value[at + OF_SIZES.isWhole]!;
    this.frequent[i] = u32At(value, at + OF_SIZES.frequent);
  }

  appendSizes(i: number, out: FieldWriter): FieldWriter {
    const { size, sampled, whole } = this.sizes;
    return out.u32(size[i]!).u32(sampled[i]!).u8(whole[i]!).u32(this.frequent[i]!);
  }
}
