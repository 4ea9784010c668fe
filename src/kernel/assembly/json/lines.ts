/**
 * JSON lines -> ids and texts, one row per line. src/readers/formats/json/jsonRecord.ts is the reference.
 */
import {
  AT,
  BLANK,
  BROKEN,
  ESCAPED,
  FLAGS,
  HAS_ID,
  HAS_TEXT,
  ID,
  ID_LENGTH,
  ID_NAME,
  KIND,
  LONGEST,
  NO_OBJECT,
  NO_TEXT,
  ODD_ID,
  OTHER_ID,
  OUT,
  RECORD,
  REPAIRED,
  ROW,
  ROWS,
  ROWS_END,
  TEXT,
  TEXT_LENGTH,
  TEXT_NAME,
  TEXT_REPAIRED,
  TOO_LONG,
} from './state';
import { decodeString, stringEnd } from './strings';
import { afterColon, spaceEnd, valueEnd } from './values';

const LINE_FEED: u32 = 0x0a;
const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const OPEN_OBJECT: u32 = 0x7b;
const CLOSE_OBJECT: u32 = 0x7d;

/** Bits of the meaning of a name at the top level of a record: the name of the text, of the id, or of both. */
const IS_TEXT: u32 = 1;
const IS_ID: u32 = 2;

/** The position of the first line feed from `at` on. */
function lineFeed(at: usize): usize {
  while (true) {
    const feeds = <u32>i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(0x0a)));
    if (feeds !== 0) return at + ctz(feeds);
    at += 16;
  }
}

function equals(a: usize, b: usize, length: usize): bool {
  for (const end = a + length; a < end; a++, b++) if (load<u8>(a) !== load<u8>(b)) return false;
  return true;
}

/** The meaning of the name [from, to), which has no escapes; 0: it is not the text or the id. */
function meaningOf(state: usize, from: usize, to: usize): u32 {
  const length = to - from;
  let meaning: u32 = 0;
  if (length === load<u32>(state, TEXT_NAME + 4) && equals(from, load<u32>(state, TEXT_NAME), length)) {
    meaning |= IS_TEXT;
  }
  if (length === load<u32>(state, ID_NAME + 4) && equals(from, load<u32>(state, ID_NAME), length)) {
    meaning |= IS_ID;
  }
  return meaning;
}

/** Stores a value in the row; the last value of a repeated name counts. */
function note(row: usize, meaning: u32, from: usize, to: usize, text: u32, id: u32): void {
  let flags = load<u32>(row, FLAGS);
  if ((meaning & IS_TEXT) !== 0) {
    store<u32>(row, <u32>from, TEXT);
    store<u32>(row, <u32>(to - from), TEXT_LENGTH);
    flags = (flags & ~(HAS_TEXT | TEXT_REPAIRED)) | text;
  }
  if ((meaning & IS_ID) !== 0) {
    store<u32>(row, <u32>from, ID);
    store<u32>(row, <u32>(to - from), ID_LENGTH);
    flags = (flags & ~(HAS_ID | ODD_ID)) | id;
  }
  store<u32>(row, flags, FLAGS);
}

/** Reads the value of a wanted name; returns the position after it, or 0 if it is broken. */
function wantedValue(state: usize, row: usize, at: usize, meaning: u32): usize {
  const first = <u32>load<u8>(at);
  if (first === QUOTE) {
    const from = <usize>load<u32>(state, OUT);
    const end = decodeString(state, at + 1);
    const repaired = load<u32>(state, REPAIRED) !== 0 ? TEXT_REPAIRED : 0;
    note(row, meaning, from, <usize>load<u32>(state, OUT), HAS_TEXT | repaired, HAS_ID);
    return end;
  }
  const end = valueEnd(state, at);
  const from = <usize>load<u32>(state, OUT);
  const number = (first === 0x2d && load<u8>(at, 1) !== 0x49) || first - 0x30 < 10;
  if (number && end !== 0) {
    // The id of a number is its text, stored with the decoded strings.
    memory.copy(from, at, end - at);
    store<u32>(state, <u32>(from + end - at), OUT);
  }
  // A null counts as a missing id.
  note(row, meaning, from, <usize>load<u32>(state, OUT), 0, number ? HAS_ID : first === 0x6e ? 0 : ODD_ID);
  return end;
}

/** Reads a name and its value; returns the position after them, or 0 if they are broken. */
function member(state: usize, row: usize, at: usize): usize {
  if (load<u8>(at) !== QUOTE) return 0;
  const name = at + 1;
  at = stringEnd(state, name);
  if (at === 0) return 0;
  let meaning: u32 = 0;
  if (load<u32>(state, ESCAPED) === 0) meaning = meaningOf(state, name, at - 1);
  else {
    const from = <usize>load<u32>(state, OUT);
    decodeString(state, name);
    meaning = meaningOf(state, from, <usize>load<u32>(state, OUT));
  }
  at = afterColon(at);
  if (at === 0) return 0;
  return meaning === 0 ? valueEnd(state, at) : wantedValue(state, row, at, meaning);
}

/** Reads the object that begins at `at`; returns the position after it, or 0 if it is broken. */
function object(state: usize, row: usize, at: usize): usize {
  at = spaceEnd(at + 1);
  if (load<u8>(at) === CLOSE_OBJECT) return at + 1;
  while (true) {
    at = member(state, row, at);
    if (at === 0) return 0;
    at = spaceEnd(at);
    const byte = <u32>load<u8>(at);
    at++;
    if (byte === CLOSE_OBJECT) return at;
    if (byte !== COMMA) return 0;
    at = spaceEnd(at);
  }
}

function kindOfObject(row: usize): u32 {
  const flags = load<u32>(row, FLAGS);
  return (flags & ODD_ID) !== 0 ? OTHER_ID : (flags & HAS_TEXT) === 0 ? NO_TEXT : RECORD;
}

function clear(row: usize): void {
  store<u64>(row, 0);
  store<u64>(row, 0, 8);
  store<u64>(row, 0, 16);
}

/** Reads the line that begins at `start`; returns the position of its line feed. */
function line(state: usize, row: usize, start: usize): usize {
  const first = spaceEnd(start);
  const byte = <u32>load<u8>(first);
  let kind = BLANK;
  let at = first;
  if (byte !== LINE_FEED) {
    at = byte === OPEN_OBJECT ? object(state, row, first) : valueEnd(state, first);
    if (at !== 0) at = spaceEnd(at);
    if (at === 0 || load<u8>(at) !== LINE_FEED) {
      kind = BROKEN;
      at = lineFeed(start);
    } else if (byte !== OPEN_OBJECT) kind = NO_OBJECT;
    else kind = kindOfObject(row);
  }
  store<u32>(row, at - start > <usize>load<u32>(state, LONGEST) ? TOO_LONG : kind, KIND);
  return at;
}

/**
 * Fills a row for each line of [at, end), which ends with a line feed, until the rows are full; returns their number.
 * AT becomes the position after the last line read. Decoded strings are written from OUT on, where as much room as for the lines is needed.
 */
export function jsonLines(state: usize, at: usize, end: usize): u32 {
  const rows = <usize>load<u32>(state, ROWS);
  const rowsEnd = <usize>load<u32>(state, ROWS_END);
  let row = rows;
  for (; at < end && row < rowsEnd; row += ROW) {
    clear(row);
    at = line(state, row, at) + 1;
  }
  store<u32>(state, <u32>at, AT);
  return <u32>((row - rows) / ROW);
}
