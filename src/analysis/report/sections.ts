/** The sections of a page about a result: each heading, sentence, chart and table, of facts that were read before. */

import { candidateCurve } from '../../sketch/banding.js';
import { isSample } from '../../sketch/params.js';
import { countGroups, type NamedCounts } from '../result/countGroups.js';
import { runText } from '../result/excerpts.js';
import { type ChartColumn, columnChart, similarityChart } from './charts.js';
import {
  barMarkup,
  countText,
  escaped,
  idMarkup,
  type Markup,
  numberText,
  percentText,
  sizeMarkup,
  tableMarkup,
} from './markup.js';
import type { PageFacts, SimilarityBin, SizeBin } from './pageFacts.js';
import type { PageNumbers } from './pageNumbers.js';

const WIDE = 680;
const NARROW = 360;

/** A heading that the contents at the top lead to. */
function section(id: string, title: string, content: readonly Markup[]): Markup {
  return `<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${escaped(title)}</h2>\n${content.join('\n')}\n</section>`;
}

/** A table that is as wide as its cells. */
const compact = (table: Markup): Markup => `<div class="compact">${table}</div>`;

const paragraph = (text: string): Markup => `<p>${escaped(text)}</p>`;

/** A chart for wide windows and one for narrow ones, and the table of its numbers beside it. */
function chartWithTable(
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

/** The words of documents or sets. */
function thingsOf({ manifest }: PageFacts): { readonly thing: string; readonly things: string } {
  const thing = manifest.parameters.sets === undefined ? 'document' : 'set';
  return { thing, things: `${thing}s` };
}

/** The largest numbers of all, at the top. */
export function tilesMarkup(facts: PageFacts): Markup {
  const { counts } = facts.manifest;
  const { things } = thingsOf(facts);
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

interface FunnelStep {
  readonly label: string;
  readonly count: number;
  /** Of which step the share is told; absent: it is the whole. */
  readonly of?: number;
  readonly kind?: string;
  readonly text: string;
}

function funnelTable(caption: string, steps: readonly FunnelStep[]): Markup {
  const rows = steps.map(({ label, count, of, kind, text }) => {
    const share = of === undefined ? 1 : of === 0 ? 0 : count / of;
    return [
      escaped(label),
      numberText(count),
      of === undefined ? '' : escaped(percentText(share)),
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

/** From what was found to what is dropped. */
export function funnelSection(facts: PageFacts): Markup {
  const { counts, parameters } = facts.manifest;
  const { things } = thingsOf(facts);
  const skipped = Object.values(counts.skipped).reduce((sum, count) => sum + count, 0);
  const possible = (counts.read * (counts.read - 1)) / 2;
  const same = counts.identical_pairs + counts.same_tokens_pairs;
  const documents: FunnelStep[] = [
    { label: 'found', count: counts.documents, text: `${things} and places below the PATHs` },
    {
      label: 'skipped',
      count: skipped,
      of: counts.documents,
      kind: 'skipped',
      text: 'could not be read, or are no text',
    },
    {
      label: 'compared',
      count: counts.read,
      of: counts.documents,
      text: `${things} with a part in the result`,
    },
    {
      label: 'in clusters',
      count: counts.clustered_documents,
      of: counts.read,
      text: `${things} that resemble another one`,
    },
    {
      label: 'dropped',
      count: counts.dropped,
      of: counts.read,
      kind: 'dropped',
      text: 'each has a kept one that it resembles',
    },
    { label: 'kept', count: counts.kept, of: counts.read, kind: 'kept', text: 'what a clean corpus holds' },
  ];
  const pairs: FunnelStep[] = [
    { label: 'possible', count: possible, text: `every two ${things}` },
    {
      label: 'candidates',
      count: counts.candidate_pairs,
      of: possible,
      text: 'share a bucket, so that they were looked at',
    },
    {
      label: 'near',
      count: counts.verified_pairs,
      of: counts.candidate_pairs,
      text:
        parameters.verify === 'none'
          ? 'none: candidates were not verified'
          : `reach the threshold ${parameters.threshold}; share of the candidates`,
    },
    { label: 'the same', count: same, text: 'identical or of the same tokens, found without buckets' },
  ];
  const last = pairs.map((step) =>
    step.label === 'the same' ? { ...step, of: counts.verified_pairs + same } : step,
  );
  last[3] = { ...last[3]!, text: `${pairs[3]!.text}; share of the accepted pairs` };
  return section('funnel', 'From documents to a drop list', [
    funnelTable(`What became of the ${things}`, documents),
    '<h3>Pairs</h3>',
    funnelTable('Which pairs were looked at, and accepted', last),
    ...skippedTable(facts),
  ]);
}

function skippedTable({ manifest }: PageFacts): Markup[] {
  const skipped = countGroups({ skipped: manifest.counts.skipped }).flatMap(({ lines }) => lines.slice(1));
  if (skipped.length === 0) return [];
  const rows = skipped.map(({ count, text }) => [escaped(text), numberText(count)]);
  return [
    '<h3>Skipped</h3>',
    tableMarkup('Why places were skipped', [{ title: 'Reason' }, { title: 'Places', isNumber: true }], rows),
  ];
}

/** The probability that a pair becomes a candidate, by its similarity. */
function curveOf({ manifest }: PageFacts): ((similarity: number) => number) | null {
  const { parameters, s_curve: sCurve } = manifest;
  const { banding, sketch, measure } = parameters;
  if (measure === 'containment') return null;
  if (banding !== null && !isSample(sketch)) return candidateCurve(banding, sketch);
  const { table } = sCurve;
  if (table.length < 2) return null;
  return (similarity) => {
    const next = table.findIndex((point) => point.similarity >= similarity);
    if (next <= 0) return table[0]!.probability;
    const [from, to] = [table[next - 1]!, table[next]!];
    const share = (similarity - from.similarity) / (to.similarity - from.similarity);
    return from.probability + share * (to.probability - from.probability);
  };
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
  return { label: '', title: `${rangeText(from)}: ${words.join(', ') || 'none'}`, parts };
}

/** What the colours of the histogram mean; those that occur. */
function similarityLegend(bins: readonly SimilarityBin[], hasCurve: boolean): Markup {
  const has = (kind: 'accepted' | 'rejected' | 'estimated'): boolean => bins.some((bin) => bin[kind] > 0);
  const items = [
    ...(has('accepted') ? ['<li><i></i>accepted</li>'] : []),
    ...(has('rejected') ? ['<li><i class="rejected"></i>rejected</li>'] : []),
    ...(has('estimated')
      ? ['<li><i class="estimated"></i>by estimate alone, not compared exactly</li>']
      : []),
    '<li><i class="threshold"></i>threshold</li>',
    ...(hasCurve
      ? [
          '<li><i class="curve"></i>S-curve: probability that such a pair becomes a candidate (right axis)</li>',
        ]
      : []),
  ];
  return `<ul class="legend">${items.join('')}</ul>`;
}

/** The histogram of similarities with the threshold and the S-curve. */
export function similaritySection(facts: PageFacts, numbers: PageNumbers | null): Markup {
  const { bins, manifest } = facts;
  const { threshold, measure } = manifest.parameters;
  const what = measure === 'containment' ? 'Containment' : 'Similarity';
  const filled = bins.filter(({ accepted, rejected, estimated }) => accepted + rejected + estimated > 0);
  const pairsTable = thresholdTable(facts, numbers);
  if (filled.length === 0) {
    return section('similarities', `${what} of candidate pairs`, [
      paragraph('There are no candidate pairs.'),
      ...pairsTable,
    ]);
  }
  const curve = curveOf(facts);
  const columns = bins.map(binColumn);
  const frame = {
    title: `Histogram of the ${what.toLowerCase()} of candidate pairs, with the threshold ${threshold}`,
    xTitle:
      measure === 'containment'
        ? 'containment, the larger of both ways (0 to 1)'
        : 'Jaccard similarity (0 to 1)',
    yTitle: 'candidate pairs',
  };
  const rows = filled.map(({ from, accepted, rejected, estimated }) => [
    rangeText(from),
    numberText(accepted),
    numberText(rejected),
    numberText(estimated),
  ]);
  const table = tableMarkup(
    'Candidate pairs by similarity',
    [
      { title: measure === 'containment' ? 'containment' : 'similarity' },
      { title: 'accepted', isNumber: true },
      { title: 'rejected', isNumber: true },
      { title: 'by estimate', isNumber: true },
    ],
    rows,
  );
  return section('similarities', `${what} of candidate pairs`, [
    chartWithTable(
      (width) =>
        similarityChart(
          { columns, threshold, curve },
          { ...frame, width, height: width === WIDE ? 340 : 290 },
        ),
      similarityLegend(bins, curve !== null),
      captionOf(facts),
      table,
    ),
    ...pairsTable,
  ]);
}

function captionOf({ manifest }: PageFacts): string {
  const { verify, measure } = manifest.parameters;
  if (measure === 'containment')
    return 'Accepted pairs alone: the result has no containment of other candidates.';
  if (verify === 'exact') {
    return 'Where a candidate was compared exactly that similarity counts, else the estimate from its sketch. Pairs that never became candidates are not shown: the S-curve says how likely that is.';
  }
  return 'Similarities are estimates from sketches. Pairs that never became candidates are not shown: the S-curve says how likely that is.';
}

/** What another threshold would do. */
function thresholdTable({ pairsFrom, manifest }: PageFacts, numbers: PageNumbers | null): Markup[] {
  if (manifest.counts.verified_pairs === 0) return [];
  const drops = new Map((numbers?.thresholds ?? []).map(({ threshold, dropped }) => [threshold, dropped]));
  const pairs = new Map(pairsFrom.map((entry) => [entry.threshold, entry.pairs]));
  const all = [...new Set([...drops.keys(), ...pairs.keys()])].sort((x, y) => y - x);
  const shown =
    drops.size === 0 ? all : all.filter((threshold) => drops.has(threshold) && pairs.has(threshold));
  const rows = shown.map((threshold) => [
    String(threshold),
    numberText(pairs.get(threshold) ?? 0),
    ...(drops.size === 0 ? [] : [numberText(drops.get(threshold) ?? 0)]),
  ]);
  const heads = [
    { title: 'threshold' },
    { title: 'near pairs at or above it', isNumber: true },
    ...(drops.size === 0 ? [] : [{ title: 'would be dropped', isNumber: true } as const]),
  ] as const;
  return [
    '<h3>At higher thresholds</h3>',
    compact(
      tableMarkup('What a run with another threshold would accept, from the pairs of this one', heads, rows),
    ),
  ];
}

const sizeLabel = ({ from, to }: SizeBin): string => (from === to ? String(from) : `${from}–${to}`);

/** Cluster sizes, and the largest clusters. */
export function clusterSection(facts: PageFacts): Markup {
  const { sizes, largest } = facts;
  const { things } = thingsOf(facts);
  if (largest.length === 0) return section('clusters', 'Clusters', [paragraph('There are no clusters.')]);
  const columns = sizes.map((bin) => ({
    label: sizeLabel(bin),
    title: `${sizeLabel(bin)} ${things}: ${countText(bin.clusters, 'cluster')}`,
    parts: [{ count: bin.clusters, kind: 'accepted' }],
  }));
  const frame = {
    title: `Number of clusters by the ${things} in them`,
    xTitle: `${things} in a cluster`,
    yTitle: 'clusters',
  };
  const table = tableMarkup(
    `Clusters by size`,
    [{ title: `${things} in it` }, { title: 'clusters', isNumber: true }, { title: things, isNumber: true }],
    sizes.map((bin) => [sizeLabel(bin), numberText(bin.clusters), numberText(bin.documents)]),
  );
  const largestTable = tableMarkup(
    'The least similarity is that of the member that resembles the representative least: far below the threshold, the cluster is a chain.',
    [
      { title: 'cluster', isNumber: true },
      { title: things, isNumber: true },
      { title: 'least similarity', isNumber: true },
      { title: 'representative' },
    ],
    largest.map(({ cluster, size, leastSimilarity, representative }) => [
      numberText(cluster),
      numberText(size),
      leastSimilarity === null ? '–' : leastSimilarity.toFixed(3),
      idMarkup(representative),
    ]),
  );
  return section('clusters', 'Clusters', [
    chartWithTable(
      (width) => columnChart(columns, { ...frame, width, height: width === WIDE ? 300 : 260 }),
      '',
      'A cluster is two or more documents that resemble each other, or are joined by others that do.',
      table,
    ),
    '<h3>The largest clusters</h3>',
    compact(largestTable),
  ]);
}

/** Sources by what is dropped of them. */
export function sourceSection(facts: PageFacts, numbers: PageNumbers | null): Markup {
  const { things } = thingsOf(facts);
  const title = 'Sources by drops';
  if (facts.manifest.counts.dropped === 0)
    return section('sources', title, [paragraph('Nothing is dropped.')]);
  const given = numbers?.sources ?? [];
  if (given.length > 0) {
    const rows = given.map(({ source, kept, dropped }) => {
      const all = kept + dropped;
      const share = all === 0 ? 0 : dropped / all;
      const name = source === null ? escaped('all others') : idMarkup(source);
      return [
        name,
        numberText(all),
        numberText(dropped),
        escaped(percentText(share)),
        barMarkup(share, 'dropped'),
      ];
    });
    const heads = [
      { title: 'source' },
      { title: things, isNumber: true },
      { title: 'dropped', isNumber: true },
      { title: 'share', isNumber: true },
      { title: '' },
    ] as const;
    const table = tableMarkup('The bar is the share of the source that is dropped', heads, rows);
    return section('sources', title, [`<div class="bars">${table}</div>`, ...reasonTable(numbers)]);
  }
  const { dropped } = facts.manifest.counts;
  const shown = facts.sources.map(({ source, dropped: count }) => [idMarkup(source), count] as const);
  const rows = [...shown, ...(facts.others > 0 ? [[escaped('all others'), facts.others] as const] : [])].map(
    ([name, count]) => [
      name,
      numberText(count),
      escaped(percentText(count / dropped)),
      barMarkup(count / dropped, 'dropped'),
    ],
  );
  const heads = [
    { title: 'source' },
    { title: 'dropped', isNumber: true },
    { title: 'share of all drops', isNumber: true },
    { title: '' },
  ] as const;
  const table = tableMarkup(
    'By the file of records, or the first folder, that a dropped one is in',
    heads,
    rows,
  );
  return section('sources', title, [`<div class="bars">${table}</div>`, ...reasonTable(numbers)]);
}

function reasonTable(numbers: PageNumbers | null): Markup[] {
  if (numbers === null) return [];
  const words: readonly (readonly [string, keyof PageNumbers['reasons']])[] = [
    ['the same byte for byte', 'identical'],
    ['the same tokens: other case, punctuation or layout', 'same_tokens'],
    ['nearly the same', 'near'],
  ];
  const rows = words.map(([text, reason]) => {
    const { documents, bytes, tokens } = numbers.reasons[reason];
    return [
      escaped(text),
      numberText(documents),
      bytes === undefined ? '–' : escaped(sizeMarkup(bytes)),
      numberText(tokens),
    ];
  });
  const heads = [
    { title: 'reason' },
    { title: 'dropped', isNumber: true },
    { title: 'text', isNumber: true },
    { title: 'tokens', isNumber: true },
  ] as const;
  return [
    '<h3>Reasons</h3>',
    compact(tableMarkup('How what is dropped resembles what is kept for it', heads, rows)),
  ];
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
