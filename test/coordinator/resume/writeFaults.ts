/**
 * Makes one call to the file system fail, of all through which a run writes: the first, the second, to the last. For
 * runs on this thread, where tasks write through the very same door.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../../../src/coordinator/run.js';
import { MinHashError } from '../../../src/errors.js';
import type { RunOptions } from '../../../src/options/check.js';
import { isFinished } from '../../../src/output/folder.js';
import { replacementIn } from '../../../src/output/replacement.js';
import { type FileDoor, NODE_FILES } from '../../../src/store/fileDoor.js';
import { edited, randomFrom, wordsFrom } from '../../data/seededTexts.js';
import { resultBytes } from '../runs/resultFiles.js';

const CALLS = ['open', 'write', 'writeAt', 'sync', 'syncLater', 'close', 'rename', 'syncFolder'] as const;
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

/** What is known of a run through a door that fails. */
interface Door {
  /** Calls so far. */
  calls(): number;
  /** The call that failed first, such as `sync .work/durable-000000.log`; empty: none did. */
  failed(): string;
}

/** Opens a door that fails at call number `failsAt` (from 1; 0: never), and from there on where it `stays` so. */
function openDoor(failsAt: number, system: WriteFault, stays: boolean): Door {
  let calls = 0;
  let failed = '';
  const paths = new Map<number, string>();
  const through = (call: Call): ((...words: unknown[]) => unknown) => {
    const real = TRUE_DOOR[call] as (...words: unknown[]) => unknown;
    return (...words) => {
      calls++;
      const subject = words[0];
      const path = typeof subject === 'number' ? paths.get(subject) : String(subject);
      if (failsAt > 0 && (stays ? calls >= failsAt : calls === failsAt)) {
        failed ||= `${call} ${path}`;
        const error = Object.assign(new Error('words of the platform'), { code: system });
        // Calls that go on beside the thread tell later.
        if (call === 'writeAt' || call === 'syncLater') return Promise.reject(error);
        throw error;
      }
      const result = real(...words);
      if (call === 'open') paths.set(result as number, String(subject));
      return result;
    };
  };
  for (const call of CALLS) Object.assign(NODE_FILES, { [call]: through(call) } as Partial<FileDoor>);
  return { calls: () => calls, failed: () => failed };
}

/** The true file system again. */
function closeDoor(): void {
  Object.assign(NODE_FILES, TRUE_DOOR);
}

/** What a run of these tests reads. */
export interface FaultedInput {
  readonly options: RunOptions;
  /** Standard input, anew at each call; absent: none. */
  stdin?(): Readable;
}

/** Near copies on standard input, so that the spool is written as well. */
export const RECORDS: FaultedInput = {
  options: { paths: ['-'], threads: 0, threshold: 0.5 },
  stdin: () => {
    const random = randomFrom(7);
    const page = wordsFrom(random, 60);
    const line = (i: number): string =>
      JSON.stringify({ id: `d${i}`, text: edited(random, page, 1).join(' ') });
    return Readable.from([Array.from({ length: 40 }, (_, i) => `${line(i)}\n`).join('')]);
  },
};

async function runInto(input: FaultedInput, out: string, more: RunOptions): Promise<void> {
  const options = { ...input.options, checkpointAfter: 0, out, ...more };
  await run(options, input.stdin === undefined ? {} : { stdin: input.stdin() });
}

/**
 * What is written to a log last, nobody may need any more: that it failed is no reason to give up a result that is whole.
 * Any earlier failure is met by the next block.
 */
const MAY_PASS = /^(close|writeAt|syncLater) .*\.log$/;

