import test from 'ava';
import fc from 'fast-check';
import { identityClasses } from '../../reducers/identityClasses.js';
import { atOnce } from '../../src/arrays/stepwise.js';
import { classesOf, corpora, identical } from './bruteForce.js';

test('identityClasses names the earliest equal document and lists classes of two or more', (t) => {
  fc.assert(
    fc.property(corpora, (corpus) => {
      const { first, members } = classesOf(corpus);
      const documents = corpus.labels.map((_, d) => d);
      const wanted = documents.map((d) => documents.find((e) => identical(corpus, d, e))!);
      t.deepEqual([...first], wanted);
      const classes = documents
        .filter((d) => wanted[d] === d)
        .map((d) => documents.filter((e) => wanted[e] === d))
        .filter((list) => list.length > 1);
      t.deepEqual(
        [...members.firsts],
        classes.map((list) => list[0]!),
      );
      t.is(members.offsets.length, classes.length + 1);
      classes.forEach((list, c) => {
        t.deepEqual([...members.members.subarray(members.offsets[c], members.offsets[c + 1])], list);
      });
      t.is(members.members.length, classes.flat().length);
    }),
    { seed: 1, numRuns: 500 },
  );
});

/** Keys of some documents. */
const picked = (keys: Uint32Array, documents: Uint32Array): Uint32Array =>
  Uint32Array.from([...documents].flatMap((d) => [...keys.subarray(4 * d, 4 * d + 4)]));

test('identityClasses tells keys apart that differ in any single word', (t) => {
  const keys = new Uint32Array(4 * 5);
  for (let word = 0; word < 4; word++) keys[4 * (word + 1) + word] = 0x80000000;
  const { first, members } = atOnce(identityClasses(keys, new Uint8Array(5)));
  t.deepEqual([...first], [0, 1, 2, 3, 4]);
  t.is(members.firsts.length, 0);
});

test('within a class each member names the first one with its text, and texts join no classes', (t) => {
  const key = fc.nat({ max: 2 }).map((k) => [k & 1, 0, 0, k >> 1]);
  const document = fc.record({ content: key, text: key });
  fc.assert(
    fc.property(fc.array(document, { maxLength: 20 }), (documents) => {
      const keysOf = (name: 'content' | 'text'): Uint32Array =>
        Uint32Array.from(documents.flatMap((one) => one[name]));
      const none = new Uint8Array(documents.length);
      const textsOf = (some: Uint32Array) => picked(keysOf('text'), some);
      const { first, members } = atOnce(identityClasses(keysOf('content'), none, textsOf));
      const same = (name: 'content' | 'text', d: number, e: number): boolean =>
        documents[d]![name].join() === documents[e]![name].join();
      const all = documents.map((_, d) => d);
      const texts = [...members.members].map((d) =>
        all.find((e) => same('content', d, e) && same('text', d, e)),
      );
      t.deepEqual([...members.texts], texts);
      // Nothing else follows from texts; and without them all members of a class are one.
      const without = atOnce(identityClasses(keysOf('content'), none));
      t.deepEqual([first, members.members], [without.first, without.members.members]);
      t.deepEqual(
        [...without.members.texts],
        [...members.members].map((d) => first[d]),
      );
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('identityClasses leaves an empty document alone even where its key is that of others', (t) => {
  const { first, members } = atOnce(identityClasses(new Uint32Array(4 * 4), Uint8Array.of(1, 0, 1, 0)));
  t.deepEqual([...first], [0, 1, 2, 1]);
  t.deepEqual([...members.members], [1, 3]);
});

test('identityClasses of no documents is no class', (t) => {
  const { first, members } = atOnce(identityClasses(new Uint32Array(0), new Uint8Array(0)));
  t.is(first.length, 0);
  t.deepEqual([...members.offsets], [0]);
});

test('identityClasses copes with 200,000 equal documents and 200,000 equal halves of keys', (t) => {
  const count = 200_000;
  const same = atOnce(identityClasses(new Uint32Array(4 * count), new Uint8Array(count)));
  t.deepEqual([...same.members.firsts], [0]);
  t.is(same.members.members.length, count);
  const texts = Uint32Array.from({ length: 4 * count }, (_, i) => (i % 4 === 3 ? count - i : 0));
  const other = atOnce(
    identityClasses(new Uint32Array(4 * count), new Uint8Array(count), (some) => picked(texts, some)),
  ).members;
  t.true(other.texts.every((text, d) => text === d));
  const half = new Uint32Array(4 * count);
  for (let d = 0; d < count; d++) half[4 * d + 3] = count - d;
  const apart = atOnce(identityClasses(half, new Uint8Array(count)));
  t.true(apart.first.every((f, d) => f === d));
});
