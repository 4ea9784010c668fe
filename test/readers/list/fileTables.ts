/** Tables and lists of input files made from objects, and objects from tables. */

import { encodeBlock } from '../../../src/blocks/block.js';
import type { TextSink } from '../../../src/blocks/documents.js';
import { type ReadBuffers, type ReadParams, readBuffers } from '../../../src/readers/documentSink.js';
import { FormatReading } from '../../../src/readers/formats/reading.js';
import { type FileList, fileListBlock, type InputFile, pathIn } from '../../../src/readers/list/fileList.js';
import { type FileTable, FileTableBuilder } from '../../../src/readers/list/fileTable.js';
import { fileKind } from '../../../src/readers/list/formats.js';
import { bytesOf } from '../../../src/readers/list/pathIds.js';
import { readSplit } from '../../../src/readers/reader.js';
import type { ElementsSplit, RangeSplit } from '../../../src/readers/split.js';
import type { IndexedFile } from '../../data/temporaryFolder.js';

/** A table of files in their order. */
export function tableOf(files: readonly InputFile[]): FileTable {
  const builder = new FileTableBuilder();
  for (const { path, id, format, codec, stdin } of files)
    builder.addSingle(path, id, fileKind(format, codec, stdin));
  const table = builder.finish();
  table.sizes.set(files.map(({ bytes }) => bytes));
  return table;
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
    kinds: Uint16Array.from(files, (file) => fileKind(file.format, file.codec, file.stdin)),
    sizes: Float64Array.from(files, (file) => file.bytes),
    pathEnds: ends,
    paths: Buffer.concat(paths),
  };
}

/** The paths of a list, as binary strings. */
export function pathsOf(list: FileList): string[] {
  return Array.from(list.indexes, (_, i) => Buffer.from(pathIn(list, i)).toString('latin1'));
}

/** A split with what stands beside it; a chunk is one of JSON lines. */
export type Read =
  | { readonly kind: 'files'; readonly list: FileList }
  | { readonly kind: 'chunk'; readonly index: number; readonly firstLine: number; readonly bytes: Uint8Array }
  | RangeSplit
  | ElementsSplit;

/** Standard input as a file of lists. */
export const STREAM = {
  path: '-',
  id: '-',
  bytes: 0,
  format: 'jsonl',
  codec: null,
  utf16: false,
  stdin: true,
} as const;

/** Gives the documents to the sink; returns how many lines start there. */
export function readSource(
  source: Read,
  params: ReadParams,
  sink: TextSink,
  buffers: ReadBuffers = readBuffers(),
): { lines: number } {
  const reading = new FormatReading(params, sink, buffers);
  if (source.kind === 'files')
    return { lines: readSplit({ kind: 'files' }, fileListBlock(source.list), reading) };
  if (source.kind !== 'chunk') return { lines: readSplit(source, null, reading) };
  const { bytes, ...split } = source;
  return { lines: readSplit({ ...split, file: STREAM }, encodeBlock('text', {}, { bytes }), reading) };
}
