/**
 * Makes one call to the file system fail, of all through which a run writes: the first, the second, to the last. For
 * runs on this thread, where tasks write through the very same door.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MinHashError } from '../../src/errors.js';
import { run } from '../../src/pipeline.js';
import { type FileDoor, NODE_FILES } from '../../src/storage/fileDoor.js';
import { resultBytes } from './resultFiles.js';
import { edited, randomFrom, wordsFrom } from './seededTexts.js';

const CALLS = ['open', 'write', 'sync', 'close', 'link', 'rename', 'syncFolder'] as const;
type Call = (typeof CALLS)[number];

/** What the system says, and the code the user is told. */
export const WRITE_FAULTS = {
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EIO: 'WRITE_FAILED',
  EROFS: 'WRITE_FAILED',
  EACCES: 'WRITE_FAILED',
} as const;
export type WriteFault = keyof typeof WRITE_FAULTS;

const TRUE_DOOR = { ...NODE_FILES };

/** Opens a door that fails at call number `failsAt` (from 1; 0: never), and from there on where it `stays` so. */
function openDoor(failsAt: number, system: WriteFault, stays: boolean): { calls(): number } {
  let calls = 0;
  const through = <Arguments extends unknown[], Result>(
    real: (...words: Arguments) => Result,
  ): ((...words: Arguments) => Result) => {
    return (...words) => {
      calls++;
      if (failsAt > 0 && (stays ? calls >= failsAt : calls === failsAt)) {
        throw Object.assign(new Error('words of the platform'), { code: system });
      }
      return real(...words);
    };
  };
  const door: Pick<FileDoor, Call> = {
    open: through(TRUE_DOOR.open),
    write: through(TRUE_DOOR.write),
    sync: through(TRUE_DOOR.sync),
    close: through(TRUE_DOOR.close),
    link: through(TRUE_DOOR.link),
    rename: through(TRUE_DOOR.rename),
    syncFolder: through(TRUE_DOOR.syncFolder),
  };
  Object.assign(NODE_FILES, door);
  return { calls: () => calls };
}

/** Near copies on standard input, so that the spool is written as well. */
function records(): Readable {
  const random = randomFrom(7);
  const page = wordsFrom(random, 60);
  const line = (i: number): string =>
    JSON.stringify({ id: `d${i}`, text: edited(random, page, 1).join(' ') });
  return Readable.from([Array.from({ length: 40 }, (_, i) => `${line(i)}\n`).join('')]);
}

async function runInto(out: string, force: boolean): Promise<void> {
  await run({ paths: ['-'], out, force, threads: 0, threshold: 0.5 }, { stdin: records() });
}

/** What is wrong with how a run ended whose writing failed; nothing when nothing is. */
async function faultsOf(out: string, system: WriteFault, expected: string): Promise<string[]> {
  const faults: string[] = [];
  const earlier = existsSync(join(out, '_SUCCESS'));
  try {
    await runInto(out, existsSync(out));
    faults.push('the run did not fail');
  } catch (error) {
    const code = error instanceof MinHashError ? error.code : String(error);
    if (code !== WRITE_FAULTS[system]) faults.push(`ended with ${code}`);
    if (String(error).includes('words of the platform')) faults.push('tells words of the platform');
  }
  // A run that fails before it removes anything leaves the earlier result as it was.
  if (earlier && existsSync(join(out, '_SUCCESS'))) {
    if (JSON.stringify(resultBytes(out)) !== expected) faults.push('the earlier result is not whole');
    return faults;
  }
  const left = existsSync(out) ? readdirSync(out, { recursive: true, encoding: 'utf8' }) : [];
  const bad = left.filter((name) => /_SUCCESS|\.tmp$|\.lock|\.part$/.test(name));
  if (bad.length > 0) faults.push(`left ${bad.join(' ')}`);
  return faults;
}

export interface FaultedWrites {
  readonly injected: number;
  /** `EIO at call 7: ...` for each that went wrong. */
  readonly wrong: readonly string[];
}

/**
 * Fails every call of a run with each of the given faults in turn, `one` of them at each call, or all.
 *
 * @param againEvery after each so many faults the run is made again with --force, and its bytes are compared
 */
export async function failEveryWrite(
  place: string,
  options: { readonly systems: readonly WriteFault[]; readonly one: boolean; readonly againEvery: number },
): Promise<FaultedWrites> {
  const wrong: string[] = [];
  let injected = 0;
  try {
    const whole = join(place, 'whole');
    const counted = openDoor(0, 'EIO', false);
    await runInto(whole, false);
    const calls = counted.calls();
    const expected = JSON.stringify(resultBytes(whole));
    const out = join(place, 'out');
    for (let call = 1; call <= calls; call++) {
      const { systems, one } = options;
      for (const system of one ? [systems[call % systems.length]!] : systems) {
        // A full disk stays full; other faults may pass.
        openDoor(call, system, WRITE_FAULTS[system] === 'DISK_FULL');
        const faults = await faultsOf(out, system, expected);
        openDoor(0, 'EIO', false);
        if (++injected % options.againEvery === 0) {
          await runInto(out, existsSync(out));
          if (JSON.stringify(resultBytes(out)) !== expected) faults.push('then other bytes with --force');
        }
        wrong.push(...faults.map((fault) => `${system} at call ${call} of ${calls}: ${fault}`));
      }
    }
  } finally {
    Object.assign(NODE_FILES, TRUE_DOOR);
  }
  return { injected, wrong };
}
