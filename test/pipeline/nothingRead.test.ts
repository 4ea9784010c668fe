/** Runs that read nothing, or leave something out, and what they say of it. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test from 'ava';
import { dryRunLines } from '../../cli/planText.js';
import { run, summaryLines } from '../../src/index.js';
import { plan } from '../../src/plan.js';
import { finished, prepared, resultOf } from './finished.js';

test('a run over an empty folder says what was looked for, what was left out, and what to do', async (t) => {
  const { options, inputs } = prepared(t, { '.git/x': 'a', '.hidden': 'b' });
  symlinkSync('..', join(inputs, 'up'));
  const { warnings } = await run({ ...options, threads: 0 });
  t.deepEqual(warnings, [
    'No document was found. Looked for: files of any name (.jsonl and .ndjson are read as lines of records, .json as ' +
      'records, all others as texts). Left out: 2 hidden entries (names with a leading dot), 1 symbolic link ' +
      '(0 to what lies below the PATHs, 1 to other places, 0 broken), 0 folders with a result of mr-minhash. Name PATHs that hold documents.',
  ]);
  const planned = dryRunLines(await plan({ ...options, out: join(inputs, '../other') })).join('\n');
  t.regex(
    planned,
    /\nleft out: 2 hidden entries, 1 symbolic link \(0 to what lies below the PATHs, 1 to other places, 0 broken\)\n/,
  );
});

test('globs that keep everything out are named, with how they match', async (t) => {
  const { report } = await finished(
    t,
    { 'sub/a.txt': 'a b' },
    { include: ['/*.txt'], exclude: ['x/**'], input: 'text' },
  );
  t.regex(
    report.warnings[0]!,
    /^No .* files of any name, read as text, with --include \/\*\.txt --exclude x\/\*\*\. Left out: 1 file by --include/,
  );
  t.regex(
    report.warnings[0]!,
    /or other globs: without a slash they match names in any folder, with one paths relative to a PATH, /,
  );
});

test('where everything found was skipped, or standard input is empty, that is said', async (t) => {
  const { options: places } = prepared(t, { 'a.bin': 'a\0' });
  const skipped = await run({ ...places, format: 'csv', threads: 0 });
  t.deepEqual(skipped.warnings, [
    'No document was read: everything that was found was skipped, for the reasons counted; skipped.csv names each place.',
  ]);
  const { options } = prepared(t, {});
  const { warnings } = await run({ ...options, paths: ['-'], threads: 0 }, { stdin: Readable.from(['']) });
  t.deepEqual(warnings, ['No document was found in what was given.']);
});

test('earlier results inside the corpus are left out and said, and PATHs in them refused', async (t) => {
  const text = 'one two three four five six seven';
  const { options, inputs } = prepared(t, { 'a.txt': text, 'b.txt': `${text} eight` });
  const first = await run({ ...options, out: join(inputs, 'out1'), threads: 0 });
  t.deepEqual(first.warnings, []);
  const second = await run({ ...options, out: join(inputs, 'out2'), threads: 0 });
  t.is(second.counts.documents, 2);
  t.true(
    summaryLines(second).includes(
      'Note        ' + '1 folder below the PATHs that holds a result of mr-minhash was left out: out1.',
    ),
  );
  // Neither is part of the inputs, so the results are the same.
  t.deepEqual(resultOf(join(inputs, 'out2')).manifest, resultOf(join(inputs, 'out1')).manifest);
  mkdirSync(join(inputs, 'out1/mine'));
  for (const place of ['out1', 'out1/pairs', 'out1/mine', 'out1/duplicates.tsv']) {
    const refused = run({ ...options, paths: [join(inputs, place)], threads: 0 });
    await t.throwsAsync(refused, { code: 'PATH_IN_RESULT' }, place);
  }
});
