/**
 * The recipe of a run on an engine that sorts: the order of its jobs.
 *
 * Its result equals that of worker threads: the same mappers and reducers work on records that the engine brings together. The
 * recipe holds no table with an entry a document or a pair: it reads facts of jobs, and at the end streams the rows of the result.
 */
import { MOST_NODES } from '../../../reducers/streamed/components.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { BucketSizes, LISTED } from '../../sketch/hotBuckets.js';
import type { ResultParams } from '../../sketch/params.js';
import { CROWD_MEMBERS, HOT_BUCKETS, PAIRS_UP_TO } from '../../tasks/stages/bucketStages.js';
import { HOT_MEMBERS, LARGE_MEMBERS, unlistedOf } from '../../tasks/stages/largeStages.js';
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
  /** By number of matching slots: the candidate pairs that are only counted; null: there are none. */
  readonly unlisted: Float64Array | null;
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
  const found = params.exactDuplicates
    ? NOTHING_COMPARED
    : await comparedPairs(steps, classes.name, corpus.documents);
  const { evidence, hotBucket, hot, unlisted } = found;
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
  return { corpus, result: result.name, hotBucket, hot, unlisted, drops, steps: stepped };
}

interface FoundPairs extends Pick<ClusterOutcome, 'hotBucket' | 'hot' | 'unlisted'> {
  /** Datasets of the candidate pairs of the run with their evidence. */
  readonly evidence: readonly string[];
}

/** The pairs where the run looks for documents with the same tokens only. */
const NOTHING_COMPARED: FoundPairs = { evidence: [], hotBucket: null, hot: null, unlisted: null };

async function comparedPairs(steps: RoundSteps, classes: string, documents: number): Promise<FoundPairs> {
  const { jobs, params } = steps;
  const bands = await jobs.run('bands', [classes]);
  const hotBucket = hotBucketOf(params, bands);
  jobs.learn({ hotBucket });
  const { large, hot } = await crowdedBuckets(steps, bands, documents);
  const compared = large === null ? [] : [large.name];
  const made = await steps.compare('candidates', [bands.name, ...hot.pairs], [], compared);
  const rounds = hot.isHot ? await hotRounds(steps, hot.members, made) : null;
  const unlisted = large === null ? null : unlistedOf(large.sums, sketchFamilyOf(params).units);
  return { evidence: rounds?.evidence ?? made.names, hotBucket, hot: rounds, unlisted };
}

/** Most documents of a bucket that is not hot. */
function hotBucketOf({ hotBucket }: ResultParams, { sums }: JobDone): number {
  if (hotBucket !== 'auto') return hotBucket;
  const sizes = new BucketSizes();
  sizes.add(LISTED, sums['pairs of small buckets'] ?? 0);
  for (const [name, pairs] of Object.entries(sums))
    if (name.startsWith(PAIRS_UP_TO)) sizes.add(Number(name.slice(PAIRS_UP_TO.length)), pairs);
  return sizes.hotBucket(sums.documents ?? 0);
}

/** What comes of the buckets whose pairs `bands` does not list. */
interface CrowdedBuckets {
  /** The job that compared the members of large buckets; null: there are none. */
  readonly large: JobDone | null;
  /** Hot buckets: datasets of their first pairs, and of their members and heads. */
  readonly hot: {
    readonly isHot: boolean;
    readonly pairs: readonly string[];
    readonly members: readonly string[];
  };
}

const NOT_HOT: CrowdedBuckets['hot'] = { isHot: false, pairs: [], members: [] };

