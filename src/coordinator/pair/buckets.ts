/**
 * Stage 2 over signatures: bands and their buckets decide which pairs of documents are candidates.
 *
 * Only the first member of an identity class is bucketed. The task of a band pairs the members of small buckets all with all, and
 * lists the pairs. The sizes of the other buckets decide which are hot (src/sketch/hotBuckets.ts). Members of large buckets that
 * are not hot are compared all with all without lists (largeBuckets.ts); members of hot ones are paired linearly, in the order of
 * the hashes of their ids.
 */

import { hotDocuments } from '../../../reducers/hotPairs.js';
import { bucketSizesOf, countOfBuckets, partedMembers } from '../../../reducers/largeBuckets.js';
import { type Groups, sameGroupCounts } from '../../arrays/groupCounts.js';
import { decodeBlock, encodeBlock } from '../../blocks/block.js';
import { idHashes } from '../../blocks/ids.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { HotMembers } from '../../blocks/pairs.js';
import { BucketSizes, countedPairs, LEAST_HOT, LISTED } from '../../sketch/hotBuckets.js';
import { HOT_MEMBER_BYTES } from '../../store/budget.js';
import type { CandidatesReport, CandidateTask } from '../../tasks/kinds/pairTasks.js';
import type { Run } from '../context.js';
import { type Corpus, startsOf } from '../sketch/corpus.js';
import type { SignatureSource } from './agreements.js';
import { groupBlocks } from './documentGroups.js';
import { pairedLinearly } from './hotMembers.js';
import type { LargeBuckets, LargePairs } from './largeBuckets.js';
import type { StoredPairs } from './pairLists.js';
import type { PairPlan } from './pairPlan.js';
import { aheadOfSample } from './skippedSample.js';

/** The pairs of all bands, each made by the rule for the size of its bucket, and facts of the buckets. */
interface Bucketing {
  /** Most documents of a bucket that is paired all with all. */
  readonly hotBucket: number;
  /** The pairs of large buckets; null: there was no large bucket. `lists` has none of them, but for pairs of hot buckets. */
  readonly large: LargePairs | null;
  /** Lists to be united; they stay in the store until `forgetPairs`. */
  readonly lists: readonly StoredPairs[];
  /** Buckets with at least two documents, over all bands. */
  readonly buckets: number;
  readonly largestBucket: number;
  readonly hotBuckets: number;
  /** Upper bound of the number of pairs of hot buckets that were not made: a pair of two bands counts twice. */
  readonly pairsSkippedAtMost: number;
  /** Hot buckets by band; empty where no band has one. */
  readonly hot: readonly HotMembers[];
}

interface BucketedBand {
  readonly band: number;
  readonly documents: number;
  readonly buckets: number;
  readonly largestBucket: number;
  readonly list: StoredPairs;
  /** Members of the buckets whose pairs are not listed. */
  readonly hot: HotMembers;
}

/** The parameters of a task of a band, and the names of the blocks it reads. */
interface BandSource {
  readonly params: Pick<CandidateTask, 'band' | 'documents' | 'blocks' | 'columns'>;
  /** The number of its documents. */
  readonly count: number;
  readonly inputs: readonly string[];
}

/** Sources of the bands of `documents` (first members of identity classes, with tokens, ascending). */
function corpusBands(run: Run, corpus: Corpus, documents: Uint32Array): readonly BandSource[] {
  const starts = startsOf(corpus.tables);
  const places = placesOf(corpus, starts, documents);
  run.put(ONE.bucketed, encodeBlock('documents', {}, { documents, places }, true));
  const blocks = corpus.tables.length;
  const inputs = [ONE.bucketed, ...corpus.tables.map((_, k) => NAMES.signatures(k))];
  const { bands } = run.params.banding;
  return Array.from({ length: bands }, (_, band) => ({
    params: { band, documents: ONE.bucketed, blocks, columns: starts[blocks]! },
    count: documents.length,
    inputs,
  }));
}

