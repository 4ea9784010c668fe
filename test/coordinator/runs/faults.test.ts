/**
 * Inputs that cannot be read: named and counted with --on-error skip, the end of the run with --on-error
 * fail.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { run } from '../../../src/coordinator/run.js';
import { ERRORS, type ErrorCode, listedKind, MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { type Files, finished, pairNames, prepared } from './finished.js';
import type { Row } from './resultFiles.js';

const random = randomFrom(99);
const PAGE = wordsFrom(random, 80).join(' ');
const record = (id: string | null, text = PAGE): string =>
  JSON.stringify(id === null ? { text } : { id, text });
/** Hard to pack, so that what is cut off is a part of the records. */
const LONG = Array.from({ length: 40 }, (_, i) => record(`z${i}`, wordsFrom(random, 200).join(' ')));

const FAULTY: Files = {
  'a-page.txt': PAGE,
  'binary.dat': Buffer.from('abc\0def'),
  'cut.jsonl.gz': gzipSync(LONG.join('\n')).subarray(0, -4000),
  'cut.txt.gz': gzipSync(LONG.join('\n')).subarray(0, -10),
  'damaged.txt.gz': Buffer.concat([gzipSync(PAGE), Buffer.from('rubbish')]),
  'empty.jsonl': '',
  'empty.txt': '',
  'equal.jsonl': `${record('twin')}\n${record('twin', 'other')}\n${record('a-page.txt')}\n`,
  'huge.txt': 'x'.repeat(200_001),
  'invalid.txt': Buffer.from(`${PAGE} mo\xffre`, 'latin1'),
  'lines.jsonl': `${record('ok')}\n{"text":"cut\n[]\n{"id":"no text"}\n`,
  'list.json': `[${record('el')}, 7]`,
  'mail/list.json': '{"text": "broken',
  // No record at all, so a text like any other.
  'notes.json': '{ // settings\n "width": 80, }',
  'other.txt.gz': PAGE,
  'settings.json': '{"width": 80, "height": 60}',
};

const said = (skipped: readonly Row[]): Record<string, string> =>
  Object.fromEntries(skipped.map(({ document, reason }) => [document!, reason!]));

/** The rows of skipped.tsv, except the number of records that are left of the cut file. */
const EXPECTED: readonly (readonly [string, ErrorCode])[] = [
  ['binary.dat', 'BINARY'],
  ['cut.txt.gz', 'GZIP_TRUNCATED'],
  ['damaged.txt.gz', 'GZIP_BEHIND'],
  ['dangling', 'LINK_BROKEN'],
  ['empty.txt', 'EMPTY'],
  ['huge.txt', 'TOO_LARGE'],
  ['invalid.txt', 'REPAIRED'],
  ['lines.jsonl#2', 'JSON_BROKEN'],
  ['lines.jsonl#3', 'JSON_NOT_AN_OBJECT'],
  ['lines.jsonl#4', 'JSON_NO_TEXT'],
  ['list.json#2', 'JSON_NOT_AN_OBJECT'],
  ['mail/list.json', 'JSON_BROKEN'],
  ['notes.json', 'RECORDS_AS_TEXT'],
  ['other.txt.gz', 'GZIP_OTHER'],
  ['settings.json', 'RECORDS_AS_TEXT'],
];

const OPTIONS: RunOptions = { maxDocument: 200_000 };

async function problemy(t: Parameters<typeof finished>[0], options: RunOptions) {
  const { options: places, inputs } = prepared(t, FAULTY);
  symlinkSync('nowhere', join(inputs, 'dangling'));
  return { inputs, places: { threads: 0, ...OPTIONS, ...places, ...options } };
}

