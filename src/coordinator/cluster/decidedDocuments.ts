/** The documents that decisions name, found among those of a run on an engine that sorts by the job `decided`. */
import { DecidedIds, decidedPairs, TIERS } from '../../output/decidedIds.js';
import { KIND, KINDS } from '../../tasks/stream/kinds.js';
import { u32At, u64At } from '../../tasks/stream/records.js';
import type { ClassedCorpus } from './corpusFacts.js';
import type { Jobs } from './jobs.js';

export interface DecidedDocuments {
  /** Whether some document comes before or behind all others. */
  readonly isMoved: boolean;
  /** The ranks of documents that were decided to go. */
  readonly toGo: ReadonlySet<number>;
  /** Decisions that name a document that is not in the input. */
  readonly unknown: number;
}

/** Runs the job, and tells later jobs which documents are told apart. Memory: an entry a decision. */
export async function decidedDocuments(
  jobs: Jobs,
  { name: classes, documents }: ClassedCorpus,
): Promise<DecidedDocuments> {
  const { decisions = [] } = jobs.manifest.params;
  const decided = new DecidedIds(decisions);
  const { name } = await jobs.run('decided', [...documents, classes]);
  const [numbers, firsts] = [new Map<string, number>(), new Map<number, number>()];
  const toGo = new Set<number>();
  let isMoved = false;
  await jobs.each(name, KINDS.decided, (key, value) => {
    const rank = u64At(key, KIND);
    const id = u32At(value, 0);
    numbers.set(decided.ids[id]!, rank);
    firsts.set(rank, u64At(value, 4));
    const tier = decided.tierOf(id, value[12] === 1);
    if (tier !== TIERS.between) isMoved = true;
    if (tier === TIERS.last) toGo.add(rank);
  });
  const { apart, unknown } = decidedPairs(decisions, numbers);
  if (apart.length > 0)
    jobs.learn({
      apart: apart.map(([earlier, later]) => ({
        ranks: [earlier, later],
        firsts: [firsts.get(earlier)!, firsts.get(later)!],
      })),
    });
  return { isMoved, toGo, unknown };
}
