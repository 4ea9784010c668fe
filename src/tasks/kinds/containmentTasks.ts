/**
 * Tasks of `--measure containment`, which does not use signatures: reference documents become a table of shingles, in which the
 * shingles of documents are looked up.
 *
 *      referenceSets      batch -> documents/k, referenceSets/k
 *      containments       batch, references -> documents/k, containments/k
 */
import { ContainedReferences, containments as containmentsOf } from '../../../mappers/containments.js';
import { shingleSets } from '../../../mappers/shingleSets.js';
import { encodeBlock, typedColumns } from '../../blocks/block.js';
import { NAMES, ONE } from '../../blocks/names.js';
import type { TaskKind } from '../task.js';
import { block, comparingKernel, firstReading, put, scratchValue, setupOf } from '../workplace.js';
import { putDocuments, type SketchReport, type SketchTask } from './sketchTasks.js';

/** Map: reference documents become shingle sets. */
export const referenceSets: TaskKind<SketchTask, SketchReport> = {
  work(task, here) {
    const source = firstReading(here, task);
    const { counts, hashes, documents } = shingleSets(
      source.feed,
      comparingKernel(here),
      setupOf(here).params.shingle,
      null,
    );
    put(here, NAMES.referenceSets(task.block), encodeBlock('shingleSets', {}, { counts, hashes }));
    return putDocuments(here, task, source.table(documents));
  },
};

const TABLE = {
  keys: 'u32',
  places: 'u32',
  bits: 'u32',
  offsets: 'u32',
  owners: 'u32',
  starts: 'u32',
  members: 'u32',
} as const;

/** Map: documents become the reference documents that they contain. */
export const containments: TaskKind<SketchTask, SketchReport> = {
  work(task, here) {
    const { shingle, threshold } = setupOf(here).params;
    const references = scratchValue(here, 'references', () => {
      return new ContainedReferences(typedColumns(block(here, ONE.references), TABLE), threshold);
    });
    const source = firstReading(here, task);
    const contained = containmentsOf(source.feed, comparingKernel(here), shingle, references);
    put(here, NAMES.containments(task.block), contained.containments());
    return putDocuments(here, task, source.table(contained.documents));
  },
};
