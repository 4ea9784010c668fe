/**
 * The long tables of `view`: any range of rows, each cell as markup and as TSV, so that the page and the download show
 * the same.
 */
import { setImmediate as pause } from 'node:timers/promises';
import { Uint32Column } from '../arrays/growable.js';
import { idOfBinary } from '../readers/list/pathIds.js';
import type { NumberColumn } from '../result/columnFile.js';
import { escapedCell } from '../result/dropListFile.js';
import { type PairKind, tableIn } from '../result/readResult.js';
import {
  clusterOf,
  ELSEWHERE,
  idIn,
  mostAlikeFirst,
  NONE,
  pairsFrom,
  placeIn,
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
import type { Beginning, BytesToWin } from './textStore.js';

/** Classes of the columns with their own width, by title; the others share the remaining width. */
const WIDTHS: Readonly<Record<string, string>> = {
  kind: 'few',
  edit: 'acts',
  'no.': 'n no',
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

/** The content of a cell; pages and downloads each compute their own form. */
interface Cell {
  readonly markup: Markup;
  readonly tsv: string;
}

/** A table that is shown piece by piece. */
export interface LongTable {
  readonly caption: string;
  readonly heads: readonly ColumnHead[];
  readonly total: number;
  /** The style of a table whose rows have the beginnings of texts in a second line; absent for tables with one line per row. */
  readonly form?: 'clusters' | 'members' | 'pairs' | 'changes';
  /** At most `count` rows from row `from` on. */
  rows(from: number, count: number): Promise<readonly (readonly Cell[])[]>;
}

/** Number of rows that are fetched and shown together. */
export const CHUNK = 100;
/** Number of rows that a download reads at a time. */
const STEP = 500;

/** A cell that is computed when it is needed. */
const lazyCell = (markup: () => Markup, tsv: () => string): Cell => ({
  get markup() {
    return markup();
  },
  get tsv() {
    return tsv();
  },
});
const words = (text: string): Cell =>
  lazyCell(
    () => escaped(text),
    () => text,
  );
const count = (value: number): Cell =>
  lazyCell(
    () => numberText(value),
    () => String(value),
  );
export function linked(markup: Markup, href: string | null): Markup {
  return href === null ? markup : `<a href="${escaped(href)}">${markup}</a>`;
}

const share = (value: number | null): Cell =>
  value === null || Number.isNaN(value)
    ? { markup: '–', tsv: '' }
    : { markup: value.toFixed(3), tsv: value.toFixed(6) };

/** The cell of an id (binary string), with a link if `href` is not null. */
function idCell(id: string, href: string | null = null): Cell {
  return lazyCell(
    () => linked(idMarkup(idOfBinary(id)), href),
    () => (PLAIN.test(id) ? id : decoder.decode(escapedCell(id))),
  );
}

/** Matches ids that need no escapes in a cell of a result. */
const PLAIN = /^[ -[\]-~]*$/;
const decoder = new TextDecoder();

/** A document in words: its id, followed by its location if ids repeat. */
export function documentText(index: ResultIndex, document: number): string {
  const id = idOfBinary(idIn(index, document));
  return isAmbiguous(index, document) ? `${id} (${idOfBinary(placeIn(index, document))})` : id;
}

/** The same as markup. */
export function documentMarkup(index: ResultIndex, document: number, href: string | null = null): Markup {
  const id = linked(idMarkup(idOfBinary(idIn(index, document))), href);
  if (!isAmbiguous(index, document)) return id;
  return `${id} <span class="dim">${idMarkup(idOfBinary(placeIn(index, document)))}</span>`;
}

const isAmbiguous = (index: ResultIndex, document: number): boolean =>
  index.manifest.counts.ids_repeated > 0 && idIn(index, document) !== placeIn(index, document);

/** A document in a download: its id, or its location if ids repeat. */
const documentTsv = (index: ResultIndex, document: number): string =>
  idCell(isAmbiguous(index, document) ? placeIn(index, document) : idIn(index, document)).tsv;

/** The cell of a document: its id, and below it the beginning of its text. */
function documentCell(index: ResultIndex, document: number, href: string | null, links: Links): Cell {
  return lazyCell(
    () => {
      const beginning = links.beginning(document);
      const title = beginning?.title ? `<b>${escaped(beginning.title)}</b> ` : '';
      const below =
        beginning === null ? '' : `<span class="words">${title}${escaped(beginning.words)}</span>`;
      return `${documentMarkup(index, document, href)}${below}`;
    },
    () => documentTsv(index, document),
  );
}

/** The orders of clusters. */
export const CLUSTER_SORTS = ['size', 'drops', 'bytes', 'least'] as const;
export type ClusterSort = (typeof CLUSTER_SORTS)[number];

/** The clusters in an order. `wanted`: by cluster, 1 if the search matches it; null for all clusters. */
export function clusterTable(
  index: ResultIndex,
  won: BytesToWin | null,
  sort: ClusterSort,
  wanted: Uint8Array | null,
  links: Links,
): LongTable {
  const bytes = sort === 'bytes' ? (won?.bytes ?? null) : null;
  // Bytes are known if texts can be read; otherwise clusters are sorted by drops.
  const sorted = sort === 'bytes' ? (won?.order ?? index.order.drops) : index.order[sort];
  const order = wanted === null ? sorted : entriesWith(sorted, wanted);
  return {
    caption: wanted === null ? 'Clusters' : 'Clusters with such a document',
    heads: [
      '#cluster',
      '#documents',
      '#to drop',
      ...(bytes === null ? [] : ['#bytes to drop']),
      '#least similarity',
      'representative',
    ],
    total: order.length,
    form: 'clusters',
    rows: async (from, most) =>
      Array.from(order.subarray(from, from + most), (c) => [
        lazyCell(
          () => linked(numberText(c + 1), links.cluster(c + 1)),
          () => String(c + 1),
        ),
        count(index.starts.at(c + 1)! - index.starts.at(c)!),
        count(index.drops.at(c)!),
        ...(bytes === null ? [] : [count(bytes[c]!)]),
        share(index.least.at(c)!),
        documentCell(index, index.starts.at(c)!, links.cluster(c + 1), links),
      ]),
  };
}

/** The document that replaces a document (see KeeperFate in editing.ts), in the result or in an edited list. */
export type KeeperOf = (document: number) => number;

/** The fates of documents in the result. */
export const keepersOf =
  ({ keeper }: ResultIndex): KeeperOf =>
  (document) =>
    keeper.at(document)!;

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
  const first = index.starts.at(cluster - 1)!;
  return {
    caption: `Documents of cluster ${numberText(cluster)}`,
    heads: ['#no.', 'document', '#similarity', 'kept or dropped', ...(links.isEditable ? ['edit'] : [])],
    total: index.starts.at(cluster)! - first,
    form: 'members',
    rows: async (from, most) => {
      const rows = await index.clusterRows(
        first + from,
        Math.min(most, index.starts.at(cluster)! - first - from),
      );
      return rows.map(({ similarity, basis, role }, i) => {
        const number = first + from + i;
        const value = share(similarity);
        const shown = basis === 'estimate' ? `≈ ${value.markup}` : value.markup;
        return [
          count(from + i + 1),
          documentCell(index, number, role === 'member' ? links.pair(first, number) : null, links),
          { markup: shown, tsv: value.tsv },
          fateCell(index, keeperOf, number, links, first),
          ...(links.isEditable ? [{ markup: decideMarkup(keeperOf, number, from + i + 1), tsv: '' }] : []),
        ];
      });
    },
  };
}

/** Buttons that edit the fate of a document of a cluster, and the box that ticks it for an edit of several. */
function decideMarkup(keeperOf: KeeperOf, document: number, place: number): Markup {
  const kept = keeperOf(document);
  if (kept === ELSEWHERE) return '';
  const box = `<input type="checkbox" autocomplete="off" data-tick="${document}" aria-label="tick no. ${place}">`;
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

const PAIR_HEADS: LongTable['heads'] = ['#similarity', 'a', 'b', 'kind'];

function pairCells(index: ResultIndex, pair: number, links: Links): readonly Cell[] {
  const { pairs } = index;
  const [a, b] = [pairs.a.at(pair)!, pairs.b.at(pair)!];
  const href = links.pair(a, b);
  const shown = share(pairs.value.at(pair)!);
  const kind = PAIR_KINDS[pairs.kind.at(pair)!]!;
  return [
    lazyCell(
      () => linked(shown.markup, href),
      () => shown.tsv,
    ),
    documentCell(index, a, href, links),
    documentCell(index, b, href, links),
    { markup: KIND_WORDS[kind], tsv: kind },
  ];
}

/** The pairs of a kind, the most similar first. */
export function pairsOfKind({ pairs, byValue }: ResultIndex, kind: PairKind): Uint32Array {
  const wanted = PAIR_KINDS.indexOf(kind);
  const kinds = pairs.kind.subarray(0, pairs.count);
  return byValue.subarray(0, byValue.length).filter((pair) => kinds[pair] === wanted);
}

type Ordered = Pick<NumberColumn, 'length' | 'subarray'>;

/** Accepted pairs in an order. */
export function pairTable(index: ResultIndex, order: Ordered, caption: string, links: Links): LongTable {
  return {
    caption,
    heads: PAIR_HEADS,
    total: order.length,
    form: 'pairs',
    rows: async (from, most) =>
      Array.from(order.subarray(from, from + most), (pair) => pairCells(index, pair, links)),
  };
}

export function reversed(order: NumberColumn): Ordered {
  const { length } = order;
  return {
    length,
    subarray: (from, to) => {
      const end = Math.min(to, length);
      return order
        .subarray(length - end, length - Math.min(from, end))
        .slice()
        .reverse();
    },
  };
}

/** The entries of an order whose flag in `wanted` is 1. */
function entriesWith(order: NumberColumn, wanted: Uint8Array): Uint32Array {
  const entries = new Uint32Column();
  for (let i = 0; i < order.length; i++) if (wanted[order.at(i)!] === 1) entries.push(order.at(i)!);
  return entries.view;
}

/** The pairs of a cluster, the most similar first. */
export function pairOrder(index: ResultIndex, cluster: number): Uint32Array {
  const [from, to] = pairsOfCluster(index, cluster);
  return mostAlikeFirst(index.pairs.value.subarray(from, to)).map((pair) => pair + from);
}

/** The range of the numbers of a cluster's pairs: from (inclusive) and to (exclusive). */
export function pairsOfCluster(index: ResultIndex, cluster: number): readonly [from: number, to: number] {
  return pairsFrom(index, index.starts.at(cluster - 1)!, index.starts.at(cluster)!);
}

/** Skipped or repaired documents, with reasons. The file is read from its beginning, since the positions of its rows are unknown. */
export function skippedTable(folder: string, total: number): LongTable {
  return {
    caption: 'Skipped and repaired',
    heads: ['document', 'what', 'reason'],
    total,
    rows: async (from, most) => {
      const rows: (readonly Cell[])[] = [];
      let at = 0;
      for await (const { document, kind = '', reason } of tableIn(folder, 'skipped').rows()) {
        if (at++ < from) continue;
        if (rows.length >= most) break;
        rows.push([idCell(document), words(kind), words(reason)]);
      }
      return rows;
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
    rows: async (from, most) =>
      Array.from(order.subarray(from, from + most), (d) => [
        {
          markup: linked(numberText(clusterOf(index, d)), links.cluster(clusterOf(index, d))),
          tsv: String(clusterOf(index, d)),
        },
        documentCell(index, d, null, links),
        fateCell(index, keeperOf, d, links, null),
      ]),
  };
}

export function rowsMarkup({ heads }: LongTable, rows: readonly (readonly Cell[])[]): Markup {
  return rows
    .map(
      (cells) =>
        `<tr tabindex="-1">${cells.map(({ markup }, i) => `<td${isOfNumbers(heads[i]!) ? ' class="n"' : ''}>${markup}</td>`).join('')}</tr>`,
    )
    .join('\n');
}

export async function* tsvOf(table: LongTable): AsyncGenerator<string> {
  yield `${table.heads
    .map((head) =>
      titleOf(head)
        .replace(/[^a-z]+/g, '_')
        .replace(/_$/, ''),
    )
    .join('\t')}\n`;
  for (let from = 0; from < table.total; from += STEP) {
    const rows = await table.rows(from, STEP);
    // Other requests and signals are handled between two pieces.
    await pause();
    yield rows.map((cells) => `${cells.map(({ tsv }) => tsv).join('\t')}\n`).join('');
  }
}

/** The first rows of a table, for the saved page. */
export async function shortTableMarkup(table: LongTable, most: number): Promise<Markup> {
  const rows = await table.rows(0, most);
  const more = table.total > most ? `<p class="dim">… and ${numberText(table.total - most)} more</p>` : '';
  const cells = rows.map((row) => row.map(({ markup }) => markup));
  return `${tableMarkup(table.caption, table.heads, cells)}${more}`;
}

/** Pixels of a row, and of a row with the beginning of a text, as in the style. */
const ROW_HEIGHT = 36;
const TALL_HEIGHT = 56;
/** Most pieces of a page: browsers show no page of more than about 17 million pixels. */
const MOST_CHUNKS = 1000;

/**
 * A table with the piece that has row `from`. Each other piece is an empty row of the same height, which the page fills
 * when it comes near the window. Without a script, links lead to the next piece; others lead to the pages of 100,000 rows before and
 * after this page.
 */
export async function longTableMarkup(table: LongTable, address: string, from: number): Promise<Markup> {
  const { caption, heads, total, form } = table;
  const height = form === undefined ? ROW_HEIGHT : TALL_HEIGHT;
  const head = heads
    .map(
      (title) =>
        `<th scope="col" class="${WIDTHS[titleOf(title)] ?? (isOfNumbers(title) ? 'n' : '')}">${escaped(titleOf(title))}</th>`,
    )
    .join('');
  const own = Math.floor(Math.min(from, Math.max(0, total - 1)) / CHUNK);
  const bodies: Markup[] = [];
  const first = own - (own % MOST_CHUNKS);
  for (let chunk = first; chunk * CHUNK < total && chunk < first + MOST_CHUNKS; chunk++) {
    const rows = Math.min(CHUNK, total - chunk * CHUNK);
    bodies.push(
      chunk === own
        ? `<tbody data-from="${chunk * CHUNK}" id="here">${rowsMarkup(table, await table.rows(chunk * CHUNK, CHUNK))}</tbody>`
        : `<tbody data-from="${chunk * CHUNK}" data-later><tr style="height:${rows * height}px"><td colspan="${heads.length}"></td></tr></tbody>`,
    );
  }
  const [path, query = ''] = address.split('?');
  const parameters = new URLSearchParams(query);
  // The address of a piece gets its own `from`.
  parameters.delete('from');
  const others = parameters.toString();
  const mark = (name: string): string => escaped(`${name}?${others}`);
  const linkTo = (chunk: number): Markup => {
    parameters.set('from', String(chunk * CHUNK));
    return chunk < 0 || chunk * CHUNK >= total
      ? ''
      : ` <a href="${escaped(`${path}?${parameters}`)}">rows from ${numberText(chunk * CHUNK + 1)} on</a>`;
  };
  const more = `<noscript><p>${linkTo(own + 1)}</p></noscript>`;
  const farLinks = `${linkTo(first - MOST_CHUNKS)}${linkTo(first + MOST_CHUNKS)}`;
  const text = total === 0 ? '<p>There are none.</p>' : '';
  return `<div class="long${form === undefined ? '' : ` tall ${form}`}"><p class="dim"><span>${numberText(total)} ${total === 1 ? 'row' : 'rows'}</span> <a download href="${mark(`${path}.tsv`)}">Download TSV</a>${farLinks}</p>${text}<div class="scroll" tabindex="0" role="region" aria-label="${escaped(caption)}"><table data-rows="${mark(`${path}.rows`)}" aria-rowcount="${total + 1}"><caption>${escaped(caption)}</caption><thead><tr>${head}</tr></thead>${bodies.join('')}</table></div>${more}</div>`;
}
