import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { readWords } from '../../cli/argv.js';
import { COMMANDS } from '../../cli/commandTable.js';
import { optionsFromFlags, RUN_GROUPS } from '../../cli/flags.js';
import { runProgram } from '../../cli/program.js';
import { flagName } from '../../src/errors.js';
import { FLAG_KEYS, MOST_USED, OPTIONS } from '../../src/options/table.js';
import { generatedPages } from '../docs/generatedPages.js';
import { manPage } from '../docs/manPage.js';
import { capturedTerminal } from './capturedTerminal.js';

async function helpText(...argv: string[]): Promise<string> {
  const { terminal, stdout } = capturedTerminal();
  await runProgram(argv, terminal, process.stdin);
  return stdout();
}

/** Help wraps its texts, so comparison is by words. */
const asWords = (text: string): string => text.replace(/\s+/g, ' ');

const read = (...words: string[]) =>
  readWords(
    words,
    RUN_GROUPS.flatMap(({ flags }) => flags),
  );
const parsed = (...words: string[]) => read(...words).flags;

/** The sections of a help by their titles, in their order. */
function sectionsOf(help: string): Map<string, string> {
  const parts = help.split(/^(\S.*):\n/m);
  return new Map(parts.flatMap((part, i) => (i % 2 === 1 ? [[part, parts[i + 1]!] as const] : [])));
}

test('the help of a command has the full text of every flag under its heading', async (t) => {
  for (const { name, groups } of COMMANDS) {
    const sections = sectionsOf(await helpText(name, '--help'));
    for (const { title, flags } of groups) {
      const section = asWords(sections.get(title) ?? '');
      for (const { term, full, key } of flags) t.true(section.includes(` ${term} ${full}`), `${name} ${key}`);
    }
  }
});

test('run -h is one screen with ten options, and run --help has every option once', async (t) => {
  const namesIn = (help: string): string[] =>
    [...help.matchAll(/^ {2}(?: {4}|-\w, )(--[a-z][a-z0-9-]*)/gm)].map((match) => match[1]!);
  const short = await helpText('run', '-h');
  t.is(MOST_USED.length, 10);
  t.deepEqual(namesIn(short), [...MOST_USED.map(flagName), '--help']);
  t.true(short.split('\n').length <= 45);
  const full = await helpText('run', '--help');
  t.deepEqual(namesIn(full).sort(), [...FLAG_KEYS.map(flagName), '--help'].sort());
  t.is(await helpText('help', 'run'), full);
});

test('-o, -t, -q and -V mean their long forms', async (t) => {
  const letters = FLAG_KEYS.filter((key) => OPTIONS[key].letter !== undefined);
  t.deepEqual(
    letters.map((key) => `-${OPTIONS[key].letter} ${flagName(key)}`),
    ['-o --out', '-q --quiet', '-t --threads'],
  );
  t.is(await helpText('-V'), await helpText('--version'));
  const printed = await helpText('run', 'x', '-qt4', '-o', 'there', '--print-config');
  t.is(printed, await helpText('run', 'x', '--quiet', '--threads=4', '--out', 'there', '--print-config'));
  t.regex(printed, /"out": "there"/);
});

test('no line of help is wider than 80 columns', async (t) => {
  for (const argv of [['--help'], ['run', '-h'], ...COMMANDS.map(({ name }) => [name, '--help'])]) {
    for (const line of (await helpText(...argv)).split('\n')) t.true(line.length <= 80, line);
  }
});

test('texts of options have a common form', (t) => {
  for (const key of FLAG_KEYS) {
    const { short, long, kind, placeholder, default: usual, defaultText: words } = OPTIONS[key];
    t.regex(short, /[^.]$/, key);
    if (long !== undefined) t.regex(long, /\.$/, key);
    t.is(placeholder === null, kind.kind === 'switch', key);
    t.true(usual !== null || words !== undefined, key);
    if (kind.kind === 'choice')
      for (const choice of kind.choices) t.true(short.includes(choice), `${key} ${choice}`);
  }
});

test('docs/options.md and docs/mr-minhash.1 are generated from the tables', (t) => {
  for (const { file, text } of generatedPages()) {
    t.is(existsSync(file) ? readFileSync(file, 'utf8') : null, text, `npm run pages writes ${file}`);
  }
});

test('the man page has every flag of every command, and groff finds no problem in it', (t) => {
  const page = manPage('1.2.3');
  for (const { name, groups } of COMMANDS) {
    const [, section = ''] = page.split(`.SS "mr\\-minhash ${name}"\n`);
    const [own = ''] = section.split(/^\.S[SH] /m);
    for (const { key, placeholder } of groups.flatMap(({ flags }) => [...flags])) {
      const value = placeholder === null ? '' : ` \\fI${placeholder}\\fR`;
      t.true(own.includes(`\\fB${flagName(key).replaceAll('-', '\\-')}\\fR${value}\n`), `${name} ${key}`);
    }
  }
  const { status, stderr, error } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-z'], {
    input: page,
    encoding: 'utf8',
  });
  if (error === undefined) t.deepEqual([status, stderr], [0, '']);
});

test('optionsFromFlags returns numbers, lists, switches, and invalid values unchanged', (t) => {
  const flags = parsed(
    '--hashes',
    '64',
    '--threshold',
    '.5',
    '--shards',
    '12abc',
    '--include',
    'a',
    '--include',
    'b',
    '--bag',
  );
  t.deepEqual(optionsFromFlags(flags), {
    bag: true,
    threshold: 0.5,
    hashes: 64,
    include: ['a', 'b'],
    shards: '12abc',
  } as object);
});
