/**
 * Names of documents: from a place in the file system to the id that stands in the results, and back to
 * bytes.
 *
 * Floor 2. Names of files are bytes and need not be UTF-8, so paths and ids are binary strings here: every
 * char code is one byte. Their order by char code is the order by bytes. This file must never know a file's
 * content.
 */

const utf8 = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The UTF-8 bytes of a text as a binary string. */
export function binaryOf(text: string): string {
  return binaryOfBytes(utf8.encode(text));
}

/** Bytes as a binary string. */
export function binaryOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** The bytes of a binary string. */
export function bytesOf(binary: string): Buffer {
  return Buffer.from(binary, 'latin1');
}

/**
 * A binary string decoded as UTF-8, with U+FFFD where it is not UTF-8: for globs and messages, never for
 * opening.
 */
export function textOf(binary: string): string {
  return decoder.decode(bytesOf(binary));
}

/** Last component of a path; of `/` it is the empty string. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `folder/relative`, where either may be empty and the folder may be the file system's root. */
export function joinPath(folder: string, relative: string): string {
  if (relative === '') return folder;
  if (folder === '') return relative;
  return folder.endsWith('/') ? folder + relative : `${folder}/${relative}`;
}

/**
 * What goes before the relative paths of each of several PATHs so that equal names in two of them stay apart:
 * the last n components of the absolute path, n the least number (the same for all) with which no two of them
 * can have a file of the same id. Of a single PATH it is the empty string. The answer does not depend on the order of the
 * PATHs.
 *
 * @param absolutes distinct absolute paths; `-` (standard input) is a path of one component
 * @example rootPrefixes(['/data/a/mail', '/data/b/mail']) is ['a/mail', 'b/mail']
 */
export function rootPrefixes(absolutes: readonly string[]): string[] {
  if (absolutes.length < 2) return absolutes.map(() => '');
  const parts = absolutes.map((path) => path.split('/').filter((part) => part !== ''));
  const deepest = parts.reduce((most, list) => Math.max(most, list.length), 1);
  for (let n = 1; n < deepest; n++) {
    const suffixes = parts.map((list) => list.slice(-n).join('/'));
    if (areApart(suffixes)) return suffixes;
  }
  const whole = parts.map((list) => list.join('/'));
  return new Set(whole).size === whole.length ? whole : [...absolutes];
}

/** Whether no prefix is another one, or a folder of it: `p` of a PATH /p, which has no more, and `p/x` of /a/p/x. */
function areApart(prefixes: readonly string[]): boolean {
  const all = new Set(prefixes);
  if (all.size < prefixes.length) return false;
  return prefixes.every((prefix) => {
    for (let at = prefix.indexOf('/'); at >= 0; at = prefix.indexOf('/', at + 1)) {
      if (all.has(prefix.slice(0, at))) return false;
    }
    return true;
  });
}
