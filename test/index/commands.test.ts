/** Indexes of real documents: runs, queries and filters answer from them as from the documents themselves. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readIndexManifest, writeIndexManifest } from '../../src/index/indexManifest.js';
import { createIndex, openIndex, run } from '../../src/index.js';
import { errorsOf, programHere } from '../cli/programHere.js';
import { randomWords } from '../data/randomHashes.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const WORDS = 400;

/** Lines of documents, of which some are near copies, and some copies, of documents in `of`. */
function records(seed: number, count: number, of: readonly string[][], name: string): string[][] {
  const random = randomWords(seed);
  const word = (): string => `w${random() % WORDS}`;
  return Array.from({ length: count }, (_, i) => {
    const source = random() % 3 === 0 ? undefined : of[random() % Math.max(1, of.length)];
    const words = source === undefined ? Array.from({ length: 60 }, word) : source.slice(1);
    for (let edits = source === undefined ? 0 : random() % 4; edits > 0; edits--)
      words[random() % 60] = word();
    return [`${name}${i}`, ...words];
  });
}

const linesOf = (documents: readonly string[][]): string =>
  documents.map(([id, ...words]) => `${JSON.stringify({ id, text: words.join(' ') })}\n`).join('');

const A = records(1, 60, [], 'a');
const B = records(2, 60, A, 'b');
const C = records(3, 60, [...A, ...B], 'c');
const FILES = {
  'a.jsonl': linesOf([...A, ...records(9, 20, A, 'A')]),
  'b.jsonl': linesOf(B),
  'c.jsonl': linesOf(C),
  'q.txt': C[5]!.slice(1).join(' '),
  'empty.jsonl': '{"id":"e","text":"..."}\n',
};
const OPTIONS = ['--threshold', '0.6'];

function tablesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const tables = names.filter((name) => /^(pairs|clusters|candidates)\/.*\.tsv$|^duplicates.tsv$/.test(name));
  return Object.fromEntries(tables.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

test.serial(
  'documents that resemble nothing in an index are new, and a first portion can be appended',
  async (t) => {
    const other = records(77, 20, [], 'o').map(([id, ...words]) => [
      id!,
      ...words.map((word) => `other${word}`),
    ]);
    const folder = temporaryFolder(t, { ...FILES, 'other.jsonl': linesOf(other) });
    const here = (...words: string[]) => programHere(folder, words);
    await here('index', 'create', 'ix', ...OPTIONS);
    const append = (name: string) =>
      here('run', `${name}.jsonl`, '--against', 'ix', '--append', '--portion', name, '--out', name);
    for (const [name, read, before] of [
      ['a', 80, 0],
      ['other', 20, 70],
    ] as const) {
      const found = await append(name);
      t.is(found.code, 0, found.stderr);
      const { counts } = JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8')) as {
        counts: { read: number; reference_documents: number; reference_matches: number };
      };
      t.is(counts.read, read);
      t.is(counts.reference_matches, 0);
      t.is(counts.reference_documents, before);
    }
  },
);

test.serial('a run against an index gives the tables of a run against its documents', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const here = (...words: string[]) => programHere(folder, words);
  const plain = ['run', 'c.jsonl', '--against', 'a.jsonl', '--against', 'b.jsonl', ...OPTIONS];
  await here('index', 'create', 'ix', ...OPTIONS);
  for (const name of ['a', 'b']) await here('index', 'add', 'ix', `${name}.jsonl`, '--portion', name);
  t.is((await here(...plain, '--out', 'plain')).code, 0);
  const found = await here('run', 'c.jsonl', '--against', 'ix', '--out', 'indexed');
  t.is(found.code, 0, found.stderr);
  const tables = tablesOf(join(folder, 'plain'));
  t.true(tables['duplicates.tsv']!.split('\n').length > 20);
  t.deepEqual(tablesOf(join(folder, 'indexed')), tables);
  await run(
    { paths: [join(folder, 'c.jsonl')], against: [join(folder, 'ix')], out: join(folder, 'filed') },
    { inFiles: true },
  );
  t.deepEqual(tablesOf(join(folder, 'filed')), tablesOf(join(folder, 'indexed')));
});

