/**
 * Stage 2 for samples: which pairs of documents share enough fingerprints to be looked at.
 *
 * Ranges of fingerprints are one set of tasks: their lists of documents become pairs with counts. Ranges of pairs are the
 * next: counts are added up over all ranges of fingerprints, and the pairs that pass the rule get their estimates.
 *
 * Floor 4.
 */
import { type Block, decodeBlock, encodeBlock } from '../blocks/block.js';
import { fingerprintsOf } from '../blocks/fingerprints.js';
import type { AgreeingPairs, Pairs } from '../sketch/pairs.js';
import { isPlace } from '../storage/blockPlace.js';
import type { Corpus } from './corpus.js';
import { inOrder } from './inOrder.js';
import { pairRanges } from './pairRanges.js';
import type { Run } from './run.js';

/** Pairs of a range of fingerprints, in the block of this name. */
interface RangePairs {
  readonly name: string;
  readonly pairs: Pairs;
}

/** What the lists of fingerprints are, and the pairs they make. */
export interface Sharing {
  /** A list for each range of fingerprints; they stay in the store until they are compared. */
  readonly lists: readonly RangePairs[];
  /** Fingerprints in two documents or more. */
  readonly shared: number;
  readonly eliminated: number;
  readonly longestList: number;
  /** Pairs that eliminated fingerprints would have made, the same one for each of them. */
  readonly pairsSkippedAtMost: number;
  /** Documents with no fingerprint left: nothing is found for them. */
  readonly documentsEliminated: number;
}

/** Entries (fingerprint, document) of a task, and what one takes there. */
const ENTRIES_PER_TASK = 1 << 20;
const ENTRY_BYTES = 40;

/** Fewer are not worth a task of their own. */
const FEWEST_ENTRIES = 1 << 14;

/** Rows of pairs of a task, repetitions counted, and how few are not worth one. */
const PAIRS_PER_TASK = 1 << 20;
const FEWEST_PAIRS = 1 << 14;

/** Fingerprints looked at to cut their range into tasks of about the same weight. */
const LOOKED_AT = 1 << 16;

/** A pair of a range: two documents, and what they share. */
const SHARING_BYTES = 12;

/** A candidate pair: two documents, estimate, accepted or not. */
const SAMPLED_BYTES = 17;

/** All that is made of samples: they are in memory, and one block of it serves all workers. */
export class FingerprintSharing {
  private readonly run: Run;
  private readonly corpus: Corpus;
  /** Blocks of all samples, in shared memory. */
  private readonly blocks: readonly string[];

  /** @throws MinHashError MEMORY_BUDGET where the samples do not fit */
  constructor(run: Run, corpus: Corpus) {
    this.run = run;
    this.corpus = corpus;
    const { blockOf, columnOf } = corpus;
    run.put('places', encodeBlock('documents', {}, { blockOf, columnOf }, true));
    this.blocks = corpus.tables.map((_, k) => this.held(k));
  }

  /** The samples of all column blocks. */
  columns(): Block[] {
    return this.blocks.map((name) => decodeBlock(this.run.engine.store.get(name), 'fingerprints', name));
  }

  /** The name of a block of samples that is in shared memory; it is read from disk if need be. */
  private held(k: number): string {
    const { store } = this.run.engine;
    const name = `fingerprints/${k}`;
    const found = store.locate(name);
    const bytes = isPlace(found) ? found.length : found.byteLength;
    this.run.tables.take(`fingerprints of ${this.corpus.documents} documents`, bytes);
    if (!isPlace(found) && found instanceof SharedArrayBuffer) return name;
    const { columns } = decodeBlock(store.get(name), 'fingerprints', name);
    const copy = `samples/${k}`;
    this.run.put(copy, encodeBlock('fingerprints', {}, columns, true));
    return copy;
  }

  /** Pairs `documents` (class firsts with tokens, ascending). */
  async pairAll(documents: Uint32Array): Promise<Sharing> {
    const { store, parallelism } = this.run.engine;
    const list = 'sampled';
    this.run.put(list, encodeBlock('documents', {}, { documents }, true));
    const bounds = this.rangesOfFingerprints();
    const eliminated = new Uint32Array(this.corpus.documents);
    const lists: RangePairs[] = [];
    const totals = { shared: 0, eliminated: 0, longestList: 0, pairsSkippedAtMost: 0 };
    let listed = 0;
    const parts = inOrder([...bounds.keys()], 2 * parallelism, (f) => this.pairRange(bounds, f, list));
    for await (const { stored, report, columns } of parts) {
      lists.push(stored);
      listed += report.entries;
      totals.shared += report.lists;
      totals.eliminated += report.eliminatedLists;
      totals.longestList = Math.max(totals.longestList, report.longestList);
      totals.pairsSkippedAtMost += report.skipped;
      columns.documents!.forEach((document, i) => {
        eliminated[document]! += columns.eliminated![i]!;
      });
      this.run.progress(lists.length, bounds.length, 'ranges');
    }
    store.delete(list);
    this.run.put('unlisted', encodeBlock('documents', {}, { eliminated }, true));
    const { entries, documentsEliminated } = this.countEntries(documents, eliminated);
    this.run.balance('fingerprints of documents', entries, { listed });
    return { ...totals, lists, documentsEliminated };
  }

