/**
 * Stage 2 for samples: which pairs of documents share enough fingerprints to be looked at.
 *
 * Ranges of fingerprints are one set of tasks: they make the lists of documents that have one. Ranges of documents are the
 * next: each document walks along the lists of its fingerprints, and of the pairs that it makes only those that pass the
 * rule are ever written down, with their estimates. Pairs are many, candidates few: so memory follows from the samples.
 * What becomes of frequent fingerprints is known between the two, when all are counted: see reducers/frequentLists.ts.
 *
 * Floor 4.
 */
import type { FingerprintBlocks } from '../../reducers/fingerprintLists.js';
import { fullListsBlock } from '../../reducers/frequentDocuments.js';
import { type FrequentLists, frequentLists } from '../../reducers/frequentLists.js';
import { sampleSizes } from '../../reducers/sampledPairs.js';
import { type Block, decodeBlock, encodeBlock } from '../blocks/block.js';
import { fingerprintsOf } from '../blocks/fingerprints.js';
import type { AgreeingPairs, HotMembers } from '../sketch/pairs.js';
import { SampleRule, sampleWishOf } from '../sketch/sampleRule.js';
import { isPlace } from '../storage/blockPlace.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import { joinedSamples, type SampledPart } from './joinedSamples.js';
import { HOT_MEMBER_BYTES } from './pairMemory.js';
import { PlacedEntries, type RangeEntries } from './placedEntries.js';
import type { Run } from './run.js';
import { aheadOfSample } from './skippedSample.js';

/** Where the lists of all fingerprints are, and what is known of them. */
export interface Sharing {
  /** High words where ranges of fingerprints end, and the block of each one's lists. */
  readonly ends: readonly number[];
  readonly lists: readonly string[];
  /** By column block, the block of the places of its fingerprints in the lists. */
  readonly places: readonly string[];
  /** Documents that are compared, and how many are behind each in the lists of its fingerprints. */
  readonly documents: Uint32Array;
  readonly steps: Float64Array;
  /** Fingerprints in two documents or more. */
  readonly shared: number;
  readonly longestList: number;
  /** Documents of hot fingerprints, and how many such there are. */
  readonly hot: HotMembers;
  readonly hotLists: number;
  /** By document, 1: it relies on frequent fingerprints. */
  readonly relies: Uint8Array;
}

/** Entries (fingerprint, document) of a task, and what one takes there. */
const ENTRIES_PER_TASK = 1 << 20;
const ENTRY_BYTES = 44;

/** Fewer are not worth a task of their own. */
const FEWEST_ENTRIES = 1 << 14;

/** Steps along lists of a task, and how few are not worth one. */
const STEPS_PER_TASK = 1 << 24;
const FEWEST_STEPS = 1 << 16;

/** A candidate pair in its task: columns that double, and their block. */
const MADE_BYTES = 51;

/** Fingerprints looked at to cut their range into tasks of about the same weight. */
const LOOKED_AT = 1 << 16;

/** A document while its fingerprints are listed: those placed, those frequent, its steps. */
const LISTED_BYTES = 16;

/** An entry of a frequent fingerprint while it is decided what becomes of it: thrice in lists, twice in rows. */
const FREQUENT_BYTES = 28;

/** Samples in blocks, by document of the corpus. */
export function samplesOf({ blockOf, columnOf }: Corpus, blocks: readonly Block[]): FingerprintBlocks {
  return { blocks: blocks.map(fingerprintsOf), blockOf, columnOf };
}

/** All that is made of samples: they are in memory, and one block of it serves all workers. */
export class FingerprintSharing {
  /** Blocks of all samples, in shared memory. */
  readonly blocks: readonly string[];
  private readonly run: Run;
  private readonly corpus: Corpus;
  /** Bytes of tables that are given back with the lists. */
  private listBytes: number;

  /** @throws MinHashError MEMORY_BUDGET where the samples and their lists do not fit */
  constructor(run: Run, corpus: Corpus) {
    this.run = run;
    this.corpus = corpus;
    const { blockOf, columnOf, documents } = corpus;
    const samples = corpus.tables.reduce((sum, _, k) => sum + this.bytesOf(k), 0);
    // A fingerprint has 8 bytes in its sample, 4 in its list, and 4 for its place there.
    this.listBytes = samples + LISTED_BYTES * documents;
    run.tables.take(`${documents} documents with samples and their lists`, samples + this.listBytes);
    run.put('places', encodeBlock('documents', {}, { blockOf, columnOf }, true));
    this.blocks = corpus.tables.map((_, k) => this.held(k));
  }

  /** The samples of all column blocks. */
  columns(): Block[] {
    return this.blocks.map((name) => decodeBlock(this.run.engine.store.get(name), 'fingerprints', name));
  }

  private bytesOf(k: number): number {
    const found = this.run.engine.store.locate(`fingerprints/${k}`);
    return isPlace(found) ? found.length : found.byteLength;
  }

  /** The name of a block of samples that is in shared memory; it is read from disk if need be. */
  private held(k: number): string {
    const { store } = this.run.engine;
    const name = `fingerprints/${k}`;
    const found = store.locate(name);
    if (!isPlace(found) && found instanceof SharedArrayBuffer) return name;
    const { columns } = decodeBlock(store.get(name), 'fingerprints', name);
    const copy = `samples/${k}`;
    this.run.put(copy, encodeBlock('fingerprints', {}, columns, true));
    return copy;
  }

