/**
 * Joins the compiled tests of a directory into one file, dist/groups/DIRECTORY.test.js, so that they need one process
 * and load the modules once. `bundleTests.mjs long`: those of `*.long.test.ts`, and all random cases of property tests, to
 * dist/long. The rules of the codebase have a separate script, `npm run test:architecture`.
 *
 * Inside a group tests run one after the other, because each may use both cores, change the folder or the environment,
 * and measure memory. Titles begin with the name of their file. Modules keep their location (import.meta.url), but
 * worker threads run the packaged code.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { PLACES, SETTINGS } from './bundle.mjs';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const TESTS = join(DIST, 'test');
const SOURCES = fileURLToPath(new URL('../test/', import.meta.url));
const OUT = join(DIST, 'groups');
const LONG = join(DIST, 'long');
/** Directories whose subdirectories are groups of their own, because they have most of the tests. */
const DIVIDED = ['cli', 'coordinator'];

/** Small groups are joined into one, by its name: starting a process and loading the modules takes a second. */
const JOINED = {
  plain: [
    ...['analysis', 'arrays', 'benchmarks', 'blocks', 'core', 'docs', 'house', 'index', 'options'],
    ...['reducers', 'result', 'store', 'tasks', 'text', 'view'],
  ],
  bits: ['kernel', 'mappers', 'sketch'],
  cli: ['cli-show'],
  coordinator: [
    ...['coordinator-apply', 'coordinator-finish', 'coordinator-hostile', 'coordinator-pairs'],
    ...['coordinator-query', 'coordinator-sets', 'coordinator-sketch'],
  ],
};

/**
 * Directories whose tests are loaded unbundled, because the tasks that they give to workers share classes with them.
 */
const ALONE = ['engines'];

/**
 * `coordinator-resume` for coordinator/resume/killed.test.js, `plain` for text/elements/setKey.test.js and tests in no
 * directory.
 */
function groupOf(file) {
  const folders = relative(TESTS, dirname(file)).split(sep);
  const own = folders.slice(0, DIVIDED.includes(folders[0]) ? 2 : 1).join('-') || 'house';
  return Object.keys(JOINED).find((name) => JOINED[name].includes(own)) ?? own;
}

/**
 * The compiled tests of all current sources, without the rules of the codebase. Compiled files of removed sources are
 * ignored.
 */
export function testFiles() {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && name !== 'architecture.test.ts')
    .map((name) => join(TESTS, name.replace(/ts$/, 'js')))
    .sort();
}

/**
 * AVA's `test` for one file. Tests are declared when all files are loaded, because AVA begins soon after the first
 * declaration, and a module that waits (for a kernel to be compiled) ends later.
 */
const named = (title) => `
import ava from 'ava';
import { declared } from 'group:declared';
const title = (text) => typeof text === 'string' ? ${JSON.stringify(title)} + ' › ' + text : text;
const later = (run) => (text, ...more) => { declared.push(() => run(title(text), ...more)); };
const test = later(ava.serial);
for (const name of ['before', 'after', 'beforeEach', 'afterEach']) {
  test[name] = later(ava[name]);
  test[name].always = later(ava[name].always ?? ava[name]);
}
for (const name of ['skip', 'failing', 'only']) test[name] = later(ava.serial[name]);
export default Object.assign(test, { serial: test, macro: ava.macro, meta: ava.meta });`;

/**
 * fast-check with an eighth of its random cases, the first of the seed: most failures are found early, and all cases
 * would take as long as all other tests. The long tests use all, and files that run alone.
 */
const FEWER_CASES = `
import fc from 'fast-check';
const fewer = ({ numRuns = 100, ...more } = {}) =>
  ({ ...more, numRuns: Math.min(numRuns, Math.max(4, Math.ceil(numRuns / 8))) });
export default { ...fc, assert: (property, parameters) => fc.assert(property, fewer(parameters)) };`;

function entryOf(groups, group) {
  const files = groups.get(group);
  if (ALONE.includes(group)) return files.map((file) => `import '${pathToFileURL(file).href}';`).join('\n');
  const imports = files.map((file) => `import ${JSON.stringify(file)};`);
  return [
    ...imports,
    "import { declared } from 'group:declared';",
    'for (const declare of declared) declare();',
  ].join('\n');
}

const INSIDE = { declared: 'export const declared = [];', cases: FEWER_CASES };

const pluginFor = (groups, allCases) => ({
  name: 'groups',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^fast-check$/ }, ({ namespace }) =>
      namespace === 'file' && !allCases
        ? { path: 'cases', namespace: 'group' }
        : { path: 'fast-check', external: true },
    );
    onResolve({ filter: /^group:/ }, ({ path }) => ({
      path: path.slice('group:'.length),
      namespace: 'group',
    }));
    onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => ({
      contents: INSIDE[path] ?? entryOf(groups, path),
      resolveDir: DIST,
    }));
    onResolve({ filter: /^file:/ }, ({ path }) => ({ path, external: true }));
    onResolve({ filter: /^ava$/ }, ({ importer, namespace }) =>
      namespace === 'file' ? { path: importer, namespace: 'ava' } : { path: 'ava', external: true },
    );
    onLoad({ filter: /.*/, namespace: 'ava' }, ({ path }) => ({
      contents: named(basename(path, '.test.js').replace(/\.long$/, '')),
      resolveDir: DIST,
    }));
    onLoad({ filter: /\.js$/, namespace: 'file' }, ({ path }) => {
      const packaged = path.endsWith(join('store', 'packageFiles.js'));
      const url = pathToFileURL(packaged ? join(DIST, 'package/index.js') : path).href;
      const source = packaged ? PLACES : readFileSync(path, 'utf8');
      return { contents: source.replaceAll('import.meta.url', JSON.stringify(url)) };
    });
  },
});

/** Writes the bundles of groups, and removes older ones. */
export async function bundleGroups(folder, files, groupFor = groupOf, allCases = false) {
  const groups = new Map();
  for (const file of files) groups.set(groupFor(file), [...(groups.get(groupFor(file)) ?? []), file]);
  rmSync(folder, { recursive: true, force: true });
  await build({
    ...SETTINGS,
    entryPoints: Object.fromEntries([...groups.keys()].map((group) => [`${group}.test`, `group:${group}`])),
    outdir: folder,
    format: 'esm',
    plugins: [pluginFor(groups, allCases)],
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const isLong = process.argv.includes('long');
  const isLongTest = (file) => file.endsWith('.long.test.js');
  const hasProperties = (file) => readFileSync(file, 'utf8').includes(" from 'fast-check'");
  const files = testFiles().filter((file) => isLongTest(file) === isLong || (isLong && hasProperties(file)));
  await bundleGroups(isLong ? LONG : OUT, files, groupOf, isLong);
}
