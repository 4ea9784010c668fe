import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import {
  CorpusWords,
  compareBy,
  containment,
  METHOD_NAMES,
  MinHashError,
  type QueryAnswer,
  type QueryBase,
  type QueryHooks,
  type QueryOptions,
  type QueryRead,
  type QuerySource,
  query,
  resemblance,
} from '../../../src/index.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

async function answersTo(
  base: QueryBase | readonly QueryBase[],
  source: QuerySource,
  options: QueryOptions = {},
  hooks: QueryHooks = {},
): Promise<QueryAnswer[]> {
  const answers: QueryAnswer[] = [];
  for await (const answer of query(base, source, options, hooks)) answers.push(answer);
  return answers;
}

/** Texts of which every fifth is a copy of the first with more and more edits, and some hold a part of it. */
function corpus(count: number, seed = 7): { readonly base: string; readonly texts: readonly string[] } {
  const random = randomFrom(seed);
  const base = wordsFrom(random, 200);
  const texts = Array.from({ length: count }, (_, i) => {
    if (i % 5 === 0) return edited(random, base, i).join(' ');
    const own = wordsFrom(random, 150 + i);
    return i % 5 === 1
      ? [...own, ...base.slice(i, i + 60), ...wordsFrom(random, 20)].join(' ')
      : own.join(' ');
  });
  return { base: base.join(' '), texts };
}

test('answers equal those of a comparison with every text, best first', async (t) => {
  const { base, texts } = corpus(60);
  for (const method of ['resemblance', 'containment'] as const) {
    const expected = texts
      .map((text, i) => {
        const values = {
          resemblance: resemblance(base, text),
          base_in_document: containment(base, text),
          document_in_base: containment(text, base),
        };
        const share = Math.max(values.base_in_document, values.document_in_base);
        return {
          i,
          values,
          rank: method === 'containment' ? [share, values.resemblance] : [values.resemblance],
        };
      })
      .filter(({ rank }) => rank[0]! >= 0.05)
      .sort((x, y) => y.rank[0]! - x.rank[0]! || (y.rank[1] ?? 0) - (x.rank[1] ?? 0) || x.i - y.i);
    const found = await answersTo(base, texts, { method, threshold: 0.05, top: 'all' });
    t.deepEqual(
      found.map(({ document }) => document),
      expected.map(({ i }) => String(i)),
    );
    found.forEach(({ values, rank }, at) => {
      t.is(rank, at + 1);
      t.like(values, expected[at]!.values);
    });
    const three = await answersTo(base, texts, { method, threshold: 0.05, top: 3 });
    t.deepEqual(three, found.slice(0, 3));
  }
});

test('answers with equal values are in reading order', async (t) => {
  const texts = Array.from({ length: 300 }, (_, i) =>
    i % 2 === 0 ? 'the same few words in a row' : `other ${i}`,
  );
  const found = await answersTo('the same few words in a row', texts, { top: 5 });
  t.deepEqual(
    found.map(({ document }) => document),
    ['0', '2', '4', '6', '8'],
  );
});

test('files, lines, compressed lines, standard input and memory give the same answers, on any number of threads', async (t) => {
  const { base, texts } = corpus(80);
  const names = texts.map((_, i) => String(i).padStart(3, '0'));
  const lines = texts.map((text, i) => `${JSON.stringify({ id: names[i], text })}\n`).join('');
  const folder = temporaryFolder(t, {
    ...Object.fromEntries(texts.map((text, i) => [`files/${names[i]}`, text])),
    'lines.jsonl': lines,
    'packed.jsonl.gz': gzipSync(lines),
  });
  const options = { threshold: 0.02, top: 1000, explain: true, distinct: true } as const;
  const memory = texts.map((text, i) => ({ id: names[i]!, text }));
  const told = (answers: readonly QueryAnswer[]): unknown[] =>
    answers.map(({ place: _, ...answer }) => answer);
  const expected = told(await answersTo(base, memory, { ...options, threads: 0 }));
  t.true(expected.length > 10);
  for (const [path, threads] of [
    ['files', 0],
    ['files', 2],
    ['lines.jsonl', 2],
    ['packed.jsonl.gz', 0],
  ] as const) {
    const found = await answersTo(base, { paths: [join(folder, path)] }, { ...options, threads });
    t.deepEqual(told(found), expected, `${path} on ${threads}`);
  }
  const piped = await answersTo(base, { paths: ['-'] }, { ...options, threads: 0 }, { stdin: [lines] });
  t.deepEqual(told(piped), expected);
});

