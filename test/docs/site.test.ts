/** The pages and the site that is made of them: links and anchors lead somewhere, and the first page and llms.txt are complete. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { anchorsOf, firstPage, linkedPath, linksOf, llmsText, siteOf } from '../../site/pages.js';
import { PAGES, pageOf, ROOT } from './pages.js';

const site = siteOf(ROOT);

for (const { source } of site.pages.filter((page) => page.source !== '')) {
  test(`every file and anchor that ${source} links to is there`, (t) => {
    const problems = linksOf(pageOf(source)).filter(({ target }) => {
      const path = linkedPath(source, target);
      if (path === null) return false;
      const [, anchor] = target.split('#');
      return !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsOf(pageOf(path)).has(anchor));
    });
    t.deepEqual(problems, []);
  });
}

test('pages of the site link to pages of the site alone, and show images that are there', (t) => {
  const addresses = new Set(site.pages.map(({ address }) => address));
  for (const { address, text } of site.pages) {
    for (const { target, isImage } of linksOf(text)) {
      if (/^(https?:|#)/.test(target) || target.startsWith('/api/')) continue;
      const path = target.replace(/^\//, '').replace(/#.*$/, '');
      if (isImage)
        t.true(site.images.includes(path) && existsSync(join(ROOT, path)), `${address}: ${target}`);
      else t.true(addresses.has(path.replace(/\.md$/, '')), `${address}: ${target}`);
    }
  }
  const listed = site.contents.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`));
  t.deepEqual(listed, PAGES);
});

test('the first page has the comparison of README.md', (t) => {
  const text = firstPage(pageOf('site/first.md'), pageOf('README.md'));
  t.notRegex(text, /\{\{/);
  for (const tool of ['datasketch', 'text-dedup', 'datatrove', 'daft', 'gaoya'])
    t.true(text.includes(`| ${tool} |`), tool);
  t.throws(() => firstPage('', '# Without one'), { message: /has no comparison/ });
});

test('llms.txt has the summary of README.md and every page of docs/', (t) => {
  const text = llmsText(ROOT, '/');
  t.regex(text, /^# mr-minhash\n\n> `sort -u` for texts/);
  for (const page of PAGES)
    t.true(text.includes(`](${page.replace('docs/', '/').replace(/md$/, 'html')}): `), page);
});

test('anchors are those of headings, and links those outside blocks', (t) => {
  const page =
    '# One & two: `three`\n## [Four](x.md)\n## Four\n```\n# in a block [a](b)\n```\n![i](p.svg) [a [b] `c`](d.md#e)\n';
  t.deepEqual([...anchorsOf(page)], ['one--two-three', 'four', 'four-1']);
  t.deepEqual(linksOf(page), [
    { target: 'x.md', isImage: false },
    { target: 'p.svg', isImage: true },
    { target: 'd.md#e', isImage: false },
  ]);
  t.is(linkedPath('docs/a.md', '../README.md#b'), 'README.md');
  t.is(linkedPath('docs/a.md', '#b'), 'docs/a.md');
  t.is(linkedPath('docs/a.md', 'https://x.org/a.md'), null);
});
