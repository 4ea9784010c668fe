/** Candidate pairs of bands: those of the definition, wherever signatures are kept and however little memory a task has. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { encodeBlock } from '../../../src/blocks/block.js';
import { NAMES } from '../../../src/blocks/names.js';
import { Run } from '../../../src/coordinator/context.js';
import { pairs } from '../../../src/coordinator/pairs.js';
import { Storage } from '../../../src/coordinator/storage.js';
import { createInlineEngine } from '../../../src/engines/inline.js';
import { checkOptions } from '../../../src/options/check.js';
import { strideOf } from '../../../src/sketch/signature.js';
import { writeBandKeys } from '../../../src/sketch/slots.js';
import { UNBOUNDED } from '../../../src/store/budget.js';
import { Store } from '../../../src/store/store.js';
import { makeWorkFolder, writeWorkFile } from '../../../src/store/workFiles.js';
import { KERNEL_MODULE } from '../../../src/tasks/kernelModule.js';
import { TASKS } from '../../../src/tasks/table.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { type CaseShape, type PairCase, pairCase, plainPairs } from './plainPairs.js';

interface Kept {
  readonly room: number;
  /** Rows of a batch. */
  readonly batch: number;
  /** Null: in memory. */
  readonly folder: string | null;
  readonly resume?: boolean;
  /** Where parts of pairs are written if they take more than `data` bytes. */
  readonly parts?: { readonly data: number; readonly folder: string };
}

/** The signatures of a batch, as sketch tasks make them; padding differs. */
function signatureBlock({ hashes, bands, rows }: PairCase, signatures: readonly Uint16Array[]) {
  const stride = strideOf(hashes);
  const slots = new Uint16Array(stride * signatures.length);
  signatures.forEach((row, i) => {
    slots.fill(i, i * stride, (i + 1) * stride);
    slots.set(row, i * stride);
  });
  const keys = new Uint32Array(bands * signatures.length);
  writeBandKeys(slots, stride, { bands, rows }, keys);
  return encodeBlock('signatures', {}, { slots, keys }, true);
}

async function found(given: PairCase, { room, batch, folder, resume = false, parts }: Kept) {
  const { hashes, bands, rows, signatures, takesPart, numberOf } = given;
  const { params } = checkOptions({ hashes, bands, rows }).resolved;
  const store = new Store();
  const engine = await createInlineEngine({
    tasks: { TASKS },
    setup: { params } as never,
    store,
    workerData: { [KERNEL_MODULE]: kernelModule },
  });
  const budget = { ...UNBOUNDED, ...(parts && { data: parts.data }) };
  const storage = new Storage(parts?.folder ?? null, budget);
  const run = new Run(params, engine, undefined, undefined, budget, storage);
  const batches: number[] = [];
  if (folder !== null) makeWorkFolder(folder);
  for (let first = 0; first < signatures.length; first += batch) {
    const rowsOfBatch = signatures.slice(first, first + batch);
    const name = NAMES.signatures(batches.length);
    const block = signatureBlock(given, rowsOfBatch);
    if (folder === null) run.put(name, block);
    else writeWorkFile(folder, name, block);
    batches.push(rowsOfBatch.length);
  }
  const bits = new Uint8Array(Math.ceil(signatures.length / 8));
  takesPart.forEach((does, row) => {
    if (does) bits[row >> 3]! |= 1 << (row & 7);
  });
  const rowOf = numberOf === null ? null : new Uint32Array(numberOf.length);
  numberOf?.forEach((number, row) => {
    rowOf![number] = row;
  });
  const { list, tally, ...counts } = await pairs(run, {
    ...given,
    ...{ batches, folder, resume, room, rowOf },
    takesPart: bits,
    numberOf: numberOf === null ? null : Uint32Array.from(numberOf),
  });
  await engine.close();
  return {
    ...counts,
    tally: [...tally],
    pairs: [...list.parts()].flatMap(({ a, b, agreement }) =>
      [...a].map((first, i) => [first, b[i]!, agreement[i]!] as const),
    ),
  };
}