/** By document of `documents`: the position of its column when the column blocks are put behind each other. */
function placesOf({ blockOf, columnOf }: Corpus, starts: Uint32Array, documents: Uint32Array): Uint32Array {
  const places = new Uint32Array(documents.length);
  for (let i = 0; i < documents.length; i++) {
    places[i] = starts[blockOf[documents[i]!]!]! + columnOf[documents[i]!]!;
  }
  return places;
}

/** Bytes of a pair in a list. */
const LISTED_BYTES = 8;

/** Documents up to which bands share a task, each document counted in every band. */
const FEW_DOCUMENTS = 1 << 12;

const NO_MEMBERS: HotMembers = { documents: new Uint32Array(0), buckets: new Uint32Array(0) };

export class BandPairing {
  private readonly run: Run;
  private readonly corpus: Corpus;
  private readonly plan: PairPlan;
  private readonly signatures: SignatureSource;
  private readonly comparer: LargeBuckets;
  private readonly groups: Groups | null;
  /** Most documents of a bucket that `pairAll` paired all with all. */
  private hotBucket = LEAST_HOT;
  private calls = 0;

  constructor(
    run: Run,
    corpus: Corpus,
    plan: PairPlan,
    signatures: SignatureSource,
    comparer: LargeBuckets,
    groups: Groups | null,
  ) {
    this.run = run;
    this.groups = groups;
    this.corpus = corpus;
    this.plan = plan;
    this.signatures = signatures;
    this.comparer = comparer;
  }

  /** Pairs `documents` (first members of identity classes, with tokens, ascending) over all bands. */
  async pairAll(documents: Uint32Array): Promise<Bucketing> {
    const bands = corpusBands(this.run, this.corpus, documents);
    const { hotBucket } = this.run.params;
    const given = hotBucket === 'auto' ? null : hotBucket;
    const listed = Math.min(given ?? LISTED, LISTED);
    const count = documents.length * bands.length;
    const found = await this.bucketed(bands, listed, count, true);
    this.run.engine.store.delete(ONE.bucketed);
    const sizes = found.map(({ hot }) => bucketSizesOf(hot));
    this.hotBucket = given ?? chosenFor(documents.length, found, sizes, this.groups);
    const parts = found.map(({ hot }, band) => partedMembers(hot, sizes[band]!, this.hotBucket));
    await this.run.turns.give();
    const lists = found.map((band) => band.list);
    const large = await this.comparer.compare(parts, this.corpus.documents);
    const hot = parts.map(({ capped }) => capped);
    const hotBuckets = hot.reduce((sum, { buckets }) => sum + countOfBuckets(buckets), 0);
    const buckets = found.reduce((sum, band) => sum + band.buckets, 0);
    const largestBucket = found.reduce((most, band) => Math.max(most, band.largestBucket), 0);
    const totals = { buckets, largestBucket, hotBuckets, hotBucket: this.hotBucket, large };
    if (hotBuckets === 0) return { ...totals, lists, pairsSkippedAtMost: 0, hot: [] };
    this.putIdHashes(hotDocuments(hot, this.corpus.documents));
    const linear = await this.pairLinearly(hot);
    return { ...totals, lists: [...lists, ...linear.lists], pairsSkippedAtMost: linear.skipped, hot };
  }

  /** Stores the hashes of the ids of `documents`; no other document is in a hot bucket. */
  private putIdHashes(documents: Uint32Array): void {
    const hashes = idHashes(this.corpus.ids, documents, this.run.params.seed);
    this.run.put(ONE.idHashes, encodeBlock('documents', {}, { documents, hashes }, true), 'counted');
  }

  /**
   * Pairs members of hot buckets, given by band, by the rule for the present sizes of the buckets. All pairs are listed, so a bucket
   * of more than LEAST_HOT documents (or than a smaller --hot-bucket) is paired linearly again.
   */
  async pairMembers(members: readonly HotMembers[]): Promise<{ readonly lists: readonly StoredPairs[] }> {
    const most = Math.min(this.hotBucket, LEAST_HOT);
    const call = this.calls;
    const names: string[] = [];
    const bands: BandSource[] = [];
    let sum = 0;
    members.forEach(({ documents, buckets }, band) => {
      if (documents.length < 2) return;
      const name = NAMES.members(call, band);
      this.run.put(name, encodeBlock('documents', {}, { documents, buckets }, true), 'counted');
      names.push(name);
      sum += documents.length;
      const params = { band, documents: name, blocks: 0, columns: 0 };
      bands.push({ params, count: documents.length, inputs: [name] });
    });
    const found = await this.bucketed(bands, most, sum, false);
    for (const name of names) this.run.engine.store.delete(name);
    const lists = found.map((band) => band.list);
    const hot = members.map(() => NO_MEMBERS);
    for (const one of found) hot[one.band] = one.hot;
    return { lists: [...lists, ...(await this.pairLinearly(hot)).lists] };
  }

