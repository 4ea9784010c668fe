/** What --text-field and --id-field ask for, of values and of bytes. */
import test from 'ava';
import fc from 'fast-check';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { readBuffers } from '../../../src/readers/documentSink.js';
import { idFieldOf, textFieldsOf, textsOf } from '../../../src/readers/formats/fields.js';
import { JsonLines } from '../../../src/readers/formats/json/jsonLines.js';
import { FormatReading } from '../../../src/readers/formats/reading.js';
import { readSplit } from '../../../src/readers/reader.js';
import { linesBlock } from '../../../src/readers/split.js';
import type { InputFormat } from '../../../src/sketch/formatNames.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { RecordingSink, readParams } from '../recordingSink.js';

const textOf = (value: unknown, wish: string): string | null =>
  textsOf(value, textFieldsOf(wish))?.join('\n') ?? null;

const names = (wish: string): string[] => textFieldsOf(wish).map(({ name }) => name);

test('a wish is names between commas', (t) => {
  t.deepEqual(names('text'), ['text']);
  t.deepEqual(names('title, body ,a b'), ['title', 'body', 'a b']);
  t.deepEqual(names(' text'), [' text']);
  t.deepEqual(names('a\\,b,c\\\\,d\\e'), ['a,b', 'c\\', 'd\\e']);
  t.deepEqual(textFieldsOf('a.b')[0]!.steps, ['a', 'b']);
  t.deepEqual(idFieldOf('a,b\\,c').name, 'a,b,c');
});

test('texts and ids of values', (t) => {
  const of = textOf;
  t.is(of({ a: 'x', b: 'y' }, 'b,a'), 'y\nx');
  t.is(of({ a: '', b: 'y' }, 'a,b,c'), 'y');
  t.is(of({ a: '' }, 'a,b'), '');
  t.is(of({ a: { b: 'x' } }, 'a.b'), 'x');
  t.is(of({ 'a.b': 'y', a: { b: 'x' } }, 'a.b'), 'y');
  t.is(of({ a: ['x', null, 'y'] }, 'a'), 'x\ny');
  t.is(of({ a: [['x'], [['y', null]]] }, 'a'), 'x\ny');
  for (const a of [[], [null], ['x', 1], [['x'], [1]], { b: 1 }, 1, null]) t.is(of({ a }, 'a'), null);
  t.is(of({}, 'toString'), null);
});

const kernel = createWasmKernel(kernelModule);

/** The documents of lines, or of an array, by the kernel where it helps. */
function given(bytes: Buffer, format: InputFormat, textField: string, idField: string, fast: boolean) {
  const sink = new RecordingSink();
  const file = { path: '-', id: 'x', bytes: 0, format, codec: null, utf16: false, stdin: true } as const;
  const params = readParams({ textField, idField });
  const reading = new FormatReading(params, sink, readBuffers(64, fast ? kernel : null));
  if (format === 'json') reading.records.file(0, bytes, new JsonLines(reading), null);
  else readSplit({ kind: 'chunk', file, index: 0, firstLine: 0 }, linesBlock(bytes, false), reading);
  const utf8 = (binary: string | null) => (binary === null ? null : Buffer.from(binary, 'latin1').toString());
  return [
    ...sink.documents.map(({ record, id, text }) => [record, utf8(id), utf8(text)] as const),
    ...sink.skips.map(({ record, code, id }) => [record, code, utf8(id)] as const),
  ].sort(([a], [b]) => a - b);
}

const text = fc.constantFrom('', 'x', 'a b', '"\\\n', 'é');
const held = fc.oneof(
  text,
  fc.array(fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom(null, 1) }), {
    maxLength: 3,
  }),
  fc.constantFrom(null, 7, true),
  fc.record({ b: fc.oneof(text, fc.array(text, { maxLength: 2 })), id: text }, { requiredKeys: [] }),
);
const recordOf = fc.dictionary(fc.constantFrom('a', 'b', 'a.b', 'id'), held, { maxKeys: 4 });

/** An empty id counts as missing. */
function idIn(record: Readonly<Record<string, unknown>>, idField: string): string | null {
  const { a } = record;
  const inA = typeof a === 'object' && a !== null && 'id' in a ? a.id : null;
  const held = (idField === 'id' ? record.id : inA) ?? null;
  if (held === null || held === '') return null;
  return typeof held === 'string' ? held : JSON.stringify(held);
}

test('lines and elements have the texts and ids that their values have', (t) => {
  fc.assert(
    fc.property(
      fc.array(recordOf, { maxLength: 8 }),
      fc.constantFrom('a', 'a,b', 'a.b', 'b,a.b', 'none,a'),
      fc.constantFrom('id', 'a.id'),
      (records, textField, idField) => {
        const expected = records.map((record, i) => {
          const id = idIn(record, idField);
          const found = textOf(record, textField);
          return found === null ? [i, 'JSON_NO_TEXT', id] : [i, id, found];
        });
        const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
        const array = Buffer.from(JSON.stringify(records, null, 1));
        t.deepEqual(given(lines, 'jsonl', textField, idField, true), expected as never);
        t.deepEqual(given(lines, 'jsonl', textField, idField, false), expected as never);
        t.deepEqual(given(array, 'json', textField, idField, false), expected as never);
      },
    ),
    { seed: 8, numRuns: 300 },
  );
});

test('ids that are numbers stay as they are written, and long texts of several strings are joined', (t) => {
  const long = 'é"'.repeat(50_000);
  const line = Buffer.from(
    JSON.stringify({ m: { id: 0, t: [long, '', long] } }).replace('"id":0', '"id":1.50e3'),
  );
  t.deepEqual(given(line, 'jsonl', 'm.t', 'm.id', true), [[0, '1.50e3', `${long}\n${long}`]]);
});
