/** The similarities of the documents of a cluster, as a matrix. */

import { partOf, type ResultIndex } from '../result/resultIndex.js';
import { Likeness } from './likeness.js';
import type { Markup } from './markup.js';
import { type Links, linked } from './viewTables.js';

/** The most documents of a cluster that is shown as a matrix. */
const MOST_CELLS = 60;

/** The pairs of a cluster as a matrix; empty for clusters of two or of very many documents, whose list of pairs is enough. */
export function likenessMarkup(index: ResultIndex, cluster: number, links: Links): Markup {
  const size = index.starts[cluster]! - index.starts[cluster - 1]!;
  return size === 2 || size > MOST_CELLS ? '' : matrix(index, cluster, links);
}

function matrix(index: ResultIndex, cluster: number, links: Links): Markup {
  const { part, first: from } = partOf(index, cluster);
  const likeness = new Likeness(part);
  const numbers = Array.from({ length: part.documents }, (_, i) => i);
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
  const caption =
    'Similarity of every two documents, by their numbers in the list; empty if they are not an accepted pair';
  return `<p class="dim">${caption}</p><div class="scroll" tabindex="0" role="region" aria-label="Matrix of similarities"><table class="matrix"><thead><tr><td></td>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}
