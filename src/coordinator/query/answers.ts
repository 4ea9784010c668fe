/**
 * The pipeline of a query over any source: weigh words, compare all documents with the bases, select, explain.
 *
 *      corpus --wordCounts-------> N, f_t         if the method weighs words: earlier readings
 *      corpus --matches----------> best matches   one reading; memory does not grow with the corpus
 *      matches --MatchTexts------> texts          with `distinct` or `explain` only: reads a few documents again, on this thread
 */

import { elementsOf, wordRule } from '../../analysis/methods/elementStreams.js';
import { methodNamed } from '../../analysis/methods/table.js';
import { ByteColumn, concatenated, grown } from '../../arrays/growable.js';
import { FingerprintTable } from '../../arrays/hashTable.js';
import { sortUnique64 } from '../../arrays/sort.js';
import { decodeBlock, encodeBlock } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import { unnamedFile } from '../../readers/list/fileTable.js';
import { LineNumbers } from '../../readers/split.js';
import type { MatchWish } from '../../tasks/kinds/matchTasks.js';
import { shingleSet } from '../../text/shingles.js';
import type { Run } from '../context.js';
import { inputsOf, ReadingProgress, type Source, type SourceBatch, splitParams } from '../sketch/source.js';
import { RepeatedSkips, refuseSkipped, type SkipList } from '../skips.js';
import { BestMatches, type Match } from './bestMatches.js';
import type { ResolvedQuery } from './checkQuery.js';
import { DistinctSets } from './distinctSets.js';
import { MatchTexts } from './matchTexts.js';
import { type Passage, sharedPassages } from './passages.js';

export interface Ask extends ResolvedQuery {
  readonly bases: readonly Uint8Array[];
  /** By base: the file of the corpus that is the base itself, and not an answer to it; -1: none. */
  readonly own: readonly number[];
}

/**
 * A match that is an answer.
 *
 * @internal not one of the library's types
 */
export interface ChosenMatch extends Match {
  /** Longest first; null if the document is gone or too large; absent without `explain`. */
  readonly passages?: readonly Passage[] | null;
}

export interface ReadCounts {
  readonly documents: number;
  /** Bytes of text. */
  readonly bytes: number;
  /** Documents in which invalid bytes were replaced by U+FFFD. */
  readonly repaired: number;
  /** Files of records without the text field, which were compared as texts. */
  readonly asText: number;
  /** Documents that reached the threshold for a base, counted once per base. */
  readonly matches: number;
  /** Bases that no document can match: they have no words, or too few for the method. */
  readonly barren: readonly number[];
}

/** An answer this similar to a better one repeats it: the default threshold of a run. */
const REPEATED = 0.8;

/**
 * Texts that are read again at once: first a few, which mostly suffice, then enough to avoid reading batches too often.
 */
const BATCH = 64;
const LARGE_BATCH = 2048;

/** Larger texts have no passages, because their words are kept as strings. Bytes. */
const MOST_EXPLAINED = 16 << 20;

/** Shortest passage, in words, if shingles are not words. */
const USUAL_PASSAGE = 5;

/** Whether a query reads documents a second time, so that streams must be kept. */
export function readsAgain({ method, distinct, explain }: ResolvedQuery): boolean {
  return distinct || explain || methodNamed(method).weighing !== 'none';
}

/**
 * The answers to the first base, best first, then those to the next one. `onCounts` is called with the counts of the
 * reading before the first answer.
 *
 * @internal not one of the library's types
 */
export async function* answersTo(
  run: Run,
  source: Source,
  ask: Ask,
  skipped: SkipList,
  onCounts: (read: ReadCounts) => void,
): AsyncGenerator<ChosenMatch> {
  putBases(run, ask);
  const documents = await weighedDocuments(run, source, ask);
  const { best, counts } = await run.stage('match', () => matchAll(run, source, ask, documents, skipped));
  onCounts(counts);
  const texts = new MatchTexts(run, source);
  for (let base = 0; base < ask.bases.length; base++) {
    const matches = best.best(base);
    const chosen = ask.distinct
      ? await run.stage('distinct', () => distinctMatches(run, texts, matches, ask))
      : matches;
    if (!ask.explain) yield* chosen;
    else yield* explained(run, texts, chosen, ask);
  }
}

