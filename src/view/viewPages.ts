/**
 * Answers the requests of `view`, without a server. Addresses have numbers of documents and clusters and words to search for,
 * never a path: no part of an address reaches the file system.
 */
import { closeSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readableResult } from '../analysis/inspect.js';
import { type AskedResult, whyUnread } from '../analysis/result/pairTexts.js';
import type { CorpusOption } from '../coordinator/resultPaths.js';
import { MinHashError } from '../errors.js';
import { shellPath } from '../options/shellWord.js';
import type { NumberColumn } from '../result/columnFile.js';
import { dropListFile } from '../result/dropListFile.js';
import { MANIFEST_NAME } from '../result/fileNames.js';
import { indexFile, type StoredIndex } from '../result/indexFile.js';
import type { Manifest } from '../result/manifest.js';
import type { PairKind, PairRow } from '../result/readResult.js';
import { clusterCount, clusterOf, NONE, pairOf, placeIn, type ResultIndex } from '../result/resultIndex.js';
import { PAIR_KINDS } from '../result/tables/pairTable.js';
import { quietly } from '../store/files.js';
import { Behind, Wanted } from './behind.js';
import { likenessMarkup } from './clusterPage.js';
import { EditedList, stampOf } from './editedList.js';
import { editOf, whyUnedited } from './editing.js';
import { htmlPage } from './htmlPage.js';
import { countText, escaped, idMarkup, type Markup, numberText } from './markup.js';
import { openedIndex } from './opening.js';
import { type KeptFacts, nameOf, type PageFacts } from './pageFacts.js';
import {
  answerMarkup,
  clusterSection,
  countSection,
  settingSection,
  similaritySection,
  sourceSection,
} from './sections.js';
import {
  type BytesToWin,
  bytesToWin,
  newStore,
  storedBeginning,
  storedText,
  type TextStore,
  whyUnsearched,
} from './textStore.js';
import { bandsMarkup, headMarkup, partMarkup, type ShownTexts, textsMarkup } from './textsPage.js';
import {
  button,
  CHUNK,
  CLUSTER_SORTS,
  changedTable,
  clusterTable,
  documentMarkup,
  documentText,
  type KeeperOf,
  KIND_WORDS,
  keepersOf,
  type Links,
  type LongTable,
  longTableMarkup,
  memberTable,
  pairOrder,
  pairsOfCluster,
  pairsOfKind,
  pairTable,
  reversed,
  rowsMarkup,
  skippedTable,
  tsvOf,
  VIEW_LINKS,
} from './viewTables.js';
import { clustersOf, documentsWith } from './wordSearch.js';

/** An answer: a page, a piece of one, a table, or the outcome of an edit. */
export interface ViewAnswer {
  readonly status: number;
  readonly type: 'text/html' | 'text/tab-separated-values' | 'application/json';
  readonly body: string | AsyncIterable<string>;
  /** The file name of a download. */
  readonly file?: string;
}

/** Options of `view`: the file of the edited drop list, and the paths of the inputs. */
export interface ViewOptions extends CorpusOption {
  /** Default: `RESULT-drop-list.tsv` beside the result. */
  readonly dropList?: string;
}

/** Milliseconds that an answer waits for work before it shows the progress instead. */
const PATIENCE = 100;
/** The same for a list whose texts are being read: it is shown without them. */
const TEXT_PATIENCE = 500;
/** Most documents in a question to the user. */
const NAMED = 5;
/** Most pairs whose texts are kept, and most bytes of markup of all but the last one. */
const HELD = 3;
const HELD_BYTES = 1 << 24;
/** Megabytes that objects may take while two texts are compared: texts of 10 MB take about 60. */
const TEXT_MEMORY = 256;
/** Megabytes that objects may take while all texts are read. */
const READING_MEMORY = 128;

const NAVIGATION: readonly (readonly [address: string, title: string])[] = [
  ['.', 'Overview'],
  ['clusters', 'Clusters'],
  ['pairs', 'Pairs'],
  ['skipped', 'Skipped'],
  ['list', 'Drop list'],
];

const HELP = `<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">Keys</h2><dl class="facts"><dt>j, k</dt><dd>next and previous row, or difference</dd><dt>Enter</dt><dd>open the row</dd><dt>/</dt><dd>search</dd><dt>u</dt><dd>undo the last edit</dd><dt>g</dt><dd>overview</dd><dt>?</dt><dd>these keys</dd></dl><form method="dialog"><button>Close</button></form></dialog><dialog id="ask" aria-labelledby="ask-title"><h2 id="ask-title">Drop the last copy?</h2><p>No document that is kept is a near-duplicate of these. Their texts would be lost:</p><ul id="ask-what"></ul><p><button type="button" id="ask-no">Cancel</button> <button type="button" id="ask-yes">Drop anyway</button></p></dialog>`;

