/**
 * A run from column blocks to the outcome, on an engine: what runs over files and over documents in memory share.
 *
 * Floor 4.
 */

import type { VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { IdTable } from '../blocks/idTable.js';
import type { BlockStore, Engine } from '../engine/engine.js';
import { createInlineEngine } from '../engine/inline.js';
import { KERNEL_MODULE, loadKernelModule } from '../engine/kernelModule.js';
import { COLLECT_EVERY } from '../engine/performer.js';
import { createThreadsEngine } from '../engine/threads.js';
import { ERRORS, MinHashError, SKIP_CODES } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { type Corpus, CorpusBuilder } from './corpus.js';
import { corpusMark } from './corpusMark.js';
import type { Documents } from './documents.js';
import { eliminatedTexts } from './eliminatedTexts.js';
import { type Eliminated, eliminatedShingles } from './elimination.js';
import { findOutcome, type Outcome } from './outcome.js';
import type { Run } from './run.js';
import { SetReader } from './secondReading.js';
import { type SketchedBlock, sketchBlocks } from './sketching.js';
import type { SkipList } from './skipped.js';

const STAGES = new URL('../engine/task.js', import.meta.url).href;

/** Where the tasks of a run are performed. */
interface Place {
  readonly threads: number;
  /** Milliseconds. */
  readonly taskTimeout: number;
  /** See Budget; default: never. */
  readonly collectEvery?: number;
}

/**
 * An engine for a run: `threads` workers, or this thread for 0. The environment variable MR_MINHASH_KERNEL=reference
 * keeps the compiled kernel out, for comparing: the bytes of the result are the same.
 *
 * Resolves as soon as the workers are starting, which they do on other cores: what the coordinator has to do before it
 * has a task, it can do meanwhile. `ready` is the engine once they all answered, or why they cannot.
 */
export async function startEngine(
  params: ResultParams,
  { threads, taskTimeout, collectEvery }: Place,
  store: BlockStore,
): Promise<{ readonly ready: Promise<Engine> }> {
  const module = process.env.MR_MINHASH_KERNEL === 'reference' ? null : await loadKernelModule();
  const options = {
    workerData: {
      ...(module === null ? {} : { [KERNEL_MODULE]: module }),
      ...(collectEvery === undefined ? {} : { [COLLECT_EVERY]: collectEvery }),
    },
    stages: STAGES,
    setup: { params } as unknown as Record<string, never>,
    store,
  };
  const ready =
    threads === 0 ? createInlineEngine(options) : createThreadsEngine({ ...options, threads, taskTimeout });
  // Whoever waits for it hears of its failure; until then somebody else may have failed first.
  ready.catch(() => {});
  return { ready };
}

/** What is told on the way. */
export interface Steps {
  /** All is read; last moment for what is skipped and only known then. */
  read(): void;
  /** All pairs have their evidence. */
  verified(corpus: Corpus, verified: VerifiedPairs): Promise<void> | void;
}

/** Eliminated shingles, and what they are in words. */
export interface ListedShingles extends Eliminated {
  readonly texts: IdTable;
}

export interface Executed {
  readonly corpus: Corpus;
  readonly outcome: Outcome;
  /** Shingles in no sketch; null: none was looked for. */
  readonly eliminated: ListedShingles | null;
  readonly textBytes: number;
  /** Documents and places met while reading, skipped ones too: counted apart, so that the counts can be held against it. */
  readonly met: number;
}

/**
 * Sketches, numbers, buckets, verifies. What is skipped is added to `skipped`; `finishSkipped` is called when the first
 * reading is over, for what only then is known.
 *
 * @throws MinHashError INPUT_REFUSED with --on-error fail, INTERRUPTED, TASK_FAILED, WORKER_LOST
 */
export async function execute(
  run: Run,
  documents: Documents,
  rowChunks: number,
  skipped: SkipList,
  steps: Steps,
): Promise<Executed> {
  let textBytes = 0;
  let met = 0;
  const fails = run.params.onError === 'fail';
  const { maxShingleDocuments } = run.params;
  const eliminated =
    maxShingleDocuments === null
      ? null
      : await run.stage('count', () => countShingles(run, documents, maxShingleDocuments));
  const { all, blocks } = await run.stage('sketch', async () => {
    const builder = new CorpusBuilder(run.engine.store, documents.files, skipped);
    const progress = new ReadingProgress(run, documents);
    for await (const block of sketchBlocks(run, documents.first(), rowChunks)) {
      const before = builder.bytes;
      builder.add(block);
      const { rows } = builder.totals;
      run.tables.take(`${rows} documents and more`, builder.bytes - before, () =>
        progress.ahead(builder.bytes),
      );
      textBytes += block.report.bytes;
      met += block.report.documents + block.report.skipped;
      if (block.report.skipped > 0 && fails) refuse(skipped);
      progress.add(block);
    }
    steps.read();
    if (fails && skipped.length > 0) refuse(skipped);
    // No task runs now: the room of tasks is there for the second copy.
    const copy = Math.max(0, builder.bytes - run.engine.parallelism * run.budget.task);
    run.tables.take('documents in the order of their ids', copy);
    const corpus = builder.finish();
    run.tables.give(copy);
    const { rows, skips, repeatedIds } = builder.totals;
    run.balance('documents and places', met, { documents: rows, skipped: skips });
    run.balance('documents', rows, { numbered: corpus.documents, 'with an id met before': repeatedIds });
    if (fails && skipped.length > 0) refuse(skipped);
    if (run.engine.store.recalled !== undefined) run.corpusMark = corpusMark(corpus);
    return { all: corpus, blocks: builder.blocks };
  });
  const reader = new SetReader(run, all, blocks, documents.again, documents.filesAgain);
  const outcome = await findOutcome(run, all, reader, (verified) => steps.verified(all, verified));
  addWithdrawn(all, outcome, reader, skipped);
  return { corpus: all, outcome, eliminated, textBytes, met: met - all.skipsRepeated };
}

async function countShingles(run: Run, documents: Documents, most: number): Promise<ListedShingles> {
  const eliminated = await eliminatedShingles(run, documents, most);
  return { ...eliminated, texts: await eliminatedTexts(run, documents, eliminated) };
}

/** Tells how far the first reading is: in bytes of the input files where all are known, else in blocks, else in text. */
class ReadingProgress {
  private readonly run: Run;
  private readonly totalBytes: number | null;
  private readonly totalBlocks: number | null;
  private inputBytes = 0;
  private textBytes = 0;
  private blocks = 0;

  constructor(run: Run, { totalBytes, totalBlocks }: Pick<Documents, 'totalBytes' | 'totalBlocks'>) {
    this.run = run;
    this.totalBytes = totalBytes;
    this.totalBlocks = totalBlocks;
  }

  /** Bytes that a table of documents will still take, of which those that were read take `held`. */
  ahead(held: number): number {
    const whole = this.totalBytes === null || this.inputBytes === 0 ? 1 : this.totalBytes / this.inputBytes;
    return held * (Math.max(1, whole) - 1);
  }

  add({ inputBytes, report }: SketchedBlock): void {
    this.inputBytes += inputBytes ?? 0;
    this.textBytes += report.bytes;
    this.blocks++;
    if (this.totalBytes !== null) {
      this.run.progress(this.inputBytes, this.totalBytes, 'bytes', report.bytes);
    } else if (this.totalBlocks !== null) {
      this.run.progress(this.blocks, this.totalBlocks, 'blocks', report.bytes);
    } else this.run.progress(this.textBytes, null, 'bytes', report.bytes);
  }
}

/** @throws MinHashError INPUT_REFUSED naming the first place skipped, in order of reading */
export function refuse(skipped: SkipList): never {
  const { place, code } = skipped.first();
  const name = SKIP_CODES[code]!;
  const detail = `${place}: ${ERRORS[name].text} (${ERRORS[name].remedy})`;
  throw new MinHashError({ code: 'INPUT_REFUSED', detail });
}

function addWithdrawn(corpus: Corpus, outcome: Outcome, reader: SetReader, skipped: SkipList): void {
  const { offsets, bytes } = corpus.ids;
  for (let d = 0; d < corpus.documents; d++) {
    if (outcome.withdrawn[d] === 0) continue;
    skipped.add(bytes.subarray(offsets[d]!, offsets[d + 1]!), reader.reasonOf(d));
  }
}
