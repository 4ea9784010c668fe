/** What records have in fields that are asked for, and that asking for them changes nothing else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { type FieldValues, MISSING, NUMBER } from '../../../src/blocks/fieldValues.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { streamChunks } from '../../../src/readers/bytes/chunks.js';
import { type ReadBuffers, type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { FormatReading } from '../../../src/readers/formats/reading.js';
import { formatNamed } from '../../../src/readers/list/formats.js';
import { planPieces } from '../../../src/readers/pieces.js';
import { readChunk, readSplit } from '../../../src/readers/reader.js';
import { chunkSplit, elementSplits, linesBlock } from '../../../src/readers/split.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { listOf, readSource, tableOf } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const plain = readBuffers(64 << 10);
const fast = readBuffers(64 << 10, createWasmKernel(kernelModule));

type Value = number | string | null;

/** Keeps the values that documents were given with; null: none were. */
class FieldSink extends RecordingSink {
  readonly values: (readonly Value[] | null)[] = [];
  #given: readonly Value[] | null = null;

  fields(values: FieldValues): void {
    this.#given = Array.from(values.kinds, (kind, i) => {
      if (kind === MISSING) return null;
      if (kind === NUMBER) return values.numbers[i]!;
      return Buffer.from(values.bytes[i]!.subarray(values.starts[i], values.ends[i])).toString();
    });
  }

  override begin(file: number, record: number, id: Uint8Array | null): boolean {
    this.values.push(this.#given);
    this.#given = null;
    return super.begin(file, record, id);
  }

  override skip(...skipped: Parameters<RecordingSink['skip']>): void {
    // A document that was begun is void.
    this.values.length = this.documents.length;
    this.#given = null;
    super.skip(...skipped);
  }
}

function lines(text: string | Uint8Array, params: ReadParams, buffers: ReadBuffers = fast): FieldSink {
  const sink = new FieldSink();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  readSource({ kind: 'chunk', index: 0, firstLine: 0, bytes }, params, sink, buffers);
  return sink;
}

test('numbers, booleans and texts of JSON are values; everything else is missing', (t) => {
  const values = [
    ['12', 12],
    ['-0', 0],
    ['-1.5e3', -1500],
    ['12345678901234567890', 1.2345678901234567e19],
    ['true', 1],
    ['false', 0],
    ['"12"', '12'],
    ['"a\\u00e9\\n"', 'aé\n'],
    ['""', null],
    ['null', null],
    ['{"a":1}', null],
    ['[1]', null],
  ] as const;
  const text = values.map(([json]) => `{"text":"t","n":${json}}`).join('\n');
  for (const buffers of [plain, fast]) {
    const { values: found } = lines(`${text}\n{"text":"t"}`, readParams({ fields: ['n'] }), buffers);
    t.deepEqual(found, [...values.map(([, value]) => [value]), [null]]);
  }
});

test('fields are found by name, by path, and by the last of equal names; one may be the id or the text', (t) => {
  const params = readParams({ fields: ['a.b', 'id', 'text', 'c'] });
  const text =
    '{"text":"one","id":7,"a":{"b":2},"c":1,"c":3}\n{"a.b":"x","a":{"b":2},"id":"8","text":["p","q"]}\n';
  t.deepEqual(lines(text, params).values, [
    [2, 7, 'one', 3],
    ['x', '8', null, null],
  ]);
});

test('a long text counts by its first bytes', (t) => {
  const long = 'ä'.repeat(40_000);
  const params = readParams({ fields: ['n'] });
  for (const json of [JSON.stringify(long), `"${'\\u00e4'.repeat(40_000)}"`]) {
    const [[value]] = lines(`{"text":"t","n":${json}}`, params).values as [[string]];
    t.is(value, 'ä'.repeat(32_768));
  }
});

const JSON_VALUE = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('"\\ud83d\\ude00"', '"\\ud83d"', '1e400', '-0.0', '"', '01', ' 5 ', '["a",null]', '"a"'),
);
const KEY = fc.constantFrom('text', 'id', 'n', 'a', 'a.b', '\\u006e', 'x');
const LINE = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.tuple(KEY, JSON_VALUE), { maxLength: 5 }).map(recordOf) },
  { weight: 1, arbitrary: fc.constantFrom('', '  ', '[1]', '{"text":"a"', '\r', '7') },
);

