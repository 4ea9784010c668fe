/** Runs that compare documents with a reference (--against). */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { applyResult } from '../../../src/coordinator/apply/apply.js';
import { run } from '../../../src/coordinator/run.js';
import type { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { summaryLines } from '../../../src/result/summary.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Finished, finished, resultOf } from './finished.js';
import { resultBytes } from './resultFiles.js';

type Texts = Readonly<Record<string, string>>;

const GROUPS = ['old', 'new'];

/** Families of near copies and exact ones, spread over two folders; of some all are in one folder. */
function spread(seed: number, families: number, copies: number): Texts {
  const random = randomFrom(seed);
  const texts: Record<string, string> = {};
  for (let family = 0; family < families; family++) {
    const words = wordsFrom(random, 90 + Math.floor(random() * 60));
    const most = 1 + Math.floor(random() * GROUPS.length);
    let text = words.join(' ');
    for (let copy = 0; copy < copies; copy++) {
      if (random() < 0.7) text = edited(random, words, Math.floor(random() * 3)).join(' ');
      const group = GROUPS[Math.floor(random() * most)]!;
      texts[`${group}/${Math.floor(random() * 1e9)}.txt`] = text;
    }
  }
  return texts;
}

const groupOf = (id: string): string => id.slice(0, id.indexOf('/'));

/** Near pairs as pairs of texts: which of equal documents is named, differs. */
function nearTexts(texts: Texts, { pairs }: Pick<Finished, 'pairs'>): Set<string> {
  const near = pairs.filter(({ kind }) => kind === 'near');
  return new Set(near.map(({ a, b }) => [texts[a!]!, texts[b!]!].sort().join('\n')));
}

/** Those of the pairs whose texts are in two folders, and not both in one alone. */
function crossOf(texts: Texts, pairs: ReadonlySet<string>): string[] {
  const groupsOf = new Map<string, string[]>();
  for (const [id, text] of Object.entries(texts))
    groupsOf.set(text, [...(groupsOf.get(text) ?? []), groupOf(id)]);
  return [...pairs].filter((pair) => {
    const [one, other] = pair.split('\n') as [string, string];
    return new Set([...groupsOf.get(one)!, ...groupsOf.get(other)!]).size > 1;
  });
}

/** What holds of every result of groups. */
function checkLaw(t: ExecutionContext, { pairs, candidates, dropped, manifest }: Finished): void {
  for (const { a, b } of [...pairs, ...candidates]) t.not(groupOf(a!), groupOf(b!));
  const gone = new Set(dropped.map(({ document }) => document));
  for (const { document, kept } of dropped) {
    t.not(groupOf(document!), groupOf(kept!));
    t.false(gone.has(kept));
  }
  t.is(manifest.counts.dropped, gone.size);
  for (const { a, b } of pairs) t.true(gone.has(a) || gone.has(b), `${a} and ${b} are kept`);
}

/** The folders of a run whose PATH is the folder `new`. */
async function against(t: ExecutionContext, texts: Texts, options: RunOptions): Promise<Finished> {
  const { inputs } = await finished(t, texts, { exactDuplicates: true });
  const out = join(inputs, '..', 'across');
  const paths = { paths: [join(inputs, 'new')], against: [join(inputs, 'old')], out };
  const report = await run({ threads: 0, onlyAgainst: true, ...paths, ...options });
  const { detailLines } = await import('../../../src/result/details.js');
  return { folder: out, inputs, ...resultOf(out), report, summary: detailLines(report).join('\n') };
}

test('the pairs with a reference are those of a plain run that are of two folders', async (t) => {
  const texts = spread(1, 40, 8);
  const plain = await finished(t, texts);
  const across = await against(t, texts, {});
  checkLaw(t, across);
  const expected = crossOf(texts, nearTexts(texts, plain));
  t.true(expected.length > 20 && expected.length < nearTexts(texts, plain).size);
  t.deepEqual([...nearTexts(texts, across)].sort(), expected.sort());
  t.true(across.manifest.counts.identical_pairs > 0);
});

test('large buckets leave no pair with a reference among the kept', async (t) => {
  const across = await against(t, spread(2, 2, 60), { hotBucket: 4 });
  t.true(across.manifest.counts.hot_buckets > 0);
  checkLaw(t, across);
});

test('documents are compared with a reference and with each other, unless --only-against is given', async (t) => {
  const texts = spread(6, 40, 8);
  const plain = await finished(t, texts);
  const { pairs, dropped, manifest } = await against(t, texts, { onlyAgainst: false });
  const isNew = (id: string | undefined): boolean => groupOf(id!) === 'new';
  const wanted = new Set([...nearTexts(texts, plain)].filter((pair) => hasNew(texts, pair)));
  t.deepEqual([...nearTexts(texts, { pairs })].sort(), [...wanted].sort());
  t.true(pairs.some(({ a, b }) => isNew(a) && isNew(b)));
  t.true(pairs.every(({ a, b }) => isNew(a) || isNew(b)));
  t.true(dropped.every(({ document }) => isNew(document)));
  t.true(dropped.some(({ kept }) => isNew(kept)) && dropped.some(({ kept }) => !isNew(kept)));
  const gone = new Set(dropped.map(({ document }) => document));
  for (const { a, b } of pairs) t.true(gone.has(a!) || gone.has(b!), `${a} and ${b} are kept`);
  t.true(manifest.counts.reference_matches! <= dropped.length);
});

/** Whether a pair of texts is a pair of two documents, at least one of them new. */
function hasNew(texts: Texts, pair: string): boolean {
  const both = pair.split('\n');
  return Object.entries(texts).some(([id, text]) => both.includes(text) && groupOf(id) === 'new');
}

test('a new document similar to a reference document is dropped for it with any --keep', async (t) => {
  for (const keep of ['first', 'last', 'longest'] as const) {
    const across = await against(t, spread(4, 8, 6), { keep });
    checkLaw(t, across);
    const { dropped, manifest } = across;
    t.true(dropped.length > 0);
    t.true(dropped.every(({ document }) => groupOf(document!) === 'new'));
    t.is(manifest.counts.reference_matches, dropped.length);
  }
});

test('a result with a reference has the same bytes for any threads, shards and memory', async (t) => {
  const options: RunOptions = { hotBucket: 6, candidates: 'all' };
  const { inputs, folder } = await against(t, spread(5, 4, 40), options);
  const wanted = resultBytes(folder);
  for (const [name, others] of Object.entries({
    threads: { threads: 2 },
    shards: { threads: 0, shards: 3 },
    memory: { threads: 0, memory: '120MB' },
  } satisfies Record<string, RunOptions>)) {
    const out = join(inputs, '..', name);
    const paths = { paths: [join(inputs, 'new')], against: [join(inputs, 'old')], out };
    await run({ onlyAgainst: true, ...paths, ...options, ...others });
    t.deepEqual(resultBytes(out), wanted, name);
  }
});

test('documents of the reference are not counted as read or kept', async (t) => {
  const texts = spread(6, 40, 8);
  const { report, inputs, dropped, folder } = await against(t, texts, { onlyAgainst: false });
  const { counts, numbers } = report;
  const all = Object.keys(texts).filter((id) => groupOf(id) === 'new').length;
  t.deepEqual([counts.documents, counts.read, counts.kept], [all, all, all - dropped.length]);
  t.is(counts.reference_documents, Object.keys(texts).length - all);
  t.is(numbers.kept.documents, counts.kept);
  t.true(numbers.sources.every(({ source }) => source !== 'old'));
  t.true(summaryLines(report)[0]!.startsWith(`${counts.kept} of ${all} documents are new (`));
  const applied = await applyResult(folder, { to: join(inputs, '..', 'clean') });
  t.deepEqual(applied?.documents, { read: all, kept: counts.kept, dropped: counts.dropped });
  t.is(applied?.files.read, all);
});

test('the kept documents of a finished result are the reference', async (t) => {
  const lines = (texts: readonly string[]): string => texts.map((text) => `{"text":"${text}"}\n`).join('');
  const random = randomFrom(3);
  const words = wordsFrom(random, 200);
  const [first, near, other] = [words, edited(random, words, 3), wordsFrom(random, 80)].map((some) =>
    some.join(' '),
  );
  const { inputs } = await finished(
    t,
    {
      'old/a.jsonl': lines([other!, first!, near!]),
      'old/z.txt': 'left out of the result by --include',
      'new/n.jsonl': lines([near!, first!, other!, 'left out of the result by --include']),
    },
    { exactDuplicates: true },
  );
  const at = (name: string): string => join(inputs, '..', name);
  const old = { paths: [join(inputs, 'old')], out: at('old'), include: ['*.jsonl'] };
  const { counts } = await run({ threads: 0, ...old });
  t.is(counts.kept, 2);
  const paths = { paths: [join(inputs, 'new')], against: [at('old')], out: at('new') };
  const report = await run({ threads: 0, onlyAgainst: true, ...paths });
  // Line 3 of old/a.jsonl is dropped there, so nothing is dropped for it.
  const kept = resultOf(at('new')).dropped.map(({ document, kept }) => `${document} ${kept}`);
  t.deepEqual(kept, [
    'new/n.jsonl#1 old/a.jsonl#2',
    'new/n.jsonl#2 old/a.jsonl#2',
    'new/n.jsonl#3 old/a.jsonl#1',
  ]);
  t.is(report.counts.reference_documents, 2);
  const onAll = { ...paths, against: [join(inputs, 'old')], out: at('all') };
  t.is((await run({ threads: 0, onlyAgainst: true, ...onAll })).counts.dropped, 4);
  const problemOf = async (options: RunOptions): Promise<string> => {
    const error = await t.throwsAsync(run({ threads: 0, ...paths, out: at('none'), ...options }));
    return (error as MinHashError).problems
      .map(({ code, detail }) => `${code} ${detail}`)
      .join('; ')
      .replaceAll(at('/'), '');
  };
  t.is(
    await problemOf({ measure: 'containment' }),
    'OPTION_INVALID against old: expected documents with measure containment, not a result; write them by "mr-minhash apply old --to CLEAN", and name CLEAN instead',
  );
  t.is(await problemOf({ unit: 'line' }), 'OPTION_INVALID against old: expected a result of whole documents');
  t.is(
    await problemOf({ input: 'text' }),
    'OPTION_INVALID against old: expected the same input as in its run: auto',
  );
  appendFileSync(join(inputs, 'old/a.jsonl'), lines(['one more']));
  t.regex(await problemOf({}), /^INPUT_CHANGED .*a.jsonl/);
});

test('dropped records far behind in a file are not part of the reference', async (t) => {
  const random = randomFrom(8);
  // Lines of 10 KB in several ranges of the file.
  const texts = Array.from({ length: 1200 }, () => wordsFrom(random, 1000).join(' '));
  const near = edited(random, texts[1100]!.split(' '), 20).join(' ');
  const lines = (some: readonly string[]): string => some.map((text) => `{"text":"${text}"}\n`).join('');
  const { inputs } = await finished(
    t,
    { 'old/a.jsonl': lines([...texts, near]), 'new/n.jsonl': lines([near, 'first', 'second']) },
    { exactDuplicates: true },
  );
  const at = (name: string): string => join(inputs, '..', name);
  await run({ threads: 0, paths: [join(inputs, 'old')], out: at('old') });
  t.deepEqual(
    resultOf(at('old')).dropped.map(({ document }) => document),
    ['a.jsonl#1201'],
  );
  const report = await run({
    threads: 0,
    paths: [join(inputs, 'new')],
    against: [at('old')],
    out: at('new'),
  });
  t.deepEqual(
    resultOf(at('new')).dropped.map(({ kept }) => kept),
    ['old/a.jsonl#1101'],
  );
  t.is(report.counts.reference_documents, 1200);
  const formats = report.readAs?.formats.map(({ documents }) => documents);
  t.deepEqual(formats, [3]);
});

test('all records of a large file are counted by format', async (t) => {
  const texts = ['long '.repeat(1_000_000), 'short'].map((text) => `{"text":"${text}"}\n`).join('');
  const { report } = await finished(t, { 'a.jsonl': texts });
  t.deepEqual(report.readAs?.formats, [{ format: 'jsonl', documents: 2, files: 1 }]);
});

test('--against-include selects files of the reference', async (t) => {
  const texts = {
    'old/a.md': 'one two three four five six',
    'old/b.txt': 'seven eight',
    'new/a.txt': 'seven eight',
    'new/b.txt': 'one two three four five six',
  };
  const { dropped, report } = await against(t, texts, { againstInclude: ['*.md'] });
  t.deepEqual(
    dropped.map(({ document }) => document),
    ['new/b.txt'],
  );
  t.is(report.counts.reference_documents, 1);
});

test('a reference must not overlap a PATH', async (t) => {
  const { inputs } = await finished(t, { 'a/x.txt': 'x', 'b/y.txt': 'y' }, { exactDuplicates: true });
  writeFileSync(join(inputs, 'z.txt'), 'z');
  const problemOf = async (paths: readonly string[], reference: readonly string[]): Promise<string> => {
    const places = {
      paths: paths.map((path) => join(inputs, path)),
      against: reference.map((path) => (path === '-' ? path : join(inputs, path))),
    };
    const error = await t.throwsAsync(run({ ...places, out: join(inputs, '..', 'none') }));
    const { problems } = error as MinHashError;
    return problems.map(({ detail }) => detail.replaceAll(inputs, 'IN')).join('; ');
  };
  t.regex(await problemOf(['a'], ['a']), /against "IN\/a": it shares files with "IN\/a", one of the paths/);
  t.regex(
    await problemOf(['.'], ['z.txt']),
    /against "IN\/z.txt": it shares files with "IN\/?", one of the paths/,
  );
  t.regex(
    await problemOf(['a', 'b'], ['.']),
    /against "IN\/?": it shares files with "IN\/b", one of the paths/,
  );
  t.regex(await problemOf(['a'], ['-']), /against "-": standard input cannot be a reference/);
  t.regex(await problemOf(['a'], ['none']), /"IN\/none"/);
});
