/** Runs that read nothing, or leave something out, and what they say of it. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { dryRunLines } from '../../../cli/show/plan.js';
import { plan } from '../../../src/coordinator/planning/plan.js';
import type { RunHooks } from '../../../src/coordinator/runFiles.js';
import { ERRORS, MinHashError, type Problem } from '../../../src/errors.js';
import { run } from '../../../src/index.js';
import type { RunOptions } from '../../../src/options/check.js';
import { RECORD_NAMES } from '../../../src/readers/list/formats.js';
import { readStats } from '../../../src/result/readManifest.js';
import { verifyResult } from '../../../src/result/verifyResult.js';
import { type Files, finished, prepared, resultOf } from './finished.js';
import { resultBytes } from './resultFiles.js';

/** Runs on this thread, which is to fail, and says how; nothing may be left of it. */
async function failureOf(
  t: ExecutionContext,
  options: RunOptions & { readonly out: string },
  hooks: RunHooks = {},
): Promise<Problem> {
  const isThere = existsSync(options.out);
  const error = await t.throwsAsync(run({ threads: 0, ...options }, hooks), { instanceOf: MinHashError });
  t.is(existsSync(options.out), isThere);
  t.is(error.exitCode, ERRORS[error.code].scope === 'use' ? 2 : 1);
  t.is(error.problems.length, 1);
  return error.problems[0]!;
}

test('a run over an empty folder fails with the skipped entries and a hint', async (t) => {
  const { options, inputs } = prepared(t, { '.git/x': 'a', '.hidden': 'b' });
  symlinkSync('..', join(inputs, 'up'));
  const { code, detail } = await failureOf(t, options);
  t.is(code, 'NOTHING_READ');
  t.is(
    detail,
    'no document was found; left out: 1 symbolic link (1 elsewhere), ' +
      '2 hidden entries; names of hidden entries begin with a dot: pass them as PATHs to read them',
  );
  const elsewhere = { ...options, out: join(inputs, '../other') };
  const refused = await t.throwsAsync(plan(elsewhere), { code: 'NOTHING_READ' });
  t.deepEqual((refused as MinHashError).problems, [{ code, detail }]);
  writeFileSync(join(inputs, 'a.txt'), 'a');
  const planned = dryRunLines(await plan(elsewhere)).join('\n');
  t.regex(planned, /\nleft out: 1 symbolic link \(0 below the PATHs, 1 elsewhere, 0 broken\)\n/);
  const { detail: none } = await failureOf(t, prepared(t, { 'sub/': '' }).options);
  t.regex(none, /^no document was found; pass PATHs with documents$/);
});

test('globs that exclude everything are reported, with how they match', async (t) => {
  const { options } = prepared(t, { 'sub/a.txt': 'a b' });
  const wish = { include: ['*.md'], exclude: ['x/**'], input: 'text' } as const;
  const { code, detail } = await failureOf(t, { ...options, ...wish });
  t.is(code, 'NOTHING_READ');
  t.regex(
    detail,
    /; left out: 1 file by --include and --exclude; other globs may match: without a slash they match names/,
  );
});

test('if everything found was skipped, or standard input is empty, the reasons are reported', async (t) => {
  const { options: places } = prepared(t, { 'a.bin': 'a\0', 'b.bin': 'a\0', 'c.jsonl': 'no JSON\n' });
  for (const threads of [0, 1]) {
    const { code, detail } = await failureOf(t, { ...places, threads });
    t.is(code, 'NOTHING_READ');
    t.regex(detail, /^no document was found; skipped: 2 locations BINARY, .*; 1 location JSON_BROKEN, /);
    t.regex(
      detail,
      /\(convert it to text, give a UTF-16 file its --encoding, or exclude it with --exclude\); .*--input names another form of the file: csv, tsv, json or text; /,
    );
  }
  const { options } = prepared(t, {});
  for (const piped of ['', '\n\n']) {
    const { code, detail } = await failureOf(
      t,
      { ...options, paths: ['-'] },
      { stdin: Readable.from([piped]) },
    );
    t.is(code, 'NOTHING_READ');
    t.is(detail, 'no document came on standard input, which was empty or had a header or blank lines only');
  }
  const sets = await failureOf(t, { ...prepared(t, { 'a.tsv': '' }).options, input: 'sets' });
  t.regex(`${sets.code} ${sets.detail}`, /^NOTHING_READ no set was found in 1 file; /);
  const empty = prepared(t, { 'a.csv': 'id,text\n', 'b.csv': '', 'c.jsonl': '', 'd.warc': '' });
  t.is(
    (await failureOf(t, empty.options)).detail,
    'no document was found in 4 files; pass PATHs with documents',
  );
});

