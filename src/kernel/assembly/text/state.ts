/**
 * The state of one stream of documents: a struct in memory that the glue allocates and whose address every function gets.
 *
 * The glue writes the part from PARAMETERS on when a stream gets the struct, and reads the results before it. Offsets in bytes;
 * src/kernel/text/wasmState.ts has the same numbers.
 *
 *       0 rolling hash u64      8 all tokens u64      16 key chain 1 u64     24 key chain 2 u64
 *      32 long length u64      40 long hash u64       48 key bytes u64       56 key units u64
 *      64 source u32           68 after u32           72 repaired u32
 *      80 PARAMETERS: s0, s1 (word)   96 b, b^k (shingle)   112 k1, k2, p1, p2 (content)   144 s, s' (character)
 *     160 size u32            164 mask of the set u32        168 address of the set u32
 *     192 content hash, 16 bytes       256 T of the code points below 256, u64 each
 *    2304 T of the same, rotated by the size of the window
 *    4352 the struct of the text's key (textKey.ts)
 */

/** Polynomial over the tokens or characters of the window. */
export const ROLLING: usize = 0;
/** Polynomial over all tokens, for documents without a stop word. */
export const ALL: usize = 8;
export const CHAIN_1: usize = 16;
export const CHAIN_2: usize = 24;
/** Bytes of the current word that LONG_HASH already covers: 0, or a multiple of 8. */
export const LONG_LENGTH: usize = 32;
export const LONG_HASH: usize = 40;
/** The last UNITS modulo 8 bytes of the content hash. */
export const KEY_BYTES: usize = 48;
/** Tokens or bytes in the content hash. */
export const UNITS: usize = 56;
/** Where a pass over source text stopped: its end, or a segment that only the reference can normalise. */
export const SOURCE: usize = 64;
/** Words: whether the last letter stands alone. Characters: whether the last one was white space. */
export const AFTER: usize = 68;
export const REPAIRED: usize = 72;

export const WORD_0: usize = 80;
export const WORD_1: usize = 88;
export const BASE: usize = 96;
export const POWER: usize = 104;
export const KEY_1: usize = 112;
export const KEY_2: usize = 120;
export const FACTOR_1: usize = 128;
export const FACTOR_2: usize = 136;
export const CHARACTER_0: usize = 144;
export const CHARACTER_1: usize = 152;
export const SIZE: usize = 160;
export const SET_MASK: usize = 164;
export const SET: usize = 168;

export const CONTENT_KEY: usize = 192;
export const CHARACTERS: usize = 256;
export const ROTATED: usize = 2304;
export const TEXT_KEY: usize = 4352;

/** Resets the state for a new document. `after`: the value of AFTER before the first character. */
export function textBegin(state: usize, after: u32): void {
  memory.fill(state, 0, WORD_0);
  store<u64>(state, load<u64>(state, KEY_1), CHAIN_1);
  store<u64>(state, load<u64>(state, KEY_2), CHAIN_2);
  store<u32>(state, after, AFTER);
}

/** Stores where a pass over source text stopped and returns the end of its output. */
export function stop(state: usize, source: usize, after: u32, to: usize): usize {
  store<u32>(state, source, SOURCE);
  store<u32>(state, after, AFTER);
  return to;
}