test.serial(
  'a run against an index equals a run if half of the documents share buckets larger than the cap',
  async (t) => {
    const alike = (seed: number, name: string) => records(seed, 50, A.slice(0, 1), name);
    const folder = temporaryFolder(t, {
      'a.jsonl': linesOf([...alike(11, 'x'), ...A.slice(0, 20)]),
      'b.jsonl': linesOf(alike(12, 'y')),
      'c.jsonl': linesOf(alike(13, 'z')),
    });
    const here = async (...words: string[]) => t.is((await programHere(folder, words)).code, 0);
    const plain = ['run', 'c.jsonl', '--against', 'a.jsonl', '--against', 'b.jsonl', ...OPTIONS];
    const hot = ['--hot-bucket', '4'];
    await here('index', 'create', 'ix', ...OPTIONS, ...hot);
    for (const name of ['a', 'b']) await here('index', 'add', 'ix', `${name}.jsonl`, '--portion', name);
    await here(...plain, '--out', 'all');
    await here(...plain, ...hot, '--out', 'plain');
    await here('run', 'c.jsonl', '--against', 'ix', '--out', 'indexed');
    const tables = tablesOf(join(folder, 'plain'));
    t.notDeepEqual(tables, tablesOf(join(folder, 'all')));
    t.deepEqual(tablesOf(join(folder, 'indexed')), tables);
  },
);

test.serial('--append adds what a run or a filter keeps, and both keep the same', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const here = (words: string[], input = '') => programHere(folder, words, input);
  for (const ix of ['run.ix', 'filter.ix']) {
    await here(['index', 'create', ix, ...OPTIONS]);
    await here(['index', 'add', ix, 'a.jsonl', '--portion', 'a']);
  }
  const passed = await here(
    ['filter', '--index', 'filter.ix', '--append', '--portion', 'b'],
    FILES['b.jsonl'],
  );
  t.is(passed.code, 0, passed.stderr);
  const against = await here(['filter', '--against', 'a.jsonl', ...OPTIONS], FILES['b.jsonl']);
  const alone = await here(['filter', '--index', 'run.ix'], FILES['b.jsonl']);
  t.is(alone.stdout, against.stdout);
  t.true(passed.stdout.length <= alone.stdout.length);
  await here(['run', 'b.jsonl', '--against', 'run.ix', '--append', '--portion', 'b', '--out', 'found']);
  const portions = async (ix: string) => (await here(['index', 'portions', ix])).stdout;
  t.is(await portions('run.ix'), await portions('filter.ix'));
  const query = async (ix: string) =>
    (await here(['query', 'q.txt', ix])).stdout.replaceAll('-#', 'b.jsonl#');
  t.is(await query('run.ix'), await query('filter.ix'));
  for (const ix of ['run.ix', 'filter.ix']) t.is((await here(['index', 'check', ix])).code, 0);
});

test.serial(
  'a query of an index has the documents, portions and similarities of a query of the files',
  async (t) => {
    const folder = temporaryFolder(t, FILES);
    const here = (...words: string[]) => programHere(folder, words);
    await here('index', 'create', 'ix', ...OPTIONS);
    const added = await here('index', 'add', 'ix', 'a.jsonl', '--portion', 'a');
    t.is(added.stdout, '');
    const near = await here('index', 'add', 'ix', 'b.jsonl', '--portion', 'b');
    t.regex(
      near.stdout,
      /^location\tjaccard\tkind\tnear_location\tnear_portion\nb\.jsonl#\d+\t.*\ta\.jsonl#\d+\ta\n/,
    );
    const table = (await here('query', 'q.txt', 'ix')).stdout;
    t.regex(table, /^rank\tdocument\tresemblance\tbase_in_document\tdocument_in_base\tplace\tportion\n1\t/);
    const answers = (await here('query', 'q.txt', 'ix', '--format', 'jsonl')).stdout
      .split('\n')
      .filter(Boolean);
    const plain = await here(
      'query',
      'q.txt',
      'a.jsonl',
      'b.jsonl',
      '--threshold',
      '0.6',
      '--format',
      'jsonl',
    );
    const expected = plain.stdout.split('\n').filter(Boolean);
    t.true(expected.length > 0);
    t.deepEqual(
      answers.map((line) => JSON.parse(line) as unknown),
      expected.map((line) => {
        const answer = JSON.parse(line) as Record<string, unknown>;
        return { ...answer, portion: String(answer.place)[0] };
      }),
    );
  },
);

