/**
 * `npm run release -- VERSION [--write]`: the checks of a version (docs/dev/versions.md). Needs a build. Prints one
 * line per check, and exits with 1 at the first failure. With --write the version is set, committed and tagged;
 * nothing is pushed or published.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
const [version = ''] = positionals;

const run = (program, ...words) => execFileSync(program, words, { cwd: ROOT, encoding: 'utf8' });
const read = (name) => readFileSync(join(ROOT, name), 'utf8');
const write = (name, text) => writeFileSync(join(ROOT, name), text);

function step(title, holds, remedy) {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${title}`);
  if (holds) return;
  console.log(`     ${remedy}`);
  process.exit(1);
}

const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-rc\.(\d+))?$/;

/** Numbers in the order of versions: a release candidate comes before its version. */
function order(text) {
  const [, major, minor, patch, candidate = '1e6'] = VERSION.exec(text);
  return [major, minor, patch, candidate].map(Number);
}

function isLater(a, b) {
  const [x, y] = [order(a), order(b)];
  const at = x.findIndex((number, i) => number !== y[i]);
  return at >= 0 && x[at] > y[at];
}

const { version: before } = JSON.parse(read('package.json'));
step(
  `${version || 'VERSION'} is a version, such as 1.2.3 or 2.0.0-rc.1`,
  VERSION.test(version),
  'npm run release -- VERSION',
);
step(
  `${version} follows ${before}`,
  isLater(version, before),
  'choose a later one: docs/dev/versions.md says which number rises',
);
step(
  'nothing is changed that is not committed',
  run('git', 'status', '--porcelain') === '',
  'commit or stash it',
);
const branch = run('git', 'rev-parse', '--abbrev-ref', 'HEAD').trim();
step('the branch is main, or nothing is written', branch === 'main' || !values.write, 'git switch main');
step(
  `there is no tag v${version}`,
  run('git', 'tag', '--list', `v${version}`) === '',
  'choose a later version',
);
const changelog = read('CHANGELOG.md');
const news = changelog.split(/^## /m).find((part) => part.startsWith('Next\n')) ?? '';
step('CHANGELOG.md says what is new under "Next"', /^- /m.test(news), 'write what a user notices');
const pages = run(
  'node',
  '--input-type=module',
  '-e',
  `
  import { readFileSync } from 'node:fs';
  import { generatedPages } from './dist/test/docs/generatedPages.js';
  for (const { file, text } of generatedPages()) if (readFileSync(file, 'utf8') !== text) console.log(file);`,
);
step('pages made from tables are as written', pages === '', 'npm run pages, and commit them');
const [tarball] = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts'));
const names = tarball.files.map(({ path }) => path);
const misses = [
  'dist/package/cli.js',
  'dist/package/core.js',
  'dist/package/kernel.wasm',
  'docs/mr-minhash.1',
  'LICENSE',
].filter((name) => !names.includes(name));
const strays = names.filter((name) => /^(src|test|python)\/|\.test\.|\.map$/.test(name));
step(
  `the package has ${names.length} files, ${(tarball.size / 1e6).toFixed(2)} MB compressed, ${(tarball.unpackedSize / 1e6).toFixed(2)} MB in all`,
  misses.length + strays.length === 0,
  `missing: ${misses}; not to be there: ${strays}`,
);

const pending = [
  '.ci/run passes on this commit',
  'npm run bench:guard: not slower than the release before',
  'npm run test:faults passes',
];
for (const title of pending) console.log(`     by hand: ${title}`);
if (!values.write) {
  console.log('all steps hold; --write sets the version, commits and tags');
  process.exit(0);
}

run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts');
const today = new Date().toISOString().slice(0, 10);
write('CHANGELOG.md', changelog.replace(/^## Next$/m, `## Next\n\n## ${version} (${today})`));
write('benchmarks/release', `v${version}\n`);
run('npm', 'run', 'build');
run('npm', 'run', 'pages');
run('git', 'commit', '--all', '--message', `Version ${version}`);
run('git', 'tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
console.log(
  `ok   v${version} is committed and tagged; git push --follow-tags publishes it by the workflow of releases`,
);
