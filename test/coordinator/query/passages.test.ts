import test from 'ava';
import fc from 'fast-check';
import { sharedPassages } from '../../../src/coordinator/query/passages.js';
import { canonicalTokens } from '../../../src/text/tokens.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const wordsOf = (text: Uint8Array | string): string[] =>
  canonicalTokens(typeof text === 'string' ? bytes(text) : text, { unit: 'words' });

test('a passage has its words and bytes in both original texts', (t) => {
  const base = bytes('Call me Ishmael. Some years ago, never mind how long.');
  const document = bytes('He said: «call ME, Ishmael; some years AGO» and left.');
  const [passage, ...others] = sharedPassages(base, document, 3);
  t.deepEqual(others, []);
  t.is(passage!.words, 6);
  const { text: left, ...inBase } = passage!.base;
  const { text: right, ...inDocument } = passage!.document;
  t.is(left, 'Call me Ishmael. Some years ago');
  t.is(right, 'call ME, Ishmael; some years AGO');
  t.deepEqual(inBase, { wordFrom: 0, wordTo: 6, byteFrom: 0, byteTo: 31 });
  // The guillemet is two bytes.
  t.deepEqual(inDocument, { wordFrom: 2, wordTo: 8, byteFrom: 11, byteTo: 43 });
});

test('the longest passage comes first, and no word of the document is in two', (t) => {
  const base = bytes('a b c d e f g x y z h i j k');
  const document = bytes('h i j k q a b c d e f g q e f g x y z');
  const found = sharedPassages(base, document, 3);
  t.deepEqual(
    found.map(({ document: { text } }) => text),
    ['a b c d e f g', 'e f g x y z', 'h i j k'],
  );
});

test('a repeated phrase is found at each of its positions in the document', (t) => {
  const found = sharedPassages(
    bytes('one two three four'),
    bytes('one two three four. one two three four'),
    4,
  );
  t.deepEqual(
    found.map(({ base, document }) => [base.wordFrom, document.wordFrom]),
    [
      [0, 0],
      [0, 4],
    ],
  );
});

test('texts without a run of the least length share no passage', (t) => {
  t.deepEqual(sharedPassages(bytes('a b c'), bytes('c b a'), 2), []);
  t.deepEqual(sharedPassages(bytes(''), bytes('a b'), 1), []);
  t.deepEqual(sharedPassages(bytes('a'), bytes(''), 1), []);
});

/** Words of few letters so that runs happen, in scripts with marks, without blanks, and beyond the first plane. */
const TEXT = fc
  .array(
    fc.constantFrom(
      'a',
      'B',
      'c ',
      ' ',
      '. ',
      'é',
      'E\u0301',
      '漢',
      '字\u3099',
      'ไ',
      '\u0301',
      '𝒳',
      'ﬁ',
      'İ',
      '\n',
      '-',
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

test('passages have canonical words of both texts, valid positions and maximal length', (t) => {
  fc.assert(
    fc.property(TEXT, TEXT, fc.integer({ min: 1, max: 4 }), (left, right, least) => {
      const [base, document] = [bytes(left), bytes(right)];
      const [a, b] = [wordsOf(base), wordsOf(document)];
      const covered = new Set<number>();
      let before = Number.POSITIVE_INFINITY;
      for (const passage of sharedPassages(base, document, least)) {
        const { words, base: inBase, document: inDocument } = passage;
        t.true(words >= least && words <= before);
        before = words;
        const run = a.slice(inBase.wordFrom, inBase.wordTo);
        t.deepEqual(run, b.slice(inDocument.wordFrom, inDocument.wordTo));
        t.is(run.length, words);
        t.deepEqual(wordsOf(base.slice(inBase.byteFrom, inBase.byteTo)), run);
        t.deepEqual(wordsOf(document.slice(inDocument.byteFrom, inDocument.byteTo)), run);
        for (let word = inDocument.wordFrom; word < inDocument.wordTo; word++) {
          t.false(covered.has(word));
          covered.add(word);
        }
      }
      // Every run of the least length that both texts have touches a word of some passage.
      for (let at = 0; at + least <= b.length; at++) {
        const run = b.slice(at, at + least).join(' ');
        const isShared = a.some((_, from) => a.slice(from, from + least).join(' ') === run);
        if (isShared)
          t.true(Array.from({ length: least }, (_, i) => at + i).some((word) => covered.has(word)));
      }
    }),
    { seed: 15, numRuns: 400 },
  );
});
