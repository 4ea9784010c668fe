/** Records and rows of the corpus over descriptors: what is written is read, however reads are cut, and nothing else is. */
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { MinHashError } from '../../../src/errors.js';
import { ColumnCorpus, ColumnSink, ColumnSource } from '../../../src/tasks/process/columnRows.js';
import { InputWindow, OutputWindow } from '../../../src/tasks/process/descriptors.js';
import { LineCorpus } from '../../../src/tasks/process/lineRows.js';
import { RawBytesSink, RawBytesSource } from '../../../src/tasks/process/rawBytes.js';
import type { CorpusSource, RecordSource } from '../../../src/tasks/stream/records.js';

type Pair = readonly [key: Uint8Array, value: Uint8Array];

const CODECS = {
  rawbytes: {
    source: (input: InputWindow) => new RawBytesSource(input),
    sink: (output: OutputWindow) => new RawBytesSink(output),
  },
  tsv: {
    source: (input: InputWindow) => new ColumnSource(input),
    sink: (output: OutputWindow) => new ColumnSink(output),
  },
} as const;
type Form = keyof typeof CODECS;
const FORMS = Object.keys(CODECS) as Form[];

/** Gives the bytes in pieces of these sizes, again and again. */
function windowOf(bytes: Uint8Array, sizes: readonly number[] = [1 << 20], room = 16): InputWindow {
  let at = 0;
  let turn = 0;
  return new InputWindow((into, to, length) => {
    const count = Math.min(sizes[turn++ % sizes.length]!, length, bytes.length - at);
    into.set(bytes.subarray(at, at + count), to);
    at += count;
    return count;
  }, room);
}

function written(form: Form, pairs: readonly Pair[], room = 16): Buffer {
  const parts: Uint8Array[] = [];
  const output = new OutputWindow((from, at, length) => parts.push(from.slice(at, at + length)), room);
  const sink = CODECS[form].sink(output);
  for (const [key, value] of pairs) sink.put(key, value);
  sink.finish();
  return Buffer.concat(parts);
}

function all(source: RecordSource): string[] {
  const found: string[] = [];
  while (source.next()) found.push(`${hex(source.key)} ${hex(source.value)}`);
  return found;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const textOf = (pairs: readonly Pair[]): string[] => pairs.map(([key, value]) => `${hex(key)} ${hex(value)}`);

const some = fc.uint8Array({ minLength: 1, maxLength: 40 });
const pairsOf = fc.array(fc.tuple(some, some), { maxLength: 12 });
const sizesOf = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });
const SEED = { seed: 18, numRuns: 200 };

for (const form of FORMS) {
  test(`${form}: what is written is read, wherever reads and writes are cut`, (t) => {
    const property = fc.property(pairsOf, sizesOf, fc.integer({ min: 1, max: 99 }), (pairs, sizes, room) => {
      const bytes = written(form, pairs, room);
      const source = CODECS[form].source(windowOf(bytes, sizes, room));
      t.deepEqual(all(source), textOf(pairs));
      t.is(source.count, pairs.length);
    });
    fc.assert(property, SEED);
  });

  test(`${form}: input that is cut at any byte is an error with that place, or ends where a record does`, (t) => {
    const pairs: Pair[] = [1, 3, 2, 5, 70].map((n) => [Buffer.alloc(n, 7), Buffer.alloc(2 * n + 1, n)]);
    const bytes = written(form, pairs);
    const ends = pairs.map((_, i) => written(form, pairs.slice(0, i + 1)).length);
    let wrong = 0;
    for (let cut = 0; cut <= bytes.length; cut++) {
      const source = CODECS[form].source(windowOf(bytes.subarray(0, cut), [7]));
      const whole = ends.filter((end) => end <= cut).length;
      if (cut === 0 || ends.includes(cut)) t.is(all(source).length, whole);
      else {
        wrong++;
        const place = new RegExp(`record ${whole + 1}, byte ${cut} of the input: the input ends within`);
        throwsRecord(t, () => all(source), place);
        t.is(source.count, whole);
      }
    }
    t.is(wrong, bytes.length - pairs.length);
  });

  test(`${form}: an empty key and an empty value are not written`, (t) => {
    for (const pair of [
      [Buffer.alloc(0), Buffer.of(1)],
      [Buffer.of(1), Buffer.alloc(0)],
    ] as const)
      t.throws(() => written(form, [pair]), { message: /a record with a key of/ });
  });
}

function throwsRecord(t: ExecutionContext, run: () => unknown, message: RegExp): void {
  const error = t.throws(run, { instanceOf: MinHashError, message });
  t.is(error?.code, 'TASK_RECORD');
}

const bytesOf = (...lengths: readonly (number | string)[]): Buffer =>
  Buffer.concat(
    lengths.map((one) => {
      if (typeof one === 'string') return Buffer.from(one);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(one);
      return length;
    }),
  );

