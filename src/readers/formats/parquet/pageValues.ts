/**
 * The values of a page as bytes: strings as they stand in it, all others as their text in JSON.
 *
 * Source: parquet-format, Encodings.md. Only needed values are decoded: a string is two numbers.
 */
import { parser } from '../../parsers/load.js';
import type { SchemaNode } from './footer.js';
import { ParquetFault } from './thrift.js';

/** Encodings by their numbers. */
const PLAIN = 0;
const PLAIN_DICTIONARY = 2;
const RLE = 3;
const DELTA_BINARY_PACKED = 5;
const DELTA_LENGTH_BYTE_ARRAY = 6;
const DELTA_BYTE_ARRAY = 7;
const RLE_DICTIONARY = 8;

/** Value i is bytes [starts[k], ends[k]), where k is i, or what `index` has for it. */
export interface PageValues {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly index: Uint32Array | null;
}

/** Encoded values, from `at` on. */
interface Encoded {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly count: number;
  readonly encoding: number;
}

/** Decodes the values of a page. @throws ParquetFault PARQUET_BROKEN, PARQUET_ENCODING */
export function valuesOf(node: SchemaNode, encoded: Encoded, dictionary: PageValues | null): PageValues {
  const { encoding, count } = encoded;
  if (encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY) {
    if (count === 0) return NO_VALUES;
    if (dictionary === null) throw new ParquetFault();
    return { ...dictionary, index: indicesOf(encoded, dictionary.starts.length) };
  }
  if (isLongDecimal(node) && encoding === PLAIN) return fixedBytes(encoded, node.width);
  if (node.type !== 'BYTE_ARRAY' && !isLongDecimal(node)) return asTexts(scalarsOf(node, encoded));
  if (encoding === PLAIN) return plainStrings(encoded);
  if (encoding === DELTA_LENGTH_BYTE_ARRAY) return stringsByLength(encoded);
  if (encoding === DELTA_BYTE_ARRAY) return stringsByPrefix(encoded);
  throw new ParquetFault('PARQUET_ENCODING');
}

/** A decimal of more digits than an integer has: its bytes are its value. */
function isLongDecimal({ type, meaning }: SchemaNode): boolean {
  return type === 'FIXED_LEN_BYTE_ARRAY' && meaning === 'decimal';
}

function fixedBytes({ bytes, at, count }: Encoded, width: number): PageValues {
  if (width <= 0 || count > Math.floor((bytes.length - at) / width)) throw new ParquetFault();
  const starts = Uint32Array.from({ length: count }, (_, i) => at + i * width);
  return { bytes, starts, ends: starts.map((start) => start + width), index: null };
}

/** The dictionary of a chunk, which is always plain. */
export function dictionaryOf(node: SchemaNode, bytes: Uint8Array, count: number): PageValues {
  return valuesOf(node, { bytes, at: 0, count, encoding: PLAIN }, null);
}

const NO_VALUES: PageValues = {
  bytes: new Uint8Array(0),
  starts: new Uint32Array(0),
  ends: new Uint32Array(0),
  index: null,
};

function plainStrings({ bytes, at, count }: Encoded): PageValues {
  // A length of four bytes goes before every string.
  if (4 * count > bytes.length - at) throw new ParquetFault();
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const last = bytes.length;
  for (let i = 0; i < count; i++) {
    if (at + 4 > last) throw new ParquetFault();
    const length =
      (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
    at += 4;
    if (length > last - at) throw new ParquetFault();
    starts[i] = at;
    at += length;
    ends[i] = at;
  }
  return { bytes, starts, ends, index: null };
}

function stringsByLength({ bytes, at, count }: Encoded): PageValues {
  if (count === 0) return NO_VALUES;
  const lengths = new Int32Array(count);
  let from = deltas(bytes, at, lengths);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const length = lengths[i]!;
    if (length < 0 || length > bytes.length - from) throw new ParquetFault();
    starts[i] = from;
    from += length;
    ends[i] = from;
  }
  return { bytes, starts, ends, index: null };
}

/** Most bytes of the strings of one page: prefixes of prefixes could grow without end. */
const MOST_REPEATED = 1 << 30;

