/**
 * Tasks of the pair stage: signatures become candidate pairs.
 *
 *      buckets          band -> listedPairs/b/..., largerBuckets/b
 *      bucketPairs      largerBuckets/b -> bucketPairs/b/...          bands with buckets that are not small
 *      candidatePairs   the pairs of all bands in some ranges -> candidatePairs/t
 *
 * In file mode all of these except the last are files in `.work`. A task whose files are complete is skipped.
 */
import { closeSync, openSync } from 'node:fs';
import { bandBuckets } from '../../../mappers/bandBuckets.js';
import { bucketPairs as pairsOfBuckets } from '../../../mappers/bucketPairs.js';
import { candidatePairs as comparedPairs } from '../../../reducers/candidatePairs.js';
import { MOST_FOLLOWED, MOST_LEADERS } from '../../../reducers/leaderPairs.js';
import type { WasmModule } from '../../arrays/ownPages.js';
import { type Block, columnPlaces, encodeBlock, typedColumns } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import { type CountedPairs, pairRanges, type SignatureSource } from '../../blocks/signatures.js';
import type { GroupedPairs } from '../../kernel/pairParts.js';
import { KernelMemory } from '../../kernel/wasmMemory.js';
import { collectReleased } from '../../store/garbage.js';
import { readFully, readWorkFile, workFile, writeWorkFile } from '../../store/workFiles.js';
import { KERNEL_MODULE } from '../kernelModule.js';
import { openSignatures } from '../signatureSource.js';
import type { TaskKind, Workplace } from '../task.js';
import { block, put, scratchValue, setupOf } from '../workplace.js';

/** Parameters of all tasks of the stage. */
export interface PairStage extends CountedPairs {
  /** Rows of each batch of signatures. */
  readonly batches: readonly number[];
  /** Whether numbers and rows differ, so that the block `numbers` exists. */
  readonly isNumbered: boolean;
  /** The folder with the files of signatures; null: they are in memory. */
  readonly folder: string | null;
  /** The folder for lists of pairs and buckets; null: they are kept in memory. */
  readonly lists: string | null;
  /** Whether complete files of an earlier attempt are used. */
  readonly resume: boolean;
  /** Bytes that a task may use. */
  readonly room: number;
}

/** Parts of pairs that a task wrote, and its pairs by range. */
export interface PartsReport {
  readonly parts: number;
  readonly byRange: readonly number[];
}

export interface BucketsTask extends PairStage {
  readonly band: number;
  readonly small: number;
}

export interface BucketsReport extends PartsReport {
  readonly pairsBySize: readonly number[];
  /** Members of buckets that are not small. */
  readonly members: number;
}

export interface BucketPairsTask extends PairStage {
  readonly band: number;
  readonly cap: number;
  readonly cutoff: number;
  readonly near: number;
}

export interface BucketPairsReport extends PartsReport {
  readonly tally: readonly number[];
  readonly largeBuckets: number;
  readonly largeMembers: number;
  readonly unmatched: number;
}

export interface CandidatePairsTask extends PairStage {
  readonly task: number;
  /** Ranges [from, to). */
  readonly from: number;
  readonly to: number;
  /** Names of the parts that may have pairs in these ranges. */
  readonly listed: readonly string[];
  readonly compared: readonly string[];
  readonly cutoff: number;
}

export interface CandidatePairsReport {
  readonly tally: readonly number[];
}

const NUMBERS = { numberOf: 'u32', rowOf: 'u32' } as const;
const LARGER = { members: 'u32', ends: 'u32' } as const;
const MARKS = { larger: 'u32', large: 'u32' } as const;
/** Listed pairs have no agreements. */
const PART = { pairs: 'u32', starts: 'u32', agreements: 'u16' } as const;

const PAIR_MEMORY = 'pairMemory';

/** A separate kernel memory for this stage, because it takes tens of megabytes and kernel memory never shrinks. */
function pairMemoryOf(here: Workplace): KernelMemory {
  return scratchValue(
    here,
    PAIR_MEMORY,
    () => new KernelMemory(here.scratch.get(KERNEL_MODULE) as WasmModule),
  );
}

