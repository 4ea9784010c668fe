/** shingleCounts and shingleTexts: what occurs in how many documents, and what it is in words. */
import test from 'ava';
import { type Suspects, shingleCounts } from '../../mappers/shingleCounts.js';
import { shingleTexts } from '../../mappers/shingleTexts.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { ALL_HASHES } from '../../src/sketch/thinning.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { shingleSet } from '../../src/text/shingles.js';
import { shingleWords } from '../../src/text/tokens.js';
import { deepSame } from '../data/deepSame.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { type Fed, feedOf, SOME_DOCUMENTS, someText } from './documents.js';

const SHINGLE: ShingleParams = { unit: 'words', size: 2, bag: false, stopWords: [], seed: 7 };
const ALL: Suspects = { counters: null, most: 1, from: 0, below: ALL_HASHES };
const DOCUMENTS: readonly Fed[] = [...SOME_DOCUMENTS, someText(6000, 4), someText(100, 1), 'two words'];
const KERNELS = { reference: createReferenceKernel(), wasm: createWasmKernel(kernelModule) };

interface Row {
  readonly documents: number;
  readonly column: number;
}

/** By definition: `high low` of every hash, with its documents and its first column. */
function truth(shingle: ShingleParams): Map<string, Row> {
  const rows = new Map<string, Row>();
  const read = DOCUMENTS.filter((document) => typeof document === 'string');
  read.forEach((text, column) => {
    const set = shingleSet(Buffer.from(text), shingle);
    for (let i = 0; i < set.length; i += 2) {
      const name = `${set[i + 1]} ${set[i]}`;
      const known = rows.get(name);
      rows.set(name, { documents: (known?.documents ?? 0) + 1, column: known?.column ?? column });
    }
  });
  return rows;
}

/** Sorted: the order of a map counts when it is compared. */
const byName = (rows: Iterable<[string, Row]>): [string, Row][] => [...rows].sort();

function rowsOf(kernel: keyof typeof KERNELS, shingle: ShingleParams, suspects: Suspects): Map<string, Row> {
  const { hashes, documents, columns } = shingleCounts(
    feedOf(DOCUMENTS),
    KERNELS[kernel],
    shingle,
    suspects,
  ).columns;
  return new Map(
    Array.from(documents!, (count, i) => [
      `${hashes![2 * i + 1]} ${hashes![2 * i]}`,
      { documents: count, column: columns![i]! },
    ]),
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
    const inRange = ([name]: [string, Row]): boolean =>
      Number(name.split(' ')[0]) >= from && Number(name.split(' ')[0]) < below;
    deepSame(
      t,
      byName(rowsOf(kernel, SHINGLE, { ...ALL, from, below })),
      byName([...truth(SHINGLE)].filter(inRange)),
    );
    // Of two counters, that of the lower half is too small.
    const counters = Uint16Array.of(2, 3);
    const isUpper = ([name]: [string, Row]): boolean => Number(name.split(' ')[0]) >= 2 ** 31;
    deepSame(
      t,
      byName(rowsOf(kernel, SHINGLE, { ...ALL, counters, most: 2 })),
      byName([...truth(SHINGLE)].filter(isUpper)),
    );
  });
}

test('shingleCounts of nothing has no row', (t) => {
  const { columns } = shingleCounts(feedOf(['', ' ']), KERNELS.wasm, SHINGLE, ALL);
  t.deepEqual([columns.hashes!.length, columns.documents!.length, columns.columns!.length], [0, 0, 0]);
});

test('shingleTexts gives the texts of hashes by column, and none for what is not there', (t) => {
  const read = DOCUMENTS.filter((document) => typeof document === 'string');
  const wanted: { column: number; low: number; high: number }[] = [];
  for (const column of [0, 3, 4, read.length - 2]) {
    const set = shingleSet(Buffer.from(read[column]!), SHINGLE);
    wanted.push({ column, low: set[0]!, high: set[1]! }, { column, low: set.at(-2)!, high: set.at(-1)! });
  }
  wanted.push({ column: read.length, low: 1, high: 2 }, { column: 1000, low: 1, high: 2 });
  const { offsets, bytes } = shingleTexts(feedOf(DOCUMENTS), SHINGLE, {
    hashes: Uint32Array.from(wanted.flatMap(({ low, high }) => [low, high])),
    columns: Uint32Array.from(wanted.map(({ column }) => column)),
  }).columns;
  const texts = wanted.map((_, i) =>
    Buffer.from(bytes!.subarray(offsets![i]!, offsets![i + 1]!) as Uint8Array).toString(),
  );
  const expected = wanted.map(({ column, low, high }) =>
    column >= read.length
      ? ''
      : shingleWords(Buffer.from(read[column]!), SHINGLE, Uint32Array.of(low, high))[0]!,
  );
  t.deepEqual(texts, expected);
  t.true(expected.slice(0, 8).every((text) => /^\S+ \S+$/.test(text)));
});
