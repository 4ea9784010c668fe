/**
 * The recipe of a run on an engine that sorts: the order of its jobs.
 *
 * Its result equals that of worker threads: the same mappers and reducers work on records that the engine brings together. The
 * recipe holds no table with an entry a document or a pair: it reads facts of jobs, and at the end streams the rows of the result.
 */
import { MOST_NODES } from '../../../reducers/streamed/components.js';
import type { EliminatedShingles } from '../../output/tables/tables.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { BucketSizes, LISTED } from '../../sketch/hotBuckets.js';
import { isSample, type ResultParams } from '../../sketch/params.js';
import { CROWD_MEMBERS, HOT_BUCKETS, PAIRS_UP_TO } from '../../tasks/stages/bucketStages.js';
import { areJoined } from '../../tasks/stages/documents/classSignatures.js';
import { HOT_MEMBERS, LARGE_MEMBERS, unlistedOf } from '../../tasks/stages/largeStages.js';
import { tilesOf } from '../../tasks/stages/setPairStages.js';
import { WITHOUT_SET } from '../../tasks/stages/withdrawnStages.js';
import { hasGroups } from '../../tasks/stream/crossing.js';
import { ELIMINATED, eliminatedBytes } from '../../tasks/stream/eliminatedShingles.js';
import { LARGE_SETS, SET_HASHES, SIZES } from '../../tasks/stream/largeSets.js';
import { COPIES, PAIRED } from '../../tasks/stream/rankBits.js';
import { classedCorpus, type FoundCorpus, gatherFacts, type NamedCorpus } from './corpusFacts.js';
import { type DecidedDocuments, decidedDocuments } from './decidedDocuments.js';
import { type FoundPairs, hotRounds } from './hot/hotRounds.js';
import type { RoundSteps } from './hot/steps.js';
import { type JobDone, type Jobs, sumOf } from './jobs.js';
import { pairsOfSamples } from './samplePairing.js';
import { type RankStage, rankFile, wantedFiles } from './wantedFile.js';
import { Withdrawing } from './withdrawing.js';

/** The outcome of all jobs: names of datasets, and facts. */
export interface ClusterOutcome extends Omit<FoundPairs, 'evidence'> {
  readonly corpus: NamedCorpus;
  /** The job that found the classes; the last one, where documents are withdrawn. */
  readonly classes: JobDone;
  /** The ranks of documents that changed between the two readings; they are in the ordered dataset, too. */
  readonly withdrawn: ReadonlySet<number>;
  /** The ordered dataset that the result is written from. */
  readonly result: string;
  /** Shingles that no sketch has; null: they were not looked for. */
  readonly eliminated: EliminatedShingles | null;
  /** The documents that decisions name; null: there are no decisions. */
  readonly decided: DecidedDocuments | null;
  /** The job that made the drop list; its sums have the documents dropped at higher thresholds. */
  readonly drops: JobDone;
  /** The job before `drops`; its sums have the pairs of protected documents. */
  readonly steps: JobDone;
}

/** Settings of the recipe beside the parameters. */
export interface ClusterForm {
  /** Components are found by stars, however few documents there are. */
  readonly byStars: boolean;
  /** Shingles that no sketch has; null or absent: there are none. */
  readonly eliminated?: EliminatedShingles | null;
  /** Hashes of a range of a set, about; default: those of the manifest. */
  readonly rangeHashes?: number;
  /** Called with the facts of the corpus, before documents get names. An error it throws ends the run. */
  onCorpus?(corpus: FoundCorpus): void;
  /** Called when documents have names, before they are compared. An error it throws ends the run. */
  onNamed?(corpus: NamedCorpus): void;
}

/** The settings, once the documents are counted. */
interface CountedForm extends ClusterForm {
  readonly documents: number;
  /** The dataset with the signatures. */
  readonly signatures: string;
  /** Whether some document has a larger set than a range. */
  readonly hasLargeSets: boolean;
}

