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
  percentText,
  tableMarkup,
  titleOf,
} from './markup.js';
import type { BytesToWin, SourceShare } from './textScan.js';

/** Classes of the columns with a width of their own, by their titles; the others share the rest. */
const WIDTHS: Readonly<Record<string, string>> = {
  kind: 'few',
  'why here': 'few',
  edit: 'acts',
  'no.': 'n no',
  'what becomes of it': 'fate',
};

/** The links of rows: to other views, or to other places of one page; null: no link. */
export interface Links {
  cluster(cluster: number): string | null;
  pair(a: number, b: number): string | null;
  /** Whether the page can edit the drop list, and show why they are in their cluster. */
  readonly isAsked: boolean;
}

/** The links of the pages of `view`. */
export const VIEW_LINKS: Links = {
  cluster: (cluster) => `cluster?n=${cluster}`,
  pair: (a, b) => `pair?a=${Math.min(a, b)}&b=${Math.max(a, b)}`,
  isAsked: true,
};

/** The content of a cell; a page and a download each make their own form. */
interface Cell {
  readonly markup: Markup;
  readonly tsv: string;
}

/** A table that is shown piece by piece. */
export interface LongTable {
  readonly caption: string;
  readonly heads: readonly ColumnHead[];
  readonly total: number;
  /** At most `count` rows from row `from` on. */
  rows(from: number, count: number): Promise<readonly (readonly Cell[])[]>;
}

/** Number of rows that are fetched and shown together. */
export const CHUNK = 100;
/** Number of rows that a download reads at a time. */
const STEP = 500;

/** A cell that is made when it is needed. */
const made = (markup: () => Markup, tsv: () => string): Cell => ({
  get markup() {
    return markup();
  },
  get tsv() {
    return tsv();
  },
});
const words = (text: string): Cell =>
  made(
    () => escaped(text),
    () => text,
  );
const count = (value: number): Cell =>
  made(
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
  return made(
    () => linked(idMarkup(idOfBinary(id)), href),
    () => (PLAIN.test(id) ? id : decoder.decode(escapedCell(id))),
  );
}

/** Matches ids that need no escapes in a cell of a result. */
const PLAIN = /^[ -[\]-~]*$/;
const decoder = new TextDecoder();

/** The orders of clusters. */
export const CLUSTER_SORTS = ['size', 'drops', 'bytes', 'least'] as const;
export type ClusterSort = (typeof CLUSTER_SORTS)[number];

/** The clusters in an order. `wanted`: by cluster, 1: the search found it; null: all clusters are shown. */
export function clusterTable(
  index: ResultIndex,
  won: BytesToWin | null,
  sort: ClusterSort,
  wanted: Uint8Array | null,
): LongTable {
  const bytes = won?.bytes ?? null;
  // The order by bytes to win needs a reading of all texts; until then clusters are sorted by drops.
  const all = sort === 'bytes' ? (won?.order ?? index.order.drops) : index.order[sort];
  const order = wanted === null ? all : entriesWith(all, wanted);
  return {
    caption: wanted === null ? 'Clusters' : 'Clusters with such a document',
    heads: [
      '#cluster',
      '#documents',
      '#to drop',
      ...(bytes === null ? [] : ['#bytes to win']),
      '#least similarity',
      'representative',
    ],
    total: order.length,
    rows: async (from, most) =>
      Array.from(order.subarray(from, from + most), (c) => [
        made(
          () => linked(numberText(c + 1), VIEW_LINKS.cluster(c + 1)),
          () => String(c + 1),
        ),
        count(index.starts.at(c + 1)! - index.starts.at(c)!),
        count(index.drops.at(c)!),
        ...(bytes === null ? [] : [count(bytes[c]!)]),
        share(index.least.at(c)!),
        idCell(idIn(index, index.starts.at(c)!), VIEW_LINKS.cluster(c + 1)),
      ]),
  };
}

/** The document that replaces a document (see KeeperFate in editing.ts), in the result or in an edited list. */
export type KeeperOf = (document: number) => number;

/** The fates of the result. */
export const keepersOf =
  ({ keeper }: ResultIndex): KeeperOf =>
  (document) =>
    keeper.at(document)!;

function fateCell(index: ResultIndex, keeperOf: KeeperOf, document: number, links: Links): Cell {
  const kept = keeperOf(document);
  if (kept === NONE) return { markup: '<span class="badge yes">kept</span>', tsv: 'kept' };
  const badge = '<span class="badge no">dropped</span>';
  if (kept === document) return { markup: `${badge}its text is lost`, tsv: 'lost' };
  if (kept === ELSEWHERE) return { markup: badge, tsv: 'dropped' };
  const { markup, tsv } = idCell(idIn(index, kept), links.pair(kept, document));
  return { markup: `${badge}for ${markup}`, tsv: `dropped for ${tsv}` };
}

