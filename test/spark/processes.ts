/** The processes below one of ours, so that tests kill those and no others. */
import { spawnSync } from 'node:child_process';

interface Found {
  readonly pid: number;
  readonly words: string;
}

/** All descendants of a process, with their command lines. */
function descendantsOf(root: number): Found[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const rows = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, words] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return words === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), words }];
  });
  const found: Found[] = [];
  const parents = [root];
  for (const parent of parents)
    for (const row of rows.filter((one) => one.parent === parent)) {
      parents.push(row.pid);
      found.push(row);
    }
  return found;
}

/** Kills a descendant whose command line matches, at once; false: there is none now. */
export function killBelow(root: number, pattern: RegExp): boolean {
  const victim = descendantsOf(root).find(({ words }) => pattern.test(words));
  if (victim === undefined) return false;
  try {
    process.kill(victim.pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
