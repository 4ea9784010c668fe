/** A finished result as one page of HTML: no script, no network, nothing beside it. */

import { askedResult, checkedRows } from '../analysis/inspect.js';
import { readAgain } from '../analysis/result/pairTexts.js';
import type { CorpusOption } from '../coordinator/resultPaths.js';
import { clusterSection } from './clusterSection.js';
import { funnelSection } from './funnelSection.js';
import { htmlPage } from './htmlPage.js';
import { countText, escaped, type Markup, numberText } from './markup.js';
import { countSection, settingSection, tilesMarkup } from './numberSections.js';
import { inStrings, nameOf, type PageFacts, pageFacts, pageNumbers } from './pageFacts.js';
import { pairSection } from './pairSection.js';
import { thingOf, thingsOf } from './parts.js';
import { similaritySection } from './similaritySection.js';
import { sourceSection } from './sourceSection.js';

/** Nothing is fetched and nothing runs, whatever ids and texts hold. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

const CONTENTS: readonly (readonly [id: string, title: string])[] = [
  ['funnel', 'From documents to drops'],
  ['similarities', 'Similarities'],
  ['clusters', 'Clusters'],
  ['sources', 'Sources'],
  ['pairs', 'Pairs side by side'],
  ['counts', 'All counts'],
  ['settings', 'How it was compared'],
];

/** What tells the page from others. */
function titleOf(name: Markup, facts: PageFacts): Markup {
  const { read, dropped } = facts.manifest.counts;
  const compared = countText(read, thingOf(facts), thingsOf(facts));
  return `${name}: ${escaped(`near-duplicates, ${numberText(dropped)} of ${compared} can be dropped`)}`;
}

/**
 * A page of HTML (a whole file, less than 2 MB) about the result in `folder`: counts, similarities with threshold and S-curve,
 * clusters, sources, and pairs with their texts, which are read below
 * `corpus`, or where the result says that its inputs are (see openResult). The
 * same result, path of it and inputs give the same page. It holds no script and fetches nothing.
 *
 * Tables are read row by row; of texts those of some twenty pairs are held.
 *
 * @throws MinHashError RESULT_MISSING when the folder holds no finished result, RESULT_DAMAGED when a file of it differs from the
 *   manifest, OPTION_INVALID for a value that is not a path
 */
export async function reportHtml(folder: string, options: CorpusOption = {}): Promise<string> {
  const result = askedResult(folder, options);
  const { manifest } = result;
  const numbers = pageNumbers(manifest);
  const thresholds = numbers?.thresholds.map(({ threshold }) => threshold) ?? [];
  const binary = await pageFacts(checkedRows(folder, manifest), manifest, thresholds);
  const ids = binary.pairs.flatMap(({ a, b }) => [a, b]);
  const found = await readAgain(result, ids);
  const facts = inStrings(binary);
  const name = escaped(nameOf(folder));
  const links = CONTENTS.map(([id, title]) => `<li><a href="#${id}">${escaped(title)}</a></li>`).join('');
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  return htmlPage(titleOf(name, facts), policy, [
    `<header><h1>Near-duplicates in <bdi>${name}</bdi></h1>`,
    tilesMarkup(facts),
    `<nav aria-label="Contents"><ul>${links}</ul></nav></header>`,
    '<main>',
    funnelSection(facts),
    similaritySection(facts, numbers),
    clusterSection(facts),
    sourceSection(facts, numbers),
    pairSection(facts.pairs, manifest, found),
    countSection(facts),
    settingSection(facts, manifest.version),
    '</main>',
    `<footer>Made by mr-minhash ${escaped(manifest.version)} from the files of the result; this page needs nothing beside it.</footer>`,
  ]);
}
