/** What the examples of the pages run on: their inputs, and `mr-minhash` as a command, in a folder of their own. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
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
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { programHere } from '../cli/programHere.js';
import { commandsOf, snippetsOf } from './snippets.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** In the order of the contents, because examples look at results of earlier ones. */
export const SUBJECTS = [
  ...readFileSync(join(ROOT, 'docs/README.md'), 'utf8').matchAll(/^\| \[[^\]]+\]\((\w+\.md)\)/gm),
].map(([, page]) => `docs/${page}`);
export const PAGES = ['README.md', 'docs/README.md', ...SUBJECTS, 'ARCHITECTURE.md'];
export const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-docs-'));

export const pageOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** Two pages that differ in one word of sixty, so that examples with thresholds up to 0.8 find a pair. */
function pageOfWords(lastWord: string): string {
  return [...Array.from({ length: 59 }, (_, i) => `word${i}`), lastWord].join(' ');
}

function lineOfMail(id: string, body: string): string {
  return `${JSON.stringify({ id, message_id: id, body, text: body })}\n`;
}

function lineOfText(id: string, text: string, source?: string): string {
  return `${JSON.stringify({ id, text, source })}\n`;
}

/** The files that examples may use. */
const INPUTS: Readonly<Record<string, string>> = {
  'texts/a.txt': `${pageOfWords('here')}\n`,
  'texts/b.txt': `${pageOfWords('there')}\n`,
  'texts/c.txt': `Nothing of the kind is said in this text about something else\n`,
  'texts/more/d.txt': `${pageOfWords('HERE!')}\n`,
  'baskets.tsv':
    'mon\tbread\nmon\tmilk\ntue\tbread\nmon\teggs\ntue\tmilk\nwed\tmilk\nwed\tbread\nwed\teggs\nmon\tbread\n',
  'ratings.csv':
    'user,item,stars\nann,Alien,5\nbob,Dune,3\nann,Brazil,4\nbob,Alien,4\nann,Casino,1\nbob,Brazil,5\nbob,Casino,2\n' +
    'cat,Alien,1\n',
  'reviews.csv': `id,title,review\nr1,Good,${pageOfWords('one')}\nr2,Good,${pageOfWords('two')}\nr3,Bad,"He said ""no""\nand left"\n`,
  'notes.tsv': `n1\t${pageOfWords('one')}\nn2\t${pageOfWords('two')}\n`,
  'pages.jsonl': `{"meta":{"id":"p1","title":"One"},"body":["${pageOfWords('one')}","More"]}\n`,
  'mail.jsonl': lineOfMail('m1', pageOfWords('one')) + lineOfMail('m2', pageOfWords('two')),
  'train.jsonl':
    lineOfText('t1', `Before it ${pageOfWords('one')} and after it`) +
    lineOfText('t2', 'What this text is about nobody asks in the whole of the test') +
    lineOfText('t3', pageOfWords('two')),
  'questions.jsonl':
    lineOfText('q1', pageOfWords('one').split(' ').slice(5, 25).join(' ')) +
    lineOfText('q2', 'How many questions can be asked of a text that nobody has ever read') +
    lineOfText('q3', pageOfWords('two').split(' ').slice(30, 60).join(' ')),
  'crawls.jsonl':
    lineOfText('c1', pageOfWords('one'), 'spring') +
    lineOfText('c2', pageOfWords('two'), 'spring') +
    lineOfText('c3', pageOfWords('three'), 'autumn'),
  'result-drop-list.tsv': 'document\tkept\tjaccard\tplace\n',
  'src/first.ts': 'export const a = 1;\nexport const b = 2;\nexport const c = 3;\nexport const d = 4;\n',
  'src/deep/second.ts':
    'export const a = 1;\nexport const b = 2;\nexport const c = 3;\nexport const d = 4;\n',
};

/** One licence text in ten, and those that a page names: that a command runs does not hang on how many there are. */
function copyLicences(to: string): void {
  const from = join(ROOT, 'node_modules/spdx-license-list/licenses');
  const pages = PAGES.map(pageOf).join();
  mkdirSync(to, { recursive: true });
  readdirSync(from)
    .sort()
    .forEach((name, i) => {
      if (i % 10 === 0 || pages.includes(name)) copyFileSync(join(from, name), join(to, name));
    });
}

