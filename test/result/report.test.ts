import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import type { RootPlace } from '../../src/readers/list/inputs.js';
import { detailLines } from '../../src/result/details.js';
import { ALL_FACTS, type FactName, type ManifestCounts } from '../../src/result/facts.js';
import type { Report, ReportFacts } from '../../src/result/report.js';
import { summaryLines } from '../../src/result/summary.js';
import { reportOf } from '../../src/result/warnings.js';
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

test('the details have documents, skips by reason, pairs, clusters and the drop list', (t) => {
  const text = summaryOf('exact', { read: 100_000 });
  t.regex(text, /100,000 {2}of them were compared/);
  t.regex(text, / 1 {2}is empty/);
  t.regex(text, / 2 {2}were repaired/);
  t.regex(text, / 2 {2}were skipped\n +1 BINARY: a binary file/);
  t.regex(text, / 1 JSON_BROKEN: not valid JSON/);
  t.regex(text, / 3 {2}documents have the same tokens as another one/);
  t.regex(text, / 3 {2}of them reach the threshold \(near pairs\)/);
  t.regex(text, / 6 {2}documents are in one/);
  t.regex(text, / 4 {2}can be dropped/);
});

test('signature mode prints estimated in the first line, with the standard error', (t) => {
  // sqrt(0.8 * 0.2 / 128) = 0.0354
  t.regex(summaryLines(reportOf(factsFor('signature'))).join('\n'), /estimated ± 0\.035/);
});

test('verify none warns that nothing was verified', (t) => {
  t.regex(summaryLines(reportOf(factsFor('none'))).join('\n'), /^warning: Nothing was verified/);
});

test('an ordinary run has no warnings, and a report is frozen', (t) => {
  const report = reportOf(factsFor('exact', { members_below_threshold: 0 }));
  t.deepEqual(report.warnings, []);
  t.true(Object.isFrozen(report) && Object.isFrozen(report.counts.skipped));
});

test('the details of an empty run have no plural of one and no missing number', (t) => {
  const nothing = Object.fromEntries(Object.keys(COUNTS).map((name) => [name, 0]));
  const text = summaryOf('exact', { ...nothing, skipped: {} } as Partial<ManifestCounts>);
  t.regex(text, /^ +0 {2}documents and locations found\n +0 {2}of them were compared$/m);
  t.notRegex(text, /NaN|undefined|skipped/);
});

test('the summary prints in words which copy is kept', (t) => {
  const keptIn = (parameters: Partial<ResultParams>): string => {
    const facts = factsFor('exact');
    const lines = summaryLines(reportOf({ ...facts, parameters: { ...facts.parameters, ...parameters } }));
    return lines.find((line) => line.startsWith('  keep'))!.replace(/^.* {3}/, '');
  };
  t.is(keptIn({}), 'the first copy in input order (change with --keep)');
  t.is(keptIn({ keep: { by: 'longest', field: null, best: null } }), 'the longest copy (change with --keep)');
  t.is(
    keptIn({ keep: { by: 'field', field: 'score', best: 'min' } }),
    'the copy with the least "score" (change with --keep)',
  );
  t.is(keptIn({ measure: 'containment' }), 'documents that contain no document of the reference');
});

test('the next command fits the run and can be pasted', (t) => {
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

test('the details list the prefix of locations of each PATH', (t) => {
  const endWith = (...places: RootPlace[]): string[] => {
    const inputs = { places, against: [] };
    const lines = detailLines(reportOf({ ...factsFor('exact'), inputs }));
    return lines[0] === 'Inputs' ? lines.slice(1, lines.indexOf('')) : [];
  };
  t.deepEqual(
    endWith(
      { prefix: 'z/texts', path: 'y/z/texts', kind: 'folder' },
      { prefix: 'a.json', path: 'data/a.json', kind: 'file' },
      { prefix: '-', path: '-', kind: 'stdin' },
    ),
    ['  z/texts/... is below y/z/texts', '  a.json is data/a.json', '  -#line is a line of standard input'],
  );
  const many = Array.from(
    { length: 12 },
    (_, i) => ({ prefix: `${i}`, path: `/${i}`, kind: 'folder' }) as const,
  );
  const lines = endWith(...many);
  t.is(lines.length, 11);
  t.is(lines[10], '  2 more PATHs: see places in stats.json');
  // Where the place is the PATH as typed, nothing is to be said.
  t.deepEqual(endWith({ prefix: 'a.json', path: './a.json', kind: 'file' }), []);
  t.deepEqual(endWith({ prefix: 'a.json', path: 'x/a.json', kind: 'file' }), ['  a.json is x/a.json']);
});

test('every count that is not zero is a line of the details, and no other', (t) => {
  for (const [name, { value, median, byCode }] of ALL_FACTS) {
    if (value ?? median ?? byCode) continue;
    t.regex(summaryOf('exact', { [name]: 4567 }), /^ +(4,567|4\.6 KB) {2}\S/m, name);
  }
  t.notRegex(summaryOf('exact', { verified_pairs: 0 }), /reach the threshold/);
});

/** As docs/dev/adding.md says of what is made of documents one by one. */
const FACTS_OF_A_ROW = ['shingle_occurrences', 'median_shingles'] as const satisfies readonly FactName[];

test('every fact computed from documents has a column in its row, and a query of Spark', (t) => {
  const root = new URL('../../../', import.meta.url);
  const files = ['src/', 'cli/'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => folder + name),
  );
  const texts = files.map((file) => readFileSync(new URL(file, root), 'utf8'));
  for (const name of FACTS_OF_A_ROW)
    t.deepEqual(
      files.filter((file, i) => texts[i]!.includes(name) && file !== 'src/result/warnings.ts'),
      ['src/coordinator/sparkFacts.ts', 'src/result/facts.ts'],
      name,
    );
});
