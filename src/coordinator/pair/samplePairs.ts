/**
 * Stages 2 and 3 over samples of fingerprints: lists of the documents of each fingerprint, and rounds over hot fingerprints.
 */

import { clusters } from '../../../reducers/clusters.js';
import type { Precedence } from '../../../reducers/dropList.js';
import { crossMembers, type FrequentLists, frequentLists } from '../../../reducers/frequentPairs.js';
import { hotDocuments, pairsOfBuckets } from '../../../reducers/hotPairs.js';
import { type SizedSamples, sampleEstimate, sampleSizes } from '../../../reducers/sampledPairs.js';
import { type FingerprintBlocks, FREQUENT, fullListsBlock, NOWHERE } from '../../../reducers/sampleLists.js';
import type { Groups } from '../../arrays/groupCounts.js';
import { concatenated } from '../../arrays/growable.js';
import { type Block, type ColumnsOf, decodeBlock, encodeBlock, typedColumns } from '../../blocks/block.js';
import { fingerprintsOf } from '../../blocks/fingerprints.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { AgreeingPairs, HotMembers } from '../../blocks/pairs.js';
import { decidingAgreements } from '../../sketch/family.js';
import { leastHotBucket, mostPartners } from '../../sketch/hotBuckets.js';
import { SampleRule, sampleWishOf } from '../../sketch/samples/sampleRule.js';
import { isPlace, lengthOf } from '../../store/blockPlace.js';
import { HOT_MEMBER_BYTES, listsOfSamples } from '../../store/budget.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';
import type { Verifier } from '../verify/verify.js';
import { type ComparedPart, PairComparer } from './agreements.js';
import { groupBlocks } from './documentGroups.js';
import { FrequentPairing, keptBySamples, sampleSketches } from './frequentPairing.js';
import { type ComparedPairs, comparedDocuments } from './pairing.js';
import { forgetPairs, storePairs } from './pairLists.js';
import { pairPlan } from './pairPlan.js';
import { compareInRounds } from './rounds.js';
import { aheadOfSample, idHashesOf } from './skippedSample.js';

/** The columns of a block of entries; FingerprintLists makes them. */
const ENTRIES = { places: 'u32', entries: 'u32', frequent: 'u32', steps: 'f64', holders: 'u32' } as const;
type RangeEntries = ColumnsOf<typeof ENTRIES>;

/**
 * The places of all entries in the lists of their fingerprints, added range after range; ranges ascend, as do the
 * fingerprints of a document.
 */
class PlacedEntries {
  /** By column block: the place of each fingerprint, in shared memory; frequent fingerprints are numbered over all ranges. */
  readonly blocks: readonly Block[];
  /** By document of the corpus: the number of its frequent fingerprints. */
  readonly frequent: Uint32Array;
  /** By compared document: how many documents stand behind it in the lists of its fingerprints. */
  readonly steps: Float64Array;
  private readonly placed: Uint32Array;
  private readonly documents: Uint32Array;
  private readonly corpus: Corpus;
  private readonly offsets: readonly Uint32Array[];
  private listed = 0;
  private readonly holders: Uint32Array[] = [];
  private frequentLists = 0;

  constructor(corpus: Corpus, { blocks }: FingerprintBlocks, documents: Uint32Array) {
    this.corpus = corpus;
    this.documents = documents;
    this.offsets = blocks.map(({ offsets }) => offsets);
    this.blocks = blocks.map(({ values }) => {
      const places = new Uint32Array(values.length / 2);
      const block = encodeBlock('documents', {}, { places }, true);
      block.columns.places!.fill(NOWHERE);
      return block;
    });
    this.frequent = new Uint32Array(corpus.documents);
    this.steps = new Float64Array(documents.length);
    this.placed = new Uint32Array(documents.length);
  }

  add({ places, entries, frequent, steps, holders }: RangeEntries): void {
    const { blockOf, columnOf } = this.corpus;
    for (let i = 0, e = 0; i < entries.length; i++) {
      const count = entries[i]!;
      if (count === 0) continue;
      const document = this.documents[i]!;
      const k = blockOf[document]!;
      const mine = this.blocks[k]!.columns.places!;
      let at = this.offsets[k]![columnOf[document]!]! + this.placed[i]!;
      for (const end = e + count; e < end; e++) {
        const place = places[e]!;
        mine[at++] = place >= FREQUENT && place !== NOWHERE ? place + this.frequentLists : place;
      }
      this.placed[i]! += count;
      this.frequent[document]! += frequent[i]!;
      this.steps[i]! += steps[i]!;
    }
    this.listed += places.length;
    this.holders.push(holders);
    this.frequentLists += holders.length;
  }

