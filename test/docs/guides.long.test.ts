/** The guides, run from their first block to their last in a folder that has what a clone has: each prints the lines that are shown below it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { pageOf, ROOT, SUBJECTS } from './examples.js';
import { snippetsOf } from './snippets.js';

const GUIDES = SUBJECTS.filter((name) => pageOf(name).startsWith('# Guide: '));
const MAIN = join(ROOT, 'dist/package/cli.js');

test('there are five guides', (t) => {
  t.is(GUIDES.length, 5);
});

for (const name of GUIDES) {
  test.serial(`${name} is a story that runs, and prints what it shows`, (t) => {
    t.timeout(600_000);
    const folder = mkdtempSync(join(tmpdir(), 'mr-minhash-guide-'));
    t.teardown(() => rmSync(folder, { recursive: true }));
    for (const entry of ['node_modules', 'package-lock.json'])
      symlinkSync(join(ROOT, entry), join(folder, entry));
    mkdirSync(join(folder, 'bin'));
    const script = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
    writeFileSync(join(folder, 'bin/mr-minhash'), script, { mode: 0o755 });
    const env = { ...process.env, LC_ALL: 'C', PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    let output: string | null = null;
    let shown = 0;
    for (const { language, text, line } of snippetsOf(pageOf(name))) {
      if (language === 'bash') {
        output = null;
        const ran = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', text], {
          cwd: folder,
          env,
          encoding: 'utf8',
        });
        output = ran.stdout + ran.stderr;
        t.is(ran.status, 0, `line ${line}: ${text}\n${output}`);
      } else if (language === '' && output !== null) {
        for (const expected of text.split('\n'))
          t.true(output.includes(expected), `line ${line}: ${expected}\n${output}`);
        shown += text.split('\n').length;
        output = null;
      }
    }
    t.true(shown >= 4, `${shown} lines are shown`);
  });
}