/** Runs all jobs. @throws MinHashError what jobs throw, and NOTHING_READ */
export async function clusterRecipe(jobs: Jobs, form: ClusterForm): Promise<ClusterOutcome> {
  const { params } = jobs.manifest;
  const { eliminated = null } = form;
  if (eliminated !== null) await jobs.addSides({ [ELIMINATED]: eliminatedBytes(eliminated.hashes) });
  if (form.rangeHashes !== undefined) jobs.learn({ rangeHashes: form.rangeHashes });
  const lines = params.sets === undefined ? [] : [(await jobs.run('rows', [])).name];
  const sketched = await jobs.run(params.sets === undefined ? 'sketch' : 'gathered', lines);
  const read = await gatherFacts(jobs, sketched, lines);
  form.onCorpus?.(read);
  const classed = await classedCorpus(jobs, sketched, read);
  form.onNamed?.(classed.corpus);
  const decided = params.decisions === undefined ? null : await decidedDocuments(jobs, classed);
  const withdrawing = new Withdrawing(jobs, classed);
  const steps = stepsOf(jobs, withdrawing, {
    ...{ ...form, documents: classed.corpus.documents, hasLargeSets: sumOf(sketched, LARGE_SETS) > 0 },
    signatures: params.exactDuplicates ? sketched.name : await classSignatures(jobs, sketched, classed),
  });
  const found = await foundPairs(steps);
  const { evidence, hotBucket, hot, unlisted } = found;
  const { steps: stepped, drops } = hot?.survivors ?? (await steps.survivors('all', evidence));
  const clusters = await similarities(steps, stepped.name, evidence);
  const { classed: classes } = withdrawing;
  const hasRows = hasGroups(params) || params.expandIdentical;
  const identical = hasRows ? (await jobs.run('identicalRows', [classes.name])).name : classes.name;
  const tables = [drops.name, clusters, ...evidence, identical];
  const withIds = () => jobs.run('secondIds', [...classes.documents, ...tables]);
  // Where all pairs of classes have rows, nearly every copy is in one.
  const second = params.expandIdentical
    ? await withIds()
    : await withPaired(jobs, 'rows', ['rowRanks', ...tables], withIds);
  const ordered = [...classes.documents, classes.name, second.name];
  const result = await jobs.run('resultRows', ordered, { ordered: true });
  return {
    ...{ corpus: classes.corpus, classes, withdrawn: withdrawing.ranks },
    result: result.name,
    eliminated,
    decided,
    hotBucket,
    hot,
    unlisted,
    drops,
    steps: stepped,
  };
}

/** The pairs where the run looks for documents with the same tokens only. */
const NOTHING_COMPARED: FoundPairs = { evidence: [], hotBucket: null, hot: null, unlisted: null };

/**
 * The dataset with a signature of every class. Signatures stay where the corpus was read; a side file says which documents are
 * copies, whose signatures take no part. With groups or units, they are joined with the members of classes instead.
 */
async function classSignatures(jobs: Jobs, sketched: JobDone, classes: JobDone): Promise<string> {
  if (areJoined(jobs.manifest)) return (await jobs.run('signatures', [sketched.name, classes.name])).name;
  if (sumOf(classes, 'copies') > 0)
    await jobs.addSides({ [COPIES]: await rankFile(jobs, COPIES, 'memberRanks', [classes.name]) });
  return sketched.name;
}

function foundPairs(steps: RoundSteps): Promise<FoundPairs> | FoundPairs {
  const { params } = steps;
  if (params.exactDuplicates) return NOTHING_COMPARED;
  return isSample(params.sketch) ? pairsOfSamples(steps) : pairsOfSignatures(steps);
}

async function pairsOfSignatures(steps: RoundSteps): Promise<FoundPairs> {
  const { jobs, params } = steps;
  const bands = await jobs.run('bands', [steps.signatures]);
  const hotBucket = hotBucketOf(params, bands);
  jobs.learn({ hotBucket });
  const { large, hot } = await crowdedBuckets(steps, bands);
  const compared = large === null ? [] : [large.name];
  const made =
    hot === null
      ? await steps.compare('candidates', [bands.name], [], compared)
      : await steps.compare('candidates', [bands.name, hot.name], compared, compared);
  const rounds = hot === null ? null : await hotRounds(steps, [hot.name], made);
  const unlisted = large === null ? null : unlistedOf(large.sums, sketchFamilyOf(params).units);
  return { evidence: rounds?.evidence ?? made.names, hotBucket, hot: rounds, unlisted };
}

/** Most documents of a bucket that is not hot. */
function hotBucketOf({ hotBucket }: ResultParams, bands: JobDone): number {
  if (hotBucket !== 'auto') return hotBucket;
  const sizes = new BucketSizes();
  sizes.add(LISTED, sumOf(bands, 'pairs of small buckets'));
  for (const [name, pairs] of Object.entries(bands.sums))
    if (name.startsWith(PAIRS_UP_TO)) sizes.add(Number(name.slice(PAIRS_UP_TO.length)), pairs);
  return sizes.hotBucket(sumOf(bands, 'documents'));
}

/** What comes of the buckets whose pairs `bands` does not list. */
interface CrowdedBuckets {
  /** The job that compared the members of large buckets; null: there are none. */
  readonly large: JobDone | null;
  /** The job with the first pairs, the members and the heads of hot buckets; null: there are none. */
  readonly hot: JobDone | null;
}

async function crowdedBuckets(
  { jobs, withdrawing, signatures }: RoundSteps,
  bands: JobDone,
): Promise<CrowdedBuckets> {
  if (sumOf(bands, CROWD_MEMBERS) === 0) return { large: null, hot: null };
  const members = await withPaired(jobs, 'buckets', ['memberRanks', bands.name], () =>
    jobs.run('bucketMembers', [...new Set([...withdrawing.classed.documents, signatures, bands.name])]),
  );
  const large = sumOf(members, LARGE_MEMBERS) === 0 ? null : await jobs.run('largePairs', [members.name]);
  if (sumOf(members, HOT_MEMBERS) === 0) return { large, hot: null };
  const pairs = await jobs.run('hotPairs', [members.name, bands.name]);
  // A bucket of a single group is not hot.
  return { large, hot: sumOf(pairs, HOT_BUCKETS) > 0 ? pairs : null };
}