async function crowdedBuckets(
  { jobs, params, classes }: RoundSteps,
  bands: JobDone,
  documents: number,
): Promise<CrowdedBuckets> {
  const asked = bands.sums[CROWD_MEMBERS] ?? 0;
  if (asked === 0) return { large: null, hot: NOT_HOT };
  const members = await withPaired(jobs, 'bucketMembers', { pairs: [bands.name], asked, documents }, () =>
    jobs.run('bucketMembers', [classes, bands.name]),
  );
  const { sums } = members;
  const large = (sums[LARGE_MEMBERS] ?? 0) === 0 ? null : await jobs.run('largePairs', [members.name]);
  if ((sums[HOT_MEMBERS] ?? 0) === 0) return { large, hot: NOT_HOT };
  const heads = hasGroups(params) ? [bands.name] : [];
  const pairs = await jobs.run('hotPairs', [members.name, ...heads]);
  // With groups, `hotPairs` makes the pairs with first members, too; and a bucket of a single group is not hot.
  const isHot = (pairs.sums[HOT_BUCKETS] ?? 0) > 0;
  const firsts = hasGroups(params) ? [] : [(await jobs.run('hotFirsts', [pairs.name])).name];
  return { large, hot: { isHot, pairs: [pairs.name, ...firsts], members: [pairs.name] } };
}

export function stepsOf(jobs: Jobs, params: ResultParams, classes: string, form: CountedForm): RoundSteps {
  const agree: RoundSteps['agree'] = async (label, pairs, known) => {
    const asked = 2 * jobs.sumOf(pairs, 'pairs told');
    return agreements(jobs, label, { classes, pairs, known, asked, documents: form.documents });
  };
  const verify: RoundSteps['verify'] = async (label, compared) => {
    if (params.verify !== 'exact') return { names: compared };
    return { names: [...compared, ...(await exactly(jobs, label, compared))] };
  };
  const compare: RoundSteps['compare'] = async (label, pairs, known, made = []) =>
    verify(label, [await agree(label, pairs, [...known, ...made]), ...made]);
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

/** Documents whose signatures are needed. */
interface AskedDocuments {
  /** Datasets of the pairs, or of the members of buckets. */
  readonly pairs: readonly string[];
  /** At most so many documents; NaN: unknown. */
  readonly asked: number;
  readonly documents: number;
}

/** Asked documents per document: from this share on, nearly all signatures are needed anyway. */
const MOST_ASKED = 1 / 4;

/** Runs jobs with a side file of the documents that are asked for, where these are few: jobs send no other signature. */
async function withPaired<T>(
  jobs: Jobs,
  label: string,
  { pairs, asked, documents }: AskedDocuments,
  run: () => Promise<T>,
): Promise<T> {
  const { sides } = jobs.tables;
  if (asked <= MOST_ASKED * documents) {
    const side = await jobs.engine.side(`paired-${label}`, await pairedFile(jobs, pairs, asked));
    jobs.learn({ sides: { ...sides, [PAIRED]: side } });
  }
  const result = await run();
  // Later jobs do without this side file.
  jobs.learn({ sides });
  return result;
}

/** Pairs whose signatures are compared. */
interface AskedPairs extends AskedDocuments {
  /** The dataset with the signatures. */
  readonly classes: string;
  /** Datasets of pairs that were compared earlier. */
  readonly known: readonly string[];
}

/** Compares the signatures of pairs. */
async function agreements(jobs: Jobs, label: string, asked: AskedPairs): Promise<string> {
  const { classes, pairs, known } = asked;
  return withPaired(jobs, label, asked, async () => {
    const lefts = await jobs.run('leftSignatures', [classes, ...pairs, ...known], { label });
    return (await jobs.run('rightSignatures', [classes, lefts.name], { label })).name;
  });
}

/** Reads the texts of pairs above the margin again, and compares their sets of shingles. */
async function exactly(jobs: Jobs, label: string, compared: readonly string[]): Promise<readonly string[]> {
  const wanted = await jobs.run('wanted', compared, { label });
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
  const lefts = await jobs.run('leftSets', [sets.name, ...compared], { label });
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
  const asked = 2 * (pairs.sums['pairs asked'] ?? 0);
  if (asked > 0) {
    const wish = { ...corpus, pairs: [pairs.name], known: [], asked };
    compared.push(await agreements(jobs, 'similarities', wish));
  }
  return (await jobs.run('clusterRows', [steps, pairs.name, ...compared])).name;
}
