/**
 * One result: the output bytes follow from the inputs and the result parameters, whatever executes the run.
 */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run } from '../../../src/coordinator/run.js';
import type { RunOptions } from '../../../src/options/check.js';
import { sharedFolder, temporaryFolder } from '../../data/temporaryFolder.js';
import { type CorpusSize, hostileCorpus } from '../hostile/hostileCorpus.js';
import { manifestIn, resultBytes } from './resultFiles.js';

/** Larger than a piece of 4 MiB, so that it is read in two. */
const GIANT_BYTES = 4_500_000;

const SHARDS: readonly number[] = [1, 2, 7, 64];

/** Of the cases that differ in their options. A bucket of more than 32 is hot. */
const SMALL: CorpusSize = { giantBytes: 20_000, hotCopies: 45 };

/** 0: this thread, which makes the expected bytes as well. */
const THREADS = [2, 3, 0, 1];

const EXECUTIONS = SHARDS.map((shards, i) => ({ shards, threads: THREADS[i]! }));

interface Corpus {
  /** Where results go. */
  readonly folder: string;
  readonly inputs: string;
  readonly paths: readonly string[];
}

/** Runs only read their inputs, so the cases of a size share them. */
const corpora = new Map<string, string>();

function corpusIn(t: ExecutionContext, size: CorpusSize): Corpus {
  const key = JSON.stringify(size);
  const files = () => Object.entries(hostileCorpus(size)).map(([name, bytes]) => [`in/${name}`, bytes]);
  const inputs = corpora.get(key) ?? sharedFolder(Object.fromEntries(files()));
  corpora.set(key, inputs);
  const paths = ['a', 'blank', 'broken', 'form', 'giant', 'hot', 'json', 'lines', 'script', 'short', 'zip'];
  return { folder: temporaryFolder(t), inputs, paths: paths.map((name) => join(inputs, 'in', name)) };
}

/** The same PATHs written in another way, some of them twice: all but their order, which decides what is kept. */
function respelt(paths: readonly string[], turn: number): string[] {
  const others = paths.map((path) => join(path, '..', `${basename(path)}/`));
  return turn % 2 === 0 ? [...others, ...paths] : [...paths, others[turn % paths.length]!];
}

async function bytesOf(corpus: Corpus, options: RunOptions, name: string): Promise<Record<string, string>> {
  const out = join(corpus.folder, name);
  await run({ hotBucket: 32, paths: corpus.paths, ...options, out });
  return resultBytes(out);
}

/** The names whose bytes differ: a difference of megabytes must not be printed. */
function differing(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]).sort();
}

test.serial(
  'run gives the same bytes for 4 combinations of row chunks and threads, however PATHs are written',
  async (t) => {
    t.timeout(240_000);
    const corpus = corpusIn(t, { giantBytes: GIANT_BYTES, hotCopies: 300 });
    const expected = await bytesOf(corpus, { shards: 1, threads: 0 }, 'out');
    let turn = 0;
    for (const { shards, threads } of EXECUTIONS) {
      turn++;
      const paths = respelt(corpus.paths, turn);
      const got = await bytesOf(corpus, { shards, threads, paths }, `out-${turn}`);
      t.deepEqual(differing(expected, got), [], `shards ${shards}, threads ${threads}`);
    }
    const { counts } = manifestIn(join(corpus.folder, 'out'));
    // The comparison means something only where everything that a run can meet was met.
    t.true(counts.hot_buckets > 0);
    t.true(counts.ids_repeated > 0);
    t.true(counts.repaired >= 3 && counts.empty >= 4 && counts.identity_classes >= 10);
    t.deepEqual(Object.keys(counts.skipped).sort(), [
      'BINARY',
      'GZIP_TRUNCATED',
      'JSON_BAD_ID',
      'JSON_BROKEN',
      'JSON_NOT_AN_OBJECT',
      'JSON_NO_TEXT',
    ]);
  },
);

/**
 * On so many workers: those whose options change what workers are set up with or given to do. That threads change nothing is
 * for the test above; to start them is most of what a threaded run costs.
 */
const ON_WORKERS: ReadonlyMap<string, number> = new Map([
  ['classic sketches', 1],
  ['bytes:8', 1],
  ['stopwords:3', 1],
  ['the smallest fingerprints as evidence', 1],
  ['one fingerprint in three of a bag', 1],
  ['the same common words in the same order', 1],
  ['containment', 2],
  ['signatures as evidence', 2],
  ['frequent shingles of a sample eliminated', 1],
]);

