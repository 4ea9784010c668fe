/**
 * Tasks of the first reading: batches of documents become tables of documents, and signatures.
 *
 *      sketch      batch -> documents/k, signatures/k      with --exact-duplicates only documents/k
 *                  -> sets/k                               and for an index: sorted sets, with their checksums
 *      partials    batch -> documents/k, partials/k        with --shards: Map
 *      minima      partials/k -> signatures/k              with --shards: Reduce
 *
 * In file mode signatures, and after them the table of documents, are written to files in `.work`. A task whose files are complete is
 * skipped.
 */

import { contentKeys } from '../../../mappers/contentKeys.js';
import { partialSignatures } from '../../../mappers/partialSignatures.js';
import { documentSignatures, signaturesAndSets } from '../../../mappers/signatures.js';
import { signatures } from '../../../reducers/signatures.js';
import type { SortedSets } from '../../arrays/sort.js';
import { type Block, encodeBlock } from '../../blocks/block.js';
import { countsIn, type TableCounts } from '../../blocks/documents.js';
import { NAMES } from '../../blocks/names.js';

import { setChecksums } from '../../store/platformCrc.js';
import { readWorkFile, writeWorkFile } from '../../store/workFiles.js';
import type { TaskKind, Workplace } from '../task.js';
import {
  block,
  comparingKernel,
  fileBuffer,
  firstReading,
  kernelOf,
  put,
  type ReadingTask,
  setupOf,
} from '../workplace.js';

export interface SketchTask extends ReadingTask {
  readonly block: number;
  /** The folder of work files; null: everything stays in memory. */
  readonly folder: string | null;
  /** Whether complete files of an earlier attempt are used. */
  readonly resume: boolean;
  /** Whether to compute sets, too, in memory. */
  readonly withSets?: boolean;
}

export interface SketchReport extends TableCounts {
  /** Whether the batch comes from files of an earlier attempt. */
  readonly isResumed: boolean;
}

/** Stores the signatures of a batch: in memory, or in a file. */
export function putSignatures(
  here: Workplace,
  { block: k, folder }: Pick<SketchTask, 'block' | 'folder'>,
  value: Block,
): void {
  if (folder === null) put(here, NAMES.signatures(k), value);
  else writeWorkFile(folder, NAMES.signatures(k), value);
}

/** Stores the table of a batch, as the last step of a task: its file proves that the batch is complete. */
export function putDocuments(
  here: Workplace,
  { block: k, folder }: Pick<SketchTask, 'block' | 'folder'>,
  documents: Block,
): SketchReport {
  if (folder !== null) writeWorkFile(folder, NAMES.documents(k), documents);
  put(here, NAMES.documents(k), documents);
  return { ...countsIn(documents), isResumed: false };
}

/** The batch in files of an earlier attempt; null if there is none. */
function resumed(
  here: Workplace,
  { block: k, folder, resume }: Pick<SketchTask, 'block' | 'folder' | 'resume'>,
): SketchReport | null {
  if (!resume || folder === null) return null;
  const documents = readWorkFile(folder, NAMES.documents(k), 'documents');
  const { exactDuplicates } = setupOf(here).params;
  if (documents === null) return null;
  if (!exactDuplicates && readWorkFile(folder, NAMES.signatures(k), 'signatures') === null) return null;
  put(here, NAMES.documents(k), documents);
  return { ...countsIn(documents), isResumed: true };
}

/** Map and Reduce of a batch in one task, without shards. */
export const sketch: TaskKind<SketchTask, SketchReport> = {
  work(task, here) {
    const earlier = resumed(here, task);
    if (earlier !== null) return earlier;
    const { params } = setupOf(here);
    const source = firstReading(here, task);
    if (params.exactDuplicates) {
      return putDocuments(here, task, source.table(contentKeys(source.feed, kernelOf(here), params.shingle)));
    }
    if (task.withSets === true) {
      const sketched = signaturesAndSets(source.feed, comparingKernel(here), params.shingle, params);
      put(here, NAMES.sets(task.block), checkedSets(sketched.sets));
      putSignatures(here, task, sketched.signatures);
      return putDocuments(here, task, source.table(sketched.documents));
    }
    const buffer = task.folder === null ? undefined : fileBuffer(here);
    const sketched = documentSignatures(source.feed, comparingKernel(here), params.shingle, params, buffer);
    putSignatures(here, task, sketched.signatures);
    return putDocuments(here, task, source.table(sketched.documents));
  },
};

/** Sets with the CRC-32 of each. */
function checkedSets({ counts, hashes }: SortedSets): Block {
  return encodeBlock('shingleSets', {}, { counts, hashes, crcs: setChecksums({ counts, hashes }) }, true);
}

export interface PartialsTask extends SketchTask {
  readonly shards: number;
}

/** Map: the documents of a batch become partial signatures, one per shard. */
export const partials: TaskKind<PartialsTask, SketchReport> = {
  work(task, here) {
    const earlier = resumed(here, task);
    if (earlier !== null) return earlier;
    const { params } = setupOf(here);
    const source = firstReading(here, task);
    const { sketch } = params;
    const sketched = partialSignatures(
      source.feed,
      comparingKernel(here),
      params.shingle,
      sketch,
      task.shards,
    );
    put(here, NAMES.partials(task.block), sketched.partials);
    return putDocuments(here, task, source.table(sketched.documents));
  },
};

/** Reduce: the partial signatures of a batch become its signatures. */
export const minima: TaskKind<Pick<SketchTask, 'block' | 'folder'>, null> = {
  work(task, here) {
    const params = setupOf(here).params;
    const parts = block(here, NAMES.partials(task.block), 'partials');
    const buffer = task.folder === null ? undefined : fileBuffer(here);
    putSignatures(here, task, signatures(parts, kernelOf(here), params, buffer));
    return null;
  },
};
