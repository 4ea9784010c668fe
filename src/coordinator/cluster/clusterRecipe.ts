/**
 * The recipe of a run on an engine that sorts: the order of its jobs.
 *
 * Its result equals that of worker threads: the same mappers and reducers work on records that the engine brings together. The
 * recipe holds no table with an entry a document or a pair: it reads facts of jobs, and at the end streams the rows of the result.
 */
import { MOST_NODES } from '../../../reducers/streamed/components.js';
import { BucketSizes, leastHotBucket } from '../../sketch/hotBuckets.js';
import type { ResultParams } from '../../sketch/params.js';
import { PAIRS_UP_TO } from '../../tasks/stages/bucketStages.js';
import { hasGroups } from '../../tasks/stream/crossing.js';
import { PAIRED } from '../../tasks/stream/pairedBits.js';
import { classedCorpus, type FoundCorpus, gatherFacts, type NamedCorpus } from './corpusFacts.js';
import { type HotOutcome, hotRounds } from './hot/hotRounds.js';
import type { RoundSteps } from './hot/steps.js';
import type { JobDone, Jobs } from './jobs.js';
import { pairedFile, wantedFiles } from './wantedFile.js';

/** The outcome of all jobs: names of datasets, and facts. */
export interface ClusterOutcome {
  readonly corpus: NamedCorpus;
  /** The ordered dataset that the result is written from. */
  readonly result: string;
  /** Most documents of a bucket that was paired all with all; null: there were no buckets. */
  readonly hotBucket: number | null;
  /** Null: no bucket was hot. */
  readonly hot: HotOutcome | null;
  /** The job that made the drop list; its sums have the documents dropped at higher thresholds. */
  readonly drops: JobDone;
  /** The job before `drops`; its sums have the pairs of protected documents. */
  readonly steps: JobDone;
}

/** Settings of the recipe beside the parameters. */
export interface ClusterForm {
  /** Components are found by stars, however few documents there are. */
  readonly byStars: boolean;
  /** Called with the facts of the corpus, before documents get names. An error it throws ends the run. */
  onCorpus?(corpus: FoundCorpus): void;
  /** Called when documents have names, before they are compared. An error it throws ends the run. */
  onNamed?(corpus: NamedCorpus): void;
}

/** The settings, once the documents are counted. */
interface CountedForm extends ClusterForm {
  readonly documents: number;
}

/** Runs all jobs. @throws MinHashError what jobs throw, and NOTHING_READ */
export async function clusterRecipe(
  jobs: Jobs,
  params: ResultParams,
  form: ClusterForm,
): Promise<ClusterOutcome> {
  const sketched = await jobs.run('sketch', []);
  const read = await gatherFacts(jobs, sketched);
  form.onCorpus?.(read);
  const { corpus, ...classes } = await classedCorpus(jobs, sketched, read);
  form.onNamed?.(corpus);
  const steps = stepsOf(jobs, params, classes.name, { ...form, documents: corpus.documents });
  const found = params.exactDuplicates ? NOTHING_COMPARED : await comparedPairs(steps, classes.name);
  const { evidence, hotBucket, hot } = found;
  const { steps: stepped, drops } = hot?.survivors ?? (await steps.survivors('all', evidence));
  const clusters = await similarities(
    jobs,
    { classes: classes.name, documents: corpus.documents },
    stepped.name,
    evidence,
  );
  const rows = hasGroups(params) ? [(await jobs.run('identicalRows', [classes.name])).name] : [];
  const tables = [classes.name, drops.name, clusters, ...evidence, ...rows];
  const second = await jobs.run('secondIds', tables);
  const result = await jobs.run('resultRows', [classes.name, second.name], { ordered: true });
  return { corpus, result: result.name, hotBucket, hot, drops, steps: stepped };
}

interface FoundPairs extends Pick<ClusterOutcome, 'hotBucket' | 'hot'> {
  /** Datasets of the candidate pairs of the run with their evidence. */
  readonly evidence: readonly string[];
}

/** The pairs where the run looks for documents with the same tokens only. */
const NOTHING_COMPARED: FoundPairs = { evidence: [], hotBucket: null, hot: null };

