/** partialSignatures and its reduce: any row chunks give the signatures of the fused pass, bit for bit. */
import test from 'ava';
import fc from 'fast-check';
import { partialSignatures } from '../../mappers/partialSignatures.js';
import { fusedSignatures } from '../../mappers/signatures.js';
import { matrixTiles } from '../../mappers/tiles.js';
import { signatures } from '../../reducers/signatures.js';
import type { DocumentFeed } from '../../src/blocks/documents.js';
import { partialsOf, stepOf } from '../../src/blocks/tiles.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import type { SketchName, SketchParams } from '../../src/sketch/params.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { deepSame } from '../data/deepSame.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { feedOf, SOME_DOCUMENTS, someText } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 3 };
const kernel = createReferenceKernel();
const wasm = createWasmKernel(kernelModule);
const KERNELS: readonly Kernel[] = [kernel, wasm];
const SKETCHES: readonly SketchName[] = ['fss', 'classic'];

function slotsOf(
  feed: DocumentFeed,
  by: Kernel,
  rowChunks: number,
  sketch: SketchParams,
  shingle = SHINGLE,
): Uint32Array {
  const { steps } = matrixTiles(feed, by, shingle, rowChunks);
  const partials = steps.map((step) => partialSignatures(step, by, sketch));
  return signatures(steps, partials, by, sketch).columns.slots as Uint32Array;
}

function fusedSlots(feed: DocumentFeed, sketch: SketchParams, shingle = SHINGLE): Uint32Array {
  return fusedSignatures(feed, wasm, shingle, sketch).signatures.columns.slots as Uint32Array;
}

/** Documents of which two take several steps each. */
const LONG = [1000, 2_300_000, 20_000, 1_300_000, 9].map((length, record) =>
  new TextEncoder().encode(someText(Math.ceil(length / 5), record)).subarray(0, length),
);

for (const name of SKETCHES) {
  test(`${name}: minima over any number of row chunks are the fused signatures`, (t) => {
    for (const hashes of [16, 100, 1024]) {
      const sketch: SketchParams = { sketch: name, hashes, seed: 3 };
      const fused = fusedSlots(feedOf(SOME_DOCUMENTS), sketch);
      t.is(fused.length, 7 * Math.ceil(hashes / 16) * 16);
      for (const rowChunks of [1, 7, 64, 65536]) {
        for (const by of KERNELS) deepSame(t, slotsOf(feedOf(SOME_DOCUMENTS), by, rowChunks, sketch), fused);
      }
    }
  });

  test(`${name}: a document over several steps, among others, has its fused signature`, (t) => {
    const bytes: ShingleParams = { ...SHINGLE, unit: 'bytes' };
    const feed: DocumentFeed = (sink) => {
      LONG.forEach((text, record) => {
        sink.begin(0, record, null);
        for (let from = 0; from < text.length; from += 70_000) sink.text(text.subarray(from, from + 70_000));
        if (record === 3) sink.skip(0, record, 'VANISHED', null);
        else sink.end(false);
      });
    };
    const sketch: SketchParams = { sketch: name, hashes: 100, seed: 3 };
    const fused = fusedSlots(feed, sketch, bytes);
    for (const rowChunks of [2, 65536]) {
      deepSame(t, slotsOf(feed, wasm, rowChunks, sketch, bytes), fused);
    }
  });
}

test('random documents, chunks and lengths: chunked and fused signatures agree, by either kernel', (t) => {
  const document = fc
    .tuple(fc.oneof(fc.nat(400), fc.nat(400), fc.nat(9000)), fc.nat(1e6))
    .map(([words, seed]) => someText(words, seed));
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 5 }),
      fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(500, 65536)),
      fc.integer({ min: 16, max: 300 }),
      fc.constantFrom(...SKETCHES),
      (documents, rowChunks, hashes, name) => {
        const sketch: SketchParams = { sketch: name, hashes, seed: 5 };
        const fused = fusedSlots(feedOf(documents), sketch);
        for (const by of KERNELS) deepSame(t, slotsOf(feedOf(documents), by, rowChunks, sketch), fused);
      },
    ),
    { seed: 1, numRuns: 35 },
  );
});

test('a small column travels as lists, a large one as signatures where its chunk has many rows', (t) => {
  const sketch: SketchParams = { sketch: 'fss', hashes: 128, seed: 3 };
  const documents = [someText(300, 1), someText(9000, 2), someText(4098, 3), someText(4097, 4)];
  for (const by of KERNELS) {
    const [step] = matrixTiles(feedOf(documents), by, SHINGLE, 4).steps;
    const { runs, slots } = partialsOf(partialSignatures(step!, by, sketch));
    const { runColumns } = stepOf(step!).scattered;
    // Of shingles of 2 words, 4098 words have 4097, and 4097 words 4096.
    t.deepEqual(
      Array.from(runs, (run) => runColumns[run]),
      [1, 1, 1, 1, 2, 2, 2, 2],
    );
    t.is(slots.length, 8 * 128);
    const [thin] = matrixTiles(feedOf(documents), by, SHINGLE, 1000).steps;
    t.is(partialsOf(partialSignatures(thin!, by, sketch)).runs.length, 0);
  }
});

test('both kernels make the same partials', (t) => {
  for (const name of SKETCHES) {
    const sketch: SketchParams = { sketch: name, hashes: 20, seed: 3 };
    const documents = [someText(9000, 1), someText(30, 2), someText(20_000, 3)];
    const [plain, fast] = KERNELS.map((by) => {
      const [step] = matrixTiles(feedOf(documents), by, SHINGLE, 16).steps;
      return partialSignatures(step!, by, sketch).columns;
    });
    t.is(plain!.runs!.length, 32);
    deepSame(t, fast, plain);
  }
});

test('no steps, or one without columns, have no signatures', (t) => {
  const sketch: SketchParams = { sketch: 'fss', hashes: 128, seed: 3 };
  for (const by of KERNELS) {
    t.is(signatures([], [], by, sketch).columns.slots!.length, 0);
    t.is(slotsOf(feedOf([]), by, 3, sketch).length, 0);
  }
});

test('signatures of more columns than are sketched at a time', (t) => {
  const documents = Array.from({ length: 2500 }, (_, i) => someText(i % 7, i));
  const sketch: SketchParams = { sketch: 'classic', hashes: 1024, seed: 3 };
  deepSame(t, slotsOf(feedOf(documents), wasm, 3, sketch), fusedSlots(feedOf(documents), sketch));
});
