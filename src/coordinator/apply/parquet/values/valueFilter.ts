/**
 * Leaves values out of a page in its own encoding: nothing becomes a JavaScript value that need not be compared.
 *
 * Source: parquet-format, Encodings.md.
 */
import type { PhysicalType } from '../../../../readers/formats/parquet/footer.js';
import { readRuns } from '../../../../readers/formats/parquet/pageValues.js';
import { ParquetFault } from '../../../../readers/formats/parquet/thrift.js';
import { type DeltaInts, DeltaReader, writeDeltas } from './deltas.js';
import type { PageBuffer } from './pageBuffer.js';
import { writeRuns } from './runs.js';

/** Encodings by their numbers. */
export const PLAIN = 0;
const PLAIN_DICTIONARY = 2;
const RLE = 3;
const DELTA_BINARY_PACKED = 5;
const DELTA_LENGTH_BYTE_ARRAY = 6;
const DELTA_BYTE_ARRAY = 7;
const RLE_DICTIONARY = 8;
const BYTE_STREAM_SPLIT = 9;

/** The values of a page, behind `at`, and which of them stay: a byte each, 0 or 1. */
export interface EncodedValues {
  readonly type: PhysicalType;
  /** Bytes of a value; 0 of BOOLEAN and BYTE_ARRAY. */
  readonly width: number;
  readonly encoding: number;
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly stays: Uint8Array;
  /** Values in the dictionary of the chunk. */
  readonly dictionary: number;
  /** By them: their numbers in the dictionary that is written; null: the same. */
  readonly numbers: Uint32Array | null;
}

/** Whether the values of a page are places in the dictionary. */
export const isIndexed = (encoding: number): boolean =>
  encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY;

/** Appends the values that stay. @throws ParquetFault PARQUET_BROKEN, PARQUET_ENCODING, TOO_LARGE */
export function filterValues(values: EncodedValues, out: PageBuffer): void {
  const { encoding, type, width } = values;
  if (isIndexed(encoding)) filterIndices(values, out);
  else if (encoding === PLAIN) {
    if (type === 'BOOLEAN') filterBits(values, out);
    else if (type === 'BYTE_ARRAY') filterStrings(values, out);
    else filterStreams(values, width, 1, out);
  } else if (encoding === BYTE_STREAM_SPLIT && width > 0) filterStreams(values, 1, width, out);
  else if (encoding === RLE && type === 'BOOLEAN') filterBooleanRuns(values, out);
  else if (encoding === DELTA_BINARY_PACKED && (type === 'INT32' || type === 'INT64'))
    filterDeltas(values, out);
  else if (encoding === DELTA_LENGTH_BYTE_ARRAY && type === 'BYTE_ARRAY') filterByLength(values, out);
  else if (encoding === DELTA_BYTE_ARRAY && (type === 'BYTE_ARRAY' || type === 'FIXED_LEN_BYTE_ARRAY'))
    filterByPrefix(values, out);
  else throw new ParquetFault('PARQUET_ENCODING');
}

/** Moves what stays to the front; returns how many they are. */
export function compact(values: Uint8Array | Uint32Array, stays: Uint8Array): number {
  let to = 0;
  for (let i = 0; i < stays.length; i++) {
    values[to] = values[i]!;
    to += stays[i]!;
  }
  return to;
}

/** Places in the dictionary: their width in bits, then runs. @throws ParquetFault */
export function readIndices(bytes: Uint8Array, at: number, count: number): Uint32Array {
  const width = count === 0 ? 0 : bytes[at];
  if (width === undefined || width > 32) throw new ParquetFault();
  const indices = new Uint32Array(count);
  if (width > 0) readRuns(bytes, at + 1, bytes.length, width, indices);
  return indices;
}

function filterIndices({ bytes, at, stays, dictionary, numbers }: EncodedValues, out: PageBuffer): void {
  const indices = readIndices(bytes, at, stays.length);
  const count = compact(indices, stays);
  for (let i = 0; i < count; i++) if (indices[i]! >= dictionary) throw new ParquetFault();
  let width = stays.length === 0 ? 0 : bytes[at]!;
  if (numbers !== null) {
    let most = 1;
    for (let i = 0; i < count; i++) {
      const number = numbers[indices[i]!]!;
      indices[i] = number;
      if (number > most) most = number;
    }
    width = 32 - Math.clz32(most);
  }
  out.push(width);
  writeRuns(indices, count, width, out);
}

/** A bit a value. */
function filterBits({ bytes, at, stays }: EncodedValues, out: PageBuffer): void {
  if (Math.ceil(stays.length / 8) > bytes.length - at) throw new ParquetFault();
  let held = 0;
  let bits = 0;
  for (let i = 0; i < stays.length; i++) {
    if (stays[i] === 0) continue;
    held |= ((bytes[at + (i >>> 3)]! >>> (i & 7)) & 1) << bits;
    if (++bits < 8) continue;
    out.push(held);
    held = bits = 0;
  }
  if (bits > 0) out.push(held);
}

function filterBooleanRuns({ bytes, at, stays }: EncodedValues, out: PageBuffer): void {
  const values = new Uint8Array(stays.length);
  if (stays.length > 0) readRuns(bytes, at + 4, bytes.length, 1, values);
  const count = compact(values, stays);
  const start = out.length;
  for (let i = 0; i < 4; i++) out.push(0);
  writeRuns(values, count, 1, out);
  out.setUint32(start, out.length - start - 4);
}