test.serial('errors of an index have what differs, what exists and what to type', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const here = async (...words: string[]) => errorsOf((await programHere(folder, words)).stderr);
  await here('index', 'create', 'ix', ...OPTIONS);
  await here('index', 'add', 'ix', 'a.jsonl', '--portion', 'a');
  t.deepEqual(
    await here('index', 'add', 'ix', 'b.jsonl', '--portion', 'b', '--threshold', '0.9', '--seed', '2'),
    [
      'the index was created with other parameters or by another procedure: ix: --threshold: threshold: 0.6 in the index, 0.9 here',
      'the index was created with other parameters or by another procedure: ix: --seed: shingle.seed: 1 in the index, 2 here',
      'the index was created with other parameters or by another procedure: ix: --seed: sketch.seed: 1 in the index, 2 here',
    ],
  );
  t.deepEqual(await here('index', 'add', 'ix', 'b.jsonl', '--portion', 'a'), [
    'the index cannot be changed in this way: --portion a: the index has it already',
  ]);
  t.deepEqual(await here('query', 'q.txt', 'ix', '--method', 'containment', '--threshold', '0.1'), [
    'the index cannot be changed in this way: --method containment: an index answers by resemblance; name the files of the documents for other methods',
    'the index cannot be changed in this way: --threshold 0.1: expected at least that of the index, 0.6',
  ]);
  t.deepEqual(await here('index', 'remove', 'ix', '--portion', 'x'), [
    'the index cannot be changed in this way: --portion x: expected one of the portions: a',
  ]);
  t.deepEqual(await here('index', 'stats', 'none'), ['the folder is not an index: none: no manifest.json']);
  const lock = join(folder, '.ix.mr-minhash-new');
  mkdirSync(lock);
  t.deepEqual(await here('index', 'compact', 'ix'), [
    `another process writes to the index: another run is writing there, or was killed: remove ${lock}`,
  ]);
  utimesSync(lock, 0, 0);
  t.deepEqual(await here('index', 'compact', 'ix', '-q'), []);
  t.false(existsSync(lock));
  t.is((await programHere(folder, ['index', 'create', 'other', '-q'])).stderr, '');
  t.deepEqual(await here('index', 'frob'), [
    'expected one of create, add, portions, stats, check, remove, compact, got frob',
  ]);
  t.deepEqual(await here('run', 'b.jsonl', '--append', '--out', 'r'), [
    '--append --portion: expected together with --against INDEX',
  ]);
  t.false(existsSync(join(folder, 'r')));
});

test.serial('documents are removed by portion, by id and by the day they were last seen', async (t) => {
  const folder = temporaryFolder(t, { ...FILES, ids: 'a3\nb.jsonl#5\nnone\n' });
  const here = (...words: string[]) => programHere(folder, words);
  await here('index', 'create', 'ix', ...OPTIONS);
  for (const name of ['a', 'b']) await here('index', 'add', 'ix', `${name}.jsonl`, '--portion', name);
  t.deepEqual((await here('index', 'remove', 'ix', '--ids', 'ids')).stderr.split('\n').slice(0, 2), [
    'warning: 1 line of ids is not the id or location of a document, first none',
    'Removed 2 documents',
  ]);
  t.deepEqual(errorsOf((await here('index', 'remove', 'ix', '--ids', 'no')).stderr), [
    '--ids no: there is no such file',
  ]);
  t.regex((await here('index', 'remove', 'ix', '--not-seen-since', '2020-01-01')).stderr, /Removed 0/);
  t.regex((await here('index', 'remove', 'ix', '--portion', 'a')).stderr, /Removed 79/);
  // The name of a portion without documents can be used again, before the bytes are given back too.
  t.regex((await here('index', 'add', 'ix', 'a.jsonl', '--portion', 'a')).stderr, /as portion a/);
  t.is((await here('index', 'check', 'ix')).code, 0);
  t.regex((await here('index', 'remove', 'ix', '--portion', 'a')).stderr, /Removed 80/);
  t.is((await here('index', 'compact', 'ix')).stderr, 'ix has 59 documents in 1 segment\n');
  t.is(
    (await here('index', 'portions', 'ix', '--json')).stdout.match(/"name":"(\w)"/g)!.join(),
    '"name":"b"',
  );
  t.regex((await here('index', 'remove', 'ix', '--not-seen-since', '2100-01-01')).stderr, /Removed 59/);
});

