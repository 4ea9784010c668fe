import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
  type FilteredDocument,
  type FilterOptions,
  filterDocuments,
  findDuplicates,
  type GivenDocument,
  MinHashError,
  resemblance,
} from '../../../src/index.js';
import { identicalPages, nearCopies } from '../../data/nearCopies.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

async function filtered(
  documents: Iterable<GivenDocument> | AsyncIterable<GivenDocument>,
  options: FilterOptions = {},
): Promise<FilteredDocument[]> {
  const found: FilteredDocument[] = [];
  for await (const document of filterDocuments(documents, options)) found.push(document);
  return found;
}

/** Families of edited copies between texts of their own; ids ascend. */
function families(seed: number, count: number): { id: string; text: string }[] {
  const random = randomFrom(seed);
  const bases = Array.from({ length: 30 }, () => wordsFrom(random, 20 + Math.floor(random() * 200)));
  return Array.from({ length: count }, (_, i) => {
    const base = bases[Math.floor(random() * bases.length)]!;
    const text = edited(random, base, Math.floor(random() * 12)).join(random() < 0.1 ? '  ' : ' ');
    return { id: String(i).padStart(6, '0'), text };
  });
}

test('known answers: identical, token-identical, near, dissimilar, empty', async (t) => {
  const text = 'the quick brown fox jumps over the lazy dog and runs away from the big bad wolf in the woods';
  const found = await filtered([
    { id: 'a', text },
    { id: 'b', text: 'something else that is said in other words' },
    { id: 'c', text },
    { id: 'd', text: `${text.toUpperCase()}!` },
    { id: 'e', text: text.replace('woods', 'forest') },
    { id: 'f', text: '' },
    { id: 'g', text: ' .. ' },
  ]);
  t.deepEqual(
    found.map(({ id, kept, resembles, kind }) => [id, kept, resembles, kind]),
    [
      ['a', true, null, null],
      ['b', true, null, null],
      ['c', false, 'a', 'identical'],
      ['d', false, 'a', 'same-tokens'],
      ['e', false, 'a', 'near'],
      ['f', true, null, null],
      ['g', true, null, null],
    ],
  );
  t.is(found[4]!.jaccard, 15 / 17);
  t.is(found[4]!.resemblesIndex, 0);
  t.true(Number.isNaN(found[0]!.jaccard));
});

test('a document that resembles only a dropped one is kept', async (t) => {
  const words = Array.from({ length: 60 }, (_, i) => `w${i}`);
  const change = (at: number, from: readonly string[]): string[] =>
    from.map((word, i) => (i === at ? `${word}x` : word));
  const near = change(30, words);
  const further = change(10, near);
  const texts = [words, near, further].map((list) => list.join(' '));
  t.true(resemblance(texts[1]!, texts[2]!) >= 0.8);
  t.true(resemblance(texts[0]!, texts[2]!) < 0.8);
  const found = await filtered(texts);
  t.deepEqual(
    found.map(({ kept, resembles }) => [kept, resembles]),
    [
      [true, null],
      [false, '0'],
      [true, null],
    ],
  );
});

test('the answers equal the drop list of a run, and each is correct', async (t) => {
  for (const [seed, options] of [
    [1, {}],
    [2, { threshold: 0.5 }],
    [3, { verify: 'signature', threshold: 0.6, hashes: 100 }],
    [4, { bag: true, shingle: 'chars:5', threshold: 0.7 }],
    [5, { sketch: 'classic', shingle: 'lines:1', threshold: 0.9 }],
    [6, { sketch: 'classic', shingle: 'words:2', seed: 7, threshold: 0.6 }],
    [7, { shingle: 'stopwords:2', stopWords: ['w1', 'w2', 'w3', 'w4', 'w5'], threshold: 0.4 }],
  ] as const) {
    const documents = families(seed, 300);
    const found = await filtered(documents, { ...options, hotBucket: 1_000_000 });
    const { dropped } = await findDuplicates(documents, { ...options, hotBucket: 1_000_000, threads: 0 });
    t.deepEqual(
      found.filter(({ kept }) => !kept).map(({ id, resembles, jaccard }) => [id, resembles, jaccard]),
      dropped.map(({ document, kept, jaccard }) => [document, kept, jaccard]),
      JSON.stringify(options),
    );
    if (seed > 2) continue;
    const textOf = new Map(documents.map(({ id, text }) => [id, text]));
    for (const { id, resembles, jaccard } of found.filter(({ kept }) => !kept)) {
      t.is(resemblance(textOf.get(id)!, textOf.get(resembles!)!), jaccard);
    }
  }
});

test('no verified pair remains among kept documents', async (t) => {
  const documents = families(11, 500);
  const kept = (await filtered(documents, { threshold: 0.6 })).filter((one) => one.kept);
  const texts = kept.map(({ index }) => documents[index]!);
  const { pairs } = await findDuplicates(texts, { threshold: 0.6, threads: 0 });
  t.deepEqual(pairs, []);
});

