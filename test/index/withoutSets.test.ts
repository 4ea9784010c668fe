/** Indexes without sets: they answer as others, from their sources; what cannot be read again is counted, and never an answer. */
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { readIndexManifest, writeIndexManifest } from '../../src/index/indexManifest.js';
import { createIndex, openIndex } from '../../src/index.js';
import { errorsOf, programHere } from '../cli/programHere.js';
import { randomWords } from '../data/randomHashes.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const random = randomWords(11);
const word = (): string => `w${random() % 500}`;
const FAMILIES = Array.from({ length: 5 }, () => Array.from({ length: 60 }, word));

/** Texts of which some resemble others, also those of other calls. */
function texts(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const words = i % 2 === 0 ? [...FAMILIES[i % 5]!] : Array.from({ length: 60 }, word);
    for (let edits = i % 4; edits > 0; edits--) words[random() % 60] = word();
    return words.join(' ');
  });
}

const lines = (some: readonly string[]): string =>
  some.map((text, i) => `${JSON.stringify({ id: `d${i}`, body: text })}\n`).join('');
const [OLD, FOLDER, NEW] = [texts(60), texts(20), texts(40)];
const FILES = {
  'old.jsonl': lines(OLD),
  ...Object.fromEntries(FOLDER.map((text, i) => [`texts/${i % 3}/${i}.txt`, text])),
  'new.jsonl': lines(NEW),
  'q.txt': FAMILIES[2]!.join(' '),
};
const FIELD = ['--text-field', 'body'];

/** Two indexes of the same portions, with and without sets. */
async function indexes(folder: string): Promise<void> {
  for (const name of ['with', 'without']) {
    const sets = name === 'with' ? [] : ['--without-sets'];
    await programHere(folder, ['index', 'create', name, '--threshold', '0.6', ...sets]);
    await programHere(folder, ['index', 'add', name, 'old.jsonl', '--portion', 'old', ...FIELD]);
    await programHere(folder, ['index', 'add', name, 'texts', '--portion', 'texts']);
  }
}

function tablesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const tables = names.filter((name) => /^(pairs|clusters|candidates)\/.*\.tsv$|^duplicates.tsv$/.test(name));
  return Object.fromEntries(tables.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
}

test.serial('an index without sets has the same results as one with sets', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const here = (words: readonly string[], input = '') => programHere(folder, words, input);
  const same = async (words: (ix: string) => readonly string[], input = '') => {
    const [with_, without] = [await here(words('with'), input), await here(words('without'), input)];
    t.is(without.code, 0, without.stderr);
    t.is(without.stdout, with_.stdout);
    const plain = (stderr: string) =>
      stderr.replaceAll('without', 'with').replace(/^.* in [\d.]+ s, .*$/gm, '');
    t.is(plain(without.stderr), plain(with_.stderr));
    return without.stdout;
  };
  await indexes(folder);
  t.true(bytesOf(join(folder, 'without')) < 0.7 * bytesOf(join(folder, 'with')));
  const answers = async (rows: RegExp) => {
    t.regex(await same((ix) => ['query', 'q.txt', ix, '--top', '50']), rows);
    await same((ix) => ['filter', '--index', ix, ...FIELD], FILES['new.jsonl']);
    await same((ix) => ['index', 'check', ix, '--json']);
  };
  await answers(/\n3\t/);
  t.is(
    (await here(['index', 'check', 'without'])).stdout,
    'without is valid: 80 documents, every byte was read\n',
  );
  for (const ix of ['with', 'without'])
    await here([
      ...['run', 'new.jsonl', ...FIELD, '--against', ix, '--out', `found-${ix}`],
      ...['--append', '--portion', 'new'],
    ]);
  t.true(tablesOf(join(folder, 'found-with'))['duplicates.tsv']!.split('\n').length > 10);
  t.deepEqual(tablesOf(join(folder, 'found-without')), tablesOf(join(folder, 'found-with')));
  await same((ix) => ['index', 'remove', ix, '--portion', 'old', '-q']);
  await same((ix) => ['index', 'compact', ix, '-q']);
  await answers(/\n2\t/);
});

