import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { Command } from 'commander';
import {
  addFlags,
  defaultText,
  flagDescription,
  flagsAsMarkdown,
  flagTerm,
  optionsFromFlags,
} from '../../cli/argv.js';
import { runProgram } from '../../cli/program.js';
import { FLAG_KEYS, flagName, GROUPS, OPTIONS } from '../../src/options/table.js';
import { capturedTerminal } from './capturedTerminal.js';

async function helpText(...argv: string[]): Promise<string> {
  const { terminal, stdout } = capturedTerminal();
  await runProgram(argv, terminal, process.stdin);
  return stdout();
}

/** Help wraps its texts, so comparison is by words. */
const asWords = (text: string): string => text.replace(/\s+/g, ' ');

function parsed(...argv: string[]): Record<string, unknown> {
  const command = new Command().exitOverride().argument('[PATH...]');
  addFlags(command);
  command.parse(argv, { from: 'user' });
  return command.opts();
}

test('run --help says of every flag what the table says, in full and in its group', async (t) => {
  const help = await helpText('run', '--help');
  const sections = GROUPS.map((group, index) => {
    const from = help.indexOf(`\n${group}:\n`);
    const next = GROUPS[index + 1];
    t.true(from >= 0, group);
    return help.slice(from, next === undefined ? undefined : help.indexOf(`\n${next}:\n`));
  });
  for (const key of FLAG_KEYS) {
    const section = sections[GROUPS.indexOf(OPTIONS[key].group)]!;
    t.true(asWords(section).includes(` ${flagTerm(key)} ${flagDescription(key, true)}`), key);
  }
});

test('run --help has no flag that the table lacks', async (t) => {
  const help = await helpText('run', '--help');
  const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1]!);
  t.deepEqual(flags, [...groupedKeys().map(flagName), '--help']);
});

function groupedKeys(): string[] {
  return GROUPS.flatMap((group) => FLAG_KEYS.filter((key) => OPTIONS[key].group === group));
}

test('run -h gives the short texts, and help run the long ones', async (t) => {
  const short = asWords(await helpText('run', '-h'));
  for (const key of FLAG_KEYS) t.true(short.includes(flagDescription(key, false)), key);
  t.false(short.includes(OPTIONS.sketch.long!));
  t.is(await helpText('help', 'run'), await helpText('run', '--help'));
});

test('run --help ends with examples and exit codes', async (t) => {
  const help = await helpText('run', '--help');
  t.regex(help, /Examples:\n {2}mr-minhash run /);
  t.regex(help, /Exit codes: 0 done, 1 failed, 2 wrong use, 3 .* 130 interrupted\.\n$/s);
});

test('no line of help is wider than 80 columns', async (t) => {
  for (const argv of [['--help'], ['run', '--help'], ['run', '-h'], ['inspect', '--help']]) {
    for (const line of (await helpText(...argv)).split('\n')) t.true(line.length <= 80, line);
  }
});

test('the table follows its own rules', (t) => {
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

test('flags that are not built yet do not exist', (t) => {
  for (const flag of ['engine']) t.false(flag in OPTIONS, flag);
});

test('flagsAsMarkdown has one row for every flag', (t) => {
  const rows = flagsAsMarkdown().match(/^\| `--.*$/gm)!;
  t.is(rows.length, FLAG_KEYS.length);
  for (const row of rows) t.is(row.replace(/\\\|/g, '').split('|').length, 6, row);
});

test('the table of docs/flags.md is the table', (t) => {
  const file = new URL('../../../docs/flags.md', import.meta.url);
  if (!existsSync(file)) return t.fail('there is no docs/flags.md');
  const table = /<!-- flags -->\n([\s\S]*?)\n<!-- \/?flags -->/.exec(readFileSync(file, 'utf8'));
  t.is(
    table?.[1]?.trim(),
    flagsAsMarkdown(),
    'put flagsAsMarkdown() between <!-- flags --> and <!-- /flags -->',
  );
});

test('optionsFromFlags gives numbers, lists, switches and, for the check to name, bad texts', (t) => {
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

test('optionsFromFlags of no flags is empty, so that defaults have one place', (t) => {
  t.deepEqual(optionsFromFlags(parsed()), {});
});

test('a switch can be unset, and a negative value is a value', (t) => {
  t.deepEqual(optionsFromFlags(parsed('--no-bag')), { bag: false });
  t.deepEqual(optionsFromFlags(parsed('--seed', '-5')), { seed: -5 });
});

test('paths after a repeatable flag stay paths', (t) => {
  const command = new Command().exitOverride().argument('[PATH...]');
  addFlags(command);
  command.parse(['--include', '*.md', 'a', 'b'], { from: 'user' });
  t.deepEqual(command.args, ['a', 'b']);
});

test('defaultText is the default as a user would write it', (t) => {
  t.is(defaultText(OPTIONS.maxDocument), '1 GB');
  t.is(defaultText(OPTIONS.threads), 'cores available');
  t.is(defaultText(OPTIONS.bag), null);
});
