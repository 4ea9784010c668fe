/**
 * Thrift structures in the compact protocol as trees that are changed and written again: what nobody here knows stays as it was.
 *
 * Source: Apache Thrift, doc/specs/thrift-compact-protocol.md.
 */
import { ByteColumn } from '../../../arrays/growable.js';
import { CutOff, ParquetFault } from '../../../readers/formats/parquet/thrift.js';

/** Types by their numbers; a boolean field holds its value in its type. */
export const BOOLEAN = 1;
const FALSE = 2;
const BYTE = 3;
export const I32 = 5;
export const I64 = 6;
const DOUBLE = 7;
export const BINARY = 8;
export const LIST = 9;
const SET = 10;
const MAP = 11;
export const STRUCT = 12;
const UUID = 13;

/** Deeper structures are no Parquet. */
const MOST_DEPTH = 32;

/** Values of DOUBLE and UUID are their bytes. Integers beyond 2^53 are bigints. */
export type CompactValue =
  | number
  | bigint
  | boolean
  | Uint8Array
  | CompactStruct
  | CompactList
  | CompactMap
  | RawBytes;

/** Elements of one type; a set is the same. */
export class CompactList {
  readonly type: number;
  readonly values: CompactValue[];

  constructor(type: number, values: CompactValue[]) {
    this.type = type;
    this.values = values;
  }

  structs(): CompactStruct[] {
    for (const value of this.values) if (!(value instanceof CompactStruct)) throw new ParquetFault();
    return this.values as CompactStruct[];
  }
}

interface CompactMap {
  readonly types: number;
  /** Keys and values in turn. */
  readonly entries: CompactValue[];
}

/** A structure that is written as it is. */
export class RawBytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

interface CompactField {
  readonly id: number;
  readonly type: number;
  value: CompactValue;
}

/** Fields in the order in which they were read, those that are set anew in the order of their numbers. */
export class CompactStruct {
  readonly fields: CompactField[] = [];

  has(id: number): boolean {
    return this.fields.some((field) => field.id === id);
  }

  get(id: number): CompactValue | undefined {
    return this.fields.find((field) => field.id === id)?.value;
  }

  /** @throws ParquetFault where it is another value, or missing */
  number(id: number): number {
    const value = this.get(id);
    if (typeof value !== 'number') throw new ParquetFault();
    return value;
  }

  /** @throws ParquetFault */
  struct(id: number): CompactStruct {
    const value = this.get(id);
    if (!(value instanceof CompactStruct)) throw new ParquetFault();
    return value;
  }

  /** @throws ParquetFault */
  list(id: number): CompactList {
    const value = this.get(id);
    if (!(value instanceof CompactList)) throw new ParquetFault();
    return value;
  }

  /** Sets a field, or adds it; chains. */
  set(id: number, type: number, value: CompactValue): this {
    this.remove(id);
    const at = this.fields.findIndex((field) => field.id > id);
    this.fields.splice(at < 0 ? this.fields.length : at, 0, { id, type, value });
    return this;
  }

  /** Sets a field where it is there. */
  replace(id: number, value: CompactValue): void {
    const field = this.fields.find((one) => one.id === id);
    if (field !== undefined) field.value = value;
  }

  remove(...ids: number[]): void {
    for (const id of ids) {
      const at = this.fields.findIndex((field) => field.id === id);
      if (at >= 0) this.fields.splice(at, 1);
    }
  }
}

/** Reads structures from bytes. `at` is behind what was read. */
export class CompactReader {
  at: number;
  private readonly bytes: Uint8Array;
  /** Field of the outermost structure whose elements stay bytes, to be read one by one. */
  private readonly rawField: number;

  constructor(bytes: Uint8Array, at = 0, rawField = -1) {
    this.bytes = bytes;
    this.at = at;
    this.rawField = rawField;
  }

  /** @throws CutOff where the bytes end within it, ParquetFault where it is none */
  struct(depth = 0): CompactStruct {
    if (depth > MOST_DEPTH) throw new ParquetFault();
    const found = new CompactStruct();
    let id = 0;
    for (;;) {
      const head = this.byte();
      const type = head & 0x0f;
      if (type === 0) return found;
      id = head >> 4 === 0 ? Number(this.zigZag()) : id + (head >> 4);
      const isRaw = depth === 0 && id === this.rawField && type === LIST;
      found.fields.push({ id, type, value: isRaw ? this.list(1, true) : this.value(type, depth) });
    }
  }

  private value(type: number, depth: number): CompactValue {
    if (type === BOOLEAN || type === FALSE) return type === BOOLEAN;
    if (type === BYTE) return this.byte();
    if (type < DOUBLE) return this.zigZag();
    if (type === DOUBLE) return this.take(8);
    if (type === BINARY) return this.take(Number(this.varint()));
    if (type === LIST || type === SET) return this.list(depth + 1);
    if (type === STRUCT) return this.struct(depth + 1);
    if (type === UUID) return this.take(16);
    if (type === MAP) return this.map(depth + 1);
    throw new ParquetFault();
  }

