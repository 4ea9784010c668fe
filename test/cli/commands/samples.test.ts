/** The built command over samples: a run, and what the other commands make of its result. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import { programHere, type Said } from '../programHere.js';

const cli = (cwd: string, ...argv: readonly string[]): Promise<Said> => programHere(cwd, argv);

/** Where threads are not the point none is started: that takes longer than such a run. */
const HERE = ['--threads', '0', '--out', 'out'];

const words = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `word${from + i}`).join(' ');

function corpus(t: ExecutionContext): string {
  return temporaryFolder(t, {
    'texts/chapter.txt': words(300, 500),
    'texts/book.txt': words(0, 1500),
    'texts/book-again.txt': `${words(0, 1499)} end`,
    'texts/other.txt': words(9000, 9300),
  });
}

test.serial('run --measure containment writes a result that verify and inspect understand', async (t) => {
  const folder = corpus(t);
  const done = await cli(folder, 'run', 'texts', '--measure', 'containment', '--threshold', '0.9', ...HERE);
  t.is(done.code, 0, done.stderr);
  t.regex(done.stdout, /3 pairs with exact containment of at least 0\.90/);
  t.regex(done.stdout, /Promise {5}a pair at 0\.90 \(containment\) is found with probability 0\.949 or more/);
  t.is(
    readFileSync(join(folder, 'out/duplicates.tsv'), 'utf8'),
    'document\tkept\tcontainment\tplace\nbook.txt\tbook-again.txt\t0.999332\tbook.txt\nchapter.txt\tbook-again.txt\t1.000000\tchapter.txt\n',
  );
  t.is((await cli(folder, 'verify', 'out')).code, 0);
  const shown = await cli(folder, 'inspect', 'out', '--top', '2');
  t.regex(shown.stdout, /\n2 near pairs, by how much of one is in the other:\na in b {4}b in a {4}a {2}b\n/);
  t.regex(shown.stdout, /\n0\.1\d{5} {2}1\.000000 {2}book-again\.txt {2}chapter\.txt\n/);
  t.true(JSON.parse((await cli(folder, 'inspect', 'out', '--json')).stdout).by_containment);
  const pair = await cli(folder, 'inspect', 'out', '--pair', 'book.txt', 'chapter.txt');
  t.regex(pair.stdout, /containment b in a {2}1\.000000/);
});

test.serial('run --sketch min-s and mod-m say their rule, in the plan and in the summary', async (t) => {
  const folder = corpus(t);
  const plan = await cli(folder, 'run', 'texts', '--sketch', 'min-s', '--dry-run');
  t.regex(plan.stdout, /candidates: at least 95 of 128 fingerprints shared, the smallest of each document/);
  t.regex(plan.stdout, /a pair at 0\.8 becomes a candidate with probability 0\.95\d\d or more/);
  t.regex(plan.stdout, /probability of becoming a candidate, given 128 fingerprints/);
  const json = JSON.parse(
    (await cli(folder, 'run', 'texts', '--sketch', 'mod-m', '--dry-run', '--json')).stdout,
  );
  t.deepEqual(
    [json.bands, json.rows, json.sampling.fingerprints, json.sampling.least_shared],
    [0, 0, 100, 73],
  );
  for (const sketch of ['min-s', 'mod-m']) {
    const { code, stdout } = await cli(folder, 'run', 'texts', '--sketch', sketch, ...HERE, '--force');
    t.is(code, 0);
    t.regex(stdout, /Near {8}1 pair with exact Jaccard similarity of at least 0\.80/);
    t.is((await cli(folder, 'verify', 'out')).code, 0);
  }
});

test.serial(
  'run --method sswf says what it finds, in the plan and in the summary, and promises no recall',
  async (t) => {
    const folder = corpus(t);
    const plan = await cli(folder, 'run', 'texts', '--method', 'sswf', '--shards', '4', '--dry-run');
    t.regex(plan.stdout, /candidates: the same sequence of common words in both documents/);
    t.regex(plan.stdout, /1 row chunk each/);
    t.notRegex(plan.stdout, /probability/);
    const { code, stdout } = await cli(folder, 'run', 'texts', '--method', 'sswf', ...HERE);
    t.is(code, 0);
    t.regex(
      stdout,
      /Promise {5}pairs with the same sequence .* are found, and no others: no recall is promised/,
    );
    t.is((await cli(folder, 'verify', 'out')).code, 0);
  },
);

test.serial('tune has no bands for samples; compare takes their modulus', async (t) => {
  const folder = corpus(t);
  const tune = await cli(folder, 'tune', '--sketch', 'mod-m');
  t.is(tune.code, 2);
  t.regex(tune.stderr, /^error: --sketch mod-m: expected fss or classic, which have bands\n/);
  const compared = await cli(folder, 'compare', 'texts/book.txt', 'texts/chapter.txt', '--modulus', '4');
  t.is(compared.code, 0, compared.stderr);
});
