/** Runs that compare only documents of two groups: a reference, folders, values of a field. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import type { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Finished, finished, resultOf } from './finished.js';
import { resultBytes } from './resultFiles.js';

type Texts = Readonly<Record<string, string>>;

const GROUPS = ['a', 'b', 'c'];

/** Families of near copies and exact ones, spread over three folders; of some all are in one folder. */
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

const SKETCHES: readonly RunOptions[] = [{}, { sketch: 'classic' }];

for (const options of SKETCHES) {
  const name = JSON.stringify(options);
  test(`the pairs of folders are those of a plain run that are of two folders: ${name}`, async (t) => {
    const texts = spread(1, 14, 8);
    const plain = await finished(t, texts, options);
    const groups = await finished(t, texts, { ...options, groupBy: 'path:1' });
    checkLaw(t, groups);
    const wanted = crossOf(texts, nearTexts(texts, plain));
    t.true(wanted.length > 20 && wanted.length < nearTexts(texts, plain).size);
    t.deepEqual([...nearTexts(texts, groups)].sort(), wanted.sort());
    t.true(groups.manifest.counts.identical_pairs > 0);
  });

  test(`hot buckets of groups leave no pair among the kept: ${name}`, async (t) => {
    const texts = spread(2, 2, 60);
    const groups = await finished(t, texts, { ...options, groupBy: 'path:1', hotBucket: 4 });
    t.true(groups.manifest.counts.hot_buckets > 0);
    checkLaw(t, groups);
  });
}

test('of large buckets that are not hot the pairs of two folders are those of a plain run, too', async (t) => {
  const texts = spread(9, 1, 700);
  const options = { threshold: 0.88, bands: 20, rows: 2 };
  const plain = await finished(t, texts, options);
  const groups = await finished(t, texts, { ...options, groupBy: 'path:1' });
  checkLaw(t, groups);
  for (const { manifest } of [plain, groups]) {
    t.is(manifest.counts.hot_bucket, 512);
    t.is(manifest.counts.hot_buckets, 0);
  }
  const wanted = crossOf(texts, nearTexts(texts, plain));
  t.true(wanted.length > 1000 && wanted.length < nearTexts(texts, plain).size);
  t.deepEqual([...nearTexts(texts, groups)].sort(), wanted.sort());
});

test('records of equal values of a field are not compared, nor those without it', async (t) => {
  const texts = spread(3, 8, 6);
  // In the order of files.
  const lines = Object.keys(texts)
    .sort()
    .map((id) =>
      JSON.stringify({ id, text: texts[id], ...(groupOf(id) !== 'c' && { source: groupOf(id) }) }),
    );
  const folders = await finished(t, texts, { groupBy: 'path:1' });
  const values = await finished(t, { 'all.jsonl': lines.join('\n') }, { groupField: 'source' });
  t.deepEqual(values.pairs, folders.pairs);
  t.deepEqual(
    values.clusters.map(({ place: _, ...row }) => row),
    folders.clusters.map(({ place: _, ...row }) => row),
  );
});

/** Questions, of which some are in the texts: as they are, with a changed word, or in the middle of one. */
function planted() {
  const random = randomFrom(4);
  const texts: Record<string, string> = {};
  const found: string[] = [];
  for (let i = 0; i < 30; i++) {
    const words = wordsFrom(random, 120);
    const question = words.slice(30, 70);
    texts[`old/${i}.txt`] = i % 3 === 0 ? question.join(' ') : words.join(' ');
    // Each text is there twice, and each question: neither is of interest.
    texts[`old/again-${i}.txt`] = texts[`old/${i}.txt`]!;
    const isPlanted = i % 2 === 0;
    const asked = i % 4 === 0 ? question : edited(random, question, 1);
    texts[`new/${i}.txt`] = (isPlanted ? asked : wordsFrom(random, 40)).join(' ');
    texts[`new/again-${i}.txt`] = `${texts[`new/${i}.txt`]!}.`;
    if (isPlanted) found.push(`new/${i}.txt`, `new/again-${i}.txt`);
  }
  return { texts, found };
}

/** The folders of a run whose PATH is the folder `new`. */
async function against(t: ExecutionContext, texts: Texts, options: RunOptions): Promise<Finished> {
  const { inputs } = await finished(t, texts, { exactDuplicates: true });
  const out = join(inputs, '..', 'across');
  const paths = { paths: [join(inputs, 'new')], against: [join(inputs, 'old')], out };
  const report = await run({ threads: 0, ...paths, ...options });
  const { summaryLines } = await import('../../../src/output/report.js');
  return { folder: out, inputs, ...resultOf(out), report, summary: summaryLines(report).join('\n') };
}

