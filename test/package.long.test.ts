/**
 * The package as its users get it: packed, installed in a folder of its own, run, imported and compiled against.
 *
 * Packs with --ignore-scripts, because `prepare` would build dist anew under the other tests.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-package-'));
const PACKAGE = join(folder, 'node_modules/mr-minhash');

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What npm tells the scripts it runs must not steer another npm; where the registry is must stay known. */
function environment(): NodeJS.ProcessEnv {
  const kept =
    /^npm_config_(registry|cache|userconfig|globalconfig|proxy|https_proxy|noproxy|cafile|strict_ssl)$/i;
  const entries = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name));
  return { ...Object.fromEntries(entries), NODE_ENV: undefined, NO_COLOR: '1' };
}

function command(file: string, ...args: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd: folder, env: environment() }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

test.before('pack and install', async (t) => {
  t.timeout(240_000);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const packed = await command('npm', 'pack', '--ignore-scripts', '--pack-destination', folder, ROOT);
  t.is(packed.code, 0, packed.stderr);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=dev'];
  const installed = await command('npm', 'install', ...flags, join(folder, tarball));
  t.is(installed.code, 0, installed.stderr);
  mkdirSync(join(folder, 'texts'));
  const text = 'the quick brown fox jumps over the lazy dog near the old river bank';
  writeFileSync(join(folder, 'texts/a.txt'), text);
  writeFileSync(join(folder, 'texts/b.txt'), `${text.toUpperCase()}!`);
});

test.after.always(() => rmSync(folder, { recursive: true, force: true }));

/** Files of the installed package, relative to it, with slashes. */
function filesOf(): string[] {
  return readdirSync(PACKAGE, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(PACKAGE, name)).isFile())
    .map((name) => relative(PACKAGE, join(PACKAGE, name)).split('\\').join('/'))
    .sort();
}

/** Specifiers of imports, exports, import() and what is required late in built JavaScript or in declarations. */
function specifiersOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const found = code.matchAll(
    /(?:^|[;}])\s*(?:import|export)\b[^;'"]*?\bfrom\s*['"]([^'"]+)['"]|\b(?:import|createRequire\d*\(import\.meta\.url\))\s*\(\s*['"]([^'"]+)['"]\)|(?:^|[;}])\s*import\s*['"]([^'"]+)['"]/gm,
  );
  return [...found].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

interface Manifest {
  readonly [key: string]: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly version: string;
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Manifest;
}

test('the package holds what is built, what is to be read, and nothing else', (t) => {
  const files = filesOf();
  for (const name of [
    'LICENSE',
    'README.md',
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'package.json',
  ]) {
    t.true(files.includes(name), `${name} is missing`);
  }
  const built = /^dist\/package\/((parsers\/|spark\/)?[\w-]+\.c?js|types\/[\w/]+\.d\.ts)$/;
  const others = files.filter((name) => !built.test(name) && !/^docs\/([\w-]+\/)*[\w-]+\.md$/.test(name));
  t.true(files.includes('docs/options.md'));
  // A list: npm 11 links no manual page that is a text.
  t.deepEqual(manifest().man, ['docs/mr-minhash.1']);
  t.deepEqual(others, [
    'ARCHITECTURE.md',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'dist/package/kernel.wasm',
    'dist/package/parsers/LICENCES.txt',
    'dist/package/spark/driver.py',
    'dist/package/spark/kernel.wasm',
    'dist/package/view/page.js',
    'docs/images/terminal.svg',
    'docs/images/view-cluster.jpg',
    'docs/images/view-overview.jpg',
    'docs/images/view-texts.jpg',
    'docs/mr-minhash.1',
    'package.json',
  ]);
  t.regex(readFileSync(join(PACKAGE, 'LICENSE'), 'utf8'), /^MIT License/);
  // What is shipped inside a parser goes with its licence.
  const licences = readFileSync(join(PACKAGE, 'dist/package/parsers/LICENCES.txt'), 'utf8');
  for (const name of ['htmlparser2', 'entities']) t.regex(licences, new RegExp(`^${name} `, 'm'));
});