test('if nearly all records are invalid JSON, the hint mentions tables', async (t) => {
  const rows = (number: number): string => `{"text":"a b"}\n${'1,a b\n'.repeat(number)}`;
  const { report } = await finished(t, { 'a.csv': rows(9) }, { input: 'jsonl' });
  const [warning] = report.warnings;
  t.is(
    warning,
    '9 records are not valid JSON, and only 1 document was read: for tables use --input csv or --input tsv.',
  );
  t.deepEqual((await finished(t, { 'a.csv': rows(8) }, { input: 'jsonl' })).report.warnings, []);
});

test('documents without text count as read', async (t) => {
  const { report } = await finished(t, { 'a.txt': '', 'b.txt': ' \n' });
  t.is(report.counts.read, 2);
  t.is(report.counts.empty, 2);
  const piped = { stdin: Readable.from(['{"text":""}\n']) };
  t.is((await finished(t, {}, { paths: ['-'] }, piped)).report.counts.empty, 1);
});

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const MAIL = line({ id: 1, subject: 'short', content: 'a rather long text' });

test('a text field that no first record has is a usage error, reported with the existing fields', async (t) => {
  const ofMail = 'the first records of "a.jsonl" have the fields "content", "subject", "id"';
  const cases: readonly (readonly [Files, RunOptions, string])[] = [
    [
      { 'a.jsonl': MAIL },
      {},
      `--text-field "text" (the default): ${ofMail}; the longest string is in --text-field content`,
    ],
    [
      { 'a.jsonl': MAIL },
      { textField: 'contents' },
      `--text-field "contents": ${ofMail}; did you mean --text-field content?`,
    ],
    [
      { 'a.jsonl': line({ 'a,body': 'x', b: 1 }) },
      { textField: 'a\\,bdy' },
      `--text-field "a\\\\,bdy": the first records of "a.jsonl" have the fields "a,body", "b"; did you mean --text-field 'a\\,body'?`,
    ],
    [
      { 'a.jsonl': MAIL, 'b.jsonl': '', 'c.jsonl.gz': gzipSync(MAIL.repeat(500)), 'd.json': `[${MAIL}]` },
      { textField: 'body' },
      `--text-field "body": ${ofMail}; the longest string is in --text-field content; 2 more files of records without it`,
    ],
    [
      { 'a.json': '[{"body":{"text":"nested"}}]' },
      { input: 'json' },
      '--text-field "text" (the default): the first records of "a.json" have the field "body.text"; the longest string is in --text-field body.text',
    ],
    [
      { 'a.jsonl': Buffer.from(MAIL, 'utf16le') },
      { encoding: 'utf-16le' },
      `--text-field "text" (the default): ${ofMail}; the longest string is in --text-field content`,
    ],
    [
      { 'a.jsonl': line(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`field${i}`, i]))) },
      {},
      '--text-field "text" (the default): the first records of "a.jsonl" have the fields ' +
        `${Array.from({ length: 10 }, (_, i) => `"field${i}"`).join(', ')} and 2 more`,
    ],
    [
      { 'a.csv': 'id;text\n1;a b\n' },
      {},
      `--text-field "text" (the default): the first records of "a.csv" have the field "id;text"; did you mean --separator ';'?`,
    ],
    [
      { 'a.json': '{"n":2,"items":[{"text":"one"},{"text":"two"}]}' },
      {},
      '--text-field "text" (the default): the first records of "a.json" have the fields "items.text", "n"; ' +
        'the records in "items" are compared one by one with --records items',
    ],
    [
      { 'a.jsonl': line({ data: { items: [{ body: 'one' }, { body: 'two' }] } }) },
      {},
      '--text-field "text" (the default): the first records of "a.jsonl" have the field "data.items.body"; ' +
        'the records in "data.items" are compared one by one with --records data.items --text-field body',
    ],
    // One that is too large to be read before the run.
    [
      { 'a.json': `{"n":2,"items":[{"text":"one"},{"text":"${'two '.repeat(5_000_000)}"}]}` },
      {},
      '--text-field "text" (the default): the first records of "a.json" have the field "items.text"; ' +
        'the records in "items" are compared one by one with --records items',
    ],
    // A record that is longer than what is looked at first.
    [
      { 'a.jsonl': line({ content: 'x'.repeat(100_000), id: 1 }) },
      {},
      '--text-field "text" (the default): the first records of "a.jsonl" have the fields "content", "id"; the longest string is in --text-field content',
    ],
  ];
  for (const [files, options, expected] of cases) {
    const { options: places } = prepared(t, files);
    const { code, detail } = await failureOf(t, { ...places, ...options });
    t.deepEqual([code, detail], ['TEXT_FIELD_UNKNOWN', expected]);
    await t.throwsAsync(plan({ ...places, ...options }), { code: 'TEXT_FIELD_UNKNOWN' } as object);
  }
});

