/** Names that are hard to handle differ in the results, and never control a terminal. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { programHere } from '../../cli/programHere.js';
import { randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { temporaryFolder } from '../../data/temporaryFolder.js';

const PAGE = wordsFrom(randomFrom(21), 60).join(' ');
const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

/** Binary strings; each pair would be one name if an escape were written unchanged. */
const NAMES = [
  ...['tab\tname', 'tab\\tname', 'tab\\\tname', 'line\nfeed', 'line\\nfeed', 'cr\rname', 'cr\\rname'],
  ...['esc\x1b[31mred', 'esc\\x1b[31mred', 'title\x1b]0;gone\x07', 'del\x7f', 'bell\x07', '\x01'],
  ...['bad\xff\xfe', 'bad\\xff\\xfe', utf8('c1\u009b31m'), utf8('rtl\u202etxt'), utf8('ünï'), utf8('\u2028')],
  ...['-dash', '--help', 'quo"te', 'com,ma', '"', ' ', '\\', '\\\\', `${'n'.repeat(251)}.txt`, '*?[a]{b,c}!'],
].sort();

const FILES = Object.fromEntries([
  ...NAMES.map((name) => [`in/${name}`, PAGE]),
  ['in/x\x1b]0;bad\x07\n.dat', 'a\0b'],
  ['in/dir\x1b[2J/\x9b\x84.jsonl', '{"id":"\\u001b[31m\\u009b\\n","text":"one"}\n{"broken\n'],
]);

/** Every byte that a terminal may act on: C0, DEL, and C1 in UTF-8; of line ends those that end a line of ours. */
const ACTS = /[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae\x8e\x8f]/;

async function said(t: ExecutionContext, code: number, ...words: string[]): Promise<string> {
  const { stdout, stderr, ...ran } = await programHere('.', words);
  t.is(ran.code, code, stderr);
  t.notRegex(stdout, ACTS, words.join(' '));
  t.notRegex(stderr, ACTS, words.join(' '));
  return stdout + stderr;
}

test.serial('ids that would collide without escapes are distinct in a result', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const out = join(folder, 'out');
  await said(t, 0, 'run', join(folder, 'in'), '--out', out, '--threads', '0');
  // All files are one class: each but the first is dropped for the first.
  const rows = readFileSync(join(out, 'duplicates.tsv'), 'latin1').trimEnd().split('\n').slice(1);
  const ids = rows.map((row) => row.split('\t')[0]!);
  t.is(new Set(ids).size, NAMES.length - 1);
});

test.serial('no control character of a name, an id or a text reaches the terminal', async (t) => {
  const folder = temporaryFolder(t, FILES);
  const inputs = join(folder, 'in');
  const out = join(folder, 'out\x1b[31m\n');
  const summary = await said(t, 0, 'run', inputs, '--out', out, '--verbose');
  t.regex(summary, /^ +2 {2}were skipped$/m);
  await said(t, 0, 'run', inputs, '--out', out, '--force', '--json', '--threads', '0');
  await said(t, 0, 'run', inputs, '--out', out, '--force', '--dry-run', '--exclude', '\x1b*');
  await said(t, 0, 'inspect', out, '--top', '100');
  await said(t, 0, 'inspect', out, '--pair', 'esc\\x1b[31mred', 'tab\\tname');
  await said(t, 0, 'inspect', out, '--pair', 'esc\\x1b[31mred', 'tab\\tname', '--json');
  await said(t, 0, 'verify', out);
  await said(t, 0, 'verify', out, '--json');
  // Refusals name what was typed, the place, or the input.
  await said(t, 2, 'run', inputs, '--out', out);
  await said(t, 2, 'run', 'nope\x1b[31m\nno', '--shards', '\x1b[2J', '--bogus\x1b[2J', '--config', 'a\x9b\n');
  await said(t, 2, 'inspect', 'nope\x1b[31m\n');
  await said(t, 2, 'inspect', out, '--pair', 'absent\x1b[31m', 'b\u202e');
  await said(t, 2, 'verify', 'nope\x1b[31m\n');
  await said(t, 2, 'rum\x1b[31m');
  const refused = await said(
    t,
    1,
    'run',
    inputs,
    '--out',
    join(folder, 'other'),
    '--on-error',
    'fail',
    '--threads',
    '0',
  );
  t.regex(refused, /dir\\x1b\[2J|x\\x1b\]0;bad\\x07\\n\.dat/);
  t.true(readdirSync(folder).includes('out\x1b[31m\n'));
});
