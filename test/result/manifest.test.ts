import { createHash } from 'node:crypto';
import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { MinHashError } from '../../src/errors.js';
import {
  canonicalJson,
  countProblems,
  manifestOf,
  statsOf,
  stopWordFacts,
} from '../../src/result/manifest.js';
import { manifestProblem, readManifest, readStats } from '../../src/result/readManifest.js';
import { temporaryFolder } from '../data/temporaryFolder.js';
import { COUNTS, manifestFacts, parametersFor, REPORTED, STATS } from './resultSample.js';

const file = (name: string, rows: number) => ({ file: name, rows, bytes: 10, sha256: 'cd'.repeat(32) });
const FILES = [
  file('pairs/part-00000.tsv', 5),
  file('candidates/part-00000.tsv', 5),
  file('clusters/part-00000.tsv', 6),
  file('duplicates.tsv', 4),
  // Skipped, repaired, empty, left out.
  file('skipped.tsv', 2 + 2 + 1 + 1),
];

test('canonicalJson sorts keys at every depth, indents by two and ends with a line end', (t) => {
  t.is(
    canonicalJson({ b: [{ z: 1, a: null }], a: 'é' }),
    '{\n  "a": "é",\n  "b": [\n    {\n      "a": null,\n      "z": 1\n    }\n  ]\n}\n',
  );
});

test('the manifest is the same text for any order of files and keys', (t) => {
  const one = manifestOf(manifestFacts(FILES));
  const { counts, parameters, ...rest } = manifestFacts([...FILES].reverse());
  const other = manifestOf({ parameters, ...rest, counts });
  t.is(canonicalJson(one), canonicalJson(other));
  t.deepEqual(Object.keys(JSON.parse(canonicalJson(one)) as object), [
    'content_digest',
    'counts',
    'files',
    'numbers',
    'parameters',
    's_curve',
    'tool',
    'unicode',
    'version',
  ]);
});

test('manifestOf rounds probabilities to six decimals, so that no engine`s last digit shows', (t) => {
  const manifest = manifestOf(manifestFacts(FILES));
  t.is(manifest.s_curve.probability_at_threshold, 0.9853);
  t.deepEqual(manifest.s_curve.table, [{ similarity: 0.8, probability: 0.9853 }]);
});

test('manifestOf has the share of the agreement in signature mode only', (t) => {
  t.is(manifestOf(manifestFacts(FILES)).s_curve.agreement_share, null);
  const facts = { ...manifestFacts(FILES), parameters: parametersFor('signature') };
  t.is(manifestOf(facts).s_curve.agreement_share, 0.55);
});

test('manifestOf has count and hash of stop words if they are used, never the list', (t) => {
  const facts = manifestFacts(FILES);
  t.is(manifestOf(facts).parameters.shingle.stopWords, null);
  const shingle = { ...facts.parameters.shingle, unit: 'stopwords' as const };
  const manifest = manifestOf({ ...facts, parameters: { ...facts.parameters, shingle } });
  t.deepEqual(manifest.parameters.shingle.stopWords, {
    count: 2,
    sha256: createHash('sha256').update('a\nthe\n').digest('hex'),
  });
  t.deepEqual(stopWordFacts(['the', 'a', 'the']), stopWordFacts(['a', 'the']));
});

test('countProblems of a balanced run is empty, and a lost document is reported', (t) => {
  t.deepEqual(countProblems(COUNTS, FILES, REPORTED), []);
  const lost = countProblems({ ...COUNTS, kept: 5 }, FILES, REPORTED);
  t.deepEqual(lost, [
    { code: 'COUNTS_UNBALANCED', detail: 'documents read against kept and dropped: expected 10, got 9' },
    { code: 'COUNTS_UNBALANCED', detail: 'numbers of kept documents: expected 5, got 6' },
  ]);
  t.deepEqual(
    countProblems(COUNTS, FILES.slice(1), REPORTED).map((problem) => problem.detail),
    ['rows of pairs: expected 5, got 0'],
  );
});

