/**
 * Quotes of CSV (RFC 4180), as its cutter and its readers see them alike.
 *
 *      a,"b, ""c""
 *      d",e            one record of three fields: a quote opens a field only at its beginning, two quotes in it are one, and
 *                      the next quote ends it; other quotes stand for themselves
 *      a,"b            broken: what follows the quote that should end the field is neither separator nor line end, or no such
 *      c"d",e          quote comes. Such a record is one line: it ends where the line ends on which the field began
 *
 * So a quote too many costs the record that has it, and not what follows. Outside of quotes LF, CRLF and a CR alone end a line.
 */

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
export const COMMA = 0x2c;
export const TAB = 0x09;

/** A quote that is further from the beginning of its record neither opens nor ends a field: so no record holds all that follows it. */
export const MOST_QUOTED = 64 << 20;

/** No quote was found that ends the field. */
export const NOT_ENDED = -1;
/** A quote that does not end the field, and is not doubled. */
const BROKEN = -2;

/** A search by the C library takes longer to begin than to go over so many bytes here. */
const NEAR = 24;

/** The first place of a byte from `at` on, at most to the end of `bytes`; -1: it is not there. */
export function placeOf(byte: number, bytes: Buffer, at: number): number {
  const near = Math.min(bytes.length, at + NEAR);
  for (let i = at; i < near; i++) if (bytes[i] === byte) return i;
  return near < bytes.length ? bytes.indexOf(byte, near) : -1;
}

/**
 * The quote that ends a field, of which `at` is inside, not behind a first quote of two; it may be the last byte, behind which
 * nothing is known. NOT_ENDED or BROKEN where there is none; BROKEN from `limit` on.
 */
export function closingQuote(bytes: Buffer, at: number, limit: number, separator: number): number {
  for (;;) {
    const quote = placeOf(QUOTE, bytes, at);
    if (quote < 0) return bytes.length < limit ? NOT_ENDED : BROKEN;
    if (quote >= limit) return BROKEN;
    const next = quote + 1;
    if (next === bytes.length) return quote;
    const byte = bytes[next]!;
    if (byte === QUOTE) at = next + 1;
    else return byte === separator || byte === LINE_FEED || byte === CARRIAGE_RETURN ? quote : BROKEN;
  }
}

/** The end of a line's content, before its line end: LF, CRLF, or a CR. */
export function contentEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = to;
  if (end > from && bytes[end - 1] === LINE_FEED) end--;
  if (end > from && bytes[end - 1] === CARRIAGE_RETURN) end--;
  return end;
}

/** Where the next line begins: behind the LF, CRLF or CR at `stop`; a CR that ends the bytes is one alone. */
export function behindLineEnd(bytes: Uint8Array, stop: number): number {
  const next = bytes[stop] === CARRIAGE_RETURN ? stop + 1 : stop;
  return bytes[next] === LINE_FEED ? next + 1 : next;
}
