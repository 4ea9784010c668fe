/**
 * Who a run is, so that another process can tell whether it still lives.
 *
 * Floor 2. Knows processes, not locks. On Linux a process is known by its number and the moment of its start, so a
 * number that was given again is not mistaken for it; elsewhere, and from another host, by how long it has been silent.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** JSON: what a lock holds. Empty where the system does not tell. */
export interface RunOwner {
  readonly host: string;
  /** Tells hosts of one name apart. */
  readonly machine: string;
  /** Changes with every start of the machine. */
  readonly boot: string;
  /** In which process numbers count: those of containers are their own. */
  readonly space: string;
  readonly pid: number;
  /** When the process began, in ticks since the start of the machine. */
  readonly started: string;
  /** When the run began: ISO, seconds. */
  readonly since: string;
  /** No two runs have the same. */
  readonly key: string;
}

/** How often a run shows that it lives, and after which silence it is taken for dead where nothing else tells. */
export const BEAT_MILLISECONDS = 60_000;
export const SILENCE_MILLISECONDS = 15 * BEAT_MILLISECONDS;

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}

function spaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** The machine's own id is not to be shown around. */
function machineOf(): string {
  const id = textOf('/etc/machine-id');
  return id === '' ? '' : createHash('sha256').update(`mr-minhash ${id}`).digest('hex').slice(0, 16);
}

/** State and start of a process of this machine; null where the system does not tell. proc(5), fields 3 and 22. */
function processStat(pid: number): { readonly state: string; readonly started: string } | null {
  const stat = textOf(`/proc/${pid}/stat`);
  // The name in the middle may hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || fields.length < 20 ? null : { state: fields[0]!, started: fields[19]! };
}

/** This process, in a run that begins now. */
export function thisOwner(): RunOwner {
  return {
    host: hostname(),
    machine: machineOf(),
    boot: textOf('/proc/sys/kernel/random/boot_id'),
    space: spaceOf(),
    pid: process.pid,
    started: processStat(process.pid)?.started ?? '',
    since: `${new Date().toISOString().slice(0, 19)}Z`,
    key: randomBytes(8).toString('hex'),
  };
}

/** An owner as it was written, or null where the text is none. */
export function ownerFrom(text: string): RunOwner | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const found = value as Record<string, unknown>;
  const words = ['host', 'machine', 'boot', 'space', 'started', 'since', 'key'];
  if (!words.every((word) => typeof found[word] === 'string')) return null;
  if (!/^[0-9a-f]{16}$/.test(found.key as string) || !Number.isSafeInteger(found.pid)) return null;
  return value as RunOwner;
}

/** Whether a number is a process of this machine; one we may not signal is there as well. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Whether the owner still runs, as far as can be told from here.
 *
 * @param silentMilliseconds since it last showed that it lives; also negative, where clocks differ
 */
export function isAlive(owner: RunOwner, silentMilliseconds: number, self: RunOwner = thisOwner()): boolean {
  const heard = Math.abs(silentMilliseconds) <= SILENCE_MILLISECONDS;
  const sameMachine = owner.host === self.host && owner.machine === self.machine;
  // The machine was started again since: nothing of then runs.
  if (sameMachine && self.machine !== '' && owner.boot !== self.boot) return false;
  if (!sameMachine || owner.boot !== self.boot || owner.space !== self.space) return heard;
  // Read before it is asked for: a process that ends in between is not there, and not one that hides.
  const stat = processStat(owner.pid);
  if (owner.pid <= 0 || !isThere(owner.pid)) return false;
  if (stat === null || owner.started === '') return heard;
  // A zombie has ended, only nobody has asked how.
  return stat.started === owner.started && stat.state !== 'Z' && stat.state !== 'X';
}

/** `process 4711 on host, since 2026-11-21T17:00:00Z`. */
export function ownerText(owner: RunOwner | null): string {
  if (owner === null) return 'a process that is not known';
  return `process ${owner.pid} on ${owner.host}, since ${owner.since}`;
}