test('every method gives the values of a comparison of two texts, from any source', async (t) => {
  const { base, texts } = corpus(15, 5);
  // Words that repeat, so that some are selected and some are in no other text; and sentences.
  const repeating = (text: string): string =>
    text.replaceAll(/w(\d+)/g, (_, digits: string) => {
      const n = Number(digits);
      return `w${n < 2500 ? n % 40 : n}${n % 5 === 0 ? '.' : ''}`;
    });
  const told = texts.map(repeating);
  const asked = repeating(base);
  const folder = temporaryFolder(t, {
    ...Object.fromEntries(told.map((text, i) => [`files/${String(i).padStart(3, '0')}`, text])),
    'lines.jsonl': told.map((text) => `${JSON.stringify({ text })}\n`).join(''),
  });
  const words = new CorpusWords();
  for (const text of told) words.add(text);
  // Each method has one of the sources: how a document comes is not its affair.
  const sources = ['files', 'lines.jsonl', '-'];
  for (const [i, method] of METHOD_NAMES.entries()) {
    const options = { method, threshold: 1e-9, top: 'all' } as const;
    const found = await answersTo(asked, told, { ...options, threads: 0 });
    t.true(found.length > 0, method);
    for (const { document, values } of found) {
      const alone = compareBy(asked, told[Number(document)]!, { method, corpus: words });
      t.deepEqual(values, { ...alone.values }, `${method}, ${document}`);
    }
    const places = found.map(({ rank, values }) => ({ rank, values }));
    const lines = readFileSync(join(folder, 'lines.jsonl'));
    const path = sources[i % sources.length]!;
    const paths = [path === '-' ? path : join(folder, path)];
    const again = await answersTo(asked, { paths }, { ...options, threads: 0 }, { stdin: [lines] });
    t.deepEqual(
      again.map(({ rank, values }) => ({ rank, values })),
      places,
      `${method} from ${path}`,
    );
  }
});

test('distinct answers are kept greedily from the best on, by exact resemblance', async (t) => {
  const { base, texts } = corpus(100, 3);
  const all = await answersTo(base, texts, { threshold: 0.02, top: 'all' });
  const kept: string[] = [];
  for (const { document } of all) {
    const text = texts[Number(document)]!;
    if (kept.every((better) => resemblance(texts[Number(better)]!, text) < 0.8)) kept.push(document);
  }
  t.true(kept.length < all.length);
  const found = await answersTo(base, texts, { threshold: 0.02, top: 1000, distinct: true });
  t.deepEqual(
    found.map(({ document }) => document),
    kept,
  );
  t.deepEqual(await answersTo(base, texts, { threshold: 0.02, top: 4, distinct: true }), found.slice(0, 4));
});

test('planted passages of 30, 100 and 300 words in long texts are found first by containment, with their positions', async (t) => {
  const random = randomFrom(11);
  const base = wordsFrom(random, 2000);
  const others = Array.from({ length: 60 }, () => wordsFrom(random, 5000).join(' '));
  for (const length of [30, 100, 300]) {
    const passage = base.slice(400, 400 + length);
    const before = wordsFrom(random, 3000);
    const planted = [...before, ...passage, ...wordsFrom(random, 2000)].join(' ');
    const texts = [...others.slice(0, 40), planted, ...others.slice(40)];
    const [first] = await answersTo(passage.join(' '), texts, { method: 'containment', explain: true });
    t.is(first!.document, '40');
    t.is(first!.values.base_in_document, 1);
    const [longest] = first!.passages!;
    t.is(longest!.words, length);
    t.like(longest!.base, { wordFrom: 0, wordTo: length, byteFrom: 0 });
    t.like(longest!.document, { wordFrom: 3000, wordTo: 3000 + length });
    t.is(longest!.document.byteFrom, before.join(' ').length + 1);
    // A long base with the passage somewhere in it: a small share, and still the best.
    const [best] = await answersTo(base.join(' '), texts, {
      method: 'containment',
      threshold: 0.001,
      explain: true,
    });
    t.is(best!.document, '40');
    t.like(best!.passages![0]!.base, { wordFrom: 400, wordTo: 400 + length });
  }
});

test('several bases have separate answers, and a base that is a file of the corpus is not its own answer', async (t) => {
  const text = 'one two three four five six seven eight';
  const folder = temporaryFolder(t, { 'a.txt': text, 'b.txt': `${text} nine`, 'c.txt': 'ten eleven twelve' });
  const path = join(folder, 'a.txt');
  const found = await answersTo(
    [{ text, path }, text, 'ten eleven twelve', ''],
    { paths: [folder] },
    { threshold: 0.5 },
  );
  t.deepEqual(
    found.map(({ base, rank, document }) => [base, rank, document]),
    [
      [0, 1, 'b.txt'],
      [1, 1, 'a.txt'],
      [1, 2, 'b.txt'],
      [2, 1, 'c.txt'],
    ],
  );
  const alone = await answersTo({ text, path }, { paths: [path, join(folder, 'b.txt')] }, { threshold: 0.5 });
  t.deepEqual(
    alone.map(({ document }) => document),
    ['b.txt'],
  );
});

