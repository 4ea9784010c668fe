/** What of the matches of two fingerprints is noise: the example of the paper, and the bounds of each rule. */
import test from 'ava';
import { removeNoise } from '../../../../src/analysis/methods/sswf/noise.js';

/** Matches that are left, as pairs of places from 1, as in the paper. */
function left(matches: readonly (readonly [number, number])[], P: number, Q: number): [number, number][] {
  const base = Uint32Array.from(matches, ([i]) => i - 1);
  const document = Uint32Array.from(matches, ([, j]) => j - 1);
  const held = { count: matches.length, base, document };
  const count = removeNoise(held, P, Q);
  return Array.from({ length: count }, (_, n) => [base[n]! + 1, document[n]! + 1]);
}

/** `length` matches that are neighbours. */
function run(i: number, j: number, length: number): [number, number][] {
  return Array.from({ length }, (_, n) => [i + n, j + n]);
}

test('table 1 of the paper: all matches are noise, the similarity is 0', (t) => {
  const matches = [[1, 3], ...run(6, 6, 3), ...run(9, 11, 2)] as [number, number][];
  t.deepEqual(left(matches, 13, 13), []);
});

test('a run of one or two is always noise, a run of four never', (t) => {
  for (const length of [1, 2]) t.deepEqual(left(run(1, 1, length), length, length), []);
  t.deepEqual(left([...run(1, 1, 4), ...run(6, 6, 2)], 20, 20), run(1, 1, 4));
  t.deepEqual(left(run(10, 30, 4), 50, 50), run(10, 30, 4));
});

test('a run of three is noise if two symbols separate it on both sides, in either string', (t) => {
  const three = run(10, 10, 3);
  t.deepEqual(left([[7, 7], ...three, [15, 15]], 30, 30), []);
  // One symbol on one side: the neighbour is noise itself, and keeps it nevertheless.
  t.deepEqual(left([[8, 8], ...three, [15, 15]], 30, 30), three);
  t.deepEqual(left([[7, 7], ...three, [14, 14]], 30, 30), three);
  // One symbol in the base, two in the document.
  t.deepEqual(left([[8, 7], ...three, [14, 15]], 30, 30), []);
});

test('no match on a side: the symbols up to the end of the string separate', (t) => {
  t.deepEqual(left(run(1, 1, 3), 3, 3), run(1, 1, 3));
  t.deepEqual(left(run(2, 2, 3), 9, 9), run(2, 2, 3));
  t.deepEqual(left(run(3, 3, 3), 9, 9), []);
  t.deepEqual(left(run(1, 3, 3), 3, 9), []);
  t.deepEqual(left(run(7, 6, 3), 9, 9), run(7, 6, 3));
});

test('remaining runs keep their order', (t) => {
  const matches = [...run(1, 1, 2), ...run(5, 5, 5), ...run(12, 11, 1), ...run(20, 20, 4)];
  t.deepEqual(left(matches, 30, 30), [...run(5, 5, 5), ...run(20, 20, 4)]);
  t.deepEqual(left([], 5, 0), []);
});
