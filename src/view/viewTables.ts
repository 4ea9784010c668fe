/** The long tables of `view`: rows from one on, each cell as markup and as TSV, so that what is shown and what is downloaded is one thing. */
import { Uint32Column } from '../arrays/growable.js';
import { sortByKey64 } from '../arrays/sort.js';
import { escapedCell } from '../output/decisions.js';
import { readSkipped } from '../output/readResult.js';
import {
  clusterCount,
  clusterOf,
  ELSEWHERE,
  idIn,
  KINDS,
  NONE,
  pairsFrom,
  type ResultIndex,
} from '../output/resultIndex.js';
import { idOfBinary } from '../readers/list/pathIds.js';
import type { DecisionKind } from '../sketch/params.js';
import { type ColumnHead, escaped, idMarkup, type Markup, numberText, tableMarkup } from './markup.js';

/** A column whose width is that of what it has; others share what is left. */
interface LongHead extends ColumnHead {
  readonly width?: 'few' | 'acts';
}

/** Where rows lead: to other views, or to other places of one page; null: nowhere. */
export interface Links {
  cluster(cluster: number): string | null;
  pair(a: number, b: number): string | null;
  /** Documents can be decided about, and asked why they are in their cluster. */
  readonly isAsked: boolean;
}

/** Those of `view`. */
export const VIEW_LINKS: Links = {
  cluster: (cluster) => `cluster?n=${cluster}`,
  pair: (a, b) => `pair?a=${Math.min(a, b)}&b=${Math.max(a, b)}`,
  isAsked: true,
};

/** What stands in a cell; a page and a download each make their own form alone. */
interface Cell {
  readonly markup: Markup;
  readonly tsv: string;
}

/** A table that is shown piece by piece. */
export interface LongTable {
  readonly caption: string;
  readonly heads: readonly LongHead[];
  readonly total: number;
  /** `count` rows at most. */
  rows(from: number, count: number): Promise<readonly (readonly Cell[])[]>;
}

/** Rows that are fetched and shown together. */
export const CHUNK = 100;
/** Rows of a step of a download. */
const STEP = 5000;

/** A cell that is made when it is asked for. */
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
/** Markup that may lead somewhere. */
export function linked(markup: Markup, href: string | null): Markup {
  return href === null ? markup : `<a href="${escaped(href)}">${markup}</a>`;
}

const share = (value: number | null): Cell =>
  value === null || Number.isNaN(value)
    ? { markup: '–', tsv: '' }
    : { markup: value.toFixed(3), tsv: value.toFixed(6) };

/** An id (binary string), which may lead somewhere. */
function idCell(id: string, href: string | null = null): Cell {
  return made(
    () => linked(idMarkup(idOfBinary(id)), href),
    () => (PLAIN.test(id) ? id : decoder.decode(escapedCell(id))),
  );
}

/** Ids that are the same as a cell of a result. */
const PLAIN = /^[ -[\]-~]*$/;
const decoder = new TextDecoder();

/** What clusters are sorted by. */
export const CLUSTER_SORTS = ['size', 'drops', 'bytes', 'least'] as const;
export type ClusterSort = (typeof CLUSTER_SORTS)[number];

/** Numbers of clusters in every order that was asked for. */
export class ClusterOrders {
  /** By cluster (from 0): documents that can be dropped, and the least similarity to the representative. */
  readonly drops: Uint32Array;
  readonly least: Float64Array;
  /** By cluster: bytes of text of the documents that can be dropped; null as long as nobody has read them. */
  bytes: Float64Array | null = null;
  readonly #index: ResultIndex;
  readonly #orders = new Map<ClusterSort, Uint32Array>();

  constructor(index: ResultIndex) {
    this.#index = index;
    const { starts, similarity, keeper } = index;
    const clusters = clusterCount(index);
    this.drops = new Uint32Array(clusters);
    this.least = new Float64Array(clusters).fill(1);
    for (let c = 0; c < clusters; c++) {
      for (let d = starts[c]!; d < starts[c + 1]!; d++) {
        if (keeper[d] !== NONE) this.drops[c]!++;
        if (similarity[d]! < this.least[c]!) this.least[c] = similarity[d]!;
      }
    }
  }

