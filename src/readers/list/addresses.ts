/**
 * Addresses of inputs on other machines: `s3://bucket/key` and `https://host/file`, how they differ from paths, and how they are
 * shown. Addresses of other kinds are rejected.
 */
import { statSync } from 'node:fs';
import type { Problem } from '../../errors.js';
import type { ResultParams } from '../../sketch/params.js';

/** The schemes that are read here; a path of this machine is absolute. */
const READ_HERE = /^(?:(s3|s3a|s3n):\/\/|https?:\/\/)/i;

/**
 * The address to open for a PATH, with its scheme in lower case; s3a and s3n are names of s3. Null: it is not an address of a kind that
 * is read.
 */
export function addressOf(typed: string): string | null {
  const [scheme = '', isS3] = READ_HERE.exec(typed) ?? [];
  if (scheme === '') return null;
  return (isS3 === undefined ? scheme.toLowerCase() : 's3://') + typed.slice(scheme.length);
}

/** Whether a PATH is a pipe, such as `<(command)` of a shell, `/dev/stdin` behind a pipe, or a named one. */
export function isPipe(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  } catch {
    return false;
  }
}

/** The address or pipe that is copied before it is read. Null: the PATH is read in place. */
export const copiedSource = (typed: string): string | null =>
  addressOf(typed) ?? (isPipe(typed) ? typed : null);

/** Whether a PATH names a scheme other than file, such as `hdfs://host/folder`; a letter and a colon are a disk. */
export function hasScheme(path: string): boolean {
  return /^(?!file:)[A-Za-z][A-Za-z0-9+.-]+:\/\//i.test(path);
}

/** Parts of a query that may give access: signatures of links, tokens, keys. */
const SECRET =
  /(?:^|[&;])(?:x-(?:amz|goog|ms|oss)-|[^=&;]*(?:sig|signature|token|key|secret|passw|pwd|credential|auth|policy|session|jwt|hmac)[^=&;]*=)/i;

/** An address without its secrets: a user and password, and a query that may hold a signature. */
export function shownAddress(address: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?(.*)$/is.exec(address) ?? [];
  // A key of S3 may hold any character.
  if (scheme === 's3://') return scheme + rest;
  const [path = '', query] = rest.split('#')[0]!.split(/\?(.*)/s);
  const isShown = query !== undefined && query !== '' && !SECRET.test(query);
  return scheme + path + (isShown ? `?${query}` : '');
}

/** Any text with the secrets of its addresses removed. */
export function shownPath(path: string): string {
  return hasScheme(path) ? shownAddress(addressOf(path) ?? path) : path;
}

/** Parameters of a run with the secrets of their addresses removed, for files and messages. */
export function withoutSecrets(params: ResultParams): ResultParams {
  return params.ignore === undefined ? params : { ...params, ignore: params.ignore.map(shownPath) };
}

/**
 * The place of an address as if it were a path: no slash at its end, for https without user, query and fragment, the last
 * part decoded (`a%20b.txt` is `a b.txt`). Ids are made of it.
 */
export function locationOfAddress(address: string): string {
  if (address.startsWith('s3://')) return address.replace(/\/+$/, '');
  const bare = shownAddress(address).split('?')[0]!.replace(/\/+$/, '');
  const at = bare.lastIndexOf('/') + 1;
  return bare.slice(0, at) + decoded(bare.slice(at));
}

function decoded(part: string): string {
  try {
    const name = decodeURIComponent(part);
    // A slash would make a folder of it, and no name holds a NUL.
    return /[/\0]/.test(name) ? part : name;
  } catch {
    return part;
  }
}

/** The problem of a PATH that is another kind of address, or begins with `file://`; null: it is a path. */
export function unreadAddress(path: string): Problem | null {
  const isAddress = /^[a-z][a-z0-9+.-]+:\/\//i.test(path);
  return isAddress ? { code: 'PATH_REMOTE', detail: JSON.stringify(shownPath(path)) } : null;
}
