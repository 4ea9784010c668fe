/** Rows of columns go through tasks as they are, whatever their bytes and wherever splits are cut; others are errors. */
import test from 'ava';
import fc from 'fast-check';
import type { DocumentSink } from '../../src/blocks/documents.js';
import { MOST_ID_BYTES } from '../../src/readers/documentSink.js';
import { putRow, ROW_LENGTH, readRows } from '../../src/tasks/stream/columnValues.js';
import { RecordingSink, readParams } from '../readers/recordingSink.js';
import { valuesRow } from './valuesRow.js';

function blockOf(rows: readonly Uint8Array[]): Uint8Array {
  const block = new Uint8Array(rows.reduce((sum, row) => sum + row.length + ROW_LENGTH, 0));
  let at = 0;
  for (const row of rows) at = putRow(row, block, at);
  return block;
}

function read(rows: readonly Uint8Array[], maxDocument = 1 << 30): RecordingSink {
  const sink = new RecordingSink();
  const count = readRows(blockOf(rows), 3, readParams({ maxDocument }), sink as object as DocumentSink);
  if (count !== rows.length) throw new Error(`${count} of ${rows.length} rows`);
  return sink;
}

test('texts and ids of rows are the bytes that they were', (t) => {
  const bytes = fc.uint8Array({ maxLength: 20 });
  const rows = fc.array(fc.tuple(fc.option(bytes), fc.option(bytes)), { maxLength: 8 });
  const latin = (of: Uint8Array): string => Buffer.from(of).toString('latin1');
  const property = fc.property(rows, (all) => {
    const { documents, skips } = read(all.map(([text, id]) => valuesRow(text, id)));
    const idOf = (id: Uint8Array | null): string | null =>
      id === null || id.length === 0 ? null : latin(id);
    const found = [...documents, ...skips.map((skip) => ({ ...skip, text: skip.code }))];
    found.sort((one, other) => one.record - other.record);
    t.deepEqual(
      found.map(({ file, record, id, text }) => [file, record, id, text]),
      all.map(([text, id], i) => [3, i, idOf(id), text === null ? 'JSON_NO_TEXT' : latin(text)]),
    );
  });
  fc.assert(property, { seed: 18, numRuns: 60 });
});

test('what is too long is skipped, and what is no row is an error', (t) => {
  const long = 'x'.repeat(MOST_ID_BYTES);
  const rows = [
    valuesRow('a', `${long}x`),
    valuesRow('ab', 'n'),
    valuesRow(null, `${long}x`),
    valuesRow('', long),
  ];
  const { documents, skips } = read(rows, 1);
  t.deepEqual(
    skips.map(({ record, code, id }) => [record, code, id]),
    [
      [0, 'JSON_BAD_ID', null],
      [1, 'TOO_LARGE', 'n'],
      [2, 'JSON_NO_TEXT', null],
    ],
  );
  t.deepEqual(documents, [{ file: 3, record: 3, id: long, text: '', repaired: false }]);
  for (const text of ['', '1', '200000000', '10000000x', '10000000a', '100000001', '00000000'])
    t.throws(() => read([Buffer.from(text)]), {
      message: /row 0 of a block has \d+ bytes that are no values/,
    });
});
