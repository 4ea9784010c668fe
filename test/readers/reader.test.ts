import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { type ReadParams, readBuffers } from '../../src/readers/documentSink.js';
import type { IndexedFile } from '../data/temporaryFolder.js';
import { inputFile, temporaryFolder } from '../data/temporaryFolder.js';
import { listOf, readSource } from './list/fileTables.js';
import { RecordingSink, readParams } from './recordingSink.js';

function read(
  files: readonly IndexedFile[],
  params: ReadParams = readParams(),
  pieceBytes = 4096,
): RecordingSink {
  const sink = new RecordingSink();
  withoutLines(
    readSource({ kind: 'files', list: listOf(files) }, params, sink, readBuffers(pieceBytes)).lines,
  );
  return sink;
}

function withoutLines(lines: number): void {
  if (lines !== 0) throw new Error('whole files have no lines to count');
}

test('readSource gives a text file as one document of record -1, bytes as they are', (t) => {
  const top = temporaryFolder(t, { a: '\ufeffhi\r\n', b: '', c: Buffer.from([0x61, 0xff]) });
  const sink = read(['a', 'b', 'c'].map((name, i) => inputFile(`${top}/${name}`, i + 5)));
  t.deepEqual(sink.skips, []);
  t.deepEqual(sink.documents, [
    { file: 5, record: -1, id: null, text: '\xef\xbb\xbfhi\r\n', repaired: false },
    { file: 6, record: -1, id: null, text: '', repaired: false },
    { file: 7, record: -1, id: null, text: 'a\xff', repaired: false },
  ]);
});

test('readSource reads a text larger than its buffer in pieces', (t) => {
  const text = 'abcdefghij'.repeat(10);
  const top = temporaryFolder(t, { a: text });
  for (const size of [1, 7, 99, 100, 101]) {
    t.deepEqual(read([inputFile(`${top}/a`)], readParams(), size).texts, [text]);
  }
});

test('readSource reads a file that shrank or grew to the end it finds', (t) => {
  const top = temporaryFolder(t, { grown: 'ab', shrunk: 'abcd' });
  const files = [inputFile(`${top}/grown`), inputFile(`${top}/shrunk`)];
  appendFileSync(`${top}/grown`, 'c'.repeat(9000));
  truncateSync(`${top}/shrunk`, 1);
  t.deepEqual(read(files, readParams(), 16).texts, [`ab${'c'.repeat(9000)}`, 'a']);
  t.deepEqual(read(files, readParams({ maxDocument: 100 }), 16).codes, ['-1 TOO_LARGE']);
});

test('readSource refuses a NUL in the first 8 KB, but not later, nor for bytes', (t) => {
  const late = `${'a'.repeat(8192)}\0`;
  const top = temporaryFolder(t, { early: 'a\0', late, 'b.gz': gzipSync('x\0'), 'c.json': '\0' });
  const files = ['early', 'late', 'b.gz', 'c.json'].map((name) => inputFile(`${top}/${name}`));
  const sink = read(files, readParams(), 1 << 20);
  t.deepEqual(sink.texts, [late]);
  t.deepEqual(sink.codes, ['-1 BINARY', '-1 BINARY', '-1 BINARY']);
  t.deepEqual(read(files, readParams({ bytes: true }), 1 << 20).texts, ['a\0', late, 'x\0', '\0']);
  t.deepEqual(read([files[0]!], readParams({ encoding: 'latin1' })).texts, ['a\0']);
});

test('readSource names files that are gone, are folders, or lie below a file', (t) => {
  const top = temporaryFolder(t, { gone: 'x', 'g.gz': 'x', kept: 'k', 'folder/': '' });
  const gone = [inputFile(`${top}/gone`), inputFile(`${top}/g.gz`)];
  for (const file of gone) rmSync(file.path);
  const odd = [`${top}/folder`, `${top}/kept/below`].map((path) => ({ ...gone[0]!, path }));
  const sink = read([...gone, ...odd, inputFile(`${top}/kept`)]);
  t.deepEqual(sink.codes, ['-1 VANISHED', '-1 VANISHED', '-1 UNREADABLE', '-1 UNREADABLE']);
  t.deepEqual(sink.texts, ['k']);
});

