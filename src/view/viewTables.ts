/** The long tables of `view`: any range of rows, each cell as markup and as TSV, so that the page and the download show the same. */
import { setImmediate as pause } from 'node:timers/promises';
import { numbersBelow } from '../arrays/growable.js';
import { idOfBinary } from '../readers/list/pathIds.js';
import { escapedCell } from '../result/dropListFile.js';
import { type PairKind, tableRows } from '../result/readResult.js';
import {
  clusterOf,
  ELSEWHERE,
  idIn,
  locationIn,
  mostAlikeFirst,
  NONE,
  pairsFrom,
  type ResultIndex,
} from '../result/resultIndex.js';
import { PAIR_KINDS } from '../result/tables/pairTable.js';
import type { Edit } from './editing.js';
import {
  type ColumnHead,
  escaped,
  idMarkup,
  isOfNumbers,
  type Markup,
  numberText,
  tableMarkup,
  titleOf,
} from './markup.js';
import type { Beginning } from './textStore.js';

/** Classes of the columns with their own width, by title; the others share the remaining width. */
const WIDTHS: Readonly<Record<string, string>> = {
  kind: 'few',
  edit: 'acts',
  'no.': 'n no',
  cluster: 'n no',
  'kept or dropped': 'fate',
};

/** The links of rows, to other views or to other positions of the page; null if there is no link. */
export interface Links {
  cluster(cluster: number): string | null;
  pair(a: number, b: number): string | null;
  /** Whether the page can edit the drop list. */
  readonly isEditable: boolean;
  /** The beginning of a document's text, for its row; null if it is not available. */
  readonly beginning: (document: number) => Beginning | null;
}

/** The links of the pages of `view`. */
export const VIEW_LINKS: Links = {
  cluster: (cluster) => `cluster?n=${cluster}`,
  pair: (a, b) => `pair?a=${Math.min(a, b)}&b=${Math.max(a, b)}`,
  isEditable: true,
  beginning: () => null,
};

/** The content of a cell, for pages and for downloads. */
interface Cell {
  readonly markup: Markup;
  readonly tsv: string;
}

type Cells = readonly Cell[];

/** A table of which a page shows some rows. */
export interface LongTable {
  readonly caption: string;
  readonly heads: readonly ColumnHead[];
  readonly total: number;
  /** The style of a table whose rows have the beginnings of texts in a second line; absent for tables with one line per row. */
  readonly form?: 'clusters' | 'members' | 'pairs' | 'changes';
  /** The rows from row `from` on. */
  rows(from: number): Iterable<Cells> | AsyncIterable<Cells>;
}

/** Number of rows on a page. */
export const PAGE_ROWS = 200;
/** Number of rows of a download that are sent together. */
const STEP = 500;

/** At most `most` rows of a table from row `from` on. */
async function someRows(table: LongTable, from: number, most: number): Promise<Cells[]> {
  const rows: Cells[] = [];
  if (most > 0)
    for await (const cells of table.rows(from)) {
      rows.push(cells);
      if (rows.length >= most) break;
    }
  return rows;
}

/** The rows of entries of an order, each made when it is needed. */
function* rowsOf(
  order: { readonly length: number; readonly [i: number]: number },
  from: number,
  rowOf: (entry: number, row: number) => Cells,
): Generator<Cells> {
  for (let row = from; row < order.length; row++) yield rowOf(order[row]!, row);
}

const words = (text: string): Cell => ({ markup: escaped(text), tsv: text });
const count = (value: number): Cell => ({ markup: numberText(value), tsv: String(value) });
const share = (value: number): Cell =>
  Number.isNaN(value) ? { markup: '–', tsv: '' } : { markup: value.toFixed(3), tsv: value.toFixed(6) };

export function linked(markup: Markup, href: string | null): Markup {
  return href === null ? markup : `<a href="${escaped(href)}">${markup}</a>`;
}

/** An id or location (binary string) in a download. */
const idTsv = (id: string): string => (PLAIN.test(id) ? id : decoder.decode(escapedCell(id)));

/** Matches ids that need no escapes in a cell of a result. */
const PLAIN = /^[ -[\]-~]*$/;
const decoder = new TextDecoder();

