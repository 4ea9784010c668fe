/**
 * Words of commands that are told to be pasted into a shell.
 *
 * Floor 4. Pure.
 */

const PLAIN = /^[\w/.,:=@%+-]+$/;
/** What a terminal would not show, or act upon. */
const UNSHOWN = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A word for the shell: as it is where that is safe, else in quotes; what cannot be shown as bash and zsh escape it. */
export function shellQuoted(word: string): string {
  if (PLAIN.test(word)) return word;
  if (word.search(UNSHOWN) < 0) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word
    .replace(/[\\']/g, '\\$&')
    .replace(UNSHOWN, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `$'${escaped}'`;
}

/** The same of a file or folder, which no command shall take for an option. */
export function shellPath(path: string): string {
  return shellQuoted(path.startsWith('-') ? `./${path}` : path);
}
