/**
 * Integers written as differences: read into two halves of 32 bits each, and written again, without an object a value.
 *
 * Source: parquet-format, Encodings.md, "Delta Encoding". Readers want differences of INT32 in 32 bits, so these go around.
 */
import { ParquetFault } from '../../../../readers/formats/parquet/thrift.js';
import type { PageBuffer } from './pageBuffer.js';

/** Halves of integers of 64 bits; of INT32 the low one counts. */
export interface DeltaInts {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
}

/** What other writers use, too: blocks of 128 in four parts. */
const BLOCK = 128;
const PARTS = 4;
const PART = BLOCK / PARTS;

/** Blocks are not larger. */
const MOST_BLOCK = 1 << 20;
const TWO_32 = 2 ** 32;

/** Reads integers from bytes; `at` is behind them then. */
export class DeltaReader {
  at: number;
  private readonly bytes: Uint8Array;
  /** The halves of the integer that was read last. */
  private low = 0;
  private high = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** @throws ParquetFault where they are not so many, or damaged */
  read(count: number): DeltaInts {
    const block = this.varint();
    const parts = this.varint();
    const isSound = block > 0 && block <= MOST_BLOCK && parts > 0 && block % (8 * parts) === 0;
    if (!isSound || this.varint() !== count) throw new ParquetFault();
    // A value takes no bits where all differences are equal, but each block has a byte or more.
    if (count / block > this.bytes.length - this.at + 1) throw new ParquetFault();
    const found = { low: new Uint32Array(count), high: new Uint32Array(count) };
    this.zigZag();
    if (count === 0) return found;
    found.low[0] = this.low;
    found.high[0] = this.high;
    for (let filled = 1; filled < count; filled += block) {
      this.block(found, filled, Math.min(count, filled + block), parts, block / parts);
    }
    return found;
  }

  private block(found: DeltaInts, from: number, to: number, parts: number, part: number): void {
    this.zigZag();
    const { low, high } = this;
    const widths = this.at;
    this.at += parts;
    if (this.at > this.bytes.length) throw new ParquetFault();
    for (let k = 0; k < parts && from < to; k++, from += part) {
      const width = this.bytes[widths + k]!;
      const end = Math.min(to, from + part);
      if (width > 64 || this.at + Math.ceil(((end - from) * width) / 8) > this.bytes.length)
        throw new ParquetFault();
      this.part(found, from, end, width, low, high);
      this.at = Math.min(this.bytes.length, this.at + (part * width) / 8);
    }
  }

  /** Values of one width: each is the one before it, the least difference and what is in the bits. */
  private part(
    { low, high }: DeltaInts,
    from: number,
    to: number,
    width: number,
    leastLow: number,
    leastHigh: number,
  ): void {
    const { bytes } = this;
    const lowWidth = Math.min(32, width);
    let [beforeLow, beforeHigh] = [low[from - 1]!, high[from - 1]!];
    let bit = 8 * (this.at % BIT_SAFE);
    const base = this.at - (this.at % BIT_SAFE);
    for (let i = from; i < to; i++) {
      const sum = beforeLow + leastLow + bitsAt(bytes, base, bit, lowWidth);
      const moreHigh = width > 32 ? bitsAt(bytes, base, bit + 32, width - 32) : 0;
      bit += width;
      beforeLow = sum >>> 0;
      beforeHigh = (beforeHigh + leastHigh + moreHigh + (sum - beforeLow) / TWO_32) >>> 0;
      low[i] = beforeLow;
      high[i] = beforeHigh;
    }
  }

  private varint(): number {
    let value = 0;
    for (let scale = 1; scale < 2 ** 35; scale *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new ParquetFault();
  }

  private zigZag(): void {
    let [low, high] = [0, 0];
    for (let bit = 0; ; bit += 7) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || bit > 63) throw new ParquetFault();
      const part = byte & 0x7f;
      if (bit < 32) low |= part << bit;
      if (bit > 25) high |= bit < 32 ? part >>> (32 - bit) : part << (bit - 32);
      if (byte < 0x80) break;
    }
    const sign = -(low & 1);
    this.low = (((low >>> 1) | (high << 31)) ^ sign) >>> 0;
    this.high = ((high >>> 1) ^ sign) >>> 0;
  }
}

/** Bits are counted from multiples of it, so that their numbers stay small integers. */
const BIT_SAFE = 1 << 20;

