/**
 * One digest over everything that was compared: two results with the same digest saw the same documents.
 *
 * Floor 2. Knows ids and content keys only.
 */
import { createHash } from 'node:crypto';
import type { IdTable } from './idTable.js';

/** Documents hashed a piece. */
const PIECE = 16384;

/**
 * SHA-256 (lower-case hex) over all documents in id order, each as: bytes of its id (u32, little-endian), the
 * id, its content key (four u32, little-endian). The length before the id keeps ("ab", "c") apart from ("a",
 * "bc"). No documents: the digest of nothing.
 *
 * @param contentKeys four uint32 a document, by document number
 */
export function contentDigest(ids: IdTable, contentKeys: Uint32Array): string {
  const documents = ids.offsets.length - 1;
  const hash = createHash('sha256');
  for (let from = 0; from < documents; from += PIECE) {
    const to = Math.min(documents, from + PIECE);
    const idBytes = ids.offsets[to]! - ids.offsets[from]!;
    const piece = new Uint8Array(idBytes + 20 * (to - from));
    const view = new DataView(piece.buffer);
    let at = 0;
    for (let document = from; document < to; document++) {
      const id = ids.bytes.subarray(ids.offsets[document]!, ids.offsets[document + 1]!);
      view.setUint32(at, id.length, true);
      piece.set(id, at + 4);
      at += 4 + id.length;
      for (let i = 0; i < 4; i++, at += 4) view.setUint32(at, contentKeys[4 * document + i]!, true);
    }
    hash.update(piece);
  }
  return hash.digest('hex');
}
