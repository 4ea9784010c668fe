import test from 'ava';
import { progressText, stageText } from '../../../cli/show/progress.js';

test('progress counts one thing in the singular', (t) => {
  const step = { stage: 'verify', unit: 'pairs', bytes: 0, elapsedMs: 100 };
  t.is(stageText({ ...step, done: 1, total: 1 }), 'verify: 1 pair in 0.1 s');
  t.is(stageText({ ...step, done: 1, total: null }), 'verify: 1 pair in 0.1 s');
  t.is(stageText({ ...step, done: 1, total: 5 }), 'verify: 1 of 5 pairs in 0.1 s');
  t.is(stageText({ ...step, done: 0, total: 0 }), 'verify: 0 pairs in 0.1 s');
  t.is(progressText({ ...step, done: 0, total: 1 }), 'verify 0/1 pair');
  t.is(progressText({ ...step, done: 1, total: null }), 'verify 1 pair');
});
