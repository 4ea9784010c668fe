/** The section of clusters: their sizes, and the largest ones. */

import { columnChart } from './charts.js';
import { countText, idMarkup, type Markup, numberText, tableMarkup } from './markup.js';
import type { PageFacts, SizeBin } from './pageFacts.js';
import { chartWithTable, compact, paragraph, section, thingsOf, WIDE } from './parts.js';
import { type Links, linked } from './viewTables.js';

const sizeLabel = ({ from, to }: SizeBin): string =>
  from === to ? numberText(from) : `${numberText(from)}–${numberText(to)}`;

function sizeChart(sizes: readonly SizeBin[], things: string, isContained: boolean): Markup {
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
  const heads = [
    { title: `${things} in it` },
    { title: 'clusters', isNumber: true },
    { title: things, isNumber: true },
  ] as const;
  const rows = sizes.map((bin) => [sizeLabel(bin), numberText(bin.clusters), numberText(bin.documents)]);
  return chartWithTable(
    (width) => columnChart(columns, { ...frame, width, height: width === WIDE ? 300 : 260 }),
    '',
    `A cluster is two or more ${things} that ${isContained ? 'contain one another' : 'resemble each other'}, or are joined by others that do.`,
    tableMarkup('Clusters by size', heads, rows),
  );
}

function largestTable({ largest }: PageFacts, things: string, link: Links['cluster']): Markup {
  const heads = [
    { title: 'cluster', isNumber: true },
    { title: things, isNumber: true },
    { title: 'least similarity', isNumber: true },
    { title: 'representative' },
  ] as const;
  const rows = largest.map(({ cluster, size, leastSimilarity, representative }) => [
    linked(numberText(cluster), link(cluster)),
    numberText(size),
    leastSimilarity === null ? '–' : leastSimilarity.toFixed(3),
    idMarkup(representative),
  ]);
  return compact(tableMarkup('Clusters by size, the largest first', heads, rows));
}

/** The section of clusters. `inside`: the markup of clusters in full, where the page has them. */
export function clusterSection(facts: PageFacts, link: Links['cluster'], inside: Markup = ''): Markup {
  const things = thingsOf(facts);
  if (facts.largest.length === 0)
    return section('clusters', 'Clusters', [paragraph('There are no clusters.')]);
  return section('clusters', 'Clusters', [
    sizeChart(facts.sizes, things, facts.manifest.parameters.measure === 'containment'),
    '<h3>The largest clusters</h3>',
    paragraph(
      'The least similarity is that of the member that resembles the representative least: far below the threshold, the ' +
        'cluster is a chain.',
    ),
    largestTable(facts, things, link),
    inside,
  ]);
}
