/**
 * `npm run test:quick [-- FILE...]`: builds, and runs the tests that are nearest to the changes: those that import a
 * changed file, then those that import its importers, at most MOST files. Changes are those of the working tree in
 * git, or else of the last commit.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleGroups, testFiles } from './bundleTests.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = join(ROOT, 'dist');
const ROOMS = ['src', 'cli', 'mappers', 'reducers', 'test'];

/** Number of test files that run in some seconds. */
const MOST = 12;
/** Tests that take seconds each run only if they changed themselves. */
const SLOW =
  /\.long\.|\/(fuzz|engines|docs)\/|cli\/commands|hotBuckets|hostilePage|manyFiles|outputLock|memoryBudget|killed|interrupted|bounds|endings|order\.test/;

function run(program, ...words) {
  const { status } = spawnSync(program, words, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function changedFiles() {
  const git = (...words) =>
    execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' })
      .split('\n')
      .filter((name) => name !== '');
  const now = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')];
  return now.length > 0 ? now : git('diff', '--name-only', 'HEAD~1');
}

/** Compiled files by the files that they refer to, in imports or as modules of workers. */
function importersOf() {
  const importers = new Map();
  for (const room of ROOMS) {
    for (const name of readdirSync(join(DIST, room), { recursive: true, encoding: 'utf8' })) {
      if (!/\.c?js$/.test(name)) continue;
      const file = join(DIST, room, name);
      for (const [, to] of readFileSync(file, 'utf8').matchAll(/['"](\.\.?\/[^'"]+\.c?js)['"]/g)) {
        const target = join(dirname(file), to);
        importers.set(target, [...(importers.get(target) ?? []), file]);
      }
    }
  }
  return importers;
}

/** Files by the number of imports between them and the changes. */
function distances(changed) {
  const importers = importersOf();
  const found = new Map(changed.map((file) => [file, 0]));
  for (const [file, distance] of found) {
    for (const importer of importers.get(file) ?? [])
      if (!found.has(importer)) found.set(importer, distance + 1);
  }
  return found;
}

/** The compiled file of a source; the kernel belongs to the files that load it. */
const compiledOf = (name) =>
  name.startsWith('src/kernel/assembly/')
    ? join(DIST, 'src/kernel/wasm.js')
    : join(DIST, name.replace(/\.(c?)ts$/, '.$1js'));

const changed = process.argv.length > 2 ? process.argv.slice(2) : changedFiles();
run('npm', 'run', '-s', 'build');

const near = distances(changed.map(compiledOf).filter((file) => existsSync(file)));
/** Whole runs and commands come last, because failures of smaller tests are found faster. */
const rank = (file) => near.get(file) + (/\/(cli|coordinator)\//.test(file) && near.get(file) > 0 ? 2 : 0);
const tests = testFiles()
  .filter((file) => near.has(file) && (near.get(file) === 0 || !SLOW.test(file)))
  .sort((a, b) => rank(a) - rank(b));
const chosen = tests.slice(0, MOST);
console.log(`${chosen.length} of ${tests.length} test files that depend on ${changed.join(', ')}`);
if (chosen.length > 0) {
  // Two processes at once, like `npm test`.
  await bundleGroups(join(DIST, 'quick'), chosen, (file) =>
    relative(join(DIST, 'test'), file).startsWith('engines/')
      ? 'engines'
      : `quick${chosen.indexOf(file) % 2}`,
  );
  run('npx', 'ava', 'dist/quick/*.test.js');
}
