/**
 * Words as tokens of exactly 8 bytes: shorter ones padded with NUL, longer ones cut into several.
 *
 * Floor 0. Broder 1997, section 4.3: a window of k such tokens has one width, so its fingerprint rolls at one
 * step a byte. Two words with one form: a word that ends in NUL and the same without; canonical words hold
 * no NUL. A word of 17 bytes and three words of 8, 8 and 1 are one sequence, as the paper means it.
 */

/** Number of 8-byte tokens of a word of `length` bytes: at least one. */
function piecesOf(length: number): number {
  return Math.max(1, Math.ceil(length / 8));
}

/**
 * The tokens of a list of words as pairs (low, high), first byte lowest. Word i is bytes [ends[i-1], ends[i])
 * of `bytes` (the first begins at 0): words lie one after the other, without blanks. `ends` must not fall; an
 * empty word is one token of zeros.
 */
export function eightByteWords(bytes: Uint8Array, ends: Uint32Array): Uint32Array {
  let pieces = 0;
  for (let word = 0, from = 0; word < ends.length; from = ends[word++]!) {
    pieces += piecesOf(ends[word]! - from);
  }
  const tokens = new Uint32Array(2 * pieces);
  const room = new Uint8Array(8);
  let piece = 0;
  for (let word = 0, from = 0; word < ends.length; from = ends[word++]!) {
    const last = piece + piecesOf(ends[word]! - from);
    for (let at = from; piece < last; at += 8, piece++) {
      room.fill(0);
      room.set(bytes.subarray(at, Math.min(at + 8, ends[word]!)));
      tokens[2 * piece] = room[0]! | (room[1]! << 8) | (room[2]! << 16) | (room[3]! << 24);
      tokens[2 * piece + 1] = room[4]! | (room[5]! << 8) | (room[6]! << 16) | (room[7]! << 24);
    }
  }
  return tokens;
}
