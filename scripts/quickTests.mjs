/**
 * `npm run test:quick [-- FILE...]`: builds what changed, and runs the tests that are nearest to it: those that import it, then those
 * that import what imports it, MOST files in all. What changed is what git says of the working tree, else of the last commit.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleGroups, testFiles } from './bundleTests.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = join(ROOT, 'dist');
const ROOMS = ['src', 'cli', 'mappers', 'reducers', 'test'];

/** Test files: some seconds of work. */
const MOST = 12;
/** Tests that take seconds each: they run where they themselves changed. */
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

/** Compiled files by those that they name, in imports or as modules of workers. */
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

/** Files by how many imports lie between them and what changed. */
function distances(changed) {
  const importers = importersOf();
  const found = new Map(changed.map((file) => [file, 0]));
  for (const [file, distance] of found) {
    for (const importer of importers.get(file) ?? [])
      if (!found.has(importer)) found.set(importer, distance + 1);
  }
  return found;
}

/** What a source is compiled to; the kernel is what its callers load. */
const compiledOf = (name) =>
  name.startsWith('src/kernel/assembly/')
    ? join(DIST, 'src/kernel/wasm.js')
    : join(DIST, name.replace(/\.(c?)ts$/, '.$1js'));

const changed = process.argv.length > 2 ? process.argv.slice(2) : changedFiles();
run('npm', 'run', '-s', 'build');

const near = distances(changed.map(compiledOf).filter((file) => existsSync(file)));
/** Whole runs and commands come last: what is wrong is found faster by what asks for less. */
const rank = (file) => near.get(file) + (/\/(cli|coordinator)\//.test(file) && near.get(file) > 0 ? 2 : 0);
const tests = testFiles()
  .filter((file) => near.has(file) && (near.get(file) === 0 || !SLOW.test(file)))
  .sort((a, b) => rank(a) - rank(b));
const chosen = tests.slice(0, MOST);
console.log(`${chosen.length} of ${tests.length} test files that depend on ${changed.join(', ')}`);
if (chosen.length > 0) {
  // Two processes at once, as `npm test` has.
  await bundleGroups(join(DIST, 'quick'), chosen, (file) =>
    relative(join(DIST, 'test'), file).startsWith('engines/')
      ? 'engines'
      : `quick${chosen.indexOf(file) % 2}`,
  );
  run('npx', 'ava', 'dist/quick/*.test.js');
}