/** Frees the memory of this stage, which no later task of the worker needs. */
export function dropPairMemory({ scratch }: Workplace): void {
  const memory = scratch.get(PAIR_MEMORY);
  if (!(memory instanceof KernelMemory)) return;
  scratch.delete(PAIR_MEMORY);
  collectReleased(memory.bytes.byteLength);
}

/** Names of the blocks that hold the signatures; none in file mode. */
export function signatureInputs({ batches, folder, isNumbered }: PairStage): string[] {
  const signatures = folder === null ? batches.map((_, k) => NAMES.signatures(k)) : [];
  return [...signatures, ...(isNumbered ? [ONE.numbers] : [])];
}

/** Calls `work` with the signatures of a run. */
function withSignatures<T>(
  here: Workplace,
  { batches, folder }: PairStage,
  work: (source: SignatureSource) => T,
): T {
  const { hashes } = setupOf(here).params.sketch;
  const ofBatches = batches.map((rows, block) => ({ block, rows }));
  const source = openSignatures(folder, ofBatches, hashes, (name) => block(here, name, 'signatures'));
  try {
    return work(source);
  } finally {
    source.close();
  }
}

const numbersOf = (here: Workplace, { isNumbered }: PairStage) =>
  isNumbered ? typedColumns(block(here, ONE.numbers), NUMBERS) : { numberOf: null, rowOf: null };

/** Passes a block to other tasks: in shared memory, or as a file. */
function putBlock(here: Workplace, { lists }: PairStage, name: string, value: Block): void {
  if (lists === null) put(here, name, value);
  else writeWorkFile(lists, name, value);
}

/** Writes parts of pairs, named by `nameOf`. */
function partWriter(
  here: Workplace,
  stage: PairStage,
  nameOf: (part: number) => string,
  hasAgreements: boolean,
) {
  const documents = stage.batches.reduce((sum, rows) => sum + rows, 0);
  const byRange = new Array<number>(pairRanges(documents).count).fill(0);
  let parts = 0;
  return {
    take({ pairs, agreements, starts }: GroupedPairs): void {
      for (let r = 0; r < byRange.length; r++) byRange[r]! += starts[r + 1]! - starts[r]!;
      const equal = Uint16Array.from(hasAgreements ? agreements : []);
      const part = encodeBlock('pairs', {}, { pairs, starts, agreements: equal }, true);
      putBlock(here, stage, nameOf(parts++), part);
    },
    report: (): PartsReport => ({ parts, byRange }),
  };
}

/** The report in the last file of a task, if all its files are complete; null: the task has to run. */
function finished<R extends PartsReport>(
  { lists, resume }: PairStage,
  last: string,
  nameOf: (part: number) => string,
): R | null {
  if (lists === null || !resume) return null;
  const end = readWorkFile(lists, last, 'buckets');
  if (end === null) return null;
  const { report } = end.meta as { readonly report: R };
  for (let part = 0; part < report.parts; part++)
    if (readWorkFile(lists, nameOf(part), 'pairs') === null) return null;
  return report;
}

/** Map: the keys of a band become the pairs of small buckets, and the members of larger ones. */
export const buckets: TaskKind<BucketsTask, BucketsReport> = {
  work(task, here) {
    const { band, small, room, references, onlyAgainst } = task;
    const nameOf = (part: number): string => NAMES.listedPairs(band, part);
    const earlier = finished<BucketsReport>(task, NAMES.largerBuckets(band), nameOf);
    if (earlier !== null) return earlier;
    const { takesPart } = typedColumns(block(here, ONE.takesPart), { takesPart: 'u8' });
    const { numberOf } = numbersOf(here, task);
    const writer = partWriter(here, task, nameOf, false);
    return withSignatures(here, task, (source) => {
      const ranges = pairRanges(source.starts.at(-1)!);
      const input = { band, source, takesPart, numberOf, references, onlyAgainst, small, ranges, room };
      const { members, ends, pairsBySize } = bandBuckets(pairMemoryOf(here), input, writer.take);
      const report = { ...writer.report(), pairsBySize, members: members.length };
      putBlock(
        here,
        task,
        NAMES.largerBuckets(band),
        encodeBlock('buckets', { report }, { members, ends }, true),
      );
      return report;
    });
  },
};

