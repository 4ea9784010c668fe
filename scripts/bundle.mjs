/**
 * Builds the package, dist/package, from the compiled files in dist.
 *
 *      worker.cjs   a worker thread with all tasks
 *      cli.js       the program; it loads a command when that command runs
 *      index.js     the library
 *      viewThread.js   the thread behind `view`
 *      core.js      the part of the library that needs no Node API, as one file for browsers and other runtimes
 *      program.js, start.js, pipeline.js, advice.js, tasks.js   the modules of the steps of a run, loaded one after the other
 *      shared.js, chunk-*.js and others: other modules that program and library share
 *      kernel.wasm  the compiled kernel
 *      parsers/     parsers that few runs need, each bundled with its packages and their licences; licences that a package
 *                   does not contain are in scripts/licences
 *      spark/       the driver of Spark, and the tasks of the SQL pipeline, which are sent to executors: one file with its
 *                   packages, the kernel and the parsers
 *      view/        the script of the pages of `view`, for browsers
 *      types/       the declarations that index.d.ts needs
 *
 * Packages are not bundled, because they are dependencies. The packages of parsers are bundled: they are modules that
 * some versions of Node do not let a worker load at once. Only the script of pages has shortened names, so that stack
 * traces are readable.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { joinLayers } from './layers.mjs';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const OUT = join(DIST, 'package');
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The values of src/store/packageFiles.ts for bundles: all files are beside them. */
export const PLACES = `
export const WORKER_FILE = new URL('./worker.cjs', import.meta.url).href;
export const KERNEL_FILE = new URL('./kernel.wasm', import.meta.url);
export const PARSERS_FOLDER = new URL('./parsers/', import.meta.url);
export const SPARK_FOLDER = new URL('./spark/', import.meta.url);
export const VIEW_FOLDER = new URL('./view/', import.meta.url);
export const VIEW_THREAD = new URL('./viewThread.js', import.meta.url);
export const VERSION = ${JSON.stringify(version)};`;

/** CommonJS has no import.meta. */
const PLACES_OF_WORKER = PLACES.replaceAll(
  'import.meta.url',
  "require('node:url').pathToFileURL(__filename)",
);

/**
 * The steps of a run load these: the program, the check of options and the start of workers, the pipeline, the advice
 * and summary at its end, tasks that run in this thread; then everything else that is shared.
 */
const LAYERS = {
  'program.js': ['cli/main.js'],
  'start.js': ['cli/commands/run.js', 'src/coordinator/run.js', 'src/coordinator/start/checked.js'],
  'pipeline.js': ['src/coordinator/runFiles.js'],
  'advice.js': ['src/coordinator/apply/corpusAdvice.js', 'src/result/summary.js'],
  'tasks.js': ['src/tasks/table.js'],
  'shared.js': ['src/index.js'],
};

const placesOf = (contents) => ({
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]store[\\/]packageFiles\.js$/ }, () => ({ contents }));
  },
});

/**
 * A worker needs only `move` of piscina. Loading the whole package takes a worker 10 ms, and piscina's own worker file
 * has already loaded this part.
 */
const POOL_OF_WORKER = `
import { dirname, join } from 'node:path';
const { isTransferable, markMovable } = require(join(dirname(require.resolve('piscina')), 'common.js'));
export const transferableSymbol = Symbol.for('Piscina.transferable');
export const valueSymbol = Symbol.for('Piscina.valueOf');
export function move(value) {
  if (!isTransferable(value)) throw new TypeError('piscina has other symbols than this build knows');
  markMovable(value);
  return value;
}`;

const poolOfWorker = {
  name: 'pool of worker',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^piscina$/ }, ({ kind }) =>
      kind === 'import-statement'
        ? { path: 'piscina', namespace: 'pool' }
        : { path: 'piscina', external: true },
    );
    onLoad({ filter: /^/, namespace: 'pool' }, () => ({ contents: POOL_OF_WORKER, resolveDir: DIST }));
  },
};

/** The msgpackr that `require` finds looks for a native addon, which takes 5 ms. */
const PLAIN_MSGPACKR = {
  'msgpackr/pack': 'msgpackr/index-no-eval',
  'msgpackr/unpack': 'msgpackr/index-no-eval',
};

/** Settings of all bundles, of those of the program, and of that of a worker. */
export const SETTINGS = {
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'warning',
};
export const PROGRAM = { ...SETTINGS, format: 'esm', plugins: [placesOf(PLACES)] };
export const WORKER = {
  ...SETTINGS,
  format: 'cjs',
  alias: PLAIN_MSGPACKR,
  plugins: [placesOf(PLACES_OF_WORKER), poolOfWorker],
};

