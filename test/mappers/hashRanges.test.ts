/** Hashes of a document in pieces by range: none is lost. */
import test from 'ava';
import fc from 'fast-check';
import { collectHashes, RangeScatter, shingleSets } from '../../mappers/shingleSets.js';
import type { Column } from '../../src/blocks/block.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { isInRange } from '../../src/tasks/stream/largeSets.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { feedOf, someText } from './documents.js';

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

/** The hashes as texts. */
const hashesOf = (words: Uint32Array): string[] =>
  Array.from({ length: words.length / 2 }, (_, i) => `${words[2 * i]} ${words[2 * i + 1]}`);

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
  test(`large sets stream by, range by range, while others are collected, with ${name}`, (t) => {
    const kernel = kernelOf();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(300), fc.nat(3), fc.constantFrom(1, 2, 64)), { maxLength: 6 }),
        (drawn) => {
          const documents = drawn.map(([length, seed]) => someText(length, seed));
          const record = Float64Array.from(documents.keys());
          const wanted = { file: new Uint32Array(record.length), record };
          const whole = shingleSets(feedOf(documents), createReferenceKernel(), SHINGLE, wanted).columns;
          const pieces: Pieces[] = documents.map(() => new Map());
          let at = -1;
          const found = collectHashes(feedOf(documents), kernel, SHINGLE, wanted, {
            begin(_, number) {
              at = number;
              return drawn[number]![2];
            },
            piece: (range, hashes) => gatherInto(pieces[at]!)(range, hashes),
          });
          t.deepEqual(found.table.contentKey, whole.contentKey);
          const set = (hashes: Column, offsets: ArrayLike<number>, i: number): string[] =>
            hashesOf(hashes.subarray(2 * offsets[i]!, 2 * offsets[i + 1]!) as Uint32Array).sort();
          drawn.forEach(([, , ranges], i) => {
            const parts = [...pieces[i]!].flatMap(([range, lists]) => {
              const all = lists.flatMap((list) => hashesOf(list));
              t.true(
                lists.every((list) =>
                  list.every((high, k) => k % 2 === 0 || isInRange(high, Math.log2(ranges), range)),
                ),
              );
              return all;
            });
            const expected = set(whole.hashes!, whole.offsets!, i);
            t.deepEqual(ranges === 1 ? set(found.hashes, found.offsets, i) : parts.sort(), expected);
            t.deepEqual(ranges === 1 ? parts : set(found.hashes, found.offsets, i), []);
          });
        },
      ),
      { seed: 1, numRuns: 60 },
    );
  });
}
