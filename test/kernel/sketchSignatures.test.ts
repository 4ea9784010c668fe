import test from 'ava';
import fc from 'fast-check';
import { createWasmSketchers } from '../../src/kernel/wasmSketch.js';
import { createSketcher } from '../../src/sketch/family.js';
import type { SketchName } from '../../src/sketch/params.js';
import type { Sketcher } from '../../src/sketch/signature.js';
import { deepSame } from '../data/deepSame.js';
import {
  type HashKind,
  type Home,
  hashesOf,
  homes,
  kinds,
  newMemory,
  placed,
  runSeeds,
  seeds,
  skews,
} from './sketchKernels.js';

const NAMES: readonly SketchName[] = ['fss', 'classic'];

function sketched(sketcher: Sketcher, hashes: Uint32Array, count = hashes.length / 2): Uint32Array {
  const signature = new Uint32Array(sketcher.stride);
  sketcher.clear(signature);
  sketcher.update(signature, hashes, count);
  return signature;
}

test('fss in the kernel: long lists of few distinct hashes, as in the reference', (t) => {
  const sketchers = createWasmSketchers(newMemory());
  for (const slots of [16, 128, 200]) {
    const params = { sketch: 'fss', hashes: slots, seed: 3 } as const;
    for (const distinct of [1, 2, 7, 4095, 4096, 4097]) {
      const some = hashesOf('mixed', distinct, distinct);
      // The hash 0 is one of them.
      some.fill(0, 0, 2);
      const list = new Uint32Array(2 * 9000);
      for (let i = 0; i < list.length; i++) list[i] = some[i % some.length]!;
      const name = `${distinct} distinct hashes in ${slots} slots`;
      deepSame(t, sketched(sketchers(params), list), sketched(createSketcher(params), some), name);
    }
  }
});

for (const sketch of NAMES) {
  test(`${sketch} in the kernel: every count of hashes from 0 to 200, as in the reference`, (t) => {
    const sketchers = createWasmSketchers(newMemory());
    for (const hashes of [16, 17, 100, 128]) {
      const params = { sketch, hashes, seed: 3 };
      const plain = createSketcher(params);
      const fast = sketchers(params);
      for (const kind of ['mixed', 'ties', 'low'] satisfies HashKind[]) {
        for (let count = 0; count <= 200; count++) {
          const list = hashesOf(kind, count, count + 1);
          deepSame(t, sketched(fast, list), sketched(plain, list), `${kind} ${count} of ${hashes}`);
        }
      }
    }
  });

  test(`${sketch} in the kernel: every length from 16 to 1024, each with a few hashes and with many`, (t) => {
    for (let hashes = 16; hashes <= 1024; hashes += hashes < 160 || hashes > 1000 ? 1 : 37) {
      const params = { sketch, hashes, seed: hashes };
      const plain = createSketcher(params);
      // A memory each: what one sketcher leaves in its working copy must not help or hurt another.
      const fast = createWasmSketchers(newMemory())(params);
      for (const count of [2, 40, 600]) {
        const list = hashesOf('mixed', count, hashes + count);
        deepSame(t, sketched(fast, list), sketched(plain, list), `${count} of ${hashes}`);
      }
    }
  });

  test(`${sketch} in the kernel: updates continue a filled signature, wherever the lists are`, (t) => {
    const memory = newMemory();
    const sketchers = createWasmSketchers(memory);
    const part = fc.record({ kind: kinds, count: fc.nat(400), seed: seeds, home: homes, skew: skews });
    fc.assert(
      fc.property(
        fc.constantFrom(16, 31, 64, 100, 128, 1000),
        fc.array(part, { maxLength: 4 }),
        fc.constantFrom<Home>('own', 'shared'),
        (hashes, parts, signatureHome) => {
          const params = { sketch, hashes, seed: 5 };
          const plain = createSketcher(params);
          const fast = sketchers(params);
          const expected = new Uint32Array(plain.stride);
          plain.clear(expected);
          const raw = placed(expected, signatureHome, 0, memory);
          for (const { kind, count, seed, home, skew } of parts) {
            const list = hashesOf(kind, count, seed);
            plain.update(expected, list, count);
            fast.update(raw, placed(list, home, skew, memory), count);
          }
          deepSame(t, raw, expected);
        },
      ),
      { seed: 1, numRuns: 150 },
    );
  });
}

test('sketchers of the kernel depend on the seed, accept a prefix of a list, and do not change padding', (t) => {
  const sketchers = createWasmSketchers(newMemory());
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), runSeeds, fc.nat(90), (sketch, seed, count) => {
      const params = { sketch, hashes: 20, seed };
      const list = hashesOf('mixed', 100, 9);
      const signature = new Uint32Array(40).fill(0xdeadbeef);
      const expected = signature.slice();
      for (const [sketcher, into] of [
        [sketchers(params), signature],
        [createSketcher(params), expected],
      ] as const) {
        into.fill(0xffffffff, 0, 20);
        sketcher.update(into, list, count);
      }
      deepSame(t, signature, expected);
      deepSame(t, new Set(signature.subarray(20)), new Set([0xdeadbeef]));
    }),
    { seed: 1, numRuns: 100 },
  );
});

test('lists that need several copies are sketched completely', (t) => {
  const sketchers = createWasmSketchers(newMemory());
  for (const sketch of NAMES) {
    for (const count of [16383, 16384, 16385, 40000]) {
      const params = { sketch, hashes: 48, seed: 1 };
      const list = hashesOf('mixed', count, count);
      deepSame(t, sketched(sketchers(params), list), sketched(createSketcher(params), list));
    }
  }
});

test('the same parameters give the same sketcher, so tasks need no further memory', (t) => {
  const sketchers = createWasmSketchers(newMemory());
  t.is(
    sketchers({ sketch: 'fss', hashes: 128, seed: 1 }),
    sketchers({ sketch: 'fss', hashes: 128, seed: 1 }),
  );
  t.not(
    sketchers({ sketch: 'fss', hashes: 128, seed: 1 }),
    sketchers({ sketch: 'fss', hashes: 128, seed: 2 }),
  );
});

test('a sketcher outlives growth of the memory', (t) => {
  const memory = newMemory();
  const params = { sketch: 'fss', hashes: 128, seed: 1 } as const;
  const sketcher = createWasmSketchers(memory)(params);
  const list = hashesOf('mixed', 300, 1);
  const before = sketched(sketcher, list);
  memory.allocate(10_000_000);
  deepSame(t, sketched(sketcher, list), before);
});
