/** The section of the steps from documents to drops, and from all pairs to accepted ones: tables whose bars are the chart. */

import { countGroups } from '../analysis/result/countGroups.js';
import {
  barMarkup,
  countText,
  escaped,
  type Markup,
  numberText,
  percentText,
  tableMarkup,
} from './markup.js';
import type { PageFacts } from './pageFacts.js';
import { section, thingOf, thingsOf } from './parts.js';

/**
 * A step: its label, count (null: unknown), the count of which it is a share (null: none), its meaning, and the kind of
 * its bar.
 */
type FunnelStep = readonly [
  label: string,
  count: number | null,
  of: number | null,
  text: string,
  kind?: string,
];

function funnelTable(caption: string, steps: readonly FunnelStep[]): Markup {
  const rows = steps.map(([label, count, of, text, kind]) => {
    const share = of === null ? 1 : of === 0 ? 0 : (count ?? 0) / of;
    return [
      escaped(label),
      count === null ? '–' : numberText(count),
      of === null ? '' : escaped(percentText(share)),
      escaped(text),
      barMarkup(!count ? 0 : share, kind),
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
  const { documents, read, clustered_documents: clustered, dropped } = counts;
  const things = thingsOf(facts);
  const alone = counts.left_alone ?? 0;
  const isContained = facts.manifest.parameters.measure === 'containment';
  const skipped = Object.values(counts.skipped).reduce((sum, count) => sum + count, 0);
  return [
    ['found', documents, null, `${things} and places below the PATHs`],
    ['skipped', skipped, documents, 'could not be read, or are no text', 'skipped'],
    ...(alone === 0
      ? []
      : ([['left alone', alone, documents, 'have fewer tokens than --min-tokens', 'skipped']] as const)),
    ['compared', read, documents, `${things} that were read and compared`],
    ['in clusters', clustered, read, 'alike to others, or joined to them by what lies between'],
    [
      'dropped',
      dropped,
      read,
      `each has a kept one that ${isContained ? 'contains it' : 'it resembles'}`,
      'dropped',
    ],
    ...keptSteps(facts),
  ];
}

/** The steps of kept documents; a reference is no part of the cleaned corpus. */
function keptSteps(facts: PageFacts): FunnelStep[] {
  const { kept, read, reference_documents: reference } = facts.manifest.counts;
  if (reference === undefined) return [['kept', kept, read, 'what a clean corpus holds', 'kept']];
  const things = thingsOf(facts);
  return [
    ['new ones kept', kept - reference, read, `new ${things} that stay: what a clean corpus holds`, 'kept'],
    ['reference', reference, read, `${things} of --against: compared with, never dropped, not written again`],
  ];
}

/** The number of all pairs that could be compared, and their kind. */
function possiblePairs(facts: PageFacts): readonly [count: number | null, text: string] {
  const { counts, parameters } = facts.manifest;
  const { read, reference_documents: reference } = counts;
  const groups = parameters.groups ?? null;
  if (groups === null) return [(read * (read - 1)) / 2, `every two ${thingsOf(facts)}`];
  if (groups.by === 'against' && reference !== undefined) {
    return [reference * (read - reference), `every new ${thingOf(facts)} with every one of the reference`];
  }
  const among = counts.groups === undefined ? 'two groups' : `two of ${countText(counts.groups, 'group')}`;
  return [null, `every two ${thingsOf(facts)} of ${among}; how many they are is not in the result`];
}

function pairSteps(facts: PageFacts): FunnelStep[] {
  const { counts, parameters } = facts.manifest;
  const { candidate_pairs: candidates, verified_pairs: near } = counts;
  const [possible, possibleText] = possiblePairs(facts);
  const same = counts.identical_pairs + counts.same_tokens_pairs;
  const nearText =
    parameters.verify === 'none'
      ? 'none: candidates were not verified'
      : `reach the threshold ${parameters.threshold}; share of the candidates`;
  return [
    ['possible', possible, null, possibleText],
    ['candidates', candidates, possible, 'alike enough in their sketches to be looked at'],
    ['near', near, candidates, nearText],
    ['the same', same, near + same, 'of equal text or tokens, found without buckets; share of the accepted'],
  ];
}

function skippedTable({ manifest }: PageFacts): Markup[] {
  const skipped = countGroups(
    { skipped: manifest.counts.skipped },
    { things: 'documents', byContainment: false },
  ).flatMap(({ lines }) => lines.slice(1));
  if (skipped.length === 0) return [];
  const rows = skipped.map(({ count, text }) => [escaped(text), numberText(count)]);
  const heads = [{ title: 'Reason' }, { title: 'Places', isNumber: true }] as const;
  return ['<h3>Skipped</h3>', tableMarkup('Why places were skipped', heads, rows)];
}

/** The section of the steps. */
export function funnelSection(facts: PageFacts): Markup {
  return section('funnel', 'From documents to a drop list', [
    funnelTable(`What became of the ${thingsOf(facts)}`, documentSteps(facts)),
    '<h3>Pairs</h3>',
    funnelTable('Which pairs were looked at, and accepted', pairSteps(facts)),
    ...skippedTable(facts),
  ]);
}
