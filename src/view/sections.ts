/**
 * The sections of a page about a result: the answer, similarities, clusters, sources, all counts, and the settings
 * of the run. A chart is beside the table of its numbers.
 */
import { runText } from '../analysis/result/excerpts.js';
import type { SourceNumbers } from '../result/facts.js';
import { factGroups } from '../result/factText.js';
import { acceptedPairs } from '../result/manifest.js';
import { keptText, listed, thresholdText, wordingOf } from '../result/wording/wording.js';
import { probabilityOfCandidate } from '../sketch/banding.js';
import { type ChartColumn, similarityChart } from './charts.js';
import {
  barMarkup,
  escaped,
  idMarkup,
  type Markup,
  numberText,
  percentText,
  sizeMarkup,
  tableMarkup,
} from './markup.js';
import type { PageFacts, SimilarityBin, SizeBin } from './pageFacts.js';
import { type Links, linked } from './viewTables.js';

/** Widths of a chart in pixels, for wide windows and for narrow ones. */
const WIDE = 680;
const NARROW = 360;

/** A section with a heading, to which the contents at the top of the page link. */
export function section(id: string, title: string, content: readonly Markup[]): Markup {
  return `<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${escaped(title)}</h2>\n${content.join('\n')}\n</section>`;
}

function paragraph(text: string): Markup {
  return `<p>${escaped(text)}</p>`;
}

/** A section behind its heading, which opens it; so does a link to it. */
function foldedSection(id: string, title: string, content: readonly Markup[]): Markup {
  return `<section aria-labelledby="${id}-title"><details class="more"><summary><h2 id="${id}-title">${escaped(title)}</h2></summary>\n<div id="${id}">${content.join('\n')}</div></details></section>`;
}

/** The word for one compared document: document, set or unit. */
export function thingOf({ manifest }: Pick<PageFacts, 'manifest'>): string {
  return wordingOf(manifest.parameters).document;
}

/** The word for several compared documents. */
export function thingsOf({ manifest }: Pick<PageFacts, 'manifest'>): string {
  return wordingOf(manifest.parameters).documents;
}

/** The answer at the top of the page: what can be dropped, in words and as a bar, and the other main numbers. */
export function answerMarkup(facts: PageFacts): Markup {
  const { counts, numbers } = facts.manifest;
  const countOf = (count: number): string => (count === 1 ? thingOf(facts) : thingsOf(facts));
  const { kept, reference_documents: reference } = counts;
  const pairs = acceptedPairs(counts);
  const share = (count: number): number => (counts.read === 0 ? 0 : count / counts.read);
  const { identical, same_tokens: same, near } = numbers.reasons;
  const parts = (
    [
      ['kept', kept, 'kept'],
      ['near', near.documents, 'similar'],
      ['same', same.documents, 'same words'],
      ['identical', identical.documents, 'identical'],
    ] as const
  ).filter(([, count]) => count > 0);
  const bar = parts
    .map(
      ([kind, count]) => `<i class="${kind}" style="flex:${Math.max(0.004, share(count)).toFixed(4)}"></i>`,
    )
    .join('');
  const legend = parts.map(
    ([kind, count, text]) => `<li><i class="${kind}"></i>${escaped(`${numberText(count)} ${text}`)}</li>`,
  );
  const isNew = reference === undefined ? '' : 'new ';
  const figures: readonly (readonly [value: string | null, text: string])[] = [
    [counts.dropped_bytes === undefined ? null : sizeMarkup(counts.dropped_bytes), 'of text can be dropped'],
    [numberText(kept), `${isNew}${countOf(kept)} ${kept === 1 ? 'is' : 'are'} kept`],
    [reference === undefined ? null : numberText(reference), `${countOf(reference ?? 0)} of the reference`],
    [numberText(counts.clusters), counts.clusters === 1 ? 'cluster' : 'clusters'],
    [numberText(pairs), pairs === 1 ? 'accepted pair' : 'accepted pairs'],
  ];
  const items = figures.map(([value, text]) =>
    value === null ? '' : `<li><strong>${escaped(value)}</strong><span>${escaped(text)}</span></li>`,
  );
  return `<div class="answer"><p><strong class="main">${numberText(counts.dropped)}</strong> of <strong>${numberText(counts.read)}</strong> ${escaped(`${thingsOf(facts)} can be dropped`)} <span class="dim">${escaped(percentText(share(counts.dropped)))}</span></p><div class="stack" aria-hidden="true">${bar}</div><ul class="legend">${legend.join('')}</ul></div><ul class="figures">${items.join('')}</ul>`;
}