test('rawbytes: a length that no record has is an error', (t) => {
  const read = (bytes: Buffer) => () => all(new RawBytesSource(windowOf(bytes)));
  const good = [1, 'k', 2, 'vv'];
  throwsRecord(
    t,
    read(bytesOf(...good, 0, 1, 'v')),
    /record 2, byte 11 of the input: 0 is no length of a key/,
  );
  throwsRecord(t, read(bytesOf(1, 'k', 0)), /record 1, byte 5 of the input: 0 is no length of a value/);
  throwsRecord(
    t,
    read(bytesOf(...good, 2 ** 31)),
    /record 2, byte 11 of .* 2147483648 is no length of a key/,
  );
  throwsRecord(t, read(bytesOf(1, 'k', 2 ** 32 - 1)), /byte 5 of .* 4294967295 is no length of a value/);
  // Text in the place of records.
  throwsRecord(t, read(Buffer.from('6b\tdg==\n6b\tdg==\n')), /record 1, byte 16 .* begins at byte 0/);
});

test('tsv: a row that is not two strict columns is an error with its place', (t) => {
  const rows: readonly (readonly [row: string, message: RegExp])[] = [
    ['6b', /record 2, byte 10 of the input: expected 2 columns apart by TAB, got 1/],
    ['', /byte 8 .*expected 2 columns apart by TAB, got 1/],
    ['6b dg==', /byte 15 .*expected 2 columns apart by TAB, got 1/],
    ['6b\x01dg==', /byte 15 .*got 1/],
    ['6b\tdg==\t', /byte 15 .*expected 2 columns, got more/],
    ['6b\t6b\tdg==', /byte 13 .*expected 2 columns, got more/],
    ['6b\tdg==\r', /byte 15 .*column 2: expected base64 with padding, which the byte 0x0d here is not/],
    ['6b\t', /byte 11 .*column 2 is empty/],
    ['\tdg==', /byte 8 .*column 1 is empty/],
    [
      '6b6\tdg==',
      /byte 11 .*column 1: expected a key as pairs of hex digits in lower case, which the end here/,
    ],
    ['6B\tdg==', /byte 9 .*column 1: .* the byte 0x42 here is not/],
    ['6g\tdg==', /byte 9 .*column 1/],
    ['\\N\tdg==', /byte 8 .*column 1/],
    ['6b\t\\N', /byte 11 .*column 2/],
    ['6b\tdg=', /byte 14 .*column 2/],
    ['6b\tdg', /byte 13 .*column 2/],
    ['6b\tdgo', /byte 14 .*column 2/],
    ['6b\td===', /byte 12 .*column 2/],
    ['6b\t====', /byte 11 .*column 2/],
    ['6b\tdh==', /byte 12 .*column 2/],
    ['6b\tdmZ=', /byte 13 .*column 2/],
    ['6b\tdg==dg==', /byte 13 .*column 2/],
    ['6b\td-_=', /byte 12 .*column 2/],
    ['6b\tdm 2', /byte 13 .*column 2/],
    ['6b\tdmé2', /byte 13 .*column 2/],
  ];
  for (const [row, message] of rows) {
    const bytes = Buffer.from(`6b\tdg==\n${row}\n6b\tdg==\n`);
    throwsRecord(t, () => all(new ColumnSource(windowOf(bytes))), message);
  }
});

test('tsv: the decoders take what the encoders of the platform write, and nothing else', (t) => {
  const letters = [...'AaZz09+/=Q'].map((letter) => fc.constant(letter));
  const column = fc.string({ unit: fc.oneof(...letters), minLength: 1, maxLength: 9 });
  const property = fc.property(column, (text) => {
    const value = Buffer.from(text, 'base64');
    const isBase64 = value.length > 0 && value.toString('base64') === text;
    const source = new ColumnSource(windowOf(Buffer.from(`00ff\t${text}\n`)));
    if (isBase64) t.deepEqual(all(source), [`00ff ${hex(value)}`]);
    else throwsRecord(t, () => all(source), /record 1, byte \d+ of the input: column 2/);
  });
  fc.assert(property, { seed: 18, numRuns: 1000 });
  // Long columns, with a character in the place of another one, or of none.
  const long = Buffer.from(Array.from({ length: 700 }, (_, i) => (i * i) & 255));
  const change = fc.tuple(
    fc.integer({ min: 250, max: 700 }),
    fc.nat(),
    fc.constantFrom(...'Aw/=-\t\r é'),
    fc.nat(1),
  );
  const changed = fc.property(change, ([length, place, letter, gone]) => {
    const text = long.toString('base64', 0, length);
    const at = place % text.length;
    const other = text.slice(0, at) + letter + text.slice(at + gone);
    const value = Buffer.from(other, 'base64');
    const source = new ColumnSource(windowOf(Buffer.from(`00ff\t${other}\n`), [100], 2048));
    if (value.toString('base64') === other) t.deepEqual(all(source), [`00ff ${hex(value)}`]);
    else throwsRecord(t, () => all(source), /record 1, byte \d+ of the input: /);
  });
  fc.assert(changed, { seed: 18, numRuns: 500 });
  const value = Uint8Array.from({ length: 256 }, (_, i) => i);
  const row = `${Buffer.from(value).toString('hex')}\t${Buffer.from(value).toString('base64')}\n`;
  t.is(written('tsv', [[value, value]]).toString(), row);
});

