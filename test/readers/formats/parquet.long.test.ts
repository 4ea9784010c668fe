/** Parquet files of several writers give their rows; damaged ones are named, and lose nothing in silence. */
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { fieldsOf, firstRecordsOf, textIn } from '../../../src/readers/firstRecords.js';
import { parquetCuts } from '../../../src/readers/formats/parquet.js';
import { elementSplits } from '../../../src/readers/split.js';
import { EVERY_BYTE } from '../../data/everyByte.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { listOf, readSource } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const DATA = fileURLToPath(new URL('../../../../test/data/parquet/', import.meta.url));
/** pyarrow 26 wrote them in row groups of 16 rows, with dictionaries and without, pages of both versions; DuckDB 1.5 the last. */
const FIXTURES = ['snappy', 'zstd', 'gzip', 'brotli', 'lz4', 'delta', 'duckdb'];
const ROWS = 40;

const utf8 = (binary: string | null): string | null =>
  binary === null ? null : Buffer.from(binary, 'latin1').toString('utf8');
const textAt = (i: number): string | null =>
  i % 10 === 9 ? null : `text ${i} of forty, größe ${(i * 7) % 13} ${'and more '.repeat(i % 4)}`;
const titleAt = (i: number): string | null => (i % 8 === 3 ? null : `title ${i % 5}`);
const partsAt = (i: number): string | null => {
  const parts = i % 6 === 5 ? [] : [0, 2].filter((k) => k < i % 4).map((k) => `part ${i} ${k}`);
  return parts.length === 0 ? null : parts.join('\n');
};
const both = (i: number): string | null => {
  const texts = [titleAt(i), textAt(i)].filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join('\n');
};

function read(path: string, params: ReadParams = readParams()): RecordingSink {
  const sink = new RecordingSink();
  readSource({ kind: 'files', list: listOf([inputFile(path)]) }, params, sink, readBuffers());
  return sink;
}

/** Row by row what a sink got: id and text, or the code. */
function rowsIn({ documents, skips }: RecordingSink): (readonly [number, string])[] {
  const rows = [
    ...documents.map(({ record, id, text }) => [record, `${utf8(id)}: ${utf8(text)}`] as const),
    ...skips.map(({ record, code, id }) => [record, `${utf8(id)} ${code}`] as const),
  ];
  return rows.sort(([a], [b]) => a - b);
}

test('rows of every codec, encoding and version of pages, with fields in structs and lists', (t) => {
  const fields: readonly [string, string, (i: number) => string | null, (i: number) => string][] = [
    ['text', 'id', textAt, (i) => `d${i}`],
    ['meta.title,text', 'num', both, (i) => String(10n ** 16n * BigInt(i - 3))],
    ['parts', 'none', partsAt, () => 'null'],
  ];
  for (const name of FIXTURES) {
    for (const [textField, idField, expected, id] of fields) {
      const sink = read(join(DATA, `${name}.parquet`), readParams({ textField, idField }));
      const rows = Array.from({ length: ROWS }, (_, i) => {
        const text = expected(i);
        return [i, text === null ? `${id(i)} JSON_NO_TEXT` : `${id(i)}: ${text}`] as const;
      });
      t.deepEqual(rowsIn(sink), rows, `${name} ${textField}`);
    }
  }
});

/** Texts of very different lengths in pages of a few KB, two row groups and a part of one. */
function longer(t: ExecutionContext): string {
  const path = join(temporaryFolder(t), 'longer.parquet');
  const texts = Array.from({ length: 1100 }, (_, i) => (i % 9 === 4 ? null : `${i} `.repeat(1 + (i % 60))));
  const columnData = [
    { name: 'text', data: texts, type: 'STRING' as const },
    { name: 'id', data: texts.map((_, i) => i), type: 'INT32' as const },
  ];
  writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 500, pageSize: 3000 })));
  return path;
}

test('splits of any size give what the whole file gives, and the file is another where it changed', (t) => {
  for (const path of [
    longer(t),
    ...['snappy', 'zstd', 'delta'].map((name) => join(DATA, `${name}.parquet`)),
  ]) {
    for (const textField of path.startsWith(DATA) ? ['text', 'parts'] : ['text']) {
      const params = readParams({ textField });
      const whole = rowsIn(read(path, params));
      for (const step of [200, 2000, 20_000, 1e9]) {
        const file = inputFile(path);
        const buffers = readBuffers();
        const cuts = parquetCuts({ file, index: 0, step }, params, buffers);
        const sink = new RecordingSink();
        const splits = [...elementSplits({ file, index: 0, step }, cuts)];
        for (const split of splits) readSource(split, params, sink, buffers);
        t.deepEqual(rowsIn(sink), whole, `${path} ${textField} ${step}`);
        if (step === 200) t.true(splits.length > 1, path);
        const [other] = elementSplits({ file, index: 0, step: 2 * step }, cuts);
        const changed = new RecordingSink();
        readSource({ ...other!, count: other!.count + ROWS * 100 }, params, changed, buffers);
        t.deepEqual(changed.codes, [`${other!.first} CHANGED`]);
      }
    }
  }
});

