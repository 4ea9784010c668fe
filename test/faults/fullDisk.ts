/** File systems of a few kilobytes or megabytes that get really full, inside a mount namespace of their own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Inside the namespace: a command on a file system of $SIZE bytes, what it left, then more room and another command; its result
 * is taken out of the namespace.
 */
const SCRIPT = `
  mount -t tmpfs -o size="$SIZE" tmpfs "$DISK" || exit 99
  eval "$FIRST" >/dev/null
  echo "code $?" >&2
  echo "free $(df --output=avail -B1 "$DISK" | tail -1)" >&2
  find "$DISK" -name '*.tmp' -o -name _SUCCESS -not -path '*/.work/*' | sed 's/^/left /' >&2
  rm -f "$DISK/filler"
  mount -o remount,size=200m "$DISK" || exit 99
  eval "$THEN" >/dev/null || echo "again $?" >&2
  cp -r "$DISK/out" "$COPY"`;

let found: boolean | null = null;

/** Whether this user may mount. */
export function mayMount(): boolean {
  found ??= spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0;
  return found;
}

/** The folder that a file system is mounted at, the output in it, the file that may fill it, and the result that is taken out. */
export function placesOf(place: string) {
  const disk = join(place, 'disk');
  return { disk, out: join(disk, 'out'), filler: join(disk, 'filler'), copy: join(place, 'copy') } as const;
}

export interface FullDisk {
  /** Of the first command. */
  readonly code: string;
  /** Of both. */
  readonly stderr: string;
}

/** Runs two commands of the shell, which see the variables, one after the other; between them there is room again. */
export function onFullDisk(
  place: string,
  size: number,
  [first, then]: readonly [first: string, then: string],
  variables: Readonly<Record<string, string>>,
): FullDisk {
  const { disk, copy } = placesOf(place);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(disk, { recursive: true });
  const own = {
    SIZE: String(size),
    DISK: disk,
    COPY: copy,
    NODE: process.execPath,
    FIRST: first,
    THEN: then,
  };
  const env = { ...process.env, ...own, ...variables };
  const { stderr } = spawnSync('unshare', ['-m', 'sh', '-c', SCRIPT], { encoding: 'utf8', env });
  return { code: /^code (\d+)$/m.exec(stderr)?.[1] ?? '?', stderr };
}