  /**
   * The buckets of bands; those of at most `most` documents become lists of pairs. `documents`: the expected number of documents
   * of all bands, each counted in every band. `first`: this is the bucketing of all documents, not of a later round.
   */
  private async bucketed(
    bands: readonly BandSource[],
    most: number,
    documents: number,
    first: boolean,
  ): Promise<readonly BucketedBand[]> {
    const call = this.calls++;
    const named = bands.map((source) => {
      return { source, hotBucket: most, name: NAMES.candidates(call, source.params.band) };
    });
    const found: BucketedBand[] = [];
    for await (const batch of this.run.each(
      this.batchesOf(named, first),
      (one) => this.bucketBatch(one, first),
      {
        ahead: this.bandsAhead(bands),
      },
    )) {
      found.push(...batch);
      if (!first) continue;
      this.expectLists(found, bands.length);
      this.run.progress(found.length, bands.length, 'bands');
    }
    const bucketed = found.reduce((sum, band) => sum + band.documents, 0);
    this.run.balance('documents of all bands', documents, { bucketed });
    return found;
  }

  /** Pairs each member of a hot bucket with its neighbours and with the first member. `hot`: members by band. */
  private pairLinearly(
    hot: readonly HotMembers[],
  ): Promise<{ readonly lists: readonly StoredPairs[]; readonly skipped: number }> {
    const { blocks, inputs } = this.signatures;
    return pairedLinearly(this.run, this.plan, this.calls++, hot, [ONE.idHashes, ...inputs], blocks);
  }

  /** Bands begun beyond one a worker, negative where not all workers have room for one. */
  private bandsAhead(bands: readonly BandSource[]): number {
    const { parallelism } = this.run.engine;
    const largest = bands.reduce((most, { count }) => Math.max(most, count), 1);
    return Math.min(parallelism, Math.max(1, Math.floor(this.plan.entries / largest)) - parallelism);
  }

  /** The lists of all bands are about as long as those that are made. @throws MinHashError MEMORY_BUDGET */
  private expectLists(found: readonly BucketedBand[], bands: number): void {
    const made = found.reduce((sum, { list }) => sum + list.count, 0);
    const all = Math.ceil((made * bands) / found.length);
    this.run.tables.expectBlocks(`about ${all} pairs of all bands`, LISTED_BYTES * all);
  }

  private takeMembers(band: number, count: number): void {
    const bytes = HOT_MEMBER_BYTES * count;
    // The estimate: each later band has as many members.
    const others = this.run.params.banding.bands - band - 1;
    this.run.tables.take(`${count} members of large buckets in band ${band}`, bytes, () => {
      return bytes * others + aheadOfSample(this.run);
    });
  }

  /**
   * Bands in batches, a batch a task: handing over a task takes longer than the work for few documents, and in the first round every
   * task reads all signatures. There are as many for every worker.
   */
  private batchesOf(bands: readonly NamedBand[], first: boolean): NamedBand[][] {
    const { parallelism } = this.run.engine;
    const documents = bands.reduce((sum, { source }) => sum + source.count, 0);
    const rounds = Math.ceil(bands.length / (parallelism * this.plan.bands));
    const few = Math.min(FEW_DOCUMENTS, this.plan.pairs / LISTED);
    const tasks = Math.min(first ? parallelism * rounds : bands.length, Math.ceil(documents / few) || 1);
    const batches: NamedBand[][] = Array.from({ length: tasks }, () => []);
    let before = 0;
    for (const band of bands) {
      batches[Math.floor((tasks * before) / (documents || 1))]!.push(band);
      before += band.source.count;
    }
    return batches.filter((batch) => batch.length > 0);
  }

