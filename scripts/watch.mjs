/**
 * `npm run watch [-- FILE...]`: compiles changed files, and runs tests after each change: the files of the command
 * line (test/text/tokens.test.ts), or those in the directory of test/ that corresponds to that of the changed file.
 * Only TypeScript is compiled: tests of the built program need `npm run bundle`.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const named = process.argv.slice(2);
const compiled = (file) => join('dist', file.replace(/\.ts$/, '.js'));
/** Paths of sources that changed since the tests ran. */
const changed = new Set();
let tests = null;

for (const room of ['src', 'cli', 'mappers', 'reducers', 'test']) {
  watch(join(ROOT, room), { recursive: true }, (_, name) => {
    if (name?.endsWith('.ts')) changed.add(join(room, name));
  });
}

/** A changed test file, or for a source the tests in the corresponding directory. */
function testsOf(file) {
  if (file.endsWith('.test.ts')) return [file];
  const folder = file.startsWith('src/') ? join('test', dirname(file).slice(4)) : join('test', dirname(file));
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.long.test.ts'))
    .map((name) => join(folder, name));
}

function runTests() {
  const files = named.length > 0 ? named : [...new Set([...changed].flatMap(testsOf))];
  changed.clear();
  tests?.kill();
  if (files.length === 0) return;
  tests = spawn('npx', ['ava', ...files.map(compiled)], { cwd: ROOT, stdio: 'inherit' });
}

const compiler = spawn('npx', ['tsc', '-p', 'tsconfig.json', '--watch', '--preserveWatchOutput'], {
  cwd: ROOT,
});
compiler.stdout.on('data', (text) => {
  process.stdout.write(text);
  if (/Found 0 errors/.test(text)) runTests();
});
compiler.on('exit', (code) => process.exit(code ?? 1));
