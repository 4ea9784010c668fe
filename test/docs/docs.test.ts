/** README.md, ARCHITECTURE.md and the pages of docs/: size, words, paths and scripts. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { comparisonSection, withComparison } from '../../benchmarks/rivals/pageTables.js';
import { DEV_PAGES, PAGES, pageOf, ROOT } from './pages.js';
import { pathsOf, snippetsOf } from './snippets.js';
import { FALSE_STATEMENTS, WORDS_NOT_USED } from './words.js';

test('README.md has at most 120 lines', (t) => {
  t.true(pageOf('README.md').trimEnd().split('\n').length <= 120);
});

test('docs/ has the 20 pages of its contents and no other', (t) => {
  const names = readdirSync(join(ROOT, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'README.md',
  );
  t.is(PAGES.length, 20);
  t.deepEqual([...PAGES].sort(), names.map((name) => `docs/${name}`).sort());
});

/** Words of a page outside generated tables. */
const wordsOf = (page: string): number =>
  page
    .replace(/<!-- (options|errors|rivals|growth) -->[\s\S]*<!-- \/\1 -->/g, '')
    .match(/\S*[\p{L}\p{N}]\S*/gu)!.length;

for (const name of PAGES) {
  test(`${name} has at most 1,000 words`, (t) => {
    t.true(wordsOf(pageOf(name)) <= 1000, `${wordsOf(pageOf(name))}`);
  });
}

/** A page without code and generated tables; line numbers are kept. */
const proseOf = (page: string): string =>
  page
    .replace(/<!-- (options|errors) -->[\s\S]*<!-- \/\1 -->|```[\s\S]*?```/g, (part) =>
      part.replace(/.+/g, ''),
    )
    .replace(/`[^`\n]*`/g, '');

const WRITTEN = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'benchmarks/README.md',
  'docs/README.md',
  ...PAGES,
  ...DEV_PAGES,
];

test('pages use the words of the field', (t) => {
  const problems = WRITTEN.flatMap((name) =>
    proseOf(pageOf(name))
      .split('\n')
      .flatMap((line, i) =>
        WORDS_NOT_USED.filter(({ word }) => word.test(line)).map(
          ({ word, instead }) => `${name}:${i + 1}: ${line.match(word)![0]}: ${instead}`,
        ),
      ),
  );
  t.deepEqual(problems, []);
});

test('pages do not repeat what was found to be false', (t) => {
  const found = [...WRITTEN, 'python/README.md', 'site/first.md'].flatMap((name) =>
    FALSE_STATEMENTS.filter((statement) => statement.test(pageOf(name))).map(
      (statement) => `${name}: ${statement}`,
    ),
  );
  t.deepEqual(found, []);
});

test('README.md and the pages for contributors name only scripts and built programs that exist', (t) => {
  const page = ['README.md', 'docs/benchmarks.md', 'benchmarks/README.md', ...DEV_PAGES].map(pageOf).join();
  const { scripts } = JSON.parse(pageOf('package.json')) as { scripts: Record<string, string> };
  for (const [, script] of page.matchAll(/npm run ([\w:-]+)/g))
    t.true(script! in scripts, `npm run ${script}`);
  for (const [, program] of page.matchAll(/node dist\/([\w/]+)\.js/g))
    t.true(existsSync(join(ROOT, `${program}.ts`)), `node dist/${program}.js`);
});

test('the comparison of tools in README.md and docs/benchmarks.md is that of the run it names', (t) => {
  const [, folder] = /\(\.\.\/(benchmarks\/runs\/[\w-]+)\/speed\.svg\)/.exec(pageOf('docs/benchmarks.md'))!;
  const [, name = 'rivals'] = /rivals\.js .*?--name (\w+)/.exec(pageOf('docs/benchmarks.md')) ?? [];
  const run = JSON.parse(readFileSync(join(ROOT, folder!, `${name}.json`), 'utf8')) as Parameters<
    typeof comparisonSection
  >[0];
  t.is(withComparison(pageOf('README.md'), comparisonSection(run, true)), pageOf('README.md'));
  t.true(pageOf('docs/benchmarks.md').includes(comparisonSection(run, false)));
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

/** Files that an example on a page makes. */
const MADE_BY_EXAMPLES = new Set(['src/readers/formats/trec.ts']);

for (const name of [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/dev/adding.md',
  'docs/dev/reading.md',
  'docs/dev/working.md',
  'docs/dev/security.md',
]) {
  test(`every file that ${name} names exists`, (t) => {
    const paths = pathsOf(pageOf(name));
    t.true(paths.length > 0);
    t.deepEqual(
      paths.filter((path) => !exists(path) && !MADE_BY_EXAMPLES.has(path)),
      [],
    );
  });
}

test('every threat on the page of security but one names a test', (t) => {
  const threats = pageOf('docs/dev/security.md')
    .split('\n')
    .filter((line) => /^\| [^*-]/.test(line));
  t.is(threats.filter((line) => pathsOf(line).length === 0).length, 2, 'the head and one threat');
});

test('every mapper and reducer is named in ARCHITECTURE.md', (t) => {
  const page = pageOf('ARCHITECTURE.md');
  const files = ['mappers', 'reducers'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((file) => `${folder}/${file}`),
  );
  t.deepEqual(
    files.filter((file) => !page.includes(file.replace(/\.ts$/, ''))),
    [],
  );
});

test('snippetsOf finds fenced blocks with their language and line', (t) => {
  const page =
    "# Page\n```\nplain\n```\n```sh\nmr-minhash run a\n```\n````js\nconst fence = '```';\n```\n````\n";
  t.deepEqual(snippetsOf(page), [
    { language: '', line: 2, text: 'plain' },
    { language: 'sh', line: 5, text: 'mr-minhash run a' },
    { language: 'js', line: 8, text: "const fence = '```';\n```" },
  ]);
  t.deepEqual(snippetsOf(''), []);
  t.deepEqual(snippetsOf('```js\nopen'), [{ language: 'js', line: 1, text: 'open' }]);
});

test('pathsOf finds the paths of our folders', (t) => {
  t.deepEqual(pathsOf('See `src/errors.ts`, src/options*, and reducers/. Not texts/src/x, nor dist/src/y.'), [
    'reducers/',
    'src/errors.ts',
    'src/options*',
  ]);
});
