/** Parquet files that are written again: what stays is what it was, for any rows that go, read by a reader of others. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import * as fc from 'fast-check';
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { CompactReader } from '../../../../src/coordinator/apply/parquet/compactThrift.js';
import {
  type RewriteOptions,
  rewriteParquet,
} from '../../../../src/coordinator/apply/parquet/rewriteParquet.js';
import { MinHashError } from '../../../../src/errors.js';
import { unpackedPage } from '../../../../src/readers/formats/parquet/pageCodecs.js';
import { ThriftReader } from '../../../../src/readers/formats/parquet/thrift.js';
import { deepSame } from '../../../data/deepSame.js';
import { temporaryFolder } from '../../../data/temporaryFolder.js';

const DATA = fileURLToPath(new URL('../../../../../test/data/parquet/', import.meta.url));
/**
 * pyarrow 26 wrote the last two: every type, with dictionaries, page indexes and checksums; then every encoding, in pages of
 * version 2. It wrote those of texts, too, which are not packed: many row groups with page indexes and checksums; then one of
 * pages of version 2, dictionaries of which are given up when they are large.
 */
const TEXTS = ['texts', 'texts2'];
const FIXTURES = [
  ...TEXTS,
  'snappy',
  'zstd',
  'gzip',
  'brotli',
  'lz4',
  'delta',
  'duckdb',
  'everything',
  'encodings',
];

const NUMBERS = { SNAPPY: 1, GZIP: 2, BROTLI: 4, LZ4: 5, ZSTD: 6, LZ4_RAW: 7 };
const compressors = Object.fromEntries(
  Object.entries(NUMBERS).map(([name, codec]) => [
    name,
    (bytes: Uint8Array, size: number) => unpackedPage(codec, bytes, size),
  ]),
);

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const rowsOf = (bytes: Uint8Array): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: bufferOf(bytes), compressors });

/** All that the footer says beside places, sizes and statistics. */
function factsOf({ schema, key_value_metadata, created_by, version, ...rest }: FileMetaData): unknown {
  const groups = rest.row_groups.map(({ columns, sorting_columns }) => ({
    sorting_columns,
    columns: columns.map(({ meta_data }) => [meta_data!.path_in_schema, meta_data!.type, meta_data!.codec]),
  }));
  return { schema, key_value_metadata, created_by, version, group: groups[0] };
}

/** Rewrites a file and gives it back; every row is asked for once, in order. */
async function rewritten(from: string, to: string, options: RewriteOptions): Promise<Buffer> {
  let next = 0;
  const keeps = (row: number): boolean => {
    if (row !== next++) throw new Error(`row ${row} is asked for out of order`);
    return options.keeps(row);
  };
  const { rows, written, bytes } = await rewriteParquet(from, to, { ...options, keeps });
  const file = readFileSync(to);
  const told = parquetMetadata(bufferOf(file));
  if (next !== rows || Number(told.num_rows) !== written || bytes !== file.length)
    throw new Error('counts differ');
  return file;
}

const masks = (rows: number): fc.Arbitrary<boolean[]> =>
  fc.oneof(
    fc.array(fc.boolean(), { minLength: rows, maxLength: rows }),
    fc.nat(rows).map((one) => Array.from({ length: rows }, (_, i) => i !== one)),
    fc
      .tuple(fc.nat(rows), fc.nat(rows))
      .map(([from, to]) => Array.from({ length: rows }, (_, i) => i >= from && i < to)),
  );

test('whatever rows go, the others are what they were, and so is the schema', async (t) => {
  const folder = temporaryFolder(t);
  const to = join(folder, 'out.parquet');
  for (const name of FIXTURES) {
    const from = join(DATA, `${name}.parquet`);
    const source = readFileSync(from);
    const before = await rowsOf(source);
    const facts = factsOf(parquetMetadata(bufferOf(source)));
    const isKept = fc.asyncProperty(masks(before.length), async (mask) => {
      const file = await rewritten(from, to, { keeps: (row) => mask[row]! });
      deepSame(
        t,
        await rowsOf(file),
        before.filter((_, i) => mask[i]),
      );
      if (mask.includes(true)) deepSame(t, factsOf(parquetMetadata(bufferOf(file))), facts);
    });
    await fc.assert(isKept, { seed: 17, numRuns: 8 });
  }
});

/** The words of texts, each between < and >. */
const wordsIn = (text: string): string[] => [...new Set(text.match(/<\d{5}>/g))].sort();

