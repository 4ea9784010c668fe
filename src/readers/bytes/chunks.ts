/**
 * Cuts streams of records into chunks: compressed lines, lines in another encoding, standard input, and formats in which only a reading
 * from the beginning finds the ends of records.
 *
 * It runs in the coordinator. Cuts follow from the decompressed bytes alone (chunkCutter.ts).
 */
import { type ErrorCode, MinHashError } from '../../errors.js';
import { plainCauseOf, systemCodeOf } from '../../store/files.js';
import { type PieceParams, pieceBytesOf, type ReadParams, refusesBinary } from '../documentSink.js';
import type { InputFile } from '../list/fileList.js';
import { cutFormatNamed, formatNamed } from '../list/formats.js';
import { BINARY_PROBE, binaryCode, isBinaryTable } from './binaryKinds.js';
import { begun, fileBytes, type Pieces } from './byteStreams.js';
import { ChunkCutter, type ChunkProblem, type LineChunk, recordLimit } from './chunkCutter.js';
import { CODEC_PROBE, codecNamed, codecOf } from './codecs.js';
import { isUtf8, pieceDecoder, utf16Of } from './encodings.js';

/** Whether the records of a file can only be read from its beginning. */
export function isStream(file: InputFile, { encoding }: Pick<ReadParams, 'encoding'>): boolean {
  const { stdin, codec, utf16, format } = file;
  return stdin || codec !== null || utf16 || formatNamed(format).splits === 'in order' || !isUtf8(encoding);
}

/**
 * The lines of a stream source as chunks of UTF-8. An empty stream has none. Complete lines before a problem
 * are delivered before it.
 *
 * Problems: VANISHED, UNREADABLE, those of binary files and of compressed data; TOO_LARGE for a line.
 *
 * @param stdin read where `file.stdin`
 * @throws MinHashError INPUT_FAILED where `stdin` fails, or yields a value that is not text or bytes; MEMORY_RECORD for a record
 *   that --max-document allows and memory has no room for
 */
export async function* streamChunks(
  file: InputFile,
  params: ReadParams & PieceParams,
  stdin: AsyncIterable<unknown> = process.stdin,
  chunkBytes = pieceBytesOf(params),
): AsyncGenerator<LineChunk | ChunkProblem> {
  const pieces = await textOf(file, params, stdin);
  const rule = { of: cutFormatNamed(file.format), params };
  const records = new ChunkCutter(rule, chunkBytes, recordLimit(params, chunkBytes, file.id));
  let problem: ErrorCode | null = null;
  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      problem = piece;
      break;
    }
    records.push(piece);
    yield* records.chunks();
  }
  yield* records.rest(problem !== null && !problem.endsWith('_BEHIND'));
  if (problem !== null) yield { problem, line: records.line };
}

/** @throws MinHashError INPUT_FAILED: an unknown number of bytes is missing */
async function* readableBytes(stream: AsyncIterable<unknown>): Pieces {
  let pieces = 0;
  try {
    for await (const piece of stream) {
      pieces++;
      if (typeof piece === 'string') yield new TextEncoder().encode(piece);
      else if (piece instanceof Uint8Array) yield piece;
      else throw new TypeError(`expected text or bytes, got ${nameOfValue(piece)}`);
    }
  } catch (error) {
    // The stream of a program throws its own error.
    if (error instanceof MinHashError) throw error;
    const detail = `standard input, after ${pieces} ${pieces === 1 ? 'piece' : 'pieces'}: ${reasonOf(error)}`;
    throw new MinHashError({ code: 'INPUT_FAILED', detail }, { cause: error });
  }
}

const nameOfValue = (value: unknown): string =>
  Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;

/** The message of a program's error; for errors of the platform our own words. */
function reasonOf(error: unknown): string {
  const code = systemCodeOf(error);
  if (code !== null && /^E[A-Z0-9]+$/.test(code)) return plainCauseOf(code);
  return error instanceof Error ? error.message : String(error);
}

/** The bytes of a stream: decompressed, in UTF-8, and refused where they are binary. */
async function textOf(file: InputFile, params: ReadParams, stdin: AsyncIterable<unknown>): Promise<Pieces> {
  const bytes = file.stdin ? await pipedBytes(stdin, params) : bytesOfFile(file);
  if (formatNamed(file.format).isBinary) return bytes;
  if (!isUtf8(params.encoding)) return decoded(bytes, params.encoding);
  return refusesBinary(params) ? withoutBinary(bytes) : bytes;
}

function bytesOfFile({ path, codec }: InputFile): Pieces {
  if (codec === null) return fileBytes(path);
  return codecNamed(codec).stream(fileBytes(path), () => fileBytes(path));
}

/** Standard input has no name: its first bytes show whether it is compressed. */
async function pipedBytes(stdin: AsyncIterable<unknown>, params: ReadParams): Promise<Pieces> {
  const piped = readableBytes(stdin);
  if (!refusesBinary(params)) return piped;
  const { start, all } = await begun(piped, CODEC_PROBE);
  const codec = codecOf(start);
  return codec === null ? all : codecNamed(codec).stream(all);
}

/**
 * Refuses binary bytes, and decodes UTF-16 that begins with its mark. Holds the first BINARY_PROBE bytes back until all are
 * read.
 */
async function* withoutBinary(pieces: Pieces): Pieces {
  const { start, all } = await begun(pieces, BINARY_PROBE);
  const encoding = utf16Of(start);
  if (encoding === null && isBinaryTable(start.subarray(0, BINARY_PROBE))) {
    await all.return(undefined);
    yield binaryCode(start);
    return;
  }
  yield* encoding === null ? all : decoded(all, encoding);
}

/**
 * Bytes that cannot be decoded become U+FFFD, by which the reader of the chunk recognises a repaired record.
 */
async function* decoded(pieces: Pieces, encoding: string): Pieces {
  const decoder = pieceDecoder(encoding);
  for await (const piece of pieces) {
    if (typeof piece === 'string') {
      yield piece;
      return;
    }
    yield decoder.push(piece, false);
  }
  yield decoder.push(new Uint8Array(0), true);
}
