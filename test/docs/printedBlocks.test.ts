/** Pages whose blocks come in twos: what the commands of one print is what the next one says. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { pageOf } from './examples.js';
import { snippetsOf } from './snippets.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));

for (const [page, count] of [
  ['docs/survivors.md', 2],
  ['docs/text.md', 4],
] as const) {
  test(`each block of ${page} prints the block behind it`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-printed-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'mr-minhash'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
      mode: 0o755,
    });
    const blocks = snippetsOf(pageOf(page));
    t.is(blocks.length, count);
    for (let i = 0; i < blocks.length; i += 2) {
      const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
      const said = execFileSync('bash', ['-e', '-c', blocks[i]!.text], {
        cwd: folder,
        env,
        encoding: 'utf8',
      });
      t.is(said.trim(), blocks[i + 1]!.text.trim());
    }
  });
}