test('read and skipped documents are reported, and bases that nothing can match', async (t) => {
  const folder = temporaryFolder(t, {
    'a.jsonl': '{"id":"x","text":"one two three"}\n{broken\n{"text":"\\ud800 one"}\n',
    'b.txt': new Uint8Array([1, 0, 2]),
    'c.txt': '',
    'd.json': '{"no": "text"}',
    'e.csv': 'no\ntext\n',
  });
  const skipped: string[] = [];
  let read: QueryRead | null = null;
  const hooks: QueryHooks = {
    onRead: (counts) => {
      read = counts;
    },
    onSkipped: (place, code) => skipped.push(`${place} ${code}`),
  };
  const found = await answersTo(['one two three', ' . '], { paths: [folder] }, {}, hooks);
  t.deepEqual(
    found.map(({ document, place }) => [document, place]),
    [['x', 'a.jsonl#1']],
  );
  t.like(read, {
    documents: 5,
    repaired: 1,
    asText: 2,
    matches: 1,
    skipped: { JSON_BROKEN: 1, BINARY: 1 },
    barren: [1],
  });
  t.deepEqual(skipped, ['a.jsonl#2 JSON_BROKEN', 'b.txt BINARY']);
  const failing = answersTo('one', { paths: [folder] }, { onError: 'fail' });
  t.is((await t.throwsAsync<MinHashError>(failing)).code, 'INPUT_REFUSED');
});

test('a file that is removed while it is read is reported once, however many parts are missing', async (t) => {
  const line = `${JSON.stringify({ text: 'one two three '.repeat(300) })}\n`;
  const lines = line.repeat(Math.ceil(12e6 / line.length));
  const folder = temporaryFolder(t, { 'a.jsonl': line, 'b.jsonl': lines });
  const skipped: string[] = [];
  const hooks: QueryHooks = {
    onProgress: () => rmSync(join(folder, 'b.jsonl'), { force: true }),
    onSkipped: (place, code) => skipped.push(`${place} ${code}`),
  };
  await answersTo('one', { paths: [folder] }, { threads: 0 }, hooks);
  t.deepEqual(skipped, ['b.jsonl VANISHED']);
});

test('all problems are reported at once, before anything is read', async (t) => {
  const wrong = {
    method: 'sswg',
    distinct: true,
    top: 0,
    threshold: 0,
    guarantee: 3,
    nosie: 5,
    input: 'sets',
  } as object;
  const error = await t.throwsAsync<MinHashError>(answersTo('a', { paths: ['/nowhere/at/all'] }, wrong));
  t.true(error instanceof MinHashError);
  const details = error.problems.map(({ detail }) => detail);
  for (const part of [
    'method sswg',
    'top 0',
    'threshold 0',
    'guarantee',
    'nosie',
    'input sets',
    '/nowhere',
  ]) {
    t.true(
      details.some((detail) => detail.includes(part)),
      `${part} in ${details.join(' | ')}`,
    );
  }
  t.is((await t.throwsAsync<MinHashError>(answersTo(5 as never, ['a']))).code, 'DOCUMENT_INVALID');
  t.is((await t.throwsAsync<MinHashError>(answersTo('a', 'text' as never))).code, 'DOCUMENT_INVALID');
  const word = answersTo('a', { paths: 'word' } as never);
  t.regex((await t.throwsAsync<MinHashError>(word)).message, /paths word: expected a list/);
  t.is((await t.throwsAsync<MinHashError>(answersTo('a', ['a'], null as never))).code, 'OPTION_INVALID');
});

test('leaving the answers early ends the workers, and a signal ends a query', async (t) => {
  const { base, texts } = corpus(30);
  for await (const answer of query(base, texts, { threads: 1, threshold: 0.02 })) {
    t.is(answer.rank, 1);
    break;
  }
  const controller = new AbortController();
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      yield texts[0]!;
      controller.abort();
    }
  }
  const stopped = answersTo(base, endless(), { threads: 0 }, { signal: controller.signal });
  await t.throwsAsync(stopped, { any: true });
});

test('a corpus without documents is an error, an empty list of documents is not', async (t) => {
  const folder = temporaryFolder(t, { 'x/': '' });
  const error = await t.throwsAsync<MinHashError>(answersTo('a b c', { paths: [folder] }));
  t.is(error.code, 'NOTHING_READ');
  t.deepEqual(await answersTo('a b c', []), []);
});

// Serial: what other runs keep meanwhile lies elsewhere.
test.serial('the copy of standard input is removed', async (t) => {
  const usual = process.env.TMPDIR;
  const folder = temporaryFolder(t);
  process.env.TMPDIR = folder;
  t.teardown(() => {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
  });
  const line = `${JSON.stringify({ text: 'one two three four five six' })}\n`;
  const found = await answersTo(
    'one two three four five six',
    { paths: ['-'] },
    { explain: true },
    { stdin: [line] },
  );
  t.is(found[0]!.passages![0]!.words, 6);
  t.deepEqual(readdirSync(folder), []);
});
