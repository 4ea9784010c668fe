/** A run whose tables are too large for `--memory`: what the user is told. */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { temporaryFolder } from '../data/temporaryFolder.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));

test('a run whose tables do not fit into --memory ends with MEMORY_BUDGET, and names what takes the memory', (t) => {
  const folder = temporaryFolder(t);
  const corpus = join(folder, 'ids.jsonl');
  // Some 20 bytes per document; tables may have 27 MB.
  const lines = Array.from({ length: 1_600_000 }, (_, i) => `{"text":"${i}"}\n`);
  writeFileSync(corpus, lines.join(''));
  const out = join(folder, 'out');
  const words = ['run', corpus, '--threads', '1', '--out', out, '--memory', '84MB'];
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' });
  t.is(status, 1);
  t.regex(stderr, /^error: a table of the run does not fit into --memory: \d+ documents so far: /m);
  t.regex(stderr, /^hint: raise --memory/m);
  t.false(existsSync(join(out, '_SUCCESS')));
});
