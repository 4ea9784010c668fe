/**
 * The compact protocol of Thrift, in which Parquet writes its footer and the headers of its pages.
 *
 * Source: Apache Thrift, doc/specs/thrift-compact-protocol.md. Lengths are compared with the bytes that exist before
 * memory is taken for them, and integers of 64 bits are numbers: the sizes and counts of a file are below 2^53.
 */
import type { ErrorCode } from '../../../errors.js';

/** A fault of a Parquet file, on its way to the place where the record that it concerns is known. */
export class ParquetFault extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode = 'PARQUET_BROKEN', options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** The bytes end within a value: further bytes may complete it. */
export class CutOff extends ParquetFault {}

export type ThriftValue = number | boolean | Uint8Array | ThriftStruct | readonly ThriftValue[];

/** Fields by their numbers. */
export class ThriftStruct {
  private readonly fields = new Map<number, ThriftValue>();

  set(field: number, value: ThriftValue): void {
    this.fields.set(field, value);
  }

  has(field: number): boolean {
    return this.fields.has(field);
  }

  /** @throws ParquetFault where it is another value; without `otherwise` also where it is missing */
  number(field: number, otherwise?: number): number {
    const value = this.fields.get(field) ?? otherwise;
    if (typeof value !== 'number') throw new ParquetFault();
    return value;
  }

  /** A count: an integer from 0 on. */
  count(field: number, otherwise?: number): number {
    const value = this.number(field, otherwise);
    if (!Number.isSafeInteger(value) || value < 0) throw new ParquetFault();
    return value;
  }

  isTrue(field: number, otherwise: boolean): boolean {
    return (this.fields.get(field) ?? otherwise) === true;
  }

  struct(field: number): ThriftStruct | null {
    const value = this.fields.get(field);
    if (value === undefined) return null;
    if (!(value instanceof ThriftStruct)) throw new ParquetFault();
    return value;
  }

  structs(field: number): readonly ThriftStruct[] {
    const list = this.fields.get(field);
    if (!Array.isArray(list)) throw new ParquetFault();
    for (const value of list) if (!(value instanceof ThriftStruct)) throw new ParquetFault();
    return list as readonly ThriftStruct[];
  }

  text(field: number): string {
    const value = this.fields.get(field);
    if (!(value instanceof Uint8Array)) throw new ParquetFault();
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString('utf8');
  }
}

const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const SET = 10;
const MAP = 11;
const STRUCT = 12;
const UUID = 13;

/** Parquet has no deeper structures. */
const MOST_DEPTH = 32;

/** Reads a struct from bytes. `at` is the place behind the bytes read so far. */
export class ThriftReader {
  at: number;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /** @throws CutOff where the bytes end within it, ParquetFault where it is no struct */
  struct(depth = 0): ThriftStruct {
    if (depth > MOST_DEPTH) throw new ParquetFault();
    const found = new ThriftStruct();
    let field = 0;
    for (;;) {
      const head = this.byte();
      const type = head & 0x0f;
      if (type === 0) return found;
      field = head >> 4 === 0 ? this.zigZag() : field + (head >> 4);
      found.set(field, this.value(type, depth));
    }
  }

  private value(type: number, depth: number): ThriftValue {
    if (type === TRUE || type === FALSE) return type === TRUE;
    if (type === BYTE) return (this.byte() << 24) >> 24;
    if (type < DOUBLE) return this.zigZag();
    if (type === DOUBLE) {
      this.skip(8);
      return 0;
    }
    if (type === BINARY) {
      const length = this.varint();
      this.skip(length);
      return this.bytes.subarray(this.at - length, this.at);
    }
    if (type === LIST || type === SET) return this.list(depth + 1);
    if (type === STRUCT) return this.struct(depth + 1);
    if (type === UUID) this.skip(16);
    else if (type === MAP) this.map(depth + 1);
    else throw new ParquetFault();
    return 0;
  }

  private list(depth: number): readonly ThriftValue[] {
    if (depth > MOST_DEPTH) throw new ParquetFault();
    const head = this.byte();
    const type = head & 0x0f;
    const size = head >> 4 === 15 ? this.varint() : head >> 4;
    // Every element takes a byte.
    if (size > this.bytes.length - this.at) throw new CutOff();
    const values: ThriftValue[] = [];
    for (let i = 0; i < size; i++) {
      values.push(type === TRUE || type === FALSE ? this.byte() === TRUE : this.value(type, depth));
    }
    return values;
  }

  private map(depth: number): void {
    const size = this.varint();
    if (size === 0) return;
    if (2 * size > this.bytes.length - this.at) throw new CutOff();
    const types = this.byte();
    for (let i = 0; i < size; i++) {
      for (const type of [types >> 4, types & 0x0f]) {
        if (type === TRUE || type === FALSE) this.skip(1);
        else this.value(type, depth);
      }
    }
  }

  private byte(): number {
    if (this.at >= this.bytes.length) throw new CutOff();
    return this.bytes[this.at++]!;
  }

  private skip(bytes: number): void {
    if (bytes > this.bytes.length - this.at) throw new CutOff();
    this.at += bytes;
  }

  /** Of at most 64 bits; beyond 2^53 it is not exact. */
  private varint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new ParquetFault();
  }

  private zigZag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
