/** The built program within a time that is far more than it needs, and a folder for what it reads and writes. */
import { spawnSync } from 'node:child_process';
import { sharedFolder } from '../data/temporaryFolder.js';

export const CLI = new URL('../../package/cli.js', import.meta.url).pathname;
export const folder = sharedFolder({});
/** Far more than any of these takes, and far less than they took. */
const LONGEST = 60_000;

export const said = (...words: string[]) =>
  spawnSync(process.execPath, [CLI, ...words], {
    encoding: 'utf8',
    timeout: LONGEST,
    killSignal: 'SIGKILL',
  });
