/** The whole recipe on an engine that sorts gives the result of threads, byte for byte. */
import test from 'ava';
import { sameAnswer } from './randomCases.js';
import { smallLines, smallTexts } from './smallCorpora.js';

test('lines with ids, sets compared', (t) => sameAnswer(t, smallLines(1, 120, true), { idField: 'id' }));
test('lines by place, signatures compared', (t) =>
  sameAnswer(t, smallLines(3, 100, false), { format: 'csv', verify: 'signature' }, { byStars: true }));
test('texts, all pairs of classes', (t) =>
  sameAnswer(t, smallTexts(4, 100), { format: 'jsonl', expandIdentical: true }, { reducers: 1 }));
