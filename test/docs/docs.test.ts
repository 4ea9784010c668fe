/** README.md, ARCHITECTURE.md and the pages of docs/ say what is so: their snippets run, and what they name exists. */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
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
import test from 'ava';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { programHere } from '../cli/programHere.js';
import { commandsOf, pathsOf, snippetsOf } from './snippets.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** In the order of the contents, because examples look at results of earlier ones. */
const SUBJECTS = [
  ...readFileSync(join(ROOT, 'docs/README.md'), 'utf8').matchAll(/^\| \[[^\]]+\]\((\w+\.md)\)/gm),
].map(([, page]) => `docs/${page}`);
const PAGES = ['README.md', 'docs/README.md', ...SUBJECTS, 'ARCHITECTURE.md'];
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-docs-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

const pageOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** Two pages that differ in one word of sixty, so that examples with thresholds up to 0.8 find a pair. */
function pageOfWords(lastWord: string): string {
  return [...Array.from({ length: 59 }, (_, i) => `word${i}`), lastWord].join(' ');
}

function lineOfMail(id: string, body: string): string {
  return `${JSON.stringify({ id, message_id: id, body, text: body })}\n`;
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
function prepare(): void {
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

function command(file: string, args: readonly string[], bin = 'bin'): Promise<Outcome> {
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

/** The first command of each kind runs as a reader runs it, and so does what needs more of the shell than its words. */
function needsShell(example: string, seen: Set<string>): boolean {
  const [, kind = ''] = example.split(' ');
  const isNew = !seen.has(kind);
  seen.add(kind);
  return isNew || /[|<>&;$`]/.test(example);
}

test.before(prepare);

for (const name of PAGES) {
  test.serial(`every mr-minhash command in a block of shell in ${name} runs`, async (t) => {
    t.timeout(240_000);
    const faults: string[] = [];
    const seen = new Set<string>();
    for (const { language, text, line } of snippetsOf(pageOf(name))) {
      if (language !== 'sh') continue;
      // In the order of the page and in one folder, because later examples look at results of earlier ones.
      for (const example of commandsOf(text)) {
        const inShell = needsShell(example, seen);
        const { code, output } = await (inShell ? command('sh', ['-c', example]) : commandHere(example));
        const allowed = example.includes('--fail-on-duplicates') ? [0, 3] : [0];
        if (!allowed.includes(code)) faults.push(`line ${line}: ${example}: exit code ${code}\n${output}`);
      }
    }
    t.deepEqual(faults, []);
  });

  test.serial(`every block of JavaScript in ${name} runs as a module`, async (t) => {
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
  });

  test(`every page that ${name} links to is there`, (t) => {
    const targets = [...pageOf(name).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const ours = targets.filter((target) => !/^(https?:|#)/.test(target));
    t.deepEqual(
      ours.filter((target) => !existsSync(join(ROOT, dirname(name), target.replace(/#.*$/, '')))),
      [],
    );
  });
}

test('README.md has commands, and the page of the library modules, that run', (t) => {
  const snippets = snippetsOf(pageOf('README.md') + pageOf('docs/library.md'));
  const commands = snippets
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => commandsOf(text));
  t.true(commands.some((line) => line.startsWith('mr-minhash run ')));
  t.true(snippets.some(({ language, text }) => language === 'js' && text.includes("from 'mr-minhash'")));
});

test('the walkthrough of README.md, run from its first line to its last, leaves a corpus with nothing to drop', async (t) => {
  t.timeout(240_000);
  const blocks = snippetsOf(pageOf('README.md')).filter(({ language }) => language === 'bash');
  const script = blocks.map(({ text }) => text).join('\n');
  for (const word of ['inspect found --pair', 'verify found', 'rm ', '--out again'])
    t.true(script.includes(word), word);
  const { code, output } = await command('bash', ['-e', '-o', 'pipefail', '-c', script]);
  t.is(code, 0, output);
  const dropped = readFileSync(join(folder, 'found/duplicates.tsv'), 'utf8').trim().split('\n').slice(1);
  const left = readdirSync(join(folder, 'cleaned')).length;
  t.true(dropped.length > 0);
  t.is(left, readdirSync(join(folder, 'node_modules/spdx-license-list/licenses')).length - dropped.length);
  t.is(readFileSync(join(folder, 'again/duplicates.tsv'), 'utf8').trim().split('\n').length, 1);
});

test('README.md and the pages on working name only scripts and built programs that there are', (t) => {
  const page = pageOf('README.md') + pageOf('docs/working.md') + pageOf('docs/speed.md');
  const { scripts } = JSON.parse(pageOf('package.json')) as { scripts: Record<string, string> };
  for (const [, script] of page.matchAll(/npm run ([\w:-]+)/g))
    t.true(script! in scripts, `npm run ${script}`);
  for (const [, program] of page.matchAll(/node dist\/([\w/]+)\.js/g)) {
    t.true(existsSync(join(ROOT, `${program}.ts`)), `node dist/${program}.js`);
  }
});

test('every page of docs/ is in its contents, and README.md has at most 250 lines', (t) => {
  const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const pages = names.map((name) => `docs/${name}`);
  t.deepEqual(['docs/README.md', ...SUBJECTS].sort(), pages.sort());
  t.true(pageOf('README.md').split('\n').length <= 250);
});

test('the generated tables have their places, once each', (t) => {
  const marks = PAGES.flatMap((name) =>
    [...pageOf(name).matchAll(/^<!-- (\/?\w+) -->$/gm)].map(([, mark]) => `${name} ${mark}`),
  );
  t.deepEqual(marks, [
    'docs/flags.md flags',
    'docs/flags.md /flags',
    'docs/errors.md errors',
    'docs/errors.md /errors',
    'docs/speed.md speed',
    'docs/speed.md /speed',
  ]);
});

/** Whether a path of a page is a file or folder; without `.ts`, and with `*` for any part of a name. */
function exists(path: string): boolean {
  const [start, end] = path.split('*') as [string, string | undefined];
  if (end === undefined) return existsSync(join(ROOT, path)) || existsSync(join(ROOT, `${path}.ts`));
  const parent = join(ROOT, start.slice(0, start.lastIndexOf('/')));
  const name = start.slice(start.lastIndexOf('/') + 1);
  return (
    existsSync(parent) && readdirSync(parent).some((file) => file.startsWith(name) && file.endsWith(end))
  );
}

test('every file that ARCHITECTURE.md names exists', (t) => {
  const paths = pathsOf(pageOf('ARCHITECTURE.md'));
  t.true(paths.length > 20, `${paths.length} paths`);
  t.deepEqual(
    paths.filter((path) => !exists(path)),
    [],
  );
});

test('every mapper and reducer is named in ARCHITECTURE.md', (t) => {
  const page = pageOf('ARCHITECTURE.md');
  const files = ['mappers', 'reducers'].flatMap((room) =>
    readdirSync(join(ROOT, room)).map((file) => `${room}/${file}`),
  );
  t.deepEqual(
    files.filter((file) => !page.includes(file.replace(/\.ts$/, ''))),
    [],
  );
});

const FIXTURE = `# Page
\`\`\`
mr-minhash run not-marked
\`\`\`
\`\`\`sh
# a comment
mr-minhash run texts/ --out one # said beside it
npx mr-minhash run texts/ \\
  --include '**/[ab]*.txt' --out two
cat x | mr-minhash run -
mr-minhash run PATH --out DIR
mr-minhash run <folder>
mr-minhash run texts/ ...
npm install mr-minhash
\`\`\`
\`\`\`\`js
const fence = '\`\`\`';
\`\`\`
\`\`\`\`
See \`src/errors.ts\`, src/options*, and reducers/. Not texts/src/x, nor dist/src/y.
`;

test('snippetsOf finds fenced blocks with their language and line', (t) => {
  const found = snippetsOf(FIXTURE);
  t.deepEqual(
    found.map(({ language, line }) => [language, line]),
    [
      ['', 2],
      ['sh', 5],
      ['js', 16],
    ],
  );
  t.is(found[2]!.text, "const fence = '```';\n```");
  t.deepEqual(snippetsOf(''), []);
  t.deepEqual(snippetsOf('```js\nopen'), [{ language: 'js', line: 1, text: 'open' }]);
});

test('commandsOf takes our commands alone, joins lines, and leaves placeholders out', (t) => {
  t.deepEqual(commandsOf(snippetsOf(FIXTURE)[1]!.text), [
    'mr-minhash run texts/ --out one # said beside it',
    "mr-minhash run texts/ --include '**/[ab]*.txt' --out two",
  ]);
});

test('pathsOf finds the paths of our folders', (t) => {
  t.deepEqual(pathsOf(FIXTURE), ['reducers/', 'src/errors.ts', 'src/options*']);
});