/** The address does not exist in the result. */
class NotFound extends Error {}

/** The answer is not ready yet. */
class NotYet extends Error {}

const REPLACED =
  'the result was replaced or removed while it was viewed: stop `mr-minhash view` and start it again';
const DAMAGED =
  'the index of the result was damaged and has been removed: stop `mr-minhash view` and start it again to rebuild it';

/** A comparison of two texts, running or done. */
interface Compared {
  readonly wanted: Wanted<ShownTexts>;
  /** Bytes of markup; null if not compared yet. */
  bytes: number | null;
}

/** The index with the facts stored with it, and the edited drop list. */
interface Indexed {
  readonly facts: PageFacts;
  readonly index: ResultIndex;
  readonly list: EditedList;
}

/** The pages of a result. Builds the index in a separate thread. */
export class ResultView {
  readonly #result: AskedResult;
  /** The manifest when the view began. */
  readonly #stamp: string;
  readonly #file: string;
  readonly #name: string;
  readonly #skipped: number;
  #progress = 0;
  readonly #end = new AbortController();
  #kept: StoredIndex | null = null;
  #indexed: Promise<Indexed> | null = null;
  readonly #readingTexts = new Behind(READING_MEMORY, false);
  /** The texts of documents, which are read in one pass over the inputs; null if they are not read. */
  #texts: TextStore | null = null;
  #textsRead: Promise<unknown> = Promise.resolve();
  #textProgress = 0;
  /** The bytes that can be dropped, by cluster, once all texts have been read. */
  #won: BytesToWin | null = null;
  /** Pairs by kind, the most similar first. */
  readonly #pairsByKind = new Map<PairKind, NumberColumn>();
  /** The last search in texts. */
  #search: { readonly words: string; readonly wanted: Wanted<Uint8Array> } | null = null;
  readonly #comparing = new Behind(TEXT_MEMORY);
  /** Comparisons in the order of use, the last one last. */
  readonly #compared = new Map<string, Compared>();

  /** @throws MinHashError RESULT_MISSING, OPTION_INVALID */
  constructor(folder: string, { dropList, ...options }: ViewOptions = {}) {
    this.#result = readableResult(folder, options);
    const { manifest } = this.#result;
    this.#stamp = stampOf(join(folder, MANIFEST_NAME));
    this.#file = dropList ?? dropListFile(folder);
    this.#name = nameOf(folder);
    this.#skipped = manifest.files['skipped.tsv']?.rows ?? 0;
  }