test.serial('documents that an addition, a run or a filter resembled are seen on that day', async (t) => {
  const folder = temporaryFolder(t, { ...FILES, 'b1.jsonl': linesOf(B.slice(0, 20)) });
  const here = (words: readonly string[], input = '') => programHere(folder, words, input);
  const text = (document: readonly string[]) => document.slice(1).join(' ');
  for (const words of [
    ['index', 'add', 'ix', 'b1.jsonl', '--portion', 'b'],
    ['run', 'b1.jsonl', '--against', 'ix', '--append', '--portion', 'b', '--out', 'found'],
    ['filter', '--index', 'ix', '--append', '--portion', 'b'],
  ]) {
    const ix = join(folder, 'ix');
    rmSync(ix, { recursive: true, force: true });
    await here(['index', 'create', 'ix', ...OPTIONS]);
    await here(['index', 'add', 'ix', 'a.jsonl', '--portion', 'a']);
    const manifest = readIndexManifest(ix);
    const portions = manifest.portions.map((portion) => ({ ...portion, added: '2020-01-01' }));
    writeIndexManifest(ix, { ...manifest, portions });
    const index = await openIndex(ix);
    const seen = new Set<string>();
    // A filter needs the best answer alone.
    const top = words[0] === 'filter' ? 1 : 1000;
    for (const document of B.slice(0, 20))
      for (const { location } of await index.query(text(document), { top })) seen.add(location);
    t.is((await here(words, FILES['b.jsonl'].split('\n').slice(0, 20).join('\n'))).code, 0);
    const removed = await here(['index', 'remove', 'ix', '--not-seen-since', '2020-01-02']);
    t.regex(removed.stderr, new RegExp(`^Removed ${80 - seen.size} documents`), words[0]);
    const left = new Set<string>();
    for (const document of A)
      for (const { location, portion } of await index.query(text(document), { top: 1000 }))
        if (portion === 'a') left.add(location);
    t.deepEqual([...left].sort(), [...seen].sort());
    await index.close();
  }
});

test('progress counts the batches of the inputs, and not the documents of an index', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const [index, input] = [join(folder, 'ix'), join(folder, 'a.jsonl')];
  createIndex(index, { threshold: 0.6 });
  await (await openIndex(index)).add([{ id: 'a', text: A[0]!.slice(1).join(' ') }], { portion: 'a' });
  const seen: string[] = [];
  await run(
    { paths: [input], against: [index], out: join(folder, 'out') },
    { onProgress: ({ stage, done, total }) => stage === 'sketch' && seen.push(`${done} of ${total}`) },
  );
  t.deepEqual(seen, ['1 of 1']);
});

test('the library adds, looks up and removes documents in memory', async (t) => {
  const folder = join(temporaryFolder(t), 'ix');
  createIndex(folder, { threshold: 0.6 });
  const index = await openIndex(folder);
  const other = await openIndex(folder);
  const texts = (documents: readonly string[][]) =>
    documents.map(([id, ...words]) => ({ id: id!, text: words.join(' ') }));
  t.like(await index.add(texts(A), { portion: 'a' }), { documents: A.length, near: 0, empty: 0 });
  const { near } = await index.add([...texts(B), { id: 'e', text: '' }], { portion: 'b' });
  t.true(near > 10);
  t.is(index.documents, A.length + B.length);
  const [best] = await other.query(texts(A)[7]!.text);
  t.deepEqual(best, { document: 'a7', location: '#8', portion: 'a', jaccard: 1, kind: 'identical' });
  t.deepEqual(await index.query('...'), []);
  await t.throwsAsync(index.query('x', { threshold: 0.1 }), { code: 'OPTION_INVALID' });
  await t.throwsAsync(index.add([], { portion: 'a' }), { code: 'INDEX_REFUSED' });
  t.is(await index.remove({ portion: 'a' }), A.length);
  await index.add([{ id: 'e', text: '' }], { portion: 'a' });
  t.is(await index.remove({ portion: 'a' }), 0);
  t.deepEqual(
    index.portions.map(({ name }) => name),
    ['b'],
  );
  await index.compact();
  t.is(other.documents, B.length);
  t.false((await other.query(texts(A)[7]!.text)).some(({ portion }) => portion === 'a'));
  await index.close();
  await other.close();
  writeFileSync(join(folder, 'manifest.json'), '{}');
  await t.throwsAsync(openIndex(folder), { code: 'INDEX_MISSING' });
});