function recordOf(members: readonly (readonly [string, string])[]): string {
  return `{"text":"words", ${[...members, ['z', '{"b":"n"}']].map(([key, value]) => `"${key}":${value}`).join(',')}}`;
}

const told = ({ documents, skips }: RecordingSink) => ({ documents, skips });

test('the kernel and the reader of single lines give the same values, and documents and problems as without', (t) => {
  const fields = ['n', 'a.b', 'z.b', 'id'];
  fc.assert(
    fc.property(fc.array(LINE, { maxLength: 12 }), (some) => {
      const text = some.join('\n');
      const without = lines(text, readParams());
      const slow = lines(text, readParams({ fields }), plain);
      const quick = lines(text, readParams({ fields }));
      t.deepEqual(told(quick), told(without));
      t.deepEqual(told(slow), told(without));
      t.deepEqual(quick.values, slow.values);
      t.true(without.values.every((values) => values === null));
    }),
    { numRuns: 300, seed: 17 },
  );
});

/** Reads a file as a run does that cuts it every so many bytes. */
async function readFile(path: string, params: ReadParams, step: number, buffers = fast): Promise<FieldSink> {
  const sink = new FieldSink();
  const file = inputFile(path);
  for (const piece of planPieces({ files: tableOf([file]) }, params, step)) {
    if (piece.kind === 'files') readSource({ kind: 'files', list: listOf([file]) }, params, sink, buffers);
    else if (piece.kind === 'range') readSource(piece, params, sink, buffers);
    else if (piece.kind === 'array') {
      const format = formatNamed(file.format);
      if (format.splits !== 'by elements') throw new Error(format.name);
      const cuts = format.cuts(piece, params, buffers);
      for (const split of elementSplits(piece, cuts)) readSource(split, params, sink, buffers);
    } else {
      for await (const chunk of streamChunks(file, params, undefined, step)) {
        if ('problem' in chunk) throw new Error(chunk.problem);
        const split = chunkSplit(file, 0, chunk);
        readSplit(split, linesBlock(chunk.bytes, false), new FormatReading(params, sink, buffers));
      }
    }
  }
  return sink;
}

interface Sample {
  readonly id: string;
  readonly text: string;
  readonly score: number | null;
  readonly date: string | null;
}

const RECORDS: readonly Sample[] = Array.from({ length: 40 }, (_, i) => ({
  id: `r${i}`,
  text: `the words of record ${i}, ${'and more '.repeat(i % 5)}`,
  score: i % 7 === 3 ? null : (i - 20) / 8,
  date: i % 5 === 1 ? null : i % 3 === 0 ? `"${i}" of\nmay` : `2024-01-${String(i).padStart(2, '0')}`,
}));

function table(separator: string): string {
  const cell = (value: string | number | null): string =>
    value === null ? '' : `"${String(value).replaceAll('"', '""')}"`;
  const rows = RECORDS.map(({ date, id, score, text }) => [date, id, score, text].map(cell).join(separator));
  return [['date', 'id', 'score', 'text'].join(separator), ...rows].join('\r\n');
}

function parquet(): Buffer {
  const columns = ['id', 'text', 'date'] as const;
  const columnData = [
    ...columns.map((name) => ({ name, data: RECORDS.map((one) => one[name]), type: 'STRING' as const })),
    { name: 'score', data: RECORDS.map(({ score }) => score), type: 'DOUBLE' as const },
  ];
  return Buffer.from(parquetWriteBuffer({ columnData, rowGroupSize: 16 }));
}

test('the same records have the same values in every form, wherever it is cut', async (t) => {
  const lined = RECORDS.map((one) => `${JSON.stringify(one)}\n`).join('');
  const forms: Record<string, string | Uint8Array> = {
    'a.jsonl': lined,
    'a.jsonl.gz': gzipSync(lined),
    'a.json': JSON.stringify(RECORDS, null, 1),
    'a.csv': table(','),
    'a.csv.gz': gzipSync(table(',')),
    'a.parquet': parquet(),
  };
  const folder = temporaryFolder(t, forms);
  const wanted = RECORDS.map(({ score, date }) => [date, null, score]);
  const fields = ['date', 'none', 'score'];
  for (const name of Object.keys(forms)) {
    for (const step of [150, 1 << 20]) {
      for (const buffers of [plain, fast]) {
        const without = await readFile(join(folder, name), readParams(), step, buffers);
        const sink = await readFile(join(folder, name), readParams({ fields }), step, buffers);
        t.deepEqual(sink.values, wanted, `${name} ${step}`);
        t.deepEqual(told(sink), told(without), `${name} ${step}`);
        t.is(sink.documents.length, RECORDS.length);
      }
    }
  }
});

