/**
 * Source text -> words separated by blanks: canonical bytes of letters, marks and numbers, a blank for every other
 * character.
 *
 * One pass applies the rules of src/text/canonicalText.ts and the classes of tokenizers.ts. It handles ASCII 16
 * bytes at a time. A letter that is a separate word has a blank before it, and one after its marks. The pass stops
 * at the beginning of a segment (a code point and those that join it) that it cannot normalise; the glue
 * normalises the segment and calls again.
 */
import { AFTER, REPAIRED, stop } from './state';
import {
  CHANGES,
  CLASS,
  COMPOSES,
  flagsOf,
  HAS_LOWER_CASE,
  isIgnored,
  isJamoOrChanges,
  lowerCaseOf,
  MARK,
  MARK_ORDER,
  MOST_MARKS,
  pairOfWords,
  SEPARATOR,
  STANDALONE,
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

/** Letters in lower case and digits; blanks for all other bytes (of which none may be beyond ASCII). */
function foldAscii(v: v128): v128 {
  const blanks = i8x16.splat(0x20);
  const lower = v128.or(v, blanks);
  const letters = i8x16.le_u(i8x16.sub(lower, i8x16.splat(0x61)), i8x16.splat(25));
  const digits = i8x16.le_u(i8x16.sub(v, i8x16.splat(0x30)), i8x16.splat(9));
  // Letters in lower case and digits contain the bit of the blank, which therefore stays set in every byte.
  return v128.and(lower, v128.or(v128.or(letters, digits), blanks));
}

/**
 * Folds whole stretches of 64 bytes of ASCII from `from` on with one test of all high bits; returns where it
 * stopped.
 */
function foldStretches(from: usize, end: usize, to: usize): usize {
  for (; end - from >= 64; from += 64, to += 64) {
    const a = v128.load(from);
    const b = v128.load(from, 16);
    const c = v128.load(from, 32);
    const d = v128.load(from, 48);
    if (i8x16.bitmask(v128.or(v128.or(a, b), v128.or(c, d))) !== 0) break;
    v128.store(to, foldAscii(a));
    v128.store(to, foldAscii(b), 16);
    v128.store(to, foldAscii(c), 32);
    v128.store(to, foldAscii(d), 48);
  }
  return from;
}

/** Writes a code point that is not a mark and does not change; returns the position after it. */
function writeWordPart(from: usize, decoded: u32, flags: u32, to: usize, after: u32): usize {
  const kind = flags & CLASS;
  // An additional blank does not change the words.
  if (kind === SEPARATOR || kind === STANDALONE || after !== 0) store<u8>(to++, BLANK);
  if (kind === SEPARATOR) return to;
  if ((flags & HAS_LOWER_CASE) !== 0) return writeUtf8(to, lowerCaseOf(decoded & CODE_POINT));
  store<u32>(to, load<u32>(from));
  return to + ((decoded >> LENGTH_SHIFT) & 7);
}

/**
 * Writes the words of the text [from, end) to `to`, at most three bytes for one byte; returns the end of the output.
 *
 * `from` and `end` must not be within a UTF-8 sequence, and a code point that joins the last one must not follow `end`. SOURCE
 * becomes `end`, or the beginning of a segment that only the glue can normalise.
 */
export function textFoldWords(state: usize, from: usize, end: usize, to: usize): usize {
  let after = load<u32>(state, AFTER);
  // The current segment: where it begins in source and result, and AFTER there.
  let start = from;
  let startTo = to;
  let startAfter = after;
  let marks: u32 = 0;
  let last: u32 = 0;
  while (from < end) {
    const v = v128.load(from);
    const wide = <u32>i8x16.bitmask(v);
    if ((wide & 1) === 0) {
      if (after !== 0) store<u8>(to++, BLANK);
      after = 0;
      v128.store(to, foldAscii(v));
      const count = min<usize>(end - from, <usize>ctz(wide | 0x10000));
      from += count;
      to += count;
      if (from === end) break;
      if (wide === 0) {
        const stopped = foldStretches(from, end, to);
        to += stopped - from;
        from = stopped;
        if (from === end || load<u8>(from) < 0x80) continue;
      }
      // A mark may join the last character.
      start = from - 1;
      startTo = to - 1;
      startAfter = 0;
      marks = 0;
      last = 0;
    }
    do {
      const head = load<u32>(from);
      // 0xc2..0xdf and a continuation byte.
      if ((head & 0xc0e0) === 0x80c0 && (head & 0xff) >= 0xc2 && end - from > 1) {
        const pair = pairOfWords(pairIn(head));
        if (pair !== 0) {
          start = from;
          startTo = to;
          startAfter = after;
          marks = 0;
          last = 0;
          if (after !== 0) store<u8>(to++, BLANK);
          after = 0;
          store<u16>(to, <u16>pair);
          to += pair >> 16;
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
        to = writeWordPart(from, decoded, flags, to, after);
        after = u32((flags & CLASS) === STANDALONE);
        if ((decoded & INVALID) !== 0) store<u32>(state, 1, REPAIRED);
      }
      from += length;
    } while (from < end && load<u8>(from) >= 0x80);
  }
  return stop(state, end, after, to);
}
