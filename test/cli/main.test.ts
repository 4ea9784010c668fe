import { execFile, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { sharedFolder } from '../data/temporaryFolder.js';
import { programHere } from './programHere.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const folder = sharedFolder({});

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command in a process of its own. */
function built(...argv: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...argv], { cwd: folder }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

const cli = (...argv: readonly string[]): Promise<Outcome> => programHere(folder, argv);

test.serial('mr-minhash alone prints help with its commands and ends with 0', async (t) => {
  const { code, stdout, stderr } = await built();
  t.is(code, 0);
  t.regex(stdout, /^Usage: mr-minhash/);
  t.regex(stdout, /\n {2}run .*\n {2}apply /);
  t.is(stderr, '');
  t.deepEqual(await cli('--help'), { code, stdout, stderr });
});

test.serial('--version prints the version of the package', async (t) => {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  t.deepEqual(await built('--version'), { code: 0, stdout: `${JSON.parse(text).version}\n`, stderr: '' });
});

test.serial('help of a command ends with 0', async (t) => {
  t.is((await cli('run', '--help')).code, 0);
  t.is((await cli('inspect', '-h')).code, 0);
  t.is((await cli('help', 'inspect')).code, 0);
});

test.serial('only --help loads the module that prints the help', (t) => {
  const watch = join(folder, 'watch.cjs');
  const isLoaded = "Object.keys(require.cache).some((file) => file.includes('commander'))";
  writeFileSync(watch, `process.on('exit', () => process.stderr.write(String(${isLoaded})));\n`);
  const loads = (...argv: readonly string[]): string =>
    spawnSync(process.execPath, ['--require', watch, MAIN, ...argv], { cwd: folder, encoding: 'utf8' })
      .stderr;
  t.regex(loads('verify', 'absent'), /false$/);
  t.regex(loads('verify', '-h'), /true$/);
});

const WRONG: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['an unknown flag before the command', ['--bogus'], /unknown option '--bogus'/],
  ['inspect without a folder', ['inspect'], /^error: no DIR was given\nhint: mr-minhash inspect --help/],
  ['one argument too many', ['inspect', 'a', 'b'], /^error: DIR a b: expected one, got 2\n/],
  [
    'the form of a result with run',
    ['run', 'x', '--format', 'csv', '--bands', 'q'],
    /^error: --format: no such option: results are TSV, .*\nerror: --bands q/,
  ],
  [
    'a removed flag, which takes its value with it',
    ['run', '--hadoop-conf', 'a=b', '--bands', 'q'],
    /^error: --hadoop-conf: no such option: Hadoop Streaming is no longer supported; run on one machine\nerror: --bands q/,
  ],
  [
    'decisions with filter',
    ['filter', '--decisions', 'decisions.tsv'],
    /^error: --decisions: no such option: view saves an edited drop list; /,
  ],
];

for (const [what, argv, message] of WRONG) {
  test.serial(`${what} ends with 2 and is reported on stderr only`, async (t) => {
    const { code, stdout, stderr } = await programHere(folder, argv);
    t.is(code, 2);
    t.is(stdout, '');
    t.regex(stderr, message);
  });
}

test.serial('run reports all errors of arguments, options and locations at once', async (t) => {
  mkdirSync(join(folder, 'foreign'));
  writeFileSync(join(folder, 'foreign', 'a.txt'), 'a');
  mkdirSync(join(folder, 'read'));
  const argv = ['run', 'read', 'nope', '--threshold', '2', '--shard', '0', '--bogus', '3'];
  const { code, stdout, stderr } = await cli(...argv, '--out', 'foreign');
  t.is(code, 2);
  t.is(stdout, '');
  const errors = stderr.split('\n').filter((line) => line.startsWith('error: '));
  t.deepEqual(
    errors.map((line) => line.replace(/(expected|did not write: ).*/, '$1')),
    [
      'error: --shard: no such option, did you mean --shards?',
      'error: --bogus: no such option',
      'error: --threshold 2: expected',
      'error: --shards 0: expected',
      'error: a PATH does not exist or may not be read: "nope"',
      'error: a PATH does not exist or may not be read: "3"',
      'error: the output folder holds files that mr-minhash did not write: ',
    ],
  );
});

