import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

/** Beside this file once the pages are put together: the contents, and under which path the site is to lie. */
const { base, contents, pagesModule, version } = JSON.parse(
  readFileSync(new URL('site.json', import.meta.url), 'utf8'),
);
const { anchorOf } = await import(pagesModule);

export default defineConfig({
  base,
  title: 'mr-minhash',
  description: 'Finds the near-duplicates in a corpus',
  lastUpdated: false,
  // No picture: without the line browsers ask for one, and get an error.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { anchor: { slugify: anchorOf }, toc: { slugify: anchorOf } },
  themeConfig: {
    nav: [
      { text: 'First run', link: '/start' },
      { text: 'Pages', link: '/contents' },
      { text: 'API', link: '/api/README' },
      { text: `Version ${version}`, link: '/changelog' },
    ],
    outline: [2, 3],
    sidebar: contents,
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
});
