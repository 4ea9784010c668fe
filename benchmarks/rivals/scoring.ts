/**
 * Recall and precision of an answer against exact truth.
 *
 * Documents with the same words count as one: a tool that names all their pairs is not better for it than one that
 * names each with the first. True are the pairs of different texts, each by its first document, that resemble each
 * other by the threshold, and every document with the first of the same words.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Prepared } from './prepared.js';

/** `pairs`: two ids a line. `clusters`: a cluster and an id a line; a cluster stands for all pairs within. */
export type AnswerKind = 'pairs' | 'clusters';

export interface Score {
  /** Pairs that were reported, counted as truth is. */
  readonly pairs: number;
  readonly recall: number;
  readonly precision: number;
}

/** The pairs of different texts as one number each, and those of the same words. */
export interface Truth {
  readonly near: ReadonlySet<number>;
  readonly identical: number;
}

/** Pair of two positions, as firsts of their words; -1 where the words are the same. */
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
  if (position === undefined) throw new Error(`an answer names ${id}, which the input has not`);
  return position;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

async function scorePairs(
  prepared: Prepared,
  truth: Truth,
  rows: AsyncIterable<readonly string[]>,
): Promise<Score> {
  const near = new Set<number>();
  const members = new Set<number>();
  for await (const [one, other] of rows) {
    const [a, b] = [positionOf(prepared, one!), positionOf(prepared, other!)];
    const pair = pairOf(prepared, a, b);
    if (pair >= 0) near.add(pair);
    else if (prepared.firsts[a] === a && a !== b) members.add(b);
    else if (prepared.firsts[b] === b && a !== b) members.add(a);
  }
  let found = members.size;
  for (const pair of near) if (truth.near.has(pair)) found++;
  const pairs = near.size + members.size;
  return { pairs, recall: share(found, truth.near.size + truth.identical), precision: share(found, pairs) };
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
  let near = 0;
  for (const pair of truth.near) {
    if (together(Math.floor(pair / firsts.length), pair % firsts.length)) near++;
  }
  const sizes = new Map<string, number>();
  let members = 0;
  for (const [position, cluster] of clusterOf) {
    const first = firsts[position]!;
    if (first === position) sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1);
    else if (together(position, first)) members++;
  }
  let pairs = members;
  for (const size of sizes.values()) pairs += (size * (size - 1)) / 2;
  const found = near + members;
  return { pairs, recall: share(found, truth.near.size + truth.identical), precision: share(found, pairs) };
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
