/** The pages for readers, and what their blocks do when they run in a folder that has what a clone has. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { snippetsOf } from './snippets.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const pageOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
/** The pages of docs/ in the order of its contents. */
export const PAGES = [...pageOf('docs/README.md').matchAll(/^\| \[[^\]]+\]\((\w[\w-]*\.md)\)/gm)].map(
  ([, page]) => `docs/${page}`,
);
/** The pages for contributors. */
export const DEV_PAGES = readdirSync(join(ROOT, 'docs/dev'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/dev/${name}`);

const sentence = (last: string): string =>
  `${Array.from({ length: 59 }, (_, i) => `word${i}`).join(' ')} ${last}`;
const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
const OTHER = 'An unrelated text about something else, which shares no five words with the others';

/** Small inputs that a page may name in a comment: `<!-- inputs: mail.jsonl corpus -->`. */
const INPUTS: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
  corpus: {
    'corpus/a.txt': `${sentence('here')}\n`,
    'corpus/b.txt': `${sentence('there')}\n`,
    'corpus/c.txt': `${OTHER}\n`,
    'corpus/more/d.txt': `${sentence('HERE!')}\n`,
  },
  'mail.jsonl': {
    'mail.jsonl': lines([
      { message_id: 'm1', date: '2026-03-01', body: sentence('one'), meta: { title: 'First' } },
      { message_id: 'm2', date: '2026-05-01', body: sentence('two'), meta: { title: 'Second' } },
      { message_id: 'm3', date: '2026-04-01', body: OTHER, meta: { title: 'Third' } },
    ]),
  },
  'reviews.csv': {
    'reviews.csv': `id,title,review\nr1,Good,${sentence('one')}\nr2,Good,${sentence('two')}\nr3,Bad,"He said ""no""\nand left"\n`,
  },
  'notes.tsv': { 'notes.tsv': `n1\t${sentence('one')}\nn2\t${sentence('two')}\n` },
  'pages.parquet': {
    'pages.parquet': new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'url', data: ['/a', '/b', '/c'], type: 'STRING' },
          { name: 'text', data: [sentence('one'), sentence('two'), OTHER], type: 'STRING' },
        ],
      }),
    ),
  },
};

/** Starts the built command; `view` without `--save` is interrupted once it has printed its address. */
const COMMAND = `import { spawn } from 'node:child_process';
const words = process.argv.slice(2);
const serves = words[0] === 'view' && !words.includes('--save');
const args = [${JSON.stringify(join(ROOT, 'dist/package/cli.js'))}, ...words.filter((word) => word !== '--open')];
const child = spawn(process.execPath, args, { stdio: ['inherit', serves ? 'pipe' : 'inherit', 'inherit'] });
child.stdout?.once('data', () => child.kill('SIGINT'));
child.on('exit', (code) => process.exit(code ?? 1));
`;

/** A folder with the packages of a clone, its lock file, `mr-minhash` as command and package, and the inputs that a page names. */
export function folderFor(page: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-page-'));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  symlinkSync(ROOT, join(folder, 'node_modules/mr-minhash'));
  copyFileSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/command.mjs'), COMMAND);
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(folder, 'bin/command.mjs')}' "$@"\n`;
  writeFileSync(join(folder, 'bin/mr-minhash'), script, { mode: 0o755 });
  const [, named = ''] = /^<!-- inputs: (.+) -->$/m.exec(page) ?? [];
  for (const input of named.split(' ').filter((word) => word !== '')) {
    for (const [path, content] of Object.entries(INPUTS[input]!)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
  }
  return folder;
}

/** Times differ from run to run. */
const withoutTimes = (text: string): string =>
  text.replace(/\b\d+(\.\d+)? m?s\b/g, 'N s').replace(/ +/g, ' ');

/** Runs `sh` and `js` blocks in their order: each must succeed and print the lines of the block without a language that follows it. */
export function runPage(t: ExecutionContext, name: string): void {
  t.timeout(600_000);
  const page = pageOf(name);
  const folder = folderFor(page);
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    ...process.env,
    LC_ALL: 'C',
    NO_COLOR: '1',
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  };
  let output: string | null = null;
  const problems: string[] = [];
  for (const { language, text, line } of snippetsOf(page)) {
    if (language === 'sh' || language === 'js') {
      const file = join(folder, `line${line}.mjs`);
      if (language === 'js') writeFileSync(file, text);
      const [program, words] =
        language === 'js' ? [process.execPath, [file]] : ['bash', ['-e', '-o', 'pipefail', '-c', text]];
      const ran = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8', input: '' });
      output = ran.stdout + ran.stderr;
      if (ran.status !== 0) problems.push(`line ${line}: exit code ${ran.status}: ${text}\n${output}`);
    } else if (language === '' && output !== null) {
      const printed = withoutTimes(output);
      for (const expected of text.split('\n'))
        if (expected !== '...' && !printed.includes(withoutTimes(expected)))
          problems.push(`line ${line}: not printed: ${expected}\nbut: ${output}`);
      output = null;
    }
  }
  t.is(problems.join('\n'), '');
}
