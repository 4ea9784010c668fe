/** The pages of the site, from the Markdown of the repository: which file is which page, how they link to each other, and `llms.txt`. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

export interface SitePage {
  /** Path below the root of the repository; empty for the first page, which has a template. */
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
  /** Images of the pages, as paths below the root of the repository. */
  readonly images: readonly string[];
  /** The contents beside every page, in the order and under the headings of docs/README.md. */
  readonly contents: readonly SiteGroup[];
}

/** Pages outside docs/, and pages whose address differs from their file name. */
const OTHERS: Readonly<Record<string, string>> = {
  'README.md': 'start',
  'docs/README.md': 'contents',
  'ARCHITECTURE.md': 'architecture',
  'CHANGELOG.md': 'changelog',
  'CODE_OF_CONDUCT.md': 'conduct',
  'CONTRIBUTING.md': 'contributing',
  'SECURITY.md': 'reporting',
  'benchmarks/README.md': 'measuring',
  'python/README.md': 'python',
};

/** File of the repository -> address. */
function addressesOf(root: string): Map<string, string> {
  const addresses = new Map(Object.entries(OTHERS));
  for (const name of readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).sort()) {
    const source = `docs/${name}`;
    if (name.endsWith('.md') && !addresses.has(source)) addresses.set(source, name.slice(0, -'.md'.length));
  }
  for (const name of readdirSync(join(root, 'benchmarks/runs')).sort()) {
    const source = `benchmarks/runs/${name}/summary.md`;
    if (existsSync(join(root, source))) addresses.set(source, `runs/${name}`);
  }
  return addresses;
}

/** The anchor of a heading, like on GitHub; `anchorsOf` adds `-1` and so on to repeated ones. */
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

/** Applies a change to the text of a page outside fenced blocks. */
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

/** All anchors of a page. Links in a heading count by their text. */
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

/** Links and images of a page, in order. */
export function linksOf(page: string): PageLink[] {
  const links: PageLink[] = [];
  outsideBlocks(page, (text) => {
    for (const [, mark, , target] of text.matchAll(LINK))
      links.push({ target: target!, isImage: mark === '!' });
    return text;
  });
  return links;
}

/** The path in the repository of the target of a link; null for other addresses. */
export function linkedPath(source: string, target: string): string | null {
  if (/^[a-z]+:/i.test(target)) return null;
  const path = target.replace(/#.*$/, '');
  return path === '' ? source : posix.normalize(posix.join(posix.dirname(source), path)).replace(/\/$/, '');
}

/** The first page: the template with the comparison of README.md in place of `{{ comparison }}`. */
export function firstPage(template: string, readme: string): string {
  const comparison = /<!-- rivals -->\n([\s\S]*)\n<!-- \/rivals -->/.exec(readme)?.[1];
  if (comparison === undefined)
    throw new Error('README.md has no comparison between <!-- rivals --> and <!-- /rivals -->');
  return template.replace('{{ comparison }}', () => comparison);
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
  return groups.filter(({ items }) => items.length > 0);
}

/** Escapes `<` outside code, which the generator would read as an element. */
function asWords(text: string): string {
  return text.replace(/(`+)[^`]+\1|<(?!https?:)/g, (found, code?: string) =>
    code === undefined ? '&lt;' : found,
  );
}

/**
 * All pages, with links from page to page. A link to something that is not part of the site (a folder, a program)
 * becomes plain text.
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
  const first = firstPage(read('site/first.md'), read('README.md'));
  return {
    pages: [{ source: '', address: 'index', text: first }, ...pages],
    images: [...images],
    contents: contentsOf(read('docs/README.md'), addresses),
  };
}

/**
 * `llms.txt` (llmstxt.org): a summary, and a list of pages with what they contain, for programs that read documentation.
 *
 * @param base the path below which the site is published, such as `/`
 */
export function llmsText(root: string, base: string): string {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const [, summary] = /^# .+\n\n([\s\S]+?)\n\n/.exec(read('README.md'))!;
  const lines = ['# mr-minhash', '', `> ${summary!.replaceAll('\n', ' ')}`];
  for (const line of read('docs/README.md').split('\n')) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined && heading !== 'For contributors') lines.push('', `## ${heading}`, '');
    const [, title, page, content] = /^\| \[([^\]]+)\]\(([\w-]+)\.md\) \| (.+) \|$/.exec(line) ?? [];
    if (title !== undefined) lines.push(`- [${title}](${base}${page}.html): ${content}`);
  }
  return `${lines.join('\n')}\n`;
}
