/**
 * The tests of a room are one file (scripts/bundleTests.mjs): `npm test` runs dist/groups, `npm run test:long` dist/long. A
 * file of dist/test that is named on the command line runs alone, as it was compiled: `npx ava dist/test/store/store.test.js`.
 */
const named = (folder) => process.argv.slice(2).some((word) => word.includes(folder));
const alone = named('dist/test/');

/** What takes longest begins first. */
const LONGEST = [
  'coordinator-runs',
  'coordinator-resume',
  'coordinator-memory',
  'coordinator-sketch',
  'coordinator-pair',
];

function rank(file) {
  const at = LONGEST.findIndex((name) => file.endsWith(`${name}.test.js`));
  return at < 0 ? LONGEST.length : at;
}

export default {
  files: [
    alone ? 'dist/test/**/*.test.js' : named('dist/long') ? 'dist/long/*.test.js' : 'dist/groups/*.test.js',
  ],
  sortTestFiles: (a, b) => rank(a) - rank(b) || a.localeCompare(b),
  timeout: '4m',
  concurrency: 3,
  workerThreads: false,
  // Threads that help to collect garbage take a sixth more processor time, and the cores are busy with other tests.
  nodeArguments: ['--single-threaded-gc'],
};
