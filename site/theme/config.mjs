import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

/** Written by site/main.ts beside this file: the contents, and the path below which the site is published. */
const { base, contents, pagesModule, version } = JSON.parse(
  readFileSync(new URL('site.json', import.meta.url), 'utf8'),
);
const { anchorOf } = await import(pagesModule);

export default defineConfig({
  base,
  title: 'mr-minhash',
  description: 'Finds the near-duplicates in a corpus',
  lastUpdated: false,
  // An empty icon, so that browsers do not request a missing one.
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
