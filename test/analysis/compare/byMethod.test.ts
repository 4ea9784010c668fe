import test from 'ava';
import {
  type CompareByOptions,
  CorpusWords,
  compareBy,
  compareTexts,
  METHOD_NAMES,
  MinHashError,
} from '../../../src/index.js';

const A = 'The cat sat on the mat. The dog barked at the cat. Nobody came to see them.';
const B = 'Nobody came to see them. The cat sat on the mat. A bird sang in the old garden.';

const problemsOf = (options: unknown): string[] => {
  try {
    compareBy(A, B, options as CompareByOptions);
  } catch (error) {
    if (error instanceof MinHashError) return error.problems.map(({ detail }) => detail);
    throw error;
  }
  return [];
};

test('shares of a method, with a as base and b as document', (t) => {
  t.deepEqual(compareBy(A, `${B} More.`, { method: 'cops' }), {
    method: 'cops',
    values: { containment: 2 / 3, base_in_document: 2 / 3, document_in_base: 2 / 4 },
    threshold: 0.1,
    weighed: 'nowhere',
  });
});

test('resemblance and containments are those of the measures of sets', (t) => {
  const options = { unit: 'words', size: 2, seed: 7 } as const;
  const { sets } = compareTexts(A, B, options);
  const { values } = compareBy(A, B, { method: 'resemblance', ...options });
  t.deepEqual(values, {
    resemblance: sets.resemblance,
    base_in_document: sets.containmentAInB,
    document_in_base: sets.containmentBInA,
  });
});

test('values of texts that share nothing are 0, also for empty texts', (t) => {
  for (const method of METHOD_NAMES) {
    for (const [a, b] of [
      ['', ''],
      [A, ''],
      ['', B],
      [A, '一 二 三'],
    ] as const) {
      const { values } = compareBy(a, b, { method });
      t.true(
        Object.values(values).every((value) => value === 0),
        method,
      );
    }
  }
});

test('words are weighed by a corpus: texts, their word counts, or by default the two texts', (t) => {
  const corpus = [A, B, 'the end of the cat', 'one more text'];
  const counted = new CorpusWords();
  for (const text of corpus) counted.add(text);
  t.is(counted.documents, 4);
  const byTexts = compareBy(A, B, { method: 'cosine', corpus });
  t.is(byTexts.weighed, 'the corpus');
  t.deepEqual(compareBy(A, B, { method: 'cosine', corpus: counted }), byTexts);
  t.deepEqual(compareBy(A, B, { method: 'cosine', corpus: new Set(corpus).values() }), byTexts);
  const alone = compareBy(A, B, { method: 'cosine' });
  t.is(alone.weighed, 'the two texts');
  t.deepEqual(alone.values, compareBy(A, B, { method: 'cosine', corpus: [A, B] }).values);
  t.notDeepEqual(alone.values, byTexts.values);
});

test('texts of many different words', (t) => {
  const numbers = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `n${from + i}`).join(' ');
  const [a, b] = [numbers(0, 5000), numbers(2000, 9000)];
  const corpus = new CorpusWords(3);
  for (const text of [a, b, b]) corpus.add(text);
  t.deepEqual(compareBy(a, b, { method: 'scam' }).values, {
    similarity: 3 / 5,
    base_subset_of_document: 3 / 5,
    document_subset_of_base: 3 / 7,
  });
  // 3,000 words of all three documents, each once in both texts.
  const { identity } = compareBy(a, b, { method: 'identity', seed: 3, corpus }).values;
  t.true(Math.abs(identity! - 3000 / (1 + Math.log(2001))) < 1e-9, `${identity}`);
});

test('settings reach their methods', (t) => {
  const passage = 'nobody came to see';
  const [a, b] = [`one two three ${passage} four`, `eins zwei ${passage} drei`];
  const found = (noise: number, guarantee: number): boolean =>
    compareBy(a, b, { method: 'winnowing', noise, guarantee }).values.containment! > 0;
  t.true(found(5, 15));
  t.false(found(16, 20));
  t.true(compareBy(A, A, { method: 'winnowing', noise: 60 }).values.containment === 1);
  const scam = (stopWords: string[]): number =>
    compareBy(A, B, { method: 'scam', stopWords }).values.similarity!;
  t.true(scam([]) > scam(['the', 'cat']));
});

test('all problems are reported at once', (t) => {
  const names = problemsOf({})[0]!;
  t.regex(names, /^method: expected one of resemblance, .*cosine$/);
  t.deepEqual(problemsOf({ method: 'winnow', seed: -1, corpus: 5 }).length, 3);
  t.deepEqual(problemsOf({ method: 'cops', words: 3, noise: 2, size: 64, minimum: 1 }), [
    'minimum: no such option',
    'size 64: expected an integer from 1 to 63',
    'words: expected together with method sswf only',
    'noise: expected together with method winnowing only',
  ]);
  t.deepEqual(problemsOf({ method: 'winnowing', guarantee: 10 }), [
    'guarantee 10: expected at least noise, which is 25',
  ]);
  t.regex(
    problemsOf({ method: 'manber', normalize: 'no-digits' })[0]!,
    /method manber: expected only one of these/,
  );
  t.deepEqual(problemsOf({ method: 'manber', normalize: 'nfc' }), []);
  for (const corpus of ['text', new Uint8Array(1), null, { documents: 3 }]) {
    t.regex(problemsOf({ method: 'cosine', corpus })[0]!, /^corpus .*: expected texts, or an object/);
  }
  for (const options of [null, 'cops', ['cops']]) t.regex(problemsOf(options)[0]!, /expected an object/);
  const noText = t.throws(() => compareBy(A, 5 as never, { method: 'cops' }), { instanceOf: MinHashError });
  t.is(noText.code, 'DOCUMENT_INVALID');
  t.throws(() => compareBy(A, B, { method: 'cosine', corpus: [5 as never] }), { instanceOf: MinHashError });
  t.throws(() => new CorpusWords(-1), { instanceOf: MinHashError });
});