test('a text field that is found missing only after reading ends the run, and replaces nothing', async (t) => {
  const fields = 'the fields "content", "subject", "id"; the longest string is in --text-field content';
  const cases: readonly (readonly [Files, RunHooks, string])[] = [
    // What the first records show is nothing, or not all.
    [{ 'a.jsonl': '7\n'.repeat(100) + MAIL, 'b.txt': 'a text' }, {}, 'no record has it'],
    [
      { 'a.jsonl': line({ text: null, id: 1 }), 'b.jsonl': MAIL },
      {},
      // The other file is a text.
      'no record has it; those of "a.jsonl" have the fields "text", "id", and no string in "text"',
    ],
    [{}, { stdin: Readable.from([MAIL + MAIL]) }, `no record has it; those of standard input have ${fields}`],
    [{}, { stdin: Readable.from([MAIL.trim()]) }, `no record has it; those of standard input have ${fields}`],
  ];
  for (const [files, hooks, expected] of cases) {
    const { options } = prepared(t, files);
    const paths = hooks.stdin === undefined ? options.paths : ['-'];
    const { code, detail } = await failureOf(t, { ...options, paths }, hooks);
    t.deepEqual([code, detail], ['TEXT_FIELD_MISSING', `--text-field "text" (the default): ${expected}`]);
  }
});

test('if any record has the text field, the others are skipped and listed', async (t) => {
  const text = line({ id: 'one', text: 'one two three' });
  const cases: readonly (readonly [Files, read: number])[] = [
    // Formats with a line about the next one.
    [{ 'a.jsonl': line({ index: {} }) + text }, 1],
    // A file of which no record has it is a text.
    [{ 'a.jsonl': MAIL, 'b.jsonl.gz': gzipSync(MAIL.repeat(50) + text) }, 2],
    [{ 'a.jsonl': '7\n'.repeat(200) + MAIL, 'b.json': text }, 1],
  ];
  for (const [files, read] of cases) {
    const { report } = await finished(t, files);
    t.is(report.counts.read, read);
    t.true(report.counts.skipped.JSON_NO_TEXT! > 0);
  }
  // Among texts a .json without it is a text, until the field is named.
  const { options } = prepared(t, { 'a.json': '{"name":"x"}', 'b.txt': 'some words' });
  t.is((await run({ ...options, threads: 0 })).counts.read, 2);
  const named = await failureOf(t, { ...options, force: true, textField: 'text' });
  t.is(named.code, 'TEXT_FIELD_UNKNOWN');
});

