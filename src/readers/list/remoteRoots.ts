/**
 * PATHs that are addresses: what they lead to, and what lies below them.
 *
 * A server is asked once for all who look at the same PATHs, one after the other: options are checked and inputs listed by
 * different hands. What is remembered is forgotten after a minute, and sooner where a run begins.
 */
import type { Fault } from '../../errors.js';
import { addressOf, placeOfAddress, shownAddress } from '../bytes/remote/addresses.js';
import { ask, askLater } from '../bytes/remote/fetchThread.js';
import type { ErrandAnswer, Found } from '../bytes/remote/messages.js';
import type { Root, UnnumberedRoot } from './pathIds.js';
import { binaryOf } from './pathIds.js';

const KEPT = 60_000;
/** Milliseconds between the check of a command line and the start of its run, at most. */
const NEW = 2000;
/** Servers are asked for so many PATHs at the same time. */
const AT_ONCE = 16;
const known = new Map<string, { readonly answer: ErrandAnswer<'find'>; readonly since: number }>();

/**
 * Asks servers what PATHs lead to, without holding up this thread: resolveRoots finds the answers. PATHs of this machine are
 * passed over.
 */
export async function findRemote(paths: readonly string[]): Promise<void> {
  const waiting = new Set(paths.map(addressOf).filter((address) => address !== null));
  // All of them go through one iterator, each address to who is free.
  const addresses = waiting.values();
  const findNext = async (): Promise<void> => {
    for (const address of addresses) {
      if (keptFor(address, NEW) === null) keep(address, await askLater({ kind: 'find', address }));
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.size) }, findNext));
}

function keep(address: string, answer: ErrandAnswer<'find'>): ErrandAnswer<'find'> {
  known.set(address, { answer, since: performance.now() });
  return answer;
}

function keptFor(address: string, milliseconds: number): ErrandAnswer<'find'> | null {
  const kept = known.get(address);
  return kept !== undefined && performance.now() - kept.since < milliseconds ? kept.answer : null;
}

function answerFor(address: string): ErrandAnswer<'find'> {
  return keptFor(address, KEPT) ?? keep(address, ask({ kind: 'find', address }));
}

/**
 * The place that an address names, or why there is none: PATH_MISSING, REMOTE_DENIED, REMOTE_FAILED, REMOTE_CLIENT_MISSING,
 * REMOTE_CREDENTIALS. Null: the PATH is no address that is read.
 */
export function remoteRoot(typed: string): UnnumberedRoot | Fault | null {
  const address = addressOf(typed);
  if (address === null) return null;
  const answer = answerFor(address);
  if ('refusal' in answer) {
    const { code, detail } = answer.refusal;
    return { code: code === 'DENIED' ? 'REMOTE_DENIED' : code, detail };
  }
  const { value } = answer;
  const absolute = binaryOf(placeOfAddress(address));
  const isFile = value.kind === 'file';
  return {
    typed: shownAddress(address),
    absolute,
    real: isFile ? binaryOf(address) : absolute,
    linked: false,
    ...(isFile ? { kind: 'file', bytes: value.size, time: value.time } : { kind: 'directory', bytes: 0 }),
  };
}

/** What lies below an address that is a folder. */
export function objectsBelow({ typed }: Root): Found & { readonly kind: 'folder' } {
  const answer = answerFor(addressOf(typed)!);
  if ('refusal' in answer || answer.value.kind !== 'folder')
    throw new Error(`${typed} is no folder any more`);
  return answer.value;
}

/*
 * Addresses that are not read: which command fetches what they name.
 */

/** `scheme://`; a folder with such a name would have to end in a colon. */
const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is;

/** What the last part of an address looks like where it is a file. */
const FILE_NAME = /\/[^/]+\.[^/]+$/;

/** The command that fetches an address, ready to be typed; null where none is known for its scheme. */
function commandFor(scheme: string, rest: string, address: string): string | null {
  const url = quoted(address);
  const isFile = FILE_NAME.test(rest.replace(/[?#].*$/s, ''));
  switch (scheme) {
    case 'gs': {
      const command = isFile ? `gcloud storage cp ${url} .` : `gcloud storage cp -r ${url} .`;
      return `${command}, or read ${quoted(`s3://${rest}`)} with --s3-endpoint https://storage.googleapis.com`;
    }
    case 'hdfs':
    case 'viewfs':
    case 'webhdfs':
      return `hdfs dfs -get ${url} .`;
    case 'ftp':
    case 'ftps':
      return isFile ? `curl -fLO ${url}` : `curl -fL -o corpus.html ${url}`;
    case 'git':
      return `git clone ${url}`;
    default:
      return null;
  }
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The fault of a PATH that is an address of a kind that is not read; null where it is no address. */
export function unreadAddress(path: string): Fault | null {
  const [, given = '', rest = ''] = ADDRESS.exec(path) ?? [];
  if (given === '') return null;
  const scheme = given.toLowerCase();
  const shown = JSON.stringify(path);
  if (scheme === 'file') {
    const detail = `${shown}; the PATH is what follows file:// (or localhost), with %20 and the like as they are meant`;
    return { code: 'PATH_REMOTE', detail };
  }
  const command = commandFor(scheme, rest, path);
  return { code: 'PATH_REMOTE', detail: command === null ? shown : `${shown}; fetch it by ${command}` };
}
