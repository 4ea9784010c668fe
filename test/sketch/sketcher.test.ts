import test from 'ava';
import fc from 'fast-check';
import { createSketcher } from '../../src/sketch/family.js';
import type { SketchName, SketchParams } from '../../src/sketch/params.js';
import { EMPTY_SLOT, type Sketcher, strideOf } from '../../src/sketch/signature.js';
import { randomHashes } from '../data/randomHashes.js';

const NAMES: readonly SketchName[] = ['fss', 'classic'];

function signatureOf(sketcher: Sketcher, hashes: Uint32Array, from = 0, to = hashes.length / 2): Uint32Array {
  const signature = new Uint32Array(sketcher.stride);
  sketcher.clear(signature);
  sketcher.update(signature, hashes.subarray(2 * from, 2 * to), to - from);
  return signature;
}

function merged(sketcher: Sketcher, a: Uint32Array, b: Uint32Array): Uint32Array {
  const into = a.slice();
  sketcher.merge(into, b);
  return into;
}

/** A set of hashes, its reversal with repetitions, and cuts that divide it into parts. */
const setsWithCuts = fc.record({
  hashes: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 16, max: 300 }) },
    { weight: 1, arbitrary: fc.integer({ min: 16, max: 1024 }) },
  ),
  size: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 3000 })),
  elements: fc.integer({ min: 1, max: 1e9 }),
  seed: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
});

function reversedTwice(hashes: Uint32Array): Uint32Array {
  const out = new Uint32Array(2 * hashes.length);
  for (let i = 0; i < hashes.length; i += 2) {
    const to = hashes.length - 2 - i;
    out[to] = hashes[i]!;
    out[to + 1] = hashes[i + 1]!;
  }
  out.copyWithin(hashes.length, 0, hashes.length);
  return out;
}

for (const sketch of NAMES) {
  test(`${sketch}: any partition, grouping, order and repetition of a set gives the same signature`, (t) => {
    fc.assert(
      fc.property(setsWithCuts, ({ hashes: slots, size, elements, seed, cuts }) => {
        const sketcher = createSketcher({ sketch, hashes: slots, seed });
        const hashes = randomHashes(size, elements);
        const whole = signatureOf(sketcher, hashes);
        t.deepEqual(signatureOf(sketcher, reversedTwice(hashes)), whole);
        const edges = [0, ...cuts.map((cut) => Math.floor(cut * size)).sort((a, b) => a - b), size];
        const continued = new Uint32Array(sketcher.stride);
        const reduced = new Uint32Array(sketcher.stride);
        sketcher.clear(continued);
        sketcher.clear(reduced);
        // Parts in falling order: a later round of one part meets the earlier rounds of others.
        for (let i = edges.length - 1; i > 0; i--) {
          const [from, to] = [edges[i - 1]!, edges[i]!];
          sketcher.update(continued, hashes.subarray(2 * from, 2 * to), to - from);
          sketcher.merge(reduced, signatureOf(sketcher, hashes, from, to));
        }
        t.deepEqual(continued, whole);
        t.deepEqual(reduced, whole);
      }),
      { seed: 1, numRuns: sketch === 'classic' ? 80 : 200 },
    );
  });

  test(`${sketch}: merge is associative, commutative, idempotent, with the empty one neutral`, (t) => {
    fc.assert(
      fc.property(setsWithCuts, ({ hashes: slots, size, elements, seed }) => {
        const sketcher = createSketcher({ sketch, hashes: slots, seed });
        const [a, b, c] = [1, 2, 3].map((part) =>
          signatureOf(sketcher, randomHashes(Math.ceil(size / 3 / part), elements + part)),
        ) as [Uint32Array, Uint32Array, Uint32Array];
        t.deepEqual(merged(sketcher, a, b), merged(sketcher, b, a));
        t.deepEqual(merged(sketcher, merged(sketcher, a, b), c), merged(sketcher, a, merged(sketcher, b, c)));
        t.deepEqual(merged(sketcher, a, a), a);
        const empty = new Uint32Array(sketcher.stride).fill(EMPTY_SLOT);
        t.deepEqual(merged(sketcher, a, empty), a);
        t.deepEqual(merged(sketcher, empty, a), a);
      }),
      { seed: 1, numRuns: 40 },
    );
  });

  test(`${sketch}: padding stays empty, and no other slot does`, (t) => {
    for (const slots of [16, 17, 100, 128, 200, 1000, 1024]) {
      const sketcher = createSketcher({ sketch, hashes: slots, seed: 1 });
      t.is(sketcher.hashes, slots);
      t.is(sketcher.stride, strideOf(slots));
      t.is(sketcher.stride % 16, 0);
      for (const size of [1, 2, 3, 50, 3000]) {
        const signature = signatureOf(sketcher, randomHashes(size, size));
        t.is(signature.subarray(0, slots).indexOf(EMPTY_SLOT), -1);
        t.true(signature.subarray(slots).every((slot) => slot === EMPTY_SLOT));
      }
    }
  });

  test(`${sketch}: the signature of nothing is the empty signature`, (t) => {
    const sketcher = createSketcher({ sketch, hashes: 100, seed: 1 });
    const signature = new Uint32Array(sketcher.stride);
    sketcher.clear(signature);
    sketcher.update(signature, new Uint32Array(0), 0);
    t.true(signature.every((slot) => slot === EMPTY_SLOT));
  });

  test(`${sketch}: hashes of all zero or all one bits merge like any other`, (t) => {
    const sketcher = createSketcher({ sketch, hashes: 100, seed: 1 });
    const hashes = Uint32Array.of(0, 0, EMPTY_SLOT, EMPTY_SLOT, 0, EMPTY_SLOT, EMPTY_SLOT, 0);
    const whole = signatureOf(sketcher, hashes);
    const parts = [0, 1, 2, 3].map((i) => signatureOf(sketcher, hashes, i, i + 1));
    t.deepEqual(
      parts.reduce((a, b) => merged(sketcher, a, b)),
      whole,
    );
    t.is(whole.subarray(0, 100).indexOf(EMPTY_SLOT), -1);
  });
}

test('createSketcher: the slots depend on the seed', (t) => {
  const hashes = randomHashes(40, 9);
  const made = (params: SketchParams): Uint32Array => signatureOf(createSketcher(params), hashes);
  for (const sketch of NAMES) {
    const first = made({ sketch, hashes: 128, seed: 1 });
    t.deepEqual(made({ sketch, hashes: 128, seed: 1 }), first);
    t.notDeepEqual(made({ sketch, hashes: 128, seed: 2 }), first);
    t.notDeepEqual(made({ sketch, hashes: 128, seed: 0 }), first);
  }
});

test('createSketcher: signatures are the same as in earlier versions', (t) => {
  const hashes = Uint32Array.of(0x89abcdef, 0x01234567, 0x76543210, 0xfedcba98, 1, 0x80000000);
  const slots = NAMES.map((sketch) => {
    const sketcher = createSketcher({ sketch, hashes: 16, seed: 1 });
    const signature = signatureOf(sketcher, hashes);
    return [...signature.subarray(0, 6)].map((slot) => slot.toString(16)).join(' ');
  });
  t.deepEqual(slots, [
    '44d5e6f7 8663a990 81543550 88a680da 974237aa 8521f789',
    '59d86289 311f5de8 2cfd475b 34598508 40105a46 b3d6628',
  ]);
});