/** Copies a declaration file and all files that it imports. */
function copyTypes(file, copied = new Set()) {
  if (copied.has(file)) return;
  copied.add(file);
  const target = join(OUT, 'types', relative(DIST, file));
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(file, target);
  for (const [, module] of readFileSync(file, 'utf8').matchAll(
    /\b(?:from |import\()['"](\.[^'"]+)\.js['"]/g,
  )) {
    copyTypes(resolve(dirname(file), `${module}.d.ts`), copied);
  }
}

/** The parsers, by the names of their files. */
const PARSERS = join(DIST, 'src/readers/parsers');

/** The package folder of a file in node_modules. */
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

async function bundleParsers() {
  // From the sources, because `dist` may have files of removed sources.
  const names = readdirSync(join(DIST, '../src/readers/parsers')).filter(
    (name) => name.endsWith('.ts') && name !== 'load.ts',
  );
  const { metafile } = await build({
    ...SETTINGS,
    packages: 'bundle',
    format: 'cjs',
    entryPoints: names.map((name) => join(PARSERS, name.replace('.ts', '.js'))),
    outdir: join(OUT, 'parsers'),
    outExtension: { '.js': '.cjs' },
    metafile: true,
  });
  const folders = new Set(Object.keys(metafile.inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  const licences = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const own = fileURLToPath(new URL(`licences/${basename(folder)}.txt`, import.meta.url));
    if (file === undefined && !existsSync(own)) throw new Error(`${name}: no licence`);
    const text = readFileSync(file === undefined ? own : join(folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  writeFileSync(join(OUT, 'parsers/LICENCES.txt'), licences.join('\n\n'));
}

/**
 * The tasks of the SQL pipeline: one file, with the kernel and the parsers beside it, because executors do not have
 * our packages.
 */
async function bundleSparkTask() {
  const folder = join(OUT, 'spark');
  await build({
    ...SETTINGS,
    packages: 'bundle',
    external: ['@aws-sdk/client-s3'],
    format: 'cjs',
    alias: PLAIN_MSGPACKR,
    plugins: [placesOf(PLACES_OF_WORKER.replace('./parsers/', './'))],
    entryPoints: [join(DIST, 'src/engines/spark/tasks/taskEntry.js')],
    outfile: join(folder, 'task.cjs'),
  });
  copyFileSync(join(DIST, 'src/kernel/kernel.wasm'), join(folder, 'kernel.wasm'));
  copyFileSync(
    fileURLToPath(new URL('../src/engines/spark/driver.py', import.meta.url)),
    join(folder, 'driver.py'),
  );
  for (const name of readdirSync(join(OUT, 'parsers')))
    if (name.endsWith('.cjs')) copyFileSync(join(OUT, 'parsers', name), join(folder, name));
}

/** One file without imports, because some runtimes have no modules by path, and it must not load Node modules. */
function bundleCore() {
  return build({
    ...SETTINGS,
    packages: 'bundle',
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    entryPoints: [join(DIST, 'src/core.js')],
    outfile: join(OUT, 'core.js'),
  });
}

/** The script of the pages of `view`, which runs in browsers and is not compiled with the program. */
function bundlePage() {
  return build({
    ...SETTINGS,
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    minify: true,
    entryPoints: [fileURLToPath(new URL('../src/view/page/page.ts', import.meta.url))],
    outfile: join(OUT, 'view/page.js'),
  });
}

async function bundle() {
  rmSync(OUT, { recursive: true, force: true });
  await build({
    ...WORKER,
    entryPoints: [join(DIST, 'src/engines/workerEntry.cjs')],
    outfile: join(OUT, 'worker.cjs'),
  });
  const { metafile } = await build({
    ...PROGRAM,
    entryPoints: {
      cli: join(DIST, 'cli/main.js'),
      index: join(DIST, 'src/index.js'),
      viewThread: join(DIST, 'src/view/viewThread.js'),
    },
    outdir: OUT,
    splitting: true,
    metafile: true,
  });
  // Half the bytes are compiled in a tenth less of the time of a small run. Names and lines are kept for stack
  // traces.
  const compact = { minifyWhitespace: true, lineLimit: 120 };
  await joinLayers(OUT, metafile, LAYERS, { ...SETTINGS, ...compact, format: 'esm' });
  chmodSync(join(OUT, 'cli.js'), 0o755);
  copyFileSync(join(DIST, 'src/kernel/kernel.wasm'), join(OUT, 'kernel.wasm'));
  await bundleParsers();
  await bundleSparkTask();
  await bundleCore();
  await bundlePage();
  // The types of the core are part of those of the library.
  copyTypes(join(DIST, 'src/index.d.ts'));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await bundle();
