import test from 'ava';
import fc from 'fast-check';
import { aligned } from '../../../src/analysis/result/alignment.js';
import { type SharedRuns, sharedRuns } from '../../../src/analysis/result/sharedRuns.js';
import { type ShingleParams, shingleSet } from '../../../src/text/shingles.js';
import { canonicalTokens } from '../../../src/text/tokens.js';
import { encode } from '../../data/shingledDocuments.js';

const params = (changes: Partial<ShingleParams> = {}): ShingleParams => ({
  unit: 'words',
  size: 3,
  bag: false,
  stopWords: [],
  seed: 1,
  ...changes,
});

const runsOf = (a: string, b: string, changes: Partial<ShingleParams> = {}): SharedRuns =>
  sharedRuns(encode(a), encode(b), params(changes));

/** `[own]`, `<moved>`, `~rewritten~`, and shared text as it is. */
function marked({ stretches }: SharedRuns, side: 'a' | 'b'): string {
  const around = { own: '[]', moved: '<>', rewritten: '~~', shared: '' };
  return stretches
    .flatMap((stretch) => stretch[side])
    .map(({ text, kind }) => `${around[kind][0] ?? ''}${text}${around[kind][1] ?? ''}`)
    .join('');
}

test('a changed word is in no shared run, and case, punctuation and line ends are preserved', (t) => {
  const runs = runsOf('One two,\nthree four five Six seven.\n', 'One two,\nthree four 5 Six seven.\n');
  t.is(marked(runs, 'a'), 'One two,\nthree four [five] [Six seven].\n');
  const longer = runsOf('A b c d X e f g!\n', 'A b c d y e f g!\n');
  t.is(marked(longer, 'a'), 'A b c d [X] e f g!\n');
  t.is(marked(longer, 'b'), 'A b c d [y] e f g!\n');
});

test('a passage in another order is moved, and words in other case are rewritten', (t) => {
  const moved = runsOf('a b c d e f g h i j', 'h i j a b c d e f g');
  t.is(marked(moved, 'a'), 'a b c d e f g <h i j>');
  t.is(marked(moved, 'b'), '<h i j> a b c d e f g');
  const code = runsOf('if (age >= limit) return one;', 'if (age < limit) return  ONE;');
  t.is(marked(code, 'a'), 'if (age~ >= ~limit) return ~one~;');
  t.is(marked(code, 'b'), 'if (age~ < ~limit) return  ~ONE~;');
});

test('texts without a token, and texts shorter than a shingle', (t) => {
  t.is(marked(runsOf('', 'x'), 'b'), '[x]');
  t.is(marked(runsOf('...', '!'), 'a'), '...');
  t.is(marked(runsOf('one two', 'one two'), 'a'), 'one two');
  t.is(marked(runsOf('one two', 'one too'), 'a'), '[one] [two]');
});

test('bytes are compared without normalization', (t) => {
  const changes = { unit: 'bytes', size: 1, normalize: ['nfkc', 'casefold'] } as const;
  const { stretches } = runsOf('\ufb01n 1', '\ufb01N 1', changes);
  t.is(stretches.flatMap(({ a }) => a.map(({ text }) => text)).join(''), '\ufb01n 1');
});

const words = fc.array(fc.constantFrom('a', 'B', 'c', 'd.', 'e\n', 'f', '中', '😀'), { maxLength: 60 });
/** Tokens of what is not a side's own. */
function sharedTokens({ stretches }: SharedRuns, side: 'a' | 'b'): string[] {
  const text = stretches
    .flatMap((stretch) => stretch[side])
    .map((piece) => (piece.kind === 'own' ? ' ' : piece.text));
  return canonicalTokens(encode(text.join('')), { unit: 'words' });
}

