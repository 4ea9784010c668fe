/**
 * The key of a text: its bytes -> 96 bits, and 32 bits of its punctuation. src/text/keys/textKey.ts has the formulas.
 *
 * A struct, at the end of the state of a stream or alone; offsets in bytes, src/kernel/text/wasmStream.ts has
 * the same numbers:
 *
 *       0 chains A_0..A_3 u64    32 chains B_0..B_3 u64    64 bytes taken u64    72 chain of the outline u64
 *      80 the current stripe of 64 bytes     144 PARAMETERS: a_0..a_3, b_0..b_3, p1, p2     224 key, 16 bytes
 *     240 bytes of the outline u64     248 KIND of the last character u32
 *     252 first bytes of a sequence that goes on, and their number << 24 u32     256 the current bytes of the outline, 7 and 256 at most
 */
import { textFmix64 } from './mixing';
import { CLASS, compactionOf, flagsOf, isIgnored, MARK, SEPARATOR, STANDALONE, WHITE_SPACE } from './tables';

const CHAINS_B: usize = 32;
const LENGTH: usize = 64;
const OUTLINE_CHAIN: usize = 72;
const STRIPE: usize = 80;
const PARAMETERS: usize = 144;
const FACTOR_1: usize = 208;
const FACTOR_2: usize = 216;
const KEY: usize = 224;
const OUTLINE_LENGTH: usize = 240;
const LAST: usize = 248;
const PARTIAL: usize = 252;
const OUTLINE: usize = 256;

/** What the last character is: bytes that go on with it are the same. */
const IS_OTHER: u32 = 0;
const IS_WORD: u32 = 1;
const IS_PUNCTUATION: u32 = 2;

/** Bytes of a text whose outline is made at a time. */
const PORTION: usize = 256;

const LAST_CODE_POINT: u32 = 0x10ffff;
const ZERO_WIDTH_SPACE: u32 = 0x200b;
const REPLACEMENT: u32 = 0xfffd;

/** Resets the struct for a new text. */
export function textKeyBegin(key: usize): void {
  for (let at: usize = 0; at < LENGTH; at += 16) v128.store(key + at, v128.load(key + at, PARAMETERS));
  store<u64>(key, 0, LENGTH);
  store<u64>(key, 0, OUTLINE_CHAIN);
  store<u64>(key, 0, OUTLINE_LENGTH);
  store<u64>(key, 0, LAST);
}

function stepA(chain: u64, t: u64, u: u64, factor: u64): u64 {
  return rotl<u64>(((chain ^ t) + rotl<u64>(u, 23)) * factor, 32);
}

function stepB(chain: u64, t: u64, u: u64, factor: u64): u64 {
  return rotl<u64>(((chain ^ u) + rotl<u64>(t, 29)) * factor, 32);
}

/** Adds the whole stripes of [from, end). */
function takeStripes(key: usize, from: usize, end: usize): void {
  const p1 = load<u64>(key, FACTOR_1);
  const p2 = load<u64>(key, FACTOR_2);
  let a0 = load<u64>(key);
  let a1 = load<u64>(key, 8);
  let a2 = load<u64>(key, 16);
  let a3 = load<u64>(key, 24);
  let b0 = load<u64>(key, 32);
  let b1 = load<u64>(key, 40);
  let b2 = load<u64>(key, 48);
  let b3 = load<u64>(key, 56);
  for (; from < end; from += 64) {
    let t = load<u64>(from);
    let u = load<u64>(from, 8);
    a0 = stepA(a0, t, u, p1);
    b0 = stepB(b0, t, u, p2);
    t = load<u64>(from, 16);
    u = load<u64>(from, 24);
    a1 = stepA(a1, t, u, p1);
    b1 = stepB(b1, t, u, p2);
    t = load<u64>(from, 32);
    u = load<u64>(from, 40);
    a2 = stepA(a2, t, u, p1);
    b2 = stepB(b2, t, u, p2);
    t = load<u64>(from, 48);
    u = load<u64>(from, 56);
    a3 = stepA(a3, t, u, p1);
    b3 = stepB(b3, t, u, p2);
  }
  store<u64>(key, a0);
  store<u64>(key, a1, 8);
  store<u64>(key, a2, 16);
  store<u64>(key, a3, 24);
  store<u64>(key, b0, 32);
  store<u64>(key, b1, 40);
  store<u64>(key, b2, 48);
  store<u64>(key, b3, 56);
}

