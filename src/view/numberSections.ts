/** The sections of a page that are numbers only: the main numbers at the top, all counts, and the settings of the run. */

import { countGroups } from '../analysis/result/countGroups.js';
import { runText } from '../analysis/result/excerpts.js';
import { toldNumbers } from '../output/facts.js';
import { survivorsText } from '../output/wording/wording.js';
import { type GroupRule, isSample } from '../sketch/params.js';
import { escaped, type Markup, numberText, percentText, sizeMarkup, tableMarkup } from './markup.js';
import type { PageFacts } from './pageFacts.js';
import { section, thingOf, thingsOf } from './parts.js';

/** The main numbers, at the top of the page. */
export function tilesMarkup(facts: PageFacts): Markup {
  const { counts } = facts.manifest;
  const countOf = (count: number): string => (count === 1 ? thingOf(facts) : thingsOf(facts));
  const pairs = counts.verified_pairs + counts.identical_pairs + counts.same_tokens_pairs;
  const tiles: readonly (readonly [string, string])[] = [
    [numberText(counts.read), `${countOf(counts.read)} compared`],
    [numberText(pairs), pairs === 1 ? 'accepted pair' : 'accepted pairs'],
    [numberText(counts.clusters), counts.clusters === 1 ? 'cluster' : 'clusters'],
    [numberText(counts.dropped), `${countOf(counts.dropped)} can be dropped`],
    ...(counts.dropped_bytes === undefined
      ? []
      : [[sizeMarkup(counts.dropped_bytes), 'of text can be dropped'] as const]),
    ...keptTiles(facts),
  ];
  const items = tiles.map(
    ([value, text]) => `<li><strong>${escaped(value)}</strong><span>${escaped(text)}</span></li>`,
  );
  return `<ul class="tiles">${items.join('')}</ul>`;
}

/** The tiles of kept documents, without those of a reference, which a cleaned corpus does not have. */
function keptTiles(facts: PageFacts): (readonly [string, string])[] {
  const { kept, reference_documents: reference } = facts.manifest.counts;
  const told = (
    count: number,
    before: string,
    after: [one: string, many: string],
  ): readonly [string, string] =>
    count === 1
      ? [numberText(count), `${before}${thingOf(facts)} ${after[0]}`]
      : [numberText(count), `${before}${thingsOf(facts)} ${after[1]}`];
  if (reference === undefined) return [told(kept, '', ['is kept', 'are kept'])];
  return [
    told(kept - reference, 'new ', ['is kept', 'are kept']),
    told(reference, '', ['of the reference', 'of the reference']),
  ];
}

/** Every count with its meaning. */
export function countSection(facts: PageFacts): Markup {
  const { parameters } = facts.manifest;
  const groups = countGroups(toldNumbers(facts.manifest), {
    things: thingsOf(facts),
    byContainment: parameters.measure === 'containment',
  });
  const tables = groups.map(({ title, lines }) => {
    const rows = lines.map(({ count, text, isPart }) => [
      numberText(count),
      escaped(isPart ? `– ${text}` : text),
    ]);
    return tableMarkup(title, [{ title: 'number', isNumber: true }, { title: 'what' }], rows);
  });
  return section('counts', 'All counts', [`<div class="counts">${tables.join('\n')}</div>`]);
}

/** Rows for the pairs that the run compared, its input, and its rule for which of two near-duplicates stays. */
function choiceRows(facts: PageFacts): (readonly [string, string])[] {
  const { parameters, sources } = facts.manifest;
  const { groups, unit, minTokens } = parameters;
  const paths = Array.isArray(sources) ? (sources as readonly string[]) : [];
  const things = thingsOf(facts);
  return [
    ...(groups === null ? [] : [['pairs', groupText(groups, things)] as const]),
    ...(unit === 'document' ? [] : [['unit', `${unit}s of the documents`] as const]),
    ...(minTokens === 0
      ? []
      : [['left alone', `${things} with fewer tokens than ${numberText(minTokens)}`] as const]),
    ['what stays', survivorsText(parameters, paths)],
  ];
}

/** The pairs that a run with groups compares, in words. */
function groupText(groups: GroupRule, things: string): string {
  switch (groups.by) {
    case 'against':
      return `of a new one and one of the reference (--against); pairs of two new ${things} were not looked for`;
    case 'field':
      return `of two groups: ${things} whose field ${JSON.stringify(groups.field)} differs (--group-field)`;
    case 'path':
      return `of two groups: ${things} whose places differ in the first ${groups.depth === 1 ? 'part' : `${groups.depth} parts`} (--group-by)`;
  }
}

/** The section of the run's settings, from which the run can be repeated. */
export function settingSection(facts: PageFacts, version: string): Markup {
  const { parameters, s_curve: sCurve, content_digest: digest } = facts.manifest;
  const { shingle, sketch, banding, measure, threshold, verify, sets } = parameters;
  const shingles = sets === undefined ? runText(shingle.unit, shingle.size) : 'elements of sets';
  const kind = isSample(sketch)
    ? `sample of fingerprints (${sketch.sketch})`
    : `${sketch.sketch}, ${sketch.hashes} slots${banding === null ? '' : ` in ${banding.bands} bands of ${banding.rows} rows`}`;
  const rows: readonly (readonly [string, string])[] = [
    [
      'measure',
      measure === 'containment' ? 'containment: how much of one is in the other' : 'Jaccard similarity',
    ],
    ['threshold', String(threshold)],
    ['compared', `${shingles}${shingle.bag ? ', repeated ones counted' : ''}`],
    ...(shingle.normalize === undefined ? [] : [['normalized', shingle.normalize.join(', ')] as const]),
    ['sketch', kind],
    [
      'verification',
      {
        exact: 'exact',
        signature: 'by signature: similarities are estimates',
        none: 'none: candidates alone',
      }[verify],
    ],
    ...(isSample(sketch)
      ? []
      : [
          [
            'recall',
            `${percentText(sCurve.probability_at_threshold)}: the chance that a pair just at the threshold is found`,
          ] as const,
        ]),
    ...choiceRows(facts),
    ['digest of the corpus', digest],
    ['version', version],
  ];
  const items = rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`);
  return section('settings', 'How it was compared', [`<dl class="facts">${items.join('')}</dl>`]);
}
