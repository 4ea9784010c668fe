/** Hashes of a document in pieces by range: none is lost, and ranges of two documents say what their whole sets say. */
import test from 'ava';
import fc from 'fast-check';
import { hashRanges, RangeScatter, shingleSets } from '../../mappers/shingleSets.js';
import { addSizes, rangedSizes, type SetSizes } from '../../reducers/exactPairs.js';
import { sortUniqueHashes } from '../../src/arrays/sort.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { createWasmSetCollector, createWasmSetComparer, SetArena } from '../../src/kernel/wasmSets.js';
import { intersectionSize } from '../../src/sketch/similarity.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule, newMemory } from '../kernel/sketchKernels.js';
import { feedOf, SOME_DOCUMENTS, someText } from './documents.js';

/** The list of one document of the first file. */
const onlyOne = (record: number) => ({ file: Uint32Array.of(0), record: Float64Array.of(record) });

const SHINGLE: ShingleParams = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 3 };
const KERNELS: readonly (readonly [string, () => Kernel])[] = [
  ['the reference', createReferenceKernel],
  ['the kernel', () => createWasmKernel(kernelModule)],
];

/** Pieces by range. */
type Pieces = Map<number, Uint32Array[]>;

function gatherInto(pieces: Pieces): (range: number, hashes: Uint32Array) => void {
  return (range, hashes) => {
    const known = pieces.get(range) ?? [];
    known.push(hashes.slice());
    pieces.set(range, known);
  };
}

test('RangeScatter gives every hash on once, in its range, in pieces that are not too long', (t) => {
  const hash = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 0xffffffff }));
  fc.assert(
    fc.property(
      fc.array(fc.array(hash, { maxLength: 30 }), { maxLength: 6 }),
      fc.constantFrom(1, 2, 16, 1024),
      fc.constantFrom(8, 64, 1 << 16),
      (calls, ranges, heldBytes) => {
        const pieces: Pieces = new Map();
        const scatter = new RangeScatter(ranges, gatherInto(pieces), heldBytes);
        for (const call of calls) scatter.add(Uint32Array.from([...call.flat(), 77, 77]), call.length);
        scatter.end();
        scatter.end();
        const found: number[][] = [];
        for (const [range, parts] of pieces) {
          for (const part of parts) {
            t.true(part.length > 0 && part.length / 2 <= Math.max(1, heldBytes / 8 / ranges));
            for (let i = 0; i < part.length; i += 2) found.push([part[i]!, part[i + 1]!]);
            t.true(part.every((high, i) => i % 2 === 0 || Math.floor((high * ranges) / 2 ** 32) === range));
          }
        }
        const sorted = (list: readonly (readonly number[])[]): string[] => list.map(String).sort();
        t.deepEqual(sorted(found), sorted(calls.flat()));
      },
    ),
    { seed: 1, numRuns: 80 },
  );
});

for (const [name, kernelOf] of KERNELS) {
  test(`the ranges of two documents add up to their whole sets, with ${name}`, (t) => {
    const kernel = kernelOf();
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(1), fc.nat(1)),
        fc.tuple(fc.nat(300), fc.nat(300)),
        fc.constantFrom(1, 2, 64),
        (seeds, lengths, ranges) => {
          const documents = seeds.map((seed, i) => someText(lengths[i]!, seed));
          const wanted = { file: new Uint32Array(2), record: Float64Array.of(0, 1) };
          const { hashes, offsets } = shingleSets(feedOf(documents), createReferenceKernel(), SHINGLE, wanted)
            .columns as { hashes: Uint32Array; offsets: Float64Array };
          const [first, second] = [0, 1].map((set) => {
            const list = hashes.slice(2 * offsets[set]!, 2 * offsets[set + 1]!);
            return list.subarray(0, 2 * sortUniqueHashes(list, list.length / 2));
          });
          const [a, b] = [first!.length / 2, second!.length / 2];
          const pieces = [0, 1].map((record) => {
            const found: Pieces = new Map();
            hashRanges(feedOf(documents), kernel, SHINGLE, onlyOne(record), ranges, gatherInto(found));
            return found;
          });
          let sizes: SetSizes = { a: 0, b: 0, common: 0 };
          for (let range = 0; range < ranges; range++) {
            const [piecesOfA, piecesOfB] = pieces.map((found) => found.get(range) ?? []);
            sizes = addSizes(sizes, rangedSizes(piecesOfA!, piecesOfB!, kernel));
          }
          t.deepEqual(sizes, { a, b, common: intersectionSize(first!, 0, a, second!, 0, b) });
        },
      ),
      { seed: 1, numRuns: 60 },
    );
  });
}

test('sets of a range that outgrow the kernel are compared all the same', (t) => {
  const many = (step: number): Uint32Array =>
    Uint32Array.from({ length: 92_000 }, (_, i) => (i % 2 === 0 ? 0 : (i >> 1) * step));
  const memory = newMemory();
  // Of the usual limits 4 million hashes are as much too many.
  const kernel = {
    setCollector: () => createWasmSetCollector(memory, new SetArena(memory, 1 << 16)),
    setComparer: () => createWasmSetComparer(memory, { numbers: 40_000, blocks: 10_000, large: 4096 }),
  };
  t.deepEqual(rangedSizes([many(2)], [many(3)], kernel), { a: 46_000, b: 46_000, common: 15_334 });
  t.deepEqual(rangedSizes([], [many(1)], kernel), { a: 0, b: 46_000, common: 0 });
  t.deepEqual(rangedSizes([], [], kernel), { a: 0, b: 0, common: 0 });
});

test('hashRanges says of a document what the table of sets says, and nothing of one that is gone', (t) => {
  const record = Float64Array.from(SOME_DOCUMENTS.keys());
  const wanted = { file: new Uint32Array(record.length), record };
  const sets = shingleSets(feedOf(SOME_DOCUMENTS), createReferenceKernel(), SHINGLE, wanted);
  const at = [...sets.columns.record!];
  SOME_DOCUMENTS.forEach((document, number) => {
    const found = hashRanges(
      feedOf(SOME_DOCUMENTS),
      createReferenceKernel(),
      SHINGLE,
      onlyOne(number),
      4,
      () => {},
    );
    const set = at.indexOf(number);
    t.is(set >= 0, typeof document === 'string');
    t.deepEqual([...found.table.record], set < 0 ? [] : [number]);
    const key = sets.columns.contentKey!.subarray(4 * set, 4 * set + 4);
    if (set >= 0) t.deepEqual(found.table.contentKey, key);
  });
});