async function comparedPairs(steps: RoundSteps, classes: string): Promise<FoundPairs> {
  const { jobs, params } = steps;
  const bands = await jobs.run('bands', [classes]);
  const large = await largeBuckets(jobs, params, bands);
  const { hotBucket } = large;
  const isHot = (large.told.sums['hot buckets'] ?? 0) > 0;
  const crowded = isHot ? await hotBuckets(steps, large.told.name) : NO_BUCKETS;
  const made = await steps.compare('candidates', [...large.pairs, ...crowded.pairs], []);
  const hot = isHot ? await hotRounds(steps, crowded.members, made) : null;
  return { evidence: hot?.evidence ?? made.names, hotBucket, hot };
}

/**
 * `hotBucket`: most documents of a bucket that is not hot; `pairs`: the datasets of the pairs of those buckets; `told`: the job
 * whose output has the hot buckets.
 */
async function largeBuckets(
  jobs: Jobs,
  params: ResultParams,
  bands: JobDone,
): Promise<{ readonly hotBucket: number; readonly pairs: readonly string[]; readonly told: JobDone }> {
  const { sums } = bands;
  const least = leastHotBucket(params.hotBucket);
  if (params.hotBucket !== 'auto' || (sums['hot buckets'] ?? 0) === 0)
    return { hotBucket: least, pairs: [bands.name], told: bands };
  const sizes = new BucketSizes();
  sizes.add(least, sums['pairs of small buckets'] ?? 0);
  for (const [name, pairs] of Object.entries(sums))
    if (name.startsWith(PAIRS_UP_TO)) sizes.add(Number(name.slice(PAIRS_UP_TO.length)), pairs);
  const hotBucket = sizes.hotBucket(sums.documents ?? 0);
  if (hotBucket === least) return { hotBucket, pairs: [bands.name], told: bands };
  jobs.learn({ hotBucket });
  const large = await jobs.run('largeBuckets', [bands.name]);
  return { hotBucket, pairs: [bands.name, large.name], told: large };
}

/** Datasets of the first pairs of hot buckets, and of the members and heads of hot buckets. */
interface CrowdedBuckets {
  readonly pairs: readonly string[];
  readonly members: readonly string[];
}

const NO_BUCKETS: CrowdedBuckets = { pairs: [], members: [] };

/** @param bands the dataset with the members of hot buckets; where documents have groups, with their heads, too */
async function hotBuckets({ jobs, params, classes }: RoundSteps, bands: string): Promise<CrowdedBuckets> {
  const members = await jobs.run('hotMembers', [classes, bands]);
  if (hasGroups(params)) {
    const { name } = await jobs.run('hotPairs', [members.name, bands]);
    return { pairs: [name], members: [name, bands] };
  }
  const pairs = await jobs.run('hotPairs', [members.name]);
  const firsts = await jobs.run('hotFirsts', [pairs.name]);
  return { pairs: [pairs.name, firsts.name], members: [pairs.name] };
}

export function stepsOf(jobs: Jobs, params: ResultParams, classes: string, form: CountedForm): RoundSteps {
  const agree: RoundSteps['agree'] = async (label, pairs, known) => {
    const asked = known.length > 0 ? Number.NaN : jobs.sumOf(pairs, 'pairs told');
    return agreements(jobs, label, { classes, pairs, known, asked, documents: form.documents });
  };
  const verify: RoundSteps['verify'] = async (label, compared) => {
    if (params.verify !== 'exact') return { names: [compared] };
    return { names: [compared, ...(await exactly(jobs, label, compared))] };
  };
  const compare: RoundSteps['compare'] = async (label, pairs, known) =>
    verify(label, await agree(label, pairs, known));
  const survivors: RoundSteps['survivors'] = async (label, evidence) => {
    const labels = evidence.length === 0 ? [] : [await componentLabels(jobs, label, evidence, form)];
    const { hasOrder } = jobs.shared;
    const isCross = hasGroups(params);
    const pairs = hasOrder ? [(await jobs.run('leads', [classes, ...evidence], { label })).name] : evidence;
    const steps = await jobs.run(isCross ? 'crossSteps' : 'steps', [classes, ...labels, ...pairs], { label });
    const drops = await jobs.run(isCross ? 'crossDrops' : 'drops', [steps.name], { label });
    return { steps, drops };
  };
  return { jobs, params, classes, agree, verify, compare, survivors };
}

