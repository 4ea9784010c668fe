/** The section of similarities of candidate pairs: a histogram with threshold and S-curve, and the drops at other thresholds. */

import { probabilityOfCandidate } from '../sketch/banding.js';
import { isSample } from '../sketch/params.js';
import { type ChartColumn, similarityChart } from './charts.js';
import { type Markup, numberText, tableMarkup } from './markup.js';
import type { PageFacts, SimilarityBin } from './pageFacts.js';
import { chartWithTable, compact, paragraph, section, WIDE } from './parts.js';

/** The probability that a pair becomes a candidate, as a function of its similarity; null where the page shows no curve. */
function curveOf({ manifest }: PageFacts): ((similarity: number) => number) | null {
  const { parameters, s_curve: sCurve } = manifest;
  const { banding, sketch, measure } = parameters;
  if (measure === 'containment') return null;
  if (banding !== null && banding.bands > 0 && !isSample(sketch)) {
    return (similarity) => probabilityOfCandidate(similarity, banding.bands, banding.rows);
  }
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

/** The meaning of the colours that occur in the histogram. */
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

/** The table beside the histogram: bins that are not empty. */
function binTable(filled: readonly SimilarityBin[], what: string): Markup {
  const rows = filled.map(({ from, accepted, rejected, estimated }) => [
    rangeText(from),
    numberText(accepted),
    numberText(rejected),
    numberText(estimated),
  ]);
  const heads = [
    { title: what },
    { title: 'accepted', isNumber: true },
    { title: 'rejected', isNumber: true },
    { title: 'by estimate', isNumber: true },
  ] as const;
  return tableMarkup(`Candidate pairs by ${what}`, heads, rows);
}

/** The explanation of several bars at one step. */
const BESIDE =
  ' Where pairs of one step had different outcomes their bars stand side by side, each counted from the axis up.';

function histogram(facts: PageFacts, filled: readonly SimilarityBin[]): Markup {
  const { bins, manifest } = facts;
  const { threshold, measure } = manifest.parameters;
  const isContainment = measure === 'containment';
  const what = isContainment ? 'containment' : 'similarity';
  const curve = curveOf(facts);
  const isMixed = filled.some(
    (bin) => [bin.accepted, bin.rejected, bin.estimated].filter((n) => n > 0).length > 1,
  );
  const chart = { columns: bins.map(binColumn), threshold, curve };
  const frame = {
    title: `Histogram of the ${what} of candidate pairs, with the threshold ${threshold}`,
    xTitle: isContainment ? 'containment, the larger of both ways (0 to 1)' : 'Jaccard similarity (0 to 1)',
    yTitle: 'candidate pairs',
  };
  return chartWithTable(
    (width) => similarityChart(chart, { ...frame, width, height: width === WIDE ? 340 : 290 }),
    similarityLegend(bins, curve !== null),
    `${captionOf(facts)}${isMixed ? BESIDE : ''}`,
    binTable(filled, what),
  );
}

function noneText({ manifest }: PageFacts): string {
  const { candidate_pairs: all } = manifest.counts;
  return all === 0
    ? 'There are no candidate pairs.'
    : `None of ${numberText(all)} candidate pairs is listed (--candidates).`;
}

/** The histogram of similarities with the threshold and the S-curve. */
export function similaritySection(facts: PageFacts): Markup {
  const { bins, manifest } = facts;
  const what = manifest.parameters.measure === 'containment' ? 'Containment' : 'Similarity';
  const filled = bins.filter(({ accepted, rejected, estimated }) => accepted + rejected + estimated > 0);
  return section('similarities', `${what} of candidate pairs`, [
    filled.length === 0 ? paragraph(noneText(facts)) : histogram(facts, filled),
    ...thresholdTable(facts),
  ]);
}

function captionOf({ manifest }: PageFacts): string {
  const { verify, measure } = manifest.parameters;
  if (measure === 'containment')
    return 'Accepted pairs alone: the result has no containment of other candidates.';
  const { candidate_pairs: all, candidates_listed: listed = all } = manifest.counts;
  const values =
    verify === 'exact'
      ? 'Where a candidate was compared exactly that similarity counts, else the estimate from its sketch.'
      : 'Similarities are estimates from sketches.';
  const others =
    listed === all
      ? ''
      : ` ${numberText(all - listed)} candidates that agree in less are not listed (--candidates), and not shown.`;
  return `${values}${others} Pairs that never became candidates are not shown: the S-curve says how likely that is.`;
}

/** The drops at other thresholds. */
function thresholdTable({ pairsFrom, manifest }: PageFacts): Markup[] {
  if (manifest.counts.verified_pairs === 0) return [];
  const drops = new Map(manifest.numbers.thresholds.map(({ threshold, dropped }) => [threshold, dropped]));
  const hasDrops = drops.size > 0;
  const rows = pairsFrom.map(({ threshold, pairs }) => [
    String(threshold),
    numberText(pairs),
    ...(hasDrops ? [numberText(drops.get(threshold) ?? 0)] : []),
  ]);
  const heads = [
    { title: 'threshold' },
    { title: 'near pairs at or above it', isNumber: true },
    ...(hasDrops ? [{ title: 'would be dropped', isNumber: true } as const] : []),
  ] as const;
  const caption = 'What a run with another threshold would accept, from the pairs of this one';
  return ['<h3>At higher thresholds</h3>', compact(tableMarkup(caption, heads, rows))];
}
