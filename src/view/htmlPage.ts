/** Makes a whole page from the markup of a report or a view. */
import type { Markup } from './markup.js';
import { PAGE_STYLE } from './pageStyle.js';

/** The beginning of every page, by which a page of this program is recognised. */
export const PAGE_BEGINNING = '<!doctype html>\n<!-- mr-minhash report -->\n';

/** @param head further markup for the head, before the title */
export function htmlPage(title: Markup, head: Markup, body: readonly Markup[]): string {
  return `${PAGE_BEGINNING}<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
${body.join('\n')}
</body>
</html>
`;
}
