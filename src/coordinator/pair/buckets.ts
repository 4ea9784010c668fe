/**
 * Stage 2 over signatures: bands and their buckets decide which pairs of documents are candidates.
 *
 * Only the first member of an identity class is bucketed. The task of a band pairs the members of small buckets all with all, and
 * lists the pairs. The sizes of the other buckets decide which are hot (src/sketch/hotBuckets.ts). Members of large buckets that
 * are not hot are compared all with all without lists (largeBuckets.ts); members of hot ones are paired linearly, in the order of
 * the hashes of their ids.
 */

import { hotDocuments, unitedMembers } from '../../../reducers/hotPairs.js';
import { bucketSizesOf, partedMembers } from '../../../reducers/largeBuckets.js';
import { type Groups, sameGroupCounts } from '../../arrays/groupCounts.js';
import { decodeBlock, encodeBlock } from '../../blocks/block.js';
import { idHashes } from '../../blocks/ids.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { HotMembers } from '../../blocks/pairs.js';
import { BucketSizes, countedPairs, LEAST_HOT, LISTED } from '../../sketch/hotBuckets.js';
import { signatureParams } from '../../sketch/params.js';
import { HOT_MEMBER_BYTES } from '../../store/budget.js';
import type { CandidatesReport } from '../../tasks/kinds/pairTasks.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { SignatureSource } from './agreements.js';
import { type BandSource, corpusBands, groupBlocks, numberedSources } from './bandKeys.js';
import type { LargeBuckets, LargePairs } from './largeBuckets.js';
import { listOfSlices, type StoredPairs, type WrittenSlice } from './pairLists.js';
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

/** Counts of the buckets of one range of keys, or of several. */
interface Buckets {
  readonly buckets: number;
  readonly largestBucket: number;
}

interface BucketedRange extends Buckets {
  readonly documents: number;
  readonly list: StoredPairs;
  readonly hot: HotMembers;
}

interface BucketedBand extends Buckets {
  readonly band: number;
  readonly documents: number;
  /** By range of keys, the list of its pairs. */
  readonly lists: readonly StoredPairs[];
  /** Members of the buckets whose pairs are not listed. */
  readonly hot: HotMembers;
}

