/** The picture of the terminal shows what the commands print. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';

test('docs/images/terminal.svg is what run, inspect and apply print', (t) => {
  const script = fileURLToPath(new URL('../../../scripts/terminal.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  t.is(status, 0, stderr);
});
