/** Files of JSON are read whole: an object, or the elements of an array. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { createWasmKernel } from '../../../src/kernel/wasm.js';
import { type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { MOST_JSON } from '../../../src/readers/formats/json/json.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { kernelModule } from '../../kernel/sketchKernels.js';
import { listOf, readSource } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

function read(
  t: ExecutionContext,
  content: string | Uint8Array,
  params: ReadParams = readParams(),
  name = 'a.json',
  size: number | null = null,
  kernel: Kernel | null = null,
): RecordingSink {
  const path = join(temporaryFolder(t), name);
  writeFileSync(path, content);
  if (size !== null) truncateSync(path, size);
  const files = [{ ...inputFile(path), format: 'json' as const }];
  const sink = new RecordingSink();
  readSource({ kind: 'files', list: listOf(files) }, params, sink, readBuffers(16, kernel));
  return sink;
}

test('the elements of an array are records, numbered from 0; an object is one record', (t) => {
  const records = [
    { text: 'one', id: 12345678901234567890n.toString() },
    { text: ['two', 'three'] },
    7,
    { id: 'x' },
  ];
  for (const [name, content] of [
    ['a.json', `\ufeff ${JSON.stringify(records)}\n`],
    ['a.json.gz', gzipSync(JSON.stringify(records))],
  ] as const) {
    const sink = read(t, content, readParams(), name);
    t.deepEqual(sink.texts, ['one', 'two\nthree']);
    t.deepEqual(sink.codes, ['2 JSON_NOT_AN_OBJECT', '3 JSON_NO_TEXT']);
  }
  t.deepEqual(read(t, '[]').documents, []);
  t.deepEqual(
    read(t, '{"text": "one", "id": 12345678901234567890}').documents[0]!.id,
    '12345678901234567890',
  );
});

test('with --records the arrays in one object or several are records, numbered through the file', (t) => {
  const params = readParams({ records: 'data.items' });
  const file =
    '{"data":{"items":[{"text":"a"},{"text":"b"}]}} {"data":{"items":[]}}\n{"data":{"items":[{"text":"c"}]}}';
  const sink = read(t, file, params);
  t.deepEqual(
    sink.documents.map(({ record, text }) => `${record} ${text}`),
    ['0 a', '1 b', '2 c'],
  );
  for (const [broken, codes] of [
    ['{"data":{"items":{}}}', ['0 JSON_NO_TEXT']],
    ['[{"text":"a"}, 7]', ['1 JSON_NOT_AN_OBJECT']],
    ['{"data":{"items":[{"text":"a"}]}} {"text":"b"} 7', ['2 JSON_NOT_AN_OBJECT']],
    ['{"data":{"items":[{"text":"a"}]}} {"data":', ['1 JSON_BROKEN']],
    ['{"data":{"items":[{"text":"a"},7]}}', ['1 JSON_NOT_AN_OBJECT']],
    ['{"data" {"items":[{"text":"a"}]}', ['-1 JSON_BROKEN']],
  ] as const)
    t.deepEqual(read(t, broken, params).codes, codes, broken);
});

test('records before damage are read, and the rest is named once', (t) => {
  for (const broken of ['[{"text":"a"}', '[{"text":"a"},]', '[{"text":"a"}] x', '[{"text":"a"},{"text":"b']) {
    const sink = read(t, broken);
    t.deepEqual([sink.texts, sink.codes], [['a'], ['1 JSON_BROKEN']], broken);
  }
  const sink = read(t, '[{"text":"a"},{"text":01},{"text":"c"}]');
  t.deepEqual([sink.texts, sink.codes], [['a', 'c'], ['1 JSON_BROKEN']]);
  for (const broken of ['[', '{"text":"a"', ''])
    t.deepEqual(read(t, broken).codes, ['-1 JSON_BROKEN'], broken);
});

test('records before damage of compressed data are read, and the rest is named once', (t) => {
  const records = Array.from({ length: 300 }, (_, i) => ({ text: `${i} ${Math.sin(i)}` }));
  const compressed = gzipSync(JSON.stringify(records));
  const flipped = Uint8Array.from(compressed, (byte, i) => (i === compressed.length - 6 ? byte ^ 1 : byte));
  for (const [content, code] of [
    [compressed.subarray(0, compressed.length / 2), 'GZIP_TRUNCATED'],
    [flipped, 'GZIP_DAMAGED'],
  ] as const) {
    const sink = read(t, content, readParams(), 'a.json.gz');
    const { length } = sink.texts;
    t.true(length > 100);
    t.deepEqual(
      sink.texts,
      records.slice(0, length).map(({ text }) => text),
    );
    t.deepEqual(sink.codes, [`${length} ${code}`]);
  }
  t.deepEqual(read(t, compressed.subarray(0, 12), readParams(), 'a.json.gz').codes, ['-1 GZIP_TRUNCATED']);
});

test('records beyond --max-document are named one by one', (t) => {
  const records = [{ text: 'x'.repeat(100) }, { text: 'y'.repeat(101) }, { text: 'z' }];
  const sink = read(t, JSON.stringify(records), readParams({ maxDocument: 100 }));
  t.deepEqual(sink.texts, ['x'.repeat(100), 'z']);
  t.deepEqual(sink.codes, ['1 TOO_LARGE']);
});

test('a file of more than 256 MB is skipped by name', (t) => {
  t.deepEqual(read(t, '[', readParams(), 'a.json', MOST_JSON + 1).codes, ['-1 JSON_LARGE']);
});

test('elements are read by the kernel as they are one at a time', (t) => {
  const kernel = createWasmKernel(kernelModule);
  const long = 'long \\n text '.repeat(20_000);
  const elements = [
    '{"text":"a\\u00e9\\ud800","id":12345678901234567890}',
    '{\n  "id": "x",\r\n  "text":\n"two lines"\n}',
    '{"text":"a\nb"}',
    '{"text":["x",null,"y"],"other":NaN}',
    '{"id":{"$oid":"5f"},"text":"mongo"}',
    '{"id":true,"text":"x"}',
    '7',
    '{]',
    `{"text":"${long}"}`,
    `{"id":"no text","other":"${long}"}`,
  ];
  const many = Array.from({ length: 3000 }, (_, i) => elements[i % 8]!.replace('"x"', `"${i}"`));
  for (const content of [elements.join(' ,\n'), [...elements, ...many, ...elements].join(',')]) {
    for (const params of [readParams(), readParams({ maxDocument: 100 }), readParams({ textField: 'a.b' })]) {
      const fast = read(t, `[${content}]`, params, 'a.json', null, kernel);
      const slow = read(t, `[${content}]`, params);
      t.deepEqual([fast.documents, fast.skips], [slow.documents, slow.skips]);
      t.true(fast.documents.length + fast.skips.length > 9);
    }
  }
});