/** Inputs that are no texts. */
function writeBinaries(): void {
  copyFileSync(join(ROOT, 'test/data/packed/frames.zst'), join(folder, 'dump.jsonl.zst'));
  copyFileSync(join(ROOT, 'test/data/parquet/zstd.parquet'), join(folder, 'pages.parquet'));
  const columns = { id: ['n1', 'n2'], title: ['One', 'Two'], body: [pageOfWords('one'), pageOfWords('two')] };
  const columnData = Object.entries({ ...columns, lang: ['en', 'en'] }).map(([name, data]) => ({
    name,
    data,
    type: 'STRING' as const,
  }));
  mkdirSync(join(folder, 'news'));
  writeFileSync(join(folder, 'news/a.parquet'), new Uint8Array(parquetWriteBuffer({ columnData })));
}

/** The inputs, `mr-minhash` as a command, and as a package beside the one that the main command reads. */
export function prepare(): void {
  for (const [name, content] of Object.entries(INPUTS)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  writeBinaries();
  // Whatever package the folder of temporary files is taken for, these examples are not in it.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/mr-minhash'));
  copyLicences(join(folder, 'node_modules/spdx-license-list/licenses'));
  mkdirSync(join(folder, 'bin'));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'dist/package/cli.js')}' "$@"\n`;
  writeFileSync(join(folder, 'bin/mr-minhash'), script);
  chmodSync(join(folder, 'bin/mr-minhash'), 0o755);
  mkdirSync(join(folder, 'words'));
  writeFileSync(join(folder, 'words/mr-minhash'), `#!/bin/sh\nprintf '%s\\0' "$@"\n`);
  chmodSync(join(folder, 'words/mr-minhash'), 0o755);
}

interface Outcome {
  readonly code: number;
  readonly output: string;
}

export function command(file: string, args: readonly string[], bin = 'bin'): Promise<Outcome> {
  const env = { ...process.env, PATH: `${join(folder, bin)}:${process.env.PATH}` };
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd: folder, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, output: stdout + stderr });
    });
    child.stdin?.end();
  });
}

/**
 * A command of one program in this process, on this thread, with the words that a shell makes of it: to start a process and
 * workers for each takes longer than all else.
 */
async function commandHere(example: string): Promise<Outcome> {
  const { output } = await command('sh', ['-c', example], 'words');
  const words = output.split('\0').slice(0, -1);
  const takesThreads = words[0] === 'run' || example.includes('tune texts/');
  const argv = takesThreads && !words.includes('--threads') ? [...words, '--threads', '0'] : words;
  const { code, stdout, stderr } = await programHere(folder, argv);
  return { code, output: stdout + stderr };
}

/** A command that ends when it is interrupted, here once it has said where it is; no browser is opened. */
function interrupted(example: string): Promise<Outcome> {
  const [, ...words] = example.replace(/ --open$/, '').split(' ');
  return new Promise((resolve) => {
    const child = execFile(
      join(folder, 'bin/mr-minhash'),
      words,
      { cwd: folder },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : 1, output: stdout + stderr });
      },
    );
    child.stdout?.once('data', () => child.kill('SIGINT'));
  });
}

/** The first command of each kind runs as a reader runs it, and so does what needs more of the shell than its words. */
function needsShell(example: string, seen: Set<string>): boolean {
  const [, kind = ''] = example.split(' ');
  const isNew = !seen.has(kind);
  seen.add(kind);
  return isNew || /[|<>&;$`]/.test(example);
}

/** Removes what the examples left. */
export function forget(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the commands of a page one after the other: later ones look at results of earlier ones. */
export async function runCommands(t: ExecutionContext, name: string): Promise<void> {
  t.timeout(240_000);
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const { language, text, line } of snippetsOf(pageOf(name))) {
    if (language !== 'sh') continue;
    for (const example of commandsOf(text)) {
      const inShell = needsShell(example, seen);
      const { code, output } = await (example.startsWith('mr-minhash view ')
        ? interrupted(example)
        : inShell
          ? command('sh', ['-c', example])
          : commandHere(example));
      const allowed = example.includes('--fail-on-duplicates') ? [0, 3] : [0];
      if (!allowed.includes(code)) faults.push(`line ${line}: ${example}: exit code ${code}\n${output}`);
    }
  }
  t.deepEqual(faults, []);
}

/** Runs every block of JavaScript of a page as a module. */
export async function runModules(t: ExecutionContext, name: string): Promise<void> {
  t.timeout(240_000);
  const faults: string[] = [];
  for (const { language, text, line } of snippetsOf(pageOf(name))) {
    if (language !== 'js') continue;
    const file = join(folder, `${name.replace('/', '-')}-${line}.mjs`);
    writeFileSync(file, text);
    const { code, output } = await command(process.execPath, [file]);
    if (code !== 0) faults.push(`line ${line}: exit code ${code}\n${output}`);
  }
  t.deepEqual(faults, []);
}
