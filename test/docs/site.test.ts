/** The pages and the site that is made of them: links and anchors lead somewhere, and the figures that are repeated are those of docs/speed.md. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { anchorsOf, firstPage, linkedPath, linksOf, siteOf, speedRows } from '../../site/pages.js';
import { pageOf, ROOT, SUBJECTS } from './examples.js';

const site = siteOf(ROOT);

for (const { source } of site.pages.filter((page) => page.source !== '')) {
  test(`every file and anchor that ${source} links to is there`, (t) => {
    const faults = linksOf(pageOf(source)).filter(({ target }) => {
      const path = linkedPath(source, target);
      if (path === null) return false;
      const [, anchor] = target.split('#');
      return !existsSync(join(ROOT, path)) || (anchor !== undefined && !anchorsOf(pageOf(path)).has(anchor));
    });
    t.deepEqual(faults, []);
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
  t.deepEqual(listed, SUBJECTS);
});

test('the first page has the figures of docs/speed.md, with their date', (t) => {
  const text = firstPage(pageOf('site/first.md'), pageOf('docs/speed.md'));
  t.notRegex(text, /[{}]/);
  for (const tool of ['datasketch', 'text-dedup', 'datatrove', 'Daft', 'gaoya'])
    t.true(text.includes(`<td>${tool}`), tool);
  t.regex(text, /100,000 documents \(443 MB\) in 1\.9 s .* 2\.7 s with exact verification/);
  t.regex(text, /2 cores, 2026-11-22; a star: 10,000 documents/);
  t.throws(() => firstPage('{{ other }}', pageOf('docs/speed.md')), { message: /asks for other/ });
  t.throws(() => firstPage('', '| a 1 | b |'), { message: /no row of mr-minhash signature/ });
});

test('the table of README.md has the figures of docs/speed.md', (t) => {
  const rows = speedRows(pageOf('docs/speed.md'));
  const shown = [
    ...pageOf('README.md').matchAll(/^\| (.+?) \| (.+?) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm),
  ];
  t.is(shown.length, 10);
  for (const [line, name, gives, ratio, recall, precision] of shown) {
    const tool = name!
      .replace(/^mr-minhash `--verify (\w+)`$/, 'mr-minhash $1')
      .replace(/ \*$/, '')
      .toLowerCase();
    const documents = name!.endsWith(' *') ? '10,000' : '100,000';
    const row = rows.find((each) => each.tool === tool && each.documents === documents);
    t.deepEqual(
      row && [row.gives, row.ratio.toFixed(1), row.recall, row.precision],
      [gives, ratio, recall, precision],
      line,
    );
  }
});

test('anchors are those of headings, and links those outside blocks', (t) => {
  const page =
    '# One & two: `three`\n## [Four](x.md)\n## Four\n```\n# none [a](b)\n```\n![i](p.svg) [a [b] `c`](d.md#e)\n';
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
