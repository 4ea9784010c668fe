import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { IdTable } from '../../../src/blocks/ids.js';
import type { RowBatch, RowFormatting } from '../../../src/kernel/kernel.js';
import { createWasmRowFormatting, type RowFormattingLimits } from '../../../src/kernel/wasmFormat.js';
import { idTableOf } from '../../../src/output/tables/escaping.js';
import {
  emptyCell,
  rowsOf,
  type TableColumns,
  wordCell,
  writeTable,
} from '../../../src/output/tables/rows.js';
import type { ResultFormat } from '../../../src/sketch/params.js';
import { type FileDoor, NODE_FILES } from '../../../src/store/fileDoor.js';
import { newMemory } from '../../kernel/sketchKernels.js';

const FORMATS = ['tsv', 'csv', 'jsonl'] as const;

/** What escapes, quotes and the ends of 16 bytes turn on; then any bytes, valid UTF-8 or not. */
const PIECES = [
  'a',
  'file-0123456789',
  '0123456789abcdef',
  ' ',
  '\t',
  '\n',
  '\r',
  '"',
  ',',
  '\\',
  '\x00',
  '\x08',
  '\x1f',
  '\x7f',
  '\x80',
  '\xff',
  '\xc3\xa9',
  '\xc0\x80',
  '\xe6\xbc\xa2',
  '\xe0\x9f\xbf',
  '\xed\xa0\x80',
  '\xf0\x9f\x98\x80',
  '\xf4\x90\x80\x80',
  '\xe6\xbc',
] as const;
const hostileId = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
const anyBytes = fc
  .uint8Array({ maxLength: 70 })
  .map((bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
const ids = fc.array(fc.oneof(hostileId, anyBytes), { minLength: 1, maxLength: 40 });

/** Ties of six decimals, their neighbours, the ends, and the number just below 1 that rounds to it. */
const EDGES = [
  0,
  -0,
  1,
  0.5,
  0.9999995,
  0.9999994999999999,
  0.0000005,
  0.0000035,
  1 - 2 ** -53,
  5e-324,
  1000,
];
const fraction = fc.oneof(
  fc.constantFrom(...EDGES, Number.NaN),
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat(1e6).map((millionths) => (millionths + 0.5) / 1e6),
  fc.tuple(fc.nat(5000), fc.integer({ min: 1, max: 5000 })).map(([x, y]) => Math.min(x, y) / y),
);

const row = fc.record({
  id: fc.nat(),
  other: fc.nat(),
  cell: fc.nat(),
  word: fc.nat(1),
  fraction,
  integer: fc.oneof(fc.nat(2000), fc.constantFrom(0, 9, 10, 99, 100, 4294967295)),
});

/** A table with a field of every kind, and fixed cells before, between and behind them. */
function tableOf(format: ResultFormat): TableColumns {
  const word = (text: string) => wordCell(text, format);
  const cells = ['', 'x', 'a cell, with comma', 'q"q', 'longer than sixteen bytes'].map(word);
  return {
    names: ['fixed', 'id', 'empty', 'cell', 'word', 'fraction', 'other', 'integer', 'text', 'last'],
    fields: [
      { kind: 'same', cell: word('a cell that is always the same') },
      { kind: 'id' },
      { kind: 'same', cell: emptyCell(format) },
      { kind: 'cell', cells },
      { kind: 'cell', cells: cells.slice(0, 2) },
      { kind: 'fraction' },
      { kind: 'id' },
      { kind: 'integer' },
      { kind: 'text' },
      { kind: 'same', cell: emptyCell(format) },
    ],
  };
}

type Row = typeof row extends fc.Arbitrary<infer R> ? R : never;

function columnsOf(rows: readonly Row[], documents: number) {
  return [
    Uint32Array.from(rows, ({ id }) => id % documents),
    Uint16Array.from(rows, ({ cell }) => cell % 5),
    Uint8Array.from(rows, ({ word }) => word),
    Float64Array.from(rows, (each) => each.fraction),
    Uint32Array.from(rows, ({ other }) => other % documents),
    Uint32Array.from(rows, ({ integer }) => integer),
    Uint32Array.from(rows, ({ cell }) => cell % documents),
  ] as const;
}

/** The table in shared memory, as tasks get it, where nothing is at a multiple of eight. */
function sharedTable({ bytes, offsets }: IdTable): IdTable {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length + 3), 3);
  copy.set(bytes);
  return { bytes: copy, offsets };
}

/** A file in memory: hundreds of files on the disk take minutes, and are not the question here. */
function memoryFile(): { readonly door: FileDoor; text(): string } {
  const pieces: Buffer[] = [];
  return {
    door: {
      ...NODE_FILES,
      open: () => 1,
      write(_, bytes, offset) {
        pieces.push(Buffer.from(bytes.subarray(offset)));
        return bytes.length - offset;
      },
      sync() {},
      close() {},
      rename() {},
      remove() {},
    },
    text: () => Buffer.concat(pieces).toString('utf8'),
  };
}

/** The ids in the opposite order. */
function turned({ bytes, offsets }: IdTable): IdTable {
  const ids = Array.from(offsets.subarray(1), (end, i) =>
    Buffer.from(bytes.slice(offsets[i], end)).toString('latin1'),
  );
  return idTableOf(ids.reverse());
}

