/**
 * One file: its bytes are read in order, cut into records, and the kept ones are written with the packing of the file.
 *
 *      plain     read ahead by one piece; kept bytes are written from the piece itself
 *      packed    unpacked, and packed anew
 */
import { close, fstat, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { ERRORS, MinHashError } from '../../../errors.js';
import { skipReason } from '../../../output/tables/tables.js';
import { begun, fileBytes, type Pieces } from '../../../readers/bytes/byteStreams.js';
import { isUtf8, utf16Of } from '../../../readers/bytes/encodings.js';
import { PACKING_PROBE, packingNamed, packingOf } from '../../../readers/bytes/packings.js';
import { cuttingOf, WholeCutting } from '../../../readers/cutting/cutting.js';
import type { CutParams, Cutting } from '../../../readers/cutting/recordTaker.js';
import { refusesBinary } from '../../../readers/documentSink.js';
import type { Packing } from '../../../readers/list/fileList.js';
import { formatNamed, hasValues } from '../../../readers/list/formats.js';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import type { InputFormat } from '../../../sketch/formatNames.js';
import { type ByteSink, NoSink, PlainSink, packedSink } from '../packed/packers.js';
import { EditedParts, type RecordCounts, RecordEditor, type RecordFates } from '../records/fates.js';

const openLater = promisify(open);
const closeLater = promisify(close);
const statLater = promisify(fstat);
const readLater = promisify(read);

export interface FileNow {
  /** Binary strings. */
  readonly path: string;
  readonly id: string;
  readonly format: InputFormat;
  readonly packing: Packing | null;
  /** Its size in bytes when the run read it. */
  readonly size: number;
  /** It lies on a server, and the path is that of its fetched copy. */
  readonly isObject: boolean;
}

export interface Rewriting {
  readonly params: CutParams;
  /** Called with the number of bytes read of the file, packed or not. @throws to end the work */
  onBytes(bytes: number): void;
}

/** Bytes read at a time. */
const PIECE = 1 << 20;

/** The error for an input that differs from what the run read. */
export function inputLost(file: Pick<FileNow, 'id'>, what: string): MinHashError {
  return new MinHashError({ code: 'INPUT_LOST', detail: `${textOf(file.id)}: ${what}` });
}

/** The packing of a file: names of JSON files may not show it. */
export async function packingNow(file: FileNow, params: CutParams): Promise<Packing | null> {
  if (file.packing !== null || !hasValues(formatNamed(file.format)) || !refusesBinary(params))
    return file.packing;
  const pieces = fileBytes(file.path);
  const { start, all } = await begun(pieces, PACKING_PROBE);
  await all.return(undefined);
  return packingOf(start);
}

/**
 * Writes the kept bytes of a file into an open file.
 *
 * @param descriptor null: nothing is written, and only counts are returned
 * @throws MinHashError INPUT_LOST, WRITE_FAILED, DISK_FULL, and what `onBytes` and the fates throw
 */
export async function rewriteFile(
  file: FileNow,
  fates: RecordFates,
  descriptor: number | null,
  rewriting: Rewriting,
): Promise<RecordCounts> {
  const packing = await packingNow(file, rewriting.params);
  if (packing === null) return rewritePlain(file, fates, descriptor, rewriting);
  const isArchive = packing === 'gzip' && formatNamed(file.format).applied?.hasMembers === true;
  const sink = sinkOf(descriptor, packing, isArchive);
  try {
    return await rewriteStream(file, fates, unpacked(file, packing), sink, isArchive, rewriting);
  } catch (error) {
    sink.abandon();
    throw error;
  }
}

function unpacked(file: FileNow, packing: Packing | null): Pieces {
  const bytes = fileBytes(file.path);
  return packing === null ? bytes : packingNamed(packing).stream(bytes, Number.POSITIVE_INFINITY);
}

/** Whether a file is UTF-16, in which nothing is cut: by the option of its run, or by its first bytes. */
export async function isWide(file: FileNow, params: CutParams): Promise<boolean> {
  if (!isUtf8(params.encoding)) return /^utf-16/.test(new TextDecoder(params.encoding).encoding);
  if (!refusesBinary(params)) return false;
  const { start, all } = await begun(unpacked(file, await packingNow(file, params)), 4);
  await all.return(undefined);
  return utf16Of(start) !== null;
}

function sinkOf(descriptor: number | null, packing: Packing | null, isArchive = false): ByteSink {
  if (descriptor === null) return new NoSink();
  return packing === null ? new PlainSink(descriptor) : packedSink(packing, descriptor, isArchive);
}

/** What decides about a file. */
function decided(
  file: FileNow,
  fates: RecordFates,
  out: EditedParts,
  params: CutParams,
): { editor: RecordEditor; cutting: Cutting } {
  const editor = new RecordEditor(fates, out);
  const isWhole = fates.isOfUnits && formatNamed(file.format).splits !== 'by lines';
  return { editor, cutting: isWhole ? new WholeCutting(editor) : cuttingOf(file.format, params, editor) };
}

async function rewritePlain(
  file: FileNow,
  fates: RecordFates,
  descriptor: number | null,
  { params, onBytes }: Rewriting,
): Promise<RecordCounts> {
  const source = await opened(file);
  const sink = sinkOf(descriptor, null);
  const out = new EditedParts();
  try {
    if ((await statLater(source)).size !== file.size) throw inputLost(file, 'its size is another');
    let piece = Buffer.allocUnsafeSlow(PIECE);
    let other = Buffer.allocUnsafeSlow(PIECE);
    let count = await filled(source, piece);
    const { editor, cutting } = decided(file, fates, out, params);
    let total = 0;
    while (count > 0) {
      const next = filled(source, other);
      // The error of a failed read is thrown when its bytes are due.
      next.catch(() => {});
      total += count;
      onBytes(count);
      cutting.push(piece.subarray(0, count));
      await sink.write(out.take());
      [piece, other] = [other, piece];
      count = await next;
    }
    if (total !== file.size) throw inputLost(file, `it ends after ${total} of ${file.size} bytes`);
    cutting.end();
    await sink.write(out.take());
    await sink.end();
    return editor.counts;
  } finally {
    await closeLater(source);
  }
}

async function opened(file: FileNow): Promise<number> {
  try {
    return await openLater(bytesOf(file.path), 'r');
  } catch {
    throw inputLost(file, ERRORS.UNREADABLE.text);
  }
}

/** Fills a piece up to the end of the file: pieces must not end where the system happens to. */
async function filled(source: number, piece: Buffer): Promise<number> {
  let end = 0;
  while (end < piece.length) {
    const { bytesRead } = await readLater(source, piece, end, piece.length - end, null);
    if (bytesRead === 0) break;
    end += bytesRead;
  }
  return end;
}

async function rewriteStream(
  file: FileNow,
  fates: RecordFates,
  pieces: Pieces,
  sink: ByteSink,
  isArchive: boolean,
  { params, onBytes }: Rewriting,
): Promise<RecordCounts> {
  const out = new EditedParts(isArchive);
  const { editor, cutting } = decided(file, fates, out, params);
  for await (const piece of pieces) {
    if (typeof piece === 'string') throw inputLost(file, skipReason(piece));
    onBytes(piece.length);
    cutting.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    await sink.write(out.take());
  }
  cutting.end();
  await sink.write(out.take());
  await sink.end();
  return editor.counts;
}
