/** The side file `eliminated`: the hashes of shingles that no sketch has, as words of this machine. */
import type { StagePlace } from './stage.js';

export const ELIMINATED = 'eliminated';

/** Bytes read at a time. */
const PIECE = 1 << 20;

export function eliminatedBytes({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The hashes, pairs (low, high); none where the job has no such file. */
export function eliminatedOf({ manifest, side }: StagePlace): Uint32Array {
  if (manifest.sides[ELIMINATED] === undefined) return new Uint32Array(0);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let piece = side(ELIMINATED, 0, PIECE); piece.length > 0; piece = side(ELIMINATED, length, PIECE)) {
    pieces.push(piece.slice());
    length += piece.length;
  }
  const all = new Uint8Array(length);
  for (const piece of pieces.reverse()) {
    length -= piece.length;
    all.set(piece, length);
  }
  return new Uint32Array(all.buffer);
}