/** Number of bytes of the sequence that a byte beyond ASCII begins. */
function sequenceLength(lead: u32): u32 {
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** Whether the bytes of a sequence after the first one go on with it, in the lowest of four bytes. */
function isContinued(bytes: u32): bool {
  const length = sequenceLength(bytes & 0xff);
  const bits: u32 = length === 2 ? 0xc000 : length === 3 ? 0xc0c000 : 0xc0c0c000;
  return (bytes & bits) === (bits & 0x80808080);
}

/** The code point of the sequence that begins in the lowest of four bytes; sequences beyond UTF-8 may give any number. */
function codePointOf(bytes: u32): u32 {
  if (!isContinued(bytes)) return REPLACEMENT;
  const lead = bytes & 0xff;
  const second = (bytes >> 8) & 63;
  if (lead < 0xe0) return ((lead & 31) << 6) | second;
  const third = (bytes >> 16) & 63;
  if (lead < 0xf0) return ((lead & 15) << 12) | (second << 6) | third;
  return ((lead & 7) << 18) | (second << 12) | (third << 6) | ((bytes >> 24) & 63);
}

function flagsOfAny(codePoint: u32): u32 {
  return codePoint > LAST_CODE_POINT ? SEPARATOR : flagsOf(codePoint);
}

/** Whether a separator of these flags is not white space. */
function isPunctuation(codePoint: u32, flags: u32): bool {
  return (flags & WHITE_SPACE) === 0 && codePoint !== ZERO_WIDTH_SPACE;
}

/** Adds the whole words of eight bytes of the outline, which ends at `to`, to its chain, and keeps the rest. */
function takeOutline(key: usize, to: usize): void {
  const factor = load<u64>(key, FACTOR_1);
  const length = load<u64>(key, OUTLINE_LENGTH);
  let chain = load<u64>(key, OUTLINE_CHAIN);
  let at = key + OUTLINE;
  store<u64>(key, (length & ~7) + <u64>(to - at), OUTLINE_LENGTH);
  for (; to - at >= 8; at += 8) chain = rotl<u64>((chain ^ load<u64>(at)) * factor, 32);
  store<u64>(key, chain, OUTLINE_CHAIN);
  store<u64>(key, load<u64>(at), OUTLINE);
}

/** Ends the sequence whose first bytes were the last ones before `from`; returns the end of the outline. */
function endSequence(key: usize, from: usize, to: usize): usize {
  const partial = load<u32>(key, PARTIAL);
  store<u32>(key, 0, PARTIAL);
  const have = partial >> 24;
  const codePoint = codePointOf((partial & 0xffffff) | (load<u32>(from) << (have << 3)));
  const flags = flagsOfAny(codePoint);
  const kind = flags & CLASS;
  if (kind === MARK || isIgnored(codePoint, flags)) return to;
  if (kind === SEPARATOR) {
    if (!isPunctuation(codePoint, flags)) {
      store<u32>(key, IS_OTHER, LAST);
      return to;
    }
    store<u32>(key, IS_PUNCTUATION, LAST);
    store<u32>(to, partial);
    return to + <usize>have;
  }
  const begins = kind === STANDALONE || load<u32>(key, LAST) !== IS_WORD;
  store<u32>(key, kind === STANDALONE ? IS_OTHER : IS_WORD, LAST);
  if (!begins) return to;
  store<u8>(to, 1);
  return to + 1;
}

/** Whether each byte is one of [first, last], both beyond ASCII. */
function areBetween(bytes: v128, first: u8, last: u8): v128 {
  return i8x16.le_u(i8x16.sub(bytes, i8x16.splat(first)), i8x16.splat(last - first));
}

/** The bytes whose bits are set, as bytes of -1. */
function areIn(bits: u32): v128 {
  const halves = i8x16.swizzle(i16x8.splat(<u16>bits), i8x16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1));
  const own = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
  return i8x16.eq(v128.and(halves, own), own);
}

/** Writes the outline of 16 bytes: those of `kept`, and 1 for those of `begins`; returns its end. */
function writeOutline(to: usize, bytes: v128, begins: v128, kept: u32): usize {
  const outline = v128.bitselect(i8x16.splat(1), bytes, begins);
  const low = kept & 0xff;
  v128.store64_lane(to, i8x16.swizzle(outline, compactionOf(low ^ 0xff)), 0);
  to += <usize>popcnt<u32>(low);
  const high = kept >> 8;
  v128.store64_lane(to, i8x16.swizzle(i64x2.shuffle(outline, outline, 1, 1), compactionOf(high ^ 0xff)), 0);
  return to + <usize>popcnt<u32>(high);
}