test('a run fails if all inputs are records and none has the text field, also for .json files', async (t) => {
  const { options } = prepared(t, {
    'a.json': '{"name":"x"}',
    'b.json': '[{"name":"y"}]',
    'c.csv': 'name\nz\n',
  });
  const { code, detail } = await failureOf(t, options);
  t.is(code, 'TEXT_FIELD_UNKNOWN');
  t.regex(detail, /"a\.json" have the field "name".*2 more files of records/);
  t.is((await run({ ...options, threads: 0, input: 'text' })).counts.read, 3);
});

test('a text field is a usage error if no input holds records', async (t) => {
  const { options } = prepared(t, { 'a.txt': 'a', 'b.md': 'b', 'c.jsonl': MAIL });
  const { code, detail } = await failureOf(t, { ...options, textField: 'content', exclude: ['*.jsonl'] });
  t.is(code, 'TEXT_FIELD_UNKNOWN');
  t.is(
    detail,
    '--text-field "content": no input holds records: "a.txt" and 1 more file are read as texts; ' +
      `records are read from ${RECORD_NAMES.slice(0, -1).join(', ')} and ${RECORD_NAMES.at(-1)} files, or with --input`,
  );
  const asText = await failureOf(t, { ...options, textField: 'content', input: 'text' });
  t.is(asText.code, 'TEXT_FIELD_UNKNOWN');
  t.is((await run({ ...options, threads: 0, textField: 'content' })).counts.read, 3);
});

test('with --force a run that reads nothing leaves the earlier result unchanged', async (t) => {
  const late = '7\n'.repeat(100) + MAIL;
  const { options } = prepared(t, { 'a.txt': 'a b', 'empty/.x': '', 'bin/a': '\0', 'r/a.jsonl': late });
  const [inputs] = options.paths;
  await run({ ...options, paths: [join(inputs!, 'a.txt')], threads: 0 });
  const before = resultBytes(options.out);
  for (const [paths, stdin, code] of [
    ['empty', undefined, 'NOTHING_READ'],
    ['bin', undefined, 'NOTHING_READ'],
    ['r', undefined, 'TEXT_FIELD_MISSING'],
    ['-', '', 'NOTHING_READ'],
  ] as const) {
    const hooks = stdin === undefined ? {} : { stdin: Readable.from([stdin]) };
    const places = paths === '-' ? ['-'] : [join(inputs!, paths)];
    t.is((await failureOf(t, { ...options, paths: places, force: true }, hooks)).code, code);
    t.deepEqual(resultBytes(options.out), before);
    t.deepEqual(
      readdirSync(options.out).filter((name) => name.startsWith('.')),
      [],
    );
    t.true((await verifyResult(options.out)).valid);
  }
});

test('an --id-field that no record has is reported in the summary and in stats.json', async (t) => {
  const { options } = prepared(t, { 'a.jsonl': '{"text":"a b c","key":"x"}\n{"text":"d e f","key":"y"}\n' });
  const asked = { ...options, idField: 'kye', threads: 0 };
  const warning = 'No record has the field "kye" of --id-field: ids are locations instead.';
  t.deepEqual((await run(asked)).warnings, [warning]);
  t.is(readStats(options.out).missing_id_field, 'kye');
  for (const idField of ['key', undefined]) {
    const given = idField === undefined ? options : { ...options, idField };
    t.deepEqual((await run({ ...given, threads: 0, force: true })).warnings, []);
    t.is(readStats(options.out).missing_id_field, null);
  }
});