  /** By frequent fingerprint: how many documents have it. */
  allHolders(): Uint32Array {
    return concatenated(this.holders);
  }

  /** The number of fingerprints of all compared documents, and the number of those that were listed. */
  counted(): { readonly entries: number; readonly listed: number } {
    const { blockOf, columnOf } = this.corpus;
    let entries = 0;
    for (const document of this.documents) {
      const offsets = this.offsets[blockOf[document]!]!;
      entries += offsets[columnOf[document]! + 1]! - offsets[columnOf[document]!]!;
    }
    return { entries, listed: this.listed };
  }
}

/** Where the lists of all fingerprints are, and facts of them. */
interface Sharing {
  /** By range of fingerprints: the high word at which it ends. */
  readonly ends: readonly number[];
  /** By range of fingerprints: the name of the block of its lists. */
  readonly lists: readonly string[];
  /** By column block, the block of the places of its fingerprints in the lists. */
  readonly places: readonly string[];
  readonly documents: Uint32Array;
  /** By compared document: how many documents stand behind it in the lists of its fingerprints. */
  readonly steps: Float64Array;
  /** Number of fingerprints in two documents or more. */
  readonly shared: number;
  readonly longestList: number;
  readonly hot: HotMembers;
  readonly hotLists: number;
  /** By document, 1: it relies on frequent fingerprints. */
  readonly relies: Uint8Array;
}

/** Most entries (fingerprint, document) of a task, and the bytes of one there. */
const ENTRIES_PER_TASK = 1 << 20;
const ENTRY_BYTES = 44;

/** Fewer entries are not worth a task of their own. */
const FEWEST_ENTRIES = 1 << 14;

/** Most steps along lists of a task; fewer than FEWEST_STEPS are not worth a task. */
const STEPS_PER_TASK = 1 << 24;
const FEWEST_STEPS = 1 << 16;

/** Bytes of a candidate pair in its task: in columns that grow by doubling, and in their block. */
const MADE_BYTES = 51;

/** About how many fingerprints are read to cut their range into tasks of about the same weight. */
const LOOKED_AT = 1 << 16;

/** Bytes of an entry of a frequent fingerprint while `frequentLists` sorts them out: thrice in lists, twice in rows. */
const FREQUENT_BYTES = 28;

/**
 * Stage 2 for samples: which pairs of documents share enough fingerprints to be candidates. The samples are in shared memory,
 * where all workers read them.
 *
 * The first tasks, over ranges of fingerprints, list the documents of each fingerprint. The next, over ranges of documents, walk
 * along the lists of the fingerprints of each document, and write down only the pairs that pass the rule, with their estimates.
 * Pairs are many, candidate pairs few: so memory follows from the samples. Between the two sets of tasks, when all holders are
 * counted, reducers/frequentPairs.ts decides how frequent fingerprints are paired.
 */
class FingerprintSharing {
  /** Names of the blocks of all samples, in shared memory. */
  readonly blocks: readonly string[];
  /** What is in them. */
  readonly samples: SizedSamples;
  private readonly run: Run;
  private readonly corpus: Corpus;
  /** Bytes taken from the budget of tables for the lists. */
  private listBytes: number;

  /** @throws MinHashError MEMORY_BUDGET where the samples and their lists do not fit */
  constructor(run: Run, corpus: Corpus) {
    this.run = run;
    this.corpus = corpus;
    const { blockOf, columnOf, documents } = corpus;
    const { store } = run.engine;
    const samples = corpus.tables.reduce(
      (sum, _, k) => sum + lengthOf(store.locate(NAMES.fingerprints(k))),
      0,
    );
    this.listBytes = listsOfSamples(samples, documents);
    run.tables.take(`${documents} documents with samples and their lists`, samples + this.listBytes);
    run.put(ONE.places, encodeBlock('documents', {}, { blockOf, columnOf }, true));
    this.blocks = corpus.tables.map((_, k) => this.held(k));
    const found = this.blocks.map((name) => decodeBlock(store.get(name), 'fingerprints', name));
    const all = { blocks: found.map(fingerprintsOf), blockOf, columnOf };
    this.samples = { ...all, sizes: sampleSizes(all) };
  }

