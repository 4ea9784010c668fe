import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const MAIN = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-cli-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command in a process of its own, in the empty folder. */
function cli(...argv: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...argv], { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

test('mr-minhash alone prints help with its commands and ends with 0', async (t) => {
  const { code, stdout, stderr } = await cli();
  t.is(code, 0);
  t.regex(stdout, /^Usage: mr-minhash/);
  t.regex(stdout, /\n {2}run .*\n {2}inspect /);
  t.is(stderr, '');
  t.deepEqual(await cli('--help'), { code, stdout, stderr });
});

test('--version prints the version of the package', async (t) => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  t.deepEqual(await cli('--version'), { code: 0, stdout: `${JSON.parse(text).version}\n`, stderr: '' });
});

test('help of a command ends with 0', async (t) => {
  t.is((await cli('run', '--help')).code, 0);
  t.is((await cli('inspect', '-h')).code, 0);
  t.is((await cli('help', 'inspect')).code, 0);
});

const WRONG: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['an unknown command', ['rum'], /unknown command 'rum'[\s\S]*Did you mean run\?/],
  [
    'an unknown flag',
    ['run', 'x', '--treshold', '1'],
    /unknown option '--treshold'[\s\S]*Did you mean --threshold\?/,
  ],
  ['an unknown flag before the command', ['--bogus'], /unknown option '--bogus'/],
  ['a flag without its value', ['run', 'x', '--out'], /'--out <DIR>' argument missing/],
  ['inspect without a folder', ['inspect'], /missing required argument 'DIR'/],
  ['one argument too many', ['inspect', 'a', 'b'], /too many arguments/],
  ['no path', ['run'], /^error: no PATH was given\nhint: /],
  [
    'values that cannot be used',
    ['run', 'x', '--hashes', '12abc', '--recall', '2'],
    /--hashes 12abc: .*\nerror: --recall 2: /,
  ],
  [
    'faults found while parsing no number',
    ['run', 'x', '--shards', '-1'],
    /--shards -1: expected an integer from 1/,
  ],
  ['a wrong --top', ['inspect', 'x', '--top', 'many'], /--top many: expected an integer/],
  [
    'a config that is missing',
    ['run', 'x', '--config', 'absent.json'],
    /--config absent\.json: the file cannot be read/,
  ],
];

for (const [what, argv, message] of WRONG) {
  test(`${what} is exit code 2, said on stderr alone`, async (t) => {
    const { code, stdout, stderr } = await cli(...argv);
    t.is(code, 2);
    t.is(stdout, '');
    t.regex(stderr, message);
  });
}

test('wrong use and --print-config write nothing', async (t) => {
  await cli('run', 'x', '--shards', '0');
  const { code, stdout } = await cli('run', 'x', '--print-config', '--out', 'result');
  t.is(code, 0);
  t.is(JSON.parse(stdout).out, 'result');
  t.false(readdirSync(folder).includes('result'));
});

test('what --print-config prints is what --config takes', async (t) => {
  const first = await cli('run', 'x', '--print-config', '--bands', '20', '--rows', '5', '--include', '*.md');
  writeFileSync(join(folder, 'config.json'), first.stdout);
  t.deepEqual(await cli('run', '--print-config', '--config', 'config.json'), first);
});

/** Every module that the given one imports statically, itself included; packages by name. */
function staticImports(entry: string): Set<string> {
  const seen = new Set<string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (!file.startsWith('/')) continue;
    for (const [, name] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\b[^;]*? from '([^']+)';/gm,
    )) {
      waiting.push(name!.startsWith('.') ? join(file, '..', name!) : name!);
    }
  }
  return seen;
}

test('help loads commander, the table of options and nothing that takes time', (t) => {
  const modules = [...staticImports(MAIN)];
  const packages = modules.filter((name) => !name.startsWith('/') && !name.startsWith('node:'));
  t.deepEqual(packages, ['commander']);
  t.true(modules.some((name) => name.endsWith('/src/options/table.js')));
  for (const name of ['/src/index.js', '/src/options.js', '/cli/run.js', '/cli/inspect.js']) {
    t.false(
      modules.some((module) => module.endsWith(name)),
      name,
    );
  }
});

test('a reader that goes away ends the command quietly', async (t) => {
  const outcome = await new Promise<{ code: number | null; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, 'run', '--help'],
      { cwd: folder },
      (error, _stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr });
      },
    );
    child.stdout?.destroy();
  });
  t.deepEqual(outcome, { code: 0, stderr: '' });
});

test('the built executable begins with a shebang', (t) => {
  t.true(readFileSync(MAIN, 'utf8').startsWith('#!/usr/bin/env node\n'));
});
