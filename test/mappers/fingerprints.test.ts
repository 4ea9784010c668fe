/** Samples of fingerprints: any row chunks give the samples of the fused pass, bit for bit. */
import test from 'ava';
import { partialFingerprints } from '../../mappers/partialSamples.js';
import { fusedFingerprints } from '../../mappers/samples.js';
import { matrixTiles } from '../../mappers/tiles.js';
import { fingerprints } from '../../reducers/samples.js';
import type { DocumentFeed } from '../../src/blocks/documents.js';
import { fingerprintsAt, fingerprintsOf } from '../../src/blocks/fingerprints.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import type { ShingleSampleParams } from '../../src/sketch/params.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { shingleSet } from '../../src/text/shingles.js';
import { deepSame } from '../data/deepSame.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { bigsOf, naiveElements } from '../sketch/samples/naiveSketches.js';
import { feedOf, SOME_DOCUMENTS, someText } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 3 };
const wasm = createWasmKernel(kernelModule);
const KERNELS: readonly Kernel[] = [createReferenceKernel(), wasm];
const SAMPLES: readonly ShingleSampleParams[] = [
  { sketch: 'min-s', hashes: 16, seed: 3 },
  { sketch: 'min-s', hashes: 1024, seed: 3 },
  { sketch: 'mod-m', modulus: 1, wholeBelow: 2, seed: 3 },
  { sketch: 'mod-m', modulus: 8, wholeBelow: 89, seed: 3 },
];

function chunked(
  feed: DocumentFeed,
  by: Kernel,
  rowChunks: number,
  samples: ShingleSampleParams,
  shingle = SHINGLE,
) {
  return merged(matrixTiles(feed, by, shingle, rowChunks).steps, samples);
}

function merged(steps: ReturnType<typeof matrixTiles>['steps'], samples: ShingleSampleParams) {
  const partials = steps.map((step) => partialFingerprints(step, samples));
  return fingerprints(steps, partials, samples).columns;
}

for (const samples of SAMPLES) {
  const name = `${samples.sketch} of ${samples.sketch === 'min-s' ? samples.hashes : samples.modulus}`;

  test(`${name}: partial samples over any number of row chunks are the fused samples`, (t) => {
    for (const bag of [false, true]) {
      const shingle = { ...SHINGLE, bag };
      const fused = fusedFingerprints(feedOf(SOME_DOCUMENTS), wasm, shingle, samples).fingerprints.columns;
      t.is(fused.whole!.length, 7);
      for (const rowChunks of [1, 2, 7, 64, 65536]) {
        for (const by of KERNELS) {
          deepSame(t, chunked(feedOf(SOME_DOCUMENTS), by, rowChunks, samples, shingle), fused);
        }
      }
    }
  });

  test(`${name}: a sample holds the permuted shingles of its document`, (t) => {
    const texts = [someText(300, 1), 'two words', someText(40, 3), ''];
    const block = fusedFingerprints(feedOf(texts), wasm, SHINGLE, samples).fingerprints;
    texts.forEach((text, d) => {
      const all = naiveElements(shingleSet(new TextEncoder().encode(text), SHINGLE), samples.seed);
      const got = bigsOf(fingerprintsAt(fingerprintsOf(block), d));
      if (samples.sketch === 'min-s') deepSame(t, got, all.slice(0, samples.hashes));
      else {
        const whole = all.length < samples.wholeBelow;
        deepSame(
          t,
          got,
          all.filter((value) => whole || value % BigInt(samples.modulus) === 0n),
        );
      }
    });
  });
}

test('a document over several steps, among others and one that is void, has its fused sample', (t) => {
  const bytes: ShingleParams = { ...SHINGLE, unit: 'bytes' };
  const texts = [1000, 2_300_000, 20_000, 1_300_000, 9].map((length, record) =>
    new TextEncoder().encode(someText(Math.ceil(length / 5), record)).subarray(0, length),
  );
  const feed: DocumentFeed = (sink) => {
    texts.forEach((text, record) => {
      sink.begin(0, record, null);
      for (let from = 0; from < text.length; from += 70_000) sink.text(text.subarray(from, from + 70_000));
      if (record === 3) sink.skip(0, record, 'VANISHED', null);
      else sink.end(false);
    });
  };
  const chunks = [1, 3].map((rowChunks) => matrixTiles(feed, wasm, bytes, rowChunks).steps);
  t.true(chunks.every((steps) => steps.length > 2));
  for (const samples of [SAMPLES[0]!, SAMPLES[3]!]) {
    const fused = fusedFingerprints(feed, wasm, bytes, samples).fingerprints.columns;
    t.is(fused.whole!.length, 4);
    for (const steps of chunks) deepSame(t, merged(steps, samples), fused);
  }
});