/** Each string has so many bytes of the one before it, and a rest. */
function stringsByPrefix({ bytes, at, count }: Encoded): PageValues {
  if (count === 0) return NO_VALUES;
  const prefixes = new Int32Array(count);
  const suffixes = new Int32Array(count);
  let from = deltas(bytes, deltas(bytes, at, prefixes), suffixes);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const before = i === 0 ? 0 : prefixes[i - 1]! + suffixes[i - 1]!;
    if (prefixes[i]! < 0 || prefixes[i]! > before || suffixes[i]! < 0) throw new ParquetFault();
    size += prefixes[i]! + suffixes[i]!;
  }
  if (size > MOST_REPEATED) throw new ParquetFault('TOO_LARGE');
  const out = new Uint8Array(size);
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  let to = 0;
  for (let i = 0; i < count; i++) {
    const [prefix, suffix] = [prefixes[i]!, suffixes[i]!];
    if (suffix > bytes.length - from) throw new ParquetFault();
    starts[i] = to;
    if (prefix > 0) out.copyWithin(to, starts[i - 1]!, starts[i - 1]! + prefix);
    out.set(bytes.subarray(from, from + suffix), to + prefix);
    from += suffix;
    to += prefix + suffix;
    ends[i] = to;
  }
  return { bytes: out, starts, ends, index: null };
}

/** Largest size of blocks of deltas and of their parts; without a limit the package would not end. */
const MOST_BLOCK = 1 << 20;

/** Fills `values` with integers written as differences; returns the end of the bytes. */
function deltas(bytes: Uint8Array, at: number, values: Int32Array | BigInt64Array): number {
  const block = varintAt(bytes, at);
  const parts = varintAt(bytes, block.end);
  const isSound =
    block.value > 0 && block.value <= MOST_BLOCK && parts.value > 0 && block.value % (8 * parts.value) === 0;
  if (!isSound || varintAt(bytes, parts.end).value !== values.length) throw new ParquetFault();
  try {
    return parser('parquetPages').unpackDeltas(bytes, at, values);
  } catch (error) {
    throw new ParquetFault('PARQUET_BROKEN', { cause: error });
  }
}

function varintAt(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let scale = 1; scale < 2 ** 35; scale *= 128) {
    const byte = bytes[at++];
    if (byte === undefined) break;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: at };
  }
  throw new ParquetFault();
}

/** A number a value, or another scalar whose String is its text. */
type Scalars = readonly (number | bigint | boolean | string)[];

function scalarsOf(node: SchemaNode, encoded: Encoded): Scalars {
  const { encoding } = encoded;
  if (encoding === PLAIN) return plainScalars(node, encoded);
  if (encoding === RLE && node.type === 'BOOLEAN') return booleansByRuns(encoded);
  if (encoding !== DELTA_BINARY_PACKED || (node.type !== 'INT32' && node.type !== 'INT64'))
    throw new ParquetFault('PARQUET_ENCODING');
  const { bytes, at, count } = encoded;
  if (count === 0) return [];
  const isSigned = node.meaning !== 'unsigned';
  if (node.type === 'INT32') {
    const values = new Int32Array(count);
    deltas(bytes, at, values);
    return Array.from(isSigned ? values : new Uint32Array(values.buffer));
  }
  const values = new BigInt64Array(count);
  deltas(bytes, at, values);
  return Array.from(isSigned ? values : new BigUint64Array(values.buffer));
}

function plainScalars({ type, meaning }: SchemaNode, { bytes, at, count }: Encoded): Scalars {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, bytes.length - at);
  const isSigned = meaning !== 'unsigned';
  const all = <T>(width: number, one: (at: number) => T): T[] => {
    if (width * count > view.byteLength) throw new ParquetFault();
    return Array.from({ length: count }, (_, i) => one(i * width));
  };
  switch (type) {
    case 'BOOLEAN':
      return all(1 / 8, (place) => ((view.getUint8(Math.floor(place)) >> ((8 * place) % 8)) & 1) === 1);
    case 'INT32':
      return all(4, (place) => (isSigned ? view.getInt32(place, true) : view.getUint32(place, true)));
    case 'INT64':
      return all(8, (place) => (isSigned ? view.getBigInt64(place, true) : view.getBigUint64(place, true)));
    case 'INT96':
      return all(12, (place) => nanosecondsOf(view, place));
    case 'FLOAT':
      return all(4, (place) => view.getFloat32(place, true));
    case 'DOUBLE':
      return all(8, (place) => view.getFloat64(place, true));
    case 'FIXED_LEN_BYTE_ARRAY':
      return all(16, (place) => uuidOf(bytes.subarray(at + place, at + place + 16)));
    default:
      throw new ParquetFault('PARQUET_ENCODING');
  }
}