test.serial(
  'documents whose sources are missing or changed are counted by file, and are not hits',
  async (t) => {
    const folder = temporaryFolder(t, FILES);
    const here = (words: readonly string[], input = '') => programHere(folder, words, input);
    await indexes(folder);
    renameSync(join(folder, 'texts'), join(folder, 'elsewhere'));
    const changed = OLD.map((text, i) => (i % 2 === 0 ? `${text} more` : text));
    writeFileSync(join(folder, 'old.jsonl'), lines(changed));
    const query = await here(['query', 'q.txt', 'without', '--top', '50']);
    const places = query.stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split('\t')[5]!);
    const all = (await here(['query', 'q.txt', 'with', '--top', '50'])).stdout.split('\n').length - 2;
    t.true(places.length < all);
    // Texts that are equal need no verification.
    t.true(places.length > 0);
    t.regex(query.stderr, /candidates that could not be verified: .*old\.jsonl: \d+ documents, changed/);
    t.regex(query.stderr, /\d\/\d+\.txt: 1 document, gone/);
    const filter = await here(['filter', '--index', 'without', ...FIELD], FILES['new.jsonl']);
    t.regex(filter.stderr, /candidates that could not be verified/);
    const run = await here(['run', 'new.jsonl', ...FIELD, '--against', 'without', '--out', 'found']);
    t.is(run.code, 0);
    t.regex(run.stdout, /Candidates of the index could not be verified: /);
    const pairs = Object.entries(tablesOf(join(folder, 'found'))).filter(([name]) =>
      name.startsWith('pairs/'),
    );
    const near = pairs.flatMap(([, table]) => table.split('\n')).filter((line) => line.includes('old.jsonl'));
    t.true(near.every((line) => /identical|same-tokens/.test(line)));
    const check = await here(['index', 'check', 'without']);
    t.is(check.code, 1);
    t.regex(check.stdout, /^the source of old\.jsonl: 30 documents, changed$/m);
    t.is(check.stdout.match(/: 1 document, gone$/gm)!.length, 20);
    const index = await openIndex(join(folder, 'without'));
    await index.query(FILES['q.txt']);
    t.true(index.unverified > 0);
    await index.close();
  },
);

test.serial('documents that cannot be read again are not added to an index without sets', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const here = async (words: readonly string[], input = '') => {
    const { code, stderr } = await programHere(folder, words, input);
    t.is(code, 2, stderr);
    return errorsOf(stderr);
  };
  await programHere(folder, ['index', 'create', 'without', '--without-sets']);
  for (const found of [
    await here(['index', 'add', 'without', '-', '--portion', 'x'], 'a b c'),
    await here(['run', '-', '--against', 'without', '--append', '--portion', 'x', '--out', 'r'], 'a b c'),
    await here(['filter', '--index', 'without', '--append', '--portion', 'x'], FILES['new.jsonl']),
  ])
    t.regex(found.join('\n'), /the index cannot be changed in this way: .*an index without sets reads/);
  const index = await openIndex(join(folder, 'without'));
  await t.throwsAsync(index.add(['a b c'], { portion: 'x' }), { code: 'INDEX_REFUSED' });
  await index.close();
});

test('sources in a manifest are checked like options', (t) => {
  const folder = join(temporaryFolder(t), 'ix');
  createIndex(folder, { withoutSets: true });
  const manifest = readIndexManifest(folder);
  const reading = {
    ...({
      textField: 'text',
      idField: 'id',
      textFieldGiven: false,
      input: 'auto',
      encoding: 'utf-8',
    } as const),
    ...({
      maxDocument: 1e6,
      textFormat: 'auto',
      separator: null,
      quote: null,
      include: [],
      exclude: [],
    } as const),
  };
  const read = (path: string, changes: object) => {
    const sources = { roots: [{ path, prefix: '' }], reading: { ...reading, ...changes } };
    const portion = { number: 1, name: 'a', added: '2026-11-28', documents: 0, sources };
    writeIndexManifest(folder, { ...manifest, portions: [portion] });
    return readIndexManifest(folder);
  };
  t.is(read('/corpus', {}).portions[0]!.sources!.roots[0]!.path, '/corpus');
  for (const [path, changes] of [
    ['corpus', {}],
    ['/cor\0pus', {}],
    ['/corpus', { maxDocument: -1 }],
    ['/corpus', { input: 'program' }],
    ['/corpus', { include: 'x' }],
    ['/corpus', { textFieldGiven: 1 }],
  ] as const)
    t.throws(() => read(path, changes), { code: 'INDEX_DAMAGED' }, `${path} ${JSON.stringify(changes)}`);
});