/** The probability that a pair becomes a candidate, as a function of its similarity; null if the page shows no curve. */
function curveOf({ manifest }: PageFacts): ((similarity: number) => number) | null {
  const { banding, measure } = manifest.parameters;
  if (measure === 'containment') return null;
  if (banding.bands === 0) return null;
  return (similarity) => probabilityOfCandidate(similarity, banding.bands, banding.rows);
}

const rangeText = (from: number): string => `${from.toFixed(2)} to ${(from + 0.02).toFixed(2)}`;

function binColumn({ from, accepted, rejected, estimated }: SimilarityBin): ChartColumn {
  const parts = [
    { count: accepted, kind: 'accepted' },
    { count: rejected, kind: 'rejected' },
    { count: estimated, kind: 'estimated' },
  ];
  const words = parts
    .filter(({ count }) => count > 0)
    .map(({ count, kind }) => `${numberText(count)} ${kind}`);
  return { title: `${rangeText(from)}: ${words.join(', ') || 'none'}`, parts };
}

/** The meaning of the colours that occur in the histogram. */
function similarityLegend(bins: readonly SimilarityBin[], hasCurve: boolean): Markup {
  const has = (kind: 'accepted' | 'rejected' | 'estimated'): boolean => bins.some((bin) => bin[kind] > 0);
  const items: readonly (readonly [isShown: boolean, kind: string, text: string])[] = [
    [has('accepted'), '', 'accepted'],
    [has('rejected'), 'rejected', 'rejected'],
    [has('estimated'), 'estimated', 'by estimate, not compared exactly'],
    [true, 'threshold', 'threshold'],
    [hasCurve, 'curve', 'S-curve: probability that such a pair becomes a candidate (right axis)'],
  ];
  const shown = items.map(([isShown, kind, text]) =>
    isShown ? `<li><i class="${kind}"></i>${text}</li>` : '',
  );
  return `<ul class="legend">${shown.join('')}</ul>`;
}

/** The table beside the histogram: bins that are not empty. */
function binTable(filled: readonly SimilarityBin[], what: string): Markup {
  const rows = filled.map(({ from, accepted, rejected, estimated }) => [
    rangeText(from),
    numberText(accepted),
    numberText(rejected),
    numberText(estimated),
  ]);
  const heads = [what, '#accepted', '#rejected', '#by estimate'];
  return tableMarkup(`Candidate pairs by ${what}`, heads, rows);
}

function histogram(facts: PageFacts, filled: readonly SimilarityBin[], beside: Markup): Markup {
  const { bins, manifest } = facts;
  const { threshold, measure } = manifest.parameters;
  const isContainment = measure === 'containment';
  const what = isContainment ? 'containment' : 'similarity';
  const curve = curveOf(facts);
  const chart = { columns: bins.map(binColumn), threshold, curve };
  const frame = {
    title: `Histogram of the ${what} of candidate pairs, with the threshold ${threshold}`,
    xTitle: isContainment
      ? 'containment, the larger of both directions (0 to 1)'
      : 'Jaccard similarity (0 to 1)',
    yTitle: 'candidate pairs',
  };
  const chartFor = (width: number): Markup =>
    similarityChart(chart, { ...frame, width, height: width === WIDE ? 340 : 290 });
  return (
    `<div class="beside-table"><figure>${similarityLegend(bins, curve !== null)}<div class="wide">${chartFor(WIDE)}</div><div class="narrow">${chartFor(NARROW)}</div>` +
    `<figcaption>${escaped(captionOf(facts))}</figcaption><details class="numbers"><summary>Numbers in this chart</summary>${binTable(filled, what)}</details></figure><div>${beside}</div></div>`
  );
}

function noneText({ manifest }: PageFacts): string {
  const { candidate_pairs: total } = manifest.counts;
  return total === 0
    ? 'There are no candidate pairs.'
    : `The ${numberText(total)} candidate pairs are not listed (--candidates).`;
}

/** The histogram of similarities with the threshold and the S-curve. */
export function similaritySection(facts: PageFacts): Markup {
  const { bins, manifest } = facts;
  const what = manifest.parameters.measure === 'containment' ? 'Containment' : 'Similarity';
  const filled = bins.filter(({ accepted, rejected, estimated }) => accepted + rejected + estimated > 0);
  return section('similarities', `${what} of candidate pairs`, [
    filled.length === 0 ? paragraph(noneText(facts)) : histogram(facts, filled, thresholdTable(facts)),
  ]);
}

