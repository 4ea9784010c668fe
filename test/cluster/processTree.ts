/** Processes below another one, by the kernel's table of them: whose they are, and their end. */
import { readdirSync, readFileSync } from 'node:fs';

/** The parent of a process; null: it has ended. */
function parentOf(pid: number): number | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before it may have blanks and brackets.
    return Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

/** Whether a process was started by another one, or by one below it. */
export function isBelow(pid: number, above: number): boolean {
  for (let at = parentOf(pid); at !== null && at > 0; at = parentOf(at)) if (at === above) return true;
  return false;
}

/** A process and all below it are gone at once. */
export function killTree(pid: number): void {
  const all = readdirSync('/proc')
    .map(Number)
    .filter((one) => one > 0 && isBelow(one, pid));
  for (const one of [pid, ...all]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
