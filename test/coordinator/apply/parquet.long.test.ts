/** Parquet that is written again by DuckDB: the rows that stay, in their order, and what the file says of them. */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { type FileMetaData, parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { applyResult } from '../../../src/coordinator/apply/apply.js';
import { ParquetRewriting } from '../../../src/coordinator/apply/files/parquetRewriting.js';
import { FileAnnotations } from '../../../src/coordinator/apply/records/annotating.js';
import {
  EDITED,
  type Fate,
  KEPT,
  LEFT_OUT,
  type RecordFates,
} from '../../../src/coordinator/apply/records/fates.js';
import { run } from '../../../src/coordinator/run.js';
import { binaryOf, bytesOf } from '../../../src/readers/list/pathIds.js';
import { openDuckDb, sqlText } from '../../../src/store/duckdb.js';
import { deepSame } from '../../data/deepSame.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const DATA = fileURLToPath(new URL('../../../../test/data/parquet/', import.meta.url));
const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const rowsOf = (bytes: Uint8Array): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: bufferOf(bytes), compressors });

/** What stays of what the footer says. */
function factsOf({ schema, key_value_metadata, row_groups }: FileMetaData): unknown {
  return {
    fields: schema.slice(1).map(({ name, num_children, field_id }) => [name, num_children, field_id]),
    keys: key_value_metadata,
    codec: row_groups[0]?.columns[0]?.meta_data?.codec,
  };
}

/** Rows stay for which it holds. */
const fatesOf = (stays: (row: number) => boolean): RecordFates => ({
  keepsBlanks: true,
  fateOf: (row) => (stays(row) ? KEPT : LEFT_OUT),
  edited: () => null,
});

/** A file of so many rows that other threads would give them in another order. */
async function manyRows(path: string, rows: number): Promise<void> {
  const { connection, close } = await openDuckDb('test', {
    threads: 2,
    memory: 3e8,
    folder: `${path}.tmp`,
    signal: undefined,
  });
  const ids =
    'FIELD_IDS {n: 7, s: {__duckdb_field_id: 8, "a b": 9, l: {__duckdb_field_id: 10, element: 11}}, m: {key: 12, value: 13}}';
  await connection.run(
    `COPY (SELECT range AS n, {'a b': range * 2, l: [range::VARCHAR]} AS s, MAP {'k': range} AS m FROM range(${rows})) ` +
      `TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10240, ${ids}, KV_METADATA {'it''s': 'gr\u00f6\u00dfe', 'ARROW:schema': 'x'})`,
  );
  close();
}

test('kept rows keep their order and values, fields their order and ids, the file its keys and codec', async (t) => {
  const folder = temporaryFolder(t);
  const many = join(folder, "it's [1] many*.parquet");
  await manyRows(many, 25_000);
  const odd = join(folder, 'named');
  mkdirSync(odd);
  copyFileSync(join(DATA, 'snappy.parquet'), bytesOf(`${binaryOf(odd)}/\xff.parquet`));
  const sources = ['zstd', 'gzip', 'brotli', 'duckdb', 'texts2'].map((name) =>
    binaryOf(join(DATA, `${name}.parquet`)),
  );
  const rewriting = new ParquetRewriting(join(folder, 'work'), undefined);
  const to = join(folder, 'to.parquet');
  for (const path of [binaryOf(many), `${binaryOf(odd)}/\xff.parquet`, ...sources]) {
    const source = readFileSync(bytesOf(path));
    const before = await rowsOf(source);
    for (const stays of [(row: number) => row % 7 !== 3, (row: number) => row % 1000 === 5, () => false]) {
      const counts = await rewriting.rewrite(path, binaryOf(to), fatesOf(stays));
      const kept = before.filter((_, row) => stays(row + 1));
      t.deepEqual(counts, {
        records: before.length,
        written: kept.length,
        leftOut: before.length - kept.length,
      });
      const file = readFileSync(to);
      deepSame(t, await rowsOf(file), kept);
      if (kept.length > 0)
        deepSame(t, factsOf(parquetMetadata(bufferOf(file))), factsOf(parquetMetadata(bufferOf(source))));
    }
  }
  rewriting.close();
  t.false(existsSync(join(folder, 'work')));
});

