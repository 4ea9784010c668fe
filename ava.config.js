import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';

/**
 * The tests of a room are one file (scripts/bundleTests.mjs): `npm test` runs dist/groups, `npm run test:long` dist/long,
 * `npm run test:quick` dist/quick. A file of dist/test that is named on the command line runs alone, as it was compiled:
 * `npx ava dist/test/store/store.test.js`.
 */
const named = (folder) => process.argv.slice(2).some((word) => word.includes(folder));
const alone = named('dist/test/');

/** What takes longest begins first. */
const LONGEST = [
  'plain',
  'coordinator',
  'coordinator-runs',
  'cli',
  'bits',
  'engines',
  'readers',
  'cli-commands',
  'fuzz',
];

function rank(file) {
  const at = LONGEST.findIndex((name) => file.endsWith(`/${name}.test.js`));
  return at < 0 ? LONGEST.length : at;
}

/**
 * Folders of tests lie in memory where that has room: what is synced there waits for no disk. Of several test processes
 * each has some hundred MB at a time.
 */
const MEMORY = '/dev/shm';
const ROOM = 4e9;

function temporaryFolder() {
  if (process.env.TMPDIR !== undefined) return {};
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM ? { TMPDIR: MEMORY } : {};
  } catch {
    return {};
  }
}

// A test process runs thousands of things once, so what serves a long run costs more than it brings: threads that help to
// collect garbage (a sixth of the processor time), collections while the heap is small (a fifth), and code that is
// optimized before it has run for a while (a quarter).
const TUNED = [
  '--single-threaded-gc',
  '--initial-old-space-size=400',
  '--sparkplug',
  '--interrupt-budget=1000000',
];

/** Those of the flags that this Node knows: another does not start with one that it does not. */
function knownFlags() {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  return TUNED.filter((flag) => known.includes(` ${flag.split('=')[0]} (`));
}

export default {
  files: [
    alone
      ? 'dist/test/**/*.test.js'
      : `dist/${['long', 'quick'].find((name) => named(`dist/${name}/`)) ?? 'groups'}/*.test.js`,
  ],
  sortTestFiles: (a, b) => rank(a) - rank(b) || a.localeCompare(b),
  timeout: '4m',
  // Most tests use two cores themselves: three processes took a sixth more processor time than two.
  concurrency: 2,
  workerThreads: false,
  environmentVariables: temporaryFolder(),
  nodeArguments: knownFlags(),
};
