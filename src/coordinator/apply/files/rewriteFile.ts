/**
 * Rewrites one file: its bytes are read in order and cut into records, and the kept records are written with the same
 * compression.
 *
 *      plain        read one piece ahead; kept bytes are written from the piece itself
 *      compressed   decompressed, and compressed again
 */
import { type FileHandle, open } from 'node:fs/promises';
import { ERRORS, MinHashError } from '../../../errors.js';
import { begun, fileBytes, type Pieces } from '../../../readers/bytes/byteStreams.js';
import { CODEC_PROBE, codecNamed, codecOf } from '../../../readers/bytes/codecs.js';
import { isUtf8, utf16Of } from '../../../readers/bytes/encodings.js';
import { type CutParams, cuttingOf, WholeCutting } from '../../../readers/cutting.js';
import { refusesBinary } from '../../../readers/documentSink.js';
import type { Codec } from '../../../readers/list/fileList.js';
import { formatNamed, hasValues } from '../../../readers/list/formats.js';
import { bytesOf, textOf } from '../../../readers/list/pathIds.js';
import { skipReason } from '../../../result/tables/tables.js';
import type { InputFormat } from '../../../sketch/formatNames.js';
import { EditedParts, type RecordCounts, RecordEditor, type RecordFates } from '../records/fates.js';
import { NOWHERE, sinkOf } from './byteSinks.js';

export interface FileNow {
  /** Binary strings. */
  readonly path: string;
  readonly id: string;
  readonly format: InputFormat;
  readonly codec: Codec | null;
  /** Its size in bytes when the run read it. */
  readonly size: number;
}

export interface Rewriting {
  readonly params: CutParams;
  /** Called with the number of bytes read from the file, compressed or not. @throws to stop */
  onBytes(bytes: number): void;
}

/** Bytes per read. */
const PIECE = 1 << 20;

/** The error for an input that differs from what the run read. */
export function inputLost(file: Pick<FileNow, 'id'>, what: string): MinHashError {
  return new MinHashError({ code: 'INPUT_LOST', detail: `${textOf(file.id)}: ${what}` });
}

/** The compression of a file; names of JSON files may not show it. */
export async function codecNow(file: FileNow, params: CutParams): Promise<Codec | null> {
  if (file.codec !== null || !hasValues(formatNamed(file.format)) || !refusesBinary(params))
    return file.codec;
  const pieces = fileBytes(file.path);
  const { start, all: whole } = await begun(pieces, CODEC_PROBE);
  await whole.return(undefined);
  return codecOf(start);
}

/** The stored bytes of a file, each piece valid until the next one is requested. @throws MinHashError INPUT_LOST */
async function* plainPieces(file: FileNow): AsyncGenerator<Buffer> {
  const source = await open(bytesOf(file.path), 'r').catch(() => {
    throw inputLost(file, ERRORS.UNREADABLE.text);
  });
  try {
    const { size } = await source.stat();
    if (file.size >= 0 && size !== file.size) throw inputLost(file, 'its size has changed');
    let [piece, other] = [Buffer.allocUnsafeSlow(PIECE), Buffer.allocUnsafeSlow(PIECE)];
    let count = await filled(source, piece);
    let total = 0;
    while (count > 0) {
      const next = filled(source, other);
      // A failed read is reported when its bytes are awaited.
      next.catch(() => {});
      total += count;
      yield piece.subarray(0, count);
      [piece, other] = [other, piece];
      count = await next;
    }
    if (total !== size) throw inputLost(file, `it ends after ${total} of ${size} bytes`);
  } finally {
    await source.close();
  }
}

/** Fills a piece up to the end of the file, because a single read may return fewer bytes. */
async function filled(source: FileHandle, piece: Buffer): Promise<number> {
  let end = 0;
  while (end < piece.length) {
    const { bytesRead } = await source.read(piece, end, piece.length - end, null);
    if (bytesRead === 0) break;
    end += bytesRead;
  }
  return end;
}

async function* decompressedPieces(file: FileNow, codec: Codec): AsyncGenerator<Buffer> {
  for await (const piece of decompressed(file, codec)) {
    if (typeof piece === 'string') throw inputLost(file, skipReason(piece));
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  }
}

function decompressed(file: FileNow, codec: Codec | null): Pieces {
  const bytes = fileBytes(file.path);
  return codec === null ? bytes : codecNamed(codec).stream(bytes);
}

/** Whether a file is UTF-16, which cannot be cut: by the option of its run, or by its first bytes. */
export async function isWide(file: FileNow, params: CutParams): Promise<boolean> {
  if (!isUtf8(params.encoding)) return /^utf-16/.test(new TextDecoder(params.encoding).encoding);
  if (!refusesBinary(params)) return false;
  const { start, all: whole } = await begun(decompressed(file, await codecNow(file, params)), 4);
  await whole.return(undefined);
  return utf16Of(start) !== null;
}

/**
 * Writes the kept bytes of a file to an open file.
 *
 * @param descriptor null: nothing is written, and only counts are returned
 * @throws MinHashError INPUT_LOST, WRITE_FAILED, DISK_FULL, and what `onBytes` and the fates throw
 */
export async function rewriteFile(
  file: FileNow,
  fates: RecordFates,
  descriptor: number | null,
  { params, onBytes }: Rewriting,
): Promise<RecordCounts> {
  const codec = await codecNow(file, params);
  const { splits, applied } = formatNamed(file.format);
  const isArchive = codec === 'gzip' && applied?.hasMembers === true;
  const pieces = codec === null ? plainPieces(file) : decompressedPieces(file, codec);
  const sink = descriptor === null ? NOWHERE : sinkOf(descriptor, codec, isArchive);
  const out = new EditedParts(isArchive);
  const editor = new RecordEditor(fates, out);
  const isWhole = fates.isOfUnits && splits !== 'by lines';
  const cutting = isWhole ? new WholeCutting(editor) : cuttingOf(file.format, params, editor);
  try {
    for await (const piece of pieces) {
      onBytes(piece.length);
      cutting.push(piece);
      await sink.write(out.take());
    }
    cutting.end();
    await sink.write(out.take());
    await sink.end();
    return editor.counts;
  } catch (error) {
    sink.abandon();
    throw error;
  }
}