/** A document in words: its id, followed by its location if ids repeat. */
export function documentText(index: ResultIndex, document: number): string {
  const id = idOfBinary(idIn(index, document));
  return isAmbiguous(index, document) ? `${id} (${idOfBinary(locationIn(index, document))})` : id;
}

/** The same as markup. */
export function documentMarkup(index: ResultIndex, document: number, href: string | null = null): Markup {
  const id = linked(idMarkup(idOfBinary(idIn(index, document))), href);
  if (!isAmbiguous(index, document)) return id;
  return `${id} <span class="dim">${idMarkup(idOfBinary(locationIn(index, document)))}</span>`;
}

const isAmbiguous = (index: ResultIndex, document: number): boolean =>
  index.manifest.counts.ids_repeated > 0 && idIn(index, document) !== locationIn(index, document);

/** A document in a download: its id, or its location if ids repeat. */
const documentTsv = (index: ResultIndex, document: number): string =>
  idTsv(isAmbiguous(index, document) ? locationIn(index, document) : idIn(index, document));

/** The cell of a document: its id, and below it the beginning of its text. */
function documentCell(index: ResultIndex, document: number, href: string | null, links: Links): Cell {
  const beginning = links.beginning(document);
  const title = beginning?.title ? `<b>${escaped(beginning.title)}</b> ` : '';
  const below = beginning === null ? '' : `<span class="words">${title}${escaped(beginning.words)}</span>`;
  return {
    markup: `${documentMarkup(index, document, href)}${below}`,
    tsv: documentTsv(index, document),
  };
}

/** The orders of clusters. */
export const CLUSTER_SORTS = ['size', 'drops', 'least'] as const;
type ClusterSort = (typeof CLUSTER_SORTS)[number];

/** The clusters in an order. `matches`: by cluster, 1 if the search matches it; null for all clusters. */
export function clusterTable(
  index: ResultIndex,
  sort: ClusterSort,
  matches: Uint8Array | null,
  links: Links,
): LongTable {
  const sorted = index.order[sort];
  const order = matches === null ? sorted : sorted.filter((c) => matches[c] === 1);
  return {
    caption: matches === null ? 'Clusters' : 'Clusters with such a document',
    heads: ['#cluster', '#documents', '#to drop', '#least similarity', 'representative'],
    total: order.length,
    form: 'clusters',
    rows: (from) =>
      rowsOf(order, from, (c) => [
        { markup: linked(numberText(c + 1), links.cluster(c + 1)), tsv: String(c + 1) },
        count(index.starts[c + 1]! - index.starts[c]!),
        count(index.drops[c]!),
        share(index.least[c]!),
        documentCell(index, index.starts[c]!, links.cluster(c + 1), links),
      ]),
  };
}

/** The document that replaces a document (see KeeperFate in editing.ts), in the result or in an edited list. */
export type KeeperOf = (document: number) => number;

/** The fates of documents in the result. */
export const keepersOf =
  ({ keeper }: ResultIndex): KeeperOf =>
  (document) =>
    keeper[document]!;

/** @param first the first document of the cluster whose rows are numbered; null if the kept document is shown by its id */
function fateCell(
  index: ResultIndex,
  keeperOf: KeeperOf,
  document: number,
  links: Links,
  first: number | null,
): Cell {
  const kept = keeperOf(document);
  if (kept === NONE) return { markup: '<span class="badge yes">kept</span>', tsv: 'kept' };
  const badge = '<span class="badge no">dropped</span>';
  if (kept === document) return { markup: `${badge}its text is lost`, tsv: 'lost' };
  if (kept === ELSEWHERE) return { markup: badge, tsv: 'dropped' };
  const href = links.pair(kept, document);
  const keeper =
    first === null ? documentMarkup(index, kept, href) : linked(`no. ${numberText(kept - first + 1)}`, href);
  return { markup: `${badge}for ${keeper}`, tsv: `dropped for ${documentTsv(index, kept)}` };
}

