/**
 * Stage 1: the source becomes a corpus, whose signatures are in the store.
 *
 * Documents are read by the column block; lines of sets first become the tiles of the matrix.
 */

import { unnamedFile } from '../../readers/list/fileTable.js';
import { fieldsRead } from '../../sketch/params.js';
import { isScarce } from '../../store/budget.js';
import type { Run } from '../context.js';
import { groupsOfDocuments } from '../pair/documentGroups.js';
import { aheadOfDocuments, copyOfDocuments } from '../planning/estimate.js';
import { refuseMissingFields } from '../start/askedFields.js';
import { SetReader } from '../verify/reread.js';
import type { SetSource } from '../verify/tileSets.js';
import { type Corpus, CorpusBuilder, refuseSkipped, type SkipList } from './corpus.js';
import { RowForm } from './setMatrix.js';
import { sketchBlocks } from './sketching.js';
import { ReadingProgress, type Source } from './source.js';

/** A corpus whose signatures are in the store. */
export interface Sketched {
  readonly corpus: Corpus;
  /** The sets of its documents, for exact verification. */
  readonly reader: SetSource;
  readonly textBytes: number;
  /** Documents and places that were read or skipped: counted apart, so that the counts can be checked against it. */
  readonly met: number;
}

/**
 * Sketches and numbers the documents of a run. Skipped places are added to `skipped`.
 *
 * @throws MinHashError INPUT_REFUSED with --on-error fail, INTERRUPTED, TASK_FAILED, WORKER_LOST
 */
export async function sketchCorpus(
  run: Run,
  source: Source,
  rowChunks: number,
  skipped: SkipList,
): Promise<Sketched> {
  const { sets } = run.params;
  const files = source.input?.files;
  if (files !== undefined) run.tables.take(`${files.length} input files`, files.tableBytes);
  const sketch = sets === undefined ? sketchDocuments : sketchSets;
  return sketch(run, source, rowChunks, skipped);
}

async function sketchDocuments(
  run: Run,
  source: Source,
  rowChunks: number,
  skipped: SkipList,
): Promise<Sketched> {
  let textBytes = 0;
  let met = 0;
  const { corpus, blocks } = await run.stage('sketch', async () => {
    const files = source.input?.files ?? unnamedFile();
    const fields = fieldsRead(run.params);
    const { unit } = run.params;
    const builder = new CorpusBuilder(run.engine.store, files, skipped, isScarce(run.budget), fields, unit);
    const progress = new ReadingProgress(run, source);
    for await (const block of sketchBlocks(run, source.first(), rowChunks)) {
      const before = builder.bytes;
      builder.add(block);
      const { rows } = builder.totals;
      run.tables.take(`${rows} documents and more`, builder.bytes - before, () => {
        const times = progress.times;
        const all = times * builder.bytes;
        return all - builder.bytes + aheadOfDocuments(run, times * rows, all);
      });
      textBytes += block.report.bytes;
      met += block.report.documents + block.report.skipped + (block.report.tooShort ?? 0);
      refuseSkipped(run.params, skipped);
      progress.add(block.inputBytes, block.report.bytes);
    }
    run.tables.working = 0;
    source.nameFaults(skipped);
    refuseSkipped(run.params, skipped);
    const numbered = await numberedCorpus(run, builder, met);
    refuseMissingFields(numbered, run.params, source.input);
    const all = { ...numbered, group: groupsOfDocuments(run, numbered, files) };
    return { corpus: all, blocks: builder.blocks };
  });
  const reader = new SetReader(run, corpus, blocks, source);
  return { corpus, reader, textBytes, met: met - corpus.skipsRepeated };
}

/** The corpus of all documents that were added; `met` of them were found. */
async function numberedCorpus(run: Run, builder: CorpusBuilder, met: number): Promise<Corpus> {
  // No task runs now, so the memory of tasks is free for the second copy.
  const copy = copyOfDocuments(run, builder.bytes);
  const ahead = (): number => aheadOfDocuments(run, builder.totals.rows, builder.bytes) - copy;
  run.tables.take('documents in the order of their places', copy, ahead);
  const take = (bytes: number): void => run.tables.take('places of documents whose ids repeat', bytes);
  const all = await run.turns.through(builder.finish(take));
  run.tables.give(copy);
  const { rows, skips, tooShort } = builder.totals;
  const { repeatedIds } = all.counts;
  const without = tooShort === 0 ? {} : { 'left out': tooShort };
  run.balance('documents and places', met, { documents: rows, skipped: skips, ...without });
  run.balance('documents', rows, {
    'called by their ids': all.documents - repeatedIds,
    'called by their places, because their ids repeat': repeatedIds,
  });
  return all;
}

async function sketchSets(run: Run, source: Source, rowChunks: number, skipped: SkipList): Promise<Sketched> {
  const rows = new RowForm(run, source.input!.files, rowChunks, skipped);
  await run.stage('rows', () => rows.read(source));
  return run.stage('sketch', () => rows.sketch());
}
