/**
 * The key of a text: 128 bits that are equal for equal bytes, computed from a stream. The last 32 bits depend on punctuation only.
 *
 * Documents with the same content hash (contentKey.ts) have the same tokens; with the same key of the text they are equal byte for
 * byte. The bytes are u64 words t, little-endian, in stripes of eight; words 2i and 2i + 1 of a stripe are input of two chains,
 * i = 0 .. 3. The eight chains are independent, so the processor computes them in parallel. A step uses two words, because the
 * product takes most of the time. With seeded odd constants a_i, b_i (starts), p1, p2 (multipliers) of purpose `text`, modulo 2^64:
 *
 *      A_i = rotl(((A_i ^ t) + rotl(u, 23)) * p1, 32)        t = word 2i, u = word 2i + 1
 *      B_i = rotl(((B_i ^ u) + rotl(t, 29)) * p2, 32)
 *
 * The end of the text is padded with zeros to a multiple of 16 bytes. Then, with n the number of bytes, x = n
 * ^ the sum of rotl(fmix64(A_i), 16 i), y = the sum of rotl(fmix64(B_i), 16 i), and key = (a, b) with a =
 * fmix64(x + y), b = the lower half of fmix64(y ^ a). Every step is a bijection of its chain, and because of the rotations by 23 and
 * 29 differences of few bits in t and u do not cancel in both chains: two texts that differ in one word have different keys. They can
 * cancel in one chain and leave the same small difference in every pair of chains, so each chain is mixed before it is added.
 *
 * The last word of a key is a hash of the outline of the text: a byte 1 for each word, and the UTF-8 of each code point that separates
 * words and is not white space, U+200B or below U+0020. The outline is padded with zeros to 8 floor(m / 8) + 8 bytes, with m the number
 * of its bytes. With z = 0 at first and each word o of eight bytes, modulo 2^64:
 *
 *      z = rotl((z ^ o) * p1, 32), and at the end the lower half of fmix64(z ^ m)
 *
 * Texts with the same words and different outlines differ in more than case and white space.
 */

/** The word of a key that is the hash of the outline. */
export const PUNCTUATION_WORD = 3;

/** Hashes the bytes of a document. The kernel implements it. */
export interface TextHash {
  begin(): void;
  /** Bytes of the text, in order, cut anywhere. */
  push(bytes: Uint8Array): void;
  /** Fills the fields below; they are valid until the next `begin`. */
  end(): void;
  /** Four uint32, each 64-bit half low word first. */
  readonly key: Uint32Array;
}
