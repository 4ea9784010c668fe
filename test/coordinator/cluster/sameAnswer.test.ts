/** The whole recipe on an engine that sorts gives the result of threads, byte for byte. */
import { join } from 'node:path';
import test from 'ava';
import type { MinHashError } from '../../../src/errors.js';
import { prepared } from '../runs/finished.js';
import { preparedRun, runInProcess } from './comparedFolders.js';
import { sameAnswer } from './randomCases.js';
import { copiedLines, smallLines, smallTexts } from './smallCorpora.js';

test('lines with ids, sets compared', (t) => sameAnswer(t, smallLines(1, 120, true), { idField: 'id' }));
test('lines by place, signatures compared', (t) =>
  sameAnswer(t, smallLines(3, 100, false), { format: 'csv', verify: 'signature' }, { byStars: true }));
test('texts, all pairs of classes', (t) =>
  sameAnswer(t, smallTexts(4, 100), { format: 'jsonl', expandIdentical: true }, { reducers: 1 }));
test('hot buckets, in rounds', (t) => {
  const files = { ...smallLines(2, 60, false), ...copiedLines(90) };
  return sameAnswer(t, files, { hotBucket: 4, bands: 3, rows: 4 });
});

test('PATHs in an order that ids do not have are refused', async (t) => {
  const { folder, inputs, options } = prepared(t, {
    'a.jsonl': '{"text": "a b"}',
    'b.jsonl': '{"text": "c d"}',
  });
  const paths = ['b.jsonl', 'a.jsonl'].map((name) => join(inputs, name));
  const run = await preparedRun({ ...options, paths, out: join(folder, 'streamed') });
  const shape = { mappers: 1, reducers: 1, byStars: false, splitLines: 1 };
  const error = await t.throwsAsync<MinHashError>(runInProcess(run, shape));
  t.is(error!.code, 'OPTION_INVALID');
  t.regex(error!.message, /the document "b.jsonl#1" of paths 1 comes behind those of paths 2/);
});