/** The documents of a cluster in the order of its rows. */
export function memberTable(
  index: ResultIndex,
  cluster: number,
  keeperOf: KeeperOf,
  links: Links,
): LongTable {
  const [first, end] = [index.starts[cluster - 1]!, index.starts[cluster]!];
  return {
    caption: `Documents of cluster ${numberText(cluster)}`,
    heads: ['#no.', 'document', '#similarity', 'kept or dropped', ...(links.isEditable ? ['edit'] : [])],
    total: end - first,
    form: 'members',
    rows: (from) =>
      rowsOf(numbersBelow(end - first), from, (i) => {
        const document = first + i;
        const { markup, tsv } = share(index.similarity[document]!);
        return [
          count(i + 1),
          documentCell(index, document, document === first ? null : links.pair(first, document), links),
          { markup: index.isEstimate[document] === 1 ? `≈ ${markup}` : markup, tsv },
          fateCell(index, keeperOf, document, links, first),
          ...(links.isEditable ? [{ markup: editMarkup(keeperOf, document, i + 1), tsv: '' }] : []),
        ];
      }),
  };
}

/** Buttons that edit the fate of a document of a cluster, and the box that ticks it for an edit of several. */
function editMarkup(keeperOf: KeeperOf, document: number, row: number): Markup {
  const kept = keeperOf(document);
  if (kept === ELSEWHERE) return '';
  const box = `<input type="checkbox" autocomplete="off" data-tick="${document}" aria-label="tick no. ${row}">`;
  const buttons =
    kept === NONE
      ? [button('drop', { drop: [document] })]
      : kept === document
        ? [button('keep', { keep: [document] })]
        : [
            button('keep this instead', { keep: [document], drop: [kept] }),
            button('keep both', { keep: [document] }),
          ];
  return [box, ...buttons].join(' ');
}

/** A button that edits the drop list. */
export function button(text: string, { keep = [], drop = [] }: Partial<Edit>): Markup {
  return `<button type="button" data-keep="${keep.join(' ')}" data-drop="${drop.join(' ')}">${escaped(text)}</button>`;
}

/** The names of the kinds of pairs for users. */
export const KIND_WORDS: Readonly<Record<PairKind, string>> = {
  near: 'similar',
  identical: 'identical',
  'same-tokens': 'same words',
};

function pairCells(index: ResultIndex, pair: number, links: Links): readonly Cell[] {
  const { pairs } = index;
  const [a, b] = [pairs.a[pair]!, pairs.b[pair]!];
  const href = links.pair(a, b);
  const { markup, tsv } = share(pairs.value[pair]!);
  const kind = PAIR_KINDS[pairs.kind[pair]!]!;
  return [
    { markup: linked(markup, href), tsv },
    documentCell(index, a, href, links),
    documentCell(index, b, href, links),
    { markup: KIND_WORDS[kind], tsv: kind },
  ];
}

/** Pairs in an order. */
export function pairTable(
  index: ResultIndex,
  order: Uint32Array,
  caption: string,
  links: Links,
  isReversed = false,
): LongTable {
  const { length } = order;
  return {
    caption,
    heads: ['#similarity', 'a', 'b', 'kind'],
    total: length,
    form: 'pairs',
    rows: (from) =>
      rowsOf(order, from, (pair, row) =>
        pairCells(index, isReversed ? order[length - 1 - row]! : pair, links),
      ),
  };
}

/** The pairs of a cluster, the most similar first. */
export function pairOrder(index: ResultIndex, cluster: number): Uint32Array {
  const [from, to] = pairsOfCluster(index, cluster);
  return mostAlikeFirst(index.pairs.value.subarray(from, to)).map((pair) => pair + from);
}

/** The range of the numbers of a cluster's pairs: from (inclusive) and to (exclusive). */
export function pairsOfCluster(index: ResultIndex, cluster: number): readonly [from: number, to: number] {
  return pairsFrom(index, index.starts[cluster - 1]!, index.starts[cluster]!);
}

/** Skipped or repaired documents, with reasons. The file is read from its beginning. */
export function skippedTable(folder: string, total: number): LongTable {
  return {
    caption: 'Skipped and repaired',
    heads: ['document', 'what', 'reason'],
    total,
    async *rows(from) {
      let row = 0;
      for await (const { document, kind = '', reason } of tableRows(folder, 'skipped'))
        if (row++ >= from)
          yield [
            { markup: idMarkup(idOfBinary(document)), tsv: idTsv(document) },
            ...[kind, reason].map(words),
          ];
    },
  };
}