test('one of several text fields that no first record has is reported', async (t) => {
  const files = {
    'a.jsonl': '{"text":"a b c"}\n{"text":"d","meta":{"title":"x"}}\n',
    'b.csv': 'id,text\n1,e f\n',
    'c.txt': 'a text',
  };
  const { options } = prepared(t, files);
  const asked = { ...options, textField: 'text,bdoy,meta.title', threads: 0 };
  const warning = 'None of the first records has the field "bdoy" of --text-field.';
  t.deepEqual((await run(asked)).warnings, [warning]);
  t.deepEqual(readStats(options.out).input_notes, [warning]);
  t.deepEqual((await run({ ...asked, textField: 'text,meta.title', force: true })).warnings, []);
  const stdin = { stdin: Readable.from(['text,title\na,b\n']) };
  const piped = { ...asked, paths: ['-'], input: 'csv', force: true } as const;
  t.deepEqual((await run(piped, stdin)).warnings, [warning, warning.replace('bdoy', 'meta.title')]);
});

test('one record around all records, and lines that are baskets, are reported with what to type', async (t) => {
  const wrapped = prepared(t, { 'a.jsonl': line({ items: [{ text: 'a b' }, { text: 'c d' }] }) }).options;
  t.deepEqual((await run({ ...wrapped, textField: 'items.text', threads: 0 })).warnings, [
    'All of "a.jsonl" is one record, which is compared as one document: the records in "items" are compared one by one with --records items.',
  ]);
  const each = await run({ ...wrapped, records: 'items', threads: 0, force: true });
  t.deepEqual([each.counts.read, each.warnings], [2, []]);
  const baskets = '11,22,33\n11,44,55,66\n12,22\n11,22,33,44\n';
  const sets = { input: 'sets', threads: 0 } as const;
  const { warnings } = await run({ ...prepared(t, { 'a.csv': baskets }).options, ...sets });
  t.regex(warnings.join(), /^A line is read as a set, one element and its weight\. If it is a whole basket/);
  const ratings = '1,10,4,964982703\n1,11,5,964982704\n2,10,3,964982705\n';
  t.deepEqual((await run({ ...prepared(t, { 'a.csv': ratings }).options, ...sets })).warnings, []);
});

test('earlier results inside the corpus are skipped and reported, and PATHs in them are rejected', async (t) => {
  const text = 'one two three four five six seven';
  const { options, inputs } = prepared(t, { 'a.txt': text, 'b.txt': `${text} eight` });
  const first = await run({ ...options, out: join(inputs, 'out1'), threads: 0 });
  t.deepEqual(first.warnings, []);
  const second = await run({ ...options, out: join(inputs, 'out2'), threads: 0 });
  t.is(second.counts.documents, 2);
  t.true(
    second.warnings.includes('1 folder below the PATHs that holds a result of mr-minhash was skipped: out1.'),
  );
  // Both results have the same inputs, so they are equal.
  t.deepEqual(resultOf(join(inputs, 'out2')).manifest, resultOf(join(inputs, 'out1')).manifest);
  mkdirSync(join(inputs, 'out1/mine'));
  for (const place of ['out1', 'out1/pairs', 'out1/mine', 'out1/duplicates.tsv']) {
    const refused = run({ ...options, paths: [join(inputs, place)], threads: 0 });
    await t.throwsAsync(refused, { code: 'PATH_IN_RESULT' }, place);
  }
});

const DATED = '{"text":"a b c","date":1}\n{"text":"d e f","date":"x"}\n{"text":"g h i"}\n';

test('documents that lack a field are counted', async (t) => {
  const { options } = prepared(t, { 'a.jsonl': DATED, 'b.txt': 'a text' });
  const asked = { ...options, keep: 'field:date', threads: 0 };
  const warning = '2 documents lack the field "date": they come last.';
  t.deepEqual((await run(asked)).warnings, [warning]);
  t.deepEqual(readStats(options.out).lacked_values, [{ field: 'date', decides: 'keep', documents: 2 }]);
  t.deepEqual((await run({ ...asked, shards: 3, force: true, threads: 2 })).warnings, [warning]);
  t.deepEqual((await run({ ...asked, exactDuplicates: true, force: true })).warnings, [warning]);
  t.deepEqual((await run({ ...options, threads: 0, force: true })).warnings, []);
  t.deepEqual(readStats(options.out).lacked_values, []);
});

