/** Thinning: the kernel's, in lists and in documents, against the reference, bit for bit. */
import test from 'ava';
import fc from 'fast-check';
import type { DocumentSketches, Kernel } from '../../src/kernel/kernel.js';
import { createWasmThinnings } from '../../src/kernel/text/wasmDocuments.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { createSketcher } from '../../src/sketch/family.js';
import type { SketchParams } from '../../src/sketch/params.js';
import type { ThinningParams } from '../../src/sketch/thinning.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { shingleSet } from '../../src/text/shingles.js';
import { documents, encode, shingleParams } from '../data/shingledDocuments.js';
import { createReferenceKernel } from './referenceKernel.js';
import { createThinning } from './referenceThinning.js';
import {
  hashesOf,
  homes,
  kernelModule,
  kinds,
  newMemory,
  placed,
  runSeeds,
  seeds,
  skews,
} from './sketchKernels.js';
import { paramsOf } from './text/textStreams.js';

const memory = newMemory();
const thinnings = createWasmThinnings(memory);
const samples = fc.constantFrom(1, 2, 3, 7, 16, 65_536);

test('lists anywhere are thinned alike, with any hashes eliminated', (t) => {
  fc.assert(
    fc.property(kinds, fc.nat(300), seeds, samples, runSeeds, fc.nat(40), homes, skews, (...drawn) => {
      const [kind, count, seed, sample, runSeed, out, home, skew] = drawn;
      const list = hashesOf(kind, count, seed);
      const distinct = new Map<string, [number, number]>();
      for (let i = 0; i < 2 * Math.min(out, count); i += 2)
        distinct.set(`${list[i]} ${list[i + 1]}`, [list[i]!, list[i + 1]!]);
      distinct.set('none of them', [0x12345678, 0x9abcdef0]);
      const eliminated = Uint32Array.from([...distinct.values()].flat());
      const params = { sample, seed: runSeed, eliminated: out === 0 ? new Uint32Array(0) : eliminated };
      const thinning = thinnings(params);
      const here = placed(list, home, skew, memory);
      const kept = thinning.keep(here, count);
      const expected = list.slice();
      t.is(kept, createThinning(params).keep(expected, count));
      t.deepEqual(here.slice(0, 2 * kept), expected.slice(0, 2 * kept));
    }),
    { seed: 1, numRuns: 150 },
  );
});

const reference = createReferenceKernel();
const wasm = createWasmKernel(kernelModule);

/** The rows of documents given whole, the even ones in two pieces. */
function rowsOf(
  kernel: Kernel,
  texts: readonly Uint8Array[],
  shingle: ShingleParams,
  sketch: SketchParams,
  params: ThinningParams,
): Uint32Array {
  const sketches: DocumentSketches = kernel.documentSketches(shingle, sketch, kernel.thinning(params));
  texts.forEach((text, i) => {
    if (i % 2 === 1) {
      sketches.whole(text);
      return;
    }
    sketches.begin();
    sketches.push(text.subarray(0, text.length >>> 1));
    sketches.push(text.subarray(text.length >>> 1));
    sketches.end();
  });
  const rows = new Uint32Array(sketches.rows.length * sketches.rows.stride);
  sketches.rows.copyTo(rows);
  return rows;
}

/** The same by the definition: the set, what is kept of it, its signature. */
function rowsByDefinition(
  texts: readonly Uint8Array[],
  shingle: ShingleParams,
  sketch: SketchParams,
  params: ThinningParams,
): Uint32Array {
  const sketcher = createSketcher(sketch);
  const rows = new Uint32Array(texts.length * sketcher.stride);
  texts.forEach((text, i) => {
    const set = shingleSet(text, shingle);
    const kept = createThinning(params).keep(set, set.length / 2);
    const row = rows.subarray(i * sketcher.stride, (i + 1) * sketcher.stride);
    sketcher.clear(row);
    sketcher.update(row, set, kept);
  });
  return rows;
}

test('documents are sketched from what is kept of their sets, in both kernels', (t) => {
  const sketchParams = fc.record({
    sketch: fc.constantFrom('fss', 'classic'),
    hashes: fc.constantFrom(16, 17, 128),
    seed: fc.constantFrom(1, 77),
  }) as fc.Arbitrary<SketchParams>;
  const texts = fc.array(documents, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(texts, shingleParams, sketchParams, fc.constantFrom(1, 2, 5), fc.boolean(), (...drawn) => {
      const [list, shingle, sketch, sample, isAnyOut] = drawn;
      const set = shingleSet(list[0]!, shingle);
      const eliminated = isAnyOut ? set.slice(0, 2 * Math.ceil(set.length / 4)) : new Uint32Array(0);
      const params = { sample, seed: sketch.seed, eliminated };
      const expected = rowsByDefinition(list, shingle, sketch, params);
      t.deepEqual(rowsOf(reference, list, shingle, sketch, params), expected);
      t.deepEqual(rowsOf(wasm, list, shingle, sketch, params), expected);
    }),
    { seed: 1, numRuns: 120 },
  );
});

test('counts and content keys stay those of the full set, and what is told of one thinning is not told of another', (t) => {
  const text = encode('one two three four five six seven eight nine ten one two three four five');
  const shingle = paramsOf('words', 2);
  const sketch: SketchParams = { sketch: 'fss', hashes: 32, seed: 1 };
  const told = (sample: number | null): unknown => {
    const thinning =
      sample === null ? undefined : wasm.thinning({ sample, seed: 1, eliminated: new Uint32Array(0) });
    const sketches = wasm.documentSketches(shingle, sketch, thinning);
    sketches.whole(text);
    const rows = new Uint32Array(sketches.rows.stride);
    sketches.rows.copyTo(rows);
    const { tokens, occurrences, contentKey } = sketches;
    return { facts: [tokens, occurrences, ...contentKey], rows };
  };
  const full = told(null) as { facts: unknown; rows: Uint32Array };
  for (const sample of [1, 3, 65_536]) {
    const thinned = told(sample) as { facts: unknown; rows: Uint32Array };
    t.deepEqual(thinned.facts, full.facts);
    if (sample === 1) t.deepEqual(thinned.rows, full.rows);
    else t.notDeepEqual(thinned.rows, full.rows);
  }
  t.deepEqual(told(null), full);
});
