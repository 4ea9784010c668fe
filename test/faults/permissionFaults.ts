/**
 * No permission, as a user who is bound by it: run by the superuser, who is not, the command becomes another user first.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FaultResult } from './main.js';

const MAIN = fileURLToPath(new URL('../../package/cli.js', import.meta.url));
const TEXT = 'one two three four five six seven eight nine ten\n';
/** The user `nobody`. */
const NOBODY = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--'];

interface PermissionCase {
  readonly name: string;
  /** Takes permissions away. `in` holds a.txt and b.txt, `out` is empty. */
  forbid(place: string): void;
  readonly options?: readonly string[];
  /** Words of the command, in place of a run. */
  readonly words?: (place: string) => readonly string[];
  readonly code: number;
  readonly says: RegExp;
  /** Whether a result is there afterwards. */
  readonly finishes: boolean;
  /** In a mount namespace, with this shell command before. */
  readonly before?: string;
}

const CASES: readonly PermissionCase[] = [
  {
    name: 'an output folder that may not be written',
    forbid: (place) => chmodSync(join(place, 'out'), 0o555),
    code: 2,
    says: /the output folder cannot be created or written to: .*out": no permission/,
    finishes: false,
  },
  {
    name: 'an output folder that may not be made',
    forbid: (place) => {
      rmSync(join(place, 'out'), { recursive: true });
      chmodSync(place, 0o555);
    },
    code: 2,
    says: /the output folder cannot be created or written to: .*: no permission/,
    finishes: false,
  },
  {
    name: 'an output folder on a read-only file system',
    forbid: () => {},
    before: 'mount -t tmpfs tmpfs "$PLACE/out" && mount -o remount,ro "$PLACE/out"',
    code: 2,
    says: /the output folder cannot be created or written to: .*: the file system is read-only/,
    finishes: false,
  },
  {
    name: 'an input file that may not be read',
    forbid: (place) => chmodSync(join(place, 'in', 'a.txt'), 0),
    code: 0,
    says: /a\.txt\tskipped\tUNREADABLE: the file or folder cannot be opened or read/,
    finishes: true,
  },
  {
    name: 'an input file that may not be read, with --on-error fail',
    forbid: (place) => chmodSync(join(place, 'in', 'a.txt'), 0),
    options: ['--on-error', 'fail'],
    code: 1,
    says: /a\.txt: the file or folder cannot be opened or read/,
    finishes: false,
  },
  {
    name: 'a folder of inputs that may not be read',
    forbid: (place) => {
      mkdirSync(join(place, 'in', 'secret'));
      writeFileSync(join(place, 'in', 'secret', 'c.txt'), TEXT);
      chmodSync(join(place, 'in', 'secret'), 0);
    },
    code: 0,
    says: /secret\tskipped\tUNREADABLE/,
    finishes: true,
  },
  {
    name: 'a PATH that may not be read',
    forbid: (place) => chmodSync(join(place, 'in'), 0),
    code: 2,
    says: /a PATH does not exist or may not be read/,
    finishes: false,
  },
  ...(
    [
      [
        'added to',
        ['add', '--portion', 'b', '--quiet'],
        /a file cannot be written: .*index\/segment-\d+: no permission/,
      ],
      [
        'removed from',
        ['remove', '--portion', 'a'],
        /a file cannot be written: .*index\/removed-\d+: no permission/,
      ],
    ] as const
  ).map(
    ([name, [subcommand, ...flags], says]): PermissionCase => ({
      ...{ name: `an index that may not be written is ${name}`, code: 1, says, finishes: false },
      forbid: (place) => {
        const index = join(place, 'index');
        spawnSync(process.execPath, [MAIN, 'index', 'create', index]);
        const add = ['index', 'add', index, join(place, 'in'), '--portion', 'a', '--quiet'];
        spawnSync(process.execPath, [MAIN, ...add]);
        chmodSync(index, 0o555);
      },
      words: (place) => {
        const paths = subcommand === 'add' ? [join(place, 'in')] : [];
        return ['index', subcommand, join(place, 'index'), ...paths, ...flags];
      },
    }),
  ),
  {
    name: 'an index whose manifest may not be read',
    forbid: (place) => {
      spawnSync(process.execPath, [MAIN, 'index', 'create', join(place, 'index')]);
      chmodSync(join(place, 'index', 'manifest.json'), 0);
    },
    words: (place) => ['query', join(place, 'in', 'a.txt'), join(place, 'index')],
    code: 2,
    says: /a file of the index is missing or differs .*: .*manifest\.json: no permission/,
    finishes: false,
  },
];

function commandOf({ before, options = [], words }: PermissionCase, place: string): string[] {
  const run = ['run', join(place, 'in'), '--out', join(place, 'out'), '--threads', '0', ...options];
  const plain = [process.execPath, MAIN, ...(words?.(place) ?? run)];
  if (before !== undefined)
    return ['unshare', '-m', 'sh', '-c', `${before} || exit 99; "$@"`, 'sh', ...plain];
  return process.getuid?.() === 0 ? ['setpriv', ...NOBODY, ...plain] : plain;
}

function runCase(one: PermissionCase, place: string): FaultResult {
  const start = performance.now();
  mkdirSync(join(place, 'in'), { recursive: true });
  mkdirSync(join(place, 'out'));
  try {
    for (const name of ['a.txt', 'b.txt']) writeFileSync(join(place, 'in', name), TEXT);
    for (const path of [place, join(place, 'out')]) chmodSync(path, 0o777);
    one.forbid(place);
    const [command, ...words] = commandOf(one, place);
    const env = { ...process.env, PLACE: place };
    const { status, stdout, stderr, error } = spawnSync(command!, words, { encoding: 'utf8', env });
    const skipped = join(place, 'out', 'skipped.tsv');
    const all = `${stdout}${stderr}${existsSync(skipped) ? readFileSync(skipped, 'latin1') : ''}`;
    const said = one.says.exec(all)?.[0] ?? '';
    const result = {
      name: one.name,
      bytesLost: 0,
      peakBytes: 0,
      seconds: (performance.now() - start) / 1000,
    };
    if (error !== undefined || status === 99) {
      return { ...result, injected: 0, said: 'not tried: may not change user or mount here', faults: [] };
    }
    const faults: string[] = [];
    if (status !== one.code) faults.push(`exit code ${status}: ${stderr}`);
    if (said === '') faults.push(`does not say ${one.says}: ${all}`);
    if (existsSync(join(place, 'out', '_SUCCESS')) !== one.finishes)
      faults.push(`finished: ${!one.finishes}`);
    if (one.code === 2 && existsSync(join(place, 'out')) && readdirSync(join(place, 'out')).length > 0)
      faults.push('something was written');
    return { ...result, said, faults };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** All cases whose names hold `only`. */
export async function* permissionFaults(place: string, only: string): AsyncGenerator<FaultResult> {
  for (const one of CASES) if (one.name.includes(only)) yield runCase(one, place);
}
