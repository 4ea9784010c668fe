/**
 * The steps of the recipe that rounds over hot buckets repeat: pairs are compared, and decide which documents stay. And side files
 * for all tasks of a job, with a bit for every document that its tasks need.
 */
import { MOST_NODES } from '../../../reducers/streamed/components.js';
import { isSample, type ResultParams } from '../../sketch/params.js';
import { areLater, firstRankOf } from '../../tasks/stages/rankStages.js';
import { tilesOf } from '../../tasks/stages/setPairStages.js';
import { WITHOUT_SET } from '../../tasks/stages/withdrawnStages.js';
import { CorpusFiles } from '../../tasks/stream/corpusFiles.js';
import { hasGroups } from '../../tasks/stream/crossing.js';
import { KIND, KINDS } from '../../tasks/stream/kinds.js';
import { LARGE, LargeSets, SET_HASHES, SIZES } from '../../tasks/stream/largeSets.js';
import { LATER, PAIRED, RankBitsFile, WANTED } from '../../tasks/stream/rankBits.js';
import { u32At, u64At } from '../../tasks/stream/records.js';
import { type JobDone, type Jobs, sumOf } from './jobs.js';
import type { Withdrawing } from './withdrawing.js';

/** What the steps are told, once the documents are counted. */
interface StepsSetting {
  /** Components are found by stars, however few documents there are. */
  readonly byStars: boolean;
  readonly documents: number;
  /** The dataset with the signatures. */
  readonly signatures: string;
  /** Whether some document has a larger set than a range. */
  readonly hasLargeSets: boolean;
}

export interface Survivors {
  /** Its dataset has records of kinds `step` and `node`. */
  readonly steps: JobDone;
  /** Its dataset has records of kind `dropped`. */
  readonly drops: JobDone;
}

export class RoundSteps {
  readonly jobs: Jobs;
  readonly params: ResultParams;
  /** The documents and their identity classes, without those that are withdrawn so far. */
  readonly withdrawing: Withdrawing;
  /** The job whose output has the signatures. */
  readonly signatures: string;
  private readonly setting: StepsSetting;

  constructor(jobs: Jobs, withdrawing: Withdrawing, setting: StepsSetting) {
    this.jobs = jobs;
    this.params = jobs.manifest.params;
    this.withdrawing = withdrawing;
    this.signatures = setting.signatures;
    this.setting = setting;
  }

  /** Runs jobs that shuffle sketches, or ids, of those documents alone that the records of other jobs name. */
  async withPaired<T>(
    label: string,
    [stage, ...named]: readonly [stage: RankStage, ...named: string[]],
    run: () => Promise<T>,
  ): Promise<T> {
    const { jobs } = this;
    const { all, later } = await rankFiles(jobs, label, stage, named);
    return jobs.withSides({ [PAIRED]: all, ...(stage === 'pairRanks' && { [LATER]: later }) }, label, run);
  }

  /**
   * Compares the sketches of pairs that are not in `known`: returns a dataset with records of kind `compared`. Of samples, pairs that
   * do not pass the rule of candidates are left out, unless `areAll`.
   *
   * @param pairs datasets with records of kind `pair`
   * @param known datasets with records of kind `compared`
   */
  async agree(
    label: string,
    pairs: readonly string[],
    known: readonly string[],
    areAll = false,
  ): Promise<string> {
    const { jobs, params, signatures } = this;
    const rights = await this.withPaired(label, ['pairRanks', ...pairs], async () => {
      const lefts = await jobs.run('leftSignatures', [signatures, ...pairs, ...known], { label });
      const right = isSample(params.sketch) && !areAll ? 'rightSamples' : 'rightSignatures';
      return jobs.run(right, [lefts.name], { label });
    });
    return rights.name;
  }

  /** Verifies the pairs of datasets with records of kind `compared`; returns datasets with their evidence, no pair in two. */
  async verify(label: string, compared: readonly string[]): Promise<readonly string[]> {
    if (this.params.verify !== 'exact') return compared;
    return this.withdrawing.current(label, [...compared, ...(await this.exactly(label, compared))]);
  }

  /** Compares the sketches of pairs, and verifies the pairs, with those of datasets that are `made` by others. */
  async compare(
    label: string,
    pairs: readonly string[],
    known: readonly string[],
    made: readonly string[] = [],
  ): Promise<readonly string[]> {
    return this.verify(label, [await this.agree(label, pairs, known), ...made]);
  }

  /** Reads the texts of pairs above the margin again, and compares their sets of shingles. Withdraws documents that changed. */
  private async exactly(label: string, compared: readonly string[]): Promise<readonly string[]> {
    const { jobs, params, signatures, withdrawing } = this;
    const large = this.setting.hasLargeSets ? withdrawing.classed.documents : [];
    const wanted = await jobs.run('wanted', [...compared, ...large], { label });
    const count = sumOf(wanted, 'wanted documents');
    if (count === 0) return [];
    const asked = await wantedFiles(jobs, wanted.name, count);
    const { sets, tiled, pairs } = await jobs.withSides(asked, label, async () => {
      const sets =
        params.sets === undefined
          ? await jobs.run('sets', [], { label })
          : await jobs.run('elements', [signatures], { label });
      jobs.learn({ tiles: tilesOf(sumOf(sets, SET_HASHES), jobs.manifest.rangeHashes) });
      const tiled = await jobs.run('tileSets', [sets.name, ...compared], { label });
      return { sets, tiled, pairs: await jobs.run('tilePairs', [tiled.name, ...compared], { label }) };
    });
    if (sumOf(sets, WITHOUT_SET) + sumOf(tiled, WITHOUT_SET) > 0)
      await withdrawing.withdraw(label, wanted, sets);
    if (sumOf(pairs, SIZES) === 0) return [pairs.name];
    return [pairs.name, (await jobs.run('addedSizes', [pairs.name], { label })).name];
  }

