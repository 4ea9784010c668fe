/**
 * Properties of code points: the tables of src/text/unicode, copied into memory once per kernel, and tables
 * derived from them.
 *
 * One byte of flags per code point, those of codePoints.ts; in a mark the three highest bits have another
 * meaning:
 *
 *      bit   7            6               5            4          3           2             1..0
 *            unassigned   trailing jamo   vowel jamo   changes    has lower   white space   class
 *      mark  order                                     under NFC  case
 *
 * The order of a mark is 0 if NFC never changes the mark after any code point (canonical combining class 0, not part of a
 * composition). Orders 1 to 6 ascend with the class: NFC does not move such marks if each has a higher order than the one before. A
 * text may need NFC if a mark has the order 7, if orders do not ascend, or if a code point has CHANGES: there a pass stops and leaves
 * the segment to the reference.
 */

export const CLASS: u32 = 3;
export const SEPARATOR: u32 = 0;
export const WORD: u32 = 1;
export const STANDALONE: u32 = 2;
export const MARK: u32 = 3;
export const WHITE_SPACE: u32 = 4;
export const HAS_LOWER_CASE: u32 = 8;
export const CHANGES: u32 = 16;
/** The flags of a default-ignorable code point, which is removed. */
const IGNORABLE: u32 = 136;
/** A mark that is also removed. */
const GRAPHEME_JOINER: u32 = 0x034f;
/** A mark's order is its flags shifted by this. */
export const MARK_ORDER: u32 = 5;
/** The order of marks that may change or become part of another code point. */
export const COMPOSES: u32 = 7;
const VOWEL_JAMO: u32 = 32;
const TRAILING_JAMO: u32 = 64;

/** UAX 15 section 13: more combining marks in a row than this are cut. */
export const MOST_MARKS: u32 = 30;

const CODE_POINTS: usize = 0x110000;
const PAGES: usize = CODE_POINTS >> 8;

let flagsAt: usize = 0;
let pagesAt: usize = 0;
let stepsAt: usize = 0;
let pairsAt: usize = 0;
let compactionAt: usize = 0;

/** Bytes of the tables, given the number of pages of lower case steps. */
export function textTablesSize(pages: u32): usize {
  return CODE_POINTS + PAGES + ((<usize>pages) << 10) + (2048 << 2) + (256 << 3);
}

/**
 * Prepares the tables at `at`, where the glue has written flags, lower case pages and `pages` pages of steps (i32), and writes the
 * derived tables after them.
 */
export function textTables(at: usize, pages: u32): void {
  flagsAt = at;
  pagesAt = at + CODE_POINTS;
  stepsAt = pagesAt + PAGES;
  pairsAt = stepsAt + ((<usize>pages) << 10);
  compactionAt = pairsAt + (2048 << 2);
  for (let codePoint: u32 = 0x80; codePoint < 0x800; codePoint++) {
    store<u32>(pairsAt + ((<usize>codePoint) << 2), pairOf(codePoint));
  }
  for (let kill: u32 = 0; kill < 256; kill++) fillCompaction(compactionAt + ((<usize>kill) << 3), kill);
}

export function flagsOf(codePoint: u32): u32 {
  return <u32>load<u8>(flagsAt + codePoint);
}

export function lowerCaseOf(codePoint: u32): u32 {
  const page = <u32>load<u8>(pagesAt + (codePoint >> 8));
  return codePoint + load<u32>(stepsAt + ((<usize>((page << 8) | (codePoint & 255))) << 2));
}

/** Whether a code point is removed from canonical text. */
export function isIgnored(codePoint: u32, flags: u32): bool {
  return flags === IGNORABLE || codePoint === GRAPHEME_JOINER;
}

/** Whether a code point that is not a mark can change under NFC, or join the one before it. */
export function isJamoOrChanges(flags: u32): bool {
  return (flags & (CHANGES | VOWEL_JAMO | TRAILING_JAMO)) !== 0;
}

/**
 * The word form of a two-byte code point as length << 16 | bytes: its lower case, or one blank. 0 if the form is not that simple.
 */
export function pairOfWords(codePoint: u32): u32 {
  return load<u32>(pairsAt + ((<usize>codePoint) << 2));
}

/** The swizzle indices that keep some of eight bytes; `kill` has a bit for every byte to remove. */
export function compactionOf(kill: u32): v128 {
  return v128.load64_zero(compactionAt + ((<usize>kill) << 3));
}

function pairOf(codePoint: u32): u32 {
  const flags = flagsOf(codePoint);
  const kind = flags & CLASS;
  if (isIgnored(codePoint, flags) || isJamoOrChanges(flags) || kind === MARK || kind === STANDALONE) return 0;
  if (kind === SEPARATOR) return (1 << 16) | 0x20;
  const lower = lowerCaseOf(codePoint);
  if (lower < 0x80 || lower >= 0x800) return 0;
  return (2 << 16) | ((0x80 | (lower & 63)) << 8) | 0xc0 | (lower >> 6);
}

function fillCompaction(at: usize, kill: u32): void {
  let kept: usize = 0;
  for (let i: u32 = 0; i < 8; i++) {
    if (((kill >> i) & 1) === 0) store<u8>(at + kept++, i);
  }
  // An index beyond the vector gives a zero byte.
  for (; kept < 8; kept++) store<u8>(at + kept, 0x80);
}