/**
 * Writes the outline of 16 bytes at `from`, some beyond ASCII; `end` is that of the text at hand. Returns the end of the outline. Bits
 * are in the order of the bytes. `words` and `marks` are those of ASCII.
 */
function outlineOfWide(key: usize, from: usize, end: usize, words: u32, marks: u32, to: usize): usize {
  const bytes = v128.load(from);
  const wide = <u32>i8x16.bitmask(bytes);
  const leads = <u32>i8x16.bitmask(v128.and(bytes, i8x16.shl(bytes, 1)));
  const rest = wide & ~leads;
  const last = load<u32>(key, LAST);
  // Of these first bytes all characters are ideographs, or letters and numbers of words (Latin, Cyrillic, Hangul).
  let standalone = <u32>i8x16.bitmask(areBetween(bytes, 0xe5, 0xe9));
  const known =
    standalone |
    <u32>(
      i8x16.bitmask(
        v128.or(
          v128.or(areBetween(bytes, 0xc4, 0xca), areBetween(bytes, 0xd0, 0xd1)),
          areBetween(bytes, 0xeb, 0xec),
        ),
      )
    );
  const second = (standalone << 1) & rest;
  words |= wide & ~(standalone | second | ((second << 1) & rest));
  const first: u32 = (1 << ctz<u32>(~rest)) - 1;
  if (last !== IS_WORD) words &= ~first;
  if (last === IS_PUNCTUATION) marks |= first;
  for (let left = leads & ~known; left !== 0; left &= left - 1) {
    const i = ctz<u32>(left);
    const run = ((2 << ctz<u32>(~(rest >> (i + 1)))) - 1) << i;
    const at = from + <usize>i;
    const have = <u32>min<usize>(end - at, 4);
    const inText: u32 = have < 4 ? (1 << (have << 3)) - 1 : 0xffffffff;
    const sequence = load<u32>(at);
    let keeps = true;
    if (have < sequenceLength(sequence & 0xff) && isContinued((sequence & inText) | (0x80808080 & ~inText))) {
      store<u32>(key, (sequence & inText) | (have << 24), PARTIAL);
    } else {
      const codePoint = codePointOf(sequence);
      const flags = flagsOfAny(codePoint);
      const kind = flags & CLASS;
      keeps = kind === MARK || isIgnored(codePoint, flags);
      if (!keeps && kind === STANDALONE) {
        standalone |= 1 << i;
        words &= ~run;
      } else if (!keeps && kind === SEPARATOR) {
        words &= ~run;
        if (isPunctuation(codePoint, flags)) marks |= run;
      }
    }
    if (keeps && (i === 0 ? last !== IS_WORD : ((words >> (i - 1)) & 1) === 0)) words &= ~run;
  }
  const begins = (words & ~((words << 1) | u32(last === IS_WORD))) | standalone;
  if (((words >> 15) & 1) !== 0) store<u32>(key, IS_WORD, LAST);
  else store<u32>(key, ((marks & wide) >> 15) & 1 ? IS_PUNCTUATION : IS_OTHER, LAST);
  return writeOutline(to, bytes, areIn(begins), marks | begins);
}

/** Adds the outline of [from, end), vectors of 16 bytes. */
function takePunctuation(key: usize, from: usize, end: usize): void {
  const blanks = i8x16.splat(0x20);
  while (from < end) {
    let to = key + OUTLINE + <usize>(load<u64>(key, OUTLINE_LENGTH) & 7);
    if (load<u32>(key, PARTIAL) !== 0) to = endSequence(key, from, to);
    const stop = min<usize>(end, from + PORTION);
    // Whether LAST is to be taken from `before`.
    let isAscii = false;
    let before = i8x16.splat(load<u32>(key, LAST) === IS_WORD ? -1 : 0);
    for (; from < stop; from += 16) {
      const bytes = v128.load(from);
      const letters = i8x16.le_u(i8x16.sub(v128.or(bytes, blanks), i8x16.splat(0x61)), i8x16.splat(25));
      const digits = i8x16.le_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(9));
      const words = v128.or(letters, digits);
      // Signed: bytes beyond ASCII are below the blank.
      const marks = v128.andnot(i8x16.gt_s(bytes, blanks), words);
      if (i8x16.bitmask(bytes) !== 0) {
        if (isAscii) store<u32>(key, u32(i8x16.extract_lane_u(before, 15) !== 0), LAST);
        isAscii = false;
        to = outlineOfWide(key, from, end, <u32>i8x16.bitmask(words), <u32>i8x16.bitmask(marks), to);
        before = i8x16.splat(load<u32>(key, LAST) === IS_WORD ? -1 : 0);
        continue;
      }
      const earlier = i8x16.shuffle(
        before,
        words,
        15,
        16,
        17,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        25,
        26,
        27,
        28,
        29,
        30,
      );
      const begins = v128.andnot(words, earlier);
      to = writeOutline(to, bytes, begins, <u32>i8x16.bitmask(v128.or(marks, begins)));
      before = words;
      isAscii = true;
    }
    if (isAscii) store<u32>(key, u32(i8x16.extract_lane_u(before, 15) !== 0), LAST);
    takeOutline(key, to);
  }
}

