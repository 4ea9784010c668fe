/**
 * `npm run wheel`: the package for Python, dist/python/mr_minhash-VERSION-py3-none-any.whl. Needs a build, and python3 with pip and setuptools.
 *
 * Writes the options of its calls, from the tables of options, and puts the program beside the modules of python/src/mr_minhash: what the
 * package of npm ships, but for types and pages, and the packages that it depends on, with their licences. What is optional in those is
 * for other processors than any, and stays out.
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

/** Of packages: what is loaded, and what must go with it. */
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

/** Older ones reject the licence of pyproject.toml. */
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
// Stands for the package of npm: statements go to the duckdb of Python.
const duckDb = join(PROGRAM, 'node_modules/@duckdb/node-api');
mkdirSync(duckDb, { recursive: true });
cpSync(join(PYTHON, 'src/mr_minhash/duckdb/index.cjs'), join(duckDb, 'index.cjs'));
writeFileSync(
  join(duckDb, 'package.json'),
  `${JSON.stringify({ name: '@duckdb/node-api', main: 'index.cjs' })}\n`,
);
writeFileSync(join(PYTHON, 'src/mr_minhash/_options.py'), pythonOptions());

// What an earlier wheel was built of.
rmSync(join(PYTHON, 'build'), { recursive: true, force: true });
rmSync(OUT, { recursive: true, force: true });
execFileSync(
  'python3',
  ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '--wheel-dir', OUT, PYTHON],
  { stdio: 'inherit' },
);
