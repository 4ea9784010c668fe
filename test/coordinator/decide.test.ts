import test from 'ava';
import { duplicateGroups } from '../../reducers/duplicateGroups.js';
import type { PairRules } from '../../reducers/groupPairs.js';
import { NOT_COMPARED } from '../../reducers/intersections.js';
import { countedPairs, decide } from '../../src/coordinator/decide.js';
import { PairList } from '../../src/coordinator/pairList.js';
import { checkOptions, type RunOptions } from '../../src/options/check.js';

/** Documents by their contents: equal ones are a duplicate group. */
function rulesOf(contents: readonly number[], references = 0, onlyAgainst = false): PairRules {
  const keys = Uint32Array.from(contents.flatMap((content) => [content, 0, 0, 0]));
  const groups = duplicateGroups(contents.length, [
    { numbers: Uint32Array.from(contents.keys()), keys, textKeys: null },
  ]);
  return { groups, references, onlyAgainst };
}

function pairsOf(
  rows: readonly (readonly [a: number, b: number, agreement: number])[],
  ...common: readonly number[]
): PairList {
  const pairs = {
    count: rows.length,
    a: Uint32Array.from(rows, ([a]) => a),
    b: Uint32Array.from(rows, ([, b]) => b),
    agreement: Uint16Array.from(rows, ([, , agreement]) => agreement),
  };
  return PairList.of(pairs, Uint32Array.from(common));
}

const paramsOf = (options: RunOptions) => checkOptions(options).resolved.params;

function noEstimates(): never {
  throw new Error('no estimate is needed');
}

test('in exact mode the common elements of sets decide, and 11 of 20 reaches 0.55', async (t) => {
  const pairs = pairsOf(
    [
      [0, 1, 90],
      [0, 2, 80],
      [1, 2, 128],
    ],
    11,
    10,
    NOT_COMPARED,
  );
  const exact = {
    sizes: Uint32Array.of(15, 16, 15),
    documentsReadAgain: 3,
  };
  const params = paramsOf({ threshold: 0.55 });
  const { candidates, drop, near } = await decide(params, rulesOf([0, 1, 2]), pairs, exact, noEstimates);
  t.deepEqual([...candidates.accepted], [1, 0, 0]);
  t.deepEqual(
    [...candidates.parts()].flatMap(({ similarityOf }) => [0, 1, 2].map(similarityOf)),
    [0.55, 0.5, Number.NaN],
  );
  t.is(near, 1);
  t.deepEqual([...drop.document, ...drop.kept, ...drop.jaccard], [1, 0, 0.55]);
});

test('in signature mode the share of equal slots decides', async (t) => {
  const params = paramsOf({ verify: 'signature', threshold: 0.5, hashes: 128 });
  const pairs = pairsOf([
    [0, 1, 64],
    [0, 2, 63],
  ]);
  const { candidates, drop, thresholds, clusters } = await decide(
    params,
    rulesOf([0, 1, 2]),
    pairs,
    null,
    noEstimates,
  );
  t.deepEqual([...candidates.accepted], [1, 0]);
  t.deepEqual([...drop.document, ...drop.jaccard], [1, 0.5]);
  t.deepEqual(thresholds.at(-1), { threshold: 0.5, dropped: 1 });
  t.deepEqual([...clusters.basis], [0, 1]);
});

test('without verification no pair is accepted, and only identical documents are dropped', async (t) => {
  const params = paramsOf({ verify: 'none' });
  const found = await decide(params, rulesOf([0, 1, 0]), pairsOf([[0, 1, 128]]), null, noEstimates);
  t.deepEqual([...found.candidates.accepted], [0]);
  t.deepEqual([...found.drop.document, ...found.drop.kept], [2, 0]);
  t.deepEqual(found.thresholds, []);
});

test('a member that was not compared with its representative has an estimated similarity', async (t) => {
  const pairs = pairsOf(
    [
      [0, 1, 110],
      [1, 2, 110],
    ],
    9,
    9,
  );
  const exact = {
    sizes: Uint32Array.of(10, 10, 10, 10),
    documentsReadAgain: 3,
  };
  const asked: number[][] = [];
  const params = paramsOf({ threshold: 0.8 });
  // Document 3 is a copy of document 2.
  const { clusters, membersBelow } = await decide(params, rulesOf([0, 1, 2, 2]), pairs, exact, (a, b) => {
    asked.push([...a], [...b]);
    return [100, 96];
  });
  t.deepEqual(asked, [
    [0, 0],
    [2, 2],
  ]);
  t.deepEqual([...clusters.similarity], [1, 9 / 11, 100 / 128, 96 / 128]);
  t.deepEqual([...clusters.basis], [0, 0, 1, 1]);
  t.is(membersBelow, 2);
});

test('new documents that resemble the reference are counted, dropped or not', async (t) => {
  // 0 and 1 are of the reference, 3 is a copy of 0, 4 is near 1, and 5 near 4 only.
  const rules = rulesOf([0, 1, 2, 0, 4, 5], 2);
  const pairs = countedPairs(
    rules,
    pairsOf([
      [0, 4, 10],
      [1, 4, 110],
      [3, 4, 10],
      [4, 5, 110],
    ]),
  );
  t.is(pairs.count, 3);
  await pairs.compare(async () => Uint32Array.of(1, 9, 9));
  const exact = {
    sizes: new Uint32Array(6).fill(10),
    documentsReadAgain: 3,
  };
  const { referenceMatches, drop } = await decide(paramsOf({ threshold: 0.8 }), rules, pairs, exact, () => [
    0, 0, 0,
  ]);
  t.is(referenceMatches, 2);
  t.deepEqual([...drop.document, ...drop.kept], [3, 4, 0, 1]);
});
