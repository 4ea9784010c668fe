/**
 * What the package ships: dist/package, made of what the compilers wrote to dist.
 *
 *      cli.js       the program          each one file, so that a start reads three files and not three hundred
 *      worker.cjs   a worker thread
 *      index.js     the library
 *      kernel.wasm  the compiled kernel
 *      types/       the declarations that index.d.ts needs
 *
 * Packages stay outside: they are dependencies. Nothing is minified, for stack traces that can be read.
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const OUT = join(DIST, 'package');
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** What src/store/packageFiles.ts says, for bundles: everything lies beside them. */
export const PLACES = `
export const WORKER_FILE = new URL('./worker.cjs', import.meta.url).href;
export const KERNEL_FILE = new URL('./kernel.wasm', import.meta.url);
export const VERSION = ${JSON.stringify(version)};`;

/** CommonJS has no import.meta. */
const PLACES_OF_WORKER = PLACES.replaceAll(
  'import.meta.url',
  "require('node:url').pathToFileURL(__filename)",
);

const placesOf = (contents) => ({
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]store[\\/]packageFiles\.js$/ }, () => ({ contents }));
  },
});

/** What makes a bundle of the program, and of a worker. */
export const AS_PROGRAM = { format: 'esm', plugins: [placesOf(PLACES)] };
export const AS_WORKER = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  plugins: [placesOf(PLACES_OF_WORKER)],
};

/** Copies a file of declarations and all that it imports. */
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

async function bundle() {
  rmSync(OUT, { recursive: true, force: true });
  const settings = {
    outdir: OUT,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
  };
  await build({
    ...settings,
    ...AS_WORKER,
    entryPoints: { worker: join(DIST, 'src/engines/workerEntry.cjs') },
  });
  await build({
    ...settings,
    ...AS_PROGRAM,
    entryPoints: { cli: join(DIST, 'cli/main.js'), index: join(DIST, 'src/index.js') },
    splitting: true,
  });
  chmodSync(join(OUT, 'cli.js'), 0o755);
  copyFileSync(join(DIST, 'src/kernel/kernel.wasm'), join(OUT, 'kernel.wasm'));
  copyTypes(join(DIST, 'src/index.d.ts'));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await bundle();
