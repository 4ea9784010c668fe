/** Options that do not go together: all of it is told at once, and following it leaves nothing to tell. */

import test from 'ava';
import fc from 'fast-check';
import { flagName } from '../../src/errors.js';
import { checkOptions, type RunOptions } from '../../src/options/check.js';
import { PIPED_KINDS } from '../../src/sketch/formatNames.js';

const problemsOf = (options: RunOptions) => checkOptions({ paths: ['texts'], ...options }).problems;
const blamed = (options: RunOptions) => problemsOf(options).map(({ detail }) => detail.split(':')[0]);

test('inputs that cannot be read from standard input are rejected together with other errors', (t) => {
  for (const input of ['text', 'html', 'json', 'parquet'] as const) {
    const found = problemsOf({ paths: ['a.txt', '-'], input, columns: '1,2' }).map(({ detail }) => detail);
    t.deepEqual(found, [
      `--input ${input}: expected jsonl, csv, tsv, warc, mbox or sets on standard input (-)`,
      '--columns: expected together with --input sets only',
    ]);
  }
  for (const input of [...PIPED_KINDS, 'auto' as const]) t.deepEqual(problemsOf({ paths: ['-'], input }), []);
});

test('an invalid value does not hide a conflict, and does not cause one', (t) => {
  // What was meant by these is not known.
  t.deepEqual(blamed({ input: 'set', columns: '1,2' } as unknown as RunOptions), ['--input set']);
});

test('too many bands and a recall out of reach are reported together with other conflicts', (t) => {
  t.deepEqual(blamed({ columns: '1,2', bands: 100, rows: 100 }), ['--columns', '--bands 100 --rows 100']);
  t.deepEqual(blamed({ columns: '1,2', threshold: 0.01, hashes: 16 }), ['--columns', '--threshold 0.01']);
});

test('a preset sets shingles and threshold, and explicit options take precedence', (t) => {
  const of = (options: RunOptions) => {
    const { shingle, threshold } = checkOptions({ paths: ['texts'], ...options }).resolved.params;
    return [shingle.unit, shingle.size, threshold];
  };
  t.deepEqual(of({ preset: 'records' }), ['chars', 3, 0.4]);
  t.deepEqual(of({ preset: 'prose' }), of({}));
  t.deepEqual(of({ preset: 'code', threshold: 0.9 }), ['lines', 3, 0.9]);
  t.deepEqual(of({ preset: 'records', shingle: 'words:1' }), ['words', 1, 0.4]);
});

test('--exact-duplicates has shingles but no candidates', (t) => {
  t.deepEqual(blamed({ exactDuplicates: true, shingle: 'words:3', normalize: 'nfkc', seed: 2 }), []);
  t.deepEqual(blamed({ exactDuplicates: true, hashes: 64, threshold: 0.9 }), [
    '--threshold 0.9 --exact-duplicates',
    '--hashes 64 --exact-duplicates',
  ]);
});

test('without the reported options there is no error', (t) => {
  const some = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const wishes = fc.record({
    measure: some('containment', 'resemblance', 'x'),
    sketch: some('fss', 'classic', 'x'),
    threshold: some(0.9, 0.001, 2),
    hashes: some(64, 3),
    bands: some(3, 200),
    rows: some(2, 200),
    verify: some('signature', 'none', 'exact', 'x'),
    agree: some(90, 10, 0),
    cluster: some('greedy', 'components', 'x'),
    exactDuplicates: some(true, false),
    input: some('sets', 'auto', 'x'),
    columns: some('1,2,3', '1'),
    textField: some('body', ''),
    bag: some(true),
    paths: fc.constantFrom(['-'], ['texts']),
  });
  const all = new Set<string>();
  fc.assert(
    fc.property(wishes, (wish) => {
      const options = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
      const first = checkOptions(options as RunOptions).problems;
      for (const { option, detail } of first) {
        all.add(String(option));
        if (!detail.startsWith(flagName(String(option)))) return false;
      }
      // A wrong value of these decides what the others have to be.
      const deciding = ['sketch', 'measure', 'input', 'cluster', 'verify'];
      if (first.some(({ option, detail }) => deciding.includes(option!) && / x: /.test(detail))) return true;
      const blamedKeys = new Set(first.map(({ option }) => option));
      // Of these two the other is to go.
      if (first.some(({ detail }) => detail.startsWith('--cluster greedy --verify none'))) {
        blamedKeys.add('verify');
        if (first.every(({ option, detail }) => option !== 'cluster' || detail.includes('--verify'))) {
          blamedKeys.delete('cluster');
        }
      }
      const left = Object.fromEntries(Object.entries(options).filter(([key]) => !blamedKeys.has(key)));
      return checkOptions(left as RunOptions).problems.every(({ option }) => {
        // Given up, these change what the rest is measured by: the recall is looked at anew.
        return ['threshold', 'bands', 'rows', 'hashes'].includes(option!) && blamedKeys.size > 0;
      });
    }),
    { seed: 1, numRuns: 500 },
  );
  t.true(all.size >= 13, [...all].join(' '));
});

test('options without a meaning on Spark are rejected by name, with what to do instead', (t) => {
  const detailsOf = (options: RunOptions) =>
    problemsOf({ engine: 'spark', ...options }).map(({ detail }) => detail);
  t.deepEqual(detailsOf({ keep: 'longest', unit: 'line', shards: 2 }), [
    '--keep longest: Spark always keeps the first document in input order; remove it, or run without --engine spark',
    '--unit line: runs on one machine only; remove it, or run without --engine spark',
    '--shards 2: Spark splits the work; remove it, and use --spark-conf spark.sql.shuffle.partitions=N',
  ]);
  t.deepEqual(detailsOf({ preset: 'records', s3Endpoint: 'http://localhost:9000' }), []);
  const stdin =
    '--engine spark: executors cannot read standard input (-); write it to a file, and type its path';
  t.deepEqual(detailsOf({ paths: ['-'] }), [stdin]);
  t.deepEqual(detailsOf({ against: ['-'] }), [stdin]);
  // Addresses that no engine reads are reported with the other PATHs.
  for (const path of ['hdfs:///corpus', 'gs://bucket/corpus']) t.deepEqual(detailsOf({ paths: [path] }), []);
  for (const path of ['s3://bucket/corpus', 'https://host/a.jsonl']) {
    const problem = `--engine spark: executors cannot read the local copy of ${path}; set --spark-work to a mounted folder that they share, and it is copied there`;
    t.deepEqual(detailsOf({ paths: ['texts'], against: [path] }), [problem]);
    t.deepEqual(detailsOf({ paths: [path], sparkMaster: 'yarn', sparkWork: 'hdfs:///tmp' }), [problem]);
    t.deepEqual(detailsOf({ paths: [path], sparkMaster: 'local[2,4]' }), []);
    for (const sparkWork of ['/mnt/share', 'file:/mnt/share', 'file:///mnt/share'])
      t.deepEqual(detailsOf({ paths: [path], sparkMaster: 'yarn', sparkWork }), []);
  }
  t.deepEqual(
    detailsOf({ keep: 'first', sparkConf: ['a=b'], sparkMaster: 'yarn', sparkWork: 'hdfs:///tmp' }),
    [],
  );
  t.deepEqual(blamed({ sparkMaster: 'yarn', sparkWork: 'hdfs:///tmp' }), ['--spark-master', '--spark-work']);
});
