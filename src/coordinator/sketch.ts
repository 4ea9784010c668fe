/**
 * Step 1: every batch of documents becomes a table of documents, and signatures.
 *
 *      without shards   batch --sketch--> documents/k, signatures/k
 *      --shards N       batch --partials--> documents/k, partials/k --minima--> signatures/k
 *
 * Signatures are in shared memory, or in one file per batch. If there are too many documents for memory, the signatures
 * so far are written to files, and later tasks write theirs directly.
 */

import type { ByteColumn } from '../arrays/growable.js';
import { decodeBlock } from '../blocks/block.js';
import { NAMES, ONE } from '../blocks/names.js';
import { type FileTable, unnamedFile } from '../readers/list/fileTable.js';
import { writeWorkFile } from '../store/workFiles.js';
import type { ContainmentReading } from './contained.js';
import type { Run } from './context.js';
import { Documents } from './documentList.js';
import {
  inputsOf,
  ReadingProgress,
  type SketchedBatch,
  type Source,
  type SourceBatch,
} from './sketch/source.js';
import { type LinesTotals, sketchedSets } from './sketchSets.js';
import { RepeatedSkips, refuseSkipped, type SkipList } from './skips.js';
import { signatureBytes } from './storage.js';

/** Documents of an index, as a batch after those of the inputs (src/coordinator/index/indexReference.ts). */
export interface ReferenceBatch {
  batch(run: Run, batches: readonly SketchedBatch[], files: FileTable): Promise<SketchedBatch>;
  appendLocation(i: number, out: ByteColumn): void;
}

export interface Sketched {
  readonly documents: Documents;
  readonly batches: readonly SketchedBatch[];
  readonly textBytes: number;
  /** Documents and locations that were read or skipped: counted separately, so that the other counts can be checked. */
  readonly met: number;
  /** Batches taken from the files of an earlier attempt. */
  readonly resumed: number;
}

/**
 * Sketches the documents of a run. Skipped locations are added to `skipped`.
 *
 * @param contained reads the batches instead, without sketches; null: they are sketched
 * @throws MinHashError INPUT_REFUSED with --on-error fail, MEMORY_BUDGET, INTERRUPTED, TASK_FAILED, WORKER_LOST
 */
export function sketch(
  run: Run,
  source: Source,
  shards: number,
  skipped: SkipList,
  reference: ReferenceBatch | null = null,
  contained: ContainmentReading | null = null,
): Promise<Sketched> {
  return run.stage('sketch', async () => {
    const { params } = run;
    const files = source.input?.files ?? unnamedFile();
    run.takeTables(`${files.length} input files`, files.tableBytes);
    // Documents in memory and sets have no location other than their id.
    const skips = new RepeatedSkips(files, skipped, source.input === null || params.sets !== undefined);
    const documents = new Documents(run, files, skips);
    const batches: SketchedBatch[] = [];
    const progress = new ReadingProgress(run, source);
    const lines: LinesTotals = { textBytes: 0, skipped: 0 };
    let [textBytes, met, resumed] = [0, 0, 0];
    const all =
      contained !== null
        ? contained.batches(source.first())
        : params.sets === undefined
          ? sketchedBatches(run, source.first(), shards)
          : sketchedSets(run, source, skipped, lines, progress);
    const take = (batch: SketchedBatch): void => {
      const { report } = batch;
      const before = documents.bytes;
      documents.add(batch);
      batches.push(batch);
      textBytes += report.bytes;
      met += report.documents + report.skipped + (report.tooShort ?? 0);
      if (batch.isResumed) resumed++;
      keepSignatures(run, batch, documents);
      run.takeTables(`${documents.rows} documents`, documents.bytes - before);
      refuseSkipped(params, skipped);
    };
    for await (const batch of all) {
      take(batch);
      if (params.sets === undefined) progress.add(batch.report.bytes);
    }
    // It is not among the batches of the source, whose number is the total of the progress.
    if (reference !== null) take(await reference.batch(run, batches, files));
    source.nameProblems(skipped);
    refuseSkipped(params, skipped);
    documents.finish(reference);
    const { tooShort } = documents.withoutRow;
    const without = tooShort === 0 ? {} : { 'left out': tooShort };
    run.balance('documents and places', met, { documents: documents.rows, skipped: skips.taken, ...without });
    return {
      ...{ documents, batches, resumed },
      textBytes: textBytes + lines.textBytes,
      met: met - skips.repeated + lines.skipped,
    };
  });
}

/**
 * Sketches batches. Yields them in order, each after its blocks are in memory or its files are written.
 *
 * @param shards null: batches have sets of shingles too, for an index
 */
export async function* sketchedBatches(
  run: Run,
  batches: AsyncIterable<SourceBatch>,
  shards: number | null = null,
): AsyncGenerator<SketchedBatch> {
  const { storage } = run;
  const isSharded = shards !== null && shards > 1 && !run.params.exactDuplicates;
  const sketchOne = async (batch: SourceBatch): Promise<SketchedBatch> => {
    const { block, split, text, label } = batch;
    const folder = storage.filesIn;
    const params = { block, split, text, folder, resume: storage.resumes };
    const inputs = inputsOf(batch, run.params.ignore === undefined ? null : ONE.ignored);
    const { isResumed, ...report } = await run.withText(batch, () =>
      isSharded
        ? run.task({ kind: 'partials', label, inputs, params: { ...params, shards } })
        : run.task({ kind: 'sketch', label, inputs, params: { ...params, withSets: shards === null } }),
    );
    if (isSharded && !isResumed) await reduced(run, block, label, folder);
    return { ...batch, report, isResumed };
  };
  yield* run.each(batches, sketchOne);
}

/** Reduces the partial signatures of a batch to its signatures. */
async function reduced(run: Run, block: number, label: string, folder: string | null): Promise<void> {
  const partials = NAMES.partials(block);
  await run.task({ kind: 'minima', label, inputs: [partials], params: { block, folder } });
  run.engine.store.delete(partials);
}

/** Writes signatures that are in memory to files, once they do not all fit in memory. */
function keepSignatures(
  { engine: { store }, params, storage }: Run,
  { block }: SketchedBatch,
  documents: Documents,
): void {
  const each = signatureBytes(params);
  if (!storage.isInFiles) {
    if (storage.fits(documents.bytes + each * documents.rows)) return;
    storage.useFiles();
    for (let k = 0; k <= block; k++) toFile(k);
    documents.toFiles();
    return;
  }
  toFile(block);

  function toFile(k: number): void {
    const name = NAMES.signatures(k);
    if (!store.has(name)) return;
    writeWorkFile(storage.filesIn!, name, decodeBlock(store.get(name), 'signatures', name));
    store.delete(name);
  }
}
