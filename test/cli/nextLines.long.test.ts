/** Every command that a summary prints works in a shell, for any options of the run. */
import { execFile } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { sharedFolder } from '../data/temporaryFolder.js';
import { programHere } from './programHere.js';

const SAID = 'one text of twelve words that is in each of the files';
const PAGE = (title: string): string =>
  `<html><title>${title}</title><body><p>${SAID}</p><p>${title}</p></body></html>`;
const JSON_LINES = [1, 2, 3].map((id) => `${JSON.stringify({ id, text: SAID })}\n`).join('');
const TEXTS = (folder: string) => ({ [`${folder}/a.txt`]: `${SAID}\n`, [`${folder}/b.txt`]: `${SAID}\n` });

const folder = sharedFolder({
  ...TEXTS('texts'),
  ...TEXTS(`it's "a", folder`),
  ...TEXTS('-dashed'),
  'pages/1.html': PAGE('first'),
  'pages/2.html': PAGE('second'),
  'rows.jsonl': JSON_LINES,
  'field.jsonl': [1, 2].map((id) => `${JSON.stringify({ id, text: PAGE(`${id}`) })}\n`).join(''),
  'array.json': JSON.stringify([{ text: SAID }, { text: SAID }]),
  'rows.csv': `id,text\n1,${SAID}\n2,${SAID}\n`,
  'sets.tsv': 'x\t1\nx\t2\ny\t1\ny\t2\n',
  'bin/mr-minhash': `#!/bin/sh\nexec ${process.execPath} ${fileURLToPath(new URL('../../package/cli.js', import.meta.url))} "$@"\n`,
});
chmodSync(join(folder, 'bin/mr-minhash'), 0o755);

