/**
 * The compact protocol of Thrift, in which Parquet writes its footer and the headers of its pages.
 *
 * Integers of 64 bits are numbers: the sizes and counts of a file are below 2^53.
 */
import type { ErrorCode } from '../../../errors.js';
import { parser } from '../../parsers/load.js';

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

/** A struct, with its fields by their numbers. */
export class ThriftStruct {
  private readonly fields: object;

  /** @param fields as the package has them: `field_1` and so on */
  constructor(fields: object) {
    this.fields = fields;
  }

  private value(field: number): unknown {
    return Reflect.get(this.fields, `field_${field}`);
  }

  has(field: number): boolean {
    return this.value(field) !== undefined;
  }

  /** @throws ParquetFault where it is another value; without `otherwise` also where it is missing */
  number(field: number, otherwise?: number): number {
    const value = this.value(field) ?? otherwise;
    if (typeof value === 'bigint') return Number(value);
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
    return (this.value(field) ?? otherwise) === true;
  }

  struct(field: number): ThriftStruct | null {
    const value = this.value(field);
    return value === undefined ? null : structOf(value);
  }

  structs(field: number): readonly ThriftStruct[] {
    const list = this.value(field);
    if (!Array.isArray(list)) throw new ParquetFault();
    return list.map(structOf);
  }

  text(field: number): string {
    const value = this.value(field);
    if (!(value instanceof Uint8Array)) throw new ParquetFault();
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString('utf8');
  }
}

function structOf(value: unknown): ThriftStruct {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
    throw new ParquetFault();
  return new ThriftStruct(value);
}

/** What the package says of a type that no struct of Parquet has; its other errors may come of bytes that are not there. */
const UNKNOWN_TYPE = /unhandled type/;

/**
 * The struct that bytes begin with, and its end.
 *
 * @throws CutOff where the bytes end within it, ParquetFault where it is no struct
 */
export function structIn(bytes: Uint8Array): { readonly struct: ThriftStruct; readonly end: number } {
  try {
    const { fields, end } = parser('parquetPages').thriftStruct(bytes);
    return { struct: new ThriftStruct(fields), end };
  } catch (error) {
    const Fault = UNKNOWN_TYPE.test(String(error)) ? ParquetFault : CutOff;
    throw new Fault('PARQUET_BROKEN', { cause: error });
  }
}
