import { gzipSync } from 'node:zlib';
import test from 'ava';
import { findDocuments } from '../../src/readers/find.js';
import { listInputs } from '../../src/readers/list/inputs.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { tableOf } from './list/fileTables.js';
import { readParams } from './recordingSink.js';

const AUTO = { ...readParams(), textFieldGiven: false, include: [], exclude: [] };

test('findDocuments resolves ids as a run does', async (t) => {
  const lines = '{"text":"line 1"}\n\n{"id":"named","text":"line\\t3"}\n';
  const top = temporaryFolder(t, {
    'a.txt': 'a text',
    'b.jsonl': lines,
    'c.jsonl.gz': gzipSync(lines.replace('named', 'compressed')),
    'd.json': '[{"text":"element 0"},{"text":"element 1"}]',
    'e.json': '{"text":"whole"}',
    'f.json': '{"id":"a.txt","text":"too late"}',
    'g\xff': 'odd',
    'h.json': '{"no":"text field"}',
  });
  const inputs = await listInputs({ paths: [top], outFolder: null, params: AUTO });
  const wanted = [
    'a.txt',
    'b.jsonl#1',
    'b.jsonl#3',
    'named',
    'c.jsonl.gz#1',
    'compressed',
    'd.json#2',
    'e.json',
  ];
  wanted.push('g\xff', 'h.json', 'nothing');
  const found = await findDocuments(inputs, readParams(), new Set(wanted));
  const texts = wanted.map((id) => {
    const bytes = found.get(id);
    return bytes === undefined ? null : Buffer.from(bytes).toString('utf8');
  });
  t.deepEqual(texts, [
    'a text',
    'line 1',
    'line\t3',
    'line\t3',
    'line 1',
    'line\t3',
    'element 1',
    'whole',
    'odd',
    '{"no":"text field"}',
    null,
  ]);
});

test('findDocuments of nothing reads nothing', async (t) => {
  t.is((await findDocuments({ files: tableOf([]) }, readParams(), new Set(['a']))).size, 0);
  const missing = {
    path: '/nowhere',
    id: 'a',
    bytes: 1,
    format: 'text' as const,
    codec: null,
    utf16: false,
    stdin: false,
  };
  t.is((await findDocuments({ files: tableOf([missing]) }, readParams(), new Set(['a']))).size, 0);
  t.is((await findDocuments({ files: tableOf([missing]) }, readParams(), new Set())).size, 0);
});