test('a field that no first record has is a usage error, reported with the existing fields', async (t) => {
  const csv = 'id,text,datum\n1,a b c,5\n';
  const { options } = prepared(t, { 'a.jsonl': '{"text":"a b c","dates":1}\n', 'b.csv': csv });
  const keep = { ...options, keep: 'field:date' };
  const { code, detail } = await failureOf(t, keep);
  t.is(code, 'FIELD_UNKNOWN');
  const fields = 'the first records of "a.jsonl" have the fields "text", "dates"';
  t.is(detail, `--keep "field:date": ${fields}; did you mean "dates"?`);
  // A field that one of several files has is none that is lacking.
  t.is((await run({ ...keep, keep: 'field:datum:min', threads: 0 })).counts.read, 2);
  const texts = prepared(t, { 'a.txt': 'a b c', 'b.md': 'd' });
  t.regex(
    (await failureOf(t, { ...texts.options, keep: 'field:date' })).detail,
    /no input holds records: "a.txt" and/,
  );
});

test('a run fails if nothing is read of the reference, or of the new documents', async (t) => {
  const { inputs, options } = prepared(t, {
    'new/a.txt': 'one two three',
    'old/b.txt': 'one two three',
    'empty/.x': '',
    'binary/a': '\0',
    'binary-too/a.txt': 'one two three',
    'records/a.jsonl': '{"text":"one two"}\n',
    'other/a.jsonl': '{"txet":"one two"}\n',
    'late/a.jsonl': '7\n'.repeat(100) + MAIL,
    'short/a.txt': 'one',
  });
  const across = (paths: string, against: string, more: RunOptions = {}) =>
    failureOf(t, { ...options, ...more, paths: [join(inputs, paths)], against: [join(inputs, against)] });
  for (const [paths, against, code, text] of [
    ['new', 'empty', 'NOTHING_READ', /^--against: no document was found; /],
    ['empty', 'old', 'NOTHING_READ', /^the new documents: no document was found; /],
    ['new', 'binary', 'NOTHING_READ', /^--against: no document was found; skipped: 1 location BINARY/],
    [
      'binary',
      'binary-too',
      'NOTHING_READ',
      /^the new documents: no document was found; skipped: 1 location BINARY/,
    ],
    ['records', 'other', 'TEXT_FIELD_UNKNOWN', /^--against: .*"txet"; did you mean --text-field txet\?$/],
    [
      'other',
      'records',
      'TEXT_FIELD_UNKNOWN',
      /^the new documents: .*"txet"; did you mean --text-field txet\?$/,
    ],
    ['new', 'late', 'TEXT_FIELD_MISSING', /^--against: --text-field "text" .*: no record has it/],
    ['late', 'old', 'TEXT_FIELD_MISSING', /^the new documents: --text-field "text" .*: no record has it/],
  ] as const) {
    const problem = await across(paths, against);
    t.is(problem.code, code, `${paths} ${against}`);
    t.regex(problem.detail, text);
  }
  // --exclude applies to the new documents only.
  const unwanted = await across('new', 'old', { exclude: ['?.txt'] });
  t.regex(unwanted.detail, /^the new documents: no document was found; left out: 1 file/);
  t.regex(
    (await across('new', 'short', { minTokens: 2 })).detail,
    /^--against: no document was found in 1 file; /,
  );
  // What is new may have nothing but short texts: that is an answer.
  const places = { paths: [join(inputs, 'short')], against: [join(inputs, 'old')] };
  t.is((await run({ ...options, ...places, minTokens: 2, threads: 0 })).counts.left_alone, 1);
});
