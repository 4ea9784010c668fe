/** matrixTiles: documents -> tiles of the characteristic matrix, a step of all row chunks at a time. */
import { createHash } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { matrixTiles } from '../../mappers/tiles.js';
import { type DocumentFeed, DocumentRecorder, type DocumentSink } from '../../src/blocks/documents.js';
import { stepOf } from '../../src/blocks/tiles.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import { createWasmKernel } from '../../src/kernel/wasm.js';
import { rowChunkOf, STEP_COLUMNS, STEP_ROWS, STEP_RUNS } from '../../src/sketch/rowChunks.js';
import type { ShingleParams } from '../../src/text/shingles.js';
import { deepSame } from '../data/deepSame.js';
import { createReferenceKernel } from '../kernel/referenceKernel.js';
import { kernelModule } from '../kernel/sketchKernels.js';
import { type Fed, feedOf, SOME_DOCUMENTS, someText } from './documents.js';

const reference = createReferenceKernel();
const wasm = createWasmKernel(kernelModule);
const KERNELS: readonly Kernel[] = [reference, wasm];
const SHINGLE: ShingleParams = { unit: 'words', size: 3, bag: false, stopWords: [], seed: 7 };
const BYTES: ShingleParams = { ...SHINGLE, unit: 'bytes' };
const READ = SOME_DOCUMENTS.filter((document): document is string => typeof document === 'string');

function tilesFor(rowChunks: number, documents = SOME_DOCUMENTS, kernel = reference) {
  return matrixTiles(feedOf(documents), kernel, SHINGLE, rowChunks);
}

/** A name for the set of rows that these lists hold together: the digest of the sorted distinct hashes. */
function setName(lists: readonly Uint32Array[]): string {
  const rows = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    rows.set(list, at);
    at += list.length;
  }
  const distinct = wasm.sortUnique(rows, rows.length / 2);
  return `${distinct} ${createHash('sha256')
    .update(rows.subarray(0, 2 * distinct))
    .digest('hex')}`;
}

/** The set of rows of every column over all steps and row chunks, and what the steps say beside them. */
function columnsOf(feed: DocumentFeed, kernel: Kernel, shingle: ShingleParams, rowChunks: number) {
  const steps = matrixTiles(feed, kernel, shingle, rowChunks).steps.map(stepOf);
  const columns: Uint32Array[][] = [];
  const totals: number[] = [];
  for (const step of steps) {
    const { runColumns, runEnds, rows } = step.scattered;
    for (let i = 0; i < step.columns; i++) {
      columns[step.firstColumn + i] ??= [];
      // Those of an open column are the ones so far: the last step has them all.
      totals[step.firstColumn + i] = step.totals[i]!;
    }
    runColumns.forEach((column, run) => {
      if (column >= step.columns) return;
      const part = rows.subarray(run === 0 ? 0 : 2 * runEnds[run - 1]!, 2 * runEnds[run]!);
      columns[step.firstColumn + column]!.push(part);
    });
  }
  return { steps, sets: columns.map(setName), totals };
}

/** The same without row chunks. */
function wantedColumns(feed: DocumentFeed, shingle: ShingleParams) {
  const sets: string[] = [];
  const totals: number[] = [];
  let lists: Uint32Array[] = [];
  const stream = wasm.shingleStream(shingle, (hashes, count) => lists.push(hashes.slice(0, 2 * count)));
  const handler = {
    begin: () => {
      lists = [];
    },
    end: () => {
      totals.push(stream.occurrences);
      sets.push(setName(lists));
    },
    void: () => {},
  };
  feed(new DocumentRecorder(stream, handler));
  return { sets, totals };
}

test('the tiles of a column together hold the rows of its document, for any number of row chunks', (t) => {
  for (const kernel of KERNELS) {
    for (const rowChunks of [1, 2, 7, 64, 65536]) {
      const { steps, ...found } = columnsOf(feedOf(SOME_DOCUMENTS), kernel, SHINGLE, rowChunks);
      deepSame(t, found, wantedColumns(feedOf(READ), SHINGLE));
      t.is(steps.length, 1);
    }
  }
});

test('a row is in the same chunk whatever document it comes from', (t) => {
  for (const kernel of KERNELS) {
    const { scattered } = stepOf(tilesFor(16, SOME_DOCUMENTS, kernel).steps[0]!);
    const { runChunks, runEnds, rows } = scattered;
    let row = 0;
    runEnds.forEach((end, run) => {
      for (; row < end; row++) t.is(rowChunkOf(rows[2 * row]!, rows[2 * row + 1]!, 16), runChunks[run]!);
    });
    t.is(row, rows.length / 2);
  }
});

test('totals count the occurrences of a column over all chunks', (t) => {
  const { totals } = stepOf(tilesFor(4).steps[0]!);
  deepSame(t, Array.from(totals), [298, 0, 1, 38, 5998, 0, 298]);
});

