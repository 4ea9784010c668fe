/** The texts of extracted packages in path order: files of documentation without markup. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Page {
  /** Relative to the folder, with slashes, without `.gz`. */
  readonly path: string;
  readonly text: string;
}

/** Files of prose and of declarations. */
export const PROSE = /\.(html?|txt|rst|md|pod|adoc|d\.ts)$/;
/** Those, and further files of documentation packages: examples, bindings, manual pages. */
export const DOCUMENTS = /\.(html?|txt|rst|md|pod|adoc|ya?ml|[ch]|[ch]pp|[1-9]\w*)$/;
const LEAST_BYTES = 200;
const MOST_BYTES = 4 << 20;
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', copy: '©', reg: '®', para: '¶' },
  ...{ mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', hellip: '…', middot: '·' },
};

/** An HTML page as text: no scripts, styles, comments and tags; entities decoded; blank lines dropped. */
export function textOfHtml(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1\s*>|<[^>]*>/gi, ' ')
    .replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]+));/g, (whole, decimal, hex, name) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : ' ';
    })
    .replace(/[ \t\r\f\v]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}

function textOf(path: string, file: string): string | null {
  let bytes = readFileSync(file);
  if (file.endsWith('.gz')) bytes = gunzipSync(bytes);
  if (bytes.length < LEAST_BYTES || bytes.length > MOST_BYTES || bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  return /\.html?$/.test(path) ? textOfHtml(text) : text;
}

/** Every page below a folder whose name matches, in the order of paths; symbolic links are skipped. */
export function* pagesOf(folder: string, wanted: RegExp): Generator<Page> {
  const waiting = [''];
  while (waiting.length > 0) {
    const path = waiting.pop()!;
    if (path !== '' && !path.endsWith('/')) {
      const name = path.replace(/\.gz$/, '');
      const text = wanted.test(name) ? textOf(name, join(folder, path)) : null;
      if (text !== null && text.length >= LEAST_BYTES) yield { path: name, text };
      continue;
    }
    const entries = readdirSync(join(folder, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || entry.isFile())
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort();
    for (const name of entries.reverse()) waiting.push(path + name);
  }
}
