/**
 * A network and a table of processes for a test alone: servers that listen on every address are reached by nobody else, and all
 * that was started ends with the test.
 */
import { spawnSync } from 'node:child_process';

const INSIDE = 'MR_MINHASH_INSIDE';

/** Whether this process has a network of its own. */
export const isInside = (): boolean => process.env[INSIDE] === '1';

/** Whether such networks can be made here. */
export function canIsolate(): boolean {
  return (
    spawnSync('unshare', ['--net', '--pid', '--fork', '--mount-proc', 'ip', 'link', 'set', 'lo', 'up'])
      .status === 0
  );
}

/** Runs this program again, inside; returns its exit code. */
export function runInside(): number {
  const again = [process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync(
    'unshare',
    [
      '--net',
      '--pid',
      '--fork',
      '--mount-proc',
      '--kill-child',
      'sh',
      '-c',
      'ip link set lo up; "$@"; exit $?',
      'sh',
      ...again,
    ],
    { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } },
  );
  return status ?? 1;
}
