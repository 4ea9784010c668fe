import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { temporaryFolder } from '../../data/temporaryFolder.js';
import type { CaptureOptions } from '../capturedTerminal.js';
import { errorsOf, said } from '../programHere.js';

const tuneWith = (argv: readonly string[], capture: CaptureOptions = {}) => said(['tune', ...argv], capture);

test('tune alone shows the choice of a run, what it misses, the curve, a plot and the errors', async (t) => {
  const { code, stdout, stderr } = await tuneWith([]);
  t.is(code, 0);
  t.is(stderr, '');
  t.regex(stdout, /^18 bands of 7 rows \(126 of 128 slots\)/);
  t.regex(stdout, /missed: 1\.4 % of pairs at exactly 0\.80, 0\.095 % at 0\.85/);
  t.regex(stdout, /\n +16 x 8 .* recall too low\n/);
  t.regex(stdout, /\n +0\.80 +0\.985542 +1\.4 % {2}the threshold\n/);
  t.regex(stdout, /\n1\.0 \+/);
  t.regex(stdout, /with 128 slots an estimate at 0\.80 is within 0\.05 with probability 0\.85/);
  t.regex(stdout, /mr-minhash run PATH --threshold 0\.8 --hashes 128 --bands 18 --rows 7\n/);
});

test('tune --agree prints the m-of-n rule and nothing else', async (t) => {
  const { stdout } = await tuneWith(['--agree', '90', '--hashes', '100']);
  t.regex(stdout, /^two documents pass when at least 90 of 100 slots agree\n/);
  t.regex(stdout, /\n +0\.80 +0\.005696\n/);
  t.regex(stdout, /\n +0\.90 +0\.583156 {2}90 of 100\n/);
  t.regex(stdout, /\n +0\.95 +0\.988528\n/);
  t.notRegex(stdout, /bands/);
});

test('tune --compare puts settings side by side', async (t) => {
  const { stdout } = await tuneWith(['--compare', '20x5,16x8,14x8']);
  t.regex(stdout, /\n +0\.50 +0\.470051 +0\.060702 +0\.053320\n/);
  t.regex(stdout, /20x5 misses 0\.036 % of pairs at exactly 0\.80/);
  t.regex(stdout, /aaa/);
});

test('tune --error and --confidence print the least number of slots', async (t) => {
  const { stdout } = await tuneWith(['--error', '0.05', '--confidence', '0.95']);
  t.regex(stdout, /at most 0\.05 with probability 0\.95: 248 slots at 0\.80, 399 at 0\.50/);
  t.notRegex(stdout, /candidate/);
});

test('tune --json prints one object with the requested parts', async (t) => {
  const { stdout } = await tuneWith(['--json', '--agree', '3', '--compare', '20x5', '--error', '0.1']);
  const answer = JSON.parse(stdout) as Record<string, unknown>;
  t.deepEqual(Object.keys(answer), [
    'threshold',
    'choice',
    'lengths',
    'rule',
    'compared',
    'corpus',
    'pairs',
    'svg',
    'page',
  ]);
  t.is(answer.choice, null);
  t.is((answer.rule as { agree: number }).agree, 3);
  t.is((answer.compared as { bands: number }[])[0]!.bands, 20);
  t.is((answer.lengths as { error: number }).error, 0.1);
  const plain = JSON.parse((await tuneWith(['--json'])).stdout) as { choice: { setting: object } };
  t.like(plain.choice.setting, { bands: 18, rows: 7, slots: 126, keys: 18 });
});

test('tune --svg writes a picture once, and again only with --force', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'curve.svg');
  t.is((await tuneWith(['--svg', file])).code, 0);
  const picture = readFileSync(file, 'utf8');
  t.regex(picture, /18 bands of 7 rows/);
  writeFileSync(file, 'mine');
  const refused = await tuneWith(['--svg', file]);
  t.is(refused.code, 2);
  t.regex(refused.stderr, /the file exists; choose another name, or replace it with --force/);
  t.is(refused.stdout, '');
  t.is(readFileSync(file, 'utf8'), 'mine');
  t.is((await tuneWith(['--svg', file, '--force'])).code, 0);
  t.is(readFileSync(file, 'utf8'), picture);
  t.is((await tuneWith(['--svg', join(folder, 'no/such.svg')])).code, 2);
});

