import test from 'ava';
import { plotLines } from '../../../cli/show/curve.js';
import { estimateText, percentText, probabilityText, shareText } from '../../../cli/show/tuneTables.js';
import { probabilityOfCandidate } from '../../../src/sketch/banding.js';
import { curvesAsSvg } from '../../../src/view/charts.js';

const at = (similarity: number): number => probabilityOfCandidate(similarity, 20, 5);
const ascii = { columns: 44, utf8: false, threshold: 0.8 };

test('plotLines draws an S-curve in plain characters', (t) => {
  t.deepEqual(plotLines([{ mark: '*', at }], ascii), [
    '1.0 +                          *************',
    '    |                        **    :',
    '0.8 +                       *      :',
    '    |                     **       :',
    '0.6 +                    *         :',
    '    |                   *          :',
    '0.4 +                  *           :',
    '    |                 *            :',
    '0.2 +               **             :',
    '    |            ***               :',
    '0.0 +************                  :',
    '    ++-------+------+-------+------+-------+',
    '    0.0     0.2    0.4     0.6    0.8    1.0',
  ]);
});

test('plotLines fits the columns, from 24 to 76, in ASCII or Unicode', (t) => {
  for (const columns of [1, 24, 40, 80, 500]) {
    for (const utf8 of [true, false]) {
      const lines = plotLines([{ mark: 'a', at }], { columns, utf8, threshold: 1 });
      const width = Math.max(24, Math.min(76, columns));
      t.true(
        lines.every((line) => line.length <= width),
        `${columns}: ${Math.max(...lines.map((line) => line.length))}`,
      );
      t.is(/^[ -~]*$/.test(lines.join('')), !utf8);
    }
  }
});

test('plotLines shows the first of curves that meet, and no gap in a steep one', (t) => {
  const step = (similarity: number): number => (similarity < 0.5 ? 0 : 1);
  const lines = plotLines(
    [
      { mark: 'a', at: step },
      { mark: 'b', at: step },
    ],
    ascii,
  );
  t.notRegex(lines.join(''), /b/);
  for (const line of lines.slice(0, 11)) t.regex(line, /a/);
});

test('curvesAsSvg returns the same well-formed picture every time', (t) => {
  const curve = { name: '20 <bands> & "rows"', at };
  const svg = curvesAsSvg([curve, { name: 'other', at: () => 0.5 }], 0.8);
  t.is(svg, curvesAsSvg([curve, { name: 'other', at: () => 0.5 }], 0.8));
  t.regex(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*>\n/);
  t.true(svg.endsWith('</svg>\n'));
  t.is(svg.match(/<polyline /g)?.length, 2);
  t.true(svg.includes('20 &lt;bands&gt; &amp; &quot;rows&quot;'));
  // Every tag that is opened is closed, or closes itself.
  const open: string[] = [];
  for (const [, slash, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (slash === '/') t.is(open.pop(), name);
    else if (self !== '/') open.push(name!);
  }
  t.deepEqual(open, []);
  t.notRegex(svg, /NaN|Infinity|script/);
});

test('numbers are shown with their significant digits', (t) => {
  t.deepEqual([0.8, 0.8125, 0.123, 1].map(shareText), ['0.80', '0.8125', '0.123', '1.00']);
  t.deepEqual([0, 1, 0.0143, 0.32, 0.000356, 0.9993, 0.99, 0.1, 0.00000001, 0.99999999].map(percentText), [
    ...['0 %', '100 %', '1.4 %', '32 %', '0.036 %', '99.930 %', '99.0 %', '10 %'],
    ...['less than 0.0001 %', 'more than 99.9999 %'],
  ]);
  t.deepEqual([0, 0.5, 1.5e-17, 1].map(probabilityText), ['0.000000', '0.500000', '1.5e-17', '1.000000']);
  t.is(estimateText({ value: 12_345, lower: 12_345, upper: 12_345 }), '12,345');
  t.is(estimateText({ value: 12_345, lower: 3.4, upper: 98_765 }), 'about 12,000 (3 to 99,000)');
});
