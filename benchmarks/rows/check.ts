/** Whether the pairs of a result over ratings are those that the ratings give. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bagSimilarity } from '../../src/index.js';
import { COPY_EVERY, type Ratings } from './lines.js';

/** Pairs whose resemblance is counted anew. */
const SAMPLE = 500;
/** Near copies keep 95 % of the ratings: far above the threshold, nearly none may be missing. */
const LEAST_FOUND = 0.99;

/** What is wrong with the near pairs of a result by stars; empty when they hold. */
export function ratingProblems(out: string, pairs: number, all: Ratings, threshold: number): string[] {
  const rows = readdirSync(join(out, 'pairs'))
    .sort()
    .flatMap((part) =>
      readFileSync(join(out, 'pairs', part), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split('\t')),
    );
  const near = rows.filter((row) => row[6] === 'near');
  const problems: string[] = [];
  if (near.length !== pairs) problems.push(`${near.length} rows of ${pairs} pairs`);
  const bags = bagsOf(all);
  const step = Math.max(1, Math.floor(near.length / SAMPLE));
  for (let i = 0; i < near.length; i += step) {
    const [a, b, jaccard] = near[i]!;
    const truth = bagSimilarity(bags.get(a!)!, bags.get(b!)!).maxUnion;
    if (truth.toFixed(6) !== jaccard || truth < threshold)
      problems.push(`${a} and ${b}: ${jaccard}, in truth ${truth}`);
  }
  const found = new Set(rows.map(([a, b]) => `${a} ${b}`));
  let copies = 0;
  let missing = 0;
  for (let user = 1; bags.has(`user${user}`); user += COPY_EVERY) {
    const [a, b] = [`user${user - 1}`, `user${user}`].sort() as [string, string];
    if (bagSimilarity(bags.get(a)!, bags.get(b)!).maxUnion < 0.8) continue;
    copies++;
    if (!found.has(`${a} ${b}`)) missing++;
  }
  if (missing > (1 - LEAST_FOUND) * copies) problems.push(`${missing} of ${copies} near copies are missing`);
  return problems;
}

/** Items by user, as often as they have stars. */
function bagsOf({ user, item, stars }: Ratings): Map<string, number[]> {
  const bags = new Map<string, number[]>();
  for (let i = 0; i < user.length; i++) {
    const name = `user${user[i]}`;
    const bag = bags.get(name) ?? [];
    bags.set(name, bag);
    for (let n = 0; n < stars[i]!; n++) bag.push(item[i]!);
  }
  return bags;
}