  /** The buckets of some bands. One task makes the first slice of every band; each further slice has a task of its own. */
  private async bucketBatch(bands: readonly NamedBand[], first: boolean): Promise<BucketedBand[]> {
    const reports = await this.bucketSlices(bands, 0);
    const bucketed: BucketedBand[] = [];
    for (const [i, band] of bands.entries()) bucketed.push(await this.bucketRest(band, reports[i]!, first));
    return bucketed;
  }

  /** Makes, of the pairs of each band, the slice from pair `from` on. The task buckets the whole band for it. */
  private bucketSlices(bands: readonly NamedBand[], from: number): Promise<readonly CandidatesReport[]> {
    const { pairs: most } = this.plan;
    const numbers = bands.map(({ source }) => source.params.band);
    return this.run.task({
      kind: 'candidates',
      label: numbers.length === 1 ? `band ${numbers[0]}` : `bands ${numbers.join(', ')}`,
      params: bands.map(({ source, name, hotBucket }) => {
        const slice = { from, most };
        return { ...source.params, hotBucket, name: `${name}/${from / most}`, slice };
      }),
      inputs: [...groupBlocks(this.run), ...new Set(bands.flatMap(({ source }) => source.inputs))],
      keep: { candidates: 'counted' },
    });
  }

  /** Makes the further slices of a band; `report`: of its first slice. */
  private async bucketRest(
    { name, source, hotBucket }: NamedBand,
    report: CandidatesReport,
    first: boolean,
  ): Promise<BucketedBand> {
    const { pairs: most } = this.plan;
    const { band } = source.params;
    const slices: string[] = [];
    for (let from = 0; from === 0 || from < report.total; from += most) {
      if (from > 0) await this.bucketSlices([{ name, source, hotBucket }], from);
      slices.push(`${name}/${slices.length}`);
    }
    const { documents, buckets, largestBucket } = report;
    const list = { count: report.total, blocks: slices };
    const hot = report.hotBuckets > 0 ? this.taken(`${name}/0/hot`) : NO_MEMBERS;
    // Members of a later round are never more than these, and are given up when the round ends.
    if (hot.documents.length > 0 && first) this.takeMembers(band, hot.documents.length);
    return { band, documents, buckets, largestBucket, list, hot };
  }

  /** Takes the block `name` of members of hot buckets out of the store. */
  private taken(name: string): HotMembers {
    const { store } = this.run.engine;
    const { documents, buckets } = decodeBlock(store.get(name), 'buckets', name).columns;
    store.delete(name);
    return { documents: documents as Uint32Array, buckets: buckets as Uint32Array };
  }
}

/** A source of a band, and the name of the list of pairs made from it. */
interface NamedBand {
  readonly source: BandSource;
  readonly hotBucket: number;
  readonly name: string;
}

/**
 * Most documents of a bucket that is not hot, chosen by the numbers of listed pairs and the sizes of larger buckets
 * (`sizes`: by band).
 */
function chosenFor(
  documents: number,
  found: readonly BucketedBand[],
  sizes: readonly Uint32Array[],
  groups: Groups | null,
): number {
  const all = new BucketSizes();
  for (const { list } of found) all.add(LISTED, list.count);
  sizes.forEach((band, b) => {
    const within = groups === null ? null : pairedWithin(found[b]!.hot, band.length, groups);
    for (let k = 0; k < band.length; k++) all.add(band[k]!, countedPairs(band[k]!, within?.[k]));
  });
  return all.hotBucket(documents);
}

/** By bucket: the sum of the squares of the sizes of its groups. */
function pairedWithin({ documents, buckets }: HotMembers, count: number, groups: Groups): Float64Array {
  const within = new Float64Array(count);
  const sizes = sameGroupCounts(
    buckets,
    documents.map((d) => groups.of[d]!),
  );
  for (let i = 0; i < buckets.length; i++) within[buckets[i]!]! += sizes[i]!;
  return within;
}