function putBases(run: Run, { bases, own }: Ask): void {
  const bytes = new ByteColumn();
  const offsets = new Float64Array(bases.length + 1);
  bases.forEach((base, i) => {
    bytes.append(base);
    offsets[i + 1] = bytes.length;
  });
  const columns = { offsets, bytes: bytes.view, own: Float64Array.from(own) };
  run.put(ONE.bases, encodeBlock('text', {}, columns, true));
}

/**
 * Counts the documents in which words occur, and stores the counts in a block for the tasks. Takes about 40 bytes per
 * distinct word if all words are weighed.
 *
 * @returns the number of documents; null if the method does not weigh words
 */
async function weighedDocuments(run: Run, source: Source, ask: Ask): Promise<number | null> {
  const { weighing } = methodNamed(ask.method);
  if (weighing === 'none') return null;
  const isOfAll = weighing === 'all words';
  const list = isOfAll ? null : wordsOf(ask);
  if (list !== null) run.put(ONE.words, encodeBlock('shingleCounts', {}, { hashes: list }, true));
  const { documents, table, counts } = await run.stage('count', () => countWords(run, source, list));
  if (list !== null) run.engine.store.delete(ONE.words);
  // A missing word has a count of 1.
  const words = Uint32Array.from(counts.keys()).filter((word) => !isOfAll || counts[word]! > 1);
  const hashes = new Uint32Array(2 * words.length);
  words.forEach((word, i) => {
    hashes.set(table.keys.subarray(2 * word, 2 * word + 2), 2 * i);
  });
  const columns = { hashes, counts: words.map((word) => counts[word]!) };
  run.put(ONE.words, encodeBlock('shingleCounts', {}, columns, true));
  return documents;
}

/** The distinct words of all bases: hashes as pairs. */
function wordsOf({ bases, params }: Ask): Uint32Array {
  const rule = wordRule(params.shingle);
  const elements = concatenated(bases.map((base) => elementsOf(base, rule)));
  return elements.slice(0, 2 * sortUnique64(elements, elements.length / 2));
}

/** @param list the words that are counted; null: all */
async function countWords(run: Run, source: Source, list: Uint32Array | null) {
  const { store } = run.engine;
  const table = FingerprintTable.of(list ?? new Uint32Array(0));
  let counts = new Uint32Array(Math.max(table.size, 1024));
  const progress = new ReadingProgress(run, source);
  let documents = 0;
  const results = run.each(source.first(), async (block) => {
    const inputs = list === null ? inputsOf(block) : inputsOf(block, ONE.words);
    const params = { ...splitParams(block), isOfAll: list === null };
    const task = { kind: 'wordCounts', label: block.label, params, inputs } as const;
    return { block, report: await run.withText(block, () => run.task(task)) };
  });
  for await (const { block, report } of results) {
    const name = NAMES.wordCounts(block.block);
    const { columns } = decodeBlock(store.get(name), 'shingleCounts', name);
    const [hashes, counted] = [columns.hashes, columns.documents!];
    for (let i = 0; i < counted.length; i++) {
      const word = hashes === undefined ? i : table.add(hashes[2 * i]!, hashes[2 * i + 1]!);
      if (word === counts.length) counts = grown(counts);
      counts[word]! += counted[i]!;
    }
    store.delete(name);
    documents += report.documents;
    progress.add(report.bytes);
  }
  return { documents, table, counts: counts.subarray(0, table.size) };
}

/**
 * Compares all documents with the bases, batch by batch in order.
 *
 * @throws MinHashError INPUT_REFUSED with --on-error fail
 */
