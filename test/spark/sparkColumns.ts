/**
 * Rows of Parquet files by Spark's own reader: their numbers and the bytes of their values are those of worker threads, for all
 * kinds of columns, and whatever splits they are read in.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { DocumentSink } from '../../src/blocks/documents.js';
import { readBuffers } from '../../src/readers/documentSink.js';
import { binaryOf } from '../../src/readers/list/pathIds.js';
import { putRow, ROW_LENGTH, readRows } from '../../src/tasks/stream/columnValues.js';
import type { SealedManifest } from '../../src/tasks/stream/taskManifest.js';
import { inputFile } from '../data/temporaryFolder.js';
import { listOf, readSource } from '../readers/list/fileTables.js';
import { RecordingSink, readParams } from '../readers/recordingSink.js';
import { filesOf } from '../tasks/manifestTables.js';
import { SPLIT, SparkAdapter, type SparkPlace, writeBundle } from './sparkAdapter.js';

const OPTIONAL = { repetition_type: 'OPTIONAL' } as const;
const UTF8 = { type: 'BYTE_ARRAY', converted_type: 'UTF8', ...OPTIONAL } as const;
const SCHEMA: SchemaElement[] = [
  { name: 'schema', num_children: 10 },
  { name: 'id', ...UTF8 },
  { name: 'num', type: 'INT64', ...OPTIONAL },
  { name: 'small', type: 'INT32', ...OPTIONAL },
  { name: 'flag', type: 'BOOLEAN', ...OPTIONAL },
  { name: 'ratio', type: 'DOUBLE', ...OPTIONAL },
  { name: 'text', ...UTF8 },
  { name: 'meta', num_children: 1, ...OPTIONAL },
  { name: 'title', ...UTF8 },
  { name: 'parts', num_children: 1, converted_type: 'LIST', ...OPTIONAL },
  { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
  { name: 'element', ...UTF8 },
  { name: 'größe x.y', ...UTF8 },
  // As older writers have texts.
  { name: 'raw', type: 'BYTE_ARRAY', ...OPTIONAL },
];

/** A file of columns of all kinds around these texts; ids are missing, empty and repeated. */
export function columnsFile(
  texts: readonly (string | Uint8Array | null)[],
  rowGroupSize: number,
): Uint8Array {
  const columns: Readonly<Record<string, (i: number) => unknown>> = {
    id: (i) => (i % 3 === 0 ? null : i % 50 === 7 ? '' : `c${i % 250}`),
    num: (i) => (i % 11 === 4 ? null : BigInt(i % 90) * 10n ** 16n - 5n),
    small: (i) => (i % 7 === 4 ? null : i - 300),
    flag: (i) => (i % 5 === 4 ? null : i % 2 === 0),
    ratio: (i) => i / 3,
    text: (i) => texts[i],
    meta: (i) => (i % 13 === 2 ? null : { title: i % 7 < 3 ? null : i % 19 === 3 ? '' : `title ${i % 40}` }),
    parts: (i) => [null, [], [null], [null, ''], ['', `part ${i % 8}`, null, 'größe']][i % 5],
    'größe x.y': (i) => (i % 5 === 0 ? null : `question ${i % 99}`),
    raw: (i) => (i % 6 === 0 ? null : Buffer.of(0xff, 0x61 + (i % 20), 0x20, i % 256)),
  };
  const columnData = Object.entries(columns).map(([name, at]) => ({
    name,
    data: texts.map((_, i) => at(i)),
  }));
  return new Uint8Array(parquetWriteBuffer({ schema: SCHEMA, columnData, rowGroupSize, pageSize: 4000 }));
}

const BROKEN = Buffer.from('no UTF-8: \xff and \xc3(', 'latin1');
/** Columns of texts and of ids. */
const WISHES = [
  ['text', 'id'],
  ['meta.title,text', 'num'],
  ['parts', 'small'],
  ['größe x.y, parts', 'flag'],
  ['raw', 'raw'],
  ['Text,text', 'ID'],
] as const;

/** What a sink was given, a line a row. */
function linesOf(file: string, { documents, skips }: RecordingSink, from = 0): string[] {
  const line = (record: number, id: string | null, text: string): string =>
    JSON.stringify([file, from + record, id, text]);
  return [
    ...documents.map(({ record, id, text }) => line(record, id, `text ${text}`)),
    ...skips.map(({ record, id, code }) => line(record, id, code)),
  ];
}

export async function testSparkColumns(place: SparkPlace): Promise<void> {
  const { folder, checks } = place;
  const corpus = join(folder, 'columns');
  mkdirSync(corpus);
  writeBundle(folder);
  let state = 3;
  const word = (): string => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state.toString(36);
  };
  const textAt = (i: number): string | Uint8Array | null =>
    i % 17 === 5
      ? null
      : i % 29 === 3
        ? BROKEN
        : i % 53 === 0
          ? ''
          : Array.from({ length: 300 }, word).join(' ');
  const texts = Array.from({ length: 1500 }, (_, i) => textAt(i));
  writeFileSync(join(corpus, 'a.parquet'), columnsFile(texts, 200));
  writeFileSync(join(corpus, 'b ü%41.pq'), columnsFile(texts.slice(0, 150), 64));
  const files = ['a.parquet', 'b ü%41.pq'].map((name) => {
    const path = join(corpus, name);
    return { uri: path, id: Buffer.from(name).toString('latin1'), bytes: statSync(path).size };
  });
  checks.same('a file is read in several splits', files[0]!.bytes > 2 * SPLIT, true);
  const test = new SparkAdapter(place, filesOf(files));
  const rowsOf = async (textField: string, idField: string): Promise<readonly string[]> => {
    const name = `0${50 + WISHES.findIndex(([field]) => field === textField)}-sketch`;
    const job = test.job(name, []);
    const params = { ...readParams({ textField, idField }) } as object;
    await test.engine.run({ ...job, manifest: { ...job.manifest, params } as SealedManifest });
    return (await test.records(name)).flatMap((record) => {
      const [file, row, base64] = JSON.parse(record.slice(27)) as [string, number, string];
      const bytes = Buffer.from(base64, 'base64');
      const block = new Uint8Array(bytes.length + ROW_LENGTH);
      putRow(bytes, block, 0);
      const sink = new RecordingSink();
      readRows(block, 0, readParams(), sink as object as DocumentSink);
      return linesOf(file, sink, row);
    });
  };
  try {
    for (const [textField, idField] of WISHES) {
      const expected = files.flatMap(({ uri }) => {
        const sink = new RecordingSink();
        const list = listOf([inputFile(binaryOf(uri))]);
        readSource({ kind: 'files', list }, readParams({ textField, idField }), sink, readBuffers());
        return linesOf(uri, sink);
      });
      const found = [...(await rowsOf(textField, idField))].sort();
      checks.same(`rows of ${textField} with ${idField} are those of worker threads`, found, expected.sort());
    }
    const refused = await test.faultOf(rowsOf('ratio', 'id'));
    checks.matches(
      'numbers are no texts',
      refused,
      /^ENGINE_UNUSABLE: .*the column ratio of --text-field is double/,
    );
  } finally {
    await test.engine.close();
  }
}