/** Strings, each behind its length in four bytes: neighbours that stay are copied together. */
function filterStrings({ bytes, at, stays }: EncodedValues, out: PageBuffer): void {
  const last = bytes.length;
  let from = at;
  for (let i = 0; i < stays.length; i++) {
    if (at + 4 > last) throw new ParquetFault();
    const length =
      (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
    const end = at + 4 + length;
    if (end > last) throw new ParquetFault();
    if (stays[i] === 0) {
      if (at > from) out.copy(bytes, from, at);
      from = end;
    }
    at = end;
  }
  if (at > from) out.copy(bytes, from, at);
}

/** Values of one width, or their bytes in as many streams: the first bytes of all, the second bytes of all, ... */
function filterStreams(
  { bytes, at, stays }: EncodedValues,
  width: number,
  streams: number,
  out: PageBuffer,
): void {
  const count = stays.length;
  if (count * width * streams > bytes.length - at) throw new ParquetFault();
  for (let k = 0; k < streams; k++, at += count * width) {
    for (let from = stays.indexOf(1); from >= 0; ) {
      const gap = stays.indexOf(0, from);
      const to = gap < 0 ? count : gap;
      out.copy(bytes, at + from * width, at + to * width);
      from = gap < 0 ? -1 : stays.indexOf(1, to);
    }
  }
}

function filterDeltas({ type, bytes, at, stays }: EncodedValues, out: PageBuffer): void {
  const found = readInts(bytes, at, stays.length).ints;
  const count = compact(found.low, stays);
  compact(found.high, stays);
  writeDeltas(found, count, type === 'INT64', out);
}

/** Integers, and where they end; of none there may be no bytes. */
function readInts(
  bytes: Uint8Array,
  at: number,
  count: number,
): { readonly ints: DeltaInts; readonly end: number } {
  if (count === 0) return { ints: { low: new Uint32Array(0), high: new Uint32Array(0) }, end: at };
  const reader = new DeltaReader(bytes, at);
  return { ints: reader.read(count), end: reader.at };
}

/** All lengths, then all strings. */
function filterByLength({ bytes, at, stays }: EncodedValues, out: PageBuffer): void {
  const { ints, end } = readInts(bytes, at, stays.length);
  const lengths = ints.low.slice();
  const count = compact(ints.low, stays);
  writeDeltas(ints, count, false, out);
  let from = end;
  let to = end;
  for (let i = 0; i < lengths.length; i++) {
    const next = to + lengths[i]!;
    if (next > bytes.length) throw new ParquetFault();
    if (stays[i] === 0) {
      if (to > from) out.copy(bytes, from, to);
      from = next;
    }
    to = next;
  }
  if (to > from) out.copy(bytes, from, to);
}

/** Strings of one page are no longer together: prefixes of prefixes would grow without end. */
const MOST_REPEATED = 1 << 30;

/** Each string has so many bytes of the one before it, and a rest. */
function filterByPrefix(values: EncodedValues, out: PageBuffer): void {
  const { stays } = values;
  const { bytes, ends } = joinedStrings(values);
  const count = compact(new Uint32Array(stays.length), stays);
  const prefixes = { low: new Uint32Array(count), high: new Uint32Array(0) };
  const rests = { low: new Uint32Array(count), high: new Uint32Array(0) };
  const places = new Float64Array(count);
  let [from, to, written] = [0, 0, 0];
  for (let i = 0; i < stays.length; i++) {
    if (stays[i] === 0) continue;
    const start = i === 0 ? 0 : ends[i - 1]!;
    const end = ends[i]!;
    let shared = 0;
    while (from + shared < to && start + shared < end && bytes[from + shared] === bytes[start + shared])
      shared++;
    prefixes.low[written] = shared;
    rests.low[written] = end - start - shared;
    places[written++] = start + shared;
    from = start;
    to = end;
  }
  writeDeltas(prefixes, count, false, out);
  writeDeltas(rests, count, false, out);
  for (let i = 0; i < count; i++) out.copy(bytes, places[i]!, places[i]! + rests.low[i]!);
}

/** The strings one behind the other. */
function joinedStrings({ bytes, at, stays, width }: EncodedValues): {
  readonly bytes: Uint8Array;
  readonly ends: Float64Array;
} {
  const count = stays.length;
  const prefixes = readInts(bytes, at, count);
  const rests = readInts(bytes, prefixes.end, count);
  const ends = new Float64Array(count);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const length = prefixes.ints.low[i]! + rests.ints.low[i]!;
    const before = i === 0 ? 0 : size - (i === 1 ? 0 : ends[i - 2]!);
    if (prefixes.ints.low[i]! > before || (width > 0 && length !== width)) throw new ParquetFault();
    size += length;
    if (size > MOST_REPEATED) throw new ParquetFault('TOO_LARGE');
    ends[i] = size;
  }
  const joined = new Uint8Array(size);
  let source = rests.end;
  for (let i = 0; i < count; i++) {
    const start = i === 0 ? 0 : ends[i - 1]!;
    const before = i < 2 ? 0 : ends[i - 2]!;
    const prefix = prefixes.ints.low[i]!;
    const rest = rests.ints.low[i]!;
    if (rest > bytes.length - source) throw new ParquetFault();
    joined.copyWithin(start, before, before + prefix);
    joined.set(bytes.subarray(source, source + rest), start + prefix);
    source += rest;
  }
  return { bytes: joined, ends };
}
