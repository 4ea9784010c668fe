/** Groups of documents: the reference is group 0, and each other document a group, or all one where they are not compared with each other. */
import { ONE } from '../../blocks/names.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';

/** The number of the group of a document, in a table. */
const GROUP_BYTES = 4;

/**
 * By document: its group; null: there is no reference.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export function groupsOfDocuments(run: Run, corpus: Corpus, files: FileTable): Uint32Array | null {
  if (run.params.groups === null) return null;
  const { documents, blockOf, columnOf, tables } = corpus;
  run.tables.take(`groups of ${documents} documents`, GROUP_BYTES * documents);
  const group = new Uint32Array(documents);
  for (let d = 0; d < documents; d++) {
    const file = tables[blockOf[d]!]!.columns.file[columnOf[d]!]!;
    group[d] = files.isReference(file) ? 0 : run.params.groups.only ? 1 : 1 + d;
  }
  return group;
}

/** The name of the block of document groups, for tasks that make pairs; empty if there is no reference. */
export function groupBlocks({ params }: Run): readonly string[] {
  return params.groups === null ? [] : [ONE.groups];
}
