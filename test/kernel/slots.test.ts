/** 16-bit slots and band keys of the kernel: those of the reference. */
import test from 'ava';
import fc from 'fast-check';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { strideOf } from '../../src/sketch/signature.js';
import { randomWords } from '../data/randomHashes.js';
import { createReferenceKernel } from './referenceKernel.js';
import { kernelModule, newMemory, placed } from './sketchKernels.js';

const { slotWriter } = createWasmKernel(kernelModule);

test('slots and keys are those of the reference', (t) => {
  const shape = fc.record({
    bands: fc.integer({ min: 1, max: 20 }),
    rows: fc.integer({ min: 1, max: 50 }),
    count: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(3000)),
    home: fc.constantFrom('own' as const, 'shared' as const, 'kernel' as const),
    seed: fc.integer(),
  });
  fc.assert(
    fc.property(shape, ({ bands, rows, count, home, seed }) => {
      const stride = strideOf(bands * rows);
      const random = randomWords(seed);
      const wide = Uint32Array.from({ length: stride * count }, random);
      const made = [slotWriter, createReferenceKernel().slotWriter].map((writer) => {
        const slots = new Uint16Array(wide.length + stride);
        const keys = new Uint32Array(bands * (count + 1));
        writer.writeSignatures(placed(wide, home, 0, newMemory()), stride, { bands, rows }, slots, keys, 1);
        const again = new Uint32Array(keys.length);
        writer.writeBandKeys(slots, stride, { bands, rows }, again);
        return Buffer.concat([slots, keys, again].map(({ buffer }) => new Uint8Array(buffer)));
      });
      t.true(made[0]!.equals(made[1]!));
    }),
    { numRuns: 30 },
  );
});