  /** The name of block `k` of samples in shared memory; a block on disk or in other memory is copied there. */
  private held(k: number): string {
    const { store } = this.run.engine;
    const name = NAMES.fingerprints(k);
    const found = store.locate(name);
    if (!isPlace(found) && found instanceof SharedArrayBuffer) return name;
    const { columns } = decodeBlock(store.get(name), 'fingerprints', name);
    const copy = NAMES.samples(k);
    this.run.put(copy, encodeBlock('fingerprints', {}, columns, true));
    return copy;
  }

  /** Lists the fingerprints of `documents` (first members of identity classes, with tokens, ascending). */
  async list(documents: Uint32Array): Promise<Sharing> {
    this.run.put(ONE.sampled, encodeBlock('documents', {}, { documents }, true));
    const ends = this.rangesOfFingerprints();
    const placed = new PlacedEntries(this.corpus, this.samples, documents);
    const totals = { shared: 0, longestList: 0 };
    const lists: string[] = [];
    const progress = { unit: 'ranges', total: ends.length };
    const list = (f: number) => this.listRange(ends, f);
    for await (const { name, entries, report } of this.run.each(ends.keys(), list, { ahead: 1, progress })) {
      placed.add(entries);
      totals.shared += report.lists;
      totals.longestList = Math.max(totals.longestList, report.longestList);
      lists.push(name);
    }
    const places = placed.blocks.map((block, k) => {
      this.run.put(NAMES.samplePlaces(k), block);
      return NAMES.samplePlaces(k);
    });
    const { entries, listed } = placed.counted();
    this.run.balance('fingerprints of documents', entries, { listed });
    const { frequent, holders } = { frequent: placed.frequent, holders: placed.allHolders() };
    const found = this.frequentLists(placed, documents, holders);
    this.run.put(ONE.full, fullListsBlock(found.full));
    this.run.put(ONE.frequent, encodeBlock('documents', {}, { frequent, relies: found.relies }, true));
    const steps = placed.steps.map((step, i) => step + found.steps[i]!);
    const { hot, hotLists, relies } = found;
    return { ...totals, ends, lists, places, documents, steps, hot, hotLists, relies };
  }

  /** Decides how frequent fingerprints are paired; takes the bytes of the result from the budget of tables. */
  private frequentLists(placed: PlacedEntries, documents: Uint32Array, holders: Uint32Array): FrequentLists {
    const { params, wish } = sampleWishOf(this.run.params)!;
    const all = {
      ...this.samples,
      places: placed.blocks.map(({ columns }) => columns.places as Uint32Array),
      frequent: placed.frequent,
    };
    const { tables } = this.run;
    const entries = holders.reduce((sum, one) => sum + one, 0);
    const making = FREQUENT_BYTES * entries;
    tables.take(`${entries} frequent fingerprints of documents`, making);
    const { hotBucket, measure } = this.run.params;
    const rule = new SampleRule(params, wish);
    const partners = mostPartners(hotBucket, documents.length);
    const few = leastHotBucket(hotBucket);
    const found = frequentLists(all, documents, holders, { rule, measure, hotBucket: few, partners });
    tables.give(making);
    const { relying, holding } = found.full;
    const bytes = 4 * (relying.documents.length + (holding?.documents.length ?? 0));
    tables.take('lists of frequent fingerprints', bytes);
    this.listBytes += bytes;
    tables.take(
      `${found.hot.documents.length} documents of hot fingerprints`,
      HOT_MEMBER_BYTES * found.hot.documents.length,
      () => (found.hotLists === 0 ? 0 : aheadOfSample(this.run)),
    );
    return found;
  }

  /** The pairs that pass the rule, with their estimates; accepted where the estimate is at least `least`. Gives up the lists. */
  async compare(sharing: Sharing, least: number): Promise<readonly ComparedPart[]> {
    const { store } = this.run.engine;
    const { steps, lists, places, documents } = sharing;
    const parts: ComparedPart[] = [];
    const compare = (range: DocumentRange) => this.compareRange(sharing, range, least);
    const amount = ({ part }: { readonly part: ComparedPart }): number => part.count;
    const progress = { unit: 'pairs', total: null, amount };
    const results = this.run.each(this.rangesOfDocuments(sharing), compare, { ahead: 1, progress });
    let walked = 0;
    for await (const { part, steps } of results) {
      if (part.count > 0) parts.push(part);
      else store.delete(part.name);
      walked += steps;
    }
    for (const name of [...lists, ...places, ONE.sampled, ONE.full]) store.delete(name);
    this.run.tables.give(this.listBytes);
    const expected = steps.reduce((sum, one) => sum + one, 0);
    this.run.balance(`steps along lists of ${documents.length} documents`, expected, { walked });
    return parts;
  }

