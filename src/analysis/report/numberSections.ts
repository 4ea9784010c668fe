/** The sections of a page that are numbers alone: the largest at the top, all counts, and how the run compared. */

import { isSample } from '../../sketch/params.js';
import { countGroups, type NamedCounts } from '../result/countGroups.js';
import { runText } from '../result/excerpts.js';
import { escaped, type Markup, numberText, percentText, sizeMarkup, tableMarkup } from './markup.js';
import type { PageFacts } from './pageFacts.js';
import { section, thingsOf } from './parts.js';

/** The largest numbers of all, at the top. */
export function tilesMarkup(facts: PageFacts): Markup {
  const { counts } = facts.manifest;
  const things = thingsOf(facts);
  const pairs = counts.verified_pairs + counts.identical_pairs + counts.same_tokens_pairs;
  const tiles: readonly (readonly [string, string])[] = [
    [numberText(counts.read), `${things} compared`],
    [numberText(pairs), 'accepted pairs'],
    [numberText(counts.clusters), 'clusters'],
    [numberText(counts.dropped), `${things} can be dropped`],
    ...(counts.dropped_bytes === undefined
      ? []
      : [[sizeMarkup(counts.dropped_bytes), 'of text can be dropped'] as const]),
    [numberText(counts.kept), `${things} are kept`],
  ];
  const items = tiles.map(
    ([value, text]) => `<li><strong>${escaped(value)}</strong><span>${escaped(text)}</span></li>`,
  );
  return `<ul class="tiles">${items.join('')}</ul>`;
}

/** Every count with what it means. */
export function countSection(facts: PageFacts): Markup {
  const { counts, parameters } = facts.manifest;
  const groups = countGroups(
    Object.fromEntries(Object.entries(counts)) as NamedCounts,
    parameters.sets !== undefined,
  );
  const tables = groups.map(({ title, lines }) => {
    const rows = lines.map(({ count, text, isPart }) => [
      numberText(count),
      escaped(isPart ? `– ${text}` : text),
    ]);
    return tableMarkup(title, [{ title: 'number', isNumber: true }, { title: 'what' }], rows);
  });
  return section('counts', 'All counts', [`<div class="counts">${tables.join('\n')}</div>`]);
}

/** How the run compared, for whoever wants the same again. */
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
      : [['found of pairs at the threshold', percentText(sCurve.probability_at_threshold)] as const]),
    ['digest of the corpus', digest],
    ['version', version],
  ];
  const items = rows.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`);
  return section('settings', 'How it was compared', [`<dl class="facts">${items.join('')}</dl>`]);
}
