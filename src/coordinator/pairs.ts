/**
 * Step 3: signatures become candidate pairs with their agreements.
 *
 *      each band --buckets--> pairs of small buckets, members of larger ones, sizes of buckets
 *      sizes of all bands --> the cap between middle and large buckets
 *      bands with larger buckets --bucketPairs--> pairs with agreements
 *      ranges of documents --candidatePairs--> distinct pairs, those of small buckets compared
 *
 * The pairs do not depend on the memory of tasks, nor on whether blocks are files.
 */
import type { BucketMarks } from '../../mappers/bucketPairs.js';
import type { CandidatePairs } from '../../reducers/candidatePairs.js';
import { concatenated } from '../arrays/growable.js';
import { decodeBlock, encodeBlock, newBlock, typedColumns } from '../blocks/block.js';
import { NAMES, ONE } from '../blocks/names.js';
import { autoCap, SIZE_CLASSES, SMALL_BUCKET } from '../sketch/bucketCap.js';
import { isScarce } from '../store/budget.js';
import { makeWorkFolder } from '../store/workFiles.js';
import {
  type BucketsReport,
  type CandidatePairsTask,
  largerBucketsIn,
  type PairStage,
  type PartsReport,
  signatureInputs,
} from '../tasks/kinds/bandTasks.js';
import type { Run } from './context.js';
import { type AgreeingNumbers, PairList } from './pairList.js';

export interface PairsInput extends Omit<PairStage, 'isNumbered' | 'lists'> {
  /** A bit per row, from the lowest bit of each byte on: whether the document is compared. */
  readonly takesPart: Uint8Array;
  /** Numbers by row and rows by number; null: they are equal. */
  readonly numberOf: Uint32Array | null;
  readonly rowOf: Uint32Array | null;
  /** Least agreement of pairs that are kept, and agreement at the threshold. */
  readonly cutoff: number;
  readonly near: number;
  readonly hotBucket: number | 'auto';
  /** Documents outside the rows that are in no bucket with a pair that counts. */
  readonly others?: number;
}

/** Distinct pairs at or above the cutoff, sorted by (a, b), and counts of the others. */
export interface BandPairs {
  readonly list: PairList;
  /** By agreement: the number of distinct pairs below the cutoff in buckets that are not large. */
  readonly tally: Float64Array;
  /** Buckets with more members than this are large. */
  readonly cap: number;
  /**
   * For all bands: large buckets, their members, and the members that lists the list of leaders full
   * (reducers/leaderPairs.ts).
   */
  readonly largeBuckets: number;
  readonly largeMembers: number;
  readonly unmatched: number;
}

/** Pairs per task of the last step: at least this many, and at most what fits in its memory. */
const LEAST_PAIRS = 1 << 16;
const BYTES_OF_PAIR = 48;
/** Bytes per pair while a part of the pairs is compared and written; pairs that would take more are in several parts. */
const BYTES_IN_PART = 64;
/** The last step has at most this many tasks if their memory suffices. */
const FEW_TASKS = 16;

/** The candidate pairs of a run with complete signatures. @throws MinHashError INTERRUPTED, TASK_FAILED, WORKER_LOST */
export function pairs(run: Run, input: PairsInput): Promise<BandPairs> {
  return run.stage('pairs', async () => {
    const { takesPart, numberOf, rowOf, hotBucket, cutoff, near, others = 0, ...given } = input;
    const { sketch, banding } = run.params;
    const { store } = run.engine;
    const lists = input.folder ?? (isScarce(run.budget) ? run.storage.folder : null);
    if (lists !== null) makeWorkFolder(lists);
    const stage: PairStage = { ...given, lists, isNumbered: numberOf !== null };
    const bands = Array.from({ length: banding.bands }, (_, band) => band);
    const documents = stage.batches.reduce((sum, rows) => sum + rows, 0);
    const signatures = signatureInputs(stage);
    const small = hotBucket === 'auto' ? SMALL_BUCKET : Math.min(SMALL_BUCKET, hotBucket);
    run.put(ONE.takesPart, encodeBlock('buckets', {}, { takesPart }, true));
    if (numberOf !== null && rowOf !== null)
      run.put(ONE.numbers, encodeBlock('buckets', {}, { numberOf, rowOf }, true));

    const bucketsOf: BucketsReport[] = [];
    for await (const report of run.each(
      bands,
      (band) =>
        run.task({
          kind: 'buckets',
          label: `band ${band}`,
          params: { ...stage, band, small },
          inputs: [ONE.takesPart, ...signatures],
        }),
      { progress: { unit: 'bands', total: bands.length } },
    ))
      bucketsOf.push(report);
    store.delete(ONE.takesPart);
    const sizes = new Float64Array(SIZE_CLASSES);
    for (const { pairsBySize } of bucketsOf) addTo(sizes, pairsBySize);
    const cap = hotBucket === 'auto' ? autoCap(sizes, documents + others) : hotBucket;

    const withLarger = bands.filter((band) => bucketsOf[band]!.members > 0);
    const tally = new Float64Array(sketch.hashes + 1);
    const counts = { largeBuckets: 0, largeMembers: 0, unmatched: 0 };
    const compared = new Map<number, PartsReport>();
    if (withLarger.length > 0) putMarks(run, stage, withLarger, banding.bands, documents, cap);
    for await (const { band, report } of run.each(withLarger, async (band) => {
      const own = lists === null ? [NAMES.largerBuckets(band)] : [];
      const report = await run.task({
        kind: 'bucketPairs',
        label: `buckets of band ${band}`,
        params: { ...stage, band, cap, cutoff, near },
        inputs: [ONE.bucketMarks, ...own, ...signatures],
      });
      for (const name of own) store.delete(name);
      return { band, report };
    })) {
      compared.set(band, report);
      for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += report[name];
      addTo(tally, report.tally);
    }
    for (const band of bands) store.delete(NAMES.largerBuckets(band));
    store.delete(ONE.bucketMarks);

    const listedNames = bands.flatMap((band) =>
      partNames(bucketsOf[band]!, (part) => NAMES.listedPairs(band, part)),
    );
    const comparedNames = [...compared].flatMap(([band, report]) =>
      partNames(report, (part) => NAMES.bucketPairs(band, part)),
    );
    // Pairs of a reference are reduced to pairs of groups all at once.
    const isOnePart = run.storage.folder === null || input.references > 0;
    const most = isOnePart ? Number.POSITIVE_INFINITY : run.budget.data / BYTES_IN_PART;
    const list = new PairList(run.storage.folder, (bytes) => store.released(bytes));
    let found: CandidatePairs[] = [];
    let count = 0;
    const ranges = taskRanges([...bucketsOf, ...compared.values()], stage.room);
    for await (const { task, report } of run.each(
      ranges.map((range, task) => ({ ...range, task })),
      async ({ from, to, task }) => {
        const names = lists === null ? [...listedNames, ...comparedNames] : [];
        const params: CandidatePairsTask = {
          ...{ ...stage, task, from, to, cutoff },
          listed: listedNames,
          compared: comparedNames,
        };
        const inputs = [...names, ...signatures];
        return {
          task,
          report: await run.task({ kind: 'candidatePairs', label: `pairs ${task}`, params, inputs }),
        };
      },
    )) {
      const name = NAMES.candidatePairs(task);
      const pairs = typedColumns(decodeBlock(store.get(name), 'pairs', name), PAIRS);
      store.delete(name);
      addTo(tally, report.tally);
      found.push(pairs);
      count += pairs.a.length;
      if (count < most) continue;
      makeWorkFolder(run.storage.folder!);
      list.write(joined(found));
      [found, count] = [[], 0];
    }
    for (const name of [...listedNames, ...comparedNames, ONE.numbers]) store.delete(name);
    const all = { tally, cap, ...counts };
    if (list.count === 0) return { list: PairList.of(joined(found)), ...all };
    if (count > 0) list.write(joined(found));
    return { list, ...all };
  });
}

