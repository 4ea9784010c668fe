/**
 * Source text -> canonical characters: NFC (as far as this pass can compute it), lower case, every run of white space as one blank.
 *
 * As textFoldWords, with the rules of src/text/tokenizers.ts: AFTER is 1 if the last character was white
 * space (or there was none), so that a white space character after it is dropped.
 */
import { AFTER, REPAIRED, stop } from './state';
import {
  CHANGES,
  CLASS,
  COMPOSES,
  compactionOf,
  flagsOf,
  HAS_LOWER_CASE,
  isIgnored,
  isJamoOrChanges,
  lowerCaseOf,
  MARK,
  MARK_ORDER,
  MOST_MARKS,
  pairOfWords,
  WHITE_SPACE,
} from './tables';
import {
  CODE_POINT,
  INVALID,
  isPlainTriple,
  LENGTH_SHIFT,
  pairIn,
  textDecode,
  tripleIn,
  writeUtf8,
} from './utf8';

const BLANK: u32 = 0x20;

function whiteSpace(v: v128): v128 {
  const controls = i8x16.le_u(i8x16.sub(v, i8x16.splat(9)), i8x16.splat(4));
  return v128.or(i8x16.eq(v, i8x16.splat(0x20)), controls);
}

function lowerAscii(v: v128): v128 {
  const upper = i8x16.le_u(i8x16.sub(v, i8x16.splat(0x41)), i8x16.splat(25));
  return v128.or(v, v128.and(upper, i8x16.splat(0x20)));
}

/**
 * Writes the first `count` of 16 bytes except those whose bit in `kill` is set; returns the position after
 * the written bytes.
 */
function writeCompacted(to: usize, v: v128, kill: u32, count: usize): usize {
  const kept = ~kill & ((1 << (<u32>count)) - 1);
  v128.store(to, i8x16.swizzle(v, compactionOf(kill & 255)));
  to += <usize>popcnt(kept & 255);
  const upper = v128.shuffle<i64>(v, v, 1, 0);
  v128.store(to, i8x16.swizzle(upper, compactionOf((kill >> 8) & 255)));
  return to + <usize>popcnt(kept >> 8);
}

/** Writes a code point that is not a mark and does not change; returns the position after it. */
function writeCharacter(from: usize, decoded: u32, flags: u32, to: usize, after: u32): usize {
  if ((flags & WHITE_SPACE) !== 0) {
    if (after === 0) store<u8>(to++, BLANK);
    return to;
  }
  if ((flags & HAS_LOWER_CASE) !== 0 || (decoded & INVALID) !== 0) {
    return writeUtf8(to, lowerCaseOf(decoded & CODE_POINT));
  }
  store<u32>(to, load<u32>(from));
  return to + ((decoded >> LENGTH_SHIFT) & 7);
}

/**
 * Writes the characters of the text [from, end) to `to`, at most three bytes for one byte; returns the end of the
 * output. The last character may be a blank that is removed later if white space follows. Cuts and SOURCE as in textFoldWords.
 */
export function textFoldCharacters(state: usize, from: usize, end: usize, to: usize): usize {
  let after = load<u32>(state, AFTER);
  let start = from;
  let startTo = to;
  let startAfter = after;
  let marks: u32 = 0;
  let last: u32 = 0;
  while (from < end) {
    const v = v128.load(from);
    const wide = <u32>i8x16.bitmask(v);
    if ((wide & 1) === 0) {
      const white = whiteSpace(v);
      const whites = <u32>i8x16.bitmask(white);
      const count = min<usize>(end - from, <usize>ctz(wide | 0x10000));
      const folded = v128.bitselect(i8x16.splat(0x20), lowerAscii(v), white);
      const kill = whites & ((whites << 1) | after);
      to = writeCompacted(to, folded, kill, count);
      after = (whites >> (<u32>count - 1)) & 1;
      from += count;
      if (wide === 0 || from === end) continue;
      // A mark may join the last character; white space does not change and need not be folded again.
      start = from - <usize>(1 - after);
      startTo = to - <usize>(1 - after);
      // The blank before it is already written.
      startAfter = after;
      marks = 0;
      last = 0;
    }
    do {
      const head = load<u32>(from);
      if ((head & 0xc0e0) === 0x80c0 && (head & 0xff) >= 0xc2 && end - from > 1) {
        const pair = pairOfWords(pairIn(head));
        // Two-byte entries that are one blank separate words; here they are characters.
        if (pair >> 16 === 2) {
          start = from;
          startTo = to;
          startAfter = after;
          marks = 0;
          last = 0;
          after = 0;
          store<u16>(to, <u16>pair);
          to += 2;
          from += 2;
          continue;
        }
      }
      const decoded = isPlainTriple(head) && end - from > 2 ? tripleIn(head) : textDecode(from, end);
      const flags = flagsOf(decoded & CODE_POINT);
      const length = (decoded >> LENGTH_SHIFT) & 7;
      if (isIgnored(decoded & CODE_POINT, flags)) {
        from += length;
        continue;
      }
      if ((flags & CLASS) === MARK) {
        const order = flags >> MARK_ORDER;
        if (++marks > MOST_MARKS || (order !== 0 && (order <= last || order === COMPOSES))) {
          return stop(state, start, startAfter, startTo);
        }
        last = order;
        after = 0;
        store<u32>(to, load<u32>(from));
        to += length;
      } else {
        if (isJamoOrChanges(flags)) {
          // A joining code point belongs to the segment of the code point before it; one that changes begins
          // its own.
          if ((flags & CHANGES) !== 0) return stop(state, from, after, to);
          return stop(state, start, startAfter, startTo);
        }
        start = from;
        startTo = to;
        startAfter = after;
        marks = 0;
        last = 0;
        to = writeCharacter(from, decoded, flags, to, after);
        after = u32((flags & WHITE_SPACE) !== 0);
        if ((decoded & INVALID) !== 0) store<u32>(state, 1, REPAIRED);
      }
      from += length;
    } while (from < end && load<u8>(from) >= 0x80);
  }
  return stop(state, end, after, to);
}