test('a document that is skipped halfway leaves nothing in any tile, and stands in the table as skipped', (t) => {
  const result = tilesFor(3);
  const { columns } = result.documents(0);
  t.is(columns.flags!.length, READ.length);
  deepSame(t, Array.from(columns.record!), [0, 1, 2, 4, 5, 6, 7]);
  deepSame(t, Array.from(columns.skipRecord!), [3]);
});

test('no documents make one step without columns', (t) => {
  for (const kernel of KERNELS) {
    const { steps } = tilesFor(2, [], kernel);
    t.is(steps.length, 1);
    t.is(stepOf(steps[0]!).columns, 0);
    t.is(stepOf(steps[0]!).scattered.rows.length, 0);
  }
});

test('both kernels scatter into the same steps', (t) => {
  const text = fc.tuple(fc.nat(300), fc.nat(1e6)).map(([count, seed]) => someText(count, seed));
  const fed = fc.oneof(
    text,
    text.map((begun): Fed => ({ begun, fault: 'VANISHED' })),
  );
  fc.assert(
    fc.property(fc.array(fed, { maxLength: 8 }), fc.constantFrom(1, 2, 16, 1000, 65536), (documents, n) => {
      const [plain, fast] = KERNELS.map((kernel) => tilesFor(n, documents, kernel).steps.map(stepOf));
      deepSame(t, fast, plain);
    }),
    { seed: 1, numRuns: 40 },
  );
});

test('a step may be written into spent buffers, of any size and content', (t) => {
  const fresh = tilesFor(5).steps.map(stepOf);
  for (const [bytes, taken] of [
    [64, false],
    [1 << 20, true],
  ] as const) {
    const spent = new SharedArrayBuffer(bytes);
    new Uint8Array(spent).fill(0xa5);
    const { steps } = matrixTiles(feedOf(SOME_DOCUMENTS), wasm, SHINGLE, 5, [spent]);
    deepSame(t, steps.map(stepOf), fresh);
    t.is(steps[0]!.buffer === spent, taken);
  }
});

/** Bytes that seem random, in pieces; the document ends with a fault if there is one. */
function givePieces(sink: DocumentSink, record: number, bytes: number, faulty = false): void {
  sink.begin(0, record, null);
  const piece = new Uint8Array(100_000);
  let state = record + 1;
  for (let given = 0; given < bytes; given += piece.length) {
    for (let i = 0; i < piece.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      piece[i] = state >>> 24;
    }
    sink.text(piece);
  }
  if (faulty) sink.skip(0, record, 'VANISHED', null);
  else sink.end(false);
}

test('a document of more rows than a step holds goes on in the next, and none is lost', (t) => {
  const feed: DocumentFeed = (sink) => {
    givePieces(sink, 0, 100_000);
    givePieces(sink, 1, 2.4 * STEP_ROWS);
    givePieces(sink, 2, 100_000);
  };
  const wanted = wantedColumns(feed, BYTES);
  for (const rowChunks of [2, 65536]) {
    const { steps, ...found } = columnsOf(feed, wasm, BYTES, rowChunks);
    deepSame(t, found, wanted);
    t.true(steps.length > 2);
    t.true(steps.every(({ scattered }) => scattered.rows.length <= 2 * STEP_ROWS));
    t.true(steps.every(({ scattered }) => scattered.runColumns.length <= STEP_RUNS));
    deepSame(t, steps.map(({ continues }) => continues).slice(1), steps.map(({ open }) => open).slice(0, -1));
  }
});

test('a document that is skipped after steps were written with it is in none of them', (t) => {
  const orders: readonly (readonly [number, number, boolean][])[] = [
    [
      [0, 100_000, false],
      [1, 2.4 * STEP_ROWS, true],
      [2, 100_000, false],
    ],
    [
      [0, 1.2 * STEP_ROWS, true],
      [1, 100_000, false],
    ],
    [
      [0, 100_000, false],
      [1, 1.2 * STEP_ROWS, true],
    ],
    [
      [0, 0.99 * STEP_ROWS, false],
      [1, 1.2 * STEP_ROWS, true],
      [2, 1.2 * STEP_ROWS, true],
      [3, 200_000, false],
    ],
  ];
  for (const order of orders) {
    const feed: DocumentFeed = (sink) => {
      for (const [record, bytes, faulty] of order) givePieces(sink, record, bytes, faulty);
    };
    const { steps, ...found } = columnsOf(feed, wasm, BYTES, 3);
    deepSame(t, found, wantedColumns(feed, BYTES));
    t.true(steps.length <= 3);
    t.false(steps.at(-1)!.open);
  }
});

test('more empty documents than a step has columns make another step', (t) => {
  const feed: DocumentFeed = (sink) => {
    for (let record = 0; record < STEP_COLUMNS + 2; record++) {
      sink.begin(0, record, null);
      sink.end(false);
    }
  };
  const { steps } = matrixTiles(feed, wasm, SHINGLE, 2);
  deepSame(
    t,
    steps.map(stepOf).map(({ firstColumn, columns }) => [firstColumn, columns]),
    [
      [0, STEP_COLUMNS],
      [STEP_COLUMNS, 2],
    ],
  );
});
