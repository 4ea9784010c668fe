/** A response of HTTP in an archive (RFC 9112): its status, fields and body, unchunked and decompressed. */
import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { ErrorCode } from '../../../errors.js';
import { codecNamed } from '../../bytes/codecs.js';
import { headerFields } from './warcRecords.js';

interface HttpResponse {
  readonly status: number;
  readonly fields: Map<string, string>;
  /** As it was sent. */
  readonly body: Buffer;
}

const STATUS = /^HTTP\/\d(?:\.\d)?[ \t]+(\d{3})/;
const END = /\r?\n\r?\n/;
/** The longest header that is read. */
const MOST_HEADER = 256 << 10;

/** Null: it is not a response. A header without an end is the whole response. */
export function httpResponse(block: Buffer): HttpResponse | null {
  const head = block.toString('latin1', 0, MOST_HEADER);
  const status = STATUS.exec(head)?.[1];
  if (status === undefined) return null;
  const end = END.exec(head);
  const header = end === null ? head : head.slice(0, end.index);
  const from = end === null ? block.length : end.index + end[0].length;
  return { status: Number(status), fields: headerFields(header), body: block.subarray(from) };
}

/** The body without its transfer and content encodings, or why it cannot be decoded; TOO_LARGE beyond `limit` bytes. */
export function bodyOf({ fields, body }: HttpResponse, limit: number): Uint8Array | ErrorCode {
  const encodings = listOf(fields.get('content-encoding'));
  const transfers = listOf(fields.get('transfer-encoding'));
  let found: Uint8Array | ErrorCode = body;
  for (const name of [...encodings, ...transfers].reverse()) {
    found = decodedBody(name, found, limit);
    if (typeof found === 'string') return found;
  }
  return found;
}

function listOf(value: string | undefined): string[] {
  const names = (value ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

function decodedBody(name: string, bytes: Uint8Array, limit: number): Uint8Array | ErrorCode {
  if (bytes.length === 0) return bytes;
  if (name === 'chunked') return unchunked(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const maxOutputLength = Math.max(1, limit);
  try {
    if (name === 'gzip' || name === 'x-gzip') {
      // Many archives hold decompressed bodies with their original fields.
      return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { maxOutputLength }) : bytes;
    }
    if (name === 'deflate') {
      // By its standard in the format of zlib; many servers omit the header of it.
      const isZlib = (bytes[0]! & 15) === 8 && ((bytes[0]! << 8) | bytes[1]!) % 31 === 0;
      return (isZlib ? inflateSync : inflateRawSync)(bytes, { maxOutputLength });
    }
    if (name === 'zstd') return decompressedZstd(bytes, maxOutputLength);
    if (name === 'br') return brotliDecompressSync(bytes, { maxOutputLength });
  } catch (error) {
    // As of gzip, but data of Brotli have no beginning that shows them.
    if (name === 'br' && isUtf8(bytes)) return bytes;
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ERR_BUFFER_TOO_LARGE' && maxOutputLength === limit ? 'TOO_LARGE' : 'WARC_BODY_DAMAGED';
  }
  return 'WARC_BODY_DAMAGED';
}

function decompressedZstd(bytes: Uint8Array, limit: number): Uint8Array | ErrorCode {
  const { bytes: body, code } = codecNamed('zstd').whole(bytes, limit);
  if (code === null) return body;
  return code === 'TOO_LARGE' || code === 'UNPACKER_MISSING' ? code : 'WARC_BODY_DAMAGED';
}

const SIZE = /^([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/;
/** The longest line with the length of a chunk. */
const MOST_SIZE = 128;

/** A body without its chunks (RFC 9112, section 7.1); a body that does not begin with one stays as it is. */
function unchunked(bytes: Buffer): Uint8Array | ErrorCode {
  const body = Buffer.allocUnsafeSlow(bytes.length);
  let size = 0;
  for (let at = 0; ; ) {
    const line = SIZE.exec(bytes.toString('latin1', at, at + MOST_SIZE));
    if (line === null) return at === 0 ? bytes : 'WARC_BODY_DAMAGED';
    at += line[0].length;
    const chunk = Number.parseInt(line[1]!, 16);
    if (chunk === 0) return body.subarray(0, size);
    if (at + chunk > bytes.length) return 'WARC_BODY_DAMAGED';
    size += bytes.copy(body, size, at, at + chunk);
    at += chunk;
    while (at < bytes.length && (bytes[at] === 0x0d || bytes[at] === 0x0a)) at++;
  }
}