test('words that no row has any more are nowhere in the file', async (t) => {
  const to = join(temporaryFolder(t), 'out.parquet');
  for (const name of TEXTS) {
    const from = join(DATA, `${name}.parquet`);
    const before = await rowsOf(readFileSync(from));
    const nulls = before.map(({ text, list }) => text === null || list === null);
    const areGone = fc.asyncProperty(fc.oneof(masks(before.length), fc.constant(nulls)), async (mask) => {
      const file = await rewritten(from, to, { keeps: (row) => mask[row]! });
      const kept = before.filter((_, i) => mask[i]);
      deepSame(t, wordsIn(file.toString('latin1')), wordsIn(JSON.stringify(kept)));
      deepSame(t, await rowsOf(file), kept);
    });
    await fc.assert(areGone, { seed: 29, numRuns: 16 });
  }
  // Of a column of nulls alone, no dictionary is left.
  const before = await rowsOf(readFileSync(join(DATA, 'texts2.parquet')));
  const keeps = (row: number): boolean => before[row]!.text === null;
  const [group] = parquetMetadata(
    bufferOf(await rewritten(join(DATA, 'texts2.parquet'), to, { keeps })),
  ).row_groups;
  t.is(group!.columns[0]!.meta_data!.dictionary_page_offset, undefined);
  t.true(group!.columns[0]!.meta_data!.encodings.includes('PLAIN'));
});

test('where no row goes the file is a copy, and a row group of which none goes is copied as it is', async (t) => {
  const to = join(temporaryFolder(t), 'out.parquet');
  const from = join(DATA, 'everything.parquet');
  const source = readFileSync(from);
  deepSame(t, await rewritten(from, to, { keeps: () => true }), source);
  const file = await rewritten(from, to, { keeps: (row) => row >= 50 && row !== 110 });
  const [, second] = parquetMetadata(bufferOf(source)).row_groups;
  const [first] = parquetMetadata(bufferOf(file)).row_groups;
  const chunksIn = (bytes: Buffer, group: typeof second): Buffer[] =>
    group!.columns.map(({ meta_data: facts }) => {
      const at = Number(facts!.dictionary_page_offset ?? facts!.data_page_offset);
      return bytes.subarray(at, at + Number(facts!.total_compressed_size));
    });
  deepSame(t, chunksIn(file, first), chunksIn(source, second));
  const none = await rewritten(from, to, { keeps: () => false });
  deepSame(t, parquetMetadata(bufferOf(none)).row_groups, []);
});

test('page indexes say where pages are and which rows begin them', async (t) => {
  const to = join(temporaryFolder(t), 'out.parquet');
  const keeps = (row: number): boolean => row >= 100 || row % 17 < 9;
  const file = await rewritten(join(DATA, 'everything.parquet'), to, { keeps });
  let pages = 0;
  let bounded = 0;
  for (const group of parquetMetadata(bufferOf(file)).row_groups) {
    for (const chunk of group.columns) {
      const index = new ThriftReader(file, Number(chunk.offset_index_offset)).struct();
      // Types without an order have none.
      const isBound = chunk.column_index_offset !== undefined;
      if (isBound) bounded++;
      const bounds = new CompactReader(file, Number(chunk.column_index_offset ?? 0)).struct();
      for (const field of isBound ? [1, 2, 3] : [])
        t.is(bounds.list(field).values.length, index.structs(1).length);
      let rows = 0;
      for (const place of index.structs(1)) {
        const reader = new ThriftReader(file, place.count(1));
        const header = reader.struct();
        t.is(header.number(1), 0);
        t.is(reader.at - place.count(1) + header.count(3), place.count(2));
        if (chunk.meta_data!.path_in_schema.length === 1) {
          t.is(place.count(3), rows);
          rows += header.struct(5)!.count(1);
        }
        pages++;
      }
      if (rows > 0) t.is(rows, Number(group.num_rows));
    }
  }
  t.true(pages > 100 && bounded > 40);
});

test('statistics are those of the rows that stay, or none', async (t) => {
  const folder = temporaryFolder(t);
  const [from, to] = [join(folder, 'in.parquet'), join(folder, 'out.parquet')];
  const data = Array.from({ length: 300 }, (_, i) => (i % 7 === 0 ? null : i));
  const columnData = [{ name: 'n', data, type: 'INT32' as const }];
  writeFileSync(from, Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 100, pageSize: 100 })));
  const file = await rewritten(from, to, { keeps: (row) => row > 150 });
  const groups = parquetMetadata(bufferOf(file)).row_groups;
  const found = groups.map(({ columns: [column] }) => column!.meta_data!.statistics);
  deepSame(
    t,
    found.map((one) => [one?.min_value, one?.max_value, Number(one?.null_count)]),
    [
      [undefined, undefined, data.slice(151, 200).filter((value) => value === null).length],
      [undefined, undefined, data.slice(200).filter((value) => value === null).length],
    ],
  );
});