test('readSource does not wait for a writer where a file became a pipe', (t) => {
  const top = temporaryFolder(t, { a: 'x' });
  const file = inputFile(`${top}/a`);
  rmSync(file.path);
  execFileSync('mkfifo', [file.path]);
  t.notThrows(() => read([file]));
});

test('readSource skips texts larger than maxDocument and keeps those of just that size', (t) => {
  const json = JSON.stringify({ text: 'a\n'.repeat(5) });
  const names = { a: 'x'.repeat(10), b: 'x'.repeat(11), 'c.gz': gzipSync('x'.repeat(10)) };
  const top = temporaryFolder(t, { ...names, 'd.gz': gzipSync('x'.repeat(11)), 'e.json': json });
  const files = ['a', 'b', 'c.gz', 'd.gz', 'e.json'].map((name, i) => inputFile(`${top}/${name}`, i));
  const sink = read(files, readParams({ maxDocument: 10 }));
  t.deepEqual(
    sink.documents.map((document) => document.file),
    [0, 2, 4],
  );
  t.deepEqual(sink.codes, ['-1 TOO_LARGE', '-1 TOO_LARGE']);
  t.deepEqual(read([files[4]!], readParams({ maxDocument: 9 })).codes, ['-1 TOO_LARGE']);
});

test('readSource decompresses gzip of several members and padding, and names damage', (t) => {
  const hello = gzipSync('hello');
  const flipped = Buffer.from(hello);
  flipped[hello.length - 6]! ^= 1;
  const cases: Record<string, Buffer> = {
    'a.gz': Buffer.concat([hello, hello]),
    'b.gz': Buffer.concat([hello, Buffer.alloc(100)]),
    'c.gz': Buffer.concat([hello, Buffer.from('garbage')]),
    'd.gz': Buffer.concat([hello, Buffer.alloc(5), hello]),
    'e.gz': hello.subarray(0, -3),
    'f.gz': Buffer.alloc(0),
    'g.gz': flipped,
    'h.gz': Buffer.from('no gzip at all'),
    'i.gz': gzipSync(''),
  };
  const top = temporaryFolder(t, cases);
  const sink = read(Object.keys(cases).map((name, i) => inputFile(`${top}/${name}`, i)));
  t.deepEqual(sink.texts, ['hellohello', 'hello', 'hello', 'hello', 'hello', 'hello', '']);
  t.deepEqual(
    sink.skips.map((skip) => `${skip.file} ${skip.code}`),
    [
      '2 GZIP_BEHIND',
      '3 GZIP_BEHIND',
      '4 GZIP_TRUNCATED',
      '5 GZIP_TRUNCATED',
      '6 GZIP_DAMAGED',
      '7 GZIP_OTHER',
    ],
  );
});

test('readSource decodes other encodings and says what it repaired; bytes stay bytes', (t) => {
  const top = temporaryFolder(t, { a: Buffer.from('grün', 'utf16le'), b: Buffer.from([0x41, 0, 0x42]) });
  const files = [inputFile(`${top}/a`), inputFile(`${top}/b`)];
  const sink = read(files, readParams({ encoding: 'utf-16le' }));
  t.deepEqual(sink.texts, ['gr\xc3\xbcn', 'A\xef\xbf\xbd']);
  t.deepEqual(
    sink.documents.map((document) => document.repaired),
    [false, true],
  );
  t.is(read(files, readParams({ encoding: 'utf-16le', bytes: true })).texts[1], 'A\0B');
  t.deepEqual(read([files[0]!], readParams({ encoding: 'utf-16le', maxDocument: 4 })).codes, [
    '-1 TOO_LARGE',
  ]);
});