test('the program of a task needs no package and no other file than the kernel', (t) => {
  const text = readFileSync(join(PACKAGE, 'dist/package/spark/task.cjs'), 'utf8');
  const required = [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name]) => name!);
  t.true(required.length > 3, required.join(' '));
  t.deepEqual(
    required.filter((name) => !name.startsWith('node:')),
    [],
  );
});

test('every file that the package imports is in it, and every package it imports is a dependency', (t) => {
  const files = filesOf();
  const { dependencies } = manifest();
  const used = new Set<string>();
  let imports = 0;
  for (const name of files.filter((file) => /\.(js|d\.ts)$/.test(file))) {
    for (const specifier of specifiersOf(readFileSync(join(PACKAGE, name), 'utf8'))) {
      imports++;
      if (specifier.startsWith('.')) {
        const target = posix.join(posix.dirname(name), specifier);
        const wanted = name.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target;
        t.true(files.includes(wanted), `${name} imports ${specifier}`);
      } else if (!specifier.startsWith('node:')) {
        const packageName = /^(@[^/]+\/)?[^/]+/.exec(specifier)![0];
        t.true(packageName in dependencies, `${name} imports ${specifier}`);
        used.add(packageName);
      }
    }
  }
  t.true(imports > 200, `${imports} imports`);
  t.deepEqual([...used].sort(), Object.keys(dependencies).sort(), 'a dependency is not used');
});

test('package.json promises what it should', (t) => {
  const { dependencies, devDependencies, ...rest } = manifest();
  t.is(rest.name, 'mr-minhash');
  t.is(rest.license, 'MIT');
  t.is(rest.type, 'module');
  t.deepEqual(rest.engines, { node: '>=20' });
  t.deepEqual(rest.bin, { 'mr-minhash': 'dist/package/cli.js' });
  t.deepEqual((rest.exports as Record<string, unknown>)['.'], {
    types: './dist/package/types/src/index.d.ts',
    default: './dist/package/index.js',
  });
  t.deepEqual((rest.exports as Record<string, unknown>)['./core'], {
    types: './dist/package/types/src/core.d.ts',
    default: './dist/package/core.js',
  });
  t.is(dependencies.piscina, '5.3.2');
  t.is(dependencies.msgpackr, '2.1.3');
  t.is(dependencies.commander, '^14.0.3');
  t.regex(devDependencies.ava!, /^\^7\./);
  t.deepEqual(
    Object.keys(dependencies).filter((name) => name in devDependencies),
    [],
  );
  for (const script of ['preinstall', 'install', 'postinstall']) {
    t.false(script in (rest.scripts as object), `an installed package runs ${script}`);
  }
  t.regex(readFileSync(join(PACKAGE, 'dist/package/cli.js'), 'utf8'), /^#!\/usr\/bin\/env node\n/);
});

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What a package gets that lies at `place`: from its own node_modules, or one above. */
function lockedFor(packages: Readonly<Record<string, LockedPackage>>, place: string, name: string) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const locked = packages[posix.join(folder, 'node_modules', name)];
    if (locked !== undefined || folder === '') return locked;
  }
}

test('package-lock.json holds the packages of every platform, by their hashes, and no host', (t) => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const packages: Readonly<Record<string, LockedPackage>> = lock.packages;
  let optional = 0;
  for (const [place, found] of Object.entries(packages)) {
    if (place !== '') t.regex(found.integrity ?? '', /^sha512-/, place);
    t.is(found.resolved, undefined, place);
    for (const [name, version] of Object.entries(found.optionalDependencies ?? {})) {
      optional++;
      const locked = lockedFor(packages, place, name);
      t.truthy(locked, `${place} needs ${name}`);
      if (/^\d/.test(version)) t.is(locked?.version, version, `${place} needs ${name}`);
    }
  }
  t.true(optional > 20, `${optional} optional packages`);
});