test('a file that is damaged or cut off anywhere is named, and no row is lost in silence', (t) => {
  const path = join(temporaryFolder(t), 'damaged.parquet');
  let time = 0;
  for (const name of ['snappy', 'zstd', 'delta', 'lz4']) {
    const sound = readFileSync(join(DATA, `${name}.parquet`));
    const params = [readParams(), readParams({ textField: 'parts', idField: 'num' })];
    const look = (bytes: Uint8Array, what: string, wishes = params): void => {
      writeFileSync(path, bytes);
      // The footer is kept for a file that did not change, and clocks are coarse.
      utimesSync(path, ++time, time);
      for (const param of wishes) {
        const sink = read(path, param);
        const named = sink.skips.filter(({ code }) => code !== 'JSON_NO_TEXT');
        const count = sink.documents.length + sink.skips.length;
        if (named.length === 0 && count !== ROWS) t.fail(`${name} ${what}: ${count} rows`);
      }
    };
    // Of every other one the end is gone in the same way.
    for (let at = 0; name === 'snappy' && at < sound.length; at++) {
      // Without its end a file is the same problem wherever it was cut.
      const isLooked = EVERY_BYTE || at < 6 || sound.length - at <= 12 || at % 97 === 0;
      if (isLooked) look(sound.subarray(0, at), `cut at ${at}`, [readParams()]);
    }
    for (let i = 0, seed = 7; i < (EVERY_BYTE ? 400 : 24); i++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      const bytes = Buffer.from(sound);
      bytes[seed % bytes.length]! ^= 1 << (i % 8);
      look(bytes, `bit ${i % 8} of ${seed % bytes.length}`);
    }
  }
  t.pass();
});

test('a column that is not a text, is encrypted, has an unknown codec or is compressed as a whole has a code', (t) => {
  const folder = temporaryFolder(t);
  const snappy = join(DATA, 'snappy.parquet');
  t.deepEqual(read(snappy, readParams({ textField: 'num' })).codes, ['-1 PARQUET_NOT_TEXT']);
  t.deepEqual(read(snappy, readParams({ textField: 'meta' })).codes, ['-1 PARQUET_NOT_TEXT']);
  t.deepEqual(read(snappy, readParams({ textField: 'body' })).codes, ['-1 PARQUET_NO_COLUMN']);
  t.true(read(snappy, readParams({ idField: 'parts' })).documents.every(({ id }) => id === null));
  const encrypted = readFileSync(snappy);
  encrypted.write('PARE', encrypted.length - 4);
  const files = {
    'encrypted.parquet': encrypted,
    'compressed.parquet.gz': gzipSync(readFileSync(snappy)),
    'plain.parquet.gz': readFileSync(snappy),
    'empty.pq': Buffer.alloc(0),
    'codec.pq': Buffer.from(
      parquetWriteBuffer({
        columnData: [{ name: 'text', data: ['a', 'b'] }],
        codec: 'LZO',
        compressors: { LZO: (bytes) => bytes },
      }),
    ),
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  t.deepEqual(read(join(folder, 'encrypted.parquet')).codes, ['-1 PARQUET_ENCRYPTED']);
  t.deepEqual(read(join(folder, 'compressed.parquet.gz')).codes, ['-1 PARQUET_PACKED']);
  // As data frames are often named: the pages are compressed, the file is not.
  t.is(read(join(folder, 'plain.parquet.gz')).documents.length, read(snappy).documents.length);
  t.deepEqual(read(join(folder, 'empty.pq')).codes, ['-1 PARQUET_FOOTER']);
  t.deepEqual(read(join(folder, 'codec.pq')).codes, ['0 PARQUET_CODEC']);
  t.deepEqual(
    read(snappy, readParams({ maxDocument: 40 })).codes.filter((code) => /TOO/.test(code)).length,
    18,
  );
});

test('the columns of a file are told without reading its rows', (t) => {
  const [row] = firstRecordsOf(inputFile(join(DATA, 'snappy.parquet')), readParams())!;
  t.deepEqual(fieldsOf([row!]), { fields: ['text', 'parts', 'id', 'meta.title', 'num'], longest: 'text' });
  t.deepEqual(
    ['text', 'body', 'num'].map((name) => textIn([row!], name)),
    ['text', 'none', 'other'],
  );
});
