/**
 * One result: the output bytes follow from the inputs and the result parameters, however the run is executed.
 */
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

async function bytesOf(
  corpus: Corpus,
  options: RunOptions,
  name: string,
  inFiles = false,
): Promise<Record<string, string>> {
  const out = join(corpus.folder, name);
  const hasBuckets = options.exactDuplicates !== true && options.measure !== 'containment';
  await run({ ...(hasBuckets && { hotBucket: 32 }), paths: corpus.paths, ...options, out }, { inFiles });
  return resultBytes(out);
}

/** The names whose bytes differ: a difference of megabytes must not be printed. */
function differing(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name]).sort();
}

test.serial(
  'run gives the same bytes for 4 combinations of shards and threads, in memory and in files, however PATHs are written',
  async (t) => {
    t.timeout(240_000);
    const corpus = corpusIn(t, { giantBytes: GIANT_BYTES, hotCopies: 300 });
    const expected = await bytesOf(corpus, { shards: 1, threads: 0 }, 'out');
    let turn = 0;
    for (const { shards, threads } of EXECUTIONS) {
      turn++;
      const paths = respelt(corpus.paths, turn);
      const got = await bytesOf(corpus, { shards, threads, paths }, `out-${turn}`, turn % 2 === 0);
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
      'JSON_BROKEN',
      'JSON_NOT_AN_OBJECT',
      'JSON_NO_TEXT',
    ]);
  },
);

/** The cases that run on so many worker threads: to start them is most of what such a run costs. */
const ON_WORKERS: ReadonlyMap<string, number> = new Map([
  ['classic sketches', 1],
  ['bytes:8', 1],
  ['stopwords:3', 1],
  ['paragraphs', 2],
  ['signatures as evidence', 2],
  ['containment in a reference', 1],
  ['a reference', 1],
]);

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
  ['identical documents only', { exactDuplicates: true }],
  ['all candidates listed', { candidates: 'all', threshold: 0.6 }],
  ['given bands', { bands: 25, rows: 4, threshold: 0.7 }],
  ['greedy clusters', { cluster: 'greedy', threshold: 0.6 }],
  ['the last kept', { keep: 'last' }],
  ['the longest kept', { keep: 'longest' }],
  ['the greatest of a field kept', { keep: 'field:id:desc' }],
  ['greedy clusters of the shortest', { cluster: 'greedy', threshold: 0.6, keep: 'shortest', hotBucket: 24 }],
  ['a bag, signatures as evidence', { bag: true, verify: 'signature', sketch: 'classic' }],
  ['paragraphs', { unit: 'paragraph', threshold: 0.7 }],
  ['lines', { unit: 'line' }],
  ['an agreement rule', { agree: 90, sketch: 'classic', hashes: 100, verify: 'signature' }],
  ['ignored shingles', { ignore: ['short'], threshold: 0.6 }],
  ['a reference', { against: ['a'], keep: 'longest' }],
  ['pairs with a reference only', { against: ['a', 'hot'], onlyAgainst: true }],
  ['containment in a reference', { against: ['a'], measure: 'containment', threshold: 0.5 }],
  ['no large bucket', { hotBucket: 100_000 }],
  ['another seed', { seed: 77 }],
];

for (const [i, [what, options]] of OTHERS.entries()) {
  test.serial(`run gives the same bytes for any execution with ${what}`, async (t) => {
    const corpus = corpusIn(t, SMALL);
    const inside = (names: readonly string[]): string[] =>
      names.map((name) => join(corpus.inputs, 'in', name));
    const { against = [], ignore = [] } = options;
    const places: RunOptions = {
      ...(against.length > 0 && { against: inside(against) }),
      ...(ignore.length > 0 && { ignore: inside(ignore) }),
      paths: corpus.paths.filter((path) => !against.includes(basename(path))),
    };
    const all = { ...options, ...places };
    const expected = await bytesOf(corpus, { ...all, shards: 1, threads: 0 }, 'out');
    const execution = {
      shards: i % 2 === 0 ? 7 : 16,
      threads: ON_WORKERS.get(what) ?? 0,
      paths: respelt(places.paths!, 1 + (i % 2)),
    };
    const name = `out-${execution.shards}-${execution.threads}`;
    t.deepEqual(differing(expected, await bytesOf(corpus, { ...all, ...execution }, name)), [], name);
    const files = await bytesOf(
      corpus,
      { ...all, shards: 23 - execution.shards, threads: 0 },
      'out-files',
      true,
    );
    t.deepEqual(differing(expected, files), [], 'files');
    t.true(manifestIn(join(corpus.folder, 'out')).counts.read > 20);
  });
}
