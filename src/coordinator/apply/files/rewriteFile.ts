/**
 * One file: its bytes as they come, cut into records, what stays of them written as the file was packed.
 *
 *      plain     read ahead by one piece; what stays is written from where it was read
 *      gzip      member by member (packed/gzipMembers.ts)
 *      others    unpacked, and packed anew
 */
import { close, fstat, open, read } from 'node:fs';
import { promisify } from 'node:util';
import { ERRORS, type ErrorCode, MinHashError } from '../../../errors.js';
import { begun, fileBytes, type Pieces } from '../../../readers/bytes/byteStreams.js';
import { isUtf8, utf16Of } from '../../../readers/bytes/encodings.js';
import { PACKING_PROBE, packingNamed, packingOf } from '../../../readers/bytes/packings.js';
import { isRemote } from '../../../readers/bytes/remote/addresses.js';
import { refusesBinary } from '../../../readers/documentSink.js';
import type { InputFormat, Packing } from '../../../readers/list/fileList.js';
import { formatNamed } from '../../../readers/list/formats.js';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { refused } from '../corpusNow.js';
import { MemberWriter, unpackedMembers } from '../packed/gzipMembers.js';
import { type ByteSink, NoSink, PlainSink, packedSink } from '../packed/packers.js';
import { editedArray } from '../records/arrayEditing.js';
import { cuttingOf, WholeCutting, type Wideness } from '../records/cutting.js';
import {
  EditedParts,
  KEPT,
  type RecordCounts,
  RecordEditor,
  type RecordFates,
  WHOLE_FILE,
} from '../records/fates.js';
import type { CutParams, Cutting } from '../records/recordTaker.js';
import { OF_UTF16 } from '../records/unitForms.js';

const openLater = promisify(open);
const closeLater = promisify(close);
const statLater = promisify(fstat);
const readLater = promisify(read);

/** A file as it is to be read. */
export interface FileNow {
  /** Binary strings. */
  readonly path: string;
  readonly id: string;
  readonly format: InputFormat;
  readonly packing: Packing | null;
  /** Bytes that it had when the run read it. */
  readonly size: number;
}

/** What goes with a rewriting. */
export interface Rewriting {
  readonly params: CutParams;
  /** Called with bytes read of the file, packed or not. @throws to end the work */
  onBytes(bytes: number): void;
}

/** Bytes read at a time. */
const PIECE = 1 << 20;

/** What is thrown for an input that is not what the run read. */
export function inputLost(file: Pick<FileNow, 'id'>, what: string): MinHashError {
  return new MinHashError({ code: 'INPUT_LOST', detail: `${textOf(file.id)}: ${what}` });
}

/** By what a file is packed: files of JSON may be without their names saying so. */
export async function packingNow(file: FileNow, params: CutParams): Promise<Packing | null> {
  const isWhole = file.format === 'json' || file.format === 'json-or-text';
  if (file.packing !== null || !isWhole || !refusesBinary(params)) return file.packing;
  const pieces = fileBytes(file.path);
  const { start, all } = await begun(pieces, PACKING_PROBE);
  await all.return(undefined);
  return packingOf(start);
}

/**
 * Writes what stays of a file into an open file.
 *
 * @param descriptor null: nothing is written, and only the counts are told
 * @throws MinHashError INPUT_LOST, WRITE_FAILED, DISK_FULL, and what `onBytes` and the fates throw
 */
export async function rewriteFile(
  file: FileNow,
  fates: RecordFates,
  descriptor: number | null,
  rewriting: Rewriting,
): Promise<RecordCounts> {
  const packing = await packingNow(file, rewriting.params);
  if (packing === 'gzip' && descriptor !== null) return rewriteGzip(file, fates, descriptor, rewriting);
  if (packing === null && !isRemote(file.path)) return rewritePlain(file, fates, descriptor, rewriting);
  const pieces =
    packing === null
      ? fileBytes(file.path)
      : packingNamed(packing).stream(file.path, Number.POSITIVE_INFINITY);
  const sink = sinkOf(descriptor, packing);
  try {
    return await rewriteStream(file, fates, pieces, sink, rewriting);
  } catch (error) {
    sink.abandon();
    throw error;
  }
}

function sinkOf(descriptor: number | null, packing: Packing | null): ByteSink {
  if (descriptor === null) return new NoSink();
  return packing === null ? new PlainSink(descriptor) : packedSink(packing, descriptor);
}

/** What decides about a file, once its first bytes are known. */
function decided(
  file: FileNow,
  fates: RecordFates,
  out: EditedParts | MemberWriter,
  params: CutParams,
  head: Uint8Array,
): { editor: RecordEditor; cutting: Cutting } {
  const editor = new RecordEditor(fates, out);
  const wideness = widenessOf(params, head);
  if (fates.isOfUnits && wideness !== 'bytes') throw refused(`${textOf(file.id)}: ${OF_UTF16}`);
  if (fates.isOfUnits && file.format !== 'jsonl') {
    // What is dropped of an array stands in its elements.
    const isArray = formatNamed(file.format).holds !== 'text' && fates.fateOf(WHOLE_FILE) === KEPT;
    return isArray ? editedArray(fates, out) : { editor, cutting: new WholeCutting(editor) };
  }
  return { editor, cutting: cuttingOf(file.format, params, editor, wideness) };
}

function widenessOf({ encoding }: CutParams, head: Uint8Array): Wideness {
  if (isUtf8(encoding)) return utf16Of(head) ?? 'bytes';
  const name = new TextDecoder(encoding).encoding;
  return name === 'utf-16le' || name === 'utf-16be' ? name : 'bytes';
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
    const { editor, cutting } = decided(file, fates, out, params, piece.subarray(0, Math.min(4, count)));
    let total = 0;
    while (count > 0) {
      const next = filled(source, other);
      // A read that fails is told when its bytes are due.
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

/** Fills a piece as far as the file goes: where pieces end must not depend on how the system reads. */
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
  { params, onBytes }: Rewriting,
): Promise<RecordCounts> {
  const out = new EditedParts();
  const { start, all } = await begun(pieces, 4);
  const { editor, cutting } = decided(file, fates, out, params, start);
  for await (const piece of all) {
    if (typeof piece === 'string') throw inputLost(file, textOfCode(piece));
    onBytes(piece.length);
    cutting.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    await sink.write(out.take());
  }
  cutting.end();
  await sink.write(out.take());
  await sink.end();
  return editor.counts;
}

async function rewriteGzip(
  file: FileNow,
  fates: RecordFates,
  descriptor: number,
  { params, onBytes }: Rewriting,
): Promise<RecordCounts> {
  const writer = new MemberWriter(new PlainSink(descriptor));
  try {
    const { start, all } = await begun(unpackedMembers(fileBytes(file.path), writer), 4);
    const { editor, cutting } = decided(file, fates, writer, params, start);
    for await (const piece of all) {
      if (typeof piece === 'string') throw inputLost(file, textOfCode(piece));
      onBytes(piece.length);
      cutting.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
      await writer.flush();
    }
    cutting.end();
    await writer.flush();
    return editor.counts;
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

function textOfCode(code: ErrorCode): string {
  return `${code}: ${ERRORS[code].text}`;
}
