/** From what was found to what is dropped, and from all pairs to those that are accepted: as tables whose bars are the chart. */

import { countGroups } from '../result/countGroups.js';
import { barMarkup, escaped, type Markup, numberText, percentText, tableMarkup } from './markup.js';
import type { PageFacts } from './pageFacts.js';
import { section, thingsOf } from './parts.js';

/** A step, its count, of what count the share is told (null: it is the whole), what it means, and the kind of its bar. */
type FunnelStep = readonly [label: string, count: number, of: number | null, text: string, kind?: string];

function funnelTable(caption: string, steps: readonly FunnelStep[]): Markup {
  const rows = steps.map(([label, count, of, text, kind]) => {
    const share = of === null ? 1 : of === 0 ? 0 : count / of;
    return [
      escaped(label),
      numberText(count),
      of === null ? '' : escaped(percentText(share)),
      escaped(text),
      barMarkup(count === 0 ? 0 : share, kind),
    ];
  });
  const heads = [
    { title: 'Step' },
    { title: 'Number', isNumber: true },
    { title: 'Share', isNumber: true },
    { title: 'What it means' },
    { title: '' },
  ] as const;
  return `<div class="funnel">${tableMarkup(caption, heads, rows)}</div>`;
}

function documentSteps(facts: PageFacts): FunnelStep[] {
  const { counts } = facts.manifest;
  const { documents, read, clustered_documents: clustered, dropped, kept } = counts;
  const things = thingsOf(facts);
  const skipped = Object.values(counts.skipped).reduce((sum, count) => sum + count, 0);
  return [
    ['found', documents, null, `${things} and places below the PATHs`],
    ['skipped', skipped, documents, 'could not be read, or are no text', 'skipped'],
    ['compared', read, documents, `${things} with a part in the result`],
    ['in clusters', clustered, read, `${things} that resemble another one`],
    ['dropped', dropped, read, 'each has a kept one that it resembles', 'dropped'],
    ['kept', kept, read, 'what a clean corpus holds', 'kept'],
  ];
}

function pairSteps(facts: PageFacts): FunnelStep[] {
  const { counts, parameters } = facts.manifest;
  const { read, candidate_pairs: candidates, verified_pairs: near } = counts;
  const possible = (read * (read - 1)) / 2;
  const same = counts.identical_pairs + counts.same_tokens_pairs;
  const nearText =
    parameters.verify === 'none'
      ? 'none: candidates were not verified'
      : `reach the threshold ${parameters.threshold}; share of the candidates`;
  return [
    ['possible', possible, null, `every two ${thingsOf(facts)}`],
    ['candidates', candidates, possible, 'share a bucket, so that they were looked at'],
    ['near', near, candidates, nearText],
    ['the same', same, near + same, 'of equal text or tokens, found without buckets; share of the accepted'],
  ];
}

function skippedTable({ manifest }: PageFacts): Markup[] {
  const skipped = countGroups({ skipped: manifest.counts.skipped }).flatMap(({ lines }) => lines.slice(1));
  if (skipped.length === 0) return [];
  const rows = skipped.map(({ count, text }) => [escaped(text), numberText(count)]);
  const heads = [{ title: 'Reason' }, { title: 'Places', isNumber: true }] as const;
  return ['<h3>Skipped</h3>', tableMarkup('Why places were skipped', heads, rows)];
}

/** The section. */
export function funnelSection(facts: PageFacts): Markup {
  return section('funnel', 'From documents to a drop list', [
    funnelTable(`What became of the ${thingsOf(facts)}`, documentSteps(facts)),
    '<h3>Pairs</h3>',
    funnelTable('Which pairs were looked at, and accepted', pairSteps(facts)),
    ...skippedTable(facts),
  ]);
}