/** By trying every run of words: the words of a text that are in a run of `size` (or all words of a shorter text) that the other has. */
function tokensCovered(text: string, other: string, size: number): string[] {
  const runs = (words: readonly string[]): string[] =>
    words.length < size
      ? [words.join(' ')]
      : words.slice(size - 1).map((_, i) => words.slice(i, i + size).join(' '));
  const [own, others] = [text, other].map((one) => canonicalTokens(encode(one), { unit: 'words' })) as [
    string[],
    string[],
  ];
  const known = new Set(runs(others));
  const isShared = runs(own).map((run) => known.has(run));
  return own.filter((_, i) => isShared.some((shared, start) => shared && start <= i && i < start + size));
}

const UNITS = ['words', 'chars', 'lines', 'bytes', 'stopwords'] as const;

test('pieces cover both texts, sizes equal those of the shingle sets, and shared tokens are in a shingle of both', (t) => {
  fc.assert(
    fc.property(
      words,
      words,
      fc.constantFrom(...UNITS),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (a, b, unit, size, bag) => {
        const [textA, textB] = [a.join(' '), b.join(' ')];
        const changes = { unit, size, bag, stopWords: ['a', 'f'] };
        const runs = runsOf(textA, textB, changes);
        for (const [side, text] of [
          ['a', textA],
          ['b', textB],
        ] as const) {
          t.is(
            runs.stretches
              .flatMap((stretch) => stretch[side])
              .map((piece) => piece.text)
              .join(''),
            text,
          );
        }
        const setOf = (text: string) => {
          const set = shingleSet(encode(text), params(changes));
          return new Set(Array.from({ length: set.length / 2 }, (_, i) => `${set[2 * i]} ${set[2 * i + 1]}`));
        };
        const [setA, setB] = [setOf(textA), setOf(textB)];
        const both = [...setA].filter((hash) => setB.has(hash)).length;
        t.deepEqual(runs.shingles, { a: setA.size, b: setB.size, both });
        if (unit === 'words' && !bag) {
          t.deepEqual(sharedTokens(runs, 'a'), tokensCovered(textA, textB, size));
          t.deepEqual(sharedTokens(runs, 'b'), tokensCovered(textB, textA, size));
        }
      },
    ),
    { seed: 5, numRuns: 400 },
  );
});

const tokens = fc
  .array(fc.integer({ min: 0, max: 5 }), { maxLength: 30 })
  .map((list) => Uint32Array.from(list));

function longestCommon(a: Uint32Array, b: Uint32Array): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => {
      next.push(x === y ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    });
    row = next;
  }
  return row.at(-1)!;
}

test('partners are equal and ascend, and without anchors short texts have the longest common subsequence', (t) => {
  fc.assert(
    fc.property(tokens, tokens, (a, b) => {
      const partners = aligned(a, b, { a: new Uint32Array(0), b: new Uint32Array(0) });
      let last = -1;
      let count = 0;
      partners.forEach((j, i) => {
        if (j < 0) return;
        t.is(a[i], b[j]);
        t.true(j > last);
        last = j;
        count++;
      });
      t.is(count, longestCommon(a, b));
    }),
    { seed: 3, numRuns: 300 },
  );
});

test('matching texts of many words takes no quadratic time', (t) => {
  const a = Array.from({ length: 40_000 }, (_, i) => (i % 7 === 0 ? `w${i}` : `${i % 97}`));
  const b = a.map((word, i) => (i % 1000 === 500 ? 'changed' : word));
  const { stretches, shingles } = runsOf(a.join(' '), [...b.slice(20_000), ...b.slice(0, 20_000)].join(' '));
  t.true(shingles.both > 0.9 * shingles.a);
  const pieces = stretches.flatMap((stretch) => stretch.a);
  const lengthOf = (kind: string): number =>
    pieces.filter((piece) => piece.kind === kind).reduce((sum, { text }) => sum + text.length, 0);
  t.true(lengthOf('own') < 2000);
  t.true(lengthOf('moved') > 50_000 && lengthOf('shared') > 50_000);
});
