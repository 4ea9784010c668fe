/** Which words of a base are selected, and the fingerprint that they make. */
import test from 'ava';
import { elementsOf, wordElements, wordRule } from '../../../../src/analysis/methods/elementStreams.js';
import { CodedWords } from '../../../../src/analysis/methods/sswf/codedWords.js';
import { selectedWords } from '../../../../src/analysis/methods/sswf/wordChoice.js';
import { FingerprintTable } from '../../../../src/arrays/hashTable.js';

function elementsIn(text: string): Uint32Array {
  return elementsOf(new TextEncoder().encode(text), wordRule({ seed: 1 }));
}

/** The words of `vocabulary` that are selected, in the order of their codes. */
function selected(
  text: string,
  wanted: number,
  vocabulary: readonly string[],
  stops: string[] = [],
): string[] {
  const stopHashes = wordElements(stops, { seed: 1 });
  const found = selectedWords(elementsIn(text), wanted, FingerprintTable.of(stopHashes));
  const names = new Map(vocabulary.map((word) => [wordElements([word], { seed: 1 }).join(), word]));
  return Array.from(
    { length: found.length / 2 },
    (_, n) => names.get(found.subarray(2 * n, 2 * n + 2).join())!,
  );
}

function times(word: string, count: number): string {
  return `${word} `.repeat(count);
}

const STEPS =
  'First find all the words in the given document (call it the base document or BD) using an algorithm given in ' +
  'Witten, Moffat and Bell (1999). From these words, select a set of words S, perhaps 50 to 100, as described later in ' +
  'this section. Assign a code to each word in S. For illustration, using only a small set S, we choose the codes to be ' +
  'the letters of the alphabet. Build a string fingerprint for the base document by scanning the document and ' +
  'representing each selected word when encountered in the text by its code. For example if the selected words were ' +
  '"words", "document", and "fingerprint" and their codes were A, B and C respectively then the fingerprint of the text ' +
  'in this algorithm so far is';

test('section 3 of the paper: the fingerprint of the text of its algorithm', (t) => {
  const coded = new CodedWords([wordElements(['words', 'document', 'fingerprint'], { seed: 1 })]);
  const all = elementsIn(STEPS);
  coded.take(all, all.length / 2);
  t.is([...coded.codesOf(0)].map((code) => 'ABC'[code]).join(''), 'ABBAACBBAABCC');
});

test('each selection has its own codes, and a text does not affect the next', (t) => {
  const coded = new CodedWords([
    wordElements(['words', 'code'], { seed: 1 }),
    new Uint32Array(0),
    wordElements(['code'], { seed: 1 }),
  ]);
  for (const [text, codes] of [
    ['Words code words', [[0, 1, 0], [], [0]]],
    ['word coded', [[], [], []]],
    [times('code', 100), [Array(100).fill(1), [], Array(100).fill(0)]],
  ] as const) {
    const all = elementsIn(text);
    coded.begin();
    coded.take(all, all.length / 2);
    t.deepEqual(
      [0, 1, 2].map((n) => [...coded.codesOf(n)]),
      codes.map((row: readonly number[]) => [...row]),
    );
  }
});

const LETTERS = [...'abcdefgh'];

test('words are selected by frequency from 3 up, then by first occurrence, without stop words', (t) => {
  const text = `${times('e', 5)}${times('d', 3)}${times('c', 4)}${times('b', 3)}${times('a', 2)}${times('f', 3)}`;
  t.deepEqual(selected(text, 70, LETTERS), ['d', 'b', 'f', 'c', 'e']);
  t.deepEqual(selected(text, 2, LETTERS), ['d', 'b']);
  t.deepEqual(selected(text, 70, LETTERS, ['B', 'c']), ['d', 'f', 'e']);
  t.deepEqual(selected('', 70, LETTERS), []);
  t.deepEqual(selected('a a b b', 70, LETTERS), []);
});

test('higher frequencies are used for long documents only, while words are missing', (t) => {
  const few = `${times('g', 26)}${times('f', 25)}${times('d', 6)}${times('c', 7)}${times('b', 6)}${times('a', 4)}`;
  const once = (count: number): string => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');
  t.deepEqual(selected(few, 70, LETTERS), ['a']);
  t.deepEqual(selected(`${few}${once(2500 - 74 - 1)}`, 70, LETTERS), ['a']);
  t.deepEqual(selected(`${few}${once(2500 - 74)}`, 70, LETTERS), ['a', 'd', 'b', 'c', 'f']);
  t.deepEqual(selected(`${few}${once(2500)}`, 3, LETTERS), ['a', 'd', 'b']);
});
