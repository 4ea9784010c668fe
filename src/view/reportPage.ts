/** A finished result as one HTML page, without script, network access or other files. */

import { checkedRows, resultSource } from '../analysis/inspect.js';
import { readAgain } from '../analysis/result/pairTexts.js';
import type { CorpusOption } from '../coordinator/resultPaths.js';
import { indexColumns, indexOf, type ResultIndex } from '../result/resultIndex.js';
import { htmlPage, SAVED_PAGE } from './htmlPage.js';
import { countText, escaped, idMarkup, type Markup, numberText } from './markup.js';
import { nameOf, type PageFacts, pageFacts } from './pageFacts.js';
import { pairSection } from './pairSection.js';
import {
  answerMarkup,
  clusterSection,
  countSection,
  settingSection,
  similaritySection,
  sourceSection,
  thingOf,
  thingsOf,
} from './sections.js';
import {
  keepersOf,
  type Links,
  memberTable,
  pairOrder,
  pairTable,
  shortTableMarkup,
  VIEW_LINKS,
} from './viewTables.js';

const CONTENTS: readonly (readonly [id: string, title: string])[] = [
  ['similarities', 'Similarities'],
  ['clusters', 'Clusters'],
  ['sources', 'Sources'],
  ['pairs', 'Pairs side by side'],
  ['counts', 'All counts'],
  ['settings', 'How it was compared'],
];

/** The title of a report. */
function titleOf(name: Markup, facts: PageFacts): Markup {
  const { read, dropped } = facts.manifest.counts;
  const compared = countText(read, thingOf(facts), thingsOf(facts));
  return `${name}: ${escaped(`near-duplicates, ${numberText(dropped)} of ${compared} can be dropped`)}`;
}

/** Limits per cluster: documents and pairs shown; and UTF-16 units of all clusters in full. */
const MOST_ROWS = 100;
const MOST_OF_CLUSTERS = 2_000_000;

/** The anchor of a pair on the page; null if a document is not in the index. */
function anchorOf(a: number, b: number): string | null {
  return a < 0 || b < 0 ? null : `pair-${Math.min(a, b)}-${Math.max(a, b)}`;
}

const pairName = (index: ResultIndex, { aLocation, bLocation }: PageFacts['pairs'][number]): string | null =>
  anchorOf(index.find(aLocation), index.find(bLocation));

/** Links from clusters to the pairs whose texts are on the page. */
function pairLinks(index: ResultIndex, { pairs }: PageFacts): Links {
  const shown = new Set(pairs.map((pair) => pairName(index, pair)));
  const pair = (a: number, b: number): string | null => {
    const name = anchorOf(a, b);
    return shown.has(name) ? `#${name}` : null;
  };
  return { ...VIEW_LINKS, cluster: () => null, pair, isEditable: false };
}

/** The largest clusters by number, each in an element that opens. */
async function clustersInFull(
  index: ResultIndex,
  { largest }: PageFacts,
  links: Links,
): Promise<ReadonlyMap<number, Markup>> {
  const clusters = new Map<number, Markup>();
  let length = 0;
  for (const { cluster, size, representative } of largest) {
    const order = pairOrder(index, cluster);
    const caption = `Accepted pairs of cluster ${numberText(cluster)}, the most similar first`;
    const body = [
      await shortTableMarkup(memberTable(index, cluster, keepersOf(index), links), MOST_ROWS),
      await shortTableMarkup(pairTable(index, order, caption, links), MOST_ROWS),
    ].join('\n');
    const title = `cluster ${numberText(cluster)}, ${countText(size, 'document')}: ${idMarkup(representative)}`;
    // The name is inside the details, because a link to it opens them.
    const markup = `<details class="cluster"><summary>${title}</summary><div class="body" id="cluster-${cluster}">${body}</div></details>`;
    length += markup.length;
    if (length > MOST_OF_CLUSTERS) break;
    clusters.set(cluster, markup);
  }
  return clusters;
}

/**
 * An HTML page (a complete file, less than 5 MB) about the result in `folder`: counts, similarities with threshold and S-curve,
 * clusters, the largest of them with documents and pairs, sources, and pairs with their texts. Texts are read below `corpus`, or
 * from the inputs in the result (see openResult). The same result, at the same path, and the same inputs give the same page. It has
 * no script and fetches nothing.
 *
 * Tables are read row by row; memory holds the texts of some twenty pairs.
 *
 * @throws MinHashError RESULT_MISSING if the folder has no finished result, RESULT_DAMAGED if a file differs from the
 *   manifest, OPTION_INVALID for a value that is not a path
 */
export async function reportHtml(folder: string, options: CorpusOption = {}): Promise<string> {
  const result = resultSource(folder, options);
  const { manifest } = result;
  const index = indexOf(manifest, await indexColumns(folder, manifest));
  const facts = await pageFacts(checkedRows(folder, manifest), index);
  const locations = facts.pairs.flatMap(({ aLocation, bLocation }) => [aLocation, bLocation]);
  const texts = await readAgain(result, locations);
  const links = pairLinks(index, facts);
  const clusters = await clustersInFull(index, facts, links);
  const cluster = (number: number): string | null => (clusters.has(number) ? `#cluster-${number}` : null);
  const name = escaped(nameOf(folder));
  const contents = CONTENTS.map(([id, title]) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join('');
  return htmlPage(titleOf(name, facts), SAVED_PAGE, [
    `<header><h1>Near-duplicates <span class="dim"><bdi>${name}</bdi></span></h1>`,
    answerMarkup(facts),
    `<nav aria-label="Contents"><ul>${contents}</ul></nav></header>`,
    '<main>',
    similaritySection(facts),
    clusterSection(facts, cluster, [...clusters.values()].join('\n')),
    sourceSection(facts),
    pairSection(facts.pairs, manifest, texts, (pair) => pairName(index, pair)),
    countSection(facts),
    settingSection(facts, manifest.version),
    '</main>',
    `<footer>Made by mr-minhash ${escaped(manifest.version)} from the files of the result. This page is self-contained.</footer>`,
  ]);
}
