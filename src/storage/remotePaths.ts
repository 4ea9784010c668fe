/**
 * PATHs that are addresses: which command fetches what they name. Floor 2. Pure.
 */
import type { Fault } from '../errors.js';

/** `scheme://`; a folder with such a name would have to end in a colon. */
const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is;

/** What the last part of an address looks like where it is a file. */
const FILE_NAME = /\/[^/]+\.[^/]+$/;

/** The command that fetches an address, ready to be typed; null where none is known for its scheme. */
function commandFor(scheme: string, rest: string, address: string): string | null {
  const url = quoted(address);
  const isFile = FILE_NAME.test(rest.replace(/[?#].*$/s, ''));
  switch (scheme) {
    case 's3':
    case 's3a':
    case 's3n': {
      const s3 = quoted(`s3://${rest}`);
      return isFile ? `aws s3 cp ${s3} .` : `aws s3 sync ${s3} corpus`;
    }
    case 'gs':
      return isFile ? `gcloud storage cp ${url} .` : `gcloud storage cp -r ${url} .`;
    case 'hdfs':
    case 'viewfs':
    case 'webhdfs':
      return `hdfs dfs -get ${url} .`;
    case 'http':
    case 'https':
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

/** The fault of a PATH that is an address and no place of this machine; null where it is none. */
export function remoteFault(path: string): Fault | null {
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
