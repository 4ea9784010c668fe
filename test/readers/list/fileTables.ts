/** Tables and lists of input files made from objects, and objects from tables. */

import { fileKind } from '../../../src/readers/list/fileKinds.js';
import {
  type FileList,
  type FileTable,
  FileTableBuilder,
  pathIn,
} from '../../../src/readers/list/fileTable.js';
import type { InputFile } from '../../../src/readers/list/inputs.js';
import { bytesOf } from '../../../src/readers/list/pathIds.js';
import type { IndexedFile } from '../../../src/readers/split.js';

/** A table of files given in the order of their ids. */
export function tableOf(files: readonly InputFile[]): FileTable {
  const builder = new FileTableBuilder();
  for (const { path, id, bytes, format, gzip, stdin } of files) {
    builder.addSingle(path, id, fileKind(format, gzip, stdin), bytes);
  }
  return builder.finish();
}

/** The files of a table, in its order. */
export function filesOf(table: FileTable): InputFile[] {
  return Array.from({ length: table.length }, (_, i) => table.file(i));
}

/** A list of files with the indexes they name. */
export function listOf(files: readonly IndexedFile[]): FileList {
  const paths = files.map((file) => bytesOf(file.path));
  const ends = new Uint32Array(files.length);
  paths.forEach((path, i) => {
    ends[i] = path.length + (i === 0 ? 0 : ends[i - 1]!);
  });
  return {
    indexes: Uint32Array.from(files, (file) => file.index),
    kinds: Uint8Array.from(files, (file) => fileKind(file.format, file.gzip, file.stdin)),
    sizes: Float64Array.from(files, (file) => file.bytes),
    pathEnds: ends,
    paths: Buffer.concat(paths),
  };
}

/** The paths of a list, as binary strings. */
export function pathsOf(list: FileList): string[] {
  return Array.from(list.indexes, (_, i) => Buffer.from(pathIn(list, i)).toString('latin1'));
}