/** Their options change what is done with sketches and pairs by code that is the same with and without the kernel. */
const AFTER_SKETCHES: readonly string[] = [
  'no verification',
  'greedy clusters',
  'greedy clusters of the shortest',
  'the longest kept',
  'every identical pair',
  'another seed',
];

const OTHERS: readonly (readonly [string, RunOptions])[] = [
  ['classic sketches', { sketch: 'classic', hashes: 100 }],
  ['n minhash functions of a bag', { sketch: 'classic', bag: true, threshold: 0.5 }],
  ['a bag', { bag: true }],
  ['chars:9', { shingle: 'chars:9' }],
  ['lines:2', { shingle: 'lines:2' }],
  ['bytes:8', { shingle: 'bytes:8' }],
  ['stopwords:3', { shingle: 'stopwords:3', stopWords: ['w1', 'w2', 'w3', 'w4', 'and', 'one'] }],
  ['signatures as evidence', { verify: 'signature', threshold: 0.6 }],
  ['no verification', { verify: 'none' }],
  ['greedy clusters', { cluster: 'greedy', threshold: 0.6 }],
  ['the longest kept', { keep: 'longest' }],
  ['greedy clusters of the shortest', { cluster: 'greedy', threshold: 0.6, keep: 'shortest', hotBucket: 24 }],
  ['a bag, signatures as evidence', { bag: true, verify: 'signature', sketch: 'classic' }],
  ['another seed', { seed: 77 }],
];

for (const [i, [what, options]] of OTHERS.entries()) {
  test.serial(`run gives the same bytes for any execution with ${what}`, async (t) => {
    const corpus = corpusIn(t, SMALL);
    const expected = await bytesOf(corpus, { ...options, shards: 1, threads: 0 }, 'out');
    const execution = {
      shards: i % 2 === 0 ? 7 : 16,
      threads: ON_WORKERS.get(what) ?? 0,
      paths: respelt(corpus.paths, 1 + (i % 2)),
    };
    const name = `out-${execution.shards}-${execution.threads}`;
    const got = await bytesOf(corpus, { ...options, ...execution }, name);
    t.deepEqual(differing(expected, got), [], name);
    if (!AFTER_SKETCHES.includes(what)) {
    }
    t.true(manifestIn(join(corpus.folder, 'out')).counts.identity_classes > 0);
  });
}

test.serial('run gives the same pairs for any order of PATHs, and lets other documents stay', async (t) => {
  const corpus = corpusIn(t, SMALL);
  // Rounds over hot buckets pair what is kept so far.
  const options = { threshold: 0.6, hotBucket: 4096, threads: 0 };
  const first = await bytesOf(corpus, options, 'out');
  for (const paths of [
    [...corpus.paths].reverse(),
    [...corpus.paths.slice(5), ...corpus.paths.slice(0, 5)],
  ]) {
    const other = await bytesOf(corpus, { ...options, paths, force: true }, 'out-2');
    const again = await bytesOf(corpus, { ...options, paths, threads: 2, shards: 3 }, 'out-3');
    t.deepEqual(differing(other, again), []);
    rmSync(join(corpus.folder, 'out-3'), { recursive: true });
    const changed = differing(first, other).filter((name) => name !== 'duplicates.tsv');
    // Rows have another order; order.test.ts says that they are of the same texts.
    const tables = ['candidates', 'clusters', 'pairs'].map((name) => `${name}/part-00000.tsv`);
    t.deepEqual(changed, [...tables, 'manifest.json'].sort());
    for (const name of ['pairs/part-00000.tsv', 'clusters/part-00000.tsv'])
      t.is(other[name]!.split('\n').length, first[name]!.split('\n').length);
  }
});

test('every case that is named by what it needs is one of the cases', (t) => {
  const names = OTHERS.map(([what]) => what);
  t.deepEqual(
    [...ON_WORKERS.keys(), ...AFTER_SKETCHES].filter((what) => !names.includes(what)),
    [],
  );
});

test.serial(
  'run over one PATH names documents by their paths below it, and gives them again whatever the executor',
  async (t) => {
    const { folder, inputs } = corpusIn(t, SMALL);
    const whole = { folder, inputs, paths: [join(inputs, 'in')] };
    const expected = await bytesOf(whole, { threads: 0 }, 'out');
    const got = await bytesOf(
      whole,
      { threads: 2, shards: 3, paths: [join(inputs, 'in', '..', 'in/')] },
      'out-2',
    );
    t.deepEqual(differing(expected, got), []);
    t.true(expected['pairs/part-00000.tsv']!.includes('\na/bad\\xff\\xfename.txt\ta/near\\t1.txt\t'));
    t.false(Object.values(expected).some((bytes) => bytes.includes('never.txt')));
  },
);