/** The documents of a cluster in the order of its rows. */
export function memberTable(
  index: ResultIndex,
  cluster: number,
  keeperOf: KeeperOf,
  links: Links = VIEW_LINKS,
): LongTable {
  const first = index.starts.at(cluster - 1)!;
  // Otherwise every id is a location.
  const hasLocations = index.files.offsets.length > 1;
  return {
    caption: `Documents of cluster ${numberText(cluster)}`,
    heads: [
      '#no.',
      'document',
      'what becomes of it',
      '#similarity',
      ...(hasLocations ? ['location'] : []),
      ...(links.isAsked ? OF_ASKED : []),
    ],
    total: index.starts.at(cluster)! - first,
    rows: async (from, most) => {
      const rows = await index.clusterRows(
        first + from,
        Math.min(most, index.starts.at(cluster)! - first - from),
      );
      return rows.map(({ document, place, similarity, basis, role }, i) => {
        const number = first + from + i;
        const value = share(similarity);
        const isPair = role === 'member';
        return [
          count(from + i + 1),
          idCell(document, isPair ? links.pair(first, number) : null),
          fateCell(index, keeperOf, number, links),
          basis === 'estimate' ? { markup: `≈ ${value.markup}`, tsv: value.tsv } : value,
          ...(hasLocations ? [idCell(place ?? '')] : []),
          ...(links.isAsked ? askedCells(index, cluster, keeperOf, number) : []),
        ];
      });
    },
  };
}

const OF_ASKED: LongTable['heads'] = ['why here', 'edit'];

function askedCells(
  index: ResultIndex,
  cluster: number,
  keeperOf: KeeperOf,
  document: number,
): readonly Cell[] {
  const first = index.starts.at(cluster - 1)!;
  const why = `cluster?n=${cluster}&why=${document - first + 1}`;
  return [
    document === first ? words('represents it') : { markup: linked('chain', why), tsv: '' },
    { markup: decideMarkup(keeperOf, document, document - first + 1), tsv: '' },
  ];
}

/** Buttons that edit what becomes of a document of a cluster, and the box that ticks it for an edit of several. */
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

const PAIR_HEADS: LongTable['heads'] = ['#similarity', 'a', 'b', 'kind'];

function pairCells(index: ResultIndex, pair: number, links: Links): readonly Cell[] {
  const { pairs } = index;
  const [a, b] = [pairs.a.at(pair)!, pairs.b.at(pair)!];
  const href = links.pair(a, b);
  const shown = share(pairs.value.at(pair)!);
  return [
    made(
      () => linked(shown.markup, href),
      () => shown.tsv,
    ),
    idCell(idIn(index, a), href),
    idCell(idIn(index, b), href),
    words(PAIR_KINDS[pairs.kind.at(pair)!]!),
  ];
}

/** The pairs of a kind in an order; `kind` null: all. */
export function pairsOfKind(index: ResultIndex, order: Ordered, kind: PairKind | null): Ordered {
  if (kind === null) return order;
  const wanted = PAIR_KINDS.indexOf(kind);
  const kinds = index.pairs.kind.subarray(0, index.pairs.count);
  return order.subarray(0, order.length).filter((pair) => kinds[pair] === wanted);
}

type Ordered = Pick<NumberColumn, 'length' | 'subarray'>;