  /** Lists the fingerprints of `documents` (class firsts with tokens, ascending). */
  async list(documents: Uint32Array): Promise<Sharing> {
    const { parallelism } = this.run.engine;
    this.run.put('sampled', encodeBlock('documents', {}, { documents }, true));
    const ends = this.rangesOfFingerprints();
    const placed = new PlacedEntries(this.corpus, this.columns(), documents);
    const totals = { shared: 0, longestList: 0 };
    const lists: string[] = [];
    const parts = inOrder([...ends.keys()], parallelism + 1, (f) => this.listRange(ends, f));
    for await (const { name, entries, report } of parts) {
      placed.add(entries);
      totals.shared += report.lists;
      totals.longestList = Math.max(totals.longestList, report.longestList);
      lists.push(name);
      this.run.progress(lists.length, ends.length, 'ranges');
    }
    const places = placed.blocks.map((block, k) => {
      this.run.put(`places/${k}`, block);
      return `places/${k}`;
    });
    const { entries, listed } = placed.counted();
    this.run.balance('fingerprints of documents', entries, { listed });
    const { frequent, holders } = { frequent: placed.frequent, holders: placed.allHolders() };
    const found = this.frequentLists(placed, documents, holders);
    this.run.put('full', fullListsBlock(found.full));
    this.run.put('frequent', encodeBlock('documents', {}, { frequent, relies: found.relies }, true));
    const steps = placed.steps.map((step, i) => step + found.steps[i]!);
    const { hot, hotLists, relies } = found;
    return { ...totals, ends, lists, places, documents, steps, hot, hotLists, relies };
  }

  /** What becomes of frequent fingerprints; takes the bytes of it from those of tables. */
  private frequentLists(placed: PlacedEntries, documents: Uint32Array, holders: Uint32Array): FrequentLists {
    const { params, wish } = sampleWishOf(this.run.params)!;
    const samples = samplesOf(this.corpus, this.columns());
    const all = {
      ...samples,
      sizes: sampleSizes(samples),
      places: placed.blocks.map(({ columns }) => columns.places as Uint32Array),
      frequent: placed.frequent,
    };
    const { tables } = this.run;
    const entries = holders.reduce((sum, one) => sum + one, 0);
    const making = FREQUENT_BYTES * entries;
    tables.take(`${entries} frequent fingerprints of documents`, making);
    const { hotBucket, measure } = this.run.params;
    const rule = new SampleRule(params, wish);
    const found = frequentLists(all, documents, holders, { rule, measure, hotBucket });
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

  /** The pairs that pass the rule, with their estimates; accepted where those are at least `least`. Ends the lists. */
  async compare(sharing: Sharing, least: number, margin: number): Promise<AgreeingPairs> {
    const { store, parallelism } = this.run.engine;
    const { steps, lists, places, documents } = sharing;
    const parts: SampledPart[] = [];
    const results = inOrder(this.rangesOfDocuments(sharing), parallelism + 1, (range) =>
      this.compareRange(sharing, range, least),
    );
    let pairs = 0;
    let walked = 0;
    for await (const { part, report } of results) {
      if (part.count > 0) parts.push(part);
      else store.delete(part.name);
      walked += report.steps;
      pairs += part.count;
      this.run.progress(pairs, null, 'pairs');
    }
    for (const name of [...lists, ...places, 'sampled', 'full']) store.delete(name);
    this.run.tables.give(this.listBytes);
    const expected = steps.reduce((sum, one) => sum + one, 0);
    this.run.balance(`steps along lists of ${documents.length} documents`, expected, { walked });
    return joinedSamples(this.run, parts, margin);
  }

  private async listRange(ends: readonly number[], f: number) {
    const { store } = this.run.engine;
    const name = `lists/${f}`;
    const entries = `entries/${f}`;
    const { report } = await this.run.task({
      stage: 'lists',
      label: `range ${f} of fingerprints`,
      params: {
        lists: name,
        entries,
        from: f === 0 ? 0 : ends[f - 1]!,
        to: ends[f]!,
        documents: 'sampled',
        blocks: this.blocks,
      },
      inputs: ['sampled', 'places', ...this.blocks],
    });
    const { columns } = decodeBlock(store.get(entries), 'documents', entries);
    store.delete(entries);
    return { name, entries: columns as unknown as RangeEntries, report: report as unknown as ListsReport };
  }

  private async compareRange(sharing: Sharing, { from, to }: DocumentRange, least: number) {
    const { ends, lists, places } = sharing;
    const name = `sharing/${from}`;
    const { report } = await this.run.task({
      stage: 'sharing',
      label: `pairs of documents ${from}..${to}`,
      params: { name, from, to, documents: 'sampled', ends, lists, blocks: this.blocks, places, least },
      inputs: ['sampled', 'places', 'frequent', 'full', ...lists, ...places, ...this.blocks],
      keep: { sharing: 'spill' },
    });
    const { pairs, steps } = report as { readonly pairs: number; readonly steps: number };
    return { part: { name, count: pairs }, report: { steps } };
  }

  /**
   * The documents that are compared in ranges of about the same number of steps. All pairs of a range can pass: those of
   * no more documents than one are more than a task has room for.
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
   * Ends of ranges of high words, the last 2^32. The smallest fingerprints of long documents lie close together, so ranges
   * are cut where as many of those looked at lie between.
   */
  private rangesOfFingerprints(): number[] {
    const columns = this.columns().map((block) => fingerprintsOf(block).values);
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

/** Documents of the list of those compared, [from, to). */
interface DocumentRange {
  readonly from: number;
  readonly to: number;
}

interface ListsReport {
  readonly lists: number;
  readonly longestList: number;
}