function joined(lists: readonly CandidatePairs[]): AgreeingNumbers {
  const a = concatenated(lists.map((pairs) => pairs.a));
  const agreements = lists.map(({ agreement }) => agreement);
  return {
    ...{ count: a.length, a, b: concatenated(lists.map(({ b }) => b)) },
    agreement: concatenated(agreements, Uint16Array),
  };
}

const PAIRS = { a: 'u32', b: 'u32', agreement: 'u16' } as const;

const partNames = ({ parts }: PartsReport, nameOf: (part: number) => string): string[] =>
  Array.from({ length: parts }, (_, part) => nameOf(part));

/**
 * Stores, for each document, the bands in which its bucket is larger than small, and the bands in which it is large.
 */
function putMarks(
  run: Run,
  { lists }: PairStage,
  bandsWithLarger: readonly number[],
  bands: number,
  documents: number,
  cap: number,
): void {
  const words = Math.ceil(bands / 32);
  const layout = { larger: ['u32', documents * words], large: ['u32', documents * words] } as const;
  const marked = newBlock('buckets', {}, layout, true);
  const marks: BucketMarks = { ...typedColumns(marked, { larger: 'u32', large: 'u32' }), words };
  for (const band of bandsWithLarger) {
    const name = NAMES.largerBuckets(band);
    const buckets = lists === null ? decodeBlock(run.engine.store.get(name)) : largerBucketsIn(lists, band);
    const { members, ends } = typedColumns(buckets, { members: 'u32', ends: 'u32' });
    const [word, bit] = [band >> 5, 1 << (band & 31)];
    for (let bucket = 0, i = 0; bucket < ends.length; bucket++) {
      const isLarge = ends[bucket]! - i > cap;
      for (; i < ends[bucket]!; i++) {
        const at = members[i]! * words + word;
        marks.larger[at]! |= bit;
        if (isLarge) marks.large[at]! |= bit;
      }
    }
  }
  run.put(ONE.bucketMarks, marked);
}

function addTo(sums: Float64Array, values: readonly number[]): void {
  for (let i = 0; i < values.length; i++) sums[i]! += values[i]!;
}

interface TaskRange {
  readonly from: number;
  readonly to: number;
}

/** Divides the ranges among tasks; ranges without pairs may belong to any task. */
function taskRanges(reports: readonly PartsReport[], room: number): TaskRange[] {
  const sizes = new Float64Array(reports[0]?.byRange.length ?? 0);
  for (const { byRange } of reports) addTo(sizes, byRange);
  const total = sizes.reduce((sum, count) => sum + count, 0);
  const most = Math.max(LEAST_PAIRS, Math.min(Math.floor(room / BYTES_OF_PAIR), total / FEW_TASKS));
  const tasks: TaskRange[] = [];
  let [from, count] = [0, 0];
  for (let r = 0; r < sizes.length; r++) {
    if (count > 0 && count + sizes[r]! > most) {
      tasks.push({ from, to: r });
      [from, count] = [r, 0];
    }
    count += sizes[r]!;
  }
  if (count > 0) tasks.push({ from, to: sizes.length });
  return tasks;
}
