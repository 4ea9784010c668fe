/**
 * `npm run wheel`: the package for Python, dist/python/mr_minhash-VERSION-py3-none-any.whl. Needs a build, and python3
 * with pip and setuptools.
 *
 * Writes the options of its functions from the tables of options, and puts the program beside the modules of
 * python/src/mr_minhash: the files of the npm package without types and documentation, and its dependencies with their
 * licences. Optional dependencies are native code for some processors and are omitted.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonOptions } from '../dist/scripts/pythonOptions.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const PYTHON = join(ROOT, 'python');
const PROGRAM = join(PYTHON, 'src/mr_minhash/program');
const OUT = join(ROOT, 'dist/python');

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Of packages: the loaded files, and those that must be distributed with them. */
const NEEDED = /(\.[cm]?js|\.json|licen[cs]e[^/\\]*|notice[^/\\]*)$/i;
const UNNEEDED =
  /[\\/](test|tests|docs|benchmark|examples|libesm|umd|rollup\.config)([\\/.]|$)|\.min\.js$|\.test\.js$/;

function copyPackage(name) {
  const from = join(ROOT, 'node_modules', name);
  cpSync(from, join(PROGRAM, 'node_modules', name), {
    recursive: true,
    filter: (path) => {
      const inside = path.slice(from.length);
      const last = inside.split(sep).at(-1);
      return !UNNEEDED.test(inside) && (!last.includes('.') || NEEDED.test(last));
    },
  });
}

/** Older versions reject the licence of pyproject.toml. */
const SETUPTOOLS = 77;
const version = execFileSync('python3', ['-c', 'import setuptools; print(setuptools.__version__)'], {
  encoding: 'utf8',
}).trim();
if (Number.parseInt(version, 10) < SETUPTOOLS) {
  console.error(`setuptools ${version} is too old: python3 -m pip install 'setuptools>=${SETUPTOOLS}'`);
  process.exit(1);
}

rmSync(PROGRAM, { recursive: true, force: true });
mkdirSync(PROGRAM, { recursive: true });
const types = join('dist', 'package', 'types');
cpSync(join(ROOT, 'dist/package'), join(PROGRAM, 'dist/package'), {
  recursive: true,
  filter: (path) => !path.includes(types),
});
for (const file of ['package.json', 'LICENSE']) cpSync(join(ROOT, file), join(PROGRAM, file));
for (const name of Object.keys(dependencies)) copyPackage(name);
// Replaces the npm package: statements are run by the duckdb module of Python.
const duckDb = join(PROGRAM, 'node_modules/@duckdb/node-api');
mkdirSync(duckDb, { recursive: true });
cpSync(join(PYTHON, 'src/mr_minhash/duckdb/index.cjs'), join(duckDb, 'index.cjs'));
writeFileSync(
  join(duckDb, 'package.json'),
  `${JSON.stringify({ name: '@duckdb/node-api', main: 'index.cjs' })}\n`,
);
writeFileSync(join(PYTHON, 'src/mr_minhash/_options.py'), pythonOptions());

// Files of an earlier build.
rmSync(join(PYTHON, 'build'), { recursive: true, force: true });
rmSync(OUT, { recursive: true, force: true });
execFileSync(
  'python3',
  ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '--wheel-dir', OUT, PYTHON],
  { stdio: 'inherit' },
);