test('a cell is a number where all of it is a decimal number', async (t) => {
  const cells = '12|-0.5|+7|007|1e3|.5|5.|NaN|1e999|0x1| 1|1,5|1.2.3|-|2024-01-01|true|"""1"""'.split('|');
  const values = [
    12,
    -0.5,
    7,
    7,
    1000,
    0.5,
    5,
    'NaN',
    '1e999',
    '0x1',
    ' 1',
    '1,5',
    '1.2.3',
    '-',
    '2024-01-01',
  ];
  const path = join(temporaryFolder(t), 'a.csv');
  writeFileSync(path, `text;n\n${cells.map((cell) => `t;${cell}\n`).join('')}short\n`);
  const sink = await readFile(path, readParams({ fields: ['n'], separator: ';' }), 1 << 20);
  t.deepEqual(sink.values.flat(), [...values, 'true', '"1"', null]);
  writeFileSync(path, 'a,1\nb,2\n');
  const byPlace = readParams({ fields: ['2', '3', 'a'], textField: '1' });
  t.deepEqual((await readFile(path, byPlace, 1 << 20)).values, [
    [1, null, null],
    [2, null, null],
  ]);
});

const DATA = fileURLToPath(new URL('../../../../test/data/parquet/', import.meta.url));

/** Six rows that pyarrow 26 wrote, the fifth all null: `values` with dictionaries, `int96` without, and with a column split by bytes. */
test('columns of Parquet are numbers in their unit, texts, or missing', async (t) => {
  const but4 = (value: (i: number) => Value): Value[] =>
    [0, 1, 2, 3, 4, 5].map((i) => (i === 4 ? null : value(i)));
  const known: Record<string, readonly Value[]> = {
    whole: but4((i) => i - 2),
    big: but4((i) => 2 ** 63 + 2048 * i),
    float: [0.5, null, Number.POSITIVE_INFINITY, 0, null, -2.25],
    double: but4((i) => i / 3),
    flag: but4((i) => (i + 1) % 2),
    price: but4((i) => (i - 1) * 1.25),
    huge: but4((i) => (i - 1) * 1.2345678901234567e19),
    day: but4((i) => i - 1),
    second: but4((i) => i * 1000),
    word: ['wörd 0', 'wörd 1', null, 'wörd 1', null, 'wörd 1'],
    'meta.date': but4((i) => `2024-0${i + 1}`),
    meta: but4(() => null),
    list: but4(() => null),
  };
  const fields = Object.keys(known);
  const { values } = await readFile(join(DATA, 'values.parquet'), readParams({ fields }), 1 << 20);
  for (const [i, name] of fields.entries())
    t.deepEqual(
      values.map((row) => row![i]),
      known[name],
      name,
    );
  const asked = readParams({ fields: ['stamp', 'price', 'whole'] });
  const old = await readFile(join(DATA, 'int96.parquet'), asked, 1);
  t.deepEqual(old.codes, []);
  const stamps = but4((i) => (i - 1) * 86_400e9 + i * 1000);
  t.deepEqual(
    old.values,
    stamps.map((stamp, i) => [stamp, known.price![i]!, known.whole![i]!]),
  );
});

test('fields of WARC are those of headers, whatever their case; texts have none', async (t) => {
  const block = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nwords';
  const header = [
    'WARC/1.1',
    'WARC-Type: response',
    'WARC-Target-URI: http://a/',
    'WARC-Date: 2024-01-01T00:00:00Z',
    `Content-Length: ${block.length}`,
  ];
  const bytes = Buffer.from(`${header.join('\r\n')}\r\n\r\n${block}\r\n\r\n`);
  const params = readParams({ fields: ['warc-date', 'Content-Length', 'none'] });
  const sink = new FieldSink();
  readChunk('warc', { bytes, index: 0, firstLine: 0 }, new FormatReading(params, sink, readBuffers()));
  t.deepEqual(sink.values, [['2024-01-01T00:00:00Z', String(block.length), null]]);
  const folder = temporaryFolder(t, { 'a.txt': 'words', 'a.html': '<html>words</html>' });
  for (const name of ['a.txt', 'a.html'])
    t.deepEqual((await readFile(join(folder, name), params, 1 << 20)).values, [null]);
});
