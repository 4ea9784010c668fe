/**
 * Divides the list of inputs into pieces. A piece becomes one or more splits, and as many batches.
 *
 *      piece     splits
 *      files     one of these files
 *      range     itself
 *      stream    chunks, cut while they are read (bytes/chunks.ts)
 *      array     elements, if a task finds places to cut it (`cuts` of its format); else the whole file
 *
 * Boundaries follow from inputs and result parameters alone, so that batches stay valid if shards, threads or memory change.
 */

import { isStream } from './bytes/chunks.js';
import { isUtf8 } from './bytes/encodings.js';
import { closeInput, openInput, readInto } from './bytes/wholeFiles.js';
import { PIECE_BYTES, type PieceParams, pieceBytesOf } from './documentSink.js';
import type { InputFile } from './list/fileList.js';
import type { FileTable } from './list/fileTable.js';
import { formatOfKind } from './list/formats.js';
import type { Inputs } from './list/inputs.js';
import { arrayFilesOf, SIZED_FILES, sampleStep, textsAbove, wholeFilesOf } from './list/sizes.js';
import type { ArrayFile, RangeSplit } from './split.js';

/** Whole files, read by a task. */
export interface FilesPiece {
  readonly kind: 'files';
  /** Indexes in Inputs.files, ascending. */
  readonly files: Uint32Array;
}

/** Lines that can only be read from their beginning: the coordinator cuts them into chunks (streamChunks). */
export interface StreamPiece {
  readonly kind: 'stream';
  readonly file: InputFile;
  readonly index: number;
}

/** A large table, or a text whose units are compared: a task finds where it is cut. */
export interface ArrayPiece extends ArrayFile {
  readonly kind: 'array';
}

export type Piece = FilesPiece | RangeSplit | StreamPiece | ArrayPiece;

/** How many batches pieces make, as far as that is known before they are read. */
export interface PieceCounts {
  /** Batches: a stream counts as one, an array by its size. */
  readonly blocks: number;
  /** Whether `blocks` is exact. */
  readonly isExact: boolean;
  readonly arrays: number;
  readonly streams: number;
  /** Whole files. */
  readonly files: number;
  /** Bytes of records: plain, and compressed ones. */
  readonly plainBytes: number;
  readonly compressedBytes: number;
}

export function countPieces(pieces: readonly Piece[]): PieceCounts {
  const counts = { blocks: 0, arrays: 0, streams: 0, files: 0, plainBytes: 0, compressedBytes: 0 };
  const records = ({ bytes, codec }: InputFile): void => {
    if (codec !== null) counts.compressedBytes += bytes;
    else counts.plainBytes += bytes;
  };
  for (const piece of pieces) {
    counts.blocks += piece.kind === 'array' ? Math.ceil(piece.file.bytes / piece.step) : 1;
    if (piece.kind === 'files') counts.files += piece.files.length;
    else if (piece.kind === 'range') counts.plainBytes += piece.to - piece.from;
    else {
      counts[`${piece.kind}s`]++;
      records(piece.file);
    }
  }
  return { ...counts, isExact: counts.arrays === 0 && counts.streams === 0 };
}

/** A file of up to this many pieces is not cut: looking for places reads it once more. */
const PIECES_UNCUT = 2;

/** Limits of the files in a split: empty ones do not make an endless one, and large ones not a task each. */
export const FILES_A_SPLIT = 1024;
const LEAST_FILES = 16;

/** Groups of many files are up to this many times larger while there are enough groups, because each task has a cost. */
const MOST_PIECES = 4;
const GROUPS = 64;

/**
 * The pieces of a run. Whole files are gathered in order until the next would exceed `pieceBytes` (a larger file is
 * alone) or FILES_A_SPLIT, or is the first that is not of the reference; lines files in between do not close the group. Of more than SIZED_FILES whole files not
 * every size is known: then all groups hold as many files as make `pieceBytes` at the mean size of the sample, 16 to
 * FILES_A_SPLIT, or up to MOST_PIECES times as many while there are GROUPS of them. Plain lines are cut every `pieceBytes`, or
 * less if they are short; an empty file has one empty range, so that one that cannot be opened is still named. What may be an array of more than twice
 * `pieceBytes` is a piece of its own; it closes no group either.
 */
