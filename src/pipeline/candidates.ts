/**
 * Stage 2: identity, then bands: which pairs of documents are looked at.
 *
 * Only the first member of an identity class is bucketed. A bucket of at most --hot-bucket documents is paired all with
 * all in the task of its band; larger ones linearly, in a second task once the digests of their documents are known.
 *
 * Floor 4.
 */
import { hotDocuments } from '../../reducers/hotBuckets.js';
import { decodeBlock, encodeBlock } from '../blocks/block.js';
import type { HotMembers } from '../sketch/pairs.js';
import { sha256Heads } from '../sketch/sha256.js';
import { signatureParams } from '../sketch/sketchKind.js';
import type { StoredPairs } from './comparing.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import type { Run } from './run.js';

/** Pairs by the rule for the size of their buckets, band by band, and what is said of the buckets. */
export interface Bucketing {
  /** Lists to be united; they stay in the store until `forgetPairs`. */
  readonly lists: readonly StoredPairs[];
  /** Buckets with at least two documents, over all bands. */
  readonly buckets: number;
  readonly largestBucket: number;
  readonly hotBuckets: number;
  /** Upper bound of the pairs of hot buckets that were not made (bands overlap). */
  readonly pairsSkippedAtMost: number;
  /** Hot buckets by band; empty where no band has one. */
  readonly hot: readonly HotMembers[];
}

/** The documents of one band on their way to its task. */
interface Band {
  readonly band: number;
  /** Block with the documents. */
  readonly documents: string;
  /** Blocks with bucket keys; none: the documents come with the numbers of their buckets. */
  readonly keys: readonly string[];
}

interface BucketedBand {
  readonly band: number;
  readonly name: string;
  readonly list: StoredPairs;
  readonly hot: HotMembers;
  readonly report: { readonly buckets: number; readonly largestBucket: number; readonly hotBuckets: number };
}

export class BandPairing {
  private readonly run: Run;
  private readonly corpus: Corpus;
  private calls = 0;

  constructor(run: Run, corpus: Corpus) {
    this.run = run;
    this.corpus = corpus;
    const { blockOf, columnOf } = corpus;
    run.put('places', encodeBlock('documents', {}, { blockOf, columnOf }, true));
  }

  /** Pairs `documents` (class firsts with tokens, ascending) over all bands; no later one needs the bucket keys. */
  async pairAll(documents: Uint32Array): Promise<Bucketing> {
    const { store } = this.run.engine;
    const keys = this.corpus.tables.map((_, k) => `bands/${k}`);
    const list = 'bucketed';
    this.run.put(list, encodeBlock('documents', {}, { documents, places: this.placesOf(documents) }, true));
    const bands = Array.from({ length: signatureParams(this.run.params).banding.bands }, (_, band) => ({
      band,
      documents: list,
      keys,
    }));
    const found = await this.pair(bands, true);
    for (const name of [list, ...keys]) store.delete(name);
    return found;
  }

  /** Pairs members of hot buckets, given by band, by the rule for the sizes of their buckets now. */
  async pairMembers(members: readonly HotMembers[]): Promise<Bucketing> {
    const call = this.calls;
    const bands: Band[] = [];
    members.forEach(({ documents, buckets }, band) => {
      if (documents.length < 2) return;
      const name = `members/${call}/${band}`;
      this.run.put(name, encodeBlock('documents', {}, { documents, buckets }, true));
      bands.push({ band, documents: name, keys: [] });
    });
    const found = await this.pair(bands, false);
    for (const { documents } of bands) this.run.engine.store.delete(documents);
    return found;
  }

  /** Takes the lists out of the store. */
  forgetPairs(lists: readonly StoredPairs[]): void {
    for (const { name } of lists) this.run.engine.store.delete(name);
  }

  /** Makes the digests of these documents known, which are all that can be in a hot bucket from now on. */
  putDigests(documents: Uint32Array): void {
    const { ids } = this.corpus;
    const digests = sha256Heads(documents, ids.offsets, ids.bytes);
    this.run.engine.store.delete('digests');
    this.run.put('digests', encodeBlock('documents', {}, { documents, digests }, true));
  }

  private async pair(bands: readonly Band[], first: boolean): Promise<Bucketing> {
    const call = this.calls++;
    const { parallelism } = this.run.engine;
    const found: BucketedBand[] = [];
    for await (const band of inOrder(bands, 2 * parallelism, (one) => this.bucketBand(one, call))) {
      found.push(band);
      if (first) this.run.progress(found.length, bands.length, 'bands');
    }
    const hotBands = found.filter(({ report }) => report.hotBuckets > 0);
    const hot = first && hotBands.length > 0 ? found.map((band) => band.hot) : [];
    if (hot.length > 0) this.putDigests(hotDocuments(hot, this.corpus.documents));
    const lists = found.map(({ list }) => list);
    const totals = { buckets: 0, largestBucket: 0, hotBuckets: 0, pairsSkippedAtMost: 0 };
    for (const { report } of found) {
      totals.buckets += report.buckets;
      totals.largestBucket = Math.max(totals.largestBucket, report.largestBucket);
      totals.hotBuckets += report.hotBuckets;
    }
    for await (const made of inOrder(hotBands, 2 * parallelism, (band) => this.pairHot(band, call))) {
      lists.push(made.list);
      totals.pairsSkippedAtMost += made.skipped;
    }
    return { ...totals, lists, hot };
  }

  private async bucketBand({ band, documents, keys }: Band, call: number): Promise<BucketedBand> {
    const name = `candidates/${call}/${band}`;
    const { report } = await this.run.task({
      stage: 'candidates',
      label: `band ${band}`,
      params: { name, band, documents, blocks: keys.length },
      inputs: [documents, ...keys],
    });
    const { columns } = decodeBlock(this.run.engine.store.get(name), 'buckets', name);
    const { a, b, documents: members, buckets } = columns as Record<string, Uint32Array>;
    return {
      band,
      name,
      list: { name, pairs: { a: a!, b: b!, count: a!.length } },
      hot: { documents: members!, buckets: buckets! },
      report: report as unknown as BucketedBand['report'],
    };
  }

  private async pairHot(
    { band, name: hot }: BucketedBand,
    call: number,
  ): Promise<{ list: StoredPairs; skipped: number }> {
    const blocks = this.corpus.tables.map((_, k) => `signatures/${k}`);
    const name = `hot/${call}/${band}`;
    const { report } = await this.run.task({
      stage: 'hot',
      label: `hot buckets of band ${band}`,
      params: { name, band, hot, blocks: blocks.length },
      inputs: [hot, 'digests', 'places', ...blocks],
    });
    const { columns } = decodeBlock(this.run.engine.store.get(name), 'pairs', name);
    const { a, b } = columns as Record<string, Uint32Array>;
    const { skipped } = report as { readonly skipped: number };
    return { list: { name, pairs: { a: a!, b: b!, count: a!.length } }, skipped };
  }

  /** Where the columns of documents stand when the column blocks are put behind each other. */
  private placesOf(documents: Uint32Array): Uint32Array {
    const { tables, blockOf, columnOf } = this.corpus;
    const starts = new Uint32Array(tables.length);
    for (let k = 1; k < tables.length; k++) {
      starts[k] = starts[k - 1]! + tables[k - 1]!.columns.flags!.length;
    }
    const places = new Uint32Array(documents.length);
    for (let i = 0; i < documents.length; i++) {
      places[i] = starts[blockOf[documents[i]!]!]! + columnOf[documents[i]!]!;
    }
    return places;
  }
}
