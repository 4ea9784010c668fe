/**
 * The jobs that pair documents by samples of fingerprints: src/coordinator/pair/samplePairs.ts for engines that sort.
 *
 * The jobs of frequent fingerprints run only where there are some; src/tasks/stages/samples/frequentStages.ts lists them.
 */
import { leastHotBucket } from '../../sketch/hotBuckets.js';
import { type FoundPairs, hotRounds } from './hot/hotRounds.js';
import { type JobDone, type Jobs, sumOf } from './jobs.js';
import type { RoundSteps } from './roundSteps.js';

/** How the frequent fingerprints are used: names of datasets. */
interface FrequentUse {
  /** The samples without them. */
  readonly samples: string;
  /** The pairs that they make, as `met`. */
  readonly met: readonly string[];
  /** The documents of hot ones; null: none is hot. */
  readonly hot: string | null;
}

export async function pairsOfSamples(steps: RoundSteps): Promise<FoundPairs> {
  const { jobs, params, signatures } = steps;
  const counted = await jobs.run('fingerprints', [signatures]);
  const isAny = sumOf(counted, 'frequent fingerprints') > 0;
  const none: FrequentUse = { samples: signatures, met: [], hot: null };
  const frequent = isAny ? await frequentUse(steps, counted) : none;
  // The counts of `fingerprints` go on with its output.
  const lists = await jobs.run('lists', [frequent.samples, counted.name]);
  const shared = await jobs.run('sharedPairs', [lists.name, ...frequent.met]);
  const hotBucket = leastHotBucket(params.hotBucket);
  if (frequent.hot === null) {
    const evidence = await steps.compare('candidates', [shared.name], []);
    return { evidence, hotBucket, hot: null, unlisted: null };
  }
  const first = await jobs.run('memberPairs', [frequent.hot], { label: 'round-1' });
  const made = await steps.compare('candidates', [shared.name, first.name], []);
  const hot = await hotRounds(steps, [first.name], made);
  return { evidence: hot.evidence, hotBucket, hot, unlisted: null };
}

async function frequentUse(
  { jobs, params, withdrawing, signatures }: RoundSteps,
  counted: JobDone,
): Promise<FrequentUse> {
  jobs.learn({ compared: sumOf(counted, 'documents') });
  const holders = await jobs.run('holders', [counted.name]);
  const reliance = await jobs.run('reliance', [
    ...new Set([...withdrawing.classed.documents, signatures, holders.name]),
  ]);
  const relying = await jobs.run('relying', [reliance.name]);
  const found = { samples: reliance.name, met: [relying.name], hot: null };
  if (sumOf(relying, 'large lists') === 0) return found;
  const full = await jobs.run('fullLists', [relying.name], { reducers: 'one' });
  const pairs = await jobs.run('fullPairs', [relying.name, full.name]);
  const met = [relying.name, pairs.name];
  if (sumOf(full, 'hot lists') === 0) return { ...found, met };
  const chosen = await jobs.run('chosen', [pairs.name]);
  return { ...found, met, hot: await hotMembers(jobs, params.measure, chosen, pairs) };
}

/** The documents of hot fingerprints; by containment also those that do not rely on them. */
async function hotMembers(
  jobs: Jobs,
  measure: RoundSteps['params']['measure'],
  chosen: JobDone,
  pairs: JobDone,
): Promise<string> {
  if (measure === 'resemblance') return chosen.name;
  return (await jobs.run('hotHolders', [chosen.name, pairs.name])).name;
}