test('readSource reads a JSON file: one object, or an array of objects counted from 0', (t) => {
  const top = temporaryFolder(t, {
    'a.json': '\ufeff {"id":"x","text":"one"} \n',
    'b.json':
      '[{"text":"a"}, 5, {"id":7.50,"text":"b"}, {"id":1}, {"id":true,"text":"c"}, {"id":null,"text":"d"}]',
    'c.json': '[{"text":"a"},{"text":"b"}',
    'd.json': '"text"',
    'e.json': '[]',
    'f.json': '',
    'g.json': '{"text":"x"} {"text":"y"}',
    'h.json': '[{"text":"a"},]',
  });
  const files = 'abcdefgh'
    .split('')
    .map((name, i): IndexedFile => ({ ...inputFile(`${top}/${name}.json`, i), format: 'json' }));
  const sink = read(files);
  t.deepEqual(
    sink.documents.map(({ file, record, id, text }) => [file, record, id, text]),
    [
      [0, -1, 'x', 'one'],
      [1, 0, null, 'a'],
      [1, 2, '7.50', 'b'],
      [1, 4, 'true', 'c'],
      [1, 5, null, 'd'],
      [2, 0, null, 'a'],
      [2, 1, null, 'b'],
      [7, 0, null, 'a'],
    ],
  );
  t.deepEqual(
    sink.skips.map(({ file, record, code, id }) => [file, record, code, id]),
    [
      [1, 1, 'JSON_NOT_AN_OBJECT', null],
      [1, 3, 'JSON_NO_TEXT', '1'],
      [2, 2, 'JSON_BROKEN', null],
      [3, -1, 'JSON_NOT_AN_OBJECT', null],
      [5, -1, 'JSON_BROKEN', null],
      [6, -1, 'JSON_BROKEN', null],
      [7, 1, 'JSON_BROKEN', null],
    ],
  );
});

test('readSource takes a JSON file without the text field for a text', (t) => {
  const contents = [
    '{"body":"a"}',
    '[1,2]',
    '{"text":5}',
    '{broken',
    '',
    '"text"',
    '[{"text":"a"},{}]',
    '{"text":"t"}',
  ];
  const names = Object.fromEntries(contents.map((content, i) => [`${i}.json`, content]));
  const top = temporaryFolder(t, names);
  const sink = read(contents.map((_, i) => inputFile(`${top}/${i}.json`, i)));
  t.deepEqual(sink.texts, [...contents.slice(0, 6), 'a', 't']);
  t.deepEqual(
    sink.documents.map((document) => document.record),
    [-1, -1, -1, -1, -1, -1, 0, -1],
  );
  t.deepEqual(sink.codes, ['1 JSON_NO_TEXT']);
});

test('readSource reads JSON in other encodings', (t) => {
  const json = JSON.stringify([{ text: 'grün' }, { text: 'a\ufffd' }, { text: 'b\n' }]);
  const top = temporaryFolder(t, { 'a.json': Buffer.from(json, 'utf16le') });
  const sink = read([inputFile(`${top}/a.json`)], readParams({ encoding: 'utf-16le' }));
  t.deepEqual(sink.texts, ['gr\xc3\xbcn', 'a\xef\xbf\xbd', 'b\n']);
  t.deepEqual(
    sink.documents.map((document) => document.repaired),
    [false, true, false],
  );
});

test('readSource gives neither text nor end of a document that is not wanted', (t) => {
  const top = temporaryFolder(t, {
    a: 'x',
    'b.json': '[{"text":"a\\n"},{"text":"b"}]',
    'c.gz': gzipSync('x'),
  });
  const calls: string[] = [];
  const sink = {
    begin: (file: number, record: number) => calls.push(`${file} ${record}`) < 0,
    whole: (file: number, record: number) => calls.push(`${file} ${record}`),
    text: () => t.fail(),
    end: () => t.fail(),
    skip: () => t.fail(),
  };
  const files = ['a', 'b.json', 'c.gz'].map((name, i) => inputFile(`${top}/${name}`, i));
  readSource({ kind: 'files', list: listOf(files) }, readParams(), sink);
  t.deepEqual(calls, ['0 -1', '1 0', '1 1', '2 -1']);
});

test('readSource takes files whose names are not UTF-8', (t) => {
  const top = temporaryFolder(t, { '\xff\t\n': 'odd' });
  t.deepEqual(read([inputFile(`${top}/\xff\t\n`)]).texts, ['odd']);
  writeFileSync(Buffer.from(`${top}/\xff\t\n`, 'latin1'), 'odder');
  t.deepEqual(read([inputFile(`${top}/\xff\t\n`)]).texts, ['odder']);
});
