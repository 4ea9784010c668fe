/**
 * What commands print, as files: NAME/cmd is run by bash in a folder that holds test/cli/corpus, and prints `out` and `err`. Times
 * are replaced by `0.0 s`, rates are omitted, and `err` ends with the exit code if that is not 0. CASES=write rewrites the files.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { temporaryFolder } from '../data/temporaryFolder.js';

const SOURCES = fileURLToPath(new URL('../../../test/cli/', import.meta.url));
const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));

/** Declares a test for each case in a folder beside this file. */
export function testCases(folderName: string): void {
  const cases = join(SOURCES, folderName);
  for (const name of readdirSync(cases).sort())
    test(`${name.replaceAll('-', ' ')} prints what its case says`, (t) => {
      const folder = temporaryFolder(t);
      const bin = join(folder, 'bin');
      const work = join(folder, 'work');
      mkdirSync(bin);
      cpSync(join(SOURCES, 'corpus'), join(work, 'corpus'), { recursive: true });
      const shim = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
      writeFileSync(join(bin, 'mr-minhash'), shim, { mode: 0o755 });
      const command = readFileSync(join(cases, name, 'cmd'), 'utf8');
      const ended = spawnSync('bash', ['-e', '-c', command], {
        cwd: work,
        env: { PATH: `${bin}:${process.env.PATH}`, LC_ALL: 'C.UTF-8', HOME: folder, TMPDIR: folder },
        encoding: 'utf8',
      });
      const plain = (text: string): string =>
        text
          .replaceAll(work, 'WORK')
          .replace(/\b\d+(\.\d)? (s|min \d\d s)\b/g, '0.0 s')
          .replace(/, \d+(\.\d)? [KMG]?B\/s$/gm, '');
      const exit = ended.status === 0 ? '' : `exit ${ended.status}\n`;
      for (const [file, text] of [
        ['out', plain(ended.stdout)],
        ['err', plain(ended.stderr) + exit],
      ] as const) {
        const path = join(cases, name, file);
        if (process.env.CASES === 'write') {
          rmSync(path, { force: true });
          if (text !== '') writeFileSync(path, text);
        }
        t.is(text, existsSync(path) ? readFileSync(path, 'utf8') : '', `${name}/${file}`);
      }
    });
}