function writeResult(root: string, manifest: string): void {
  writeFileSync(join(root, '_SUCCESS'), '');
  writeFileSync(join(root, 'manifest.json'), manifest);
}

test('readManifest returns the written manifest', (t) => {
  const root = temporaryFolder(t);
  const manifest = manifestOf(manifestFacts(FILES));
  writeResult(root, canonicalJson(manifest));
  t.deepEqual(readManifest(root), manifest);
});

/** Parameters that no run writes. */
const FORGED: readonly (readonly [change: object, why: RegExp])[] = [
  [{ threshold: -1 }, /parameters\.threshold is -1: expected a number above 0/],
  [{ include: 7 }, /parameters\.include: expected a list/],
  [{ seed: 2 ** 53 }, /parameters\.seed is 9007199254740992/],
  [{ textField: null }, /parameters\.textField is null/],
  [{ encoding: 'utf-99' }, /parameters\.encoding is utf-99/],
  [{ keep: { by: 'x' } }, /parameters\.keep is /],
  [
    { shingle: { unit: 'words', size: 64, bag: false, seed: 1, stopWords: null } },
    /parameters\.shingle is words:64/,
  ],
  [{ sketch: { sketch: 'fss', seed: 1 } }, /parameters\.sketch\.hashes: expected number/],
  [{ banding: { bands: 'x', rows: 1 } }, /parameters\.banding\.bands is x/],
  [{ groups: { by: 'x', only: false } }, /parameters\.groups\.by is unknown/],
];

test('readManifest of anything else is RESULT_MISSING with the reason', (t) => {
  const root = temporaryFolder(t);
  const sound = manifestOf(manifestFacts(FILES));
  const { hot_members: _, ...fewer } = sound.counts;
  const broken: readonly (readonly [text: string, why: RegExp])[] = [
    ['{', /not valid JSON/],
    ['[]', /not a JSON object/],
    [canonicalJson({ ...sound, tool: 'other' }), /tool is not/],
    [canonicalJson({ ...sound, counts: fewer }), /counts\.hot_members: expected number/],
    ...FORGED.map(([change, why]) => {
      const parameters = { ...sound.parameters, ...change };
      return [canonicalJson({ ...sound, parameters }), why] as const;
    }),
    ['['.repeat(2 ** 22 + 1), /not valid JSON/],
    [canonicalJson({ ...sound, files: { 'pairs/part-00000.tsv': {} } }), /rows: expected number/],
    [
      canonicalJson({ ...sound, files: { '../../etc/passwd': { rows: 1, bytes: 1, sha256: '' } } }),
      /outside the folder/,
    ],
  ];
  for (const [text, why] of broken) {
    writeResult(root, text);
    const error = t.throws(() => readManifest(root), { instanceOf: MinHashError });
    t.is(error.code, 'RESULT_MISSING');
    t.regex(error.message, why);
  }
  writeResult(root, canonicalJson(sound));
  unlinkSync(join(root, '_SUCCESS'));
  t.regex(t.throws(() => readManifest(root)).message, /no _SUCCESS/);
  t.regex(t.throws(() => readManifest(join(root, 'nowhere'))).message, /nowhere: no such folder/);
  t.is(manifestProblem(sound), null);
});

test('statsOf derives rates, and none if no time passed', (t) => {
  const { tool: _, throughput: __, memory: ___, ...told } = STATS;
  const facts = {
    ...told,
    ...{ elapsed_milliseconds: 2000, documents: 1001, textBytes: 5_000_000, peakMemoryBytes: 123 },
  };
  const stats = statsOf(facts);
  t.is(stats.throughput.documents_per_second, 500.5);
  t.is(stats.throughput.megabytes_per_second, 2.5);
  t.is(statsOf({ ...facts, elapsed_milliseconds: 0 }).throughput.documents_per_second, null);
  const root = temporaryFolder(t);
  writeFileSync(join(root, 'stats.json'), canonicalJson(stats));
  t.deepEqual(readStats(root), stats);
  writeFileSync(join(root, 'stats.json'), '{}');
  t.throws(() => readStats(root), { instanceOf: MinHashError });
});
