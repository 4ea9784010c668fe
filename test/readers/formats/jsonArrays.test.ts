/** Files of JSON are read whole: an object, or the elements of an array. */
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { MOST_JSON } from '../../../src/readers/formats/json/json.js';
import { inputFile, temporaryFolder } from '../../data/temporaryFolder.js';
import { listOf, readSource } from '../list/fileTables.js';
import { RecordingSink, readParams } from '../recordingSink.js';

function read(
  t: ExecutionContext,
  content: string | Uint8Array,
  params: ReadParams = readParams(),
  name = 'a.json',
  size: number | null = null,
): RecordingSink {
  const path = join(temporaryFolder(t), name);
  writeFileSync(path, content);
  if (size !== null) truncateSync(path, size);
  const files = [{ ...inputFile(path), format: 'json' as const }];
  const sink = new RecordingSink();
  readSource({ kind: 'files', list: listOf(files) }, params, sink, readBuffers(16));
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

test('records before damage of packed data are read, and the rest is named once', (t) => {
  const records = Array.from({ length: 300 }, (_, i) => ({ text: `${i} ${Math.sin(i)}` }));
  const packed = gzipSync(JSON.stringify(records));
  const flipped = Uint8Array.from(packed, (byte, i) => (i === packed.length - 6 ? byte ^ 1 : byte));
  for (const [content, code] of [
    [packed.subarray(0, packed.length / 2), 'GZIP_TRUNCATED'],
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
  t.deepEqual(read(t, packed.subarray(0, 12), readParams(), 'a.json.gz').codes, ['-1 GZIP_TRUNCATED']);
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
