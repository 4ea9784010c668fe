/**
 * Recall and precision of an answer against exact truth.
 *
 * Documents with the same words count as one, so reporting all their pairs is not better than reporting each with the
 * first. True pairs are pairs of first documents whose similarity reaches the threshold, and every document with the
 * first one of the same words. If truth is known for a sample of documents only, a pair counts if it has one of them.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Prepared } from './prepared.js';

/** `pairs`: two ids per line. `clusters`: a cluster and an id per line; every pair of a cluster counts. */
export type AnswerKind = 'pairs' | 'clusters';

export interface Score {
  /** Number of reported pairs; of documents with the same words only the first counts. */
  readonly pairs: number;
  /** Number of true pairs among those whose truth is known. */
  readonly found: number;
  readonly recall: number;
  readonly precision: number;
}

/** The pairs of different texts, each as one number, and those of the same words. */
export interface Truth {
  readonly near: ReadonlySet<number>;
  readonly identical: number;
  /** First documents all of whose pairs are known; null: all. */
  readonly sample: ReadonlySet<number> | null;
}

function isKnown({ sample }: Truth, first: number, second: number): boolean {
  return sample === null || sample.has(first) || sample.has(second);
}

/** The pair of two positions, by the first documents with their words; -1 if the words are the same. */
export function pairOf({ firsts }: Prepared, a: number, b: number): number {
  const [first, second] = [firsts[a]!, firsts[b]!];
  if (first === second) return -1;
  return Math.min(first, second) * firsts.length + Math.max(first, second);
}

/** The lines of an answer as fields. */
export async function* rowsOf(file: string): AsyncGenerator<readonly [string, string]> {
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [first, second] = line.split('\t') as [string, string];
    yield [first, second];
  }
}

function positionOf({ positions }: Prepared, id: string): number {
  const position = positions.get(id);
  if (position === undefined) throw new Error(`an answer has the id ${id}, which is not in the input`);
  return position;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

function scoreOf(truth: Truth, pairs: number, known: number, found: number): Score {
  const recall = share(found, truth.near.size + truth.identical);
  return { pairs, found, recall, precision: share(found, known) };
}

async function scorePairs(
  prepared: Prepared,
  truth: Truth,
  rows: AsyncIterable<readonly string[]>,
): Promise<Score> {
  const { firsts } = prepared;
  const near = new Set<number>();
  const members = new Set<number>();
  for await (const [one, other] of rows) {
    const [a, b] = [positionOf(prepared, one!), positionOf(prepared, other!)];
    const pair = pairOf(prepared, a, b);
    if (pair >= 0) near.add(pair);
    else if (firsts[a] === a && a !== b) members.add(b);
    else if (firsts[b] === b && a !== b) members.add(a);
  }
  let found = 0;
  for (const member of members) if (isKnown(truth, firsts[member]!, member)) found++;
  let known = found;
  for (const pair of near) {
    if (truth.near.has(pair)) found++;
    if (isKnown(truth, Math.floor(pair / firsts.length), pair % firsts.length)) known++;
  }
  return scoreOf(truth, near.size + members.size, known, found);
}

/** The number of pairs of `count` elements. */
function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}

async function scoreClusters(
  prepared: Prepared,
  truth: Truth,
  rows: AsyncIterable<readonly string[]>,
): Promise<Score> {
  const { firsts } = prepared;
  const clusterOf = new Map<number, string>();
  for await (const [cluster, id] of rows) clusterOf.set(positionOf(prepared, id!), cluster!);
  const together = (a: number, b: number): boolean =>
    clusterOf.has(a) && clusterOf.get(a) === clusterOf.get(b);
  let found = 0;
  for (const pair of truth.near) {
    if (together(Math.floor(pair / firsts.length), pair % firsts.length)) found++;
  }
  const sizes = new Map<string, { all: number; unknown: number }>();
  let [pairs, known] = [0, 0];
  for (const [position, cluster] of clusterOf) {
    const first = firsts[position]!;
    const isIn = isKnown(truth, first, first);
    if (first === position) {
      const { all, unknown } = sizes.get(cluster) ?? { all: 0, unknown: 0 };
      sizes.set(cluster, { all: all + 1, unknown: unknown + (isIn ? 0 : 1) });
    } else if (together(position, first)) {
      pairs++;
      if (isIn) {
        known++;
        found++;
      }
    }
  }
  for (const { all, unknown } of sizes.values()) {
    pairs += pairsOf(all);
    known += pairsOf(all) - pairsOf(unknown);
  }
  return scoreOf(truth, pairs, known, found);
}

/** Scores an answer by its rows. */
export function score(
  prepared: Prepared,
  truth: Truth,
  kind: AnswerKind,
  rows: AsyncIterable<readonly string[]>,
): Promise<Score> {
  return kind === 'pairs' ? scorePairs(prepared, truth, rows) : scoreClusters(prepared, truth, rows);
}