const added = (row: number): readonly [number | bigint | null, boolean, number | null] => [
  row % 5 === 0 ? null : row % 2 === 0 ? -row * 2 ** 33 : BigInt(row) - 2n ** 60n,
  row % 3 === 0,
  row % 4 === 0 ? null : row / 7,
];

test('columns are added, to all rows or to some', async (t) => {
  const to = join(temporaryFolder(t), 'out.parquet');
  const columns: NonNullable<RewriteOptions['columns']> = [
    { name: 'cluster', type: 'int64', valueOf: (row) => added(row)[0] },
    { name: 'kept', type: 'boolean', valueOf: (row) => added(row)[1] },
    { name: 'similarity', type: 'double', valueOf: (row) => added(row)[2] },
  ];
  for (const name of ['zstd', 'duckdb', 'everything']) {
    const from = join(DATA, `${name}.parquet`);
    const before = await rowsOf(readFileSync(from));
    for (const keeps of [() => true, (row: number) => row % 9 !== 4, () => false]) {
      const rows = before.flatMap((row, i) => {
        const [cluster, kept, similarity] = added(i);
        return keeps(i)
          ? [{ ...row, cluster: cluster === null ? null : BigInt(cluster), kept, similarity }]
          : [];
      });
      const file = await rewritten(from, to, { keeps, columns });
      deepSame(t, await rowsOf(file), rows);
      const keys = parquetMetadata(bufferOf(file)).key_value_metadata ?? [];
      const arrow = keys.find(({ key }) => key === 'ARROW:schema')?.value ?? '';
      if (name === 'everything')
        t.regex(Buffer.from(arrow, 'base64').toString('latin1'), /cluster.*kept.*similarity/s);
    }
  }
  // The schema of Arrow can be extended once more: it is read as it was written.
  const again = join(temporaryFolder(t), 'again.parquet');
  const more = columns.map((column) => ({ ...column, name: `${column.name} 2` }));
  await rewritten(join(DATA, 'everything.parquet'), to, { keeps: () => true, columns });
  const keys = parquetMetadata(bufferOf(await rewritten(to, again, { keeps: () => true, columns: more })));
  t.regex(
    Buffer.from(
      keys.key_value_metadata!.find(({ key }) => key === 'ARROW:schema')!.value!,
      'base64',
    ).toString('latin1'),
    /kept 2.*cluster.*similarity/s,
  );
  await t.throwsAsync(rewriteParquet(to, again, { keeps: () => true, columns }), { code: 'OPTION_INVALID' });
});

test('a damaged file is named, whatever is damaged', async (t) => {
  const folder = temporaryFolder(t);
  const [from, to] = [join(folder, 'in.parquet'), join(folder, 'out.parquet')];
  const codes = new Set<string>();
  let seed = 7;
  for (const name of ['everything', 'encodings', 'lz4', 'delta']) {
    const sound = readFileSync(join(DATA, `${name}.parquet`));
    for (let i = 0; i < 40; i++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      const bytes = Buffer.from(sound);
      bytes[seed % bytes.length]! ^= 1 << (i % 8);
      writeFileSync(from, i % 10 === 9 ? bytes.subarray(0, seed % bytes.length) : bytes);
      try {
        await rewriteParquet(from, to, { keeps: (row) => row % 3 !== 1 });
        codes.add('none');
      } catch (error) {
        if (!(error instanceof MinHashError)) throw error;
        t.true(error.message.includes(from));
        codes.add(error.code);
      }
    }
  }
  for (const code of ['none', 'PARQUET_FOOTER', 'PARQUET_BROKEN']) t.true(codes.has(code), code);
});

test('an abort ends it', async (t) => {
  const to = join(temporaryFolder(t), 'out.parquet');
  const aborting = new AbortController();
  const keeps = (row: number): boolean => {
    if (row === 60) aborting.abort();
    return row % 2 === 0;
  };
  const rewriting = rewriteParquet(join(DATA, 'everything.parquet'), to, { keeps, signal: aborting.signal });
  await t.throwsAsync(rewriting, { code: 'INTERRUPTED' });
});
