/**
 * Stage 1: the source becomes a corpus, whose signatures (or samples) are in the store.
 *
 * Documents are read by the column block; lines of sets first become the tiles of the matrix.
 */

import type { IdTable } from '../../blocks/ids.js';
import { NAMES } from '../../blocks/names.js';
import { unnamedFile } from '../../readers/list/fileTable.js';
import { fieldsRead, sampleParams } from '../../sketch/params.js';
import { lengthOf } from '../../store/blockPlace.js';
import { isScarce } from '../../store/budget.js';
import type { Run } from '../context.js';
import { groupsOfDocuments } from '../pair/documentGroups.js';
import { aheadOfDocuments, copyOfDocuments } from '../planning/estimate.js';
import { refuseMissingFields } from '../start/askedFields.js';
import { SetReader } from '../verify/reread.js';
import type { SetSource } from '../verify/tileSets.js';
import { type Corpus, CorpusBuilder, refuseSkipped, type SkipList } from './corpus.js';
import { type Eliminated, eliminatedShingles, eliminatedTexts } from './frequentShingles.js';
import { RowForm } from './setMatrix.js';
import { sketchBlocks } from './sketching.js';
import { ReadingProgress, type Source } from './source.js';

export interface ListedShingles extends Eliminated {
  readonly texts: IdTable;
}

/** A corpus whose signatures, or samples, are in the store. */
export interface Sketched {
  readonly corpus: Corpus;
  /** Shingles that no sketch has; null: frequent shingles were not looked for. */
  readonly eliminated: ListedShingles | null;
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
  const { maxShingleDocuments, sets } = run.params;
  const files = source.input?.files;
  if (files !== undefined) run.tables.take(`${files.length} input files`, files.tableBytes);
  const eliminated =
    maxShingleDocuments === null
      ? null
      : await run.stage('count', () => countShingles(run, source, maxShingleDocuments));
  const sketch = sets === undefined ? sketchDocuments : sketchSets;
  return { ...(await sketch(run, source, rowChunks, skipped)), eliminated };
}

async function sketchDocuments(
  run: Run,
  source: Source,
  rowChunks: number,
  skipped: SkipList,
): Promise<Omit<Sketched, 'eliminated'>> {
  let textBytes = 0;
  let met = 0;
  let samples = 0;
  const { corpus, blocks } = await run.stage('sketch', async () => {
    const files = source.input?.files ?? unnamedFile();
    const fields = fieldsRead(run.params);
    const { unit } = run.params;
    const builder = new CorpusBuilder(run.engine.store, files, skipped, isScarce(run.budget), fields, unit);
    const progress = new ReadingProgress(run, source);
    for await (const block of sketchBlocks(run, source.first(), rowChunks)) {
      const before = builder.bytes;
      builder.add(block);
      if (sampleParams(run.params) !== null)
        samples += lengthOf(run.engine.store.locate(NAMES.fingerprints(block.block)));
      const { rows } = builder.totals;
      run.tables.take(`${rows} documents and more`, builder.bytes - before, () => {
        const times = progress.times;
        const all = times * builder.bytes;
        return all - builder.bytes + aheadOfDocuments(run, times * rows, all, times * samples);
      });
      textBytes += block.report.bytes;
      met += block.report.documents + block.report.skipped + (block.report.tooShort ?? 0);
      refuseSkipped(run.params, skipped);
      progress.add(block.inputBytes, block.report.bytes);
    }
    run.tables.working = 0;
    source.nameFaults(skipped);
    refuseSkipped(run.params, skipped);
    const numbered = await numberedCorpus(run, builder, met, samples);
    refuseMissingFields(numbered, run.params, source.input);
    const all = { ...numbered, group: groupsOfDocuments(run, numbered, files) };
    return { corpus: all, blocks: builder.blocks };
  });
  const reader = new SetReader(run, corpus, blocks, source);
  return { corpus, reader, textBytes, met: met - corpus.skipsRepeated };
}

/** The corpus of all documents that were added; `met` of them were found, and their samples take so many bytes. */
async function numberedCorpus(
  run: Run,
  builder: CorpusBuilder,
  met: number,
  samples: number,
): Promise<Corpus> {
  // No task runs now, so the memory of tasks is free for the second copy.
  const copy = copyOfDocuments(run, builder.bytes);
  const ahead = (): number => aheadOfDocuments(run, builder.totals.rows, builder.bytes, samples) - copy;
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

async function sketchSets(
  run: Run,
  source: Source,
  rowChunks: number,
  skipped: SkipList,
): Promise<Omit<Sketched, 'eliminated'>> {
  const rows = new RowForm(run, source.input!.files, rowChunks, skipped);
  await run.stage('rows', () => rows.read(source));
  return run.stage('sketch', () => rows.sketch());
}

/** The shingles in more than `most` documents, with their texts. */
async function countShingles(run: Run, source: Source, most: number): Promise<ListedShingles> {
  const eliminated = await eliminatedShingles(run, source, most);
  return { ...eliminated, texts: await eliminatedTexts(run, source, eliminated) };
}