export function planPieces(
  inputs: Pick<Inputs, 'files'>,
  params: { readonly encoding: string } & PieceParams,
  pieceBytes = pieceBytesOf(params),
): Piece[] {
  const { files } = inputs;
  const plan: Piece[] = [];
  const arrays = largeArrays(files, PIECES_UNCUT * pieceBytes, params);
  const notLines = wholeFilesOf(files);
  const whole = arrays.size === 0 ? notLines : notLines.filter((index) => !arrays.has(index));
  const sized = notLines.length <= SIZED_FILES;
  const most = sized ? FILES_A_SPLIT : filesAGroup(files, notLines, arrays, pieceBytes);
  let start = 0;
  let next = 0;
  let size = 0;
  const closeGroup = (): void => {
    if (next > start) plan.push({ kind: 'files', files: whole.subarray(start, next) });
    start = next;
    size = 0;
  };
  for (let index = 0; index < files.length; index++) {
    // Files of the reference come first, and are read before all others.
    if (next > start && files.isReference(whole[start]!) && !files.isReference(index)) closeGroup();
    if (arrays.has(index)) plan.push({ kind: 'array', file: files.file(index), index, step: pieceBytes });
    else if (whole[next] !== index) planLines(files, index, params, pieceBytes, plan);
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

/** What may have elements and more than `uncut` bytes, by its number. Text in another encoding than UTF-8 is not cut. */
function largeArrays(
  files: FileTable,
  uncut: number,
  { encoding, unit = 'document' }: { readonly encoding: string } & PieceParams,
): Set<number> {
  const areTexts = isUtf8(encoding);
  const isCut = (index: number): boolean =>
    files.sizes[index]! > uncut && (areTexts || formatOfKind(files.kinds[index]!).isBinary === true);
  const hasUnits = unit !== 'document' && areTexts;
  return new Set([...arrayFilesOf(files).filter(isCut), ...(hasUnits ? textsAbove(files, uncut) : [])]);
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
  const least = Math.min(FILES_A_SPLIT, Math.max(LEAST_FILES, wished));
  return Math.min(MOST_PIECES * least, Math.max(least, Math.ceil(whole.length / GROUPS)));
}

function planLines(
  files: FileTable,
  index: number,
  params: { readonly encoding: string } & PieceParams,
  pieceBytes: number,
  plan: Piece[],
): void {
  const file = files.file(index);
  if (isStream(file, params)) {
    plan.push({ kind: 'stream', file, index });
    return;
  }
  const step = params.sets === undefined ? rangeBytes(files, index, file.bytes, pieceBytes) : pieceBytes;
  for (let from = 0; from === 0 || from < file.bytes; from += step) {
    plan.push({ kind: 'range', file, index, from, to: Math.min(file.bytes, from + step) });
  }
}

/** The most records in a range: a task holds their signatures twice, in 12 MB. */
const MOST_RECORDS = 1 << 14;
const LINE_SAMPLES = 16;
const SAMPLE_BYTES = 4 << 10;
const LINE_FEED = 0x0a;

/** Bytes of the ranges of lines: fewer than `pieceBytes` if samples of the file have short lines. */
function rangeBytes(files: FileTable, index: number, bytes: number, pieceBytes: number): number {
  if (bytes <= LINE_SAMPLES * SAMPLE_BYTES) return pieceBytes;
  const sample = new Uint8Array(SAMPLE_BYTES);
  let lines = 0;
  const file = openInput(files.pathBytes(index));
  // The task that reads the file reports why it cannot be opened.
  if (typeof file !== 'number') return pieceBytes;
  try {
    for (let i = 0; i < LINE_SAMPLES; i++) {
      const from = Math.floor((i * (bytes - SAMPLE_BYTES)) / (LINE_SAMPLES - 1));
      const count = readInto(file, sample, 0, from);
      for (let at = 0; at < count; at++) if (sample[at] === LINE_FEED) lines++;
    }
  } finally {
    closeInput(file);
  }
  const each = (LINE_SAMPLES * SAMPLE_BYTES) / Math.max(1, lines);
  const wished = Math.floor(((MOST_RECORDS * pieceBytes) / PIECE_BYTES) * each);
  return Math.min(pieceBytes, Math.max(LINE_SAMPLES * SAMPLE_BYTES, wished));
}