  /** Builds the index for the pages; rejects if the result is damaged. */
  async prepare(onProgress: (share: number) => void = () => undefined): Promise<void> {
    this.#indexed ??= openedIndex(this.#result, this.#end.signal, (share) => {
      this.#progress = share;
      onProgress(share);
    }).then((kept) => {
      this.#kept = kept;
      const { index } = kept;
      const facts = { manifest: index.manifest, ...(kept.facts as KeptFacts) };
      this.#readTexts(kept);
      return { index, facts, list: new EditedList(index, this.#result.folder, this.#file) };
    });
    await this.#indexed;
  }

  /** Ends all work; no request may follow. */
  async close(): Promise<void> {
    this.#end.abort();
    for (const { wanted } of this.#compared.values()) wanted.forget();
    this.#search?.wanted.forget();
    await Promise.all([
      this.#comparing.close(),
      this.#readingTexts.close(),
      this.#indexed?.catch(() => undefined),
    ]);
    this.#kept?.close();
    if (this.#texts !== null) closeSync(this.#texts.descriptor);
  }

  /** Begins to read the texts of all documents of the index. */
  #readTexts({ index, descriptor }: StoredIndex): void {
    if (whyUnsearched(this.#result) !== null || this.#end.signal.aborted) return;
    this.#texts = newStore(index.documents);
    const work = { kind: 'read', result: this.#result, descriptor, store: this.#texts } as const;
    const onProgress = (share: number): void => {
      this.#textProgress = share;
    };
    this.#textsRead = this.#readingTexts
      .do(work, { signal: this.#end.signal, onProgress })
      .finally(() => onProgress(1));
    this.#textsRead.catch(() => undefined);
  }

  /** The texts, all read. @throws NotYet; the error that ended the reading */
  async #allTexts(): Promise<TextStore> {
    await soon(this.#textsRead, () => `The texts are being read: ${Math.floor(100 * this.#textProgress)} %.`);
    return this.#texts!;
  }

  /** The links of rows, with the beginnings of texts that are read. */
  get #links(): Links {
    const texts = this.#texts;
    return texts === null ? VIEW_LINKS : { ...VIEW_LINKS, beginning: (d) => storedBeginning(texts, d) };
  }

  /** The answer to an address relative to the result's own, such as `cluster?n=3`. Never throws. */
  async answer(path: string, query: URLSearchParams): Promise<ViewAnswer> {
    void this.prepare().catch(() => undefined);
    try {
      if (this.#isReplaced())
        return this.#page(409, 'Another result', '', problemMarkup(new Error(REPLACED)));
      return await this.#answer(path, query);
    } catch (error) {
      if (isDamage(error)) {
        quietly(() => rmSync(indexFile(this.#result.folder)));
        return this.#page(500, 'Damaged', '', problemMarkup(new Error(DAMAGED)));
      }
      if (error instanceof NotYet) {
        const text = `<p role="status">${escaped(error.message)} This page reloads automatically.</p>`;
        return this.#page(200, 'Reading', '', text, '<meta http-equiv="refresh" content="1">');
      }
      const status = error instanceof NotFound ? 404 : 500;
      return this.#page(status, 'Not found', '', problemMarkup(error));
    }
  }

  /** Edits the drop list, or undoes the last step; the answer has the outcome. Never throws. */
  async edit(request: unknown): Promise<ViewAnswer> {
    const json = (status: number, body: object): ViewAnswer => ({
      status,
      type: 'application/json',
      body: JSON.stringify(body),
    });
    try {
      if (this.#isReplaced()) return json(409, { error: REPLACED });
      const { index, list } = await this.#ready();
      const why = whyUnedited(index.manifest);
      if (why !== null) return json(409, { error: `The drop list cannot be edited here: ${why}.` });
      const before = list.length;
      let others = '';
      if (isWith(request, 'undo')) await list.undo();
      else {
        const edit = editOf(index, request);
        if (edit === null)
          return json(400, { error: 'expected undo, or numbers of documents to keep or to drop' });
        const { lost, replaced, freed } = await list.edit(edit, isWith(request, 'lose'));
        if (lost.length > 0)
          return json(409, {
            error: 'Nothing was changed.',
            // The page asks the user whether these texts may be lost.
            lost: lost.slice(0, NAMED).map((d) => documentText(index, d)),
            losses: lost.length,
          });
        others = othersText(replaced, freed);
      }
      const [now, differences] = [list.length, list.changed.length];
      const step =
        now === before ? '' : ` (${numberText(Math.abs(now - before))} ${now > before ? 'more' : 'fewer'})`;
      const compared =
        differences === 0 ? 'as in the result' : `${countText(differences, 'difference')} from the result`;
      return json(200, {
        message: `Saved. The list drops ${countText(now, 'document')}${step}, ${compared}.${others}`,
        differences,
      });
    } catch (error) {
      if (error instanceof NotYet) return json(503, { error: 'The result is still being read.' });
      const isOurs = error instanceof MinHashError;
      return json(isOurs ? 409 : 500, { error: isOurs ? detailsOf(error) : String(error) });
    }
  }

  #isReplaced(): boolean {
    return stampOf(join(this.#result.folder, MANIFEST_NAME)) !== this.#stamp;
  }

  async #answer(path: string, query: URLSearchParams): Promise<ViewAnswer> {
    if (path === '') return this.#overview();
    if (path === 'texts') return this.#part(query);
    if (path === 'cluster') return this.#cluster(query);
    if (path === 'pair') return this.#pair(query);
    const [name, form] = path.split('.');
    const table = await this.#table(name!, query);
    if (form === undefined) await this.#textsSoon();
    if (form === 'rows') {
      const rows = await table.rows(numberIn(query, 'from', 0), CHUNK);
      return { status: 200, type: 'text/html', body: rowsMarkup(table, rows) };
    }
    if (form === 'tsv')
      return { status: 200, type: 'text/tab-separated-values', body: tsvOf(table), file: `${name}.tsv` };
    if (form !== undefined) throw new NotFound();
    if (name === 'clusters') return this.#clusters(table, query);
    if (name === 'list') return this.#list(table, query);
    const title = name === 'pairs' ? 'Pairs' : 'Skipped';
    const choice = name === 'pairs' ? pairLinks(query, this.#result.manifest.counts) : '';
    const text = `<h1>${title}</h1>${choice}${this.#unreadTexts()}${await longTableMarkup(table, `${name}?${query}`, numberIn(query, 'from', 0))}`;
    return this.#page(200, title, name!, text);
  }

  /** Waits briefly for the texts: those of few documents are ready at once. */
  async #textsSoon(): Promise<void> {
    await soon(this.#textsRead, () => '', TEXT_PATIENCE).catch(() => undefined);
  }

  /** A note if rows lack texts that are still being read. */
  #unreadTexts(): Markup {
    if (this.#texts === null || this.#textProgress === 1) return '';
    return `<p class="dim">The texts are being read (${Math.floor(100 * this.#textProgress)} %): reload to see the beginnings of more documents.</p>`;
  }

  #progressText(): string {
    return `The result is being read: ${Math.floor(100 * this.#progress)} %.`;
  }

  /** The index, if it is ready soon. @throws NotYet */
  async #ready(): Promise<Indexed> {
    void this.prepare().catch(() => undefined);
    return soon(this.#indexed!, () => this.#progressText());
  }

  async #overview(): Promise<ViewAnswer> {
    const { manifest } = this.#result;
    const none = { bins: [], sizes: [], largest: [], pairs: [], pairsFrom: [] };
    const ready = await this.#ready().catch((error: unknown) => {
      if (error instanceof NotYet) return null;
      throw error;
    });
    const facts: PageFacts = ready?.facts ?? { manifest, ...none };
    const waiting = `<section><p role="status">The tables are being read: ${Math.floor(100 * this.#progress)} %.</p></section>`;
    const body = [
      `<h1>Near-duplicates <span class="dim"><bdi>${escaped(this.#name)}</bdi></span></h1>`,
      answerMarkup(facts),
      ...(ready === null ? [waiting] : [similaritySection(facts), clusterSection(facts, VIEW_LINKS.cluster)]),
      sourceSection(facts),
      countSection(facts),
      settingSection(facts, manifest.version),
    ];
    const head = ready === null ? '<meta http-equiv="refresh" content="2">' : '';
    return this.#page(200, 'Overview', '.', body.join('\n'), head);
  }

  async #table(name: string, query: URLSearchParams): Promise<LongTable> {
    if (name === 'skipped') return skippedTable(this.#result.folder, this.#skipped);
    const { index, list } = await this.#ready();
    if (name === 'clusters') return this.#clusterTable(index, query);
    if (name === 'members')
      return memberTable(index, clusterNumber(index, query), await keepersNow(index, list), this.#links);
    if (name === 'list') {
      const keeperOf = await keepersNow(index, list);
      return changedTable(index, keeperOf, list.changed, this.#links);
    }
    if (name === 'pairs') {
      const cluster = numberIn(query, 'cluster', 0);
      const mostFirst = query.get('sort') !== 'least';
      const ordered = (order: NumberColumn) => (mostFirst ? order : reversed(order));
      if (cluster === 0) {
        const kind = kindOf(query, index.manifest.counts);
        const order = ordered(kind === null ? index.byValue : this.#ofKind(index, kind));
        const caption = kind === null ? 'Accepted pairs' : `Accepted pairs, ${KIND_WORDS[kind]}`;
        return pairTable(index, order, caption, this.#links);
      }
      if (cluster > clusterCount(index)) throw new NotFound();
      const order = pairOrder(index, cluster);
      const caption = `Accepted pairs of cluster ${numberText(cluster)}`;
      return pairTable(index, ordered(order), caption, this.#links);
    }
    throw new NotFound();
  }

  #ofKind(index: ResultIndex, kind: PairKind): NumberColumn {
    const known = this.#pairsByKind.get(kind) ?? pairsOfKind(index, kind);
    this.#pairsByKind.set(kind, known);
    return known;
  }

  /** The clusters of a query. @throws NotYet while texts that it needs are being read */
  async #clusterTable(index: ResultIndex, query: URLSearchParams): Promise<LongTable> {
    const [search, sort] = [query.get('search') ?? '', sortOf(query)];
    const areSearched = whyUnsearched(this.#result) === null;
    if (areSearched && sort === 'bytes') this.#won ??= bytesToWin(index, await this.#allTexts());
    if (search === '') return clusterTable(index, this.#won, sort, null, this.#links);
    const found = clustersOf(index, documentsWith(index, search));
    if (areSearched && query.get('in') === 'texts')
      for (const [cluster, flag] of (await this.#clustersHaving(search)).entries()) found[cluster]! |= flag;
    return clusterTable(index, this.#won, sort, found, this.#links);
  }

  /** By cluster, 1 if the text of one of its documents has the words. @throws NotYet */
  async #clustersHaving(words: string): Promise<Uint8Array> {
    const store = await this.#allTexts();
    const { descriptor } = this.#kept!;
    if (this.#search?.words !== words) {
      this.#search?.wanted.forget();
      const work = { kind: 'words', result: this.#result, descriptor, store, words } as const;
      this.#search = { words, wanted: new Wanted((waiting) => this.#readingTexts.do(work, waiting)) };
    }
    const { wanted } = this.#search;
    wanted.ask();
    wanted.result.catch(() => {
      if (this.#search?.wanted === wanted) this.#search = null;
    });
    return soon(wanted.result, () => 'The texts are being searched.');
  }

  async #clusters(table: LongTable, query: URLSearchParams): Promise<ViewAnswer> {
    const search = query.get('search') ?? '';
    const sort = sortOf(query);
    const words = escaped(search);
    const isInTexts = query.get('in') === 'texts';
    const why = whyUnsearched(this.#result);
    const inTexts =
      why === null
        ? `<label class="check"><input type="checkbox" name="in" value="texts"${isInTexts ? ' checked' : ''}> also in texts</label>`
        : '';
    const unread =
      why !== null && (isInTexts || sort === 'bytes')
        ? `<p>${escaped(`Texts cannot be searched: ${why}.`)}</p>`
        : '';
    const form = `<form class="search" role="search" action="clusters"><label for="search">search ids and locations</label><input id="search" name="search" type="search" value="${words}">${inTexts}<input type="hidden" name="sort" value="${sort}"><button>Search</button></form>`;
    const links = sortLinks('clusters', CLUSTER_SORTS, sort, '', {
      ...(search !== '' && { search }),
      ...(isInTexts && { in: 'texts' }),
    });
    const rows = await longTableMarkup(table, `clusters?${query}`, numberIn(query, 'from', 0));
    return this.#page(
      200,
      'Clusters',
      'clusters',
      `<h1>Clusters</h1>${form}${links}${unread}${this.#unreadTexts()}${rows}`,
    );
  }

  async #cluster(query: URLSearchParams): Promise<ViewAnswer> {
    const { index, list } = await this.#ready();
    const cluster = clusterNumber(index, query);
    const keeperOf = await keepersNow(index, list);
    const start = index.starts.at(cluster - 1)!;
    const size = index.starts.at(cluster)! - start;
    await this.#textsSoon();
    const members = await longTableMarkup(
      memberTable(index, cluster, keeperOf, this.#links),
      `members?n=${cluster}`,
      numberIn(query, 'from', 0),
    );
    const order = pairOrder(index, cluster);
    const pairs = await longTableMarkup(
      pairTable(index, order, 'Accepted pairs, the most similar first', this.#links),
      `pairs?cluster=${cluster}`,
      0,
    );
    const others = [
      cluster > 1 ? link(`cluster?n=${cluster - 1}`, '← previous cluster') : '',
      cluster < clusterCount(index) ? link(`cluster?n=${cluster + 1}`, 'next cluster →') : '',
    ];
    const body = [
      `<h1>Cluster ${numberText(cluster)}</h1>`,
      `<p>${countText(size, 'document')}, of which the result drops ${numberText(index.drops.at(cluster - 1)!)}. No. 1 represents them; the least similarity to it is ${index.least.at(cluster - 1)!.toFixed(3)}.</p>`,
      `<p class="beside">${others.join('')}</p>`,
      this.#unedited(),
      size > 1 && whyUnedited(index.manifest) === null
        ? '<p class="bulk"><button type="button" data-ticked disabled>Drop all that are ticked</button></p>'
        : '',
      members,
      '<h2>Pairs</h2>',
      likenessMarkup(index, cluster, VIEW_LINKS),
      pairs,
    ];
    return this.#page(200, `Cluster ${cluster}`, 'clusters', body.join('\n'));
  }

  #unedited(): Markup {
    const why = whyUnedited(this.#result.manifest);
    return why === null ? '' : `<p>The drop list of this result cannot be edited here: ${escaped(why)}.</p>`;
  }

  async #pair(query: URLSearchParams): Promise<ViewAnswer> {
    const { index, list } = await this.#ready();
    const [a, b] = documentsIn(index, query);
    const pair = pairOf(index, a, b);
    const row = pair < 0 ? null : await index.pairRow(pair);
    const shown = await this.#textsOf(index, a, b);
    const cluster = clusterOf(index, a);
    const [first, last] = cluster === 0 ? [0, 0] : pairsOfCluster(index, cluster);
    const { pairs } = index;
    const beside = (other: number, text: string): Markup =>
      pair >= 0 && other >= first && other < last
        ? link(`pair?a=${pairs.a.at(other)}&b=${pairs.b.at(other)}`, text)
        : '';
    const keeperOf = await keepersNow(index, list);
    const [isKeptA, isKeptB] = [a, b].map((d) => keeperOf(d) === NONE);
    const facts: (readonly [string, Markup])[] = [
      ...pairFacts(row),
      ...(shown.state === 'texts' && shown.bands !== null
        ? [['bands', bandsMarkup(shown.bands)] as const]
        : []),
      ['in the drop list', `a is ${isKeptA ? 'kept' : 'dropped'}, b is ${isKeptB ? 'kept' : 'dropped'}`],
    ];
    const rows = facts
      .map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${value}</dd></div>`)
      .join('');
    const headOf = (d: number, side: 'a' | 'b', isKept: boolean | undefined): Markup =>
      headMarkup(
        side,
        documentMarkup(index, d),
        `<span class="badge ${isKept ? 'yes' : 'no'}">${isKept ? 'kept' : 'dropped'}</span>`,
      );
    const heads = [headOf(a, 'a', isKeptA), headOf(b, 'b', isKeptB)] as const;
    const isEdited = whyUnedited(index.manifest) === null && Math.max(a, b) < index.clustered;
    const choices = [
      isKeptA && !isKeptB ? '' : button('Keep a, drop b', { keep: [a], drop: [b] }),
      isKeptB && !isKeptA ? '' : button('Keep b, drop a', { keep: [b], drop: [a] }),
      isKeptA && isKeptB ? '' : button('Keep both', { keep: [a, b] }),
    ];
    const decide = row === null || !isEdited ? '' : `<p class="decide">${choices.join(' ')}</p>`;
    const body = [
      `<h1>Two documents${pair < 0 ? '' : ` <span class="dim">${index.pairs.value.at(pair)!.toFixed(3)} similar</span>`}</h1>`,
      `<dl class="facts row">${rows}</dl>`,
      decide,
      `<p class="beside">${beside(pair - 1, '← previous pair')}${cluster === 0 ? '' : link(`cluster?n=${cluster}`, `cluster ${numberText(cluster)}`)}${beside(pair + 1, 'next pair →')}</p>`,
      textsMarkup(shown, heads, `texts?a=${a}&b=${b}`, index.manifest.parameters.measure === 'containment'),
    ];
    return this.#page(200, 'Two documents', 'pairs', body.join('\n'));
  }

  async #textsOf(index: ResultIndex, a: number, b: number): Promise<ShownTexts> {
    const why = whyUnread(this.#result);
    if (why !== null) {
      const text = `Texts are not shown, because others can write to the result, which has their locations (${why}). Use --corpus PATH to read them.`;
      return { state: 'message', markup: `<p>${escaped(text)}</p>` };
    }
    const key = `${a} ${b}`;
    const known = this.#compared.get(key) ?? (await this.#compare(index, a, b));
    known.wanted.ask();
    this.#compared.delete(key);
    this.#compared.set(key, known);
    known.wanted.result.catch(() => this.#compared.delete(key));
    return soon(known.wanted.result, () => 'The two texts are being read and compared.');
  }

  async #compare(index: ResultIndex, a: number, b: number): Promise<Compared> {
    const pair = pairOf(index, a, b);
    const row = pair < 0 ? null : await index.pairRow(pair);
    const [textA, textB] = [a, b].map((d) => this.#texts && storedText(this.#texts, d));
    const texts = textA && textB ? ([textA, textB] as const) : null;
    const request = { a: placeIn(index, a), b: placeIn(index, b), texts, row };
    const wanted = new Wanted((waiting) =>
      this.#comparing.do({ kind: 'texts', result: this.#result, request }, waiting),
    );
    const compared: Compared = { wanted, bytes: null };
    wanted.result.then(
      (shown) => {
        compared.bytes = shown.state === 'texts' ? shown.markup.length : 0;
        this.#forgetOld();
      },
      () => undefined,
    );
    return compared;
  }

  /** Removes old comparisons: keeps the pairs used last, fewer if their markup is large. */
  #forgetOld(): void {
    let [held, bytes] = [0, 0];
    for (const [key, comparison] of [...this.#compared].reverse()) {
      if (comparison.bytes === null) continue;
      bytes += comparison.bytes;
      if (held++ > 0 && (held > HELD || bytes > HELD_BYTES)) this.#compared.delete(key);
    }
  }

  /** A part of two texts. */
  async #part(query: URLSearchParams): Promise<ViewAnswer> {
    const { index } = await this.#ready();
    const [a, b] = documentsIn(index, query);
    const shown = await this.#textsOf(index, a, b);
    const body = shown.state === 'texts' ? partMarkup(shown, numberIn(query, 'part', 0)) : '';
    if (body === '') throw new NotFound();
    return { status: 200, type: 'text/html', body };
  }

  async #list(table: LongTable, query: URLSearchParams): Promise<ViewAnswer> {
    const { list } = await this.#ready();
    let state: Markup;
    try {
      await list.refresh();
      const undo = list.hasSteps
        ? '<p><button type="button" data-undo>Undo the last edit (u)</button></p>'
        : '';
      const command = `mr-minhash apply ${shellPath(this.#result.folder)} --drop-list ${shellPath(this.#file)} --to ${shellPath(`${this.#name}-clean`)}`;
      state =
        list.changed.length === 0
          ? '<p>The drop list is that of the result. “Keep this instead”, “keep both” and “drop” in clusters and pairs change it.</p>'
          : `<p>The list drops ${countText(list.length, 'document')}; the result drops ${numberText(this.#result.manifest.counts.dropped)}. It is saved after every edit in ${idMarkup(this.#file)}.</p>${undo}<p>This command writes the corpus without these documents:</p><pre class="command">${escaped(command)}</pre>`;
    } catch (error) {
      state = problemMarkup(error);
    }
    const rows = await longTableMarkup(table, 'list', numberIn(query, 'from', 0));
    const body = `<h1>Drop list</h1>${this.#unedited()}${state}<h2>Differences from the result</h2>${rows}`;
    return this.#page(200, 'Drop list', 'list', body);
  }

  #page(status: number, title: string, current: string, body: Markup, head = ''): ViewAnswer {
    const links = NAVIGATION.map(
      ([address, text]) =>
        `<li><a href="${address}"${address === current ? ' aria-current="page"' : ''}>${text}</a></li>`,
    );
    const nav = `<header><nav aria-label="Views"><ul>${links.join('')}<li><button type="button" id="keys">Keys (?)</button></li></ul></nav></header>`;
    const content = [
      nav,
      `<main>${body}</main>`,
      '<p id="message" role="status" aria-live="polite"></p>',
      HELP,
    ];
    return {
      status,
      type: 'text/html',
      body: htmlPage(
        escaped(`${title}: ${this.#name}`),
        `${head}<script src="page.js" defer></script>`,
        content,
      ),
    };
  }
}

/** Whether an error says that a page of the index is damaged; the checksum of a page is checked when it is read. */
function isDamage(error: unknown): boolean {
  return error instanceof MinHashError && error.problems.some(({ code }) => code === 'BLOCK_CHECKSUM');
}

const detailsOf = ({ problems }: MinHashError): string =>
  problems.map(({ detail, remedy }) => [detail, remedy].filter(Boolean).join('; ')).join('\n');

/** What an edit changed beyond its own documents. */
function othersText(replaced: number, freed: number): string {
  const moved =
    replaced === 0
      ? ''
      : ` ${countText(replaced, 'other document')} ${replaced === 1 ? 'has' : 'have'} another replacement.`;
  const kept =
    freed === 0
      ? ''
      : ` ${countText(freed, 'other document')} ${freed === 1 ? 'is' : 'are'} kept: no kept document is similar to ${freed === 1 ? 'it' : 'them'}.`;
  return `${moved}${kept}`;
}

/** Whether a request has a flag. */
function isWith(request: unknown, flag: 'undo' | 'lose'): boolean {
  return typeof request === 'object' && request !== null && Reflect.get(request, flag) === true;
}

/** The fates of documents in the edited list; those of the result if the list, which anybody may edit, cannot be read. */
async function keepersNow(index: ResultIndex, list: EditedList): Promise<KeeperOf> {
  try {
    await list.refresh();
    return (document) => list.keeperOf(document);
  } catch (error) {
    if (error instanceof MinHashError) return keepersOf(index);
    throw error;
  }
}

/** The value of a promise, if it resolves within `patience` milliseconds. @throws NotYet */
async function soon<T>(promise: Promise<T>, message: () => string, patience = PATIENCE): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NotYet(message())), patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function problemMarkup(error: unknown): Markup {
  if (error instanceof NotFound) return '<h1>Not found</h1><p>The result has no such page.</p>';
  const text = error instanceof Error ? error.message : String(error);
  return `<p class="problem" role="alert">${escaped(text)}</p>`;
}

const link = (address: string, text: string): Markup => `<a href="${escaped(address)}">${escaped(text)}</a>`;

/** A whole number of a query; `usual` for any other value. */
function numberIn(query: URLSearchParams, name: string, usual: number): number {
  const value = query.get(name) ?? '';
  return /^\d{1,15}$/.test(value) ? Number(value) : usual;
}

const sortOf = (query: URLSearchParams) => CLUSTER_SORTS.find((sort) => sort === query.get('sort')) ?? 'size';

/** @throws NotFound */
function clusterNumber(index: ResultIndex, query: URLSearchParams): number {
  const cluster = numberIn(query, 'n', 0);
  if (cluster < 1 || cluster > clusterCount(index)) throw new NotFound();
  return cluster;
}

/** @throws NotFound */
function documentsIn(index: ResultIndex, query: URLSearchParams): readonly [number, number] {
  const [a, b] = [numberIn(query, 'a', index.documents), numberIn(query, 'b', index.documents)];
  if (a >= index.documents || b >= index.documents || a === b) throw new NotFound();
  return [a, b];
}

const SORT_WORDS: Readonly<Record<string, string>> = {
  size: 'documents',
  drops: 'documents to drop',
  bytes: 'bytes to drop',
  least: 'least similarity',
};

function sortLinks(
  address: string,
  sorts: readonly string[],
  current: string,
  after: string,
  others: Readonly<Record<string, string>> = {},
): Markup {
  const links = sorts.map((sort) => {
    const query = new URLSearchParams({ sort, ...others });
    const text = SORT_WORDS[sort]!;
    return `<a href="${escaped(`${address}?${query}`)}"${sort === current ? ' aria-current="true"' : ''}>${escaped(`${text} ${after}`.trim())}</a>`;
  });
  return `<p class="sorts"><span class="dim">sorted by</span>${links.join('')}</p>`;
}

/** The kind of pairs in a query, similar ones by default; null for all. */
function kindOf(query: URLSearchParams, counts: Manifest['counts']): PairKind | null {
  const kind = query.get('kind');
  if (kind === null && counts.verified_pairs > 0) return 'near';
  return PAIR_KINDS.find((pairKind) => pairKind === kind) ?? null;
}

/** The choices of the list of pairs: which kinds, and in which order. */
function pairLinks(query: URLSearchParams, counts: Manifest['counts']): Markup {
  const own = {
    kind: kindOf(query, counts) ?? 'all',
    sort: query.get('sort') === 'least' ? 'least' : 'most',
  };
  const links = (
    name: 'kind' | 'sort',
    choices: readonly (readonly [value: string, text: string])[],
  ): Markup =>
    choices
      .map(([value, text]) => {
        const address = `pairs?${new URLSearchParams({ ...own, [name]: value })}`;
        const current = own[name] === value ? ' aria-current="true"' : '';
        return `<a href="${escaped(address)}"${current}>${escaped(text)}</a>`;
      })
      .join('');
  const { verified_pairs: near, same_tokens_pairs: same, identical_pairs: identical } = counts;
  const kinds = [
    ['near', `similar ${numberText(near)}`],
    ['same-tokens', `same words ${numberText(same)}`],
    ['identical', `identical ${numberText(identical)}`],
    ['all', `all ${numberText(near + same + identical)}`],
  ] as const;
  return `<div class="choices"><p class="sorts">${links('kind', kinds)}</p><p class="sorts">${links('sort', [
    ['most', 'most similar first'],
    ['least', 'least similar first'],
  ])}</p></div>`;
}

function pairFacts(row: PairRow | null): (readonly [string, Markup])[] {
  if (row === null) return [['similarity', 'not an accepted pair of the result']];
  const shown = (value: number | null): Markup => (value === null ? '–' : value.toFixed(6));
  return [
    ['similarity', shown(row.jaccard)],
    ['agreement of sketches', shown(row.agreement)],
    ['of a in b', shown(row.containmentAInB)],
    ['of b in a', shown(row.containmentBInA)],
    ['kind', KIND_WORDS[row.kind]],
  ];
}
