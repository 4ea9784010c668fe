/** The sampled pairs of a corpus as one page without a script: three per similarity, their texts side by side, to choose a threshold by. */

import { streamedRuns } from '../analysis/result/sharedRuns.js';
import type { SamplePair, SamplePairs } from '../analysis/tune/samplePairs.js';
import type { ShingleParams } from '../text/shingles.js';
import { htmlPage, SAVED_PAGE } from './htmlPage.js';
import { countText, escaped, idMarkup, type Markup } from './markup.js';
import { section } from './sections.js';
import { headMarkup, laidOut, textsMarkup } from './textsPage.js';

function pairMarkup({ a, b, jaccard, textA, textB }: SamplePair, shingle: ShingleParams): Markup {
  const heads = [headMarkup('a', idMarkup(a)), headMarkup('b', idMarkup(b))] as const;
  const texts = textsMarkup(laidOut(streamedRuns(textA, textB, shingle)), heads, null, false);
  const summary = `<strong>${jaccard.toFixed(6)}</strong>${idMarkup(a)} <span class="dim">and</span> ${idMarkup(b)}`;
  return `<details class="pair" open><summary>${summary}</summary><div class="body">${texts}</div></details>`;
}

/** A page of HTML (a whole file) about the pairs; texts are marked by the shingles that were compared. */
export function samplePage({ documents, whole, levels }: SamplePairs, shingle: ShingleParams): string {
  const of = whole
    ? `all ${countText(documents, 'document')}`
    : `a sample of ${countText(documents, 'document')}`;
  const contents = levels.map(({ similarity }) => {
    const near = similarity.toFixed(1);
    return `<li><a href="#near-${near}">${near}</a></li>`;
  });
  return htmlPage('Pairs to choose a threshold by', SAVED_PAGE, [
    '<header><h1>Pairs to choose a threshold by</h1>',
    `<p>Pairs in ${escaped(of)}, by their Jaccard similarity. Choose the lowest similarity at which you would delete one of both.</p>`,
    `<nav aria-label="Similarities"><ul>${contents.join('')}</ul></nav></header>`,
    '<main>',
    ...levels.map(({ similarity, pairs }) => {
      const near = similarity.toFixed(1);
      const shown = pairs.map((pair) => pairMarkup(pair, shingle));
      return section(`near-${near}`, `Near ${near}`, shown.length === 0 ? ['<p>No pair.</p>'] : shown);
    }),
    '</main>',
  ]);
}