function rowsIn(source: CorpusSource): (readonly [file: string, start: number, line: string])[] {
  const found: (readonly [string, number, string])[] = [];
  while (source.next()) found.push([source.row.file, source.row.start, hex(source.row.bytes)]);
  return found;
}

const lineOf = fc
  .uint8Array({ maxLength: 30 })
  .map((bytes) => bytes.map((byte) => (byte === 10 ? 32 : byte)));
const SPLIT = { mapreduce_map_input_file: 'hdfs://n/a b.jsonl', mapreduce_map_input_start: '134217728' };

test('lines of Hadoop are rows of the split that the environment names', (t) => {
  const property = fc.property(fc.array(lineOf, { maxLength: 9 }), sizesOf, (lines, sizes) => {
    const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.of(10)]));
    const source = new LineCorpus(windowOf(bytes, sizes), SPLIT);
    t.deepEqual(
      rowsIn(source),
      lines.map((line) => ['hdfs://n/a b.jsonl', 134217728, hex(line)]),
    );
    t.is(source.count, lines.length);
  });
  fc.assert(property, SEED);
  throwsRecord(
    t,
    () => rowsIn(new LineCorpus(windowOf(Buffer.from('ab\ncd')), SPLIT)),
    /record 2, byte 5 of the input: the input ends within this line/,
  );
  for (const environment of [
    {},
    { ...SPLIT, mapreduce_map_input_start: 'x' },
    { mapreduce_map_input_start: '1' },
  ]) {
    const error = t.throws(() => new LineCorpus(windowOf(Buffer.of()), environment));
    t.is((error as MinHashError).code, 'TASK_STREAM');
  }
});

test('rows of Spark are lines with their split, whatever the name of the file is', (t) => {
  const name = fc.string({
    unit: fc.oneof(...[...'a\t\n%é\u{1f600}'].map((one) => fc.constant(one))),
    minLength: 1,
  });
  const row = fc.tuple(name, fc.nat(), lineOf);
  const property = fc.property(fc.array(row, { maxLength: 6 }), sizesOf, (rows, sizes) => {
    const text = rows.map(([file, start, line]) => {
      return `${Buffer.from(file).toString('hex')}\t${start}\t${Buffer.from(line).toString('base64')}\n`;
    });
    const source = new ColumnCorpus(windowOf(Buffer.from(text.join('')), sizes));
    t.deepEqual(
      rowsIn(source),
      rows.map(([file, start, line]) => [file, start, hex(line)]),
    );
    t.is(source.count, rows.length);
  });
  fc.assert(property, SEED);
});

test('rows of Spark that are not three strict columns are errors', (t) => {
  const good = '2f61\t0\tYQ==';
  const rows: readonly (readonly [row: string, message: RegExp])[] = [
    ['2f61\tYQ==', /byte 21 .*expected 3 columns apart by TAB, got 2/],
    [`${good}\t`, /byte 23 .*expected 3 columns, got more/],
    ['2f6\t0\tYQ==', /byte 15 .*column 1/],
    ['2fff\t0\tYQ==', /byte 12 .*column 1: expected the name of a file in UTF-8/],
    ['\t0\tYQ==', /byte 12 .*column 1 is empty/],
    ['2f61\t\tYQ==', /byte 17 .*column 2/],
    ['2f61\t00\tYQ==', /byte 17 .*column 2/],
    ['2f61\t-1\tYQ==', /byte 17 .*column 2/],
    ['2f61\t9007199254740992\tYQ==', /byte 17 .*column 2/],
    ['2f61\t0\tYQ', /byte 21 .*column 3/],
  ];
  for (const [row, message] of rows) {
    const bytes = Buffer.from(`${good}\n${row}\n`);
    throwsRecord(t, () => rowsIn(new ColumnCorpus(windowOf(bytes))), message);
  }
  const two = Buffer.from(`${good}\n${good}\n`);
  for (let cut = 1; cut < two.length; cut++) {
    if (cut === two.length / 2) continue;
    const source = new ColumnCorpus(windowOf(two.subarray(0, cut)));
    throwsRecord(
      t,
      () => rowsIn(source),
      new RegExp(`byte ${cut} of the input: the input ends within this row`),
    );
  }
});
