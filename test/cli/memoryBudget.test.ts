/** A run whose tables are too large for `--memory`: what the user is told. That the named size is enough: test/coordinator/memory/namedSize.test.ts. */
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
  // Ids of 10 KB: their table takes 22 MB; tables may have 18 MB of 84 MB.
  const lines = Array.from({ length: 2_200 }, (_, i) => {
    return `${JSON.stringify({ id: `${i}-`.padEnd(10_000, 'x'), text: `copy ${i >> 1} of a text ${i >> 1}` })}\n`;
  });
  writeFileSync(corpus, lines.join(''));
  const out = join(folder, 'out');
  const words = ['run', corpus, '--id-field', 'id', '--threads', '1', '--out', out, '--memory', '84MB'];
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' });
  t.is(status, 1);
  t.regex(
    stderr,
    /^error: a table of the run does not fit into --memory: 1 input file and about \d+ documents take /m,
  );
  t.regex(stderr, /^hint: give more --memory/m);
  t.false(existsSync(join(out, '_SUCCESS')));
});