  private async listRange(ends: readonly number[], f: number) {
    const { store } = this.run.engine;
    const name = NAMES.lists(f);
    const entries = NAMES.entries(f);
    const report = await this.run.task({
      kind: 'lists',
      label: `range ${f} of fingerprints`,
      params: {
        lists: name,
        entries,
        from: f === 0 ? 0 : ends[f - 1]!,
        to: ends[f]!,
        documents: ONE.sampled,
        blocks: this.blocks,
      },
      inputs: [ONE.sampled, ONE.places, ...this.blocks],
    });
    const found = decodeBlock(store.get(entries), 'documents', entries);
    store.delete(entries);
    return { name, entries: typedColumns(found, ENTRIES), report };
  }

  private async compareRange(sharing: Sharing, { from, to }: DocumentRange, least: number) {
    const { ends, lists, places } = sharing;
    const name = NAMES.sharing(from);
    const { pairs, steps } = await this.run.task({
      kind: 'sharing',
      label: `pairs of documents ${from}..${to}`,
      params: { name, from, to, documents: ONE.sampled, ends, lists, blocks: this.blocks, places, least },
      inputs: [
        ...groupBlocks(this.run),
        ...[ONE.sampled, ONE.places, ONE.frequent, ONE.full],
        ...lists,
        ...places,
        ...this.blocks,
      ],
      keep: { sharing: 'counted' },
    });
    return { part: { name, count: pairs }, steps };
  }

  /**
   * The compared documents in ranges of about the same number of steps. All pairs of a range can pass, so a range with more pairs
   * than a task has room for is a single document.
   */
  private *rangesOfDocuments({ steps }: Sharing): Generator<DocumentRange> {
    const { budget, engine } = this.run;
    const all = steps.reduce((sum, one) => sum + one, 0);
    const evenly = Math.ceil(all / (2 * engine.parallelism));
    const mostSteps = Math.max(FEWEST_STEPS, Math.min(STEPS_PER_TASK, evenly));
    const mostPairs = budget.task / 4 / MADE_BYTES;
    let from = 0;
    let taken = 0;
    let pairs = 0;
    for (let i = 0; i < steps.length; i++) {
      const most = Math.min(steps[i]!, steps.length - 1 - i);
      if (i > from && (taken + steps[i]! > mostSteps || pairs + most > mostPairs)) {
        if (taken > 0) yield { from, to: i };
        [from, taken, pairs] = [i, 0, 0];
      }
      taken += steps[i]!;
      pairs += most;
    }
    if (taken > 0) yield { from, to: steps.length };
  }

  /**
   * Ends of ranges of high words, the last 2^32. The smallest fingerprints of long documents lie close together, so the cuts are
   * quantiles of a sample of the fingerprints.
   */
  private rangesOfFingerprints(): number[] {
    const columns = this.samples.blocks.map(({ values }) => values);
    const entries = columns.reduce((sum, values) => sum + values.length / 2, 0);
    const most = Math.max(FEWEST_ENTRIES, Math.min(ENTRIES_PER_TASK, this.run.budget.task / 4 / ENTRY_BYTES));
    const wanted = Math.ceil(entries / most);
    const worthIt = Math.max(1, Math.floor(entries / FEWEST_ENTRIES));
    const parts = Math.max(wanted, Math.min(worthIt, 2 * this.run.engine.parallelism));
    const step = Math.max(1, Math.floor(entries / LOOKED_AT));
    const seen: number[] = [];
    for (const values of columns) for (let i = 0; i < values.length; i += 2 * step) seen.push(values[i + 1]!);
    const sorted = Uint32Array.from(seen).sort();
    const ends: number[] = [];
    for (let part = 1; part < parts; part++) {
      const end = sorted[Math.floor((sorted.length * part) / parts)]!;
      if (end > (ends.at(-1) ?? 0)) ends.push(end);
    }
    return [...ends, 2 ** 32];
  }
}

/** Positions [from, to) in the list of compared documents. */
interface DocumentRange {
  readonly from: number;
  readonly to: number;
}