/** The members of larger buckets of a band. @throws Error if their file was damaged after its task ended */
export function largerBucketsIn(folder: string, band: number): Block {
  const larger = readWorkFile(folder, NAMES.largerBuckets(band), 'buckets');
  if (larger === null) throw new Error(`${workFile(folder, NAMES.largerBuckets(band))} is damaged`);
  return larger;
}

/** Map: the larger buckets of a band become pairs with their agreements. */
export const bucketPairs: TaskKind<BucketPairsTask, BucketPairsReport> = {
  work(task, here) {
    const { band, lists } = task;
    const nameOf = (part: number): string => NAMES.bucketPairs(band, part);
    const earlier = finished<BucketPairsReport>(task, NAMES.comparedBuckets(band), nameOf);
    if (earlier !== null) return earlier;
    const { sketch, banding } = setupOf(here).params;
    const larger = lists === null ? block(here, NAMES.largerBuckets(band)) : largerBucketsIn(lists, band);
    const marks = typedColumns(block(here, ONE.bucketMarks), MARKS);
    const writer = partWriter(here, task, nameOf, true);
    return withSignatures(here, task, (source) => {
      const { tally, ...counts } = pairsOfBuckets(
        pairMemoryOf(here),
        {
          ...task,
          ...typedColumns(larger, LARGER),
          banding,
          hashes: sketch.hashes,
          source,
          rowOf: numbersOf(here, task).rowOf,
          marks: { ...marks, words: Math.ceil(banding.bands / 32) },
          mostLeaders: MOST_LEADERS,
          mostFollowed: MOST_FOLLOWED,
          ranges: pairRanges(source.starts.at(-1)!),
        },
        writer.take,
      );
      const report = { ...writer.report(), tally: [...tally], ...counts };
      if (lists !== null)
        writeWorkFile(lists, NAMES.comparedBuckets(band), encodeBlock('buckets', { report }, {}));
      return report;
    });
  },
};

/** Reduce: the pairs of all bands in some ranges become distinct pairs with their agreements. */
export const candidatePairs: TaskKind<CandidatePairsTask, CandidatePairsReport> = {
  work(task, here) {
    const { cutoff, room } = task;
    const { sketch, banding } = setupOf(here).params;
    const listed = task.listed.map((name) => partOf(here, task, name, false).pairs);
    const compared = task.compared.map((name) => partOf(here, task, name, true));
    return withSignatures(here, task, (source) => {
      const { rowOf } = numbersOf(here, task);
      const input = { banding, hashes: sketch.hashes, source, rowOf, cutoff, room };
      const { tally, ...pairs } = comparedPairs(pairMemoryOf(here), { listed, compared }, input);
      put(here, NAMES.candidatePairs(task.task), encodeBlock('pairs', {}, { ...pairs }));
      return { tally: [...tally] };
    });
  },
};

/** The pairs of a part in the ranges of a task. */
function partOf(
  here: Workplace,
  { lists, from, to }: CandidatePairsTask,
  name: string,
  hasAgreements: boolean,
): { readonly pairs: Uint32Array; readonly agreements: Uint16Array } {
  if (lists === null) {
    const { pairs, starts, agreements } = typedColumns(block(here, name, 'pairs'), PART);
    const [first, end] = [starts[from]!, starts[to]!];
    return { pairs: pairs.subarray(2 * first, 2 * end), agreements: agreements.subarray(first, end) };
  }
  const path = workFile(lists, name);
  const file = openSync(path, 'r');
  try {
    const read = <T extends Uint16Array | Uint32Array>(array: T, at: number): T => {
      readFully(file, new Uint8Array(array.buffer), at, path);
      return array;
    };
    const places = columnPlaces((bytes, at) => readFully(file, bytes, at, path), PART, path);
    const starts = read(new Uint32Array(to - from + 1), places.starts + 4 * from);
    const [first, end] = [starts[0]!, starts.at(-1)!];
    return {
      pairs: read(new Uint32Array(2 * (end - first)), places.pairs + 8 * first),
      agreements: read(new Uint16Array(hasAgreements ? end - first : 0), places.agreements + 2 * first),
    };
  } finally {
    closeSync(file);
  }
}
