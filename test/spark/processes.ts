/** The processes below one of ours, so that tests kill those and no others. */
import { spawnSync } from 'node:child_process';

interface Descendant {
  readonly pid: number;
  readonly command: string;
}

/** All descendants of a process, with their command lines. */
function descendantsOf(root: number): Descendant[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  const rows = stdout.split('\n').flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
  const descendants: Descendant[] = [];
  const parents = [root];
  for (const parent of parents)
    for (const row of rows.filter((candidate) => candidate.parent === parent)) {
      parents.push(row.pid);
      descendants.push(row);
    }
  return descendants;
}

/** Kills a descendant whose command line matches, at once; false if there is none. */
export function killBelow(root: number, pattern: RegExp): boolean {
  const victim = descendantsOf(root).find(({ command }) => pattern.test(command));
  if (victim === undefined) return false;
  try {
    process.kill(victim.pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