test('test questions inside training texts are found, and nothing else', async (t) => {
  const { texts, found } = planted();
  const result = await against(t, texts, { measure: 'containment', threshold: 0.7 });
  checkLaw(t, result);
  t.deepEqual(result.dropped.map(({ document }) => document).sort(), found.sort());
  t.is(result.manifest.counts.reference_documents, 60);
  t.is(result.manifest.counts.reference_matches, 30);
  t.regex(
    result.summary,
    /^Reference {3}.*old \(60 documents\): 30 of 60 new documents are contained in a document there, or contain one$/m,
  );
});

test('what is there is counted whether it is dropped, is protected or contains a document of the reference', async (t) => {
  const { texts, found } = planted();
  const kept = 'new/0.txt';
  const usual = { measure: 'containment', threshold: 0.7 } as const;
  const guarded = await against(t, texts, { ...usual, protect: [kept] });
  t.deepEqual(
    guarded.dropped.map(({ document }) => document).sort(),
    found.filter((id) => id !== kept).sort(),
  );
  t.is(guarded.manifest.counts.reference_matches, 30);
  t.regex(guarded.summary, /: 30 of 60 new documents .* one; 29 of them are dropped$/m);
  const alike = await against(t, texts, { threshold: 0.7, protect: ['new/**'] });
  const wordsOf = (id: string): string => texts[id]!.replace('.', '');
  const near = new Set(alike.pairs.flatMap(({ a, b }) => [wordsOf(a!), wordsOf(b!)]));
  const isThere = (id: string): boolean => groupOf(id) === 'new' && near.has(wordsOf(id));
  t.is(alike.manifest.counts.reference_matches, Object.keys(texts).filter(isThere).length);
  t.regex(alike.summary, /: \d+ of 60 new documents resemble a document there; 0 of them are dropped$/m);
});

test('of a reference nothing is dropped, whatever is preferred', async (t) => {
  const { texts } = planted();
  const result = await against(t, texts, { threshold: 0.7, prefer: ['new/**'] });
  checkLaw(t, result);
  t.true(result.dropped.length > 0);
  t.true(result.dropped.every(({ document }) => groupOf(document!) === 'new'));
});

test('the result of groups has the same bytes for any threads, row chunks and memory', async (t) => {
  const texts = spread(5, 4, 40);
  const options: RunOptions = { groupBy: 'path:1', hotBucket: 6, candidates: 'all' };
  const { inputs, out } = await finished(t, texts, options);
  const wanted = resultBytes(out);
  for (const [name, others] of Object.entries({
    threads: { threads: 2 },
    shards: { threads: 0, shards: 3 },
    memory: { threads: 0, memory: '120MB' },
  } satisfies Record<string, RunOptions>)) {
    const other = join(inputs, '..', name);
    await run({ paths: [inputs], out: other, ...options, ...others });
    t.deepEqual(resultBytes(other), wanted, name);
  }
});

test('what is a PATH, lies in one or holds one is no reference', async (t) => {
  const { inputs } = await finished(t, { 'a/x.txt': 'x', 'b/y.txt': 'y' }, { exactDuplicates: true });
  writeFileSync(join(inputs, 'z.txt'), 'z');
  const faultOf = async (paths: readonly string[], reference: readonly string[]): Promise<string> => {
    const places = {
      paths: paths.map((path) => join(inputs, path)),
      against: reference.map((path) => (path === '-' ? path : join(inputs, path))),
    };
    const error = await t.throwsAsync(run({ ...places, out: join(inputs, '..', 'none') }));
    const { faults } = error as MinHashError;
    return faults.map(({ detail }) => detail.replaceAll(inputs, 'IN')).join('; ');
  };
  t.regex(await faultOf(['a'], ['a']), /against "IN\/a": it is among the paths, too/);
  t.regex(
    await faultOf(['.'], ['z.txt']),
    /against "IN\/z.txt": it lies in "IN\/?", which is among the paths/,
  );
  t.regex(await faultOf(['a', 'b'], ['.']), /against "IN\/?": "IN\/b", which is among the paths, lies in it/);
  t.regex(await faultOf(['a'], ['-']), /against "-": standard input can be no reference/);
  t.regex(await faultOf(['a'], ['none']), /"IN\/none"/);
});
