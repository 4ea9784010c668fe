import test from 'ava';
import { grouped, promiseLine, type ReportFacts, reportOf, summaryLines } from '../src/report.js';
import type { ResultParams } from '../src/sketch/params.js';
import type { ManifestCounts } from '../src/storage/results/manifest.js';
import { COUNTS, parametersFor } from './storage/results/resultSample.js';

function factsFor(verify: ResultParams['verify'], counts: Partial<ManifestCounts> = {}): ReportFacts {
  const file = (name: string) => ({ file: name, rows: 1, bytes: 1, sha256: '' });
  return {
    version: '0.1.0',
    out: 'mr-minhash-out',
    parameters: parametersFor('tsv', verify),
    counts: { ...COUNTS, ...counts },
    sCurve: {
      table: [],
      probability_at_threshold: 0.985303,
      agreement_share: verify === 'signature' ? 0.4987 : null,
    },
    files: ['pairs/part-00000.tsv', 'pairs/part-00001.tsv', 'candidates/part-00000.tsv', 'skipped.tsv'].map(
      file,
    ),
    stages: [],
    elapsedMilliseconds: 1234,
  };
}

const summaryOf = (verify: ResultParams['verify'], counts: Partial<ManifestCounts> = {}): string =>
  summaryLines(reportOf(factsFor(verify, counts))).join('\n');

test('grouped puts a comma every three digits', (t) => {
  t.deepEqual([0, 7, 999, 1000, 1234567].map(grouped), ['0', '7', '999', '1,000', '1,234,567']);
});

test('the summary names documents, skips by reason, pairs, clusters, the drop list and the files', (t) => {
  const text = summaryOf('exact', { read: 100_000 });
  t.regex(text, /100,000 documents read, 1 empty, 2 repaired/);
  t.regex(text, /Skipped {5}2\n {12}1 BINARY: binary file/);
  t.regex(text, /1 JSON_BROKEN: not valid JSON/);
  t.regex(text, /3 documents in 1 class, 2 rows/);
  t.regex(text, /3 pairs with exact resemblance of at least 0\.80/);
  t.regex(text, /2 with 6 documents; 1 member below 0\.80 to the representative/);
  t.regex(text, /4 to drop, 6 kept/);
  t.regex(
    text,
    /candidates\/ \(1 part\), pairs\/ \(2 parts\), skipped\.tsv, manifest\.json, stats\.json, _SUCCESS/,
  );
  t.regex(text, /1\.2 s/);
  t.notRegex(text, /estimate/);
});

test('the promise is the S-curve at the threshold, in signature mode times the agreement`s share', (t) => {
  t.is(
    promiseLine(reportOf(factsFor('exact'))),
    'a pair at 0.80 is found with probability 0.985 (18 bands of 7 rows)',
  );
  t.is(
    promiseLine(reportOf(factsFor('signature'))),
    'a pair at 0.80 is found with probability 0.49: 0.985 to become a candidate (18 bands of 7 rows), ' +
      'times 0.498 that its agreement reaches the threshold',
  );
  t.regex(promiseLine(reportOf(factsFor('none'))), /becomes a candidate with probability 0\.985/);
});

test('the promise of oph is the least over documents of all sizes, and says so', (t) => {
  const facts = factsFor('exact');
  const { seed } = facts.parameters;
  const parameters: ResultParams = { ...facts.parameters, sketch: { sketch: 'oph', hashes: 128, seed } };
  t.is(
    promiseLine(reportOf({ ...facts, parameters })),
    'a pair at 0.80 is found with probability 0.985 or more (18 bands of 7 rows)',
  );
});

test('a probability is never rounded up to certainty', (t) => {
  const facts = factsFor('exact');
  const nearly = { ...facts, sCurve: { ...facts.sCurve, probability_at_threshold: 0.99999 } };
  t.regex(promiseLine(reportOf(nearly)), /probability 0\.999 /);
  const sure = { ...facts, sCurve: { ...facts.sCurve, probability_at_threshold: 1 } };
  t.regex(promiseLine(reportOf(sure)), /probability 1\.000 /);
});

test('signature mode says estimate in the first line and gives the standard error', (t) => {
  const text = summaryOf('signature');
  t.is(text.split('\n')[0], 'Resemblance of near pairs: estimate');
  // sqrt(0.8 * 0.2 / 128) = 0.0354
  t.regex(text, /standard error at 0\.80 is 0\.035\./);
});

test('verify none says that nothing was verified', (t) => {
  t.regex(summaryOf('none'), /Nothing was verified/);
  t.regex(summaryOf('none'), /Near {8}none verified/);
});

test('capped buckets and documents never compared are said', (t) => {
  const text = summaryOf('exact', {
    hot_buckets: 3,
    largest_bucket: 20000,
    rounds: 2,
    pairs_skipped_at_most: 1234567,
    kept_uncompared: 2,
  });
  t.regex(
    text,
    /3 buckets with more than 256 documents \(the largest: 20,000\) were paired linearly, in 2 rounds/,
  );
  t.regex(text, /at most 1,234,567 pairs were not compared/);
  t.regex(text, /2 kept documents share a bucket/);
  t.regex(text, /3 hot buckets capped/);
});

test('a run without anything to say has no warnings, and a report is frozen', (t) => {
  const report = reportOf(factsFor('exact', { members_below_threshold: 0 }));
  t.deepEqual(report.warnings, []);
  t.true(Object.isFrozen(report) && Object.isFrozen(report.counts.skipped));
});

test('the summary of an empty run has no plural of one and no missing number', (t) => {
  const nothing = Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0]));
  const text = summaryOf('exact', { ...nothing, skipped: {}, rounds: 1 } as Partial<ManifestCounts>);
  t.regex(text, /0 documents read\nSkipped {5}none\nIdentical {3}none/);
  t.notRegex(text, /NaN|undefined/);
});
