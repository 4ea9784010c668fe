/**
 * Answers the requests of `view`, without a server. Addresses have numbers of documents and clusters and words to search for,
 * never a path: no part of an address reaches the file system.
 */
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { resultSource } from '../analysis/inspect.js';
import { type ResultSource, whyUnread } from '../analysis/result/pairTexts.js';
import type { CorpusOption } from '../coordinator/resultPaths.js';
import { ERRORS, MinHashError, problemLine } from '../errors.js';
import { shellPath } from '../options/shellWord.js';
import { dropListFile } from '../result/dropListFile.js';
import { MANIFEST_NAME } from '../result/fileNames.js';
import type { Manifest } from '../result/manifest.js';
import type { PairKind, PairRow } from '../result/readResult.js';
import {
  clusterCount,
  clusterOf,
  indexOf,
  locationIn,
  NONE,
  pairOf,
  pairRow,
  type ResultIndex,
} from '../result/resultIndex.js';
import { PAIR_KINDS } from '../result/tables/pairTable.js';
import { EditedList, stampOf } from './editedList.js';
import { editOf, whyUnedited } from './editing.js';
import { htmlPage } from './htmlPage.js';
import { countText, escaped, idMarkup, type Markup, numberText } from './markup.js';
import { nameOf, type PageFacts } from './pageFacts.js';
import {
  answerMarkup,
  clusterSection,
  countSection,
  settingSection,
  similaritySection,
  sourceSection,
} from './sections.js';
import { newStore, storedBeginning, storedText, type TextStore, whyUnsearched } from './textStore.js';
import { headMarkup, partMarkup, type ShownTexts, textsMarkup } from './textsPage.js';
import {
  button,
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
  PAGE_ROWS,
  pairOrder,
  pairsOfCluster,
  pairTable,
  skippedTable,
  tsvOf,
  VIEW_LINKS,
} from './viewTables.js';
import { clustersOf, documentsWith } from './wordSearch.js';
import { RequestedWork, WorkThread } from './workThread.js';

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
const MOST_LISTED = 5;
/** Most pairs whose compared texts are in memory. */
const MOST_COMPARED = 3;
/** Megabytes that objects of a thread may take: texts of 10 MB take about 60. */
const THREAD_MEMORY = 256;

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

/** The index with the facts of the overview, and the edited drop list. */
interface Indexed {
  readonly facts: PageFacts;
  readonly index: ResultIndex;
  readonly list: EditedList;
}

/** The pages of a result. Builds the index in a separate thread. */
export class ResultView {
  readonly #result: ResultSource;
  /** The manifest when the view began. */
  readonly #stamp: string;
  readonly #file: string;
  readonly #name: string;
  readonly #skipped: number;
  readonly #end = new AbortController();
  /** The threads that build the index, read and search texts, and compare two. */
  readonly #indexing = new WorkThread(THREAD_MEMORY, false);
  readonly #reading = new WorkThread(THREAD_MEMORY, false);
  readonly #comparing = new WorkThread(THREAD_MEMORY);
  #indexed: Promise<Indexed> | null = null;
  #progress = 0;
  /** The texts of documents, which are read in one pass over the inputs; null if they are not read. */
  #texts: TextStore | null = null;
  #textsRead: Promise<unknown> = Promise.resolve();
  #textProgress = 0;
  /** The last search in texts. */
  #search: { readonly words: string; readonly work: RequestedWork<Uint8Array> } | null = null;
  /** Compared texts by pair in the order of use, the last one last. */
  readonly #compared = new Map<string, RequestedWork<ShownTexts>>();

  /** @throws MinHashError RESULT_MISSING, OPTION_INVALID */
  constructor(folder: string, { dropList, ...options }: ViewOptions = {}) {
    this.#result = resultSource(folder, options);
    const { manifest } = this.#result;
    this.#stamp = stampOf(join(folder, MANIFEST_NAME));
    this.#file = dropList ?? dropListFile(folder);
    this.#name = nameOf(folder);
    this.#skipped = manifest.files['skipped.tsv']?.rows ?? 0;
  }