  /** The pairs of the lists that pass the rule, with their estimates; accepted where those are at least `least`. */
  async compare({ lists }: Sharing, least: number): Promise<AgreeingPairs> {
    const { store, parallelism } = this.run.engine;
    const filled = lists.filter(({ pairs }) => pairs.count > 0);
    const rows = filled.reduce((sum, { pairs }) => sum + pairs.count, 0);
    const wanted = Math.ceil(rows / PAIRS_PER_TASK);
    const worthIt = Math.max(1, Math.floor(rows / FEWEST_PAIRS));
    const parts = Math.max(wanted, Math.min(worthIt, 2 * parallelism));
    const weighed = filled.map(({ pairs }) => ({ pairs, weight: 1 }));
    const ends = rows === 0 ? [] : pairRanges(weighed, parts);
    const found: AgreeingPairs[] = [];
    const results = inOrder([...ends.keys()], parallelism + 1, (part) => {
      const ranges = filled.map(
        ({ name }, i) => [name, ends[part - 1]?.rows[i] ?? 0, ends[part]!.rows[i]!] as const,
      );
      const mine = ranges.filter(([, from, to]) => to > from);
      return this.compareRange(`sharing/${part}`, mine, least);
    });
    let pairs = 0;
    let compared = 0;
    for await (const { part, rows: ofPart } of results) {
      found.push(part);
      compared += ofPart;
      pairs += part.count;
      this.run.progress(pairs, null, 'pairs');
    }
    for (const { name } of lists) store.delete(name);
    this.run.tables.give(SHARING_BYTES * rows);
    this.run.balance('pairs of ranges', rows, { compared });
    this.run.tables.take(`${pairs} candidate pairs`, SAMPLED_BYTES * pairs);
    return joined(found);
  }

  private async pairRange(bounds: readonly number[], f: number, documents: string) {
    const name = `lists/${f}`;
    const { report } = await this.run.task({
      stage: 'lists',
      label: `range ${f} of fingerprints`,
      params: {
        name,
        from: f === 0 ? 0 : bounds[f - 1]!,
        to: bounds[f]!,
        documents,
        blocks: this.blocks,
      },
      inputs: [documents, 'places', ...this.blocks],
    });
    const columns = decodeBlock(this.run.engine.store.get(name), 'pairs', name).columns as Record<
      string,
      Uint32Array
    >;
    const stored = { name, pairs: { a: columns.a!, b: columns.b!, count: columns.a!.length } };
    this.run.tables.take(`${columns.a!.length} pairs of a range`, SHARING_BYTES * columns.a!.length);
    return { stored, columns, report: report as unknown as ListsReport };
  }

  private async compareRange(
    name: string,
    lists: readonly (readonly [string, number, number])[],
    least: number,
  ): Promise<{ readonly part: AgreeingPairs; readonly rows: number }> {
    const { store } = this.run.engine;
    const { report } = await this.run.task({
      stage: 'sharing',
      label: `pairs ${lists[0]![1]}..${lists[0]![2]} of ${lists[0]![0]} and others`,
      params: { name, lists, blocks: this.blocks, least },
      inputs: [...lists.map(([list]) => list), 'places', 'unlisted', ...this.blocks],
    });
    const { a, b, agreement, accepted } = decodeBlock(store.get(name), 'pairs', name).columns;
    store.delete(name);
    const part = {
      a: a as Uint32Array,
      b: b as Uint32Array,
      count: a!.length,
      agreement: agreement as Float64Array,
      accepted: accepted as Uint8Array,
    };
    return { part, rows: (report as { readonly rows: number }).rows };
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

  /** Fingerprints of all documents, and the documents whose every fingerprint was eliminated. */
  private countEntries(documents: Uint32Array, eliminated: Uint32Array) {
    const { blockOf, columnOf } = this.corpus;
    const columns = this.columns().map(fingerprintsOf);
    let entries = 0;
    let documentsEliminated = 0;
    for (let i = 0; i < documents.length; i++) {
      const d = documents[i]!;
      const { offsets } = columns[blockOf[d]!]!;
      const size = offsets[columnOf[d]! + 1]! - offsets[columnOf[d]!]!;
      entries += size;
      if (size > 0 && size === eliminated[d]) documentsEliminated++;
    }
    return { entries, documentsEliminated };
  }
}

interface ListsReport {
  /** Pairs (fingerprint, document) of the range. */
  readonly entries: number;
  readonly lists: number;
  readonly eliminatedLists: number;
  readonly longestList: number;
  readonly skipped: number;
}

/** The rows of all parts, in their order. */
function joined(parts: readonly AgreeingPairs[]): AgreeingPairs {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const all = {
    a: new Uint32Array(count),
    b: new Uint32Array(count),
    count,
    agreement: new Float64Array(count),
    accepted: new Uint8Array(count),
  };
  let at = 0;
  for (const part of parts) {
    all.a.set(part.a, at);
    all.b.set(part.b, at);
    all.agreement.set(part.agreement, at);
    all.accepted.set(part.accepted, at);
    at += part.count;
  }
  return all;
}
