/** README.md, ARCHITECTURE.md and the pages of docs/ say what is so: the snippets of the README run, and what they name exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  command,
  folder,
  forget,
  PAGES,
  pageOf,
  prepare,
  ROOT,
  runCommands,
  runModules,
  SUBJECTS,
} from './examples.js';
import { commandsOf, pathsOf, snippetsOf } from './snippets.js';

test.after.always(forget);
test.before(prepare);

test.serial('every mr-minhash command in a block of shell in README.md runs', (t) =>
  runCommands(t, 'README.md'),
);
test.serial('every block of JavaScript in README.md runs as a module', (t) => runModules(t, 'README.md'));

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
  for (const word of ['inspect found --pair', '--threshold', 'apply found --to cleaned', '--out again'])
    t.true(script.includes(word), word);
  const { code, output } = await command('bash', ['-e', '-o', 'pipefail', '-c', script]);
  t.is(code, 0, output);
  const dropped = readFileSync(join(folder, 'found/duplicates.tsv'), 'utf8').trim().split('\n').slice(1);
  const gone = new Set(dropped.map((row) => row.split('\t')[3]));
  t.true(gone.size > 0 && gone.size === dropped.length);
  const from = join(folder, 'node_modules/spdx-license-list/licenses');
  const left = readdirSync(join(folder, 'cleaned')).filter((name) => !name.startsWith('.'));
  t.deepEqual(
    left.sort(),
    readdirSync(from)
      .filter((name) => !gone.has(name))
      .sort(),
  );
  for (const name of left) {
    t.true(readFileSync(join(folder, 'cleaned', name)).equals(readFileSync(join(from, name))), name);
  }
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

test('every page of docs/ is in its contents once, and README.md has at most 250 lines', (t) => {
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
    'docs/speed.md growth',
    'docs/speed.md /growth',
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

test('every test that the page of security names exists, and every threat but one has some', (t) => {
  const page = pageOf('docs/security.md');
  t.deepEqual(
    pathsOf(page).filter((path) => !path.endsWith('.ts') || !exists(path)),
    [],
  );
  const threats = page.split('\n').filter((line) => /^\| [^*-]/.test(line));
  t.is(threats.filter((line) => pathsOf(line).length === 0).length, 2, 'the head and one threat');
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
