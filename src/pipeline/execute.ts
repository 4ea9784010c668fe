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
import type { ResultParams } from '../sketch/params.js';
import { type Corpus, CorpusBuilder } from './corpus.js';
import { corpusMark } from './corpusMark.js';
import type { Documents } from './documents.js';
import { eliminatedTexts } from './eliminatedTexts.js';
import { type Eliminated, eliminatedShingles } from './elimination.js';
import { findOutcome, type Outcome } from './outcome.js';
import { RowForm } from './rowForm.js';
import type { Run } from './run.js';
import { SetReader } from './secondReading.js';
import type { SetSource } from './setSource.js';
import { sketchBlocks } from './sketching.js';
import { refuse, type SkipList } from './skipped.js';

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
  const { maxShingleDocuments, sets } = run.params;
  const { files } = documents;
  if (files !== null) run.tables.take(`${files.length} input files`, files.tableBytes);
  const eliminated =
    maxShingleDocuments === null
      ? null
      : await run.stage('count', () => countShingles(run, documents, maxShingleDocuments));
  const sketch = sets === undefined ? sketchDocuments : sketchSets;
  const { corpus, reader, textBytes, met } = await sketch(run, documents, rowChunks, skipped, steps);
  const outcome = await findOutcome(run, corpus, reader, (verified) => steps.verified(corpus, verified));
  addWithdrawn(corpus, outcome, reader, skipped);
  return { corpus, outcome, eliminated, textBytes, met };
}

/** A corpus whose signatures and bucket keys are in the store. */
interface Sketched {
  readonly corpus: Corpus;
  /** The sets of its documents, for exact verification. */
  readonly reader: SetSource;
  readonly textBytes: number;
  readonly met: number;
}

async function sketchDocuments(
  run: Run,
  documents: Documents,
  rowChunks: number,
  skipped: SkipList,
  steps: Steps,
): Promise<Sketched> {
  let textBytes = 0;
  let met = 0;
  const fails = run.params.onError === 'fail';
  const { corpus, blocks } = await run.stage('sketch', async () => {
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
      progress.add(block.inputBytes, block.report.bytes);
    }
    steps.read();
    if (fails && skipped.length > 0) refuse(skipped);
    // No task runs now: the room of tasks is there for the second copy.
    const copy = Math.max(0, builder.bytes - run.engine.parallelism * run.budget.task);
    run.tables.take('documents in the order of their ids', copy);
    const all = builder.finish((bytes) => run.tables.take('places of documents whose ids repeat', bytes));
    run.tables.give(copy);
    const { rows, skips } = builder.totals;
    const { repeatedIds } = all.counts;
    run.balance('documents and places', met, { documents: rows, skipped: skips });
    run.balance('documents', rows, {
      'called by their ids': all.documents - repeatedIds,
      'called by their places, because their ids repeat': repeatedIds,
    });
    if (run.engine.store.recalled !== undefined) run.corpusMark = corpusMark(all);
    return { corpus: all, blocks: builder.blocks };
  });
  const reader = new SetReader(run, corpus, blocks, documents.again, documents.filesAgain);
  return { corpus, reader, textBytes, met: met - corpus.skipsRepeated };
}

async function sketchSets(
  run: Run,
  documents: Documents,
  rowChunks: number,
  skipped: SkipList,
  steps: Steps,
): Promise<Sketched> {
  const rows = new RowForm(run, documents.files!, rowChunks, skipped);
  await run.stage('rows', async () => {
    const progress = new ReadingProgress(run, documents);
    await rows.read(documents.first(), (inputBytes, textBytes) => progress.add(inputBytes, textBytes));
    steps.read();
    if (run.params.onError === 'fail' && skipped.length > 0) refuse(skipped);
  });
  return run.stage('sketch', async () => {
    const sketched = await rows.sketch();
    if (run.engine.store.recalled !== undefined) run.corpusMark = corpusMark(sketched.corpus);
    return sketched;
  });
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

  /** A block more: bytes of the files it stands for, where they are known, and of text. */
  add(inputBytes: number | undefined, textBytes: number): void {
    this.inputBytes += inputBytes ?? 0;
    this.textBytes += textBytes;
    this.blocks++;
    if (this.totalBytes !== null) {
      this.run.progress(this.inputBytes, this.totalBytes, 'bytes', textBytes);
      this.run.disk?.forecast(this.inputBytes, this.totalBytes);
    } else if (this.totalBlocks !== null) {
      this.run.progress(this.blocks, this.totalBlocks, 'blocks', textBytes);
      this.run.disk?.forecast(this.blocks, this.totalBlocks);
    } else this.run.progress(this.textBytes, null, 'bytes', textBytes);
  }
}

function addWithdrawn(corpus: Corpus, outcome: Outcome, reader: SetSource, skipped: SkipList): void {
  const { offsets, bytes } = corpus.ids;
  for (let d = 0; d < corpus.documents; d++) {
    if (outcome.withdrawn[d] === 0) continue;
    skipped.add(bytes.subarray(offsets[d]!, offsets[d + 1]!), reader.reasonOf(d));
  }
}
