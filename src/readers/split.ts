/**
 * Splits: what one task reads into one column block. JSON; what is no part of a file stands in a block beside the split.
 *
 *      split      beside it                               records are numbered
 *      files      which files (list/fileList.ts)          as their formats do
 *      range      -                                       from 0 at the first line that starts in the range
 *      chunk      the lines                               from 0 at the first line of the chunk
 *      elements   -                                       from 0 at the first element of the file
 *      memory     documents (formats/memoryDocuments.ts)  from 0 at the first document of the run
 *
 * Whoever asks which kind a split is stands in this room; everybody else asks the questions below.
 */

import { Float64Column } from '../arrays/growable.js';
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

/** What chunks of a stream are told of its beginning: names of fields. JSON. */
export type StreamHead = readonly string[];

/** Lines, or other records, that the coordinator cut from a stream: UTF-8, complete but for the last of the stream. */
export interface ChunkSplit {
  readonly kind: 'chunk';
  readonly file: InputFile;
  readonly index: number;
  /** Number of the chunk's first line in the file, from 0. */
  readonly firstLine: number;
  /** What its reader must know of the beginning of the stream; absent where it needs nothing. */
  readonly head?: StreamHead;
}

/** Elements of a file that is one array, which stand in its bytes `from` (inclusive) to `to` (exclusive). */
export interface ElementsSplit {
  readonly kind: 'elements';
  readonly file: InputFile;
  readonly index: number;
  readonly from: number;
  readonly to: number;
  /** Number of the first, from 0. But for that of the file itself a comma goes before it. */
  readonly first: number;
  readonly count: number;
}

/** Documents given in memory. */
export interface MemorySplit {
  readonly kind: 'memory';
}

export type LinesSplit = RangeSplit | ChunkSplit;
export type Split = FilesSplit | LinesSplit | ElementsSplit | MemorySplit;

/** Whether it is whole files, which a split of other files may hold as well. */
export function isOfFiles({ kind }: Split): boolean {
  return kind === 'files';
}

/** Bytes of the lines of a split, or of its range of the file. */
export function lineBytes(split: Split, beside: () => Block): number {
  return split.kind === 'range' ? split.to - split.from : beside().columns.bytes!.length;
}

/** The lines of splits by their numbers in the file: ranges of a file come in order, chunks know their first line. */
export class LineNumbers {
  private readonly next = new Map<number, number>();

  /** The number of the first line of the next split, in which `lines` start; 0 where records are not lines. */
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

/** The block beside a chunk. */
export function linesBlock(bytes: Uint8Array, shared: boolean): Block {
  return encodeBlock('text', {}, { bytes }, shared);
}

/** A split of lines; every other kind of split has none, and who asks knows its inputs. */
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

/** Where the blocks of the elements of a file end, in their order; without an end the file is not cut. */
export class Cuts {
  /** Where the first block begins, in bytes. */
  from = 0;
  /** Elements up to the last end. */
  elements = 0;
  private readonly to = new Float64Column();
  private readonly ends = new Float64Column();

  /** A block ends at this byte, with so many elements of the file before it. */
  end(at: number, elements: number): void {
    this.to.push(at);
    this.ends.push(elements);
    this.elements = elements;
  }

  /** As a block of kind `cuts`: `to` and `ends`, a value a block, and `from`. */
  block(): Block {
    return encodeBlock('cuts', { from: this.from }, { to: this.to.view, ends: this.ends.view });
  }
}

/** The column blocks of a file that was cut; none where it was not. */
export function* elementSplits(
  { file, index }: ArrayFile,
  { meta, columns }: Block,
): Generator<ElementsSplit> {
  const { to, ends } = columns as { readonly to: Float64Array; readonly ends: Float64Array };
  for (let i = 0; i < to.length; i++) {
    const from = i === 0 ? (meta.from as number) : to[i - 1]!;
    const first = i === 0 ? 0 : ends[i - 1]!;
    yield { kind: 'elements', file, index, from, to: to[i]!, first, count: ends[i]! - first };
  }
}
