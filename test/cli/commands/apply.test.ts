/** What `apply` and `run --write` say, and with which code they end. */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { programHere } from '../programHere.js';

const TEXT = 'the quick brown fox jumps over the lazy dog and runs away from the big bad wolf in the woods';
const lines = ['{"text":"one alone"}', `{"text":"${TEXT}"}`, `{"text":"${TEXT}"}`].map((line) => `${line}\n`);

test.serial('run --write writes the corpus too; apply prints what it did, as text and as JSON', async (t) => {
  const folder = temporaryFolder(t, { 'in/a.jsonl': lines.join(''), 'in/b.jsonl': lines[0]! });
  const ran = await programHere(folder, [
    'run',
    'in',
    '--out',
    'found',
    '--write',
    'clean',
    '--threads',
    '0',
  ]);
  t.is(ran.code, 0, ran.stderr);
  const said = [
    'clean: the corpus without the dropped documents',
    'documents: kept 2 of 4, dropped 2',
    'files: wrote 1 of 2, 125 bytes of 250 bytes: 1 rewritten, 1 left out',
    'in rewritten files: wrote 2 of 4 records, including those that the run did not compare',
    '',
  ].join('\n');
  t.true(ran.stdout.endsWith(`\n\n${said}`), ran.stdout);
  t.is(readFileSync(join(folder, 'clean/a.jsonl'), 'utf8'), lines.slice(0, 2).join(''));
  const stats = JSON.parse(readFileSync(join(folder, 'found/stats.json'), 'utf8'));
  t.is(stats.execution.write, 'clean');
  t.false(readFileSync(join(folder, 'found/manifest.json'), 'utf8').includes('clean'));
  const again = await programHere(folder, ['apply', 'found', '--to', 'clean', '--json', '-q', '--force']);
  t.is(again.code, 0);
  const { documents, files, mode } = JSON.parse(again.stdout);
  t.deepEqual([documents.dropped, files.written, mode], [2, 1, 'kept']);
  const there = await programHere(folder, ['apply', 'found', '--to', 'clean']);
  t.is(there.code, 2);
  t.regex(there.stderr, /hint: choose another folder, or replace the corpus there with --force\n$/);
  const complement = await programHere(folder, ['apply', 'found', '--to', 'dropped', '--dropped']);
  t.regex(complement.stdout, /^documents: wrote the 2 dropped of 4, not the 2 kept$/m);
  const listed = await programHere(folder, ['apply', 'found', '--list', 'dropped', '-0']);
  t.is(listed.stdout, 'a.jsonl#3\0b.jsonl#1\0');
});

test.serial('usage errors and changed inputs end with 2 and a hint', async (t) => {
  const folder = temporaryFolder(t, { 'in/a.jsonl': lines.join('') });
  t.is((await programHere(folder, ['run', 'in', '--out', 'found', '--threads', '0', '-q'])).code, 0);
  const wrong = await programHere(folder, ['apply', '--list', 'all', '--to', 'x']);
  t.is(wrong.code, 2);
  t.regex(wrong.stderr, /error: no DIR was given/);
  t.regex(wrong.stderr, /error: --list all: expected one of kept, dropped/);
  t.regex(wrong.stderr, /error: --list --to: expected only one of these/);
  const inside = await programHere(folder, [
    'run',
    'in',
    '--out',
    'other',
    '--write',
    'in/clean',
    '--rows',
    '0',
  ]);
  t.is(inside.code, 2);
  t.regex(
    inside.stderr,
    /error: the folder for the cleaned corpus is not suitable: in\/clean is, or is inside, the input/,
  );
  t.regex(inside.stderr, /error: --rows/);
  const dash = await programHere(folder, ['apply', 'found', '--to', '-']);
  t.is(dash.code, 2);
  t.regex(dash.stderr, /error: --to -: expected the path of a folder/);
  const several = await programHere(folder, ['apply', 'found', '--to', 'x', '--corpus', 'a', 'b']);
  t.regex(several.stderr, /DIR found b: expected one, got 2; --corpus .* is repeated for several/);
  renameSync(join(folder, 'in'), join(folder, 'moved'));
  const moved = await programHere(folder, ['apply', 'found', '--to', 'clean']);
  t.is(moved.code, 2);
  t.regex(moved.stderr, /hint: pass its current paths: --corpus PATH, once for each PATH/);
  renameSync(join(folder, 'moved'), join(folder, 'in'));
  writeFileSync(join(folder, 'in/a.jsonl'), lines[0]!);
  const changed = await programHere(folder, ['apply', 'found', '--to', 'clean']);
  t.is(changed.code, 2);
  t.regex(changed.stderr, /error: an input changed since the run: .*\/in\/a\.jsonl: \d+ bytes, now \d+/);
  const piped = await programHere(
    folder,
    ['run', '-', '--out', 'piped', '--threads', '0', '-q'],
    lines.join(''),
  );
  t.is(piped.code, 0);
  const refused = await programHere(folder, ['apply', 'piped', '--to', 'clean']);
  t.is(refused.code, 2);
  t.regex(
    refused.stderr,
    /it read standard input \(-\), which cannot be read again: save it in a file and pass that with --corpus/,
  );
  writeFileSync(join(folder, 'saved.jsonl'), lines.join(''));
  t.is(
    (await programHere(folder, ['apply', 'piped', '--to', 'clean', '--corpus', 'saved.jsonl', '-q'])).code,
    0,
  );
  t.is(readFileSync(join(folder, 'clean/saved.jsonl'), 'utf8'), lines.slice(0, 2).join(''));
});

test.serial('a folder for the corpus that cannot be used is rejected before the run', async (t) => {
  const folder = temporaryFolder(t, {
    'in/a.jsonl': lines.join(''),
    'in/b.jsonl': '',
    'file.txt': 'x',
    'closed/': '',
  });
  const run = (path: string, out: string, to: string, ...more: string[]) =>
    programHere(folder, ['run', path, '--out', out, '--write', to, '--threads', '0', '-q', ...more]);
  const inFile = await run('in', 'one', 'file.txt/clean/er');
  t.is(inFile.code, 2);
  t.regex(inFile.stderr, /cannot be created or written to: "file\.txt\/clean\/er": a file is where/);
  // Root may write anywhere.
  if (process.getuid?.() !== 0) {
    chmodSync(join(folder, 'closed'), 0o555);
    const closed = await run('in', 'one', 'closed/clean');
    chmodSync(join(folder, 'closed'), 0o755);
    t.is(closed.code, 2);
    t.regex(closed.stderr, /cannot be created or written to: "closed\/clean": no permission/);
  }
  t.is((await run('in/a.jsonl', 'one', 'clean')).code, 0);
  // A corpus is there already.
  t.is((await run('in', 'two', 'clean')).code, 2);
});
