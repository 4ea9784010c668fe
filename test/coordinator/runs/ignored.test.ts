/** `--ignore`: shingles that count nowhere, against a plain reference. */
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { finished, pairNames, prepared } from './finished.js';

const SIZE = 3;

/** The word shingles of a text that none of the ignored texts has. */
function shinglesOf(text: string, ignored: ReadonlySet<string> = new Set()): Set<string> {
  const words = text.split(' ');
  const all = words.slice(SIZE - 1).map((_, i) => words.slice(i, i + SIZE).join(' '));
  return new Set(all.filter((shingle) => !ignored.has(shingle)));
}

test('pairs are those of the sets without the ignored shingles, in memory, in files and in shards', async (t) => {
  const random = randomFrom(77);
  const header = wordsFrom(random, 40).join(' ');
  const bodies = Array.from({ length: 6 }, () => wordsFrom(random, 30).join(' '));
  const texts = Array.from({ length: 18 }, (_, i) => {
    const body = bodies[i % 6]!.split(' ');
    if (i >= 6) body[i] = `changed${i}`;
    return `${header} ${body.join(' ')}`;
  });
  const files = Object.fromEntries(texts.map((text, i) => [`in/${String(i).padStart(2, '0')}.txt`, text]));
  const ignored = shinglesOf(header);
  const sets = texts.map((text) => shinglesOf(text, ignored));
  const expected = sets.flatMap((a, i) =>
    sets.slice(i + 1).flatMap((b, j) => {
      const common = [...a].filter((shingle) => b.has(shingle)).length;
      const jaccard = common / (a.size + b.size - common);
      return jaccard >= 0.7 ? [[i, i + 1 + j, jaccard.toFixed(6)].join(' ')] : [];
    }),
  );
  t.true(expected.length >= 6 && expected.length < 40);
  const options = { shingle: 'words:3', threshold: 0.7, recall: 0.999999 } as const;
  for (const [more, hooks] of [
    [{ threads: 0 }, {}],
    [{ threads: 2 }, { inFiles: true }],
    [{ threads: 0, shards: 4 }, {}],
  ] as const) {
    const { inputs } = prepared(t, { 'header.txt': header });
    const { pairs, manifest } = await finished(
      t,
      files,
      { ...options, ...more, ignore: [`${inputs}/header.txt`] },
      hooks,
    );
    const number = (id: string): number => Number(/(\d+)\.txt$/.exec(id)![1]);
    t.deepEqual(
      pairs.map(({ a, b, jaccard }) => [number(a!), number(b!), jaccard].join(' ')),
      expected,
    );
    t.is(manifest.counts.ignored, 0);
  }
});

test('a document that has no other shingles is counted and listed as ignored, and never dropped', async (t) => {
  const header = 'licensed under the terms that every file of this project begins with';
  const other = 'a text of its own that has nothing to do with the licence of the project';
  const { inputs } = prepared(t, { 'h.txt': header });
  const { pairs, dropped, noted, manifest } = await finished(
    t,
    { 'a.txt': header, 'b.txt': header, 'c.txt': other, 'd.txt': other },
    { ignore: [`${inputs}/h.txt`] },
  );
  t.deepEqual(pairNames(pairs), ['c.txt d.txt identical']);
  t.deepEqual(
    dropped.map(({ document }) => document),
    ['d.txt'],
  );
  t.is(manifest.counts.ignored, 2);
  t.deepEqual(
    noted.map(({ document, kind }) => [document, kind]),
    [
      ['a.txt', 'ignored'],
      ['b.txt', 'ignored'],
    ],
  );
});

test('containment in a reference is that of the sets without the ignored shingles', async (t) => {
  const random = randomFrom(5);
  const [header, body] = [wordsFrom(random, 60).join(' '), wordsFrom(random, 20).join(' ')];
  const { inputs } = prepared(t, { 'h.txt': header, 'r/a.txt': `${header} ${body}` });
  const texts = { 'x.txt': header, 'y.txt': `${wordsFrom(random, 9).join(' ')} ${body}` };
  const options = {
    shingle: 'words:3',
    threshold: 0.8,
    measure: 'containment',
    candidates: 'margin',
    against: [`${inputs}/r`],
  } as const;
  const all = await finished(t, texts, options);
  t.deepEqual(pairNames(all.pairs), []);
  const found = await finished(t, texts, { ...options, ignore: [`${inputs}/h.txt`] });
  t.deepEqual(
    found.pairs.map(({ a, b }) => [a!.endsWith('a.txt'), b]),
    [[true, 'in/y.txt']],
  );
});

test('an ignored PATH that is missing or has no shingle is rejected by name', async (t) => {
  const { options, inputs } = prepared(t, { 'a.txt': 'some words', 'none.txt': '' });
  const failing = async (ignore: string): Promise<string> => {
    const error = await t.throwsAsync(run({ ...options, threads: 0, ignore: [ignore] }), {
      instanceOf: MinHashError,
    });
    return `${error.code} ${error.problems[0]!.detail}`;
  };
  t.regex(await failing(`${inputs}/gone.txt`), /^PATH_MISSING .*gone\.txt/);
  t.regex(await failing(`${inputs}/none.txt`), /^OPTION_INVALID ignore .*at least one shingle/);
  t.regex(
    (await t.throwsAsync(run({ ...options, bag: true, ignore: ['x'] })))!.message,
    /ignore.*expected only one of these/,
  );
});
