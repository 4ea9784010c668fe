/** What `completion` prints, made from the tables: bash runs it, zsh and fish at least read it where they are installed. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { COMMANDS, SHELLS } from '../../../cli/commandTable.js';
import { choicesOf, takesFile } from '../../../cli/flags.js';
import { programHere } from '../programHere.js';

const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-completion-'));
mkdirSync(join(folder, 'texts'));
writeFileSync(join(folder, 'two words.txt'), '');
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

async function scriptOf(shell: string): Promise<string> {
  const { code, stdout, stderr } = await programHere(folder, ['completion', shell]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** What bash would offer for each list of words, of which the last is being typed. */
async function offered(typed: readonly (readonly string[])[]): Promise<string[][]> {
  writeFileSync(join(folder, 'script.bash'), await scriptOf('bash'));
  const quoted = (word: string): string => `'${word}'`;
  const asks = typed.map(
    (words) =>
      `COMP_WORDS=(mr-minhash ${words.map(quoted).join(' ')}); COMP_CWORD=${words.length}; _mr_minhash; ` +
      `printf '%s\\n' "\${COMPREPLY[@]}"; echo ---`,
  );
  const program = ['set -u', 'source ./script.bash', ...asks].join('\n');
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile('bash', ['-c', program], { cwd: folder }, (error, out, err) => {
      if (error !== null || err !== '') reject(error ?? new Error(err));
      else resolve(out);
    });
  });
  return stdout
    .split('---\n')
    .slice(0, -1)
    .map((part) => part.split('\n').filter((line) => line !== ''));
}

test.serial('bash completes commands, flags, values and files', async (t) => {
  const names = COMMANDS.map(({ name }) => name);
  const asked = [
    [''],
    ['co'],
    ['help', 'in'],
    ['run', '--thr'],
    ['run', '--verify', ''],
    ['run', '--verify', '=', 's'],
    ['run', '--shards', ''],
    ['run', '--threshold', ''],
    ['run', '--include', 'x', 't'],
    ['run', '-o', 'te'],
    ['completion', ''],
    ['bogus', ''],
  ];
  t.deepEqual(await offered(asked), [
    [...names, 'help', '-h', '--help', '-V', '--version'],
    ['compare', 'completion'],
    ['inspect', 'index'],
    ['--threshold', '--threads'],
    ['exact', 'signature', 'none'],
    ['signature'],
    [],
    [],
    ['two words.txt', 'texts'].sort().reverse(),
    ['texts'],
    [...SHELLS],
    [],
  ]);
});

test.serial(
  'bash completes every flag of every command, and the values of those that have few',
  async (t) => {
    const flags = COMMANDS.flatMap(({ name, groups }) =>
      groups.flatMap((group) => group.flags.map((flag) => ({ name, flag }))),
    );
    t.true(flags.length > 90, `${flags.length} flags`);
    const whole = await offered(flags.map(({ name, flag }) => [name, flag.name]));
    flags.forEach(({ name, flag }, i) => {
      t.true(whole[i]!.includes(flag.name), `${name} ${flag.name}`);
    });
    const valued = flags.filter(({ flag }) => flag.placeholder !== null);
    const values = await offered(valued.map(({ name, flag }) => [name, flag.letter ?? flag.name, '']));
    valued.forEach(({ name, flag }, i) => {
      const files = ['script.bash', 'texts', 'two words.txt'];
      const expected = takesFile(flag) ? files : [...choicesOf(flag)];
      t.deepEqual([...values[i]!].sort(), expected.sort(), `${name} ${flag.name}`);
    });
  },
);

test('the scripts for zsh and fish have every command, flag and choice', async (t) => {
  const [zsh, fish] = [await scriptOf('zsh'), await scriptOf('fish')];
  for (const { name, groups } of COMMANDS) {
    const [, part = ''] = zsh.split(`\n        ${name})\n`);
    const [own = ''] = part.split(';;');
    t.regex(fish, new RegExp(`-n __fish_use_subcommand -f -a ${name} -d '`));
    for (const flag of groups.flatMap(({ flags }) => [...flags])) {
      const value = flag.placeholder === null ? '' : '=';
      const long =
        flag.letter === null
          ? `${flag.name}${value}[`
          : `{${flag.letter}${value && '+'},${flag.name}${value}}'[`;
      t.true(own.includes(long), `${name} ${long}`);
      const line = fish.split('\n').find((text) => {
        const short = flag.letter === null ? '' : ` -s ${flag.letter.slice(1)}`;
        return text.includes(`'__fish_seen_subcommand_from ${name}'${short} -l ${flag.name.slice(2)} `);
      });
      t.not(line, undefined, `${name} ${flag.name}`);
      const choices = choicesOf(flag).join(' ');
      t.true(own.includes(choices) && line!.includes(choices), `${name} ${flag.name} ${choices}`);
    }
  }
});

for (const shell of ['zsh', 'fish'] as const) {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  (isThere ? test : test.skip)(`${shell} reads its script without a problem`, async (t) => {
    const file = join(folder, `script.${shell}`);
    writeFileSync(file, await scriptOf(shell));
    const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    t.deepEqual([status, stderr], [0, '']);
  });
}

test('completion takes exactly one known shell', async (t) => {
  for (const [words, message] of [
    [[], 'SHELL: expected one of bash, zsh, fish'],
    [['tcsh'], 'SHELL tcsh: expected one of bash, zsh, fish'],
    [['bash', 'zsh'], 'SHELL bash zsh: expected one of bash, zsh, fish'],
    [['bash', '--bogus'], '--bogus: no such option'],
  ] as const) {
    const { code, stdout, stderr } = await programHere(folder, ['completion', ...words]);
    t.deepEqual([code, stdout, stderr.split('\n')[0]], [2, '', `error: ${message}`]);
  }
});
