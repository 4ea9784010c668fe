/** Common parts of the sections of a page: headings, and charts beside the tables of their numbers. */

import { wordingOf } from '../output/wording/wording.js';
import { escaped, type Markup } from './markup.js';
import type { PageFacts } from './pageFacts.js';

/** Widths of a chart in pixels, for wide windows and for narrow ones. */
export const WIDE = 680;
const NARROW = 360;

/** A section with a heading, to which the contents at the top of the page link. */
export function section(id: string, title: string, content: readonly Markup[]): Markup {
  return `<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${escaped(title)}</h2>\n${content.join('\n')}\n</section>`;
}

/** A table that is as wide as its cells. */
export function compact(table: Markup): Markup {
  return `<div class="compact">${table}</div>`;
}

export function paragraph(text: string): Markup {
  return `<p>${escaped(text)}</p>`;
}

/** A chart, made for both widths, with the table of its numbers beside it. */
export function chartWithTable(
  chart: (width: number) => Markup,
  legend: Markup,
  caption: string,
  table: Markup,
): Markup {
  return (
    `<div class="chart-table"><figure>${legend}<div class="wide">${chart(WIDE)}</div><div class="narrow">${chart(NARROW)}</div>` +
    `<figcaption>${escaped(caption)}</figcaption></figure>${table}</div>`
  );
}

/** The word for one compared document: document, set or unit. */
export function thingOf({ manifest }: Pick<PageFacts, 'manifest'>): string {
  return wordingOf(manifest.parameters).document;
}

/** The word for several compared documents. */
export function thingsOf({ manifest }: Pick<PageFacts, 'manifest'>): string {
  return wordingOf(manifest.parameters).documents;
}
