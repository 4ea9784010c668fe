/**
 * Lines `set, element[, value]` -> rows with the hashes of both names; src/readers/formats/setLines.ts is the reference.
 *
 * The state is a struct in memory that the glue allocates; src/kernel/wasmRows.ts has the same numbers. Offsets in bytes:
 *
 *       0 rows u32, in: address of the first row     4 rows' end u32
 *       8 separator u32     12 quote u32, a line feed if lines have no quotes
 *      16 set u32, the number of its field     20 element u32     24 value u32, 2^32 - 1 if lines have none
 *      28 wanted u32: fields up to the last one needed            32 fields u32, address: start and end of each, u32 each
 *      40 s0, s1 u64: constants of the hash
 *      56 lines u32, out: lines taken     60 blank u32, out: those without content     64 found u32, out: rows
 *
 * A row, 48 bytes:
 *
 *       0 kind u32     4 number of the line u32, from 0     8 set u32     12 its length u32     16 element u32     20 its length u32
 *      24 hash of the set u64     32 hash of the element u64     40 value f64, NaN if there is none
 *
 * In a row that is not of kind ROW, `set` is the line: it has a quote, is not a row, or has a value that is not a plain number.
 */
import { textFmix64 } from '../text/mixing';
import { hashOfLine } from '../text/tokens';

const ROWS: usize = 0;
const ROWS_END: usize = 4;
const SEPARATOR: usize = 8;
const QUOTE: usize = 12;
const SET: usize = 16;
const ELEMENT: usize = 20;
const VALUE: usize = 24;
const WANTED: usize = 28;
const FIELDS: usize = 32;
const S0: usize = 40;
const S1: usize = 48;
const LINES: usize = 56;
const BLANK: usize = 60;
const FOUND: usize = 64;

const ROW_BYTES: usize = 48;
const ROW: u32 = 1;
const OTHER: u32 = 0;
/** Equals MOST_ID_BYTES of the reference. */
const LONGEST_NAME: u32 = 64 << 10;

const LINE_FEED: u8 = 0x0a;
const RETURN: u8 = 0x0d;
const POINT: u32 = 0x2e;
/** A double is exact for this many digits. */
const EXACT_DIGITS: u32 = 15;

/** The number [at, end) of at most EXACT_DIGITS digits and an optional point, so that both parts of the quotient are exact; else -1. */
function plainNumber(at: usize, end: usize): f64 {
  let value: f64 = 0;
  let power: f64 = 1;
  let digits: u32 = 0;
  let points: u32 = 0;
  for (; at < end; at++) {
    const byte = <u32>load<u8>(at);
    const digit = byte - 0x30;
    if (digit < 10) {
      value = 10 * value + <f64>digit;
      if (points > 0) power *= 10;
      digits++;
    } else if (byte === POINT && points === 0) points = 1;
    else return -1;
  }
  return digits === 0 || digits > EXACT_DIGITS ? -1 : value / power;
}

/** Writes the row of a line with these fields; false if the reference must read the line. */
function writeRow(state: usize, row: usize, fields: u32): bool {
  const set = load<u32>(state, SET);
  const element = load<u32>(state, ELEMENT);
  if (set >= fields || element >= fields) return false;
  const at = <usize>load<u32>(state, FIELDS);
  const setFrom = load<u32>(at + 8 * <usize>set);
  const setTo = load<u32>(at + 8 * <usize>set, 4);
  const elementFrom = load<u32>(at + 8 * <usize>element);
  const elementTo = load<u32>(at + 8 * <usize>element, 4);
  if (setTo === setFrom || setTo - setFrom > LONGEST_NAME || elementTo === elementFrom) return false;
  let value: f64 = NaN;
  const weight = load<u32>(state, VALUE);
  if (weight < fields) {
    const from = load<u32>(at + 8 * <usize>weight);
    const to = load<u32>(at + 8 * <usize>weight, 4);
    if (to > from) {
      value = plainNumber(<usize>from, <usize>to);
      if (value < 0) return false;
    }
  }
  const s0 = load<u64>(state, S0);
  const s1 = load<u64>(state, S1);
  store<u32>(row, setFrom, 8);
  store<u32>(row, setTo - setFrom, 12);
  store<u32>(row, elementFrom, 16);
  store<u32>(row, elementTo - elementFrom, 20);
  store<u64>(row, textFmix64(hashOfLine(<usize>setFrom, <usize>setTo, s0, s1)), 24);
  store<u64>(row, textFmix64(hashOfLine(<usize>elementFrom, <usize>elementTo, s0, s1)), 32);
  store<f64>(row, value, 40);
  return true;
}

/**
 * Reads the lines of [from, end), which ends with a line feed, until the rows are full; returns the position after the last line that
 * was read.
 */
export function rowLines(state: usize, from: usize, end: usize): usize {
  const rowsEnd = <usize>load<u32>(state, ROWS_END);
  const separator = load<u8>(state, SEPARATOR);
  const wanted = load<u32>(state, WANTED);
  const table = <usize>load<u32>(state, FIELDS);
  const feeds = i8x16.splat(LINE_FEED);
  const separators = i8x16.splat(separator);
  const quotes = i8x16.splat(load<u8>(state, QUOTE));
  let row = <usize>load<u32>(state, ROWS);
  let line: u32 = 0;
  let blank: u32 = 0;
  let field = from;
  let fields: u32 = 0;
  let quoted = false;
  let start = from;
  for (let at = from; at < end; at += 16) {
    const bytes = v128.load(at);
    const marks = v128.or(
      v128.or(i8x16.eq(bytes, feeds), i8x16.eq(bytes, separators)),
      i8x16.eq(bytes, quotes),
    );
    let events = <u32>i8x16.bitmask(marks);
    for (; events !== 0; events &= events - 1) {
      const here = at + <usize>ctz(events);
      if (here >= end) break;
      const byte = load<u8>(here);
      if (byte === separator) {
        if (fields === wanted) continue;
        store<u32>(table + 8 * <usize>fields, <u32>field);
        store<u32>(table + 8 * <usize>fields, <u32>here, 4);
        fields++;
        field = here + 1;
        continue;
      }
      if (byte !== LINE_FEED) {
        quoted = true;
        continue;
      }
      const content = here > start && load<u8>(here - 1) === RETURN ? here - 1 : here;
      if (content === start) blank++;
      else {
        if (fields < wanted) {
          store<u32>(table + 8 * <usize>fields, <u32>field);
          store<u32>(table + 8 * <usize>fields, <u32>max<usize>(field, content), 4);
          fields++;
        }
        const isRow = !quoted && writeRow(state, row, fields);
        store<u32>(row, isRow ? ROW : OTHER);
        store<u32>(row, line, 4);
        if (!isRow) {
          store<u32>(row, <u32>start, 8);
          store<u32>(row, <u32>(here - start), 12);
        }
        row += ROW_BYTES;
      }
      line++;
      start = here + 1;
      field = start;
      fields = 0;
      quoted = false;
      if (row === rowsEnd) {
        at = end;
        break;
      }
    }
  }
  store<u32>(state, line, LINES);
  store<u32>(state, blank, BLANK);
  store<u32>(state, <u32>((row - <usize>load<u32>(state, ROWS)) / ROW_BYTES), FOUND);
  return start;
}
