/** The section of pairs with their texts side by side, each in an element that opens. */

import type { FoundDocuments } from '../analysis/result/pairTexts.js';
import { idOfBinary } from '../readers/list/pathIds.js';
import type { Manifest } from '../result/manifest.js';
import { escaped, idMarkup, type Markup } from './markup.js';
import type { ShownPair } from './pageFacts.js';
import { section } from './sections.js';
import { comparedSets, comparedTexts, headMarkup, textsMarkup } from './textsPage.js';

/** Most bytes of all texts of a page: further pairs are shown without texts. */
const MOST_BYTES = 1_400_000;

/** The details of an open pair. */
function bodyOf(
  { a, b, aLocation, bLocation, value, exact }: ShownPair,
  manifest: Manifest,
  { texts, sets, untrusted }: FoundDocuments,
): Markup {
  if (untrusted !== null) return '<p>Its texts were not read.</p>';
  const { sets: areSets, measure } = manifest.parameters;
  const shown =
    areSets === undefined
      ? comparedTexts(manifest, texts.get(aLocation), texts.get(bLocation), exact ? { jaccard: value } : null)
      : comparedSets(sets.get(aLocation), sets.get(bLocation));
  const heads = [headMarkup('a', idMarkup(idOfBinary(a))), headMarkup('b', idMarkup(idOfBinary(b)))] as const;
  return textsMarkup(shown, heads, null, measure === 'containment');
}

function summaryOf({ a, b, value, exact, accepted }: ShownPair, { parameters }: Manifest): Markup {
  const outcome = accepted
    ? '<span class="badge yes">accepted</span>'
    : parameters.verify === 'none'
      ? '<span class="badge">not verified</span>'
      : '<span class="badge no">rejected</span>';
  const estimate = exact ? '' : '<span class="badge">estimate</span>';
  return `<summary><strong>${value.toFixed(6)}</strong>${outcome}${estimate}${idMarkup(idOfBinary(a))} <span class="dim">and</span> ${idMarkup(idOfBinary(b))}</summary>`;
}

const GROUPS: readonly (readonly [ShownPair['group'], string])[] = [
  ['alike', 'The most similar'],
  ['above', 'Just above the threshold'],
  ['below', 'Just below the threshold'],
];

/** The section of pairs; `found` has their texts, and `nameOf` returns the target of a link to a pair. */
export function pairSection(
  pairs: readonly ShownPair[],
  manifest: Manifest,
  texts: FoundDocuments,
  nameOf: (pair: ShownPair) => string | null = () => null,
): Markup {
  let room = MOST_BYTES;
  const encoder = new TextEncoder();
  const detailsOf = (pair: ShownPair): Markup => {
    const body = room <= 0 ? '' : bodyOf(pair, manifest, texts);
    const bytes = encoder.encode(body).length;
    const shown = bytes > 0 && bytes <= room ? body : '<p>Its texts are omitted to keep this page small.</p>';
    room -= bytes <= room ? bytes : 0;
    // The name is inside the details, because a link to it opens them.
    const name = nameOf(pair);
    const id = name === null ? '' : ` id="${escaped(name)}"`;
    return `<details class="pair">${summaryOf(pair, manifest)}<div class="body"${id}>${shown}</div></details>`;
  };
  const content = GROUPS.flatMap(([group, title]) => {
    const own = pairs.filter((pair) => pair.group === group);
    if (own.length === 0) return [];
    return [`<h3>${title}</h3>`, ...own.map(detailsOf)];
  });
  const text =
    content.length === 0
      ? ['<p>There are no near pairs.</p>']
      : [
          texts.untrusted === null
            ? '<p>Open a pair to see its two texts side by side, with the differences marked.</p>'
            : `<p>Texts are not shown, because others can write to the result, which has their locations (${escaped(texts.untrusted)}). Use <code>--corpus PATH</code> to read them.</p>`,
          ...content,
        ];
  return section('pairs', 'Pairs side by side', text);
}
