/** One digest over everything that was compared: two results with the same digest have the same documents. */
import { createHash } from 'node:crypto';
import type { IdTable } from '../../blocks/ids.js';
import { ByteWriter } from './escaping.js';

/** The compared documents. */
export interface Contents {
  readonly ids: IdTable;
  /** Numbers of the documents, ascending. */
  readonly documents: Uint32Array;
  /** Four uint32 for each of `documents`. */
  readonly contentKeys: Uint32Array;
}

/** Number of bytes that are hashed at a time. */
const HASHED = 1 << 16;

/**
 * SHA-256 (lower-case hex) over the documents in their order, each as: bytes of its id (u32, little-endian), the
 * id, its content hash (four u32, little-endian). The length before the id keeps ("ab", "c") and ("a", "bc")
 * different. No documents: the digest of no bytes.
 */
export class StreamedDigest {
  private readonly hash = createHash('sha256');
  private readonly piece = new ByteWriter(HASHED);

  /** Adds a document with the id `ids[from .. to)`. @param keyAt where the 16 bytes of its content hash begin in `keys` */
  add(ids: Uint8Array, from: number, to: number, keys: Uint8Array, keyAt: number): void {
    this.word(to - from);
    this.piece.appendRange(ids, from, to);
    this.piece.appendRange(keys, keyAt, keyAt + 16);
    if (this.piece.length >= HASHED) this.flush();
  }

  addAll({ ids: { bytes, offsets }, documents, contentKeys }: Contents): void {
    const keys = new Uint8Array(contentKeys.buffer, contentKeys.byteOffset, contentKeys.byteLength);
    for (let i = 0; i < documents.length; i++)
      this.add(bytes, offsets[documents[i]!]!, offsets[documents[i]! + 1]!, keys, 16 * i);
  }

  /** The digest; the last call. */
  finish(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private word(value: number): void {
    const { piece } = this;
    piece.reserve(4);
    for (let shift = 0; shift < 32; shift += 8) piece.put((value >>> shift) & 0xff);
  }

  private flush(): void {
    this.hash.update(this.piece.written());
    this.piece.clear();
  }
}

/** The digest of all documents. */
export function contentDigest(contents: Contents): string {
  const digest = new StreamedDigest();
  digest.addAll(contents);
  return digest.finish();
}