/** Accepted pairs in an order. */
export function pairTable(
  index: ResultIndex,
  order: Ordered,
  caption: string,
  links: Links = VIEW_LINKS,
): LongTable {
  return {
    caption,
    heads: PAIR_HEADS,
    total: order.length,
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
  const found = new Uint32Column();
  for (let i = 0; i < order.length; i++) if (wanted[order.at(i)!] === 1) found.push(order.at(i)!);
  return found.view;
}

/** The pairs of a cluster, the most alike first. */
export function pairOrder(index: ResultIndex, cluster: number): Uint32Array {
  const [from, to] = pairsOfCluster(index, cluster);
  return mostAlikeFirst(index.pairs.value.subarray(from, to)).map((pair) => pair + from);
}

/** The range of the numbers of a cluster's pairs: from (inclusive) and to (exclusive). */
export function pairsOfCluster(index: ResultIndex, cluster: number): readonly [from: number, to: number] {
  return pairsFrom(index, index.starts.at(cluster - 1)!, index.starts.at(cluster)!);
}

/**
 * Skipped or repaired documents, with reasons. The file is read from its beginning, since the places of its rows are
 * not known.
 */
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

/** The drops of each source. */
export function sourceTable(shares: readonly SourceShare[], caption: string): LongTable {
  const ofAll = (part: number, all: number): Cell => {
    const value = all === 0 ? 0 : part / all;
    return made(
      () => percentText(value),
      () => value.toFixed(6),
    );
  };
  return {
    caption,
    heads: [
      ...(['source', '#documents', '#dropped', '#share'] as const),
      ...(['#bytes', '#bytes dropped', '#words', '#words dropped'] as const),
    ],
    total: shares.length,
    rows: async (from, most) =>
      shares.slice(from, from + most).map((share) => [
        share.source === null
          ? made(
              () => '(none, or all others)',
              () => '',
            )
          : idCell(share.source),
        count(share.documents),
        count(share.droppedDocuments),
        ofAll(share.droppedDocuments, share.documents),
        count(share.bytes),
        count(share.droppedBytes),
        count(share.words),
        count(share.droppedWords),
      ]),
  };
}

/** Documents that an edited list treats otherwise than the result. */
export function changedTable(index: ResultIndex, keeperOf: KeeperOf, order: Uint32Array): LongTable {
  return {
    caption: 'Differences from the result',
    heads: ['#cluster', 'document', 'what becomes of it now'],
    total: order.length,
    rows: async (from, most) =>
      Array.from(order.subarray(from, from + most), (d) => [
        {
          markup: linked(numberText(clusterOf(index, d)), VIEW_LINKS.cluster(clusterOf(index, d))),
          tsv: String(clusterOf(index, d)),
        },
        idCell(idIn(index, d)),
        fateCell(index, keeperOf, d, VIEW_LINKS),
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
    // Other requests and signals get their turn between two pieces.
    await pause();
    yield rows.map((cells) => `${cells.map(({ tsv }) => tsv).join('\t')}\n`).join('');
  }
}

/** The first rows of a table, for a page that stands alone. */
export async function shortTableMarkup(table: LongTable, most: number): Promise<Markup> {
  const rows = await table.rows(0, most);
  const more = table.total > most ? `<p class="dim">… and ${numberText(table.total - most)} more</p>` : '';
  const cells = rows.map((row) => row.map(({ markup }) => markup));
  return `${tableMarkup(table.caption, table.heads, cells)}${more}`;
}

/** Pixels of a row; the style has the same number. */
const ROW_HEIGHT = 36;
/** Most pieces of a page: browsers show no page of more than some 17 million pixels. */
const MOST_CHUNKS = 1000;

/**
 * A table with the rows of the piece that has row `from`; each other piece is one empty row of the same height, which the page fills
 * when it comes near the window. Links lead to the next piece where there is no script, and to the pages of 100,000 rows before and
 * after this one.
 */
export async function longTableMarkup(table: LongTable, address: string, from: number): Promise<Markup> {
  const { caption, heads, total } = table;
  const head = heads
    .map(
      (one) =>
        `<th scope="col" class="${WIDTHS[titleOf(one)] ?? (isOfNumbers(one) ? 'n' : '')}">${escaped(titleOf(one))}</th>`,
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
        : `<tbody data-from="${chunk * CHUNK}" data-later><tr style="height:${rows * ROW_HEIGHT}px"><td colspan="${heads.length}"></td></tr></tbody>`,
    );
  }
  const [path, query = ''] = address.split('?');
  const given = new URLSearchParams(query);
  // The address of a piece gets its own `from`.
  given.delete('from');
  const asked = given.toString();
  const mark = (name: string): string => escaped(`${name}?${asked}`);
  const linkTo = (chunk: number): Markup => {
    given.set('from', String(chunk * CHUNK));
    return chunk < 0 || chunk * CHUNK >= total
      ? ''
      : ` <a href="${escaped(`${path}?${given}`)}">rows from ${numberText(chunk * CHUNK + 1)} on</a>`;
  };
  const more = `<noscript><p>${linkTo(own + 1)}</p></noscript>`;
  const others = `${linkTo(first - MOST_CHUNKS)}${linkTo(first + MOST_CHUNKS)}`;
  const text = total === 0 ? '<p>There are none.</p>' : '';
  return `<div class="long"><p class="dim"><span>${numberText(total)} ${total === 1 ? 'row' : 'rows'}</span> <a download href="${mark(`${path}.tsv`)}">Download TSV</a>${others}</p>${text}<div class="scroll" tabindex="0" role="region" aria-label="${escaped(caption)}"><table data-rows="${mark(`${path}.rows`)}" aria-rowcount="${total + 1}"><caption>${escaped(caption)}</caption><thead><tr>${head}</tr></thead>${bodies.join('')}</table></div>${more}</div>`;
}