/** What is wrong with how a run ended whose writing failed; nothing when nothing is. */
async function faultsOf(
  input: FaultedInput,
  out: string,
  system: WriteFault,
  expected: string,
  door: Door,
): Promise<string[]> {
  const faults: string[] = [];
  const earlier = existsSync(join(out, '_SUCCESS'));
  try {
    await runInto(input, out, { force: existsSync(out) });
    // Logs are synced once a second, so a run that is quicker than the one that was counted makes fewer calls.
    if (door.failed() !== '' && !MAY_PASS.test(door.failed())) faults.push('the run did not fail');
    else if (JSON.stringify(resultBytes(out)) !== expected) faults.push('passed with other bytes');
    return faults;
  } catch (error) {
    const code = error instanceof MinHashError ? error.code : String(error);
    if (code !== WRITE_FAULTS[system]) faults.push(`ended with ${code}`);
    if (String(error).includes('words of the platform')) faults.push('tells words of the platform');
  }
  // Nothing is taken from an earlier result before the new one is whole, and that takes its place in the next run.
  const replacement = earlier ? replacementIn(out) : 'none';
  // The last call of all failed, and so did taking _SUCCESS back: the new one has its place, and its marker still.
  const hasMarker = earlier && isFinished(out) && existsSync(join(out, '.mr-minhash'));
  if (replacement === 'whole' || hasMarker) {
    closeDoor();
    return [...faults, ...(await faultsOfAgain(input, out, { resume: true }, expected))];
  }
  if (earlier) {
    const there = Object.entries(resultBytes(out)).filter(([name]) => !name.startsWith('.new/'));
    if (JSON.stringify(Object.fromEntries(there)) !== expected)
      faults.push('the earlier result is not whole');
    return faults;
  }
  const left = existsSync(out) ? readdirSync(out, { recursive: true, encoding: 'utf8' }) : [];
  const bad = left.filter((name) => /_SUCCESS|\.tmp$|\.lock|\.part$/.test(name));
  if (bad.length > 0) faults.push(`left ${bad.join(' ')}`);
  return faults;
}

/** What is wrong with the run when it is made again, taken up or started over. */
async function faultsOfAgain(
  input: FaultedInput,
  out: string,
  how: RunOptions,
  expected: string,
): Promise<string[]> {
  try {
    await runInto(input, out, how);
    const same = JSON.stringify(resultBytes(out)) === expected;
    return same ? [] : [`then other bytes with ${JSON.stringify(how)}`];
  } catch (error) {
    return [`then with ${JSON.stringify(how)}: ${error}`];
  }
}

export interface FaultedWrites {
  readonly injected: number;
  /** `EIO at call 7, sync out/pairs/part-00000.tsv: ...` for each that went wrong. */
  readonly wrong: readonly string[];
}

export interface FaultWish {
  readonly input: FaultedInput;
  readonly systems: readonly WriteFault[];
  /** One of the systems at each call, or all. */
  readonly one: boolean;
  /** Fails every so many-th call; 1: every one. */
  readonly step: number;
  /** After each so many faults the run is made again and its bytes are compared. */
  readonly againEvery: number;
  /** Again: by --resume; else by --force. */
  readonly resume: boolean;
}

/** Fails every call of a run with each of the given faults in turn. */
export async function failEveryWrite(place: string, wish: FaultWish): Promise<FaultedWrites> {
  const { input, systems, one, step, againEvery, resume } = wish;
  const wrong: string[] = [];
  let injected = 0;
  try {
    const whole = join(place, 'whole');
    await runInto(input, whole, {});
    // The calls with which a result takes the place of another one are the last.
    const counted = openDoor(0, 'EIO', false);
    await runInto(input, whole, { force: true });
    const calls = counted.calls();
    closeDoor();
    const expected = JSON.stringify(resultBytes(whole));
    const out = join(place, 'out');
    for (let call = 1; call <= calls; call += step) {
      for (const system of one ? [systems[injected % systems.length]!] : systems) {
        // A full disk stays full; other faults may pass.
        const door = openDoor(call, system, WRITE_FAULTS[system] === 'DISK_FULL');
        const faults = await faultsOf(input, out, system, expected, door);
        closeDoor();
        if (++injected % againEvery === 0) {
          const goesOn = resume && !isFinished(out);
          const how = goesOn ? { resume: true } : { force: existsSync(out) };
          faults.push(...(await faultsOfAgain(input, out, how, expected)));
        }
        wrong.push(...faults.map((fault) => `${system} at call ${call}, ${door.failed()}: ${fault}`));
      }
    }
  } finally {
    closeDoor();
  }
  return { injected, wrong };
}
