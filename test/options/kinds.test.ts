import test from 'ava';
import { parseSize, refusedParts, shownValue, valueFromText } from '../../src/options/values.js';

test('only invalid settings are shown, because others may be secrets', (t) => {
  t.deepEqual(refusedParts({ kind: 'settings' }, ['key=secret', 'key', '=x']), ['key', '=x']);
  t.deepEqual(refusedParts({ kind: 'settings' }, 'key'), ['key']);
});

test('parseSize accepts units of 1000 and 1024, and is strict otherwise', (t) => {
  t.is(parseSize('10MB'), 10_000_000);
  t.is(parseSize('1 GB'), 1_000_000_000);
  t.is(parseSize('512KiB'), 524_288);
  t.is(parseSize('1.1 kb'), 1100);
  t.is(parseSize('7'), 7);
  t.is(parseSize('7 B'), 7);
  t.is(parseSize('1.5'), null);
  t.is(parseSize('1.5 b'), null);
  t.is(parseSize('-1 KB'), null);
  t.is(parseSize('10 M'), null);
  t.is(parseSize('10 constructor'), null);
});

test('valueFromText converts only numbers to numbers', (t) => {
  const integer = { kind: 'integer', least: 0, most: 9 } as const;
  const fraction = { kind: 'fraction', above: 0, most: 1 } as const;
  t.is(valueFromText(integer, '12'), 12);
  t.is(valueFromText(integer, '-5'), -5);
  for (const text of ['12abc', '', ' 12', '0x10', '1e3', '1.5', 'auto', '٣'])
    t.is(valueFromText(integer, text), text);
  t.is(valueFromText(fraction, '.5'), 0.5);
  t.is(valueFromText(fraction, '5e-1'), 0.5);
  for (const text of ['0.5x', '', '.', 'Infinity', 'NaN', '0,5']) t.is(valueFromText(fraction, text), text);
  t.is(valueFromText({ kind: 'size', least: 1 }, '10MB'), '10MB');
});

test('shownValue quotes ambiguous values and cuts long ones', (t) => {
  t.is(shownValue('abc'), 'abc');
  t.is(shownValue('128'), '"128"');
  t.is(shownValue(''), '""');
  t.is(shownValue(' a'), '" a"');
  t.is(shownValue(undefined), 'undefined');
  t.is(shownValue('x'.repeat(500)).length, 80);
});