function captionOf({ manifest }: PageFacts): string {
  const { verify, measure } = manifest.parameters;
  if (measure === 'containment')
    return 'Accepted pairs only: the result has no containment of other candidates.';
  const { candidate_pairs: total, candidates_listed: listed = total } = manifest.counts;
  const values =
    verify === 'exact'
      ? 'Similarities are exact if a candidate was compared exactly, otherwise estimates from sketches.'
      : 'Similarities are estimates from sketches.';
  const others =
    listed === total
      ? ''
      : ` ${numberText(total - listed)} candidates of lower agreement are not listed (--candidates), and not shown.`;
  return `${values}${others} Pairs that never became candidates are not shown: the S-curve shows how likely that is.`;
}

/** The drops at other thresholds. */
function thresholdTable({ pairsFrom, manifest }: PageFacts): Markup {
  if (manifest.counts.verified_pairs === 0) return '';
  const drops = new Map(manifest.numbers.thresholds.map(({ threshold, dropped }) => [threshold, dropped]));
  const rows = pairsFrom.map(({ threshold, pairs }) => [
    thresholdText(threshold),
    numberText(pairs),
    numberText(drops.get(threshold)!),
  ]);
  const heads = ['threshold', '#similar pairs', '#would be dropped'];
  const caption = 'The outcome of runs with other thresholds, from the pairs of this run';
  return `<h3>At other thresholds</h3>${tableMarkup(caption, heads, rows)}`;
}

const sizeLabel = ({ from, to }: SizeBin): string =>
  from === to ? numberText(from) : `${numberText(from)}–${numberText(to)}`;

/** Clusters by size, with a bar for the number of clusters. */
function sizeTable(sizes: readonly SizeBin[], things: string): Markup {
  const most = Math.max(...sizes.map(({ clusters }) => clusters));
  const rows = sizes.map((bin) => [
    sizeLabel(bin),
    numberText(bin.clusters),
    numberText(bin.documents),
    barMarkup(bin.clusters / most),
  ]);
  const heads = [`#${things} in it`, '#clusters', `#${things}`, ''];
  return `<div class="bars">${tableMarkup('Clusters by size', heads, rows)}</div>`;
}

function largestTable({ largest }: PageFacts, things: string, link: Links['cluster']): Markup {
  const heads = ['#cluster', `#${things}`, '#least similarity', 'representative'];
  const rows = largest.map(({ cluster, size, leastSimilarity, representative }) => [
    linked(numberText(cluster), link(cluster)),
    numberText(size),
    leastSimilarity === null ? '–' : leastSimilarity.toFixed(3),
    idMarkup(representative),
  ]);
  return tableMarkup('Clusters by size, the largest first', heads, rows);
}

/** The section of clusters. `inside`: the markup of clusters in full, if the page has them. */
export function clusterSection(facts: PageFacts, link: Links['cluster'], inside: Markup = ''): Markup {
  const things = thingsOf(facts);
  if (facts.largest.length === 0)
    return section('clusters', 'Clusters', [paragraph('There are no clusters.')]);
  const isContained = facts.manifest.parameters.measure === 'containment';
  const meaning = `A cluster is two or more ${things} that ${isContained ? 'contain one another' : 'resemble each other'}, or are joined by others that do.`;
  const least =
    'Least similarity: that of the document least similar to the representative. A value far below the threshold means that the cluster is a chain.';
  return section('clusters', 'Clusters', [
    `<div class="beside-table"><div><h3>Sizes</h3>${sizeTable(facts.sizes, things)}<p class="dim">${escaped(meaning)}</p></div><div><h3>The largest clusters</h3>${largestTable(facts, things, link)}<p class="dim">${escaped(least)}</p></div></div>`,
    inside,
  ]);
}

/** The name of a source; files in no folder below the PATH have none. */
function sourceMarkup(source: string): Markup {
  return source === '.' || source === './' ? escaped('(files directly in the folder)') : idMarkup(source);
}

/** Most rows of sources. */
const MOST_ROWS = 30;

