/** partialSignatures and its reduce: any number of shards gives the signatures of one pass, bit for bit. */
import test from 'ava';
import fc from 'fast-check';
import { MOST_WHOLE, partialSignatures } from '../../mappers/partialSignatures.js';
import { documentSignatures } from '../../mappers/signatures.js';
import { signatures } from '../../reducers/signatures.js';
import type { DocumentFeed } from '../../src/blocks/documents.js';
import type { SignatureParams } from '../../src/blocks/signatureBlocks.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import type { SketchName } from '../../src/sketch/params.js';
import { shardOf } from '../../src/sketch/shards.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { deepSame } from '../data/deepSame.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { feedOf, someText } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 3 };
const kernel = createWasmKernel(kernelModule);
const SKETCHES: readonly SketchName[] = ['fss', 'classic'];

const paramsOf = (sketch: SketchName, hashes: number): SignatureParams => {
  return { sketch: { sketch, hashes, seed: 3 }, banding: { bands: 4, rows: Math.floor(hashes / 4) } };
};

function inOnePass(feed: DocumentFeed, params: SignatureParams, shingle = SHINGLE) {
  return documentSignatures(feed, kernel, shingle, params).signatures.columns;
}

function inShards(feed: DocumentFeed, params: SignatureParams, shards: number, shingle = SHINGLE) {
  const { partials } = partialSignatures(feed, kernel, shingle, params.sketch, shards);
  return signatures(partials, kernel, params).columns;
}

test('a document with many shingles has a partial signature per shard, a short one has one', (t) => {
  const params = paramsOf('fss', 128);
  const documents = [someText(300, 1), '', someText(MOST_WHOLE + 2, 2), someText(MOST_WHOLE + 1, 3)];
  const { partials } = partialSignatures(feedOf(documents), kernel, SHINGLE, params.sketch, 4);
  // Of shingles of 2 words, a text has one less than words.
  t.deepEqual([...partials.columns.documents!], [0, 2, 2, 2, 2, 3]);
  t.is(partials.columns.slots!.length, 6 * 128);
});

test('a document that is skipped after many shingles leaves no partial signature', (t) => {
  const params = paramsOf('fss', 32);
  const documents = [
    someText(20, 1),
    { begun: someText(20_000, 2), problem: 'VANISHED' },
    someText(30, 3),
  ] as const;
  deepSame(t, inShards(feedOf(documents), params, 5), inOnePass(feedOf(documents), params));
});

test('random documents, shards and lengths give the signatures of one pass', (t) => {
  const document = fc
    .tuple(fc.oneof(fc.nat(400), fc.nat(400), fc.nat(9000)), fc.nat(1e6))
    .map(([words, seed]) => someText(words, seed));
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 5 }),
      fc.integer({ min: 2, max: 64 }),
      fc.integer({ min: 16, max: 300 }),
      fc.constantFrom(...SKETCHES),
      (documents, shards, hashes, name) => {
        const params = paramsOf(name, hashes);
        deepSame(t, inShards(feedOf(documents), params, shards), inOnePass(feedOf(documents), params));
      },
    ),
    { seed: 1, numRuns: 30 },
  );
});

test('shards are ranges of a mix of all 64 bits, about equally large', (t) => {
  const counts = new Uint32Array(16);
  for (let i = 0; i < 16_000; i++) counts[shardOf(Math.imul(i, 0x9e3779b1) >>> 0, 7, 16)]!++;
  t.true(counts.every((count) => count > 800 && count < 1200));
  t.is(shardOf(5, 9, 1), 0);
});