export function stepsOf(jobs: Jobs, withdrawing: Withdrawing, form: CountedForm): RoundSteps {
  const { params } = jobs.manifest;
  const { signatures } = form;
  const agree: RoundSteps['agree'] = async (label, pairs, known, areAll = false) => {
    const rights = await withPaired(jobs, label, ['pairRanks', ...pairs], async () => {
      const lefts = await jobs.run('leftSignatures', [signatures, ...pairs, ...known], { label });
      const right = isSample(params.sketch) && !areAll ? 'rightSamples' : 'rightSignatures';
      return jobs.run(right, [lefts.name], { label });
    });
    return rights.name;
  };
  const verify: RoundSteps['verify'] = async (label, compared) => {
    if (params.verify !== 'exact') return { names: compared };
    const large = form.hasLargeSets ? withdrawing.classed.documents : [];
    const how = { gathered: form.signatures, large, withdrawing };
    const names = [...compared, ...(await exactly(jobs, label, compared, how))];
    return { names: await withdrawing.current(label, names) };
  };
  const compare: RoundSteps['compare'] = async (label, pairs, known, made = []) =>
    verify(label, [await agree(label, pairs, known), ...made]);
  const survivors: RoundSteps['survivors'] = async (label, evidence) => {
    const labels = evidence.length === 0 ? [] : [await componentLabels(jobs, label, evidence, form)];
    const { hasOrder } = jobs.manifest;
    const classes = withdrawing.classed.name;
    const isHeld = hasGroups(params) || jobs.manifest.apart !== null || params.measure === 'containment';
    const pairs = hasOrder ? [(await jobs.run('leads', [classes, ...evidence], { label })).name] : evidence;
    const steps = await jobs.run(isHeld ? 'heldSteps' : 'steps', [classes, ...labels, ...pairs], { label });
    const drops = await jobs.run(isHeld ? 'heldDrops' : 'drops', [steps.name], { label });
    return { steps, drops };
  };
  return { jobs, params, withdrawing, signatures, agree, verify, compare, survivors };
}

/** Runs jobs that shuffle sketches, or ids, of those documents alone that the records of other jobs name. */
async function withPaired<T>(
  jobs: Jobs,
  label: string,
  [stage, ...named]: readonly [stage: RankStage, ...named: string[]],
  run: () => Promise<T>,
): Promise<T> {
  return jobs.withSides({ [PAIRED]: await rankFile(jobs, label, stage, named) }, label, run);
}

interface SetsWish {
  /** The dataset of the elements of lines of sets. */
  readonly gathered: string;
  /** The datasets that tell how large sets are, where some are split. */
  readonly large: readonly string[];
  readonly withdrawing: Withdrawing;
}

/** Reads the texts of pairs above the margin again, and compares their sets of shingles. Withdraws documents that changed. */
async function exactly(
  jobs: Jobs,
  label: string,
  compared: readonly string[],
  { gathered, large, withdrawing }: SetsWish,
): Promise<readonly string[]> {
  const wanted = await jobs.run('wanted', [...compared, ...large], { label });
  const count = sumOf(wanted, 'wanted documents');
  if (count === 0) return [];
  const asked = await wantedFiles(jobs, wanted.name, count);
  const { sets, tiled, pairs } = await jobs.withSides(asked, label, async () => {
    const sets =
      jobs.manifest.params.sets === undefined
        ? await jobs.run('sets', [], { label })
        : await jobs.run('elements', [gathered], { label });
    jobs.learn({ tiles: tilesOf(sumOf(sets, SET_HASHES), jobs.manifest.rangeHashes) });
    const tiled = await jobs.run('tileSets', [sets.name, ...compared], { label });
    return { sets, tiled, pairs: await jobs.run('tilePairs', [tiled.name, ...compared], { label }) };
  });
  if (sumOf(sets, WITHOUT_SET) + sumOf(tiled, WITHOUT_SET) > 0)
    await withdrawing.withdraw(label, wanted, sets);
  if (sumOf(pairs, SIZES) === 0) return [pairs.name];
  return [pairs.name, (await jobs.run('addedSizes', [pairs.name], { label })).name];
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
    if (sumOf(large, 'changed') + sumOf(small, 'changed') === 0) {
      return jobs.run('starLabels', [current.name], { label });
    }
  }
  throw new Error(`components are not found after ${MOST_STAR_ROUNDS} rounds: our own defect`);
}

/** The rows of clusters. A member that is in no candidate pair with its representative is compared with it. */
async function similarities(
  { jobs, agree }: RoundSteps,
  steps: string,
  evidence: readonly string[],
): Promise<string> {
  const pairs = await withPaired(jobs, 'clusters', ['rootRanks', steps], () =>
    jobs.run('representatives', [steps, ...evidence]),
  );
  const compared: string[] = [];
  if (sumOf(pairs, 'pairs asked') > 0) compared.push(await agree('similarities', [pairs.name], [], true));
  return (await jobs.run('clusterRows', [steps, pairs.name, ...compared])).name;
}