/** 800 KB in few words, which take little time: of 30 MB that are left of the least memory 42 of these are more. */
function longText(random: () => number): string {
  const words = wordsFrom(random, 8000);
  return words.map((word) => word.padEnd(99, 'a')).join(' ');
}

test.serial(
  'texts that do not fit into memory go to a temporary file, and the answers are the same',
  async (t) => {
    const random = randomFrom(5);
    const bases = Array.from({ length: 42 }, () => longText(random));
    const copies = bases.map((text) => `${text} and so on`);
    const documents = [...bases, ...copies, bases[0]!];
    const found = await filtered(documents, { memory: '84MB' });
    t.deepEqual(
      found.map(({ kept, resemblesIndex, kind }) => [kept, resemblesIndex, kind]),
      [
        ...bases.map(() => [true, null, null]),
        ...copies.map((_, i) => [false, i, 'near']),
        [false, 0, 'identical'],
      ],
    );
    t.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith('mr-minhash-filter-')),
      [],
    );
  },
);

function scratchIn(t: ExecutionContext, folder: string): void {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  t.teardown(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
}

test.serial('a missing folder for temporary files is reported', async (t) => {
  scratchIn(t, join(temporaryFolder(t), 'nowhere'));
  const random = randomFrom(6);
  const texts = Array.from({ length: 42 }, () => longText(random));
  const error = await t.throwsAsync(filtered(texts, { memory: '84MB' }), { instanceOf: MinHashError });
  t.is((error as MinHashError).code, 'SCRATCH_FAILED');
  t.regex(error!.message, /nowhere.*its folder is no longer there/);
});

test('texts of several MB are compared exactly', async (t) => {
  const random = randomFrom(7);
  const words = Array.from({ length: 60_000 }, () => `w${Math.floor(random() * 1e6)}`.padEnd(99, 'a'));
  const texts = [words, words.slice(2_000), words.slice(13_000)].map((list) => list.join(' '));
  t.true(texts[2]!.length > 4 << 20);
  const found = await filtered(texts, { memory: '84MB', threshold: 0.7 });
  t.deepEqual(
    found.map(({ kept, resembles }) => [kept, resembles]),
    [
      [true, null],
      [false, '0'],
      [false, '0'],
    ],
  );
  t.is(found[1]!.jaccard, resemblance(texts[0]!, texts[1]!));
  t.is(found[2]!.jaccard, resemblance(texts[0]!, texts[2]!));
});

test('when memory is full the earliest documents are forgotten, which is reported', async (t) => {
  function* many(): Generator<string> {
    for (let i = 0; i < 3_000; i++) yield `a${i} b${i} c${i} d${i} e${i} f${i}`;
    yield 'a0 b0 c0 d0 e0 f0';
    yield 'a2900 b2900 c2900 d2900 e2900 f2900';
  }
  const told: { documents: number; memory: number }[] = [];
  // Long signatures and many bands fill the index soon.
  const options = {
    memory: '84MB',
    hashes: 1024,
    bands: 512,
    rows: 2,
    onForgotten: (forgotten: { documents: number; memory: number }) => told.push(forgotten),
  };
  const found = await filtered(many(), options);
  t.true(told.length > 0);
  const { documents, memory } = told.at(-1)!;
  t.true(documents > 500 && documents < 2_800, `${documents}`);
  t.true(memory > 84e6 && memory < 200e6, `${memory}`);
  t.true(found.at(-2)!.kept, 'forgotten');
  t.is(found.at(-1)!.resembles, '2900');
  const enough = await filtered(many(), {
    hashes: 1024,
    bands: 512,
    rows: 2,
    memory: Math.ceil(1.6 * memory),
    onForgotten: () => t.fail(),
  });
  t.is(enough.at(-2)!.resembles, '0');
});

test('with against, documents are compared with the reference only', async (t) => {
  const [page, copy, other] = nearCopies(3).map(({ text }) => text);
  const folder = temporaryFolder(t, {
    'a.txt': page!,
    'b.jsonl': `${JSON.stringify({ id: 'one', text: 'not of this world at all but of another' })}\n{"text":"x y z"}\n`,
    'c/d.txt': page!,
  });
  const found = await filtered(
    [
      { id: 'p', text: page! },
      { id: 'q', text: copy! },
      { id: 'r', text: 'all of this is new and unlike the rest' },
      { id: 's', text: 'all of this is new and unlike the rest' },
      { id: 't', text: 'Not of this world at all, but of another' },
      { id: 'u', text: 'x, y, z' },
      { id: 'v', text: other! },
    ],
    { against: [folder], threshold: 0.7 },
  );
  t.deepEqual(
    found.map(({ id, kept, resembles, resemblesIndex }) => [id, kept, resembles, resemblesIndex]),
    [
      ['p', false, 'a.txt', null],
      ['q', false, 'a.txt', null],
      ['r', true, null, null],
      ['s', true, null, null],
      ['t', false, 'one', null],
      ['u', false, 'b.jsonl#2', null],
      ['v', false, 'a.txt', null],
    ],
  );
});

test.serial('against reads inputs as a run does, in little memory, and reports progress', async (t) => {
  const [folder, scratch] = [temporaryFolder(t), temporaryFolder(t)];
  scratchIn(t, scratch);
  const lines = Array.from({ length: 60_000 }, (_, i) =>
    JSON.stringify({ text: `a${i} b${i} c${i} d${i} e${i} f${i} ${'x'.repeat(60)}` }),
  );
  writeFileSync(join(folder, 'many.jsonl'), `${lines.join('\n')}\n`);
  writeFileSync(
    join(folder, 'some.json'),
    `[${lines
      .slice(0, 3)
      .map((line) => line.replaceAll('a', 'q'))
      .join(',')}]`,
  );
  const stages: string[] = [];
  const options = {
    against: [folder],
    ...{ bands: 64, rows: 2, memory: '84MB' },
    onProgress: ({ stage }: { stage: string }) => stages.push(stage),
  };
  const asked = ['a59999 b59999 c59999 d59999 e59999 f59999', 'q2 b2 c2 d2 e2 f2'].map(
    (text) => `${text} ${'x'.repeat(60)}`,
  );
  const found = await filtered(asked, options);
  t.deepEqual(
    found.map(({ resembles }) => resembles),
    ['many.jsonl#60000', 'some.json#3'],
  );
  t.is(stages.at(-1), 'sketch');
  t.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('mr-minhash-filter-')),
    [],
  );
});

