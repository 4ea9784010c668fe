/**
 * PATHs that are addresses: what they name, and the objects below them.
 *
 * Servers are asked once for the check of options and for the listing of inputs, which follow one
 * another.
 */
import { type ErrorCode, type Fault, MinHashError } from '../../errors.js';
import { shellQuoted } from '../../options/shellWord.js';
import { addressOf, placeOfAddress, shownAddress } from '../bytes/remote/addresses.js';
import type { Found } from '../bytes/remote/replies.js';
import type { Root, UnnumberedRoot } from './pathIds.js';
import { binaryOf } from './pathIds.js';

/** Milliseconds between the check of a command line and the start of its run, at most. */
const NEW = 2000;
/** PATHs that are looked up at the same time. */
const AT_ONCE = 16;
const known = new Map<string, { readonly answer: Found | Fault; readonly since: number }>();

/** Looks up PATHs on servers, for later calls that resolve them. PATHs of this machine are skipped. */
export async function findRemote(paths: readonly string[]): Promise<void> {
  const waiting = new Set(paths.map(addressOf).filter((address) => address !== null));
  // The lookups share an iterator: each takes the next address.
  const addresses = waiting.values();
  const findNext = async (): Promise<void> => {
    for (const address of addresses) {
      const kept = known.get(address);
      if (kept !== undefined && performance.now() - kept.since < NEW) continue;
      const answer = await answerOf(address);
      known.set(address, { answer, since: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, waiting.size) }, findNext));
}

/** Codes for a PATH in place of those for one object. */
const OF_PATHS: Partial<Readonly<Record<ErrorCode, ErrorCode>>> = {
  VANISHED: 'PATH_MISSING',
  DENIED: 'REMOTE_DENIED',
};

async function answerOf(address: string): Promise<Found | Fault> {
  try {
    if (address.startsWith('s3://'))
      return await (await import('../bytes/remote/s3Objects.js')).findS3(address);
    return await (await import('../bytes/remote/webObjects.js')).findWeb(address);
  } catch (error) {
    if (error instanceof MinHashError)
      return { code: OF_PATHS[error.code] ?? error.code, detail: error.faults[0]!.detail };
    return { code: 'REMOTE_FAILED', detail: error instanceof Error ? error.message : String(error) };
  }
}

function answerFor(address: string): Found | Fault {
  const kept = known.get(address);
  if (kept === undefined) throw new Error(`${shownAddress(address)}: nobody asked for it`);
  return kept.answer;
}

/**
 * The place of an address, or why there is none: PATH_MISSING, REMOTE_DENIED, REMOTE_FAILED, REMOTE_CLIENT_MISSING,
 * REMOTE_CREDENTIALS. Null: the PATH is no address that is read.
 */
export function remoteRoot(typed: string): UnnumberedRoot | Fault | null {
  const address = addressOf(typed);
  if (address === null) return null;
  const answer = answerFor(address);
  if ('code' in answer) return answer;
  const absolute = binaryOf(placeOfAddress(address));
  const isFile = answer.kind === 'file';
  return {
    typed: shownAddress(address),
    absolute,
    real: isFile ? binaryOf(address) : absolute,
    linked: false,
    ...(isFile ? { kind: 'file', bytes: answer.size, time: answer.time } : { kind: 'directory', bytes: 0 }),
  };
}

export function objectsBelow({ typed }: Root): Found & { readonly kind: 'folder' } {
  const answer = answerFor(addressOf(typed)!);
  if ('code' in answer || answer.kind !== 'folder') throw new Error(`${typed} is no folder any more`);
  return answer;
}

/*
 * Addresses that are not read: the commands that fetch their files.
 */

/** `scheme://`; a folder with such a name would have to end in a colon. */
const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is;

/** The last part of the address of a file. */
const FILE_NAME = /\/[^/]+\.[^/]+$/;

/** The command that fetches an address, ready to be typed; null where none is known for its scheme. */
function commandFor(scheme: string, rest: string, address: string): string | null {
  const url = shellQuoted(address);
  const isFile = FILE_NAME.test(rest.replace(/[?#].*$/s, ''));
  switch (scheme) {
    case 'gs': {
      const command = isFile ? `gcloud storage cp ${url} .` : `gcloud storage cp -r ${url} .`;
      return `${command}, or read ${shellQuoted(`s3://${rest}`)} with --s3-endpoint https://storage.googleapis.com`;
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
