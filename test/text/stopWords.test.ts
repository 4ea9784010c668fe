import test from 'ava';
import { ENGLISH_STOP_WORDS, parseStopWords } from '../../src/text/stopWords.js';

test('ENGLISH_STOP_WORDS are canonical words, all different, about 170 to 230', (t) => {
  const parsed = parseStopWords(ENGLISH_STOP_WORDS.join('\n'));
  t.deepEqual(parsed, { words: [...ENGLISH_STOP_WORDS], bad: [] });
  t.true(ENGLISH_STOP_WORDS.length >= 150 && ENGLISH_STOP_WORDS.length <= 230);
});

test('ENGLISH_STOP_WORDS has the stop words of Mining of Massive Datasets and no word of content', (t) => {
  for (const word of ['a', 'for', 'the', 'that', 'have', 'it', 'is', 'to', 'and', 'you']) {
    t.true(ENGLISH_STOP_WORDS.includes(word), word);
  }
  for (const word of ['good', 'people', 'shown', 'today', 'buy', 'studies', 'products', 'sudzo']) {
    t.false(ENGLISH_STOP_WORDS.includes(word), word);
  }
});

test('parseStopWords reads one word per line, with comments and blank lines', (t) => {
  t.deepEqual(parseStopWords('\ufeff# mine\r\nThe\r\n\r\n  der  # article\nDER\nÜber\nu\u0308ber\n的\n'), {
    words: ['the', 'der', 'über', '的'],
    bad: [],
  });
  t.deepEqual(parseStopWords(''), { words: [], bad: [] });
});

test('parseStopWords returns entries that are not exactly one word', (t) => {
  t.deepEqual(parseStopWords("don't\nof the\n--\n的是\nok.\n"), {
    words: ['ok'],
    bad: ["don't", 'of the', '--', '的是'],
  });
});
