/** A run whose pairs are too many for `--memory`: what the user is told, and that it is enough. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { nearCopies } from '../data/nearCopies.js';
import { temporaryFolder } from '../data/temporaryFolder.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));

test('a table of pairs beyond --memory ends with 1 and the --memory that is enough', (t) => {
  const folder = temporaryFolder(t);
  const corpus = join(folder, 'copies.jsonl');
  // All with all: half a million pairs, which take 5.5 MB, and 14 MB of evidence; tables may have 13.5 MB of 84 MB.
  writeFileSync(
    corpus,
    nearCopies(1000)
      .map((copy) => `${JSON.stringify(copy)}\n`)
      .join(''),
  );
  const out = join(folder, 'out');
  const options = [
    '--threshold',
    '0.75',
    '--bands',
    '4',
    '--rows',
    '1',
    '--hot-bucket',
    '1000',
    '--threads',
    '1',
  ];
  const run = (...more: readonly string[]) => {
    return spawnSync(process.execPath, [MAIN, 'run', corpus, ...options, ...more], { encoding: 'utf8' });
  };
  const refused = run('--out', out, '--memory', '84MB');
  t.is(refused.status, 1);
  t.regex(refused.stderr, /^error: a table of the run does not fit into --memory: \d+ \D+ take /m);
  t.regex(refused.stderr, /^hint: give the --memory that the message names; or make fewer pairs/m);
  t.false(existsSync(join(out, '_SUCCESS')));
  const [, enough] = /; --memory (\d+MB) has room for them/.exec(refused.stderr)!;
  const held = run('--out', out, '--force', '--memory', enough!);
  t.is(held.status, 0, held.stderr);
  t.true(existsSync(join(out, '_SUCCESS')));
});