/** Pairs all documents by their samples and verifies the pairs. */
export async function compareSamples(
  run: Run,
  corpus: Corpus,
  verifier: Verifier,
  precedence: Precedence,
): Promise<ComparedPairs> {
  const { least, margin } = decidingAgreements(run.params);
  const sharing = new FingerprintSharing(run, corpus);
  const unsketched = unsampledDocuments(run, corpus, sharing.samples);
  const found = await run.stage('fingerprints', () =>
    sharing.list(comparedDocuments(corpus, verifier.classes, unsketched)),
  );
  // FingerprintSharing has taken the bytes of the samples already, so the plan counts none.
  const plan = pairPlan(run.budget, { columns: 0, hashes: 16, workers: 1 });
  const pairing = new FrequentPairing(run, plan, corpus.documents);
  const comparer = new PairComparer(run, sampleSketches(plan, sharing.blocks), { least, margin });
  const { sizes } = sharing.samples;
  const rule = keptBySamples(run, verifier, pairing, found.relies, sizes, precedence);
  const { hot, count: hotBuckets, pairs } = crossingOf(found, verifier.groups);
  const how = { pairing, comparer, verifier, rule, idHashes: idHashesOf(run, corpus) };
  let pairsSkippedAtMost = 0;
  const compared = await run.stage('verify', async () => {
    const made = await comparer.joined(await sharing.compare(found, least));
    const { more, skipped } = await hotPairsOf(run, how, hot, made);
    pairsSkippedAtMost = Math.min(skipped, pairs());
    return compareInRounds(run, how, hot, made, more);
  });
  return {
    verified: compared.verified,
    counts: {
      buckets: found.shared,
      hot_bucket: leastHotBucket(run.params.hotBucket),
      hot_buckets: hotBuckets,
      largest_bucket: found.longestList,
      rounds: compared.rounds,
      pairs_skipped_at_most: compared.skipsPairs ? pairsSkippedAtMost : 0,
      kept_uncompared: compared.keptUncompared,
    },
    unlisted: null,
    unsketched,
    recall: compared.recall,
    clustersOf: async (classes, near, source) => {
      const estimate = estimates(run, sharing.samples);
      const found = await run.turns.through(clusters(classes, near, { ...source, estimate }));
      return { clusters: found, uncompared: 0 };
    },
  };
}

/** Compares the pairs of hot fingerprints that are not in `made`. `skipped`: how many pairs hot fingerprints skip. */
async function hotPairsOf(
  run: Run,
  { pairing, comparer }: { pairing: FrequentPairing; comparer: PairComparer },
  hot: readonly HotMembers[],
  made: AgreeingPairs,
): Promise<{ readonly more: AgreeingPairs | null; readonly skipped: number }> {
  if (hot.length === 0) return { more: null, skipped: 0 };
  const { lists, skipped } = await pairing.pairMembers(hot);
  const known = storePairs(run, NAMES.known('shared'), made);
  const more = await comparer.compare(lists, [known]);
  forgetPairs(run, [...lists, known]);
  return { more, skipped };
}

/**
 * By document, 1: it has tokens and no common word. Null for samples of shingles, where every document with tokens has
 * a shingle.
 */
function unsampledDocuments(run: Run, corpus: Corpus, { sizes }: SizedSamples): Uint8Array | null {
  if (run.params.sketch.sketch !== 'sswf') return null;
  return Uint8Array.from(sizes.size, (samples, d) => (samples === 0 && corpus.empty[d] === 0 ? 1 : 0));
}

/**
 * Members of hot fingerprints that make pairs, in groups; the number of such fingerprints, and the number of pairs of all their
 * documents, whether or not they share one.
 */
function crossingOf({ hot, hotLists, relies }: Sharing, groups: Groups | null) {
  const { members, count } = groups === null ? { members: hot, count: hotLists } : crossMembers(hot, groups);
  return {
    hot: FrequentPairing.groups(members),
    count,
    pairs: () => {
      const documents = hotDocuments([members], relies.length);
      return pairsOfBuckets({ documents, buckets: new Uint32Array(documents.length) }, groups, relies);
    },
  };
}

/** The estimated similarity of two documents from their samples; NaN where the samples allow no estimate. */
function estimates(run: Run, samples: SizedSamples): (a: number, b: number) => number {
  const { params, wish } = sampleWishOf(run.params)!;
  const rule = new SampleRule(params, wish);
  return (a, b) => sampleEstimate(samples, params, rule, a, b);
}
