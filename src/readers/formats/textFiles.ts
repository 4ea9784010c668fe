/** Reads text files whose bytes are the document itself, at once or, where units of a large one are compared, in parts. */

import { closeSync, openSync, readSync } from 'node:fs';
import type { Block } from '../../blocks/block.js';
import type { TextSink } from '../../blocks/documents.js';
import type { ErrorCode } from '../../errors.js';
import type { TextRoom } from '../../text/shingles.js';
import { UnitCutter, type UnitSink } from '../../text/units.js';
import { BINARY_PAIRS, BINARY_PROBE, binaryCode, isBinary } from '../bytes/binaryKinds.js';
import { codecOf } from '../bytes/codecs.js';
import { utf16Of } from '../bytes/encodings.js';
import {
  closeInput,
  metEnd,
  type OpenedFiles,
  READING,
  readInto,
  readToEnd,
  sizeOf,
  withInput,
} from '../bytes/wholeFiles.js';
import { type ReadBuffers, type ReadParams, refusesBinary } from '../documentSink.js';
import { type FileList, PLAIN_TEXT, pathIn } from '../list/fileList.js';
import { type ArrayFile, type Cut, cutsBlock, type ElementsSplit } from '../split.js';
import type { FormatReading } from './reading.js';
import { isPage } from './web/pages.js';

const NO_PLAIN_TEXT = Symbol('no plain text');

/** Why a file was not given; null: it was, or is not wanted. */
type Outcome = ErrorCode | typeof NO_PLAIN_TEXT | null;

/** By the first two bytes, the first one times 256: 1 if a file may be compressed, UTF-16 or binary, even without a byte of 0. */
const MAY_BE_NO_TEXT = BINARY_PAIRS.slice();
for (const pair of [0x1f8b, 0x28b5, 0x425a, 0xfd37, 0xfeff, 0xfffe]) MAY_BE_NO_TEXT[pair] = 1;
for (let byte = 0x50; byte < 0x60; byte++) MAY_BE_NO_TEXT[(byte << 8) | 0x2a] = 1;

/** The first two bytes; of a text of one byte, any second one. */
const pairAt = (bytes: Uint8Array, at: number): number => (bytes[at]! << 8) | bytes[at + 1]!;

/** Whether first bytes show that the text differs from the bytes of the file. */
function isNoPlainText(head: Uint8Array, params: ReadParams): boolean {
  if (head.length === 0) return false;
  const isOther = MAY_BE_NO_TEXT[pairAt(head, 0)] === 1 && (utf16Of(head) ?? codecOf(head)) !== null;
  return isOther || isPage(head, params);
}

/** Instead of a descriptor: the file is about to be opened, or closed. */
const OPENING = -1;
const DONE = -2;

/**
 * Reads text files one after the other. There is no object per file but its path, and the code is short, because it is compiled in every
 * worker.
 */
export class TextFiles {
  readonly #params: ReadParams;
  readonly #sink: TextSink;
  readonly #piece: Uint8Array;
  readonly #seen: OpenedFiles | null;
  /** Null: the sink takes no texts in its memory, or hardly any text is plain. */
  readonly #room: TextRoom | null;
  /** A small file has fewer bytes. */
  readonly #most: number;
  /** First bytes that show whether a file is binary; 0: none do. */
  readonly #probed: number;
  /** The descriptor of the current small file. */
  #opened = DONE;
  /** The last file was too large for the memory of the sink, and the next one may be. */
  #wasLarge = false;

  constructor({ params, sink, buffers, opened }: FormatReading) {
    this.#params = params;
    this.#sink = sink;
    this.#piece = buffers.piece;
    this.#seen = opened;
    this.#room = params.textFormat === 'html' ? null : (sink.room?.() ?? null);
    this.#most = Math.min(this.#room?.most ?? 0, params.maxDocument + 1);
    this.#probed = refusesBinary(params) ? BINARY_PROBE : 0;
  }