  private list(depth: number, isRaw = false): CompactList {
    if (depth > MOST_DEPTH) throw new ParquetFault();
    const head = this.byte();
    const type = head & 0x0f;
    const size = head >> 4 === 15 ? Number(this.varint()) : head >> 4;
    // Every element takes a byte.
    if (size > this.bytes.length - this.at) throw new CutOff();
    const values: CompactValue[] = [];
    for (let i = 0; i < size; i++) {
      const from = this.at;
      const value = this.element(type, depth);
      values.push(isRaw ? new RawBytes(this.bytes.subarray(from, this.at)) : value);
    }
    return new CompactList(type, values);
  }

  private map(depth: number): CompactMap {
    const size = Number(this.varint());
    const entries: CompactValue[] = [];
    if (size === 0) return { types: 0, entries };
    if (2 * size > this.bytes.length - this.at) throw new CutOff();
    const types = this.byte();
    for (let i = 0; i < size; i++) {
      entries.push(this.element(types >> 4, depth), this.element(types & 0x0f, depth));
    }
    return { types, entries };
  }

  /** Of lists and maps: a boolean is a byte of its own. */
  private element(type: number, depth: number): CompactValue {
    return type === BOOLEAN || type === FALSE ? this.byte() === BOOLEAN : this.value(type, depth);
  }

  private byte(): number {
    if (this.at >= this.bytes.length) throw new CutOff();
    return this.bytes[this.at++]!;
  }

  private take(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw new CutOff();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  private varint(): number | bigint {
    let value = 0;
    let scale = 1;
    const from = this.at;
    for (let i = 0; i < 10; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return Number.isSafeInteger(value) ? value : this.longVarint(from);
      scale *= 128;
    }
    throw new ParquetFault();
  }

  private longVarint(from: number): bigint {
    let value = 0n;
    for (let at = this.at - 1; at >= from; at--) value = (value << 7n) | BigInt(this.bytes[at]! & 0x7f);
    return value;
  }

  private zigZag(): number | bigint {
    const value = this.varint();
    if (typeof value === 'bigint') return (value >> 1n) ^ -(value & 1n);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

/** The bytes of a structure. */
export function compactBytes(struct: CompactStruct): Uint8Array {
  const out = new ByteColumn();
  writeStruct(struct, out);
  return out.view;
}

function writeStruct({ fields }: CompactStruct, out: ByteColumn): void {
  let before = 0;
  for (const { id, type, value } of fields) {
    const shown = type === BOOLEAN || type === FALSE ? (value === true ? BOOLEAN : FALSE) : type;
    const step = id - before;
    if (step > 0 && step <= 15) out.push((step << 4) | shown);
    else {
      out.push(shown);
      writeZigZag(id, out);
    }
    before = id;
    if (shown > FALSE) writeValue(type, value, out);
  }
  out.push(0);
}

function writeValue(type: number, value: CompactValue, out: ByteColumn): void {
  if (type === BYTE) out.push(value as number);
  else if (typeof value === 'number' || typeof value === 'bigint') writeZigZag(value, out);
  else if (value instanceof RawBytes) out.append(value.bytes);
  else if (value instanceof CompactStruct) writeStruct(value, out);
  else if (value instanceof CompactList) writeList(value, out);
  else if (value instanceof Uint8Array) {
    if (type === BINARY) writeVarint(value.length, out);
    out.append(value);
  } else if (typeof value === 'object') writeMap(value, out);
}

function writeList({ type, values }: CompactList, out: ByteColumn): void {
  if (values.length < 15) out.push((values.length << 4) | type);
  else {
    out.push(0xf0 | type);
    writeVarint(values.length, out);
  }
  for (const value of values) writeElement(type, value, out);
}

function writeMap({ types, entries }: CompactMap, out: ByteColumn): void {
  writeVarint(entries.length / 2, out);
  if (entries.length > 0) out.push(types);
  entries.forEach((entry, i) => {
    writeElement(i % 2 === 0 ? types >> 4 : types & 0x0f, entry, out);
  });
}

function writeElement(type: number, value: CompactValue, out: ByteColumn): void {
  if (typeof value === 'boolean') out.push(value ? BOOLEAN : FALSE);
  else writeValue(type, value, out);
}

function writeVarint(value: number, out: ByteColumn): void {
  while (value >= 128) {
    out.push((value % 128) | 128);
    value = Math.floor(value / 128);
  }
  out.push(value);
}

function writeZigZag(value: number | bigint, out: ByteColumn): void {
  // Doubled, it must be exact.
  if (typeof value === 'number' && Math.abs(value) < 2 ** 51) {
    writeVarint(value < 0 ? -2 * value - 1 : 2 * value, out);
    return;
  }
  const wide = BigInt(value);
  let rest = BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n));
  for (; rest >= 128n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
}
