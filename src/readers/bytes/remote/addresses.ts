/**
 * Addresses of inputs on other machines: `s3://bucket/key` and `https://host/file`; how they differ from paths, and
 * how they are shown.
 */

/** The schemes that are read here; a path of this machine is absolute. */
const READ_HERE = /^(?:(s3|s3a|s3n):\/\/|https?:\/\/)/i;

const S = 0x73;
const H = 0x68;
const SLASH = 0x2f;
const LONGEST_SCHEME = 8;

/**
 * Whether a path is an address that is read here; the first byte of a path of this machine shows that it is none. A string
 * is a binary string, and an address as addressOf gives it.
 */
export function isRemote(path: string | Uint8Array): boolean {
  const first = typeof path === 'string' ? path.charCodeAt(0) : path[0];
  if (first === SLASH || (first !== S && first !== H)) return false;
  const start = typeof path === 'string' ? path : String.fromCharCode(...path.subarray(0, LONGEST_SCHEME));
  return READ_HERE.test(start);
}

/**
 * The address to open for a PATH, with its scheme in lower case; s3a and s3n are names of s3. Null where it is no
 * address that is read here.
 */
export function addressOf(typed: string): string | null {
  const [scheme = '', isS3] = READ_HERE.exec(typed) ?? [];
  if (scheme === '') return null;
  return (isS3 === undefined ? scheme.toLowerCase() : 's3://') + typed.slice(scheme.length);
}

/** Whether a PATH names a scheme other than file, such as `hdfs://host/folder`; a letter and a colon are a disk. */
export function hasScheme(path: string): boolean {
  return /^(?!file:)[A-Za-z][A-Za-z0-9+.-]+:\/\//i.test(path);
}

/** Bucket and key of an address of S3; the key may be empty. */
export function s3Place(address: string): { readonly bucket: string; readonly key: string } {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/s.exec(address) ?? [];
  return { bucket, key };
}

/** Parts of a query that may give access: signatures of links, tokens, keys. */
const SECRET =
  /(?:^|[&;])(?:x-(?:amz|goog|ms|oss)-|[^=&;]*(?:sig|signature|token|key|secret|passw|credential|auth|policy)[^=&;]*=)/i;

/** An address without its secrets: a user and password, and a query that may hold a signature. */
export function shownAddress(address: string): string {
  if (address.startsWith('s3://')) return address;
  const [, scheme = '', rest = ''] = /^(https?:\/\/)(?:[^/?#]*@)?(.*)$/is.exec(address) ?? [];
  const [place = '', query] = rest.split('#')[0]!.split(/\?(.*)/s);
  const isShown = query !== undefined && query !== '' && !SECRET.test(query);
  return scheme + place + (isShown ? `?${query}` : '');
}

/** Any text with the secrets of its addresses removed. */
export function shownPath(path: string): string {
  const address = addressOf(path);
  return address === null ? path : shownAddress(address);
}

/**
 * The place of an address as if it were a path: no slash at its end, for https without user, query and fragment, the last
 * part decoded (`a%20b.txt` is `a b.txt`). Ids are made of it.
 */
export function placeOfAddress(address: string): string {
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
