import test from 'ava';
import { barChart } from '../../../benchmarks/chart/bars.js';

function lengths(svg: string): number[] {
  return [...svg.matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
}

test('barChart draws lengths in proportion, and their logarithms where values differ much', (t) => {
  const chart = (...values: number[]): number[] =>
    lengths(
      barChart(
        't',
        values.map((value) => ({ title: 'x', value, ours: false })),
      ),
    );
  const [one, two] = chart(1, 2) as [number, number];
  t.true(Math.abs(two / one - 2) < 0.01);
  const [tenth, hundredth, all] = chart(10, 100, 1000) as [number, number, number];
  t.true(Math.abs(hundredth / tenth - 2) < 0.01);
  t.true(Math.abs(all - hundredth - (hundredth - tenth)) < 0.5);
});

test('barChart of nothing is a chart, and signs of markup are escaped', (t) => {
  t.regex(barChart('a < b', []), /a &#60; b[\s\S]*<\/svg>/);
});
