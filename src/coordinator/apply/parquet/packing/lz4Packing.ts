/** Packs by LZ4: a block, or the frames of Hadoop around blocks (lz4_Block_format.md; parquet-format, Compression.md). */

/** The shortest copy of a match; the last bytes are no match, and none begins close to the end. */
const LEAST_MATCH = 4;
const LAST_LITERALS = 5;
const LAST_MATCH = 12;
const MOST_DISTANCE = 0xffff;

const HASH_BITS = 14;
/** Where four bytes of a hash stood last, plus one. */
const PLACES = new Int32Array(1 << HASH_BITS);

/** After so many places without a match, the next ones are passed over faster. */
const SKIP_SHIFT = 6;

/** Larger buffers the decompressors of Hadoop may not have. */
const FRAME_BYTES = 128 << 10;

/** Packs bytes as one block. */
export function lz4Packed(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(mostPacked(bytes.length));
  return out.subarray(0, packInto(bytes, out, 0));
}

/** Packs bytes as frames: the sizes of both forms, big-endian, then a block. */
export function lz4Framed(bytes: Uint8Array): Uint8Array {
  const frames = Math.ceil(bytes.length / FRAME_BYTES);
  const out = new Uint8Array(mostPacked(bytes.length) + 32 * frames);
  const view = new DataView(out.buffer);
  let to = 0;
  for (let from = 0; from < bytes.length; from += FRAME_BYTES) {
    const part = bytes.subarray(from, from + FRAME_BYTES);
    const end = packInto(part, out, to + 8);
    view.setUint32(to, part.length);
    view.setUint32(to + 4, end - to - 8);
    to = end;
  }
  return out.subarray(0, to);
}

const mostPacked = (size: number): number => size + Math.ceil(size / 255) + 16;

/** Writes a block from `to` on; returns where it ends. */
function packInto(bytes: Uint8Array, out: Uint8Array, to: number): number {
  PLACES.fill(0);
  const lastMatch = bytes.length - LAST_MATCH;
  const matchEnd = bytes.length - LAST_LITERALS;
  let anchor = 0;
  let at = 0;
  let misses = 0;
  while (at <= lastMatch) {
    const four = fourAt(bytes, at);
    const slot = Math.imul(four, 0x9e3779b1) >>> (32 - HASH_BITS);
    const found = PLACES[slot]! - 1;
    PLACES[slot] = at + 1;
    if (found < 0 || at - found > MOST_DISTANCE || fourAt(bytes, found) !== four) {
      at += 1 + (misses++ >> SKIP_SHIFT);
      continue;
    }
    misses = 0;
    let length = LEAST_MATCH;
    while (at + length < matchEnd && bytes[found + length] === bytes[at + length]) length++;
    to = writeSequence(bytes, anchor, at, length, out, to);
    out[to++] = at - found;
    out[to++] = (at - found) >> 8;
    if (length - LEAST_MATCH >= 15) to = writeLength(length - LEAST_MATCH - 15, out, to);
    at += length;
    anchor = at;
  }
  return writeSequence(bytes, anchor, bytes.length, LEAST_MATCH, out, to);
}

const fourAt = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);

/** The token and the literals before a match of a length. */
function writeSequence(
  bytes: Uint8Array,
  from: number,
  end: number,
  length: number,
  out: Uint8Array,
  to: number,
): number {
  const literals = end - from;
  out[to++] = (Math.min(15, literals) << 4) | Math.min(15, length - LEAST_MATCH);
  if (literals >= 15) to = writeLength(literals - 15, out, to);
  out.set(bytes.subarray(from, end), to);
  return to + literals;
}

function writeLength(rest: number, out: Uint8Array, to: number): number {
  for (; rest >= 255; rest -= 255) out[to++] = 255;
  out[to++] = rest;
  return to;
}
