/**
 * From the list of inputs to sources: what one Map task, or the coordinator, reads into one column block or
 * more.
 *
 * It must never know shards, threads or memory: boundaries follow from the inputs and the result
 * parameters alone, so finished blocks stay valid when those change.
 */

import { isUtf8 } from './bytes/encodings.js';
import { type PieceParams, pieceBytesOf } from './documentSink.js';
import type { ArrayFile } from './formats/arrayCuts.js';
import { type FileTable, type InputFile, UNKNOWN } from './list/fileTable.js';
import type { Inputs } from './list/inputs.js';
import { arrayFilesOf, SIZED_FILES, sampleStep, wholeFilesOf } from './list/sizes.js';

/** An input file with its index in Inputs.files. */
export type IndexedFile = InputFile & { readonly index: number };

/** Whole files, read by a task. */
export interface FilesPlan {
  readonly kind: 'files';
  /** Indexes in Inputs.files, ascending. */
  readonly files: Uint32Array;
}

/**
 * The lines that start in bytes `from` (inclusive) to `to` (exclusive) of a plain UTF-8 file, read by a task.
 */
export interface RangeSource {
  readonly kind: 'range';
  readonly file: InputFile;
  readonly index: number;
  readonly from: number;
  readonly to: number;
}

/** Lines that can only be read from their beginning: the coordinator cuts them into chunks (streamChunks). */
export interface StreamSource {
  readonly kind: 'stream';
  readonly file: InputFile;
  readonly index: number;
}

/** A large file that may be one JSON array: a task finds where it is to be cut. */
export interface ArrayPlan extends ArrayFile {
  readonly kind: 'array';
}

export type SourcePlan = FilesPlan | RangeSource | StreamSource | ArrayPlan;

/** JSON of so many pieces is cut: less would hardly be more than one block, for which it were read twice. */
const PIECES_UNCUT = 2;

/** Files of one source: many empty ones must not make a source without end, nor large ones a task each. */
export const FILES_A_SOURCE = 1024;
const LEAST_FILES = 16;

/**
 * The sources of a run. Whole files are gathered in order until the next would exceed `pieceBytes` (a larger file is
 * alone) or FILES_A_SOURCE; lines files in between do not close the group. Of more than SIZED_FILES whole files not
 * every size is known: then all groups hold as many files as make `pieceBytes` at the mean size of the sample, 16 to
 * FILES_A_SOURCE. Plain lines are cut every `pieceBytes`; an empty file has one empty range, so that one that cannot be
 * opened is still named. What may be an array of more than two pieces is a source of its own; it closes no group either.
 */
export function planSources(
  inputs: Pick<Inputs, 'files'>,
  params: { readonly encoding: string } & PieceParams,
  pieceBytes = pieceBytesOf(params),
): SourcePlan[] {
  const { files } = inputs;
  const plan: SourcePlan[] = [];
  const cutsLines = isUtf8(params.encoding);
  const arrays = cutsLines ? largeArrays(files, PIECES_UNCUT * pieceBytes) : new Set<number>();
  const notLines = wholeFilesOf(files);
  const whole = arrays.size === 0 ? notLines : notLines.filter((index) => !arrays.has(index));
  const sized = notLines.length <= SIZED_FILES;
  const most = sized ? FILES_A_SOURCE : filesAGroup(files, notLines, arrays, pieceBytes);
  let start = 0;
  let next = 0;
  let size = 0;
  const closeGroup = (): void => {
    if (next > start) plan.push({ kind: 'files', files: whole.subarray(start, next) });
    start = next;
    size = 0;
  };
  for (let index = 0; index < files.length; index++) {
    if (arrays.has(index)) plan.push({ kind: 'array', file: files.file(index), index, step: pieceBytes });
    else if (whole[next] !== index) planLines(files, index, cutsLines, pieceBytes, plan);
    else {
      const bytes = sized ? Math.max(0, files.sizes[index]!) : 0;
      if (size + bytes > pieceBytes || next - start === most) closeGroup();
      size += bytes;
      next++;
    }
  }
  closeGroup();
  return plan;
}

/** What may be an array of more than `uncut` bytes, by its number. */
function largeArrays(files: FileTable, uncut: number): Set<number> {
  return new Set(arrayFilesOf(files).filter((index) => files.sizes[index]! > uncut));
}

function filesAGroup(
  files: FileTable,
  whole: Uint32Array,
  apart: ReadonlySet<number>,
  pieceBytes: number,
): number {
  const step = sampleStep(whole.length);
  let bytes = 0;
  let looked = 0;
  for (let i = 0; i < whole.length; i += step) {
    if (apart.has(whole[i]!)) continue;
    bytes += Math.max(0, files.sizes[whole[i]!]!);
    looked++;
  }
  const wished = Math.ceil((pieceBytes * Math.max(1, looked)) / Math.max(1, bytes));
  return Math.min(FILES_A_SOURCE, Math.max(LEAST_FILES, wished));
}

function planLines(
  files: FileTable,
  index: number,
  cutsLines: boolean,
  pieceBytes: number,
  plan: SourcePlan[],
): void {
  const file = files.file(index);
  if (file.stdin || file.gzip || !cutsLines) {
    plan.push({ kind: 'stream', file, index });
    return;
  }
  for (let from = 0; from === 0 || from < file.bytes; from += pieceBytes) {
    plan.push({ kind: 'range', file, index, from, to: Math.min(file.bytes, from + pieceBytes) });
  }
}

/** Bytes of the files, as stored, that a source stands for; null where a size is not known before it is read. */
export function plannedBytes(files: FileTable, source: SourcePlan): number | null {
  if (source.kind === 'range') return source.to - source.from;
  if (source.kind === 'stream') return null;
  if (source.kind === 'array') return source.file.bytes;
  let sum = 0;
  for (const index of source.files) {
    if (files.sizes[index] === UNKNOWN) return null;
    sum += files.sizes[index]!;
  }
  return sum;
}