test('npx mr-minhash of the installed package tells its version and finds a pair', async (t) => {
  t.timeout(240_000);
  const version = await command('npx', '--no-install', 'mr-minhash', '--version');
  t.deepEqual([version.code, version.stdout], [0, `${manifest().version}\n`], version.stderr);
  const found = await command('npx', '--no-install', 'mr-minhash', 'run', 'texts', '--out', 'result');
  t.is(found.code, 0, found.stderr);
  t.true(statSync(join(folder, 'result/_SUCCESS')).isFile());
  const [, row] = readFileSync(join(folder, 'result/pairs/part-00000.tsv'), 'utf8').split('\n');
  t.is(row, 'a.txt\tb.txt\t1.000000\t1.000000\t1.000000\t1.000000\tsame-tokens\ta.txt\tb.txt');
});

const MODULE = `import {
  chooseBands, containment, findDuplicates, probabilityOfCandidate, resemblance, run, sketchOf,
} from 'mr-minhash';
const a = 'a rose is a rose is a rose';
const b = 'a rose is a flower which is a rose';
const report = await run({ paths: ['texts'], out: 'from-module', threads: 1 });
const { pairs } = await findDuplicates([{ id: 'x', text: a }, { id: 'y', text: a }]);
const { bands, rows } = chooseBands({ threshold: 0.8, recall: 0.95, hashes: 128 });
console.log(JSON.stringify({
  resemblance: resemblance(a, b, { size: 2 }),
  containment: containment(a, b, { size: 2 }),
  sketch: typeof sketchOf(a),
  read: report.counts.read,
  pairs: pairs.length,
  bands, rows,
  probability: probabilityOfCandidate(0.8, bands, rows),
}));
`;

test('the library is imported from an ES module', async (t) => {
  t.timeout(240_000);
  writeFileSync(join(folder, 'consumer.mjs'), MODULE);
  const { code, stdout, stderr } = await command(process.execPath, 'consumer.mjs');
  t.is(code, 0, stderr);
  const { probability, ...found } = JSON.parse(stdout) as Record<string, unknown>;
  // Shingles of two words: {a rose, rose is, is a} and those with {a flower, flower which, which is}: 3 of 6.
  const expected = {
    resemblance: 0.5,
    containment: 1,
    sketch: 'object',
    read: 2,
    pairs: 1,
    bands: 18,
    rows: 7,
  };
  t.deepEqual(found, expected);
  // 1 - (1 - 0.8^7)^18.
  t.true(Math.abs((probability as number) - (1 - (1 - 0.8 ** 7) ** 18)) < 1e-12);
});

const TYPED = `import {
  type Duplicates, findDuplicates, MinHashError, type Progress, type Report, run, type RunOptions,
} from 'mr-minhash';
import { type Sketch, sketchOf, sketchToBytes } from 'mr-minhash/core';
const options: RunOptions = { paths: ['texts'], out: 'from-types', threshold: 0.5, sketch: 'classic' };
const report: Report = await run(options, {
  onProgress(progress: Progress): void {
    const total: number | null = progress.total;
    if (total !== null && progress.done > total) throw new MinHashError({ code: 'TASK_FAILED', detail: 'x' });
  },
  signal: new AbortController().signal,
});
const found: Duplicates = await findDuplicates([{ id: 'x', text: new Uint8Array(3) }], { shingle: 'chars:3' });
export const counted: number = report.counts.read + found.counts.read;
const sketch: Sketch = sketchOf('a text', { hashes: 64 });
export const bytes: Uint8Array = sketchToBytes(sketch);
// @ts-expect-error: a threshold is a number
await run({ paths: ['texts'], threshold: 'high' });
// @ts-expect-error: there is no such option
await findDuplicates([], { paths: ['texts'] });
`;

for (const [module, resolution] of [
  ['nodenext', 'nodenext'],
  ['node16', 'node16'],
  ['esnext', 'bundler'],
] as const) {
  test(`the types hold under tsc --strict, resolved as ${resolution}, without declarations of Node`, async (t) => {
    t.timeout(240_000);
    writeFileSync(join(folder, 'consumer.ts'), TYPED);
    const flags = ['--module', module, '--moduleResolution', resolution, '--target', 'es2022'];
    const checked = await command(process.execPath, TSC, '--strict', '--noEmit', ...flags, 'consumer.ts');
    t.is(checked.code, 0, checked.stdout);
  });
}
