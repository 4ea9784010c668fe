/** `mr-minhash run` over CSV and TSV, as a user runs it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { programHere } from '../programHere.js';

const WORDS = Array.from({ length: 40 }, (_, i) => `word${i}`);
const RECORDS = [
  { id: 'a', text: [...WORDS, 'one'].join(' ') },
  { id: 'b', text: [...WORDS, 'two'].join(' ') },
  { id: '', text: [...WORDS.slice(0, 20), '"quoted", and\nmore', ...WORDS.slice(20)].join(' ') },
  { id: 'd', text: 'nothing of the kind' },
];
const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
const tableOf = (separator: string): string =>
  `\ufeffid${separator}text\r\n${RECORDS.map(({ id, text }) => id + separator + quoted(text)).join('\r\n')}\n`;

test.serial('a table gives what the same records give as lines of JSON', async (t) => {
  const folder = temporaryFolder(t, {
    'c.jsonl': RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''),
    'c.csv': tableOf(','),
    'c.tsv': tableOf('\t'),
    'semicolons.csv': tableOf(';'),
  });
  const table = (out: string, name: string): string => readFileSync(join(folder, out, name), 'utf8');
  const run = async (out: string, words: readonly string[], stdin?: string): Promise<string> => {
    const flags = ['--threshold', '0.5', '--threads', '0', '--out', out];
    const { code, stderr } = await programHere(folder, ['run', ...words, ...flags], stdin);
    t.is(code, 0, stderr);
    t.is(table(out, 'skipped.tsv').split('\n').length, 2);
    return table(out, 'pairs/part-00000.tsv') + table(out, 'clusters/part-00000.tsv');
  };
  const lines = await run('lines', ['c.jsonl']);
  t.regex(lines, /\tc\.jsonl#3\t/);
  t.is(await run('csv', ['c.csv']), lines.replaceAll('c.jsonl#', 'c.csv#'));
  t.is(await run('tsv', ['c.tsv', '--quote', '"', '--shards', '3']), lines.replaceAll('c.jsonl#', 'c.tsv#'));
  const semicolons = await run('semicolons', ['semicolons.csv', '--separator', ';']);
  t.is(semicolons, lines.replaceAll('c.jsonl#', 'semicolons.csv#'));
  const piped = await run('piped', ['--input', 'csv', '-'], tableOf(','));
  t.is(piped.split('\n').length, lines.split('\n').length);
  t.regex(piped, /-#3\t/);
});

test.serial(
  'a header without the text field is reported with its names, before and while it is read',
  async (t) => {
    const folder = temporaryFolder(t, { 'c.csv': 'id,title,body\n1,"a",b\n', 'n.csv': '1,a b c\n2,a b c\n' });
    const before = await programHere(folder, ['run', 'c.csv', '--threads', '0']);
    t.is(before.code, 2);
    t.regex(
      before.stderr,
      /"text" \(the default\): the first records of "c\.csv" have the fields "id", "title", "body"/,
    );
    const piped = await programHere(
      folder,
      ['run', '--input', 'tsv', '-', '--threads', '0'],
      'id\tbody\n1\ta\n2\tb\n',
    );
    t.is(piped.code, 1);
    t.regex(piped.stderr, /none of 2 records has it; those of standard input have the fields "id", "body"/);
    const places = ['run', 'n.csv', '--text-field', '2', '--id-field', '1', '--threads', '0', '--out', 'n'];
    t.is((await programHere(folder, places)).code, 0);
    t.regex(readFileSync(join(folder, 'n/pairs/part-00000.tsv'), 'utf8'), /\n1\t2\t1\.0/);
    const far = await programHere(folder, ['run', 'n.csv', '--text-field', '3', '--threads', '0']);
    t.regex(far.stderr, /"n\.csv" have the fields "2", "1"/);
  },
);

test.serial('fields of sets are separated by what --separator says', async (t) => {
  const folder = temporaryFolder(t, { 's.txt': 'a;"x;1"\nb;"x;1"\na;y\nb;y\n' });
  const { code, stdout } = await programHere(folder, [
    'run',
    's.txt',
    '--input',
    'sets',
    '--separator',
    ';',
    '--threads',
    '0',
    '--verbose',
  ]);
  t.is(code, 0);
  t.regex(stdout, /^Sets\n(.*\n)? +2 {2}of them were compared$/m);
  t.notRegex(stdout, /skipped/);
});
