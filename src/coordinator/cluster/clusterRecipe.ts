/**
 * The recipe of a run on an engine that sorts: the order of its jobs.
 *
 * Its result equals that of worker threads: the same mappers and reducers work on records that the engine brings together. The
 * recipe holds no table with an entry a document or a pair: it reads facts of jobs, and at the end streams the rows of the result.
 */
import type { EliminatedShingles } from '../../output/tables/tables.js';
import { sketchFamilyOf } from '../../sketch/family.js';
import { BucketSizes, LISTED } from '../../sketch/hotBuckets.js';
import { isSample, type ResultParams } from '../../sketch/params.js';
import { CROWD_MEMBERS, HOT_BUCKETS, PAIRS_UP_TO } from '../../tasks/stages/bucketStages.js';
import { areJoined } from '../../tasks/stages/documents/classSignatures.js';
import { HOT_MEMBERS, LARGE_MEMBERS } from '../../tasks/stages/largeStages.js';
import { hasGroups } from '../../tasks/stream/crossing.js';
import { ELIMINATED, eliminatedBytes } from '../../tasks/stream/eliminatedShingles.js';
import { KIND, KINDS } from '../../tasks/stream/kinds.js';
import { LARGE_SETS } from '../../tasks/stream/largeSets.js';
import { COPIES } from '../../tasks/stream/rankBits.js';
import { f64At, u32At } from '../../tasks/stream/records.js';
import { classedCorpus, type FoundCorpus, gatherFacts, type NamedCorpus } from './corpusFacts.js';
import { type DecidedDocuments, decidedDocuments } from './decidedDocuments.js';
import { type FoundPairs, hotRounds } from './hot/hotRounds.js';
import { type JobDone, type Jobs, sumOf } from './jobs.js';
import { RoundSteps, rankFiles } from './roundSteps.js';
import { pairsOfSamples } from './samplePairing.js';
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
  /** The documents, where they are read in the order of the corpus; null: they are in `result`. */
  readonly documents: CorpusDocuments | null;
  /** Shingles that no sketch has; null: they were not looked for. */
  readonly eliminated: EliminatedShingles | null;
  /** The documents that decisions name; null: there are no decisions. */
  readonly decided: DecidedDocuments | null;
  /** The job that made the drop list; its sums have the documents dropped at higher thresholds. */
  readonly drops: JobDone;
  /** The job before `drops`; its sums have the pairs of protected documents. */
  readonly steps: JobDone;
}

/** A dataset with documents of the kind `read` in the order of the corpus, and what their ranks and ids follow from. */
export interface CorpusDocuments {
  readonly dataset: string;
  readonly manifest: Jobs['manifest'];
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
  const steps = new RoundSteps(jobs, withdrawing, {
    byStars: form.byStars,
    ...{ documents: classed.corpus.documents, hasLargeSets: sumOf(sketched, LARGE_SETS) > 0 },
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
    : await steps.withPaired('rows', ['rowRanks', ...tables], withIds);
  // Documents with names of their own are sorted by them, sets by their names.
  const stay = jobs.engine.keepsOrder === true && params.sets === undefined && !jobs.manifest.areNamed;
  const ordered = [...(stay ? [] : classes.documents), classes.name, second.name];
  const result = await jobs.run('resultRows', ordered, { ordered: true });
  return {
    ...{ corpus: classes.corpus, classes, withdrawn: withdrawing.ranks },
    result: result.name,
    documents: stay ? { dataset: sketched.name, manifest: jobs.manifest } : null,
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
    await jobs.addSides({ [COPIES]: (await rankFiles(jobs, COPIES, 'memberRanks', [classes.name])).all });
  return sketched.name;
}

function foundPairs(steps: RoundSteps): Promise<FoundPairs> | FoundPairs {
  const { params } = steps;
  if (params.exactDuplicates) return NOTHING_COMPARED;
  return isSample(params.sketch) ? pairsOfSamples(steps) : pairsOfSignatures(steps);
}

async function pairsOfSignatures(steps: RoundSteps): Promise<FoundPairs> {
  const { jobs, params, signatures } = steps;
  const bands = await jobs.run('bands', [signatures]);
  const hotBucket = hotBucketOf(params, bands);
  jobs.learn({ hotBucket });
  const { large, hot } = await crowdedBuckets(steps, bands);
  const compared = large === null ? [] : [large.name];
  const made =
    hot === null
      ? await steps.compare('candidates', [bands.name], [], compared)
      : await steps.compare('candidates', [bands.name, hot.name], compared, compared);
  const rounds = hot === null ? null : await hotRounds(steps, [hot.name], made);
  const unlisted = large === null ? null : await unlistedOf(jobs, large.name, sketchFamilyOf(params).units);
  return { evidence: rounds?.evidence ?? made, hotBucket, hot: rounds, unlisted };
}

/** By number of matching slots: the pairs of large buckets that are only counted. */
export async function unlistedOf(jobs: Jobs, large: string, hashes: number): Promise<Float64Array> {
  const counts = new Float64Array(hashes + 1);
  await jobs.each(large, KINDS.unlisted, (key, value) => {
    const slots = u32At(key, KIND);
    counts[slots] = counts[slots]! + f64At(value, 0);
  });
  return counts;
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

async function crowdedBuckets(steps: RoundSteps, bands: JobDone): Promise<CrowdedBuckets> {
  if (sumOf(bands, CROWD_MEMBERS) === 0) return { large: null, hot: null };
  const { jobs, withdrawing, signatures } = steps;
  const members = await steps.withPaired('buckets', ['memberRanks', bands.name], () =>
    jobs.run('bucketMembers', [...new Set([...withdrawing.classed.documents, signatures, bands.name])]),
  );
  const large = sumOf(members, LARGE_MEMBERS) === 0 ? null : await jobs.run('largePairs', [members.name]);
  if (sumOf(members, HOT_MEMBERS) === 0) return { large, hot: null };
  const pairs = await jobs.run('hotPairs', [members.name, bands.name]);
  // A bucket of a single group is not hot.
  return { large, hot: sumOf(pairs, HOT_BUCKETS) > 0 ? pairs : null };
}

/** The rows of clusters. A member that is in no candidate pair with its representative is compared with it. */
async function similarities(
  steps: RoundSteps,
  stepped: string,
  evidence: readonly string[],
): Promise<string> {
  const { jobs } = steps;
  const pairs = await steps.withPaired('clusters', ['rootRanks', stepped], () =>
    jobs.run('representatives', [stepped, ...evidence]),
  );
  const compared: string[] = [];
  if (sumOf(pairs, 'pairs asked') > 0)
    compared.push(await steps.agree('similarities', [pairs.name], [], true));
  return (await jobs.run('clusterRows', [stepped, pairs.name, ...compared])).name;
}
