import test from 'ava';
import { jaccardOf, minhashRows } from '../../src/analysis/textbook.js';

/**
 * Figure 3.2 of Mining of Massive Datasets: S1 = {a,d}, S2 = {c}, S3 = {b,d,e}, S4 = {a,c,d}, rows a..e as
 * 0..4.
 */
const COLUMNS = [[0, 3], [2], [1, 3, 4], [0, 2, 3]];

function agreementOfColumns(signatures: readonly (readonly number[])[], a: number, b: number): number {
  return signatures.filter((row) => row[a] === row[b]).length / signatures.length;
}

function permutations(rows: readonly number[]): number[][] {
  if (rows.length === 0) return [[]];
  return rows.flatMap((row) =>
    permutations(rows.filter((other) => other !== row)).map((rest) => [row, ...rest]),
  );
}

test('minhashRows: figure 3.3, rows in the order beadc: the minhashes are a, c, b, a', (t) => {
  const order = [1, 4, 0, 3, 2];
  const [minhashes] = minhashRows(COLUMNS, [(row) => order.indexOf(row)]);
  t.deepEqual(
    minhashes!.map((place) => 'abcde'[order[place]!]),
    ['a', 'c', 'b', 'a'],
  );
});

test('minhashRows: figure 3.4, example 3.8: h1 gives 1 3 0 1 and h2 gives 0 2 0 0', (t) => {
  const signatures = minhashRows(COLUMNS, [(x) => (x + 1) % 5, (x) => (3 * x + 1) % 5]);
  t.deepEqual(signatures, [
    [1, 3, 0, 1],
    [0, 2, 0, 0],
  ]);
  const estimates = [
    [0, 3, 1, 2 / 3],
    [0, 2, 1 / 2, 1 / 4],
    [0, 1, 0, 0],
  ] as const;
  for (const [a, b, estimate, truth] of estimates) {
    t.is(agreementOfColumns(signatures, a, b), estimate);
    t.is(jaccardOf(COLUMNS[a]!, COLUMNS[b]!), truth);
  }
});

test('minhashRows: exercise 3.3.1, columns agree in their Jaccard share of all 120 orders', (t) => {
  const orders = permutations([0, 1, 2, 3, 4]);
  t.is(orders.length, 120);
  const signatures = minhashRows(
    COLUMNS,
    orders.map((order) => (row: number) => order[row]!),
  );
  for (let a = 0; a < 4; a++) {
    for (let b = a + 1; b < 4; b++) {
      const agreeing = agreementOfColumns(signatures, a, b) * 120;
      t.is(Math.round(agreeing), Math.round(jaccardOf(COLUMNS[a]!, COLUMNS[b]!) * 120));
    }
  }
});

test('minhashRows: exercise 3.3.3, figure 3.5 under 2x+1, 3x+2 and 5x+2 mod 6', (t) => {
  const columns = [
    [2, 5],
    [0, 1],
    [3, 4],
    [0, 2, 4],
  ];
  const functions = [
    (x: number) => (2 * x + 1) % 6,
    (x: number) => (3 * x + 2) % 6,
    (x: number) => (5 * x + 2) % 6,
  ];
  t.deepEqual(minhashRows(columns, functions), [
    [5, 1, 1, 1],
    [2, 2, 2, 2],
    [0, 1, 4, 0],
  ]);
});

test('minhashRows: order and repetition of rows do not matter; a column of zeros has Infinity', (t) => {
  const hash = (x: number): number => (x * 7) % 11;
  t.deepEqual(minhashRows([[4, 1, 9, 1], []], [hash]), [[6, Number.POSITIVE_INFINITY]]);
  t.deepEqual(minhashRows([[1, 4, 9], []], [hash]), [[6, Number.POSITIVE_INFINITY]]);
  t.deepEqual(minhashRows([], [hash]), [[]]);
});

test('jaccardOf: collections count as sets, of any element; two empty ones have 0', (t) => {
  t.is(jaccardOf('aaab', 'aabbc'), 2 / 3);
  t.is(jaccardOf([1, 2, 3, 4], new Set([2, 3, 4, 5])), 3 / 5);
  t.is(jaccardOf([], []), 0);
  t.is(jaccardOf(['x'], []), 0);
});