/** Writes the table both ways and returns the text; throws where they differ in anything. */
function written(
  t: ExecutionContext,
  format: ResultFormat,
  table: IdTable,
  rows: readonly RowBatch[],
  formatRows: RowFormatting,
): string {
  // Each batch has texts of its own; of the second they are other ones.
  const batches = rows.map((batch, i) => ({ ...batch, texts: i === 0 ? table : turned(table) }));
  const columns = tableOf(format);
  const place = { root: '', file: `table.${format}`, format };
  const plain = memoryFile();
  const fast = memoryFile();
  const reference = writeTable(place, columns, table, batches, { door: plain.door });
  const file = writeTable(place, columns, sharedTable(table), batches, { door: fast.door, formatRows });
  t.deepEqual(file, reference);
  if (fast.text() !== plain.text()) t.fail(`${fast.text()} is not ${plain.text()}`);
  return plain.text();
}

/** How the work is cut; the formatters live as long as the test, so arenas are used again and grow. */
const CUTS: readonly RowFormattingLimits[] = [
  {},
  { chunk: 3, piece: 100 },
  { idBytes: 0 },
  { idBytes: 0, chunk: 2, piece: 1 },
];

for (const format of FORMATS) {
  test(`rows of the kernel are those of RowWriter in ${format}, for any ids, numbers and cuts`, (t) => {
    const formatters = CUTS.map((limits) => createWasmRowFormatting(newMemory(), limits));
    fc.assert(
      fc.property(
        ids,
        fc.array(row, { maxLength: 30 }),
        fc.nat(CUTS.length - 1),
        fc.nat(7),
        (names, rows, cut, from) => {
          const columns = columnsOf(rows, names.length);
          const start = Math.min(from, rows.length);
          // From somewhere in the columns, in two batches.
          const middle = (start + rows.length) >>> 1;
          const batches = [...rowsOf(start, middle, columns), ...rowsOf(middle, rows.length, columns)];
          written(t, format, idTableOf(names), batches, formatters[cut]!);
        },
      ),
      { seed: 1, numRuns: 150 },
    );
  });
}

test('tables larger than every piece: many rows, many ids, ids of 200 KB, one after the other', (t) => {
  const long = `${'long '.repeat(20000)}\x00\xff${'\x01'.repeat(100000)}`;
  const names = Array.from({ length: 20000 }, (_, i) => `folder-${i % 7}/document-${i}.txt`);
  const many = Uint32Array.from({ length: 30000 }, (_, i) => (i * 7919) % names.length);
  const columnsFor = (documents: Uint32Array) =>
    [
      documents,
      new Uint16Array(documents.length).fill(4),
      new Uint8Array(documents.length),
      Float64Array.from(documents, (d) => d / 30000),
      documents.slice().reverse(),
      documents,
      documents.slice().reverse(),
    ] as const;
  const withLong = [...names.slice(0, 40), long, 'b', long];
  const few = Uint32Array.from({ length: 60 }, (_, i) => i % withLong.length);
  for (const limits of [{}, { idBytes: 0 }]) {
    const formatRows = createWasmRowFormatting(newMemory(), limits);
    for (const format of FORMATS) {
      const text = written(t, format, idTableOf(names), rowsOf(0, many.length, columnsFor(many)), formatRows);
      t.true(text.length > 2 ** 21);
      written(t, format, idTableOf(withLong), rowsOf(0, few.length, columnsFor(few)), formatRows);
    }
  }
});

test('pieces are of about 1 MB, and a table without rows has its column names only', (t) => {
  const formatRows = createWasmRowFormatting(newMemory());
  const table = idTableOf(['a']);
  const sizes: number[] = [];
  const rows = 100_000;
  const columns = columnsOf(
    Array.from({ length: rows }, () => ({ id: 0, other: 0, cell: 0, word: 0, fraction: 1, integer: 1 })),
    1,
  );
  const [batch] = rowsOf(0, rows, columns);
  const batches = [{ ...batch!, texts: table }];
  writeTable({ root: '', file: 'a.tsv', format: 'tsv' }, tableOf('tsv'), table, batches, {
    door: memoryFile().door,
    formatRows: (layout, all, batches, sink) =>
      formatRows(layout, all, batches, (piece) => {
        sizes.push(piece.length);
        sink(piece);
      }),
  });
  t.true(sizes.length >= 5);
  t.true(sizes.slice(0, -1).every((size) => size >= 2 ** 20 && size < 2 ** 20 + 200));
  const none = idTableOf([]);
  t.is(written(t, 'csv', none, [], formatRows), `${tableOf('csv').names.join(',')}\n`);
  t.is(written(t, 'jsonl', none, [], formatRows), '');
});

test('a failing sink leaves the formatter usable', (t) => {
  const formatRows = createWasmRowFormatting(newMemory(), { piece: 10 });
  const table = idTableOf(['a', 'b']);
  const one = { id: 0, other: 1, cell: 1, word: 0, fraction: 0.25, integer: 7 };
  const batches = rowsOf(0, 2, columnsOf([one, one], 2)).map((batch) => ({ ...batch, texts: table }));
  const place = { root: '', file: 'a.tsv', format: 'tsv' } as const;
  t.throws(() =>
    writeTable(place, tableOf('tsv'), table, batches, {
      door: memoryFile().door,
      formatRows: (layout, all, some) =>
        formatRows(layout, all, some, () => {
          throw new Error('no');
        }),
    }),
  );
  written(t, 'tsv', table, batches, formatRows);
});