  /** The drop list by the evidence so far. */
  async survivors(label: string, evidence: readonly string[]): Promise<Survivors> {
    const { jobs, params } = this;
    const labels = evidence.length === 0 ? [] : [await this.componentLabels(label, evidence)];
    const { hasOrder, apart } = jobs.manifest;
    const classes = this.withdrawing.classed.name;
    const isHeld = hasGroups(params) || apart !== null || params.measure === 'containment';
    const pairs = hasOrder ? [(await jobs.run('leads', [classes, ...evidence], { label })).name] : evidence;
    const steps = await jobs.run(isHeld ? 'heldSteps' : 'steps', [classes, ...labels, ...pairs], { label });
    const drops = await jobs.run(isHeld ? 'heldDrops' : 'drops', [steps.name], { label });
    return { steps, drops };
  }

  /** The components of accepted pairs: a dataset of labels. Where there are too many documents for one task, stars find them. */
  private async componentLabels(label: string, evidence: readonly string[]): Promise<string> {
    const { jobs } = this;
    const { byStars, documents } = this.setting;
    const isOne = !byStars && documents <= MOST_NODES;
    const made = isOne
      ? await jobs.run('components', evidence, { label, reducers: 'one' })
      : await starComponents(jobs, label, evidence);
    return made.name;
  }
}

/** More rounds of stars than any corpus has needed so far; a path of 131,072 documents takes 18. */
const MOST_STAR_ROUNDS = 30;

/** Alternating large and small stars, until neither changes an edge (Kiveris et al. 2014). */
async function starComponents(jobs: Jobs, label: string, evidence: readonly string[]): Promise<JobDone> {
  let current = await jobs.run('starEdges', evidence, { label });
  for (let round = 1; round <= MOST_STAR_ROUNDS; round++) {
    const large = await jobs.run('largeStar', [current.name], { label: `${label}-${round}` });
    current = await jobs.run('smallStar', [large.name], { label: `${label}-${round}` });
    if (sumOf(large, 'changed') + sumOf(current, 'changed') === 0)
      return jobs.run('starLabels', [current.name], { label });
  }
  throw new Error(`components are not found after ${MOST_STAR_ROUNDS} rounds: our own defect`);
}

/** The stages that find documents which records name. */
type RankStage = 'pairRanks' | 'memberRanks' | 'rootRanks' | 'rowRanks';

/** The side files (rankBits.ts) of the documents that the records of some jobs name, and of the later ones of pairs among them. */
export async function rankFiles(
  jobs: Jobs,
  label: string,
  stage: RankStage,
  named: readonly string[],
): Promise<{ readonly all: Uint8Array; readonly later: Uint8Array }> {
  const done = await jobs.run(stage, named, { label });
  // Ranks of documents are dense, those of units are not.
  const bits = () =>
    jobs.manifest.strides === null ? RankBitsFile.exact() : RankBitsFile.spread(sumOf(done, 'ranks'));
  const [all, later] = [bits(), bits()];
  await jobs.each(done.name, KINDS.ranks, (key, value) => {
    const first = firstRankOf(key);
    for (let at = 0; at < value.length; at += 2) {
      const rank = first + value[at]! * 2 ** 8 + value[at + 1]!;
      all.add(rank);
      if (areLater(key)) later.add(rank);
    }
  });
  return { all: all.bytes(), later: later.bytes() };
}

/**
 * The side files, by name, of the documents or units that the second reading needs, from the output of a job; `count`: their
 * number. Memory: a bit a rank, up to the last one needed, and the places of documents whose sets are split.
 */
export async function wantedFiles(
  jobs: Jobs,
  wanted: string,
  count: number,
): Promise<{ readonly [WANTED]: Uint8Array; readonly [LARGE]?: Uint8Array }> {
  const places = new CorpusFiles(jobs.manifest);
  const { numbered } = places;
  const bits = jobs.manifest.strides === null ? RankBitsFile.exact() : RankBitsFile.spread(2 * count);
  const large = new LargeSets();
  await jobs.each(wanted, KINDS.wanted, (key, value) => {
    if (value[0]! > 0) large.add(key.subarray(KIND), value[0]!);
    const file = u32At(key, KIND);
    const number = u64At(key, KIND + 4);
    bits.add(places.rankOf(file, number));
    // The document that a unit is of.
    bits.add(places.rankOf(file, numbered.numberOf(file, numbered.recordOf(file, number), 0)));
  });
  return { [WANTED]: bits.bytes(), ...(large.bytes !== null && { [LARGE]: large.bytes }) };
}
