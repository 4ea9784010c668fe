/** A run whose tables are too large for `--memory`: what the user is told. That the named size is enough: test/coordinator/memory/namedSize.test.ts. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { temporaryFolder } from '../data/temporaryFolder.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));

test('a run whose tables are beyond --memory is sorted on the disk, and says so; one that the disk does not take ends with 1', (t) => {
  const folder = temporaryFolder(t);
  const corpus = join(folder, 'ids.jsonl');
  // Ids of 10 KB: their table takes 22 MB; tables may have 18 MB of 84 MB.
  const lines = Array.from({ length: 2_200 }, (_, i) => {
    return `${JSON.stringify({ id: `${i}-`.padEnd(10_000, 'x'), text: `copy ${i >> 1} of a text ${i >> 1}` })}\n`;
  });
  writeFileSync(corpus, lines.join(''));
  const out = join(folder, 'out');
  const options = ['--id-field', 'id', '--threads', '1'];
  const run = (...more: readonly string[]) => {
    return spawnSync(process.execPath, [MAIN, 'run', corpus, ...options, ...more], { encoding: 'utf8' });
  };
  const refused = run('--out', out, '--memory', '84MB', '--cluster', 'greedy');
  t.is(refused.status, 1);
  t.regex(
    refused.stderr,
    /^error: a table of the run does not fit into --memory: 1 input file and about \d+ documents take /m,
  );
  t.regex(
    refused.stderr,
    /does not take the run \(--cluster greedy --engine disk: expected with --engine threads/m,
  );
  t.regex(refused.stderr, /^hint: give the --memory that the message names; where it speaks of pairs/m);
  t.false(existsSync(join(out, '_SUCCESS')));
  const sorted = run('--out', out, '--force', '--memory', '84MB');
  t.is(sorted.status, 0, sorted.stderr);
  t.regex(sorted.stderr, /^memory: the run sorts on the disk instead, in .*out \(--engine disk\)/m);
  t.regex(sorted.stderr, /^memory: .*; --memory \d+MB has room for them$/m);
});