  /** Takes what the texts have. @param sizes by document, bytes */
  weigh(sizes: Float64Array): void {
    const { starts, keeper } = this.#index;
    const bytes = new Float64Array(clusterCount(this.#index));
    for (let c = 0; c < bytes.length; c++)
      for (let d = starts[c]!; d < starts[c + 1]!; d++) if (keeper[d] !== NONE) bytes[c]! += sizes[d]!;
    this.bytes = bytes;
  }

  /** Clusters from 0, the first of the order first; ties by number. By bytes once they are there. */
  by(sort: ClusterSort): Uint32Array {
    const known = this.#orders.get(sort);
    if (known !== undefined) return known;
    const { starts } = this.#index;
    const keyOf = {
      size: (c: number) => NONE - (starts[c + 1]! - starts[c]!),
      drops: (c: number) => NONE - this.drops[c]!,
      bytes: (c: number) => NONE - Math.min(NONE, this.bytes?.[c] ?? 0),
      least: (c: number) => Math.round(this.least[c]! * 1e6),
    }[sort];
    const clusters = clusterCount(this.#index);
    const keys = new Uint32Array(2 * clusters);
    for (let c = 0; c < clusters; c++) {
      keys[2 * c] = c;
      keys[2 * c + 1] = keyOf(c);
    }
    const order = Uint32Array.from({ length: clusters }, (_, c) => c);
    sortByKey64(keys, order, clusters);
    if (sort !== 'bytes' || this.bytes !== null) this.#orders.set(sort, order);
    return order;
  }
}

/** The clusters in an order. `wanted`: by cluster, 1: it is searched for; null: all are. */
export function clusterTable(
  index: ResultIndex,
  orders: ClusterOrders,
  sort: ClusterSort,
  wanted: Uint8Array | null,
): LongTable {
  const { bytes } = orders;
  const all = orders.by(sort);
  const order = wanted === null ? all : all.filter((c) => wanted[c] === 1);
  return {
    caption: wanted === null ? 'Clusters' : 'Clusters with such a document',
    heads: [
      { title: 'cluster', isNumber: true },
      { title: 'documents', isNumber: true },
      { title: 'to drop', isNumber: true },
      ...(bytes === null ? [] : [{ title: 'bytes to win', isNumber: true } as const]),
      { title: 'least similarity', isNumber: true },
      { title: 'representative' },
    ],
    total: order.length,
    rows: async (from, most) =>
      Array.from(order.subarray(from, from + most), (c) => [
        made(
          () => linked(numberText(c + 1), VIEW_LINKS.cluster(c + 1)),
          () => String(c + 1),
        ),
        count(index.starts[c + 1]! - index.starts[c]!),
        count(orders.drops[c]!),
        ...(bytes === null ? [] : [count(bytes[c]!)]),
        share(orders.least[c]!),
        idCell(idIn(index, index.starts[c]!), VIEW_LINKS.cluster(c + 1)),
      ]),
  };
}

/** What becomes of the documents, by the result or after decisions. */
export interface Fates {
  readonly keeper: Uint32Array;
}

/** What becomes of a document. */
function fateCell(index: ResultIndex, { keeper }: Fates, document: number, links: Links): Cell {
  const kept = keeper[document]!;
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
  fates: Fates,
  links: Links = VIEW_LINKS,
): LongTable {
  const first = index.starts[cluster - 1]!;
  return {
    caption: `Documents of cluster ${numberText(cluster)}`,
    heads: [
      { title: 'no.', isNumber: true },
      { title: 'document' },
      { title: 'what becomes of it' },
      { title: 'similarity', isNumber: true },
      { title: 'place' },
      ...(links.isAsked ? OF_ASKED : []),
    ],
    total: index.starts[cluster]! - first,
    rows: async (from, most) => {
      const rows = await index.clusterRows(
        first + from,
        Math.min(most, index.starts[cluster]! - first - from),
      );
      return rows.map(({ document, place, similarity, basis, role }, i) => {
        const number = first + from + i;
        const value = share(similarity);
        const isPair = role === 'member';
        return [
          count(from + i + 1),
          idCell(document, isPair ? links.pair(first, number) : null),
          fateCell(index, fates, number, links),
          basis === 'estimate' ? { markup: `≈ ${value.markup}`, tsv: value.tsv } : value,
          idCell(place ?? ''),
          ...(links.isAsked ? askedCells(index, cluster, fates, number) : []),
        ];
      });
    },
  };
}

const OF_ASKED: LongTable['heads'] = [
  { title: 'why here', width: 'few' },
  { title: 'decide', width: 'acts' },
];

function askedCells(index: ResultIndex, cluster: number, fates: Fates, document: number): readonly Cell[] {
  const first = index.starts[cluster - 1]!;
  const why = `cluster?n=${cluster}&why=${document - first + 1}`;
  return [
    document === first ? words('represents it') : { markup: linked('chain', why), tsv: '' },
    { markup: decideMarkup(fates, document, document - first + 1), tsv: '' },
  ];
}

/** What can be decided about a document of a cluster, and its box for what is decided about many. */
function decideMarkup({ keeper }: Fates, document: number, place: number): Markup {
  const kept = keeper[document]!;
  if (kept === ELSEWHERE) return '';
  const box = `<input type="checkbox" autocomplete="off" data-tick="${document}" aria-label="tick no. ${place}">`;
  const buttons =
    kept === NONE
      ? [button('drop', document, null, 'drop')]
      : [button('keep', document, kept, 'keep this'), button('both', kept, document, 'keep both')];
  return [box, ...buttons].join(' ');
}

/** A button that decides; numbers are those of documents. */
export function button(kind: DecisionKind, document: number, other: number | null, text: string): Markup {
  const second = other === null ? '' : ` data-other="${other}"`;
  return `<button type="button" data-decide="${kind}" data-document="${document}"${second}>${escaped(text)}</button>`;
}

const PAIR_HEADS: LongTable['heads'] = [
  { title: 'similarity', isNumber: true },
  { title: 'a' },
  { title: 'b' },
  { title: 'kind', width: 'few' },
];

function pairCells(index: ResultIndex, pair: number, links: Links): readonly Cell[] {
  const { a, b, value, kind } = index.pairs;
  const href = links.pair(a[pair]!, b[pair]!);
  const shown = share(value[pair]!);
  return [
    made(
      () => linked(shown.markup, href),
      () => shown.tsv,
    ),
    idCell(idIn(index, a[pair]!), href),
    idCell(idIn(index, b[pair]!), href),
    words(KINDS[kind[pair]!]!),
  ];
}

/** The accepted pairs, the most alike or the least alike first; of one cluster or (0) of all. */
export function pairTable(
  index: ResultIndex,
  order: Uint32Array,
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

/** Rows of pairs by their values, ties in the order of the result. */
export function pairOrder(
  index: ResultIndex,
  [from, to]: readonly [number, number],
  mostFirst: boolean,
): Uint32Array {
  const keys = new Uint32Array(2 * (to - from));
  for (let i = from; i < to; i++) {
    const value = Math.round(index.pairs.value[i]! * 1e6);
    keys[2 * (i - from)] = i;
    keys[2 * (i - from) + 1] = mostFirst ? 2e6 - value : value;
  }
  const order = Uint32Array.from({ length: to - from }, (_, i) => from + i);
  sortByKey64(keys, order, order.length);
  return order;
}

/** The pairs of a cluster. */
export function pairsOfCluster(index: ResultIndex, cluster: number): readonly [from: number, to: number] {
  return pairsFrom(index, index.starts[cluster - 1]!, index.starts[cluster]!);
}

/** What was skipped or repaired, with reasons. Read from its beginning, as nobody knows where a row begins. */
export function skippedTable(folder: string, total: number): LongTable {
  return {
    caption: 'Skipped and repaired',
    heads: [{ title: 'document' }, { title: 'what' }, { title: 'reason' }],
    total,
    rows: async (from, most) => {
      const rows: (readonly Cell[])[] = [];
      let at = 0;
      for await (const { document, kind = '', reason } of readSkipped(folder)) {
        if (at++ < from) continue;
        if (rows.length >= most) break;
        rows.push([idCell(document), words(kind), words(reason)]);
      }
      return rows;
    },
  };
}

/** Documents whose fate decisions changed. */
export function changedTable(index: ResultIndex, fates: Fates): LongTable {
  const changed = new Uint32Column();
  for (let d = 0; d < index.documents; d++)
    if ((index.keeper[d] === NONE) !== (fates.keeper[d] === NONE)) changed.push(d);
  const order = changed.view;
  return {
    caption: 'What decisions change',
    heads: [{ title: 'cluster', isNumber: true }, { title: 'document' }, { title: 'what becomes of it now' }],
    total: order.length,
    rows: async (from, most) =>
      Array.from(order.subarray(from, from + most), (d) => [
        {
          markup: linked(numberText(clusterOf(index, d)), VIEW_LINKS.cluster(clusterOf(index, d))),
          tsv: String(clusterOf(index, d)),
        },
        idCell(idIn(index, d)),
        fateCell(index, fates, d, VIEW_LINKS),
      ]),
  };
}

/** Rows as table rows. */
export function rowsMarkup({ heads }: LongTable, rows: readonly (readonly Cell[])[]): Markup {
  return rows
    .map(
      (cells) =>
        `<tr tabindex="-1">${cells.map(({ markup }, i) => `<td${heads[i]!.isNumber ? ' class="n"' : ''}>${markup}</td>`).join('')}</tr>`,
    )
    .join('\n');
}

/** The pieces of a table as TSV. */
export async function* tsvOf(table: LongTable): AsyncGenerator<string> {
  yield `${table.heads.map(({ title }) => title.replace(/[^a-z]+/g, '_').replace(/_$/, '')).join('\t')}\n`;
  for (let from = 0; from < table.total; from += STEP) {
    const rows = await table.rows(from, STEP);
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

/** In pixels; the style has the same. */
const ROW_HEIGHT = 36;
/** Pieces of a page: browsers show no page of more than some 17 million pixels. */
const MOST_CHUNKS = 1000;

/**
 * A table of which the piece with row `from` is there; each other piece is one empty row of its height, which the page fills
 * when it comes near to what is seen. Links lead on where there is no script, and to what is before and behind 100,000 rows.
 */
export async function longTableMarkup(table: LongTable, address: string, from: number): Promise<Markup> {
  const { caption, heads, total } = table;
  const head = heads
    .map(
      ({ title, isNumber, width = '' }) =>
        `<th scope="col" class="${isNumber ? 'n' : width}">${escaped(title)}</th>`,
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
  // Pieces say themselves where they begin.
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