/** Documents up to which ranges share a task, each document counted in every band. */
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

  /**
   * Pairs `documents` (first members of identity classes, with tokens, ascending) over all bands, and gives up the
   * bucket keys.
   */
  async pairAll(documents: Uint32Array): Promise<Bucketing> {
    const sources = await corpusBands(this.run, this.plan, this.corpus, documents);
    const { hotBucket } = this.run.params;
    const given = hotBucket === 'auto' ? null : hotBucket;
    const listed = Math.min(given ?? LISTED, LISTED);
    const count = documents.length * sources.bands.length;
    const found = await this.bucketed(sources.bands, listed, count, true);
    sources.forget();
    const sizes = found.map(({ hot }) => bucketSizesOf(hot));
    this.hotBucket = given ?? chosenFor(documents.length, found, sizes, this.groups);
    const parts = found.map(({ hot }, band) => partedMembers(hot, sizes[band]!, this.hotBucket));
    await this.run.turns.give();
    const lists = found.flatMap((band) => band.lists);
    const large = await this.comparer.compare(parts, this.corpus.documents);
    const hot = parts.map(({ capped }) => capped);
    const hotBuckets = hot.reduce((sum, { buckets }) => sum + countOfBuckets(buckets), 0);
    const totals = { ...sumOf(found), hotBuckets, hotBucket: this.hotBucket, large };
    if (hotBuckets === 0) return { ...totals, lists, pairsSkippedAtMost: 0, hot: [] };
    this.putIdHashes(hotDocuments(hot, this.corpus.documents));
    const linear = await this.pairLinearly(hot);
    return { ...totals, lists: [...lists, ...linear.lists], pairsSkippedAtMost: linear.skipped, hot };
  }

  /** Stores the hashes of the ids of `documents`; no other document is in a hot bucket. */
  private putIdHashes(documents: Uint32Array): void {
    const hashes = idHashes(this.corpus.ids, documents, this.run.params.seed);
    this.run.put(ONE.idHashes, encodeBlock('documents', {}, { documents, hashes }, true), 'spill');
  }

  /**
   * Pairs members of hot buckets, given by band, by the rule for the present sizes of the buckets. All pairs are listed, so a bucket
   * of more than LEAST_HOT documents (or than a smaller --hot-bucket) is paired linearly again.
   */
  async pairMembers(members: readonly HotMembers[]): Promise<{ readonly lists: readonly StoredPairs[] }> {
    const most = Math.min(this.hotBucket, LEAST_HOT);
    const call = this.calls;
    const names: string[] = [];
    const bands: (readonly BandSource[])[] = [];
    let sum = 0;
    members.forEach(({ documents, buckets }, band) => {
      if (documents.length < 2) return;
      const name = NAMES.members(call, band);
      this.run.put(name, encodeBlock('documents', {}, { documents, buckets }, true), 'spill');
      names.push(name);
      sum += documents.length;
      bands.push(numberedSources(this.plan, band, name, documents.length, countOfBuckets(buckets)));
    });
    const found = await this.bucketed(bands, most, sum, false);
    for (const name of names) this.run.engine.store.delete(name);
    const lists = found.flatMap((band) => band.lists);
    const hot = members.map(() => NO_MEMBERS);
    for (const one of found) hot[one.band] = one.hot;
    return { lists: [...lists, ...(await this.pairLinearly(hot)).lists] };
  }

  /**
   * The buckets of bands; those of at most `most` documents become lists of pairs. `documents`: the expected number of documents
   * of all bands, each counted in every band. `first`: this is the bucketing of all documents, not of a later round.
   */
  private async bucketed(
    bands: readonly (readonly BandSource[])[],
    most: number,
    documents: number,
    first: boolean,
  ): Promise<readonly BucketedBand[]> {
    const found = await this.bucketBands(bands, this.calls++, most, first);
    const bucketed = found.reduce((sum, band) => sum + band.documents, 0);
    this.run.balance('documents of all bands', documents, { bucketed });
    return found;
  }

  /** Pairs each member of a hot bucket with its neighbours and with the first member. `hot`: members by band. */
  private async pairLinearly(
    hot: readonly HotMembers[],
  ): Promise<{ readonly lists: readonly StoredPairs[]; readonly skipped: number }> {
    const call = this.calls++;
    const lists: StoredPairs[] = [];
    let skipped = 0;
    const filled = hot.flatMap((members, band) =>
      members.documents.length === 0 ? [] : [{ band, members }],
    );
    for (const { band, members } of filled)
      this.run.put(hotName(call, band), encodeBlock('buckets', {}, { ...members }, true), 'spill');
    const tasks = filled.flatMap((band) => this.hotSlices(band, call));
    for await (const made of this.run.each(tasks, (task) => this.pairHot(task))) {
      lists.push(made.list);
      skipped += made.skipped;
    }
    for (const { band } of filled) this.run.engine.store.delete(hotName(call, band));
    return { lists, skipped };
  }

  /** The buckets of bands; tasks over all ranges of keys of all bands run side by side. */
  private async bucketBands(
    bands: readonly (readonly BandSource[])[],
    call: number,
    hotBucket: number,
    first: boolean,
  ): Promise<readonly BucketedBand[]> {
    const sources = bands.flatMap((ranges) =>
      ranges.map((source, range) => {
        return { source, hotBucket, name: NAMES.candidates(call, source.params.band, range) };
      }),
    );
    const found: BucketedBand[] = [];
    let ranges: BucketedRange[] = [];
    for await (const batch of this.run.each(this.batchesOf(sources), (one) => this.bucketRanges(one))) {
      for (const range of batch) {
        ranges.push(range);
        const band = bands[found.length]!;
        if (ranges.length < band.length) continue;
        found.push(this.bucketedBand(band[0]!.params.band, ranges, first));
        ranges = [];
        if (first) this.run.progress(found.length, bands.length, 'bands');
      }
    }
    return found;
  }

  private bucketedBand(band: number, ranges: readonly BucketedRange[], first: boolean): BucketedBand {
    const hot = unitedMembers(ranges.map((range) => range.hot));
    // Members of a later round are never more than these, and are given up when the round ends.
    if (hot.documents.length > 0 && first) this.takeMembers(band, hot.documents.length);
    const documents = ranges.reduce((sum, range) => sum + range.documents, 0);
    return { band, documents, lists: ranges.map(({ list }) => list), hot, ...sumOf(ranges) };
  }

  private takeMembers(band: number, count: number): void {
    const bytes = HOT_MEMBER_BYTES * count;
    // The estimate: each later band has as many members.
    const others = signatureParams(this.run.params).banding.bands - band - 1;
    this.run.tables.take(`${count} members of large buckets in band ${band}`, bytes, () => {
      return bytes * others + aheadOfSample(this.run);
    });
  }

  /** Ranges in batches, a batch a task: where ranges have few documents, handing over a task takes longer than its work. */
  private batchesOf(ranges: readonly NamedRange[]): NamedRange[][] {
    const most = Math.min(FEW_DOCUMENTS, this.plan.pairs / LISTED);
    const batches: NamedRange[][] = [];
    let documents = Number.POSITIVE_INFINITY;
    for (const range of ranges) {
      documents += range.source.params.expected;
      if (documents > most) {
        batches.push([]);
        documents = range.source.params.expected;
      }
      batches.at(-1)!.push(range);
    }
    return batches;
  }

  /** The buckets of ranges of keys. One task makes the first slice of every range; each further slice has a task of its own. */
  private async bucketRanges(ranges: readonly NamedRange[]): Promise<BucketedRange[]> {
    const reports = await this.bucketSlices(ranges, 0);
    const bucketed: BucketedRange[] = [];
    for (const [i, range] of ranges.entries()) bucketed.push(await this.bucketRest(range, reports[i]!));
    return bucketed;
  }

  /** Makes, of the pairs of each range, the slice from pair `from` on. The task buckets the whole range for it. */
  private async bucketSlices(
    ranges: readonly NamedRange[],
    from: number,
  ): Promise<readonly CandidatesReport[]> {
    const { segmentRows, pairs: most } = this.plan;
    const bands = [...new Set(ranges.map(({ source }) => source.params.band))];
    const { report } = await this.run.task({
      kind: 'candidates',
      label: bands.length === 1 ? `band ${bands[0]}` : `bands ${bands.join(', ')}`,
      params: ranges.map(({ source, name, hotBucket }) => {
        const slice = { from, most };
        return { ...source.params, hotBucket, name: `${name}/${from / most}`, slice, segmentRows };
      }),
      inputs: [...groupBlocks(this.run), ...new Set(ranges.flatMap(({ source }) => source.inputs))],
      keep: { candidates: 'spill' },
    });
    return report;
  }

  /** Makes the further slices of a range; `report`: of its first slice. */
  private async bucketRest(range: NamedRange, report: CandidatesReport): Promise<BucketedRange> {
    const { segmentRows, pairs: most } = this.plan;
    const { name } = range;
    const slices: WrittenSlice[] = [];
    for (let from = 0; from === 0 || from < report.total; from += most) {
      if (from > 0) await this.bucketSlices([range], from);
      slices.push({ name: `${name}/${slices.length}`, count: Math.min(most, report.total - from) });
    }
    const { total: _, ...found } = report;
    return {
      ...found,
      list: listOfSlices(this.run, slices, segmentRows),
      hot: found.hotBuckets > 0 ? this.taken(`${name}/0/hot`) : NO_MEMBERS,
    };
  }

  /** Takes the block `name` of members of hot buckets out of the store. */
  private taken(name: string): HotMembers {
    const { store } = this.run.engine;
    const { documents, buckets } = decodeBlock(store.get(name), 'buckets', name).columns;
    store.delete(name);
    return { documents: documents as Uint32Array, buckets: buckets as Uint32Array };
  }

  /** The hot members of a band in slices, small enough for a task to hold the pairs of one. */
  private hotSlices({ band, members }: BandMembers, call: number): HotTask[] {
    const most = this.plan.hotMembers;
    const slices = Math.ceil(members.documents.length / most);
    return Array.from({ length: slices }, (_, number) => ({
      name: NAMES.hot(call, band, number),
      band,
      hot: hotName(call, band),
      slice: { from: number * most, to: Math.min(members.documents.length, (number + 1) * most) },
    }));
  }

  private async pairHot(task: HotTask): Promise<{ list: StoredPairs; skipped: number }> {
    const { segmentRows } = this.plan;
    const { report } = await this.run.task({
      kind: 'hot',
      label: `hot buckets of band ${task.band}`,
      params: { ...task, segmentRows, blocks: this.signatures.blocks },
      inputs: [...groupBlocks(this.run), task.hot, ONE.idHashes, ...this.signatures.inputs],
      keep: { hot: 'spill' },
    });
    const { skipped, pairs } = report;
    return { list: listOfSlices(this.run, [{ name: task.name, count: pairs }], segmentRows), skipped };
  }
}

/** A source of a band, and the name of the list of pairs made from it. */
interface NamedRange {
  readonly source: BandSource;
  readonly hotBucket: number;
  readonly name: string;
}

interface BandMembers {
  readonly band: number;
  readonly members: HotMembers;
}

interface HotTask {
  readonly name: string;
  readonly band: number;
  readonly hot: string;
  readonly slice: { readonly from: number; readonly to: number };
}

const hotName = (call: number, band: number): string => NAMES.hotMembers(call, band);

function sumOf(parts: readonly Buckets[]): Buckets {
  const sum = { buckets: 0, largestBucket: 0 };
  for (const { buckets, largestBucket } of parts) {
    sum.buckets += buckets;
    sum.largestBucket = Math.max(sum.largestBucket, largestBucket);
  }
  return sum;
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
  for (const { lists } of found) for (const { count } of lists) all.add(LISTED, count);
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

/** The number of buckets, which are numbered from 0 without gaps. */
function countOfBuckets(buckets: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < buckets.length; i++) count = Math.max(count, buckets[i]! + 1);
  return count;
}
