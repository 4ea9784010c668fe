/**
 * Splits: the input of one task, which makes one batch. JSON; data that is not in a file is in an accompanying block.
 *
 *      split      block                                   records are numbered
 *      files      which files (list/fileList.ts)          as their formats do
 *      range      -                                       from 0 at the first line that starts in the range
 *      chunk      the lines                               from 0 at the first line of the chunk
 *      elements   -                                       from 0 at the first element of the file
 *      memory     documents (formats/memoryDocuments.ts)  from 0 at the first document of the run
 *
 * Only src/readers looks at the kind of a split; other directories use the functions below.
 */

import { type Block, encodeBlock } from '../blocks/block.js';
import type { InputFile } from './list/fileList.js';

/** Whole files. */
export interface FilesSplit {
  readonly kind: 'files';
}

/** The lines that start in bytes `from` (inclusive) to `to` (exclusive) of a plain UTF-8 file. */
export interface RangeSplit {
  readonly kind: 'range';
  readonly file: InputFile;
  /** Index of the file in Inputs.files. */
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** What chunks need of the beginning of their stream: the names of fields. JSON. */
export type StreamHead = readonly string[];

/** Lines or other records that the coordinator cut from a stream: UTF-8; only the last of the stream may be incomplete. */
export interface ChunkSplit {
  readonly kind: 'chunk';
  readonly file: InputFile;
  readonly index: number;
  /** Number of the chunk's first line in the file, from 0. */
  readonly firstLine: number;
  /** Absent: the format needs none. */
  readonly head?: StreamHead;
}

/** Elements of a file, such as rows of a table, in its bytes `from` (inclusive) to `to` (exclusive). */
export interface ElementsSplit {
  readonly kind: 'elements';
  readonly file: InputFile;
  readonly index: number;
  readonly from: number;
  readonly to: number;
  /** Number of the first element, from 0. */
  readonly first: number;
  readonly count: number;
}

/** Documents in memory. */
export interface MemorySplit {
  readonly kind: 'memory';
}

export type LinesSplit = RangeSplit | ChunkSplit;
export type Split = FilesSplit | LinesSplit | ElementsSplit | MemorySplit;

/** Whether a split holds whole files, which can be grouped in other ways. */
export function isOfFiles({ kind }: Split): boolean {
  return kind === 'files';
}

/** Bytes of the lines of a split, or of its range of the file. */
export function lineBytes(split: Split, block: () => Block): number {
  return split.kind === 'range' ? split.to - split.from : block().columns.bytes!.length;
}

/** The lines of splits by their numbers in the file: ranges of a file come in order, chunks know their first line. */
export class LineNumbers {
  private readonly next = new Map<number, number>();

  /** The number of the first line of the next split, in which `lines` start; 0 if records are not lines. */
  firstOf(split: Split, lines: number): number {
    if (split.kind === 'chunk') return split.firstLine;
    if (split.kind !== 'range') return 0;
    const first = this.next.get(split.index) ?? 0;
    this.next.set(split.index, first + lines);
    return first;
  }
}

export function chunkSplit(
  file: InputFile,
  index: number,
  { firstLine, head }: Pick<ChunkSplit, 'firstLine' | 'head'>,
): ChunkSplit {
  return { kind: 'chunk', index, file, firstLine, ...(head === undefined ? {} : { head }) };
}

/** The block that accompanies a chunk. */
export function linesBlock(bytes: Uint8Array, shared: boolean): Block {
  return encodeBlock('text', {}, { bytes }, shared);
}

/** A split of lines; any other kind is a defect of the caller. */
export function linesOf(split: Split): LinesSplit {
  if (split.kind === 'range' || split.kind === 'chunk') return split;
  throw new Error(`${split.kind}: no lines`);
}

/** A large file that may have elements, in UTF-8. */
export interface ArrayFile {
  readonly file: InputFile;
  readonly index: number;
  /** Bytes per cut. */
  readonly step: number;
}

/** Where a split of a file ends: at this byte, with so many elements of the file before it. */
export type Cut = readonly [to: number, elements: number];

/** The cuts of a file, in their order, as a block of kind `cuts`: `to` and `ends`, one value per split. Without any the file is not cut. */
export function cutsBlock(cuts: readonly Cut[]): Block {
  const to = Float64Array.from(cuts, ([at]) => at);
  return encodeBlock('cuts', {}, { to, ends: Float64Array.from(cuts, ([, elements]) => elements) });
}

/** The splits of a file that was cut; none if it was not. */
export function* elementSplits({ file, index }: ArrayFile, { columns }: Block): Generator<ElementsSplit> {
  const { to, ends } = columns as { readonly to: Float64Array; readonly ends: Float64Array };
  for (let i = 0; i < to.length; i++) {
    const from = i === 0 ? 0 : to[i - 1]!;
    const first = i === 0 ? 0 : ends[i - 1]!;
    yield { kind: 'elements', file, index, from, to: to[i]!, first, count: ends[i]! - first };
  }
}