test.serial('an error in --out hides errors about the default output folder', async (t) => {
  // A folder of its own, because it spoils the default output folder for all others.
  const own = join(folder, 'spoilt');
  mkdirSync(join(own, 'mr-minhash-out'), { recursive: true });
  writeFileSync(join(own, 'mr-minhash-out', 'a.txt'), 'a');
  t.is((await programHere(own, ['run', 'nope'])).stderr.match(/^error: /gm)?.length, 2);
  const { code, stderr } = await programHere(own, ['run', 'nope', '--out']);
  t.is(code, 2);
  t.regex(stderr, /^error: --out: no value.*\nhint: .*\nerror: a PATH does not exist.*\nhint: /);
  t.notRegex(stderr, /mr-minhash-out/);
});

test.serial('a word after an unknown option does not hide the errors of other words', async (t) => {
  for (const argv of [
    ['nope', '--bogus', 'value'],
    ['--bogus', 'value', 'nope'],
  ])
    t.regex(
      (await cli('verify', ...argv)).stderr,
      /no such option\nhint: .*\nerror: the folder .*: nope: no such folder\n/,
    );
  const { stderr } = await cli('apply', 'nope', '--to');
  t.deepEqual(stderr.match(/^error: .{4}/gm), ['error: --to', 'error: the ']);
});

test.serial('inspect --pair takes ids that begin with -, before DIR or after it', async (t) => {
  const text = 'one two three four five six seven eight nine ten';
  writeFileSync(join(folder, '-#2'), text);
  writeFileSync(join(folder, '--own'), text);
  const ran = await cli('run', '--quiet', '--threads', '0', '--out', 'pairs', '--', '-#2', '--own');
  t.deepEqual(ran, { code: 0, stdout: '', stderr: '' });
  const after = await cli('inspect', 'pairs', '--pair', '-#2', '--own');
  t.is(after.code, 0, after.stderr);
  t.regex(after.stdout, /^a {2}-#2\nb {2}--own\nkind +identical\n/);
  t.deepEqual(await cli('inspect', '--pair', '-#2', '--own', 'pairs'), after);
  t.deepEqual(await cli('inspect', '--pair=-#2', '--own', '--', 'pairs'), after);
  t.is((await cli('inspect', 'pairs', '--pair', '-#2', '-#3')).code, 2);
  const { stdout } = await cli('inspect', 'pairs', '--json', '--pair=--own', '-#2');
  t.like(JSON.parse(stdout), { a: '--own', b: '-#2' });
});

const withFullDevice = existsSync('/dev/full') ? test : test.skip;
withFullDevice('a full standard output ends the command with 1 and a message', async (t) => {
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  const ended = (...argv: string[]) =>
    spawnSync(process.execPath, [MAIN, ...argv], {
      cwd: folder,
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
  for (const argv of [['--help'], ['run', 'x', '--print-config']]) {
    const { status, stderr } = ended(...argv);
    t.is(status, 1);
    t.regex(stderr, /^error: standard output could not be written \(ENOSPC\)\nhint: .*\n$/);
  }
  const wrong = ended('run', '--shards', '0');
  t.is(wrong.status, 2);
  t.notRegex(wrong.stderr, /standard output/, 'nothing was lost');
});

test.serial('--config accepts the output of --print-config', async (t) => {
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
    for (const [, from, alone] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\b[^;]*? from "([^"]+)";|^import "([^"]+)";/gm,
    )) {
      const name = (from ?? alone)!;
      waiting.push(name.startsWith('.') ? join(file, '..', name) : name);
    }
  }
  return seen;
}

test.serial('a start loads fewer than 185,000 bytes of modules and no packages', (t) => {
  const modules = [...staticImports(MAIN)];
  const packages = modules.filter((name) => !name.startsWith('/') && !name.startsWith('node:'));
  t.deepEqual(packages, []);
  // The whole program is eight times as much; what a start reads it must also compile.
  const bytes = modules
    .filter((name) => name.startsWith('/'))
    .reduce((sum, name) => sum + statSync(name).size, 0);
  t.true(bytes < 185_000, `${bytes} bytes`);
});

test.serial('a command whose reader has ended prints no error', async (t) => {
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

test.serial('the built executable begins with a shebang', (t) => {
  t.true(readFileSync(MAIN, 'utf8').startsWith('#!/usr/bin/env node\n'));
});