/** Adds whole stripes of a text. */
function takeText(key: usize, from: usize, end: usize): void {
  takePunctuation(key, from, end);
  takeStripes(key, from, end);
}

/** Adds the bytes [from, end) of the text; reads up to 64 bytes after them and ignores these. */
export function textKeyPush(key: usize, from: usize, end: usize): void {
  const taken = load<u64>(key, LENGTH);
  let filled = <usize>(taken & 63);
  store<u64>(key, taken + <u64>(end - from), LENGTH);
  if (filled !== 0) {
    for (; filled < 64 && from < end; filled++, from++) store<u8>(key + filled, load<u8>(from), STRIPE);
    if (filled < 64) return;
    takeText(key, key + STRIPE, key + STRIPE + 64);
  }
  const rest = from + ((end - from) & ~63);
  if (rest > from) takeText(key, from, rest);
  if (rest === end) return;
  for (let at: usize = 0; at < 64; at += 16) v128.store(key + at, v128.load(rest + at), STRIPE);
}

/** Zeroes the current stripe from byte `rest` to the next multiple of 16. */
function padStripe(key: usize, rest: usize): void {
  const at = key + (rest & ~7);
  const mask = ((<u64>1) << ((<u64>(rest & 7)) << 3)) - 1;
  if ((rest & 15) === 0) return;
  store<u64>(at, load<u64>(at, STRIPE) & mask, STRIPE);
  if ((rest & 8) === 0) store<u64>(at, 0, STRIPE + 8);
}

/** The sum of the four chains from `at` on, each mixed and rotated. */
function sumOfChains(at: usize): u64 {
  return (
    textFmix64(load<u64>(at)) +
    rotl<u64>(textFmix64(load<u64>(at, 8)), 16) +
    rotl<u64>(textFmix64(load<u64>(at, 16)), 32) +
    rotl<u64>(textFmix64(load<u64>(at, 24)), 48)
  );
}

/** Ends the text: the struct holds its key. */
export function textKeyEnd(key: usize): void {
  const p1 = load<u64>(key, FACTOR_1);
  const p2 = load<u64>(key, FACTOR_2);
  const length = load<u64>(key, LENGTH);
  const rest = <usize>(length & 63);
  if (rest > 0) {
    padStripe(key, rest);
    const stripe = key + STRIPE;
    const steps = (rest + 15) >> 4;
    takePunctuation(key, stripe, stripe + (steps << 4));
    for (let i: usize = 0; i < steps; i++) {
      const t = load<u64>(stripe + (i << 4));
      const u = load<u64>(stripe + (i << 4), 8);
      const chain = key + (i << 3);
      store<u64>(chain, stepA(load<u64>(chain), t, u, p1));
      store<u64>(chain, stepB(load<u64>(chain, CHAINS_B), t, u, p2), CHAINS_B);
    }
  }
  const x = sumOfChains(key) ^ length;
  const y = sumOfChains(key + CHAINS_B);
  const a = textFmix64(x + y);
  store<u64>(key, a, KEY);
  store<u32>(key, <u32>textFmix64(y ^ a), KEY + 8);
  const outline = load<u64>(key, OUTLINE_LENGTH);
  const tail = load<u64>(key, OUTLINE) & ~((<u64>-1) << ((outline & 7) << 3));
  const chain = rotl<u64>((load<u64>(key, OUTLINE_CHAIN) ^ tail) * p1, 32);
  store<u32>(key, <u32>textFmix64(chain ^ outline), KEY + 12);
}

/** The address of the finished key of a struct. */
export function textKeyAt(key: usize): usize {
  return key + KEY;
}
