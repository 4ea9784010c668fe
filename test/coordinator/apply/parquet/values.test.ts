/** The encodings that filtered pages are written in: what is written is read as it was, for any numbers and bytes. */
import test from 'ava';
import * as fc from 'fast-check';
import { lz4Framed, lz4Packed } from '../../../../src/coordinator/apply/parquet/packing/lz4Packing.js';
import { DeltaReader, writeDeltas } from '../../../../src/coordinator/apply/parquet/values/deltas.js';
import { PageBuffer } from '../../../../src/coordinator/apply/parquet/values/pageBuffer.js';
import { writeRuns } from '../../../../src/coordinator/apply/parquet/values/runs.js';
import { unpackedPage } from '../../../../src/readers/formats/parquet/pageCodecs.js';
import { readRuns } from '../../../../src/readers/formats/parquet/pageValues.js';
import { parser } from '../../../../src/readers/parsers/load.js';
import { deepSame } from '../../../data/deepSame.js';

const SEED = { seed: 23, numRuns: 50 };

/** Numbers with runs of equal ones. */
const withRuns = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc
    .array(fc.tuple(one, fc.oneof(fc.constant(1), fc.nat(40))), { maxLength: 60 })
    .map((pairs) => pairs.flatMap(([value, times]) => new Array<T>(times).fill(value)));

test('runs of any width', (t) => {
  const numbers = fc
    .integer({ min: 0, max: 32 })
    .chain((width) =>
      withRuns(fc.integer({ min: 0, max: 2 ** width - 1 })).map((values) => ({ width, values })),
    );
  fc.assert(
    fc.property(numbers, ({ width, values }) => {
      const out = new PageBuffer();
      out.push(99);
      writeRuns(Uint32Array.from(values), values.length, width, out);
      const read = new Uint32Array(values.length);
      readRuns(out.view, 1, out.length, width, read);
      deepSame(t, [...read], values);
    }),
    SEED,
  );
});

/** Numbers close to each other, and any. */
const integers = (bits: 32 | 64): fc.Arbitrary<bigint[]> => {
  const any = fc.bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n });
  const near = fc.bigInt({ min: 0n, max: 300n });
  return fc.oneof(withRuns(any), withRuns(near), fc.array(fc.oneof(any, near), { maxLength: 400 }));
};

test('differences of integers of both widths, as our reader and that of others reads them', (t) => {
  for (const bits of [32, 64] as const) {
    fc.assert(
      fc.property(integers(bits), (values) => {
        const out = new PageBuffer();
        const low = Uint32Array.from(values, (value) => Number(BigInt.asUintN(32, value)));
        const high = Uint32Array.from(values, (value) => Number(BigInt.asUintN(32, value >> 32n)));
        writeDeltas({ low, high }, values.length, bits === 64, out);
        const size = out.length;
        const reader = new DeltaReader(out.view, 0);
        const read = reader.read(values.length);
        t.is(reader.at, size);
        deepSame(t, read.low, low);
        if (bits === 64) deepSame(t, read.high, high);
        if (values.length === 0) return;
        const theirs = bits === 64 ? new BigInt64Array(values.length) : new Int32Array(values.length);
        t.is(parser('parquetPages').unpackDeltas(out.view.slice(), 0, theirs), size);
        deepSame(t, Array.from(theirs, BigInt), values);
      }),
      SEED,
    );
  }
});

test('bytes that are packed by LZ4', (t) => {
  const texts = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    withRuns(fc.integer({ min: 0, max: 255 })).map((bytes) => Uint8Array.from(bytes)),
    fc.nat(3).map((k) => Uint8Array.from({ length: 200_000 }, (_, i) => (i % 1009) * (k + 1) + (i >> 15))),
  );
  fc.assert(
    fc.property(texts, (bytes) => {
      deepSame(t, Buffer.from(unpackedPage(7, lz4Packed(bytes), bytes.length)), Buffer.from(bytes));
      deepSame(t, Buffer.from(unpackedPage(5, lz4Framed(bytes), bytes.length)), Buffer.from(bytes));
    }),
    { ...SEED, numRuns: 30 },
  );
  t.true(lz4Packed(new Uint8Array(100_000)).length < 500);
});