  /**
   * Gives texts of a list from file `i` on while they are small and plain. Returns the number of the first file that it does not
   * give, of which nothing was emitted.
   */
  giveSmall(list: FileList, i: number): number {
    if (this.#room === null || this.#wasLarge) return i;
    const { kinds } = list;
    this.#opened = DONE;
    try {
      while (i < kinds.length && kinds[i] === PLAIN_TEXT && this.#giveOne(this.#room, list, i)) i++;
    } catch (error) {
      if (this.#opened === DONE) throw error;
      // `give` reports the problem of the file.
      if (this.#opened !== OPENING) closeInput(this.#opened);
    }
    this.#sink.taken!();
    return i;
  }

  /**
   * Gives a small plain text; false: it is something else, or has a problem. This is the hot path of runs over small files, and is
   * compiled in every worker without the loop around it.
   */
  #giveOne(room: TextRoom, { indexes, sizes, pathEnds, paths }: FileList, i: number): boolean {
    const most = this.#most;
    const probed = this.#probed;
    const sink = this.#sink;
    const index = indexes[i]!;
    if (sizes[i]! >= most) return false;
    if (sink.opensFile?.(index) === false) return true;
    this.#opened = OPENING;
    // Any Uint8Array works; the declared type requires a Buffer.
    const path = paths.subarray(i === 0 ? 0 : pathEnds[i - 1]!, pathEnds[i]!) as Buffer;
    const opened = openSync(path, READING);
    this.#opened = opened;
    this.#seen?.note(index, opened);
    const { at } = room;
    const size = readSync(opened, room.bytes, at, most, null);
    closeSync(opened);
    this.#opened = DONE;
    if (size === 0 || size === most || !metEnd(size, sizes[i]!)) return false;
    if (probed === 0 || MAY_BE_NO_TEXT[pairAt(room.bytes, at)] === 0) {
      if (sink.take!(index, size, probed)) return true;
    }
    return isText(room.bytes.subarray(at, at + size), this.#params) && sink.take!(index, size, 0);
  }

  /**
   * Emits file `i` of a list as one document, up to its current end: at once if it is smaller than a buffer, else in pieces.
   * An empty file is a document without text. Skipped: TOO_LARGE, VANISHED, UNREADABLE, NOT_A_FILE, BINARY.
   *
   * @returns false, with nothing emitted, where the first bytes show no plain text: compressed, UTF-16, or HTML
   */
  give(list: FileList, i: number): boolean {
    const index = list.indexes[i]!;
    const size = list.sizes[i]!;
    const read = (opened: number): Outcome => {
      this.#seen?.note(index, opened);
      return this.#read(opened, index, size);
    };
    const isLarge = size > this.#params.maxDocument;
    const code = isLarge ? 'TOO_LARGE' : withInput<Outcome>(pathIn(list, i), read, (problem) => problem);
    if (code === NO_PLAIN_TEXT) return false;
    if (code !== null) this.#sink.skip(index, -1, code, null);
    return true;
  }

  #read(descriptor: number, index: number, size: number): Outcome {
    const params = this.#params;
    const piece = this.#piece;
    const sink = this.#sink;
    const end = readToEnd(descriptor, piece, size);
    this.#wasLarge = this.#room !== null && end >= this.#room.most;
    if (end < 0) return 'UNREADABLE';
    const text = piece.subarray(0, end);
    const isWhole = end < piece.length;
    // The size may be unknown until now; this check avoids reading and sketching gigabytes in vain.
    const sizeNow = isWhole && (end > 0 || size === 0) ? end : sizeOf(descriptor);
    if (typeof sizeNow === 'string') return sizeNow;
    if (Math.max(end, sizeNow) > params.maxDocument) return 'TOO_LARGE';
    if (this.#probed > 0) {
      if (isNoPlainText(text, params)) return NO_PLAIN_TEXT;
      if (isBinary(text)) return binaryCode(text);
    }
    if (isWhole) {
      sink.whole(index, -1, null, text, false);
      return null;
    }
    if (!sink.begin(index, -1, null)) return null;
    sink.text(text);
    const code = givePieces(descriptor, piece, end, params.maxDocument, sink);
    if (code === null) sink.end(false);
    return code;
  }
}

/** Emits the rest of a file after its first `size` bytes. */
function givePieces(
  descriptor: number,
  piece: Uint8Array,
  size: number,
  maxDocument: number,
  sink: TextSink,
): ErrorCode | null {
  for (;;) {
    const end = readInto(descriptor, piece, 0, null);
    if (end < 0) return 'UNREADABLE';
    size += end;
    if (size > maxDocument) return 'TOO_LARGE';
    if (end > 0) sink.text(piece.subarray(0, end));
    if (end < piece.length) return null;
  }
}

/** Finds the cuts of a large text whose units are compared: beginnings of units, `step` bytes or more apart, and the end. */
class PartEnds implements UnitSink {
  readonly cuts: Cut[] = [];
  private readonly step: number;
  private at = 0;
  last = 0;

  constructor(step: number) {
    this.step = step;
  }

  unit(number: number, bytes: Uint8Array, begins: boolean): void {
    if (begins && this.at - (this.cuts.at(-1)?.[0] ?? 0) >= this.step) this.cut(number - 1);
    this.last = number;
    this.at += bytes.length;
  }

  gap(bytes: Uint8Array): void {
    this.at += bytes.length;
  }

  cut(units: number): void {
    this.cuts.push([this.at, units]);
  }
}

/**
 * Finds where a text is cut between its units, as a block of kind `cuts` (split.ts): `ends` are lines, blank ones too, or
 * paragraphs. Without cuts the file is read as a whole: it is not a plain text, is too large, or cannot be read.
 */
export function textCuts({ file, step }: ArrayFile, params: ReadParams, { piece }: ReadBuffers): Block {
  const { unit = 'document' } = params;
  const without = (): Block => cutsBlock([]);
  if (unit === 'document') return without();
  const cut = (opened: number): Block => {
    const size = sizeOf(opened);
    if (typeof size === 'string' || size > params.maxDocument) return without();
    const ends = new PartEnds(step);
    const cutter = new UnitCutter(unit, ends);
    cutter.begin();
    for (let isFirst = true; ; isFirst = false) {
      const end = readInto(opened, piece, 0, null);
      const text = piece.subarray(0, Math.max(0, end));
      if (end < 0 || (isFirst && refusesBinary(params) && !isText(text, params))) return without();
      cutter.push(text);
      if (end < piece.length) break;
    }
    cutter.end();
    ends.cut(ends.last);
    return cutsBlock(ends.cuts);
  };
  return withInput(file.path, cut, without);
}

function isText(head: Uint8Array, params: ReadParams): boolean {
  return !isNoPlainText(head, params) && !isBinary(head);
}

/** Gives a part of a text as the rest of one; CHANGED is reported if the file became shorter. */
export function readTextPart({ file, index, from, to, first }: ElementsSplit, reading: FormatReading): void {
  const { sink, buffers, opened: seen } = reading;
  if (sink.opensFile?.(index) === false) return;
  const problem = (code: ErrorCode): void => sink.skip(index, -1, code, null);
  const give = (opened: number): void => {
    seen?.note(index, opened);
    sink.follows?.(first);
    if (!sink.begin(index, -1, null)) return;
    for (let at = from; at < to; ) {
      const end = readInto(opened, buffers.piece, 0, at, Math.min(buffers.piece.length, to - at));
      if (end <= 0) {
        problem(end < 0 ? 'UNREADABLE' : 'CHANGED');
        return;
      }
      sink.text(buffers.piece.subarray(0, end));
      at += end;
    }
    sink.end(false);
  };
  withInput(file.path, give, problem);
}