/** Through a shell, as it would be pasted. */
function typed(cwd: string, line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  return new Promise((done) => {
    execFile('sh', ['-c', line], { cwd, env }, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

/** The same without a process of its own, where no word has anything that a shell would change. */
function ran(cwd: string, line: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const [, ...argv] = line.replace(/ {3,}#.*/, '').split(' ');
  return programHere(cwd, argv);
}

/** The commands at the end of a summary. */
function nextOf(summary: string): string[] {
  const lines = summary.split('\n');
  const from = lines.findIndex((line) => line.startsWith('Next:'));
  return lines
    .slice(from)
    .filter((line) => /^(?:Next:| {5}) {2}mr-minhash /.test(line))
    .map((line) => line.slice(7));
}

interface Asked {
  readonly words: readonly string[];
  readonly stdin?: string;
  readonly cwd?: string;
  /** The line about the drop list. */
  readonly next: RegExp;
}

/** Each with an output folder of its own. */
const RUNS: Readonly<Record<string, Asked>> = {
  'a folder': { words: ['texts'], next: / --to plain-clean {3,}#/ },
  'several PATHs of odd names': {
    words: [`it's "a", folder`, './-dashed', 'texts', `--out=-it's "a", result`],
    next: / --to '\.\/-it'\\''s "a", result-clean' {3,}#/,
  },
  'the current folder': { words: ['.'], cwd: 'texts', next: / --to \.\.\/texts-clean {3,}#/ },
  'a reference': { words: ['texts', '--against', './-dashed'], next: / --to \S+-clean {3,}#/ },
  'units of pages': { words: ['pages', '--unit', 'line'], next: / --list dropped {3,}#.*page/ },
  'units of pages in a field': {
    words: ['field.jsonl', '--unit', 'line', '--text-format', 'html'],
    next: / --list dropped {3,}#.*page/,
  },
  'units of an array': {
    words: ['array.json', '--text-field', 'text', '--unit', 'paragraph'],
    next: / --list dropped {3,}#.*array/,
  },
  'units of CSV': {
    words: ['rows.csv', '--text-field', 'text', '--unit', 'line'],
    next: / --list dropped {3,}#.*csv/,
  },
  'units of JSON lines': { words: ['rows.jsonl', '--unit', 'line'], next: / --to \S+-clean {3,}#/ },
  'standard input beside a folder': {
    words: ['-', 'texts'],
    stdin: JSON_LINES,
    next: / --list dropped {3,}#.*-#line/,
  },
  sets: { words: ['sets.tsv', '--input', 'sets', '--columns', '1,2'], next: / --list dropped {3,}#.*sets/ },
};

test.serial('every command at the end of a summary ends well, and is about that result', async (t) => {
  const lines: { name: string; cwd: string; line: string }[] = [];
  for (const [name, { words, stdin = '', cwd = '.', next }] of Object.entries(RUNS)) {
    const at = join(folder, cwd);
    const hasOut = words.some((word) => word.startsWith('--out'));
    const out = name === 'a folder' ? 'plain' : name.replaceAll(' ', '-');
    const argv = ['run', ...words, ...(hasOut ? [] : ['--out', out]), '--threads', '0'];
    const { code, stdout, stderr } = await programHere(at, argv, stdin);
    t.is(code, 0, `${name}: ${stderr}`);
    const [view, apply, ...more] = nextOf(stdout);
    t.regex(view ?? '', /^mr-minhash view /, name);
    t.regex(apply ?? '', next, name);
    t.deepEqual(more, [], name);
    lines.push({ name, cwd: at, line: apply! });
  }
  for (const { name, cwd, line } of lines) {
    const isPlain = !/['"\\]/.test(line.replace(/ {3,}#.*/, '')) && name !== 'a folder';
    const { code, stdout, stderr } = await (isPlain ? ran : typed)(cwd, line);
    t.is(code, 0, `${name}: ${line}: ${stderr}`);
    const about = line.includes(' --list ') ? /^\S+\n/ : /: the corpus without the dropped documents\n/;
    t.regex(stdout, about, line);
  }
});

test.serial('an existing corpus of apply is replaced, and any other folder is not', async (t) => {
  const run = async (out: string): Promise<string> => {
    const { stdout } = await programHere(folder, ['run', 'texts', '--out', out, '--force', '--threads', '0']);
    return nextOf(stdout)[1]!;
  };
  const applied = async (line: string): Promise<void> => {
    t.is((await ran(folder, line)).code, 0, line);
  };
  await applied(await run('again'));
  writeFileSync(join(folder, 'texts/c.txt'), `${SAID}\n`);
  const second = await run('again');
  t.regex(second, / --to again-clean --force {3,}# .*, replacing the one there$/);
  await applied(second);
  writeFileSync(join(folder, 'again-clean/mine.txt'), 'mine');
  const third = await run('again');
  t.regex(third, / --to again-clean-2 {3,}#/);
  await applied(third);
  rmSync(join(folder, 'texts/c.txt'));
});

test.serial('the summary of run --write does not suggest apply', async (t) => {
  const { stdout } = await programHere(folder, [
    'run',
    'texts',
    '--out',
    'both',
    '--write',
    'both-clean',
    '--threads',
    '0',
  ]);
  t.deepEqual(nextOf(stdout), ['mr-minhash view both   # check pairs before deleting']);
});

/** Advice in errors: what follows `: ` or begins the hint. */
const commandsIn = (stderr: string): string[] =>
  [...stderr.matchAll(/(?:^hint: |: )(mr-minhash [^\n]*)$/gm)].map(([, line]) => line!);

test.serial('a command in a hint of an error ends with 0', async (t) => {
  const refused = async (...argv: string[]): Promise<string> => {
    const { code, stderr } = await programHere(folder, argv);
    t.is(code, 2, stderr);
    const [line, ...more] = commandsIn(stderr);
    t.deepEqual(more, []);
    return line!;
  };
  const units = ['run', 'pages', '--unit', 'line', '--out', 'of pages', '--threads', '0'];
  const line = await refused(...units, '--write', 'x');
  t.is((await programHere(folder, units)).code, 0);
  await ends(t, line);
  await ends(t, await refused('run', 'texts', '--threshold', '2'));
});

async function ends(t: ExecutionContext, line: string): Promise<void> {
  const { code, stdout } = await typed(folder, line);
  t.is(code, 0, line);
  t.not(stdout, '', line);
}
