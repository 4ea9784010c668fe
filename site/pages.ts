/**
 * The pages of the site, from the Markdown of the repository: which file is which page, how they link to each other, and the
 * first page, whose figures are those of docs/speed.md.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

export interface SitePage {
  /** Path below the root of the repository; empty for the first page, which is made. */
  readonly source: string;
  /** Path of the page below the root of the site, without `.md`. */
  readonly address: string;
  readonly text: string;
}

export interface SiteGroup {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

export interface Site {
  readonly pages: readonly SitePage[];
  /** Paths below the root of the repository of what pages show, such as images. */
  readonly images: readonly string[];
  /** The contents beside every page, in the order and under the headings of docs/README.md. */
  readonly contents: readonly SiteGroup[];
}

/** Pages that do not lie in docs/. */
const OTHERS: Readonly<Record<string, string>> = {
  'README.md': 'start',
  'docs/README.md': 'contents',
  'ARCHITECTURE.md': 'architecture',
  'CHANGELOG.md': 'changelog',
  'CODE_OF_CONDUCT.md': 'conduct',
  'CONTRIBUTING.md': 'contributing',
  'SECURITY.md': 'reporting',
  'benchmarks/README.md': 'benchmarks',
  'python/README.md': 'python',
};

/** File of the repository -> address. */
function addressesOf(root: string): Map<string, string> {
  const addresses = new Map(Object.entries(OTHERS));
  for (const name of readdirSync(join(root, 'docs')).sort()) {
    const source = `docs/${name}`;
    if (name.endsWith('.md') && !addresses.has(source)) addresses.set(source, name.slice(0, -'.md'.length));
  }
  for (const name of readdirSync(join(root, 'benchmarks/runs')).sort()) {
    const source = `benchmarks/runs/${name}/summary.md`;
    if (existsSync(join(root, source))) addresses.set(source, `runs/${name}`);
  }
  return addresses;
}

/** The anchor of a heading, as forges make it; a second one of the same words in a page gets `-1`, and so on. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');
}

export interface PageLink {
  readonly target: string;
  readonly isImage: boolean;
}

const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/** A page with its text outside fenced blocks changed. */
function outsideBlocks(page: string, change: (text: string) => string): string {
  let fence = '';
  const parts: { isBlock: boolean; lines: string[] }[] = [];
  for (const line of page.split('\n')) {
    const mark = /^(`{3,})/.exec(line)?.[1] ?? '';
    const isBlock = fence !== '' || mark !== '';
    if (parts.at(-1)?.isBlock !== isBlock) parts.push({ isBlock, lines: [] });
    parts.at(-1)!.lines.push(line);
    if (fence === '') fence = mark;
    else if (mark.length >= fence.length && line.trim() === mark) fence = '';
  }
  return parts
    .map(({ isBlock, lines }) => (isBlock ? lines.join('\n') : change(lines.join('\n'))))
    .join('\n');
}

/** All anchors of a page. Links, code and emphasis in a heading count by their text. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  outsideBlocks(page, (text) => {
    for (const [, heading] of text.matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
      const plain = anchorOf(heading!.replace(LINK, '$2'));
      let anchor = plain;
      for (let n = 1; anchors.has(anchor); n++) anchor = `${plain}-${n}`;
      anchors.add(anchor);
    }
    return text;
  });
  return anchors;
}

/** Links and images of a page, in their order. */
export function linksOf(page: string): PageLink[] {
  const links: PageLink[] = [];
  outsideBlocks(page, (text) => {
    for (const [, mark, , target] of text.matchAll(LINK))
      links.push({ target: target!, isImage: mark === '!' });
    return text;
  });
  return links;
}

/** A path of the repository that a link of a page means; null for one that leads elsewhere. */
export function linkedPath(source: string, target: string): string | null {
  if (/^[a-z]+:/i.test(target)) return null;
  const path = target.replace(/#.*$/, '');
  return path === '' ? source : posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, '');
}

interface SpeedRow {
  readonly tool: string;
  readonly gives: string;
  readonly documents: string;
  readonly cpu: number;
  readonly ratio: number;
  readonly recall: string;
  readonly precision: string;
}

/** The rows of the table of docs/speed.md, with the names as it has them but for versions. */
export function speedRows(page: string): SpeedRow[] {
  const rows = page.split('\n').filter((line) => /^\| .*\d \|$/.test(line));
  return rows.map((line) => {
    const [tool, gives, documents, , cpu, ratio, , , , recall, precision] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return {
      tool: tool!.replace(/ [\d.]+$/, ''),
      gives: gives!,
      documents: documents!,
      cpu: Number(cpu),
      ratio: Number(ratio),
      recall: recall!,
      precision: precision!,
    };
  });
}

/** Shown on the first page, by the name that the table has: slower ones ran over fewer documents only. */
const COMPARED = [
  ['mr-minhash signature', 'mr-minhash, by signature'],
  ['mr-minhash exact', 'mr-minhash, exact'],
  ['daft', 'Daft'],
  ['gaoya', 'gaoya'],
  ['datasketch', 'datasketch'],
  ['text-dedup', 'text-dedup'],
  ['datatrove', 'datatrove'],
] as const;

/** What stands between `{{` and `}}` of the first page. */
export function firstPage(template: string, speed: string): string {
  const rows = speedRows(speed);
  const found = COMPARED.map(([name, title]) => {
    const row = rows.find(({ tool }) => tool === name);
    if (row === undefined) throw new Error(`docs/speed.md has no row of ${name}`);
    return { ...row, title };
  });
  const [signature, exact] = found as [(typeof found)[0], (typeof found)[0]];
  const most = Math.log(Math.max(...found.map(({ ratio }) => ratio)));
  const bars = found.map(({ title, gives, documents, ratio, recall, precision }) => {
    const width = Math.round(4 + (60 * Math.log(ratio)) / most);
    const star = documents === signature.documents ? '' : ' *';
    const bar = `<i style="width:${width}%"></i>`;
    return `<tr><td>${title}${star}</td><td>${gives}</td><td class="bar">${bar}<b>${ratio.toFixed(1)}</b></td><td>${recall}</td><td>${precision}</td></tr>`;
  });
  const measured = /^- ([\d,]+) documents, (\d+) MB of words: .*?; (\d{4}-\d\d-\d\d), /m.exec(speed);
  if (measured === null) throw new Error('docs/speed.md does not say when it was measured');
  const values: Readonly<Record<string, string>> = {
    rows: bars.join('\n'),
    documents: measured[1]!,
    megabytes: measured[2]!,
    date: measured[3]!,
    fewer: found.find(({ documents }) => documents !== signature.documents)?.documents ?? '',
    signature: signature.cpu.toFixed(1),
    exact: exact.cpu.toFixed(1),
    recall: exact.recall,
    precision: exact.precision,
  };
  return template.replaceAll(/\{\{ (\w+) \}\}/g, (_, name: string) => {
    if (!(name in values)) throw new Error(`the first page asks for ${name}`);
    return values[name]!;
  });
}

/** The rows of the tables of docs/README.md under their headings. */
function contentsOf(page: string, addresses: ReadonlyMap<string, string>): SiteGroup[] {
  const groups: { text: string; items: { text: string; link: string }[] }[] = [];
  for (const line of page.split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    const [, text, target] = /^\| \[([^\]]+)\]\(([^)]+)\)/.exec(line) ?? [];
    const address =
      target === undefined ? undefined : addresses.get(linkedPath('docs/README.md', target) ?? '');
    if (address !== undefined) groups.at(-1)!.items.push({ text: text!, link: `/${address}` });
  }
  return groups;
}

/** What the generator would take for an element in the text of a page, as a sign. */
function asWords(text: string): string {
  return text.replace(/(`+)[^`]+\1|<(?!https?:)/g, (found, code?: string) =>
    code === undefined ? '&lt;' : found,
  );
}

/**
 * All pages, with links from page to page. What the repository has and the site has not (a folder, a program) is named and
 * not linked, for the site does not know where it will lie.
 */
export function siteOf(root: string): Site {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const addresses = addressesOf(root);
  const images = new Set<string>();
  const pages = [...addresses].map(([source, address]): SitePage => {
    const relink = (all: string, mark: string, words: string, target: string): string => {
      const path = linkedPath(source, target);
      if (path === null) return all;
      if (mark === '!') {
        images.add(path);
        return `![${words}](/${path})`;
      }
      const isFolder = existsSync(join(root, path)) && statSync(join(root, path)).isDirectory();
      const page = addresses.get(isFolder ? `${path}/README.md` : path);
      if (page === undefined) return words;
      return `[${words}](/${page}.md${/#.*$/.exec(target)?.[0] ?? ''})`;
    };
    const text = outsideBlocks(read(source), (part) =>
      asWords(part.replace(/^<!-- .* -->$/gm, '')).replace(LINK, relink),
    );
    return { source, address, text };
  });
  const first = firstPage(read('site/first.md'), read('docs/speed.md'));
  return {
    pages: [{ source: '', address: 'index', text: first }, ...pages],
    images: [...images],
    contents: contentsOf(read('docs/README.md'), addresses),
  };
}