/** Up to 32 bits, the lowest first. */
function bitsAt(bytes: Uint8Array, base: number, bit: number, width: number): number {
  if (width === 0) return 0;
  const at = base + (bit >>> 3);
  const shift = bit & 7;
  let value =
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> shift;
  if (shift > 0) value |= bytes[at + 4]! << (32 - shift);
  return width === 32 ? value >>> 0 : value & ((1 << width) - 1);
}

/** The differences of a block less the least of them, in halves: scratch memory. */
const LOW = new Uint32Array(BLOCK);
const HIGH = new Uint32Array(BLOCK);

/** Appends the first `count` integers to `out`. @param isWide they are INT64, else INT32 */
export function writeDeltas(values: DeltaInts, count: number, isWide: boolean, out: PageBuffer): void {
  out.varint(BLOCK);
  out.varint(PARTS);
  out.varint(count);
  const high = count === 0 ? 0 : isWide ? values.high[0]! : values.low[0]! >> 31;
  writeZigZag(count === 0 ? 0 : values.low[0]!, high, out);
  for (let from = 1; from < count; from += BLOCK) {
    writeBlock(values, from, Math.min(count, from + BLOCK), isWide, out);
  }
}

function writeBlock(
  { low, high }: DeltaInts,
  from: number,
  to: number,
  isWide: boolean,
  out: PageBuffer,
): void {
  let [leastLow, leastHigh] = [0xffffffff, 0x7fffffff];
  for (let i = from; i < to; i++) {
    const difference = low[i]! - low[i - 1]!;
    const stepLow = difference >>> 0;
    const stepHigh = isWide ? (high[i]! - high[i - 1]! - (difference < 0 ? 1 : 0)) | 0 : stepLow >> 31;
    LOW[i - from] = stepLow;
    HIGH[i - from] = stepHigh;
    if (stepHigh < leastHigh || (stepHigh === leastHigh && stepLow < leastLow)) {
      leastLow = stepLow;
      leastHigh = stepHigh;
    }
  }
  const count = to - from;
  for (let i = 0; i < count; i++) {
    const difference = LOW[i]! - leastLow;
    HIGH[i] = HIGH[i]! - leastHigh - (difference < 0 ? 1 : 0);
    LOW[i] = difference;
  }
  writeZigZag(leastLow, leastHigh, out);
  const widths = out.length;
  for (let part = 0; part < PARTS; part++) out.push(0);
  for (let part = 0; PART * part < count; part++) {
    const end = Math.min(count, PART * (part + 1));
    const width = widthOf(PART * part, end);
    out.bytes[widths + part] = width;
    writePart(PART * part, end, width, out);
  }
}

function widthOf(from: number, to: number): number {
  let [low, high] = [0, 0];
  for (let i = from; i < to; i++) {
    low |= LOW[i]!;
    high |= HIGH[i]!;
  }
  return high === 0 ? 32 - Math.clz32(low) : 64 - Math.clz32(high);
}

/** A part has its whole length even where the last values are missing. */
function writePart(from: number, to: number, width: number, out: PageBuffer): void {
  const size = (PART * width) / 8;
  out.reserve(size);
  const { bytes, length } = out;
  bytes.fill(0, length, length + size);
  const lowWidth = Math.min(32, width);
  let bit = 0;
  for (let i = from; i < to; i++, bit += width) {
    putBits(bytes, length, bit, LOW[i]!, lowWidth);
    if (width > 32) putBits(bytes, length, bit + 32, HIGH[i]!, width - 32);
  }
  out.length = length + size;
}

/** Sets bits that are 0 to those of a number that has no more. */
function putBits(bytes: Uint8Array, base: number, bit: number, value: number, width: number): void {
  const shift = bit & 7;
  let at = base + (bit >>> 3);
  bytes[at] = bytes[at]! | (value << shift);
  for (let put = 8 - shift; put < width; put += 8) {
    at++;
    bytes[at] = bytes[at]! | (value >>> put);
  }
}

function writeZigZag(low: number, high: number, out: PageBuffer): void {
  const sign = high >> 31;
  let restLow = ((low << 1) ^ sign) >>> 0;
  let restHigh = (((high << 1) | (low >>> 31)) ^ sign) >>> 0;
  while (restHigh !== 0 || restLow >= 128) {
    out.push((restLow & 127) | 128);
    restLow = ((restLow >>> 7) | (restHigh << 25)) >>> 0;
    restHigh >>>= 7;
  }
  out.push(restLow);
}