/** Sources with their documents and drops. */
function sourceTable(sources: readonly SourceNumbers[], things: string): Markup {
  const listed = sources.filter(({ source }) => source !== null).slice(0, MOST_ROWS);
  const rest = sources.filter((row) => !listed.includes(row));
  const sumOf = (amount: 'kept' | 'dropped'): number =>
    rest.reduce((sum, row) => sum + row[amount].documents, 0);
  const counted = listed.map(({ source, kept, dropped }) => ({
    ...{ name: sourceMarkup(source!), kept: kept.documents, dropped: dropped.documents },
  }));
  const others = { name: escaped('all others'), kept: sumOf('kept'), dropped: sumOf('dropped') };
  const rows = [...counted, ...(rest.length === 0 ? [] : [others])].map(({ name, kept, dropped }) => {
    const total = kept + dropped;
    const share = total === 0 ? 0 : dropped / total;
    return [
      name,
      numberText(total),
      numberText(dropped),
      escaped(percentText(share)),
      barMarkup(share, 'dropped'),
    ];
  });
  const heads = ['source', `#${things}`, '#dropped', '#share', ''];
  return `<div class="bars">${tableMarkup('The bar is the share of the source that is dropped', heads, rows)}</div>`;
}

export function sourceSection(facts: PageFacts): Markup {
  const { counts, numbers } = facts.manifest;
  if (counts.dropped === 0) return section('sources', 'Sources by drops', [paragraph('Nothing is dropped.')]);
  return section('sources', 'Sources by drops', [
    numbers.sources.length > 0
      ? sourceTable(numbers.sources, thingsOf(facts))
      : paragraph('Sets have no source, because their elements may come from many files.'),
  ]);
}

/** Every count with its meaning. */
export function countSection(facts: PageFacts): Markup {
  const { parameters } = facts.manifest;
  const groups = factGroups(facts.manifest, {
    things: thingsOf(facts),
    byContainment: parameters.measure === 'containment',
  });
  const tables = groups.map(({ title, lines }) => {
    const rows = lines.map(({ value, text, isPart }) => [
      escaped(value),
      escaped(isPart ? `– ${text}` : text),
    ]);
    return tableMarkup(title, ['#number', 'what'], rows);
  });
  return foldedSection('counts', 'All counts', [`<div class="counts">${tables.join('\n')}</div>`]);
}

const VERIFICATIONS = {
  exact: 'exact',
  signature: 'by signature: similarities are estimates',
  none: 'none: candidates only',
} as const;

/** The section of the run's settings, with which the run can be repeated. */
export function settingSection(facts: PageFacts, version: string): Markup {
  const { parameters, sources, s_curve: sCurve, content_digest: digest } = facts.manifest;
  const { shingle, sketch, banding, measure, threshold, verify, sets, groups, unit, minTokens } = parameters;
  const things = thingsOf(facts);
  const shingles = sets === undefined ? runText(shingle.unit, shingle.size) : 'elements of sets';
  const paths = Array.isArray(sources) ? `; the PATHs in their order: ${listed(sources)}` : '';
  const ofReference = `${things} of the reference (--against)`;
  const pairs = groups?.only
    ? `of a new one and one of the reference (--against); new ${things} were not compared with each other`
    : `with a new one; ${ofReference} were not compared with each other`;
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    [
      'measure',
      measure === 'containment' ? 'containment: the share of one in the other' : 'Jaccard similarity',
    ],
    ['threshold', String(threshold)],
    ['compared', `${shingles}${shingle.bag ? ', repeated ones counted' : ''}`],
    ['normalized', shingle.normalize?.join(', ') ?? null],
    ['sketch', `${sketch.sketch}, ${sketch.hashes} slots in ${banding.bands} bands of ${banding.rows} rows`],
    ['verification', VERIFICATIONS[verify]],
    [
      'recall',
      `${percentText(sCurve.probability_at_threshold)}: the chance that a pair just at the threshold is found`,
    ],
    ['pairs', groups === null ? null : pairs],
    ['unit', unit === 'document' ? null : `${unit}s of the documents`],
    ['left alone', minTokens === 0 ? null : `${things} with fewer tokens than ${numberText(minTokens)}`],
    ['what is kept', `${keptText(parameters)}${paths}`],
    ['digest of the corpus', digest],
    ['version', version],
  ];
  const items = rows.map(([name, value]) =>
    value === null ? '' : `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`,
  );
  return foldedSection('settings', 'How it was compared', [`<dl class="facts">${items.join('')}</dl>`]);
}