for (const threads of [0, 2]) {
  test(`every problem is named once and counted, with ${threads} threads`, async (t) => {
    const { places } = await problemy(t, { threads });
    const { counts, out } = await run(places);
    const rows = readFileSync(join(out, 'skipped.tsv'), 'utf8').trimEnd().split('\n').slice(1);
    const cut = rows.filter((row) => row.startsWith('cut.jsonl.gz#'));
    const text = (code: ErrorCode): string => `${code}: ${ERRORS[code].text}`;
    t.deepEqual(
      rows.filter((row) => !cut.includes(row)),
      EXPECTED.map(([place, code]) => `${place}\t${listedKind(code)}\t${text(code)}`),
    );
    t.is(cut.length, 1);
    t.true(cut[0]!.endsWith(`\t${text('GZIP_TRUNCATED')}`));
    const line = Number(/#(\d+)/.exec(cut[0]!)![1]);
    t.true(line > 10 && line < 40);
    const skipped = Object.values(counts.skipped).reduce((sum, count) => sum + count, 0);
    t.is(skipped, EXPECTED.filter(([, code]) => listedKind(code) === 'skipped').length + 1);
    t.deepEqual(counts.left_out, { LINK_BROKEN: 1 });
    t.is(counts.documents, counts.read + skipped);
    t.is(counts.kept + counts.dropped, counts.read);
    // a-page, the complete lines of the cut file, the texts before damage in cut.txt.gz and damaged.txt.gz, empty.txt, three of equal.jsonl, invalid, ok, el, notes.json and settings.json as texts.
    t.is(counts.read, 12 + (line - 1));
    t.is(counts.ids_repeated, 1);
    t.is(counts.repaired, 1);
    t.is(counts.empty, 1);
    t.is(counts.records_as_text, 2);
    t.true(existsSync(join(out, '_SUCCESS')));
  });
}

test('the summary counts skipped records by reason, and the other records are compared', async (t) => {
  const { skipped, pairs, summary } = await finished(t, FAULTY, OPTIONS);
  t.is(Object.keys(said(skipped)).length, skipped.length);
  t.deepEqual(pairNames(pairs), [
    'a-page.txt damaged.txt.gz identical',
    'a-page.txt twin identical',
    'a-page.txt a-page.txt identical',
    'a-page.txt invalid.txt near',
    'a-page.txt ok identical',
    'a-page.txt el identical',
  ]);
  t.regex(summary, /^ +11 {2}were skipped$/m);
  t.regex(summary, /^ +1 BINARY: a binary file/m);
  t.regex(summary, /^ +1 {2}is empty/m);
  t.regex(summary, /^ +1 {2}was repaired/m);
  t.regex(summary, /^ +2 {2}are files of records without the text field, compared as texts$/m);
  t.regex(summary, /^ {2}read as 7 texts, 34 records of 3 JSON-lines files, 1 record of 1 JSON file$/m);
});

test('a file of records that is read as a text is reported once, also as an HTML page or in units', async (t) => {
  const files = {
    'a.txt': 'one two three four five\n',
    'page.json': '<!DOCTYPE html><html><body><p>some words of a page that is seen</p></body></html>',
    'table.csv': 'one,two\n1,2\n3,4\n',
    'text.json': '{"no":"one two three four",\n "text field":"five six seven eight"}\n',
  };
  for (const [unit, places] of [
    ['document', ['page.json', 'table.csv', 'text.json']],
    ['line', ['page.json#l1', 'table.csv#l1', 'text.json#l1']],
  ] as const) {
    const { noted, manifest, summary } = await finished(t, files, { unit, minTokens: 1 });
    t.deepEqual(
      noted.map(({ document, kind }) => [document, kind]),
      places.map((place) => [place, 'as text']),
    );
    t.is(manifest.counts.records_as_text, 3);
    t.regex(summary, /^ {2}read as 3 texts, 1 HTML page$/m);
  }
});

test('files of records without the text field, among texts, are reported', async (t) => {
  const body = (_: unknown, i: number): string => `{"body":"record ${i} has some words","year":${i}}\n`;
  const files = {
    'a.txt': 'one two three four five\n',
    // Recognized by its first bytes.
    lines: Array.from({ length: 20 }, body).join(''),
    'more.jsonl': body(null, 20),
    'table.csv': 'body,year\nsome words,1\n',
    'table.tsv': '<html>\tyear\nsome other words\t1\n',
  };
  const { noted, manifest, summary } = await finished(t, files);
  t.deepEqual(
    noted.map(({ document, kind }) => [document, kind]),
    ['lines', 'more.jsonl', 'table.csv', 'table.tsv'].map((name) => [name, 'as text']),
  );
  t.is(manifest.counts.read, 5);
  t.is(manifest.counts.records_as_text, 4);
  t.regex(summary, /^ +4 {2}are files of records without the text field, compared as texts$/m);
});

for (const [name, first] of [
  ['binary.dat', /binary\.dat: a binary file/],
  ['cut.jsonl.gz', /cut\.jsonl\.gz#\d+: the gzip data end too early/],
  ['cut.txt.gz', /cut\.txt\.gz: the gzip data end too early/],
  ['lines.jsonl', /lines\.jsonl#2: not valid JSON/],
  ['list.json', /list\.json#2: the JSON value is not an object/],
] as const) {
  test(`--on-error fail ends the run at ${name} and leaves no result that looks finished`, async (t) => {
    const { options, inputs } = prepared(t, { 'a.txt': PAGE, [name]: FAULTY[name]! });
    const error = await t.throwsAsync(run({ threads: 0, ...options, onError: 'fail' }), {
      instanceOf: MinHashError,
    });
    t.is((error as MinHashError).code, 'INPUT_REFUSED');
    t.is((error as MinHashError).exitCode, 1);
    t.regex(error!.message, first);
    t.false(existsSync(join(options.out, '_SUCCESS')));
    const report = await run({ threads: 0, ...options });
    t.true(report.counts.documents > report.counts.read);
    t.deepEqual(
      readdirSync(options.out).filter((entry) => entry.startsWith('.')),
      [],
    );
    t.true(existsSync(join(inputs, name)));
  });
}

test('a problem of listing ends the run before anything is written', async (t) => {
  const { inputs, places } = await problemy(t, { onError: 'fail' });
  execFileSync('mkfifo', [join(inputs, 'pipe')]);
  const error = await t.throwsAsync(run(places), { instanceOf: MinHashError });
  t.regex(error!.message, /pipe: not a regular file/);
  t.false(existsSync(places.out));
});

test('a NUL in a record costs that record, and in the first line the file', async (t) => {
  const { skipped, pairs } = await finished(t, {
    'a.jsonl': `${record('one')}\n{"id":"x","text":"a\0b"}\n${record('two')}\n`,
    'b.csv': `id,text\nthree,${PAGE}\0\n`,
    'c.jsonl': `\0\n${record('no')}\n`,
  });
  t.deepEqual(
    Object.entries(said(skipped)).map(([name, reason]) => `${name} ${reason.replace(/:.*/, '')}`),
    ['a.jsonl#2 JSON_BROKEN', 'c.jsonl BINARY'],
  );
  t.is(pairs.length, 2);
});
