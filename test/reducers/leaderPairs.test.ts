/** The rule of leaders: who leads, which pairs a member has, and what is counted. */
import test from 'ava';
import { type LeaderRule, leaderList, MOST_FOLLOWED, MOST_LEADERS } from '../../reducers/leaderPairs.js';

const RULE: LeaderRule = { references: 0, onlyAgainst: false, cutoff: 60, near: 80 };

/** Members are points on a line; the agreement of two is 100 less their distance. */
const closeness = (x: number, y: number): number => Math.max(0, 100 - Math.abs(x - y));

function walked(rule: LeaderRule, points: readonly number[]) {
  const list = leaderList(rule, closeness);
  const pairs = points.map((point, member) =>
    list.follow(member, point).map(({ leader, agreement }) => [leader, agreement]),
  );
  return { pairs, unmatched: list.unmatched };
}

test('a member that reaches the threshold with a leader is paired with it and does not lead', (t) => {
  t.deepEqual(walked(RULE, [0, 20, 30]), { pairs: [[], [[0, 80]], [[0, 70]]], unmatched: 0 });
  // 30 is not nearer than 70 to the leader 0, so it leads and is paired with 35; 20 does not lead.
  t.deepEqual(walked(RULE, [0, 20, 30, 35]).pairs[3], [
    [2, 95],
    [0, 65],
  ]);
});

test('a member is paired with the leaders of highest agreement; ties go to the smaller leader', (t) => {
  const rule = { ...RULE, cutoff: 1, near: 99 };
  const points = [0, 90, 10, 80, 20, 70, 30, 60, 40, 52, 50];
  t.deepEqual(
    walked(rule, points).pairs.at(-1),
    [
      [9, 98],
      [7, 90],
      [8, 90],
      [5, 80],
      [6, 80],
      [3, 70],
      [4, 70],
      [1, 60],
    ].slice(0, MOST_FOLLOWED),
  );
});

test('a member that finds the list of leaders full is counted', (t) => {
  const strangers = Array.from({ length: MOST_LEADERS + 2 }, (_, i) => 1000 * i);
  const { pairs, unmatched } = walked(RULE, [...strangers, 1000 * MOST_LEADERS, 7]);
  t.is(unmatched, 3);
  t.deepEqual(pairs.slice(-2), [[], [[0, 93]]]);
});

test('reference documents lead, and two of them are never a pair', (t) => {
  const rule = { ...RULE, references: 3 };
  t.deepEqual(walked(rule, [0, 10, 30, 25, 20]).pairs, [
    [],
    [],
    [],
    [
      [2, 95],
      [0, 75],
    ],
    [
      [2, 90],
      [0, 80],
    ],
  ]);
});

test('with onlyAgainst, only reference documents become leaders', (t) => {
  const rule = { ...RULE, references: 1, onlyAgainst: true };
  t.deepEqual(walked(rule, [0, 500, 501, 40]), { pairs: [[], [], [], [[0, 60]]], unmatched: 0 });
});
