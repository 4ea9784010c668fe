/**
 * Ids -> cells: escaped and quoted according to a table of escapes.
 *
 * The table has 8 bytes for each of 256 bytes: up to 7 that replace it, and their number (0: the byte
 * itself). A byte from 0x80 on is looked up only where it is not part of valid UTF-8; with `runs` one
 * replacement covers all bytes of an unfinished sequence.
 */
import { copyBytes } from './bytes';

const NEVER: u32 = 0;
const ALWAYS: u32 = 1;
const QUOTE: u8 = 0x22;

/** A bit for each of 16 bytes that some format may not write as it is. */
function unusual16(v: v128): u32 {
  return <u32>i8x16.bitmask(
    v128.or(
      v128.or(
        // As signed bytes: control bytes, and all from 0x80 on.
        i8x16.lt_s(v, i8x16.splat(0x20)),
        i8x16.eq(v, i8x16.splat(0x7f)),
      ),
      v128.or(
        v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x2c))),
        i8x16.eq(v, i8x16.splat(0x5c)),
      ),
    ),
  );
}

/** Whether every byte is written unchanged in every format: printable ASCII, no quote, comma or backslash. */
function isPlain(at: usize, end: usize): bool {
  for (; at + 16 <= end; at += 16) if (unusual16(v128.load(at)) !== 0) return false;
  return (unusual16(v128.load(at)) & ((1 << (<u32>(end - at))) - 1)) === 0;
}

function isBlank(byte: u8): bool {
  return byte === 0x20 || byte === 9;
}

/**
 * Whether RFC 4180 requires quotes: a quote, a comma or a line end; also blanks at an end, which readers tend
 * to trim.
 */
function needsQuotes(at: usize, end: usize, plain: bool): bool {
  if (at === end) return false;
  if (isBlank(load<u8>(at)) || isBlank(load<u8>(end - 1))) return true;
  if (plain) return false;
  for (; at < end; at++) {
    const byte = load<u8>(at);
    if (byte === QUOTE || byte === 0x2c || byte === 10 || byte === 13) return true;
  }
  return false;
}

/** Bytes of the valid UTF-8 sequence at `at`, of which the first is from 0x80 on: 2..4, or 0 (RFC 3629). */
function sequenceLength(at: usize, end: usize): usize {
  const first = <u32>load<u8>(at);
  const length: usize = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > end) return 0;
  const second = <u32>load<u8>(at, 1);
  const least: u32 = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most: u32 = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let i: usize = 2; i < length; i++) if ((load<u8>(at + i) & 0xc0) !== 0x80) return 0;
  return length;
}

/** Length of the unfinished sequence at `at`, at least one byte: one replacement covers it. */
function invalidLength(at: usize, end: usize): usize {
  const first = <u32>load<u8>(at);
  const length: usize = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  let found: usize = 1;
  while (found < length && at + found < end) {
    const byte = <u32>load<u8>(at + found);
    const isSecond = found === 1;
    const least: u32 = isSecond && first === 0xe0 ? 0xa0 : isSecond && first === 0xf0 ? 0x90 : 0x80;
    const most: u32 = isSecond && first === 0xed ? 0x9f : isSecond && first === 0xf4 ? 0x8f : 0xbf;
    if (byte < least || byte > most) return found;
    found++;
  }
  return found;
}

function writeEscaped(escapes: usize, runs: u32, at: usize, end: usize, to: usize): usize {
  while (at < end) {
    const byte = load<u8>(at);
    const sequence = byte < 0x80 ? <usize>0 : sequenceLength(at, end);
    if (sequence > 0) {
      to = copyBytes(to, at, sequence);
      at += sequence;
      continue;
    }
    const replacement = load<u64>(escapes + ((<usize>byte) << 3));
    const length = <usize>(replacement >> 56);
    store<u64>(to, length === 0 ? <u64>byte : replacement);
    to += max<usize>(length, 1);
    at += runs !== 0 && byte >= 0x80 ? invalidLength(at, end) : 1;
  }
  return to;
}

/**
 * Appends the cells of `count` ids and returns the length of the longest.
 *
 * Id i is the bytes [offsets[i], offsets[i + 1]) from `bytes` on; its cell becomes the bytes [ends[i], ends[i
 * + 1]) from `cells` on; `ends[0]` says where to begin. Room at `cells`: six times the bytes of the ids, two
 * for every id, 16 more.
 */
export function formatCells(
  escapes: usize,
  quoted: u32,
  bytes: usize,
  offsets: usize,
  count: u32,
  cells: usize,
  ends: usize,
  runs: u32,
): u32 {
  let to = cells + load<u32>(ends);
  let longest: usize = 0;
  for (const last = offsets + ((<usize>count) << 2); offsets < last; offsets += 4) {
    const at = bytes + load<u32>(offsets);
    const end = bytes + load<u32>(offsets, 4);
    const start = to;
    const plain = isPlain(at, end);
    const quotes = quoted === ALWAYS || (quoted !== NEVER && needsQuotes(at, end, plain));
    if (quotes) store<u8>(to++, QUOTE);
    to = plain ? copyBytes(to, at, end - at) : writeEscaped(escapes, runs, at, end, to);
    if (quotes) store<u8>(to++, QUOTE);
    longest = max<usize>(longest, to - start);
    ends += 4;
    store<u32>(ends, <u32>(to - cells));
  }
  return <u32>longest;
}
