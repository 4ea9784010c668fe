import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import type { RootPlace } from '../../src/readers/list/inputs.js';
import { ALL_FACTS, type FactName, type ManifestCounts } from '../../src/result/facts.js';
import { detailLines, type Report, type ReportFacts, reportOf } from '../../src/result/report.js';
import { summaryLines } from '../../src/result/summary.js';
import { promiseLine } from '../../src/result/wording/wording.js';
import type { ResultParams } from '../../src/sketch/params.js';
import { COUNTS, parametersFor, REPORTED } from './resultSample.js';

function factsFor(verify: ResultParams['verify'], counts: Partial<ManifestCounts> = {}): ReportFacts {
  const file = (name: string) => ({ file: name, rows: 1, bytes: 1, sha256: '' });
  return {
    version: '0.1.0',
    out: 'mr-minhash-out',
    parameters: parametersFor(verify),
    counts: { ...COUNTS, ...counts },
    numbers: REPORTED,
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
  detailLines(reportOf(factsFor(verify, counts))).join('\n');

test('the summary names documents, skips by reason, pairs, clusters, the drop list and the files', (t) => {
  const text = summaryOf('exact', { read: 100_000 });
  t.regex(text, /100,000 documents read, 1 empty, 2 repaired/);
  t.regex(text, /Skipped {5}2\n {12}1 BINARY: a binary file/);
  t.regex(text, /1 JSON_BROKEN: not valid JSON/);
  t.regex(text, /3 documents in 1 class, 2 rows/);
  t.regex(text, /3 pairs with exact Jaccard similarity of at least 0\.80/);
  t.regex(text, /2 with 6 documents; 1 member below 0\.80 to the representative/);
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
      'times 0.498 that its signature similarity reaches the threshold',
  );
  t.regex(promiseLine(reportOf(factsFor('none'))), /becomes a candidate with probability 0\.985/);
});

test('a probability is never rounded up to certainty', (t) => {
  const facts = factsFor('exact');
  const nearly = { ...facts, sCurve: { ...facts.sCurve, probability_at_threshold: 0.99999 } };
  t.regex(promiseLine(reportOf(nearly)), /probability 0\.999 /);
  const sure = { ...facts, sCurve: { ...facts.sCurve, probability_at_threshold: 1 } };
  t.regex(promiseLine(reportOf(sure)), /probability 1\.000 /);
});

test('signature mode says estimate in the first line and gives the standard error', (t) => {
  t.is(summaryOf('signature').split('\n')[0], 'Jaccard similarity of near pairs: estimate');
  // sqrt(0.8 * 0.2 / 128) = 0.0354
  t.regex(summaryLines(reportOf(factsFor('signature'))).join('\n'), /estimated ± 0\.035/);
});

test('verify none says that nothing was verified', (t) => {
  t.regex(summaryLines(reportOf(factsFor('none'))).join('\n'), /^warning: Nothing was verified/);
  t.regex(summaryOf('none'), /Near {8}none verified/);
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

const endOf = (facts: ReportFacts): string[] => {
  const lines = detailLines(reportOf(facts));
  return lines.slice(lines.findIndex((line) => line.startsWith('Keep')));
};

test('the details end with what is kept and what can be dropped', (t) => {
  const facts = factsFor('exact');
  t.deepEqual(endOf(facts), [
    'Keep        6 documents, 6,000 bytes of text, 600 words: of near-duplicates the first in the input',
    'Drop        4 documents, 1.2 MB of text, 400 words: each has a kept near-duplicate, named with its similarity',
    'By reason   4 near (1.2 MB, 400 words)',
  ]);
  const none = { documents: 0, bytes: 0, tokens: 0 };
  const nothing = {
    ...facts,
    counts: { ...facts.counts, dropped: 0, dropped_bytes: 0 },
    numbers: { ...REPORTED, dropped: none },
  };
  t.deepEqual(endOf(nothing).slice(1), ['Drop        0 documents, 0 bytes of text, 0 words']);
});

test('which of alike documents stays is told in words', (t) => {
  const facts = factsFor('exact');
  const keptOf = (parameters: Partial<ResultParams>, paths: readonly string[] = []): string => {
    const places = paths.map((prefix) => ({ prefix, path: `/data/${prefix}`, kind: 'folder' as const }));
    const inputs = { places };
    const all = { ...facts, inputs, parameters: { ...facts.parameters, ...parameters } };
    return endOf(all)[0]!.replace(/^.*words: /, '');
  };
  t.is(
    keptOf({ keep: { by: 'longest', field: null, best: null } }, ['a', 'b']),
    'of near-duplicates the longest',
  );
  t.is(
    keptOf({ keep: { by: 'field', field: 'score', best: 'min' }, groups: { by: 'against', only: false } }),
    'of near-duplicates that with the least "score"; before that: what --against names',
  );
  t.is(keptOf({ exactDuplicates: true }), 'of documents with the same tokens the first in the input');
  t.is(keptOf({ measure: 'containment' }), 'those that contain no document of the reference');
});

test('what a dropped document has is told in the words of how pairs were found', (t) => {
  const dropOf = (parameters: Partial<ResultParams>): string => {
    const facts = factsFor('exact');
    return endOf({ ...facts, parameters: { ...facts.parameters, ...parameters } })[1]!;
  };
  t.regex(dropOf({ verify: 'signature' }), /a kept near-duplicate, named with its estimated similarity$/);
  const sameTokens = /each has a kept document with the same tokens, which is named$/;
  t.regex(dropOf({ verify: 'none' }), sameTokens);
  t.regex(dropOf({ exactDuplicates: true }), sameTokens);
  const sets = { columns: null, rule: 'set' } as unknown as NonNullable<ResultParams['sets']>;
  t.regex(dropOf({ exactDuplicates: true, sets }), /each has an equal kept set, which is named$/);
  t.regex(
    dropOf({ measure: 'containment' }),
    /each contains 0\.80 or more of a document of the reference, which is named$/,
  );
});

test('the next command is what the run found out, fit to be pasted', (t) => {
  const nextOf = (cleaned: Report['cleaned'], out = 'my out'): string => {
    const report = reportOf({ ...factsFor('exact'), out });
    return summaryLines({ ...report, ...(cleaned && { cleaned }) })
      .at(-1)!
      .trim();
  };
  t.is(
    nextOf({ to: 'my out-clean' }),
    "mr-minhash apply 'my out' --to 'my out-clean'   # write the cleaned corpus",
  );
  t.is(
    nextOf({ to: '-o', force: true, corpus: ["it's", 'b'] }, '-out/'),
    "mr-minhash apply ./-out/ --to ./-o --corpus 'it'\\''s' --corpus b --force   # write the cleaned corpus, replacing the one there",
  );
  t.is(nextOf({ listed: 'why' }), "mr-minhash apply 'my out' --list dropped   # why");
  t.is(nextOf(undefined), "mr-minhash apply 'my out' --list dropped   # list what to remove, by location");
});

test('the summary says which prefix of places stands for which PATH', (t) => {
  const endWith = (...places: RootPlace[]): string[] => {
    const inputs = { places };
    return endOf({ ...factsFor('exact'), inputs }).slice(3);
  };
  t.deepEqual(
    endWith(
      { prefix: 'z/texts', path: 'y/z/texts', kind: 'folder' },
      { prefix: 'a.json', path: 'data/a.json', kind: 'file' },
      { prefix: '-', path: '-', kind: 'stdin' },
    ),
    [
      'Places      z/texts/... is below y/z/texts',
      '            a.json stands for data/a.json',
      '            -#line is a line of standard input',
    ],
  );
  const many = Array.from(
    { length: 12 },
    (_, i) => ({ prefix: `${i}`, path: `/${i}`, kind: 'folder' }) as const,
  );
  const lines = endWith(...many);
  t.is(lines.length, 11);
  t.is(lines[10], '            2 more PATHs: see places in stats.json');
  // Where the place is the PATH as typed, nothing is to be said.
  t.deepEqual(endWith({ prefix: 'a.json', path: './a.json', kind: 'file' }), []);
  t.deepEqual(endWith({ prefix: 'a.json', path: 'x/a.json', kind: 'file' }), [
    'Places      a.json stands for x/a.json',
  ]);
});

test('a fact with words of its own is in the summary on its line', (t) => {
  for (const [name, { told }] of ALL_FACTS) {
    if (told === undefined) continue;
    const line = summaryOf('exact', { [name]: 4567 })
      .split('\n')
      .find((one) => one.startsWith(told.line.padEnd(12)));
    t.regex(line!, /\b4,567 /, name);
  }
});

/** As docs/adding.md says of what is made of documents one by one. */
const FACTS_OF_A_ROW = ['shingle_occurrences', 'median_shingles'] as const satisfies readonly FactName[];

test('a fact that is made of documents one by one is named in its row, and where Spark makes it', (t) => {
  const root = new URL('../../../', import.meta.url);
  const files = ['src/', 'cli/'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => folder + name),
  );
  const texts = files.map((file) => readFileSync(new URL(file, root), 'utf8'));
  for (const name of FACTS_OF_A_ROW)
    t.deepEqual(
      files.filter((_, i) => texts[i]!.includes(name)),
      ['src/coordinator/sparkFacts.ts', 'src/result/facts.ts'],
      name,
    );
});