test('columns are added to rows in order, and schemas of other programs without them are removed', async (t) => {
  const folder = temporaryFolder(t);
  const many = join(folder, 'many.parquet');
  const rows = 12_000;
  await manyRows(many, rows);
  const listed = (step: number, values: (row: number) => number) => {
    const numbers = Float64Array.from({ length: Math.ceil(rows / step) }, (_, i) => i * step + 1);
    return {
      starts: Uint32Array.of(0, numbers.length),
      units: new Float64Array(numbers.length),
      numbers,
      values: Float64Array.from(numbers, (number) => values(number - 1)),
    };
  };
  const annotations = new FileAnnotations(
    0,
    listed(6, (row) => row / rows),
    { numbers: listed(3, (row) => row * 2), sizes: Array.from({ length: 2 * rows + 1 }, (_, c) => c + 5) },
    { count: 0 },
  );
  const rewriting = new ParquetRewriting(join(folder, 'work'), undefined);
  const to = join(folder, 'to.parquet');
  const fates = { ...fatesOf(() => true), fateOf: (): Fate => EDITED, annotations };
  await rewriting.rewrite(binaryOf(many), binaryOf(to), fates);
  rewriting.close();
  t.is(annotations.dropped, rows / 6);
  const file = readFileSync(to);
  const [before, after] = [await rowsOf(readFileSync(many)), await rowsOf(file)];
  const added = before.map((row, i) => ({
    ...row,
    cluster: BigInt(i % 3 === 0 ? i * 2 : 2 * rows + i - Math.floor(i / 3)),
    cluster_size: BigInt(i % 3 === 0 ? i * 2 + 5 : 1),
    kept: i % 6 !== 0,
    similarity: i % 6 === 0 ? i / rows : 1,
  }));
  const digest = (some: unknown): string =>
    createHash('md5')
      .update(JSON.stringify(some, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
      .digest('hex');
  t.is(digest(after), digest(added));
  t.deepEqual(parquetMetadata(bufferOf(file)).key_value_metadata, [{ key: "it's", value: 'größe' }]);
});

test('a file that DuckDB cannot read is reported, and an abort ends the rewrite', async (t) => {
  const folder = temporaryFolder(t);
  const to = binaryOf(join(folder, 'to.parquet'));
  const damaged = join(folder, 'damaged.parquet');
  writeFileSync(damaged, readFileSync(join(DATA, 'zstd.parquet')).fill(0, 100, 400));
  const rewriting = new ParquetRewriting(join(folder, 'work'), undefined);
  const fates = fatesOf((row) => row > 3);
  await t.throwsAsync(rewriting.rewrite(binaryOf(damaged), to, fates), {
    code: 'INPUT_LOST',
    message: /damaged\.parquet: DuckDB: /,
  });
  rewriting.close();
  const stopped = new ParquetRewriting(join(folder, 'work'), AbortSignal.abort());
  await t.throwsAsync(stopped.rewrite(binaryOf(join(DATA, 'zstd.parquet')), to, fates), {
    code: 'INTERRUPTED',
  });
  stopped.close();
});

test('apply writes Parquet without dropped rows; columns that DuckDB would change are rejected by name', async (t) => {
  const folder = temporaryFolder(t);
  const texts = ['one text of five words', 'one text of five words', 'another that has other words'];
  const [inputs, out] = [join(folder, 'in'), join(folder, 'out')];
  mkdirSync(inputs);
  const write = (name: string): void => {
    const columnData = [
      { name: 'text', data: texts, type: 'STRING' as const },
      { name, data: [1, 2, 3], type: 'INT32' as const },
    ];
    writeFileSync(join(inputs, 'a.parquet'), Buffer.from(parquetWriteBuffer({ columnData })));
  };
  write('n');
  await run({ paths: [inputs], out, threads: 0 });
  const report = await applyResult(out, { to: join(folder, 'to') });
  t.deepEqual([report!.documents.dropped, report!.records.left_out], [1, 1]);
  deepSame(
    t,
    (await rowsOf(readFileSync(join(folder, 'to/a.parquet')))).map(({ text, n }) => [text, n]),
    [
      [texts[0], 1],
      [texts[2], 3],
    ],
  );
  for (const [name, said] of [
    ['Text', /a\.parquet: DuckDB, which writes Parquet, cannot distinguish its columns text and Text/],
    ['file_row_number', /a\.parquet: it has a column file_row_number/],
  ] as const) {
    write(name);
    await run({ paths: [inputs], out, threads: 0, force: true });
    await t.throwsAsync(applyResult(out, { to: join(folder, name) }), {
      code: 'APPLY_REFUSED',
      message: said,
    });
    t.false(existsSync(join(folder, name)));
  }
  renameSync(inputs, join(folder, 'gone'));
});
