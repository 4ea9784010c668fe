/**
 * Writes numbers as runs of equal ones and of packed bits, as levels, places in dictionaries and booleans are.
 *
 * Source: parquet-format, Encodings.md, "RLE / Bit-Packing Hybrid".
 */
import type { PageBuffer } from './pageBuffer.js';

/** Groups of eight numbers in one run of packed bits: its head is one byte. */
const MOST_GROUPS = 63;

/** Shorter runs of equal numbers are packed. */
const LEAST_RUN = 8;

/** Up to this width, less than 32 bits are held. */
const MOST_SHIFTED = 24;

/** Appends the first `count` numbers, of `width` bits each, to `out`; of none it appends nothing. */
export function writeRuns(
  values: Uint8Array | Uint32Array,
  count: number,
  width: number,
  out: PageBuffer,
): void {
  let packedFrom = 0;
  for (let at = 0; at < count; ) {
    const value = values[at]!;
    let to = at + 1;
    while (to < count && values[to] === value) to++;
    // Packed groups are of eight, so that the first of a run may complete one.
    const start = Math.min(to, at + ((packedFrom - at) & 7));
    if (to - start >= LEAST_RUN) {
      writePacked(values, packedFrom, start, width, out);
      out.varint(2 * (to - start));
      for (let bit = 0; bit < width; bit += 8) out.push(value >>> bit);
      packedFrom = to;
    }
    at = to;
  }
  writePacked(values, packedFrom, count, width, out);
}

function writePacked(
  values: Uint8Array | Uint32Array,
  from: number,
  to: number,
  width: number,
  out: PageBuffer,
): void {
  while (from < to) {
    const groups = Math.min(MOST_GROUPS, Math.ceil((to - from) / 8));
    out.push(2 * groups + 1);
    const end = Math.min(to, from + 8 * groups);
    packBits(values, from, end, width, out, groups * width);
    from = end;
  }
}

/** Packs numbers into exactly `size` bytes; bits behind the last are 0. */
function packBits(
  values: Uint8Array | Uint32Array,
  from: number,
  to: number,
  width: number,
  out: PageBuffer,
  size: number,
): void {
  out.reserve(size);
  const { bytes, length } = out;
  let at = length;
  let held = 0;
  let bits = 0;
  for (let i = from; i < to; i++) {
    if (width <= MOST_SHIFTED) held |= values[i]! << bits;
    else held += values[i]! * 2 ** bits;
    for (bits += width; bits >= 8; bits -= 8) {
      bytes[at++] = held;
      held = width <= MOST_SHIFTED ? held >>> 8 : Math.floor(held / 256);
    }
  }
  if (bits > 0) bytes[at++] = held;
  bytes.fill(0, at, length + size);
  out.length = length + size;
}