const shapes: fc.Arbitrary<CaseShape> = fc
  .record({
    bands: fc.integer({ min: 1, max: 9 }),
    rows: fc.integer({ min: 1, max: 3 }),
    more: fc.integer({ min: 16, max: 20 }),
    documents: fc.integer({ min: 1, max: 260 }),
    families: fc.integer({ min: 1, max: 6 }),
    references: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 100 })),
    onlyAgainst: fc.boolean(),
    isNumbered: fc.boolean(),
    hotBucket: fc.oneof(fc.constant('auto' as const), fc.constantFrom(2, 20, 40, 100)),
    cutoff: fc.integer({ min: 1, max: 14 }),
    near: fc.integer({ min: 14, max: 20 }),
    seed: fc.integer(),
  })
  .map(({ onlyAgainst, ...shape }) => ({ ...shape, onlyAgainst: onlyAgainst && shape.references > 0 }));

const MEMORY: Kept = { room: 1e8, batch: 100, folder: null };

test('pairs are those of all small and middle buckets, and of large ones by leaders', async (t) => {
  await fc.assert(
    fc.asyncProperty(shapes, async (shape) => {
      const given = pairCase(shape);
      t.deepEqual(await found(given, MEMORY), plainPairs(given));
    }),
    { numRuns: 40 },
  );
});

const AT_LENGTH: CaseShape = {
  bands: 20,
  rows: 3,
  more: 4,
  documents: 150,
  families: 3,
  references: 15,
  onlyAgainst: false,
  isNumbered: true,
  hotBucket: 30,
  cutoff: 20,
  near: 50,
  seed: 1,
};

for (const [bands, rows, more] of [
  [4, 4, 0],
  [20, 3, 4],
  [25, 5, 3],
  [64, 3, 8],
  [50, 20, 24],
  [1, 1024, 0],
  [3, 70, 7],
] as const) {
  const hashes = bands * rows + more;
  test(`signatures of ${hashes} slots in ${bands} bands of ${rows} give the pairs of the definition`, async (t) => {
    const [cutoff, near] = [Math.ceil(hashes / 3), Math.ceil(hashes / 2)];
    const given = pairCase({ ...AT_LENGTH, bands, rows, more, cutoff, near });
    t.deepEqual(await found(given, MEMORY), plainPairs(given));
  });
}

test('large buckets with more dissimilar members than leaders give the pairs of the rule', async (t) => {
  const given = pairCase({ ...AT_LENGTH, documents: 900, families: 300, rows: 1, more: 44, hotBucket: 60 });
  const expected = plainPairs(given);
  t.true(expected.unmatched > 0);
  t.deepEqual(await found(given, MEMORY), expected);
});

test('pairs do not depend on files or on the memory of tasks', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pairs-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const given = pairCase({ ...AT_LENGTH, documents: 300, families: 4 });
  const expected = await found(given, MEMORY);
  t.true(expected.largeBuckets > 0 && expected.pairs.length > 1000);
  for (const room of [1, 20_000]) t.deepEqual(await found(given, { ...MEMORY, room }), expected, `${room}`);
  for (const [room, batch] of [
    [1, 40],
    [1e8, 1000],
  ] as const) {
    const work = join(folder, String(batch));
    t.deepEqual(await found(given, { room, batch, folder: work }), expected);
    t.deepEqual(await found(given, { room, batch, folder: work, resume: true }), expected);
  }
});

test('pairs that do not fit in memory are in files', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pairs-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const given = pairCase({ ...AT_LENGTH, documents: 300, families: 4, references: 0 });
  const parts = { data: 64 * 100, folder };
  t.deepEqual(await found(given, { ...MEMORY, room: 1, parts }), await found(given, MEMORY));
  t.deepEqual(readdirSync(folder), ['pairParts-0']);
});

test('without compared documents there are no pairs', async (t) => {
  const given = pairCase({ ...AT_LENGTH, documents: 50 });
  for (const empty of [
    { ...given, signatures: [], takesPart: [], numberOf: [] },
    { ...given, takesPart: given.takesPart.map(() => false) },
  ])
    t.deepEqual(await found(empty, MEMORY), plainPairs(empty));
});