const JULIAN_OF_1970 = 2_440_588n;
const DAY = 86_400_000_000_000n;

/** An old timestamp, nanoseconds of a day and the Julian day, as nanoseconds since 1970. */
function nanosecondsOf(view: DataView, at: number): bigint {
  return (BigInt(view.getInt32(at + 8, true)) - JULIAN_OF_1970) * DAY + view.getBigInt64(at, true);
}

function uuidOf(bytes: Uint8Array): string {
  const digits = Buffer.from(bytes).toString('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function booleansByRuns({ bytes, at, count }: Encoded): Scalars {
  const values = new Uint8Array(count);
  readRuns(bytes, at + 4, bytes.length, 1, values);
  return Array.from(values, (value) => value === 1);
}

function asTexts(scalars: Scalars): PageValues {
  const starts = new Uint32Array(scalars.length);
  const ends = new Uint32Array(scalars.length);
  let size = 0;
  const texts = scalars.map((value, i) => {
    const text = String(value);
    starts[i] = size;
    size += text.length;
    ends[i] = size;
    return text;
  });
  return { bytes: Buffer.from(texts.join(''), 'latin1'), starts, ends, index: null };
}

/** Places in a dictionary of so many values: their width in bits, then runs. */
function indicesOf({ bytes, at, count }: Encoded, size: number): Uint32Array {
  const width = bytes[at];
  if (width === undefined || width > 32) throw new ParquetFault();
  const indices = new Uint32Array(count);
  if (width > 0) readRuns(bytes, at + 1, bytes.length, width, indices);
  for (let i = 0; i < count; i++) if (indices[i]! >= size) throw new ParquetFault();
  return indices;
}

/**
 * Fills `values` from runs of equal ones and of packed bits ("RLE / Bit-Packing Hybrid"). Missing bits count as 0 where
 * the last group of eight is longer than needed.
 *
 * @throws ParquetFault where they are not enough
 */
export function readRuns(
  bytes: Uint8Array,
  at: number,
  end: number,
  width: number,
  values: Uint8Array | Uint32Array,
): void {
  const count = values.length;
  const wholeBytes = (width + 7) >> 3;
  for (let filled = 0; filled < count; ) {
    const head = varintAt(bytes, at);
    at = head.end;
    const length = Math.floor(head.value / 2);
    // An empty run is allowed: DuckDB writes such.
    if (at > end) throw new ParquetFault();
    if (head.value % 2 === 0) {
      if (at + wholeBytes > end) throw new ParquetFault();
      let value = 0;
      for (let i = 0; i < wholeBytes; i++) value += bytes[at + i]! * 2 ** (8 * i);
      at += wholeBytes;
      const to = Math.min(count, filled + length);
      values.fill(value, filled, to);
      filled = to;
    } else {
      const wanted = Math.min(8 * length, count - filled);
      if (Math.ceil((wanted * width) / 8) > end - at) throw new ParquetFault();
      unpackBits(bytes, at, width, values, filled, wanted);
      at += length * width;
      filled += wanted;
    }
  }
}

/** Up to this width, less than 32 bits are held. */
const MOST_SHIFTED = 24;

function unpackBits(
  bytes: Uint8Array,
  at: number,
  width: number,
  values: Uint8Array | Uint32Array,
  to: number,
  count: number,
): void {
  let held = 0;
  let bits = 0;
  if (width <= MOST_SHIFTED) {
    const low = 2 ** width - 1;
    for (let i = 0; i < count; i++) {
      for (; bits < width; bits += 8) held |= bytes[at++]! << bits;
      values[to + i] = held & low;
      held >>>= width;
      bits -= width;
    }
    return;
  }
  const mask = 2 ** width;
  for (let i = 0; i < count; i++) {
    // At most 39 bits are held: beyond what shifts can do.
    while (bits < width) {
      held += bytes[at++]! * 2 ** bits;
      bits += 8;
    }
    const rest = Math.floor(held / mask);
    values[to + i] = held - rest * mask;
    held = rest;
    bits -= width;
  }
}
