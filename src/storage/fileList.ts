/**
 * The files of one task as columns, in a block of kind `text`: a worker opens them without a string or an object each.
 *
 *      indexes    u32   in Inputs.files, ascending
 *      kinds      u8    format and flags (formats.ts)
 *      sizes      f64   bytes when listed, UNKNOWN where nobody looked
 *      pathEnds   u32   path i ends here, and path i+1 begins
 *      paths      u8
 *
 * Floor 2.
 */
import { type Block, encodeBlock } from '../blocks/block.js';
import { ByteColumn } from '../blocks/growable.js';
import type { FileTable } from './fileTable.js';

export interface FileList {
  readonly indexes: Uint32Array;
  readonly kinds: Uint8Array;
  readonly sizes: Float64Array;
  readonly pathEnds: Uint32Array;
  readonly paths: Uint8Array;
}

/** The files of a table with the given indexes, ascending. */
export function fileListOf(files: FileTable, indexes: Uint32Array): FileList {
  const paths = new ByteColumn();
  const kinds = new Uint8Array(indexes.length);
  const sizes = new Float64Array(indexes.length);
  const pathEnds = new Uint32Array(indexes.length);
  for (let i = 0; i < indexes.length; i++) {
    const index = indexes[i]!;
    kinds[i] = files.kinds[index]!;
    sizes[i] = files.sizes[index]!;
    files.appendPath(index, paths);
    pathEnds[i] = paths.length;
  }
  return { indexes, kinds, sizes, pathEnds, paths: paths.view };
}

/** Shared: the worker reads it where it is. */
export function fileListBlock(list: FileList): Block {
  const { indexes, kinds, sizes, pathEnds, paths } = list;
  return encodeBlock('text', {}, { indexes, kinds, sizes, pathEnds, paths }, true);
}

/** The files of a block made by fileListBlock. */
export function fileListIn({ columns }: Block): FileList {
  return {
    indexes: columns.indexes as Uint32Array,
    kinds: columns.kinds as Uint8Array,
    sizes: columns.sizes as Float64Array,
    pathEnds: columns.pathEnds as Uint32Array,
    paths: columns.paths as Uint8Array,
  };
}

/** The bytes of a path of the list. */
export function pathIn(list: FileList, i: number): Uint8Array {
  return list.paths.subarray(i === 0 ? 0 : list.pathEnds[i - 1]!, list.pathEnds[i]!);
}

/** The files of a list at positions `from` (inclusive) to `to` (exclusive). */
export function filesBetween(list: FileList, from: number, to: number): FileList {
  const start = from === 0 ? 0 : list.pathEnds[from - 1]!;
  const end = to === 0 ? 0 : list.pathEnds[to - 1]!;
  return {
    indexes: list.indexes.subarray(from, to),
    kinds: list.kinds.subarray(from, to),
    sizes: list.sizes.subarray(from, to),
    pathEnds: list.pathEnds.slice(from, to).map((pathEnd) => pathEnd - start),
    paths: list.paths.subarray(start, end),
  };
}
