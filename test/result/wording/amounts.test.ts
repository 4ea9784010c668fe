import test from 'ava';
import { bytesText, counted, durationText, grouped } from '../../../src/result/wording/amounts.js';

test('grouped puts a comma before every three digits', (t) => {
  t.deepEqual([0, 999, 1000, 1_234_567].map(grouped), ['0', '999', '1,000', '1,234,567']);
});

test('counted agrees in number', (t) => {
  t.is(counted(0, 'file'), '0 files');
  t.is(counted(1, 'file'), '1 file');
  t.is(counted(2000, 'class', 'classes'), '2,000 classes');
});

test('bytesText has two digits or more and never 1000 of a size', (t) => {
  t.deepEqual([0, 999, 1000, 1540, 9_949, 9_951, 999_499, 999_500, 2.5e9].map(bytesText), [
    '0 bytes',
    '999 bytes',
    '1.0 KB',
    '1.5 KB',
    '9.9 KB',
    '10 KB',
    '999 KB',
    '1.0 MB',
    '2.5 GB',
  ]);
});

test('durationText goes from tenths of seconds to hours', (t) => {
  t.deepEqual([0, 440, 9949, 9950, 59_400, 59_900, 185_000, 3_599_700, 7_620_000].map(durationText), [
    '0.0 s',
    '0.4 s',
    '9.9 s',
    '10 s',
    '59 s',
    '1 min 00 s',
    '3 min 05 s',
    '1 h 00 min',
    '2 h 07 min',
  ]);
});
