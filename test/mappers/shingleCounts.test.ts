/** shingleCounts: in how many documents a shingle occurs. */
import test from 'ava';
import { type Suspects, shingleCounts } from '../../mappers/shingleCounts.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { ALL_HASHES } from '../../src/sketch/shingleCounts.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { shingleSet } from '../../src/text/shingles.js';
import { deepSame } from '../data/deepSame.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { type Fed, feedOf, SOME_DOCUMENTS, someText } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 7 };
const ALL: Suspects = { counters: null, most: 1, from: 0, below: ALL_HASHES };
const DOCUMENTS: readonly Fed[] = [...SOME_DOCUMENTS, someText(6000, 4), someText(100, 1), 'two words'];
const KERNELS = { reference: createReferenceKernel(), wasm: createWasmKernel(kernelModule) };

/** By definition: `high low` of every hash, with its documents. */
function truth(shingle: ShingleParams): Map<string, number> {
  const rows = new Map<string, number>();
  const read = DOCUMENTS.filter((document) => typeof document === 'string');
  read.forEach((text) => {
    const set = shingleSet(Buffer.from(text), shingle);
    for (let i = 0; i < set.length; i += 2) {
      const name = `${set[i + 1]} ${set[i]}`;
      rows.set(name, (rows.get(name) ?? 0) + 1);
    }
  });
  return rows;
}

/** Sorted: the order of a map counts when it is compared. */
const byName = (rows: Iterable<[string, number]>): [string, number][] => [...rows].sort();

function rowsOf(
  kernel: keyof typeof KERNELS,
  shingle: ShingleParams,
  suspects: Suspects,
): Map<string, number> {
  const { hashes, documents } = shingleCounts(feedOf(DOCUMENTS), KERNELS[kernel], shingle, suspects).columns;
  return new Map(
    Array.from(documents!, (count, i) => [`${hashes![2 * i + 1]} ${hashes![2 * i]}`, count as number]),
  );
}

for (const kernel of ['reference', 'wasm'] as const) {
  test(`shingleCounts counts a shingle once a document, sorted, in the kernel ${kernel}`, (t) => {
    for (const bag of [false, true]) {
      const shingle = { ...SHINGLE, bag };
      const found = rowsOf(kernel, shingle, ALL);
      deepSame(t, byName(found), byName(truth(shingle)));
      const values = [...found.keys()].map((name) => {
        const [high, low] = name.split(' ').map(BigInt) as [bigint, bigint];
        return (high << 32n) | low;
      });
      t.true(values.every((value, i) => i === 0 || values[i - 1]! < value));
    }
  });

  test(`shingleCounts keeps to its range and to what the filter leaves, in the kernel ${kernel}`, (t) => {
    const [from, below] = [2 ** 30, 3 * 2 ** 30];
    const inRange = ([name]: [string, number]): boolean =>
      Number(name.split(' ')[0]) >= from && Number(name.split(' ')[0]) < below;
    deepSame(
      t,
      byName(rowsOf(kernel, SHINGLE, { ...ALL, from, below })),
      byName([...truth(SHINGLE)].filter(inRange)),
    );
    // Of two counters, that of the lower half is too small.
    const counters = Uint16Array.of(2, 3);
    const isUpper = ([name]: [string, number]): boolean => Number(name.split(' ')[0]) >= 2 ** 31;
    deepSame(
      t,
      byName(rowsOf(kernel, SHINGLE, { ...ALL, counters, most: 2 })),
      byName([...truth(SHINGLE)].filter(isUpper)),
    );
  });
}

test('shingleCounts of no documents has no rows', (t) => {
  const { columns } = shingleCounts(feedOf(['', ' ']), KERNELS.wasm, SHINGLE, ALL);
  t.deepEqual([columns.hashes!.length, columns.documents!.length], [0, 0]);
});
