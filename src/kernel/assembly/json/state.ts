/**
 * The state of a scan of JSON lines: a struct in memory that the glue makes. Offsets in bytes;
 * src/kernel/wasmJson.ts has the same numbers.
 *
 *       0 rows u32, in: address of the first row    4 rows' end u32
 *       8 out u32: where decoded strings go         12 longest line u32
 *      16 text name u32, 20 its length              24 id name u32, 28 its length
 *      32 at u32, out: after the last line taken    36 escaped u32     40 repaired u32
 *      64 short escapes, a byte each: the character that the letter escapes, 0 for none
 *     320 digits, a byte each: the hexadecimal value, NO_DIGIT for none
 *
 * A row, u32 each:
 *
 *       0 kind    4 id    8 its length    12 text    16 its length    20 flags
 */

export const ROWS: usize = 0;
export const ROWS_END: usize = 4;
export const OUT: usize = 8;
export const LONGEST: usize = 12;
export const TEXT_NAME: usize = 16;
export const ID_NAME: usize = 24;
export const AT: usize = 32;
/** A skipped string contained a backslash. */
export const ESCAPED: usize = 36;
/** In a decoded string a lone surrogate became U+FFFD. */
export const REPAIRED: usize = 40;
export const ESCAPES: usize = 64;
export const DIGITS: usize = 320;

export const NO_DIGIT: u32 = 0x80;

export const ROW: usize = 24;
export const KIND: usize = 0;
export const ID: usize = 4;
export const ID_LENGTH: usize = 8;
export const TEXT: usize = 12;
export const TEXT_LENGTH: usize = 16;
export const FLAGS: usize = 20;

// Kinds of lines; src/kernel/kernel.ts defines them.
export const BLANK: u32 = 0;
export const RECORD: u32 = 1;
export const BROKEN: u32 = 2;
export const NO_OBJECT: u32 = 3;
export const NO_TEXT: u32 = 4;
export const OTHER_ID: u32 = 5;
export const TOO_LONG: u32 = 6;

// Flags of a row.
export const HAS_TEXT: u32 = 1;
export const HAS_ID: u32 = 2;
export const TEXT_REPAIRED: u32 = 4;
/** The id is not a string, a number or null. */
export const ODD_ID: u32 = 8;