test('tune PATH estimates a corpus', async (t) => {
  const words = Array.from({ length: 60 }, (_, i) => `word${i}`).join(' ');
  const folder = temporaryFolder(t, { 'a.txt': `${words} here`, 'b.txt': `${words} there`, 'c.txt': 'else' });
  const { code, stdout, stderr } = await tuneWith([folder, '--threads', '2']);
  t.is(code, 0, stderr);
  t.regex(stdout, /\ncorpus: 3 files, documents: 3\n/);
  t.regex(stdout, /, the whole corpus\n/);
  t.regex(stdout, /\n18x7: candidates 1\n/);
  t.regex(stdout, /\nmemory: about /);
  t.regex(stdout, /\ntime: about .* on 2 threads/);
  const json = await tuneWith([folder, '--json', '--compare', '20x5,16x9']);
  const { corpus, choice } = JSON.parse(json.stdout) as {
    corpus: { settings: object[]; hashes: number };
    choice: unknown;
  };
  t.is(choice, null);
  t.is(corpus.settings.length, 2);
  t.is(corpus.hashes, 144, 'as long as the longest setting');
  t.regex((await tuneWith([temporaryFolder(t, { 'a.txt': '' })])).stdout, /too few documents for estimates/);
  const empty = await tuneWith([temporaryFolder(t)]);
  t.is(empty.code, 1, 'as run, which finds nothing to read');
  t.regex(empty.stderr, /^error: nothing was read, so there is no result: no document was found; /);
});

test('tune --save writes pairs with their texts to a page without a script, and replaces such pages only', async (t) => {
  const words = (last: string): string =>
    `${Array.from({ length: 60 }, (_, i) => `w${i}`).join(' ')} ${last}`;
  const folder = temporaryFolder(t, { 'a.txt': words('<b>here'), 'b.txt': words('there'), 'mine.html': 'x' });
  const page = join(folder, 'pairs.html');
  const texts = ['a.txt', 'b.txt'].map((name) => join(folder, name));
  for (let round = 0; round < 2; round++) {
    const { code, stdout } = await tuneWith([...texts, '--save', page]);
    t.is(code, 0);
    t.true(stdout.includes(`\n${page}: `));
    t.notRegex(stdout, /w0/, 'texts are on the page instead');
  }
  const html = readFileSync(page, 'utf8');
  t.deepEqual(html.match(/Near 0\.\d(?=<\/h2>)/g), [
    'Near 0.5',
    'Near 0.6',
    'Near 0.7',
    'Near 0.8',
    'Near 0.9',
  ]);
  t.is(html.split('class="pair"').length, 2);
  t.true(html.includes('<mark>there</mark>'));
  t.notRegex(html, /<script|<b>here/);
  t.is(JSON.parse((await tuneWith([...texts, '--save', page, '--json'])).stdout).page, page);
  const refused = await tuneWith([...texts, '--save', join(folder, 'mine.html')]);
  t.is(refused.code, 2);
  t.regex(refused.stderr, /the file exists and is not a saved page/);
});

test('tune reports all errors at once, with exit code 2 and its own help', async (t) => {
  const { code, stdout, stderr } = await tuneWith(
    ['nope', '-', '--treshold', '2', '--agree', '200', '--rows', '2', '--compare', '20x,64x64'].concat([
      '--sample',
      '1',
      '--error',
      '7',
      '--hashes',
      '100',
      '--stop-words',
      'x',
    ]),
  );
  t.is(code, 2);
  t.is(stdout, '');
  t.deepEqual(
    errorsOf(stderr).map((line) => line.replace(/: .*/, '')),
    [
      '--treshold',
      '--threshold 2',
      '--stop-words',
      '--error 7',
      '--sample 1',
      '--compare 20x',
      '--compare 64x64',
      '--agree 200',
      '--agree --threshold',
      'PATH -',
      'a PATH does not exist or may not be read',
    ].sort((a, b) => indexIn(stderr, a) - indexIn(stderr, b)),
  );
  t.regex(stderr, /\nhint: mr-minhash tune --help /);
  t.notRegex(stderr, /mr-minhash run --help/);
});

function indexIn(text: string, part: string): number {
  const at = text.indexOf(`error: ${part}`);
  if (at < 0) throw new Error(`missing: ${part}\n${text}`);
  return at;
}

test('tune rejects a recall that cannot be reached, and flags without effect', async (t) => {
  const unreachable = await tuneWith(['--threshold', '0.05', '--hashes', '16']);
  t.is(unreachable.code, 2);
  t.regex(unreachable.stderr, /^error: --threshold 0\.05: the default --recall 0\.95 is not reachable/);
  t.deepEqual(errorsOf((await tuneWith(['--sample', '5', '--force', '--open'])).stderr), [
    '--sample: expected together with a PATH only',
    '--open: expected together with a PATH only, whose pairs are shown',
    '--force: expected together with --svg only',
  ]);
  // Another part asks for no recall.
  t.is((await tuneWith(['--threshold', '0.05', '--hashes', '16', '--error', '0.3'])).code, 0);
  t.false(existsSync('mr-minhash-out'));
});

test('--open without a display prints which page to open', (t) => {
  const folder = temporaryFolder(t, { 'a.txt': 'one text', 'b.txt': 'another text' });
  const cli = fileURLToPath(new URL('../../../package/cli.js', import.meta.url));
  const argv = [cli, 'tune', folder, '--open'];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { env: {}, encoding: 'utf8' });
  t.is(status, 0);
  t.regex(stdout, /pairs\.html: .*, a page for any browser\n$/);
  const isHeadless = process.platform !== 'darwin' && process.platform !== 'win32';
  if (isHeadless) t.is(stderr, 'note: --open: there is no display; open the printed address in a browser\n');
});
