/**
 * Groups of documents; a run with groups compares only documents of different groups. A group is the reference or all other
 * documents (--against), the documents with the same value of a field, or those of a folder.
 */
import { numberName } from '../../../reducers/survivorKeys.js';
import { writeFmix64 } from '../../arrays/hashing.js';
import { NameTable } from '../../arrays/hashTable.js';
import { MISSING, NUMBER } from '../../blocks/fieldValues.js';
import { ONE } from '../../blocks/names.js';
import type { FileTable } from '../../readers/list/fileTable.js';
import type { GroupRule } from '../../sketch/params.js';
import type { Run } from '../context.js';
import type { Corpus } from '../sketch/corpus.js';

/** The number of the group of a document, in a table. */
const GROUP_BYTES = 4;

const SLASH = 0x2f;

/**
 * By document: its group, numbered from 0; null: the run has no groups. With --against the reference is group 0.
 *
 * @throws MinHashError MEMORY_BUDGET
 */
export function groupsOfDocuments(run: Run, corpus: Corpus, files: FileTable): Uint32Array | null {
  const { groups } = run.params;
  if (groups === null) return null;
  run.tables.take(`groups of ${corpus.documents} documents`, GROUP_BYTES * corpus.documents);
  if (groups.by === 'field') return valueGroups(run, corpus, groups.field);
  return ofDocuments(corpus, groupsOfFiles(groups, files, new GroupNames(run)));
}

/** The name of the block of document groups, for tasks that make pairs; empty where the run has no groups. */
export function groupBlocks({ params }: Run): readonly string[] {
  return params.groups === null ? [] : [ONE.groups];
}

/** By file: the group of its documents, numbered from 0; the reference is group 0. */
function groupsOfFiles(
  groups: Exclude<GroupRule, { readonly by: 'field' }>,
  files: FileTable,
  names = new GroupNames(null),
): Uint32Array {
  return groups.by === 'against' ? referenceGroups(files) : placeGroups(names, files, groups.depth);
}

/** Names of groups, numbered in the order of their first occurrence; their bytes are taken from the budget of tables. */
class GroupNames {
  private readonly run: Run | null;
  private readonly names = new NameTable();
  private readonly hash = new Uint32Array(2);
  private taken = 0;

  /** @param run null: takes no bytes, where there are no more names than files */
  constructor(run: Run | null) {
    this.run = run;
  }

  numberOf(name: Uint8Array): number {
    const { hash, names } = this;
    hash[0] = name.length;
    hash[1] = 0;
    for (let i = 0; i < name.length; i += 4) {
      const word =
        name[i]! | ((name[i + 1] ?? 0) << 8) | ((name[i + 2] ?? 0) << 16) | ((name[i + 3] ?? 0) << 24);
      writeFmix64(hash, 0, hash[0]! ^ word, hash[1]! + 1);
    }
    const before = names.length;
    const number = names.numberOf(name, 0, name.length, hash[0]!, hash[1]!);
    if (this.run !== null && names.length > before && names.tableBytes > this.taken) {
      this.run.tables.take(`names of ${names.length} groups`, names.tableBytes - this.taken);
      this.taken = names.tableBytes;
    }
    return number;
  }

  /** Gives back the bytes of the names. */
  forget(): void {
    this.run?.tables.give(this.taken);
  }
}

/** Groups of documents by the value of a field; documents without the field are one group. A number equals no text. */
function valueGroups(run: Run, corpus: Corpus, field: string): Uint32Array {
  let bytes = 0;
  const values = corpus.fieldValues(field, (more) => {
    bytes += more;
    run.tables.take(`values of --group-field ${field}`, more);
  });
  const names = new GroupNames(run);
  const group = new Uint32Array(corpus.documents);
  for (let d = 0; d < corpus.documents; d++) {
    const kind = values.kinds[d]!;
    const name =
      kind === MISSING ? NOTHING : kind === NUMBER ? numberName(values.numbers[d]!) : values.text(d);
    group[d] = names.numberOf(name);
  }
  names.forget();
  run.tables.give(bytes);
  return group;
}

const NOTHING = new Uint8Array(0);

function ofDocuments({ documents, blockOf, columnOf, tables }: Corpus, ofFiles: Uint32Array): Uint32Array {
  const group = new Uint32Array(documents);
  for (let d = 0; d < documents; d++) group[d] = ofFiles[tables[blockOf[d]!]!.columns.file[columnOf[d]!]!]!;
  return group;
}

/** By file: group 0 for files of the reference, 1 for others. */
function referenceGroups(files: FileTable): Uint32Array {
  const groups = new Uint32Array(files.length);
  for (let file = 0; file < files.length; file++) groups[file] = files.isReference(file) ? 0 : 1;
  return groups;
}

/**
 * Groups of files by the first `depth` parts of their paths, the name of the file being the last part. A file with fewer parts is
 * a group of its own: so a greater `depth` divides groups, and never joins files that a smaller one separates.
 */
function placeGroups(names: GroupNames, files: FileTable, depth: number): Uint32Array {
  const groups = new Uint32Array(files.length);
  const { bytes, offsets } = files.ids;
  for (let file = 0; file < files.length; file++) {
    const id = bytes.subarray(offsets[file]!, offsets[file + 1]!);
    groups[file] = names.numberOf(id.subarray(0, groupEnd(id, depth)));
  }
  names.forget();
  return groups;
}

/** The byte at which the first `depth` parts of a path end. */
function groupEnd(id: Uint8Array, depth: number): number {
  let parts = 0;
  for (let at = 0; at < id.length; at++) {
    if (id[at] === SLASH && ++parts === depth) return at;
  }
  return id.length;
}