test('each document is decided before the next one is read', async (t) => {
  const events: string[] = [];
  async function* source(): AsyncGenerator<string> {
    for (const text of ['a b', 'c d', 'a b']) {
      events.push(`given ${text}`);
      yield text;
    }
  }
  for await (const { index, kept } of filterDocuments(source())) events.push(`answered ${index} ${kept}`);
  t.deepEqual(events, [
    ...['given a b', 'answered 0 true', 'given c d', 'answered 1 true', 'given a b', 'answered 2 false'],
  ]);
});

test('many identical documents take one entry, and an empty input yields nothing', async (t) => {
  const found = await filtered(identicalPages(5000));
  t.is(found.filter(({ kept }) => kept).length, 1 + found.slice(5000).filter(({ kept }) => kept).length);
  t.deepEqual(await filtered([]), []);
});

test('documents that share only a band are compared by their signatures', async (t) => {
  // One slot decides a band, so that nearly all share buckets.
  const documents = families(21, 400);
  const found = await filtered(documents, { bands: 128, rows: 1, threshold: 0.9, hotBucket: 1_000_000 });
  const { dropped } = await findDuplicates(documents, {
    bands: 128,
    rows: 1,
    threshold: 0.9,
    hotBucket: 1_000_000,
  });
  t.is(found.filter(({ kept }) => !kept).length, dropped.length);
});

test('if thousands share boilerplate, the nearest are compared, and a copy of an early one is found', async (t) => {
  const random = randomFrom(31);
  const boilerplate = Array.from({ length: 120 }, (_, i) => `b${i}`);
  const pages = Array.from({ length: 2500 }, () => [...boilerplate, ...wordsFrom(random, 28)]);
  const copies = [3, 700, 2000].map((i) => pages[i]!.with(130, 'changed'));
  const texts = [...pages, ...copies].map((words) => words.join(' '));
  const found = await filtered(texts, { hotBucket: 64 });
  t.deepEqual(
    found.slice(-3).map(({ resembles }) => resembles),
    ['3', '700', '2000'],
  );
  t.true(found.slice(0, -3).every(({ kept }) => kept));
});

test('invalid options are reported immediately', async (t) => {
  const options = {
    threshold: 2,
    sketch: 'min-s',
    verify: 'none',
    out: 'x',
    include: ['*.ts'],
    onProgress: 5,
  } as const;
  const error = await t.throwsAsync(filtered([], options as unknown as FilterOptions), {
    instanceOf: MinHashError,
  });
  t.deepEqual(
    (error as MinHashError).problems.map(({ detail }) => detail.split(':')[0]),
    ['threshold 2', 'sketch min-s', 'out', 'verify none', 'include', 'onProgress 5'],
  );
  await t.throwsAsync(filtered([], { against: ['-'] }), { message: /standard input is filtered/ });
  await t.throwsAsync(filtered([], { against: ['no-such-place'] }), { message: /no-such-place/ });
  await t.throwsAsync(filtered([{ id: 'a' }] as unknown as GivenDocument[]), {
    message: /expected its text/,
  });
  await t.throwsAsync(filtered(5 as unknown as GivenDocument[]), { message: /expected an array/ });
});

test('an aborted signal ends the filter with its reason', async (t) => {
  const stop = new AbortController();
  async function* endless(): AsyncGenerator<string> {
    yield 'a b c';
    stop.abort(new Error('enough'));
    await new Promise(() => {});
  }
  await t.throwsAsync(filtered(endless(), { signal: stop.signal }), { message: 'enough' });
});