  /** Builds the index for the pages; rejects if the result is damaged. */
  async prepare(onProgress: (share: number) => void = () => undefined): Promise<void> {
    this.#indexed ??= this.#index((share) => {
      this.#progress = share;
      onProgress(share);
    });
    await this.#indexed;
  }

  async #index(onProgress: (share: number) => void): Promise<Indexed> {
    const { signal } = this.#end;
    const work = { kind: 'index', result: this.#result } as const;
    const { facts, columns } = await this.#indexing.do(work, { signal, onProgress });
    const index = indexOf(this.#result.manifest, columns);
    this.#readTexts(index);
    return { index, facts, list: new EditedList(index, this.#result.folder, this.#file) };
  }

  /** Ends all work; no request may follow. */
  async close(): Promise<void> {
    this.#end.abort();
    for (const work of this.#compared.values()) work.stopWaiting();
    this.#search?.work.stopWaiting();
    await Promise.all([
      ...[this.#indexing, this.#comparing, this.#reading].map((thread) => thread.close()),
      this.#indexed?.catch(() => undefined),
    ]);
    if (this.#texts !== null) closeSync(this.#texts.descriptor);
  }

  /** Begins to read the texts of all documents of the index. */
  #readTexts({ documents, locations }: ResultIndex): void {
    if (whyUnsearched(this.#result) !== null || this.#end.signal.aborted) return;
    this.#texts = newStore(documents);
    const work = { kind: 'read', result: this.#result, locations, store: this.#texts } as const;
    const onProgress = (share: number): void => {
      this.#textProgress = share;
    };
    this.#textsRead = this.#reading
      .do(work, { signal: this.#end.signal, onProgress })
      .finally(() => onProgress(1));
    this.#textsRead.catch(() => undefined);
  }

  /** The texts, all read. @throws NotYet; the error that ended the reading */
  async #allTexts(): Promise<TextStore> {
    await soon(this.#textsRead, () => `The texts are being read: ${percent(this.#textProgress)}.`);
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
      if (this.#isReplaced()) return this.#page(409, 'Another result', '', errorMarkup(new Error(REPLACED)));
      return await this.#answer(path, query);
    } catch (error) {
      if (error instanceof NotYet) {
        const text = `<p role="status">${escaped(error.message)} This page reloads automatically.</p>`;
        return this.#page(200, 'Reading', '', text, '<meta http-equiv="refresh" content="1">');
      }
      const status = error instanceof NotFound ? 404 : 500;
      return this.#page(status, 'Not found', '', errorMarkup(error));
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
            // A dialog asks the user whether these texts may be lost.
            lost: lost.slice(0, MOST_LISTED).map((d) => documentText(index, d)),
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
      return json(isOurs ? 409 : 500, { error: isOurs ? linesOf(error) : String(error) });
    }
  }

  #isReplaced(): boolean {
    return stampOf(join(this.#result.folder, MANIFEST_NAME)) !== this.#stamp;
  }

  async #answer(path: string, query: URLSearchParams): Promise<ViewAnswer> {
    if (path === '') return this.#overview();
    if (path === 'texts') return this.#part(query);
    if (path === 'pair') return this.#pair(query);
    if (path === 'cluster') return this.#cluster(query);
    const [name = '', form] = path.split('.');
    if (form === 'tsv') {
      const table = await this.#table(name, query, VIEW_LINKS);
      return { status: 200, type: 'text/tab-separated-values', body: tsvOf(table), file: `${name}.tsv` };
    }
    const title = TITLES[name];
    if (form !== undefined || title === undefined) throw new NotFound();
    await this.#textsSoon();
    const table = await this.#table(name, query, this.#links);
    const rows = await longTableMarkup(table, `${name}?${query}`, numberIn(query, 'from', 0));
    const body = [`<h1>${title}</h1>`, await this.#aboveTable(name, query), this.#unreadTexts(), rows];
    return this.#page(200, title, name, body.join('\n'));
  }

  /** Waits briefly for the texts: those of few documents are ready at once. */
  async #textsSoon(): Promise<void> {
    await soon(this.#textsRead, () => '', TEXT_PATIENCE).catch(() => undefined);
  }

  /** A note if rows lack texts that are still being read. */
  #unreadTexts(): Markup {
    if (this.#texts === null || this.#textProgress === 1) return '';
    return `<p class="dim">The texts are being read (${percent(this.#textProgress)}): reload to see the beginnings of more documents.</p>`;
  }

  /** The index, if it is ready soon. @throws NotYet */
  async #ready(): Promise<Indexed> {
    void this.prepare().catch(() => undefined);
    return soon(this.#indexed!, () => `The result is being read: ${percent(this.#progress)}.`);
  }

  async #overview(): Promise<ViewAnswer> {
    const { manifest } = this.#result;
    const none = { bins: [], sizes: [], largest: [], pairs: [], pairsFrom: [] };
    const ready = await this.#ready().catch((error: unknown) => {
      if (error instanceof NotYet) return null;
      throw error;
    });
    const facts: PageFacts = ready?.facts ?? { manifest, ...none };
    const waiting = `<section><p role="status">The tables are being read: ${percent(this.#progress)}.</p></section>`;
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

  /** The table of an address. @throws NotFound; NotYet */
  async #table(name: string, query: URLSearchParams, links: Links): Promise<LongTable> {
    if (name === 'skipped') return skippedTable(this.#result.folder, this.#skipped);
    const { index, list } = await this.#ready();
    if (name === 'clusters') return this.#clusterTable(index, query, links);
    if (name === 'cluster')
      return memberTable(index, clusterNumber(index, query, 'n'), await keepersNow(index, list), links);
    if (name === 'list') return changedTable(index, await keepersNow(index, list), list.changed, links);
    if (name !== 'pairs') throw new NotFound();
    const isReversed = query.get('sort') === 'least';
    if (query.has('cluster')) {
      const cluster = clusterNumber(index, query, 'cluster');
      const caption = `Pairs of cluster ${numberText(cluster)}`;
      return pairTable(index, pairOrder(index, cluster), caption, links, isReversed);
    }
    const kind = kindOf(query, index.manifest.counts);
    const number = kind === null ? -1 : PAIR_KINDS.indexOf(kind);
    const order = kind === null ? index.byValue : index.byValue.filter((i) => index.pairs.kind[i] === number);
    const caption = kind === null ? 'Pairs' : `Pairs: ${KIND_WORDS[kind]}`;
    return pairTable(index, order, caption, links, isReversed);
  }

  /** The clusters of a query. @throws NotYet while texts that it needs are being read */
  async #clusterTable(index: ResultIndex, query: URLSearchParams, links: Links): Promise<LongTable> {
    const [search, sort] = [query.get('search') ?? '', sortOf(query)];
    if (search === '') return clusterTable(index, sort, null, links);
    const matches = clustersOf(index, documentsWith(index, search));
    if (query.get('in') === 'texts' && whyUnsearched(this.#result) === null)
      for (const [cluster, flag] of (await this.#clustersWithWords(index, search)).entries())
        matches[cluster]! |= flag;
    return clusterTable(index, sort, matches, links);
  }

  /** By cluster, 1 if the text of one of its documents has the words. @throws NotYet */
  async #clustersWithWords(columns: ResultIndex, words: string): Promise<Uint8Array> {
    const store = await this.#allTexts();
    if (this.#search?.words !== words) {
      this.#search?.work.stopWaiting();
      // A closure cannot be sent to a thread.
      const { find: _, ...shared } = columns;
      const work = { kind: 'words', result: this.#result, columns: shared, store, words } as const;
      this.#search = { words, work: new RequestedWork((hooks) => this.#reading.do(work, hooks)) };
    }
    const { work } = this.#search;
    work.request();
    work.result.catch(() => {
      if (this.#search?.work === work) this.#search = null;
    });
    return soon(work.result, () => 'The texts are being searched.');
  }

  /** What a page has between its heading and its table. */
  async #aboveTable(name: string, query: URLSearchParams): Promise<Markup> {
    if (name === 'pairs') return pairLinks(query, this.#result.manifest.counts);
    if (name === 'clusters') return this.#clusterSearch(query);
    return name === 'list' ? this.#listState() : '';
  }

  #clusterSearch(query: URLSearchParams): Markup {
    const [search, sort] = [query.get('search') ?? '', sortOf(query)];
    const isInTexts = query.get('in') === 'texts';
    const why = whyUnsearched(this.#result);
    const inTexts =
      why === null
        ? `<label class="check"><input type="checkbox" name="in" value="texts"${isInTexts ? ' checked' : ''}> also in texts</label>`
        : '';
    const unread = why !== null && isInTexts ? `<p>${escaped(`Texts cannot be searched: ${why}.`)}</p>` : '';
    const form = `<form class="search" role="search" action="clusters"><label for="search">search ids and locations</label><input id="search" name="search" type="search" value="${escaped(search)}">${inTexts}<input type="hidden" name="sort" value="${sort}"><button>Search</button></form>`;
    const links = CLUSTER_SORTS.map((value) => {
      const others = { ...(search !== '' && { search }), ...(isInTexts && { in: 'texts' }) };
      const address = `clusters?${new URLSearchParams({ sort: value, ...others })}`;
      return choice(address, SORT_WORDS[value], value === sort);
    });
    return `${form}<p class="sorts"><span class="dim">sorted by</span>${links.join('')}</p>${unread}`;
  }

  async #cluster(query: URLSearchParams): Promise<ViewAnswer> {
    const { index, list } = await this.#ready();
    const cluster = clusterNumber(index, query, 'n');
    const [first, end] = [index.starts[cluster - 1]!, index.starts[cluster]!];
    await this.#textsSoon();
    const members = await longTableMarkup(
      memberTable(index, cluster, await keepersNow(index, list), this.#links),
      `cluster?n=${cluster}`,
      numberIn(query, 'from', 0),
    );
    const order = pairOrder(index, cluster);
    const most = order.subarray(0, PAGE_ROWS);
    const pairs = await longTableMarkup(
      pairTable(index, most, 'Pairs', this.#links),
      `pairs?cluster=${cluster}`,
      0,
    );
    const all = `all ${numberText(order.length)} pairs of this cluster`;
    const others = [
      cluster > 1 ? link(`cluster?n=${cluster - 1}`, '← previous cluster') : '',
      cluster < clusterCount(index) ? link(`cluster?n=${cluster + 1}`, 'next cluster →') : '',
    ];
    const body = [
      `<h1>Cluster ${numberText(cluster)}</h1>`,
      `<p>${countText(end - first, 'document')}, of which the result drops ${numberText(index.drops[cluster - 1]!)}. No. 1 represents them; the least similarity to it is ${index.least[cluster - 1]!.toFixed(3)}.</p>`,
      `<p class="beside">${others.join('')}</p>`,
      this.#unedited(),
      whyUnedited(index.manifest) === null
        ? '<p class="bulk"><button type="button" data-ticked disabled>Drop all that are ticked</button></p>'
        : '',
      members,
      '<h2>Pairs</h2>',
      pairs,
      most.length < order.length ? `<p>${link(`pairs?cluster=${cluster}`, all)}</p>` : '',
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
    const row = pair < 0 ? null : pairRow(index, pair);
    const shown = await this.#textsOf(index, a, b);
    const cluster = clusterOf(index, a);
    const [first, last] = cluster === 0 ? [0, 0] : pairsOfCluster(index, cluster);
    const { pairs } = index;
    const beside = (other: number, text: string): Markup =>
      pair >= 0 && other >= first && other < last
        ? link(`pair?a=${pairs.a[other]}&b=${pairs.b[other]}`, text)
        : '';
    const keeperOf = await keepersNow(index, list);
    const [isKeptA, isKeptB] = [a, b].map((d) => keeperOf(d) === NONE);
    const facts: (readonly [string, Markup])[] = [
      ...pairFacts(row),
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
    const edits = row === null || !isEdited ? '' : choices.join('');
    const others = [
      beside(pair - 1, '← previous pair'),
      cluster === 0 ? '' : link(`cluster?n=${cluster}`, `cluster ${numberText(cluster)}`),
      beside(pair + 1, 'next pair →'),
    ].join('');
    const body = [
      `<h1>Two documents${pair < 0 ? '' : ` <span class="dim">${pairs.value[pair]!.toFixed(3)} similar</span>`}</h1>`,
      `<dl class="facts row">${rows}</dl>`,
      `<p class="beside">${edits}${others}</p>`,
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
    const work = this.#compared.get(key) ?? this.#compare(index, a, b);
    work.request();
    this.#compared.delete(key);
    this.#compared.set(key, work);
    for (const old of this.#compared.keys())
      if (this.#compared.size > MOST_COMPARED) this.#compared.delete(old);
    work.result.catch(() => this.#compared.delete(key));
    return soon(work.result, () => 'The two texts are being read and compared.');
  }

  #compare(index: ResultIndex, a: number, b: number): RequestedWork<ShownTexts> {
    const pair = pairOf(index, a, b);
    const row = pair < 0 ? null : pairRow(index, pair);
    const [textA, textB] = [a, b].map((d) => this.#texts && storedText(this.#texts, d));
    const texts = textA && textB ? ([textA, textB] as const) : null;
    const request = { a: locationIn(index, a), b: locationIn(index, b), texts, row };
    const work = { kind: 'texts', result: this.#result, request } as const;
    return new RequestedWork((hooks) => this.#comparing.do(work, hooks));
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

  /** The state of the edited drop list, and the command that uses it. */
  async #listState(): Promise<Markup> {
    const { index, list } = await this.#ready();
    try {
      await list.refresh();
    } catch (error) {
      return errorMarkup(error);
    }
    const { folder, manifest } = this.#result;
    const undo = list.hasSteps
      ? '<p><button type="button" data-undo>Undo the last edit (u)</button></p>'
      : '';
    const isEdited = list.changed.length > 0;
    const option = isEdited ? ` --drop-list ${shellPath(this.#file)}` : '';
    const command = `mr-minhash apply ${shellPath(folder)}${option} --to ${shellPath(`${this.#name}-clean`)}`;
    const state = isEdited
      ? `<p>The list drops ${countText(list.length, 'document')}; the result drops ${numberText(manifest.counts.dropped)}. It is saved after every edit in ${idMarkup(this.#file)}.</p>${undo}`
      : '<p>The drop list is that of the result. “Keep this instead”, “keep both” and “drop” in clusters and pairs change it.</p>';
    const shown = (text: string): Markup => `<pre class="command">${escaped(text)}</pre>`;
    const lost = await list.lost();
    const use =
      lost.length === 0
        ? `<p>This command writes the corpus without the dropped documents:</p>${shown(command)}`
        : `${lossesMarkup(index, lost)}<p>Then this command writes the corpus:</p>${shown(command)}<p>Or drop the texts nevertheless:</p>${shown(`${command} --force`)}`;
    return `${this.#unedited()}${state}${use}<h2>Differences from the result</h2>`;
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

/** The errors with their hints, one per line. */
const linesOf = ({ problems }: MinHashError): string =>
  problems
    .map((problem) =>
      [problemLine(problem), problem.remedy ?? ERRORS[problem.code].remedy].filter(Boolean).join('; '),
    )
    .join('\n');

/** The listed documents whose text would be lost, because of which `apply` rejects the list. */
function lossesMarkup(index: ResultIndex, lost: readonly number[]): Markup {
  const items = Array.from(
    lost,
    (d) => `<li>${documentMarkup(index, d, `cluster?n=${clusterOf(index, d)}`)}</li>`,
  );
  const these = lost.length === 1 ? 'This document has' : `These ${countText(lost.length, 'document')} have`;
  return `<p class="error" role="alert">apply rejects this list. ${these} no near-duplicate that is kept, so the text would be lost:</p><ul>${items.join('')}</ul><p>Open the cluster and keep the document, or a similar one.</p>`;
}

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

function errorMarkup(error: unknown): Markup {
  if (error instanceof NotFound) return '<h1>Not found</h1><p>The result has no such page.</p>';
  const isOurs = error instanceof MinHashError;
  const text = isOurs ? linesOf(error) : error instanceof Error ? error.message : String(error);
  return `<p class="error" role="alert">${escaped(text)}</p>`;
}

const percent = (share: number): string => `${Math.floor(100 * share)} %`;

/** The titles of pages with one table. */
const TITLES: Readonly<Record<string, string>> = Object.fromEntries(NAVIGATION.slice(1));

const link = (address: string, text: string): Markup => `<a href="${escaped(address)}">${escaped(text)}</a>`;

/** A whole number of a query; `usual` for any other value. */
function numberIn(query: URLSearchParams, name: string, usual: number): number {
  const value = query.get(name) ?? '';
  return /^\d{1,15}$/.test(value) ? Number(value) : usual;
}

const sortOf = (query: URLSearchParams) => CLUSTER_SORTS.find((sort) => sort === query.get('sort')) ?? 'size';

/** The cluster in a query. @throws NotFound */
function clusterNumber(index: ResultIndex, query: URLSearchParams, name: string): number {
  const cluster = numberIn(query, name, 0);
  if (cluster < 1 || cluster > clusterCount(index)) throw new NotFound();
  return cluster;
}

/** @throws NotFound */
function documentsIn(index: ResultIndex, query: URLSearchParams): readonly [number, number] {
  const [a, b] = [numberIn(query, 'a', index.documents), numberIn(query, 'b', index.documents)];
  if (a >= index.documents || b >= index.documents || a === b) throw new NotFound();
  return [a, b];
}

const SORT_WORDS = {
  size: 'documents',
  drops: 'documents to drop',
  least: 'least similarity',
} as const;

/** A link to the same list in another order, or with other rows. */
const choice = (address: string, text: string, isCurrent: boolean): Markup =>
  `<a href="${escaped(address)}"${isCurrent ? ' aria-current="true"' : ''}>${escaped(text)}</a>`;

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
      .map(([value, text]) =>
        choice(`pairs?${new URLSearchParams({ ...own, [name]: value })}`, text, own[name] === value),
      )
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
