/**
 * Tasks of a query (src/coordinator/query), which compares one or more bases with all documents: count words, then compare documents
 * with the bases.
 */

import { matches as matchesOf } from '../../../mappers/matches.js';
import { wordCounts as countsOf } from '../../../mappers/wordCounts.js';
import { elementsOf } from '../../analysis/methods/elementStreams.js';
import type { CorpusFacts, Matcher, MethodName, MethodParams } from '../../analysis/methods/method.js';
import { methodNamed } from '../../analysis/methods/table.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { TaskKind, Workplace } from '../task.js';
import { block, kernelOf, put, type ReadingTask, reading, scratchValue, setupOf } from '../workplace.js';

export interface WordCountsTask extends ReadingTask {
  readonly block: number;
  /** Whether all words are counted, not those of a list. */
  readonly isOfAll: boolean;
}

export interface WordCountsReport {
  readonly documents: number;
  readonly bytes: number;
}

/** Map: the documents of a source become, for each word, the number of documents with it. */
export const wordCounts: TaskKind<WordCountsTask, WordCountsReport> = {
  work(task, here) {
    const source = reading(here, task);
    const words = task.isOfAll
      ? null
      : (block(here, ONE.words, 'shingleCounts').columns.hashes as Uint32Array);
    const counted = countsOf(source.feed, kernelOf(here), words, setupOf(here).params.shingle);
    put(here, NAMES.wordCounts(task.block), counted.block);
    return { documents: counted.documents, bytes: counted.bytes };
  },
};

/** How documents are compared with bases; the same for all tasks of a query. */
export interface MatchWish {
  readonly method: MethodName;
  readonly params: MethodParams;
  readonly threshold: number;
  /** Number of best matches per base; null: all. */
  readonly most: number | null;
  /** Number of documents in the corpus, if the method weights words; else null. */
  readonly documents: number | null;
}

export interface MatchesTask extends ReadingTask {
  readonly block: number;
  readonly wish: MatchWish;
}

export interface MatchesReport {
  readonly documents: number;
  readonly repaired: number;
  readonly asText: number;
  /** Pairs of a base and a document that reach the threshold. */
  readonly matches: number;
  readonly lines: number;
  /** Bytes of text. */
  readonly bytes: number;
  /** Bases that no document can match. */
  readonly barren: readonly number[];
}

/** Map: the documents of a source become matches: those that share something with a base. */
export const matches: TaskKind<MatchesTask, MatchesReport> = {
  work(task, here) {
    const { wish } = task;
    const source = reading(here, task);
    const { matcher, own, barren } = matcherOf(here, wish);
    const method = methodNamed(wish.method);
    const rule = {
      measures: method.measures.length,
      threshold: wish.threshold,
      most: wish.most ?? Number.POSITIVE_INFINITY,
      own,
    };
    const result = matchesOf(source.feed, kernelOf(here), method.elements(wish.params), matcher, rule);
    const table = source.table(result.matches);
    put(here, NAMES.matches(task.block), table);
    return { ...result.counts, lines: table.meta.lines as number, barren };
  },
};

interface Prepared {
  readonly matcher: Matcher;
  /** See MatchRule. */
  readonly own: Int32Array;
  readonly barren: readonly number[];
}

/** The bases of a query, prepared once per worker. */
function matcherOf(here: Workplace, wish: MatchWish): Prepared {
  return scratchValue(here, 'matcher', () => {
    const { offsets, bytes, own } = block(here, ONE.bases, 'text').columns;
    const method = methodNamed(wish.method);
    const rule = method.elements(wish.params);
    const kernel = kernelOf(here);
    const bases = Array.from({ length: own!.length }, (_, base) =>
      elementsOf((bytes as Uint8Array).subarray(offsets![base]!, offsets![base + 1]!), rule, (params, sink) =>
        kernel.shingleStream(params, sink),
      ),
    );
    const matcher = method.prepare(bases, wish.params, factsOf(here, wish), wish.threshold);
    const without = bases.flatMap((elements, base) => (elements.length === 0 ? [base] : []));
    return { matcher, own: Int32Array.from(own as Float64Array), barren: matcher.barren ?? without };
  });
}

function factsOf(here: Workplace, { documents }: MatchWish): CorpusFacts | null {
  if (documents === null) return null;
  const columns = block(here, ONE.words, 'shingleCounts').columns;
  const { hashes, counts } = columns as Record<string, Uint32Array>;
  const table = new FingerprintTable();
  for (let i = 0; i < hashes!.length; i += 2) table.add(hashes![i]!, hashes![i + 1]!);
  return {
    documents,
    documentsWith(low, high) {
      const word = table.numberOf(low, high);
      return word < 0 ? 0 : counts![word]!;
    },
  };
}