/** Documents whose fate in an edited list differs from the result. */
export function changedTable(
  index: ResultIndex,
  keeperOf: KeeperOf,
  order: Uint32Array,
  links: Links,
): LongTable {
  return {
    caption: 'Differences from the result',
    heads: ['#cluster', 'document', 'kept or dropped'],
    total: order.length,
    form: 'changes',
    rows: (from) =>
      rowsOf(order, from, (d) => [
        {
          markup: linked(numberText(clusterOf(index, d)), links.cluster(clusterOf(index, d))),
          tsv: String(clusterOf(index, d)),
        },
        documentCell(index, d, null, links),
        fateCell(index, keeperOf, d, links, null),
      ]),
  };
}

export async function* tsvOf(table: LongTable): AsyncGenerator<string> {
  yield `${table.heads
    .map((head) =>
      titleOf(head)
        .replace(/[^a-z]+/g, '_')
        .replace(/_$/, ''),
    )
    .join('\t')}\n`;
  let piece = '';
  let rows = 0;
  for await (const cells of table.rows(0)) {
    piece += `${cells.map(({ tsv }) => tsv).join('\t')}\n`;
    if (++rows % STEP > 0) continue;
    // Other requests and signals are handled between two pieces.
    await pause();
    yield piece;
    piece = '';
  }
  yield piece;
}

/** The first rows of a table, for the saved page. */
export async function shortTableMarkup(table: LongTable, most: number): Promise<Markup> {
  const rows = await someRows(table, 0, most);
  const more = table.total > most ? `<p class="dim">… and ${numberText(table.total - most)} more</p>` : '';
  const cells = rows.map((row) => row.map(({ markup }) => markup));
  return `${tableMarkup(table.caption, table.heads, cells)}${more}`;
}

/** A page of a table: the rows from `from` on, with links to the other pages. @param address of the table, with its query */
export async function longTableMarkup(table: LongTable, address: string, from: number): Promise<Markup> {
  const { caption, heads, total, form } = table;
  const first = Math.max(0, Math.min(from, total - 1));
  const start = first - (first % PAGE_ROWS);
  const end = Math.min(total, start + PAGE_ROWS);
  const [path, query = ''] = address.split('?');
  const parameters = new URLSearchParams(query);
  parameters.delete('from');
  const download = `${path}.tsv?${parameters}`;
  const linkTo = (row: number, text: string): Markup => {
    parameters.set('from', String(row));
    return ` <a href="${escaped(`${path}?${parameters}`)}">${text}</a>`;
  };
  const last = Math.max(0, total - 1);
  const pages = [
    ...(start > 0 ? [linkTo(0, 'first'), linkTo(start - PAGE_ROWS, '← previous')] : []),
    ...(end < total ? [linkTo(end, 'next →'), linkTo(last - (last % PAGE_ROWS), 'last')] : []),
  ].join('');
  const range =
    end - start === total
      ? `${numberText(total)} ${total === 1 ? 'row' : 'rows'}`
      : rangeText(start, end, total);
  const above = `<p class="beside"><span class="dim">${range}</span>${pages} <a download href="${escaped(download)}">Download TSV</a></p>`;
  const below = pages === '' ? '' : `<p class="beside">${pages}</p>`;
  const style = `long${form === undefined ? '' : ` tall ${form}`}`;
  if (total === 0) return `<div class="${style}"><p>There are none.</p></div>`;
  const head = heads
    .map(
      (title) =>
        `<th scope="col" class="${WIDTHS[titleOf(title)] ?? (isOfNumbers(title) ? 'n' : '')}">${escaped(titleOf(title))}</th>`,
    )
    .join('');
  const rows = (await someRows(table, start, end - start)).map(
    (cells) =>
      `<tr tabindex="-1">${cells.map(({ markup }, i) => `<td${isOfNumbers(heads[i]!) ? ' class="n"' : ''}>${markup}</td>`).join('')}</tr>`,
  );
  return `<div class="${style}">${above}<div class="scroll" tabindex="0" role="region" aria-label="${escaped(caption)}"><table aria-rowcount="${total + 1}"><caption>${escaped(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>${below}</div>`;
}

const rangeText = (start: number, end: number, total: number): string =>
  `${numberText(start + 1)} to ${numberText(end)} of ${numberText(total)}`;
