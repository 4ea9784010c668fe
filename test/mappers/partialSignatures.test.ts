/** partialSignatures and its reduce: any row chunks give the signatures of the fused pass, bit for bit. */
import test from 'ava';
import fc from 'fast-check';
import { bands } from '../../mappers/bands.js';
import { fusedSignatures } from '../../mappers/fusedSignatures.js';
import { matrixTiles } from '../../mappers/matrixTiles.js';
import { partialSignatures } from '../../mappers/partialSignatures.js';
import { signatures } from '../../reducers/signatures.js';
import { LIST, SIGNATURE } from '../../src/blocks/partials.js';
import { createReferenceKernel } from '../../src/kernel/reference.js';
import { bandKeys } from '../../src/sketch/bandKeys.js';
import type { ShingleParams, SketchName, SketchParams } from '../../src/sketch/params.js';
import { feedOf, SOME_DOCUMENTS, someText } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 3 };
const kernel = createReferenceKernel();

function slotsInChunks(documents: readonly string[], rowChunks: number, sketch: SketchParams): Uint32Array {
  const { tiles } = matrixTiles(feedOf(documents), kernel, SHINGLE, rowChunks);
  const partials = tiles.map((tile) => partialSignatures(tile, kernel, sketch));
  // In another order: minima do not care.
  return signatures(partials.reverse(), kernel, sketch).columns.slots as Uint32Array;
}

for (const name of ['fss', 'classic', 'oph'] satisfies SketchName[]) {
  test(`${name}: minima over any number of row chunks are the fused signatures`, (t) => {
    const documents = SOME_DOCUMENTS.filter((document): document is string => typeof document === 'string');
    for (const hashes of [16, 100, 128]) {
      const sketch: SketchParams = { sketch: name, hashes, seed: 3 };
      const fused = fusedSignatures(feedOf(documents), kernel, SHINGLE, sketch).signatures;
      for (const rowChunks of [1, 2, 7, 64]) {
        t.deepEqual(slotsInChunks(documents, rowChunks, sketch), fused.columns.slots as Uint32Array);
      }
    }
  });
}

test('random documents, chunks and lengths: chunked and fused signatures agree', (t) => {
  const document = fc
    .tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 1e6 }))
    .map(([words, seed]) => someText(words, seed));
  fc.assert(
    fc.property(
      fc.array(document, { maxLength: 5 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 16, max: 300 }),
      fc.constantFrom<SketchName>('fss', 'classic', 'oph'),
      (documents, rowChunks, hashes, name) => {
        const sketch: SketchParams = { sketch: name, hashes, seed: 5 };
        const fused = fusedSignatures(feedOf(documents), kernel, SHINGLE, sketch).signatures;
        t.deepEqual(slotsInChunks(documents, rowChunks, sketch), fused.columns.slots as Uint32Array);
      },
    ),
    { seed: 1, numRuns: 60 },
  );
});

test('a small column travels as lists, a large one as signatures where its chunk has many rows', (t) => {
  const sketch: SketchParams = { sketch: 'fss', hashes: 128, seed: 3 };
  const { tiles } = matrixTiles(feedOf([someText(300, 1), someText(9000, 2)]), kernel, SHINGLE, 4);
  for (const tile of tiles) {
    const { form } = partialSignatures(tile, kernel, sketch).columns;
    t.deepEqual(Array.from(form!), [LIST, SIGNATURE]);
  }
});

test('no partials, or partials without columns, have no signatures', (t) => {
  const sketch: SketchParams = { sketch: 'fss', hashes: 128, seed: 3 };
  t.is(signatures([], kernel, sketch).columns.slots!.length, 0);
  t.is(slotsInChunks([], 3, sketch).length, 0);
});

test('bands: the key of a column stands in its band, and is that of its signature alone', (t) => {
  const sketch: SketchParams = { sketch: 'fss', hashes: 128, seed: 3 };
  const banding = { bands: 20, rows: 6 };
  const texts = [someText(300, 1), someText(300, 2), someText(300, 1)];
  const fused = fusedSignatures(feedOf(texts), kernel, SHINGLE, sketch).signatures;
  const block = bands(fused, kernel, banding, sketch);
  const keys = block.columns.keys as Uint32Array;
  t.is(keys.length, 2 * 20 * 3);
  const one = new Uint32Array(40);
  for (let column = 0; column < 3; column++) {
    const slots = (fused.columns.slots as Uint32Array).subarray(128 * column, 128 * (column + 1));
    bandKeys(slots, banding, sketch.seed, one);
    for (let band = 0; band < 20; band++) {
      const at = 2 * (3 * band + column);
      t.deepEqual(keys.slice(at, at + 2), one.slice(2 * band, 2 * band + 2));
    }
  }
});