async function matchAll(
  run: Run,
  source: Source,
  ask: Ask,
  documents: number | null,
  skipped: SkipList,
): Promise<{ readonly best: BestMatches; readonly counts: ReadCounts }> {
  // With `distinct` some answers are skipped, so the number needed is not known.
  const most = ask.distinct ? null : ask.top;
  const { method, methodParams, threshold } = ask;
  const matchWish: MatchWish = { method, params: methodParams, threshold, most, documents };
  const shared = documents === null ? [ONE.bases] : [ONE.bases, ONE.words];
  const files = source.input?.files ?? unnamedFile();
  const best = new BestMatches(ask.bases.length, most ?? Number.POSITIVE_INFINITY, files);
  const skips = new RepeatedSkips(files, skipped, false);
  const lines = new LineNumbers();
  const progress = new ReadingProgress(run, source);
  let counts: ReadCounts = { documents: 0, bytes: 0, repaired: 0, asText: 0, matches: 0, barren: [] };
  const work = async (block: SourceBatch) => {
    const params = { ...splitParams(block), wish: matchWish };
    const task = { kind: 'matches', label: block.label, params, inputs: inputsOf(block, ...shared) } as const;
    return { block, report: await run.withText(block, () => run.task(task)) };
  };
  for await (const { block, report } of run.each(source.first(), work)) {
    const name = NAMES.matches(block.block);
    const matchBlock = decodeBlock(run.engine.store.get(name), 'matches', name);
    const firstLine = lines.firstOf(block.split, report.lines);
    best.add(matchBlock, block, firstLine);
    skips.add(matchBlock, firstLine);
    run.engine.store.delete(name);
    refuseSkipped(run.params, skipped);
    counts = {
      documents: counts.documents + report.documents,
      bytes: counts.bytes + report.bytes,
      repaired: counts.repaired + report.repaired,
      asText: counts.asText + report.asText,
      matches: counts.matches + report.matches,
      barren: report.barren,
    };
    progress.add(report.bytes);
  }
  source.nameProblems(skipped);
  refuseSkipped(run.params, skipped);
  return { best, counts };
}

/** Best first. A match is skipped if it resembles a better answer. */
async function distinctMatches(
  run: Run,
  texts: MatchTexts,
  matches: readonly Match[],
  { params, top }: Ask,
): Promise<Match[]> {
  const kept: Match[] = [];
  const sets = new DistinctSets(REPEATED);
  const most = top ?? Number.POSITIVE_INFINITY;
  for (let from = 0, batch = BATCH; from < matches.length && kept.length < most; ) {
    const candidates = matches.slice(from, from + batch);
    const found = await texts.of(candidates);
    for (const [i, match] of candidates.entries()) {
      const text = found[i] ?? null;
      if (text === null || kept.length >= most) continue;
      if (sets.add(shingleSet(text, params.shingle))) kept.push(match);
    }
    from += candidates.length;
    batch = Math.min(2 * batch, LARGE_BATCH);
    run.progress(from, matches.length, 'matches');
  }
  return kept;
}

async function* explained(
  run: Run,
  texts: MatchTexts,
  matches: readonly Match[],
  { bases, params }: Ask,
): AsyncGenerator<ChosenMatch> {
  const { unit, size, normalize } = params.shingle;
  const least = unit === 'words' ? size : USUAL_PASSAGE;
  for (let from = 0; from < matches.length; from += BATCH) {
    const batch = matches.slice(from, from + BATCH);
    const batchTexts = await run.stage('explain', () => texts.of(batch));
    for (const [i, match] of batch.entries()) {
      const base = bases[match.base]!;
      const text = batchTexts[i] ?? null;
      const isShown = text !== null && Math.max(base.length, text.length) <= MOST_EXPLAINED;
      yield { ...match, passages: isShown ? sharedPassages(base, text, least, normalize) : null };
    }
  }
}
