/**
 * A run from column blocks to the outcome, on an engine: what runs over files and over documents in memory share.
 *
 * Floor 4.
 */
import type { Engine } from '../engine/engine.js';
import { createInlineEngine } from '../engine/inline.js';
import { KERNEL_MODULE, loadKernelModule } from '../engine/kernelModule.js';
import { createThreadsEngine } from '../engine/threads.js';
import { ERRORS, MinHashError, SKIP_CODES } from '../errors.js';
import type { ResultParams } from '../sketch/params.js';
import { createMemoryStore } from '../storage/store.js';
import type { TaskSource } from '../storage/taskSource.js';
import { assembleCorpus, type Corpus } from './corpus.js';
import { findOutcome, type Outcome } from './outcome.js';
import type { Run } from './run.js';
import { type FileSource, SetReader, type TextSource } from './secondReading.js';
import { type ColumnBlock, type SketchedBlock, sketchBlocks } from './sketching.js';
import type { SkipList } from './skipped.js';

const STAGES = new URL('../engine/task.js', import.meta.url).href;

/**
 * An engine for a run: `threads` workers, or this thread for 0. The environment variable MR_MINHASH_KERNEL=reference
 * keeps the compiled kernel out, for comparing: the bytes of the result are the same.
 */
export async function createEngine(params: ResultParams, threads: number): Promise<Engine> {
  const module = process.env.MR_MINHASH_KERNEL === 'reference' ? null : await loadKernelModule();
  const options = {
    workerData: module === null ? {} : { [KERNEL_MODULE]: module },
    stages: STAGES,
    setup: { params } as unknown as Record<string, never>,
    store: createMemoryStore(),
  };
  return threads === 0 ? createInlineEngine(options) : createThreadsEngine({ ...options, threads });
}

/** Where the documents of a run come from. */
export interface Documents {
  first(): AsyncIterable<ColumnBlock>;
  readonly again: TextSource;
  readonly filesAgain: FileSource;
  /** Ids of the input files by number; binary strings. */
  readonly fileIds: readonly string[];
  /** Bytes of input, for progress; null while unknown. */
  readonly totalBytes: number | null;
}

export interface Executed {
  readonly corpus: Corpus;
  readonly outcome: Outcome;
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
  finishSkipped: () => void,
): Promise<Executed> {
  let textBytes = 0;
  let met = 0;
  let inputBytes = 0;
  const corpus = await run.stage('sketch', async () => {
    const blocks: SketchedBlock[] = [];
    for await (const block of sketchBlocks(run, documents.first(), rowChunks)) {
      blocks.push(block);
      textBytes += block.report.bytes;
      inputBytes += inputBytesOf(block.source);
      met += block.report.documents + block.report.skipped;
      if (block.report.skipped > 0 && run.params.onError === 'fail') {
        assembleCorpus(run, blocks, documents.fileIds, skipped);
        refuse(skipped);
      }
      const known = documents.totalBytes !== null;
      run.progress(known ? inputBytes : textBytes, documents.totalBytes, 'bytes', block.report.bytes);
    }
    finishSkipped();
    if (run.params.onError === 'fail' && skipped.length > 0) refuse(skipped);
    const all = assembleCorpus(run, blocks, documents.fileIds, skipped);
    if (run.params.onError === 'fail' && skipped.length > 0) refuse(skipped);
    return { all, blocks };
  });
  const { again, filesAgain } = documents;
  const reader = new SetReader(run, corpus.all, corpus.blocks, again, filesAgain);
  const outcome = await findOutcome(run, corpus.all, reader);
  addWithdrawn(corpus.all, outcome, skipped);
  return { corpus: corpus.all, outcome, textBytes, met: met - corpus.all.skipsRepeated };
}

/** Bytes of the input files that a source stands for, as stored; 0 where that is not known. */
function inputBytesOf(source: TaskSource): number {
  if (source.kind === 'range') return source.to - source.from;
  if (source.kind === 'files') return source.files.reduce((sum, file) => sum + file.bytes, 0);
  return 0;
}

/** @throws MinHashError INPUT_REFUSED naming the first place skipped, in order of reading */
export function refuse(skipped: SkipList): never {
  const { place, code } = skipped.first();
  const name = SKIP_CODES[code]!;
  const detail = `${place}: ${ERRORS[name].text} (${ERRORS[name].remedy})`;
  throw new MinHashError({ code: 'INPUT_REFUSED', detail });
}

function addWithdrawn(corpus: Corpus, outcome: Outcome, skipped: SkipList): void {
  const { offsets, bytes } = corpus.ids;
  for (let d = 0; d < corpus.documents; d++) {
    if (outcome.withdrawn[d] === 1) skipped.add(bytes.subarray(offsets[d]!, offsets[d + 1]!), 'CHANGED');
  }
}