/** Pairs whose signatures are compared. */
interface AskedPairs {
  /** The dataset with the signatures. */
  readonly classes: string;
  readonly pairs: readonly string[];
  readonly known: readonly string[];
  /** The number of pairs; NaN: unknown. */
  readonly asked: number;
  readonly documents: number;
}

/** Pairs per document: from this share on, nearly all signatures are needed anyway. */
const MOST_ASKED = 1 / 8;

/**
 * Compares the signatures of pairs. Where few documents are in pairs, a side file names them, and jobs send no other
 * signature.
 */
async function agreements(
  jobs: Jobs,
  label: string,
  { classes, pairs, known, asked, documents }: AskedPairs,
): Promise<string> {
  const { sides } = jobs.tables;
  if (asked <= MOST_ASKED * documents) {
    const side = await jobs.engine.side(`paired-${label}`, await pairedFile(jobs, pairs, asked));
    jobs.learn({ sides: { ...sides, [PAIRED]: side } });
  }
  const lefts = await jobs.run('leftSignatures', [classes, ...pairs, ...known], { label });
  const rights = await jobs.run('rightSignatures', [classes, lefts.name], { label });
  // Later jobs do without this side file.
  jobs.learn({ sides });
  return rights.name;
}

/** Reads the texts of pairs above the margin again, and compares their sets of shingles. */
async function exactly(jobs: Jobs, label: string, compared: string): Promise<readonly string[]> {
  const wanted = await jobs.run('wanted', [compared], { label });
  const count = wanted.sums['wanted documents'] ?? 0;
  if (count === 0) return [];
  const { sides } = jobs.tables;
  const asked: Record<string, string> = {};
  for (const [name, bytes] of Object.entries(await wantedFiles(jobs, wanted.name, count)))
    asked[name] = await jobs.engine.side(`${name}-${label}`, bytes);
  jobs.learn({ sides: { ...sides, ...asked } });
  const sets = await jobs.run('sets', [], { label });
  // Later jobs do without these side files.
  jobs.learn({ sides });
  const lefts = await jobs.run('leftSets', [sets.name, compared], { label });
  return [(await jobs.run('rightSets', [sets.name, lefts.name], { label })).name];
}

/** The components of accepted pairs: a dataset of labels. Where there are too many documents for one task, stars find them. */
async function componentLabels(
  jobs: Jobs,
  label: string,
  evidence: readonly string[],
  { byStars, documents }: CountedForm,
): Promise<string> {
  const edges = byStars || documents > MOST_NODES ? await jobs.run('starEdges', evidence, { label }) : null;
  if (edges === null) return (await jobs.run('components', evidence, { label, reducers: 'one' })).name;
  return (await starComponents(jobs, label, edges)).name;
}

/** More rounds of stars than any corpus has needed so far; a path of 131,072 documents takes 18. */
const MOST_STAR_ROUNDS = 30;

/** Alternating large and small stars, until neither changes an edge (Kiveris et al. 2014). */
async function starComponents(jobs: Jobs, label: string, edges: JobDone): Promise<JobDone> {
  let current = edges;
  for (let round = 1; round <= MOST_STAR_ROUNDS; round++) {
    const large = await jobs.run('largeStar', [current.name], { label: `${label}-${round}` });
    const small = await jobs.run('smallStar', [large.name], { label: `${label}-${round}` });
    current = small;
    if ((large.sums.changed ?? 0) + (small.sums.changed ?? 0) === 0) {
      return jobs.run('starLabels', [current.name], { label });
    }
  }
  throw new Error(`components are not found after ${MOST_STAR_ROUNDS} rounds: our own defect`);
}

/** The rows of clusters. A member that is in no candidate pair with its representative is compared with it. */
async function similarities(
  jobs: Jobs,
  corpus: { readonly classes: string; readonly documents: number },
  steps: string,
  evidence: readonly string[],
): Promise<string> {
  const pairs = await jobs.run('representatives', [steps, ...evidence]);
  const compared: string[] = [];
  const asked = pairs.sums['pairs asked'] ?? 0;
  if (asked > 0) {
    const wish = { ...corpus, pairs: [pairs.name], known: [], asked };
    compared.push(await agreements(jobs, 'similarities', wish));
  }
  return (await jobs.run('clusterRows', [steps, pairs.name, ...compared])).name;
}
