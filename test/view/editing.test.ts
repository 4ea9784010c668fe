/** The rule for edits of a drop list: which other documents an edit changes. */
import test from 'ava';
import { type IndexPart, NEAR, NONE } from '../../src/result/resultIndex.js';
import { type Edit, editedPart } from '../../src/view/editing.js';

const IDENTICAL = 1 - NEAR;

/** Pairs as a, b and similarity; 1: identical. */
function partOf(documents: number, rows: readonly (readonly [number, number, number])[]): IndexPart {
  return {
    documents,
    keeper: new Uint32Array(documents),
    pairs: {
      count: rows.length,
      a: Uint32Array.from(rows, ([a]) => a),
      b: Uint32Array.from(rows, ([, b]) => b),
      value: Float32Array.from(rows, ([, , value]) => value),
      kind: Uint8Array.from(rows, ([, , value]) => (value === 1 ? IDENTICAL : NEAR)),
    },
  };
}

/** The keepers after an edit: k: it is kept; a number: that document replaces it; lost. */
function after(part: IndexPart, keepers: readonly (number | 'k')[], edit: Partial<Edit>): string {
  const { fates } = editedPart(part, (d) => (keepers[d] === 'k' ? NONE : (keepers[d] as number)), {
    ...{ keep: [], drop: [] },
    ...edit,
  });
  return keepers
    .map((before, d) => {
      const keeper = fates.get(d)?.keeper;
      return keeper === undefined ? before : keeper === NONE ? 'k' : keeper === d ? 'lost' : keeper;
    })
    .join(' ');
}

/** 0 resembles 1, 2 and 3; 1 resembles 2 most. */
const STAR = partOf(4, [
  [0, 1, 0.9],
  [0, 2, 0.8],
  [0, 3, 0.85],
  [1, 2, 0.95],
]);
const LIST = ['k', 0, 0, 0] as const;

test('a document kept instead of another replaces similar ones, and the others are kept', (t) => {
  t.is(after(STAR, LIST, { keep: [1], drop: [0] }), '1 k 1 k');
});

test('keeping a document changes no other', (t) => {
  t.is(after(STAR, LIST, { keep: [2] }), 'k 0 k 0');
});

test('a dropped document is replaced by the kept one that resembles it most', (t) => {
  t.is(after(STAR, ['k', 'k', 'k', 0], { drop: [2] }), 'k k 1 0');
});

test('documents that nothing kept resembles are reported as lost', (t) => {
  const edit = { keep: [], drop: [0, 1, 2, 3] };
  const { lost, fates } = editedPart(STAR, (d) => (d === 0 ? NONE : 0), edit);
  t.deepEqual([...lost], [0, 1, 2, 3]);
  t.deepEqual(
    [...fates].map(([d, { keeper }]) => d === keeper),
    [true, true, true, true],
  );
});

test('a lost document can be kept again', (t) => {
  t.is(after(STAR, [0, 1, 2, 3], { keep: [0] }), 'k 1 2 3');
});

test('the documents of a duplicate group resemble each other, in whichever pairs they are', (t) => {
  // 2 is the one that pairs connect with the others of its group, and with 3.
  const part = partOf(4, [
    [0, 2, 1],
    [1, 2, 1],
    [2, 3, 0.9],
  ]);
  t.is(after(part, ['k', 0, 0, 0], { keep: [1], drop: [0] }), '1 k 1 1');
  t.is(after(part, ['k', 0, 0, 0], { keep: [3], drop: [0] }), '3 k k k'.replace('k k k', '3 3 k'));
});

test('of equally similar documents the first is the replacement', (t) => {
  const part = partOf(3, [
    [0, 2, 0.9],
    [1, 2, 0.9],
  ]);
  t.is(after(part, ['k', 'k', 'k'], { drop: [2] }), 'k k 0');
});
