/**
 * A cluster in `view`: the documents that resemble each other, and the chain of pairs by which a document belongs to
 * the cluster.
 */

import { pairOf, partOf, type ResultIndex } from '../result/resultIndex.js';
import { Likeness } from './likeness.js';
import { escaped, type Markup, numberText } from './markup.js';
import {
  documentMarkup,
  documentText,
  type Links,
  linked,
  pairsOfCluster,
  VIEW_LINKS,
} from './viewTables.js';

/** Most documents of a cluster that is shown as a matrix, and of one that is shown as a graph. */
const MOST_CELLS = 60;
const MOST_NODES = 300;

/** The pairs of a cluster as a matrix or a graph; a message for clusters of more than MOST_NODES documents. */
export function likenessMarkup(index: ResultIndex, cluster: number, links: Links): Markup {
  const [from, to] = [index.starts.at(cluster - 1)!, index.starts.at(cluster)!];
  if (to - from > MOST_NODES)
    return `<p>With more than ${MOST_NODES} documents a picture says nothing: the pairs are listed below.</p>`;
  return to - from > MOST_CELLS ? graph(index, cluster, from, to) : matrix(index, cluster, links);
}

function matrix(index: ResultIndex, cluster: number, links: Links): Markup {
  const { part, numbers: all } = partOf(index, [cluster]);
  const likeness = new Likeness(part);
  const from = all[0]!;
  const numbers = Array.from(all, (_, i) => i);
  const head = numbers.map((i) => `<th scope="col">${i + 1}</th>`).join('');
  const rows = numbers.map((i) => {
    const cells = numbers.map((j) => {
      if (i === j) return '<td class="self">·</td>';
      const value = likeness.of(i, j);
      if (Number.isNaN(value)) return '<td></td>';
      const shade = Math.min(9, Math.floor(value * 10));
      const text = value === 1 ? '1' : `.${String(Math.min(99, Math.floor(value * 100))).padStart(2, '0')}`;
      return `<td class="s${shade}">${linked(text, links.pair(from + i, from + j))}</td>`;
    });
    return `<tr><th scope="row">${i + 1}</th>${cells.join('')}</tr>`;
  });
  const caption = 'Similarity of each two documents, by their numbers in the list; empty: no accepted pair';
  return `<p class="dim">${caption}</p><div class="scroll" tabindex="0" role="region" aria-label="Matrix of similarities"><table class="matrix"><thead><tr><td></td>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}

const GRAPH = { width: 640, radius: 290 } as const;

function graph(index: ResultIndex, cluster: number, from: number, to: number): Markup {
  const { width, radius } = GRAPH;
  const placed = (document: number): readonly [string, string] => {
    const turn = (2 * Math.PI * (document - from)) / (to - from);
    return [
      (width / 2 + radius * Math.sin(turn)).toFixed(1),
      (width / 2 - radius * Math.cos(turn)).toFixed(1),
    ];
  };
  const [first, last] = pairsOfCluster(index, cluster);
  const [a, b, value] = [index.pairs.a, index.pairs.b, index.pairs.value].map((column) =>
    column.subarray(first, last),
  ) as [Uint32Array, Uint32Array, Float64Array];
  // One path for each shade, because 300 documents have up to 44,850 pairs.
  const paths = new Map<number, string[]>();
  for (let i = 0; i < a.length; i++) {
    const [one, other] = [placed(a[i]!), placed(b[i]!)];
    const shade = Math.min(9, Math.floor(value[i]! * 10));
    const known = paths.get(shade) ?? [];
    paths.set(shade, known);
    known.push(`M${one.join(' ')}L${other.join(' ')}`);
  }
  const lines = [...paths].map(([shade, moves]) => `<path class="s${shade}" d="${moves.join('')}"/>`);
  const nodes: Markup[] = [];
  for (let d = from; d < to; d++) {
    const [x, y] = placed(d);
    nodes.push(
      `<circle cx="${x}" cy="${y}" r="4"><title>${numberText(d - from + 1)} ${escaped(documentText(index, d))}</title></circle>`,
    );
  }
  return `<svg class="graph" viewBox="0 0 ${width} ${width}" role="img" aria-label="Documents on a circle in the order of the list, a line for each accepted pair; the pairs are listed below">${lines.join('')}${nodes.join('')}</svg>`;
}

/**
 * The shortest chain of accepted pairs from the representative of a cluster to one of its documents; empty where there
 * is no chain.
 */
export function chainTo(index: ResultIndex, cluster: number, document: number): number[] {
  const [first, last] = pairsOfCluster(index, cluster);
  const start = index.starts.at(cluster - 1)!;
  const size = index.starts.at(cluster)! - start;
  const a = index.pairs.a.subarray(first, last);
  const b = index.pairs.b.subarray(first, last);
  const offsets = new Uint32Array(size + 1);
  for (let i = 0; i < a.length; i++)
    for (const one of [a[i]!, b[i]!]) if (one - start < size) offsets[one - start + 1]!++;
  for (let d = 0; d < size; d++) offsets[d + 1]! += offsets[d]!;
  const next = offsets.slice();
  const others = new Uint32Array(offsets[size]!);
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]! - start, b[i]! - start];
    // With greedy clusters, a pair may connect documents of two clusters.
    if (x < size) others[next[x]!++] = y;
    if (y < size) others[next[y]!++] = x;
  }
  const before = new Int32Array(size).fill(-1);
  const queue = [0];
  before[0] = 0;
  for (let at = 0; at < queue.length && before[document - start] === -1; at++) {
    const one = queue[at]!;
    for (let i = offsets[one]!; i < offsets[one + 1]!; i++) {
      const other = others[i]!;
      if (other >= size || before[other] !== -1) continue;
      before[other] = one;
      queue.push(other);
    }
  }
  if (before[document - start] === -1) return [];
  const chain = [document];
  while (chain[0] !== start) chain.unshift(before[chain[0]! - start]! + start);
  return chain;
}

/** A chain of pairs in words. */
export function chainMarkup(index: ResultIndex, chain: readonly number[]): Markup {
  if (chain.length === 0)
    return '<p>No chain of accepted pairs leads there: the cluster was formed by sketches.</p>';
  const steps = chain.map((document, i) => {
    const id = documentMarkup(index, document);
    if (i === 0) return `<li>${id} represents the cluster</li>`;
    const pair = pairOf(index, chain[i - 1]!, document);
    return `<li>${linked(index.pairs.value.at(pair)!.toFixed(6), VIEW_LINKS.pair(chain[i - 1]!, document))} ${id}</li>`;
  });
  return `<h3>Why it is here</h3><p>Each document of the chain resembles the one above it so much:</p><ol class="chain">${steps.join('\n')}</ol>`;
}
