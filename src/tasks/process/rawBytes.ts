/**
 * Records as Hadoop Streaming passes them in the form `rawbytes`: length of the key, key, length of the value, value; lengths u32
 * big-endian.
 *
 * Hadoop takes a truncated length for the end of the input; here it is an error, as is a record with an empty key or value.
 */
import type { RecordSource } from '../stream/records.js';
import type { InputWindow, OutputWindow } from './descriptors.js';
import { type Counted, checkRecord, type FinishedSink, recordFault } from './recordFault.js';

/** The most bytes that Hadoop holds in one array. */
const MOST = 2 ** 31 - 9;
const LENGTH = 4;

/** Reads records; keys and values are views of the input window. */
export class RawBytesSource implements RecordSource, Counted {
  count = 0;
  key: Uint8Array = new Uint8Array(0);
  value: Uint8Array = new Uint8Array(0);
  private readonly input: InputWindow;

  constructor(input: InputWindow) {
    this.input = input;
  }

  /** @throws MinHashError TASK_RECORD */
  next(): boolean {
    const { input } = this;
    if (!input.holds(LENGTH)) {
      if (input.end > input.at) throw this.cut();
      return false;
    }
    const keyLength = this.lengthAt(0, 'key');
    if (!input.holds(LENGTH + keyLength + LENGTH)) throw this.cut();
    const valueLength = this.lengthAt(LENGTH + keyLength, 'value');
    const all = LENGTH + keyLength + LENGTH + valueLength;
    if (!input.holds(all)) throw this.cut();
    const { bytes, at } = input;
    const end = at + all;
    this.key = bytes.subarray(at + LENGTH, at + LENGTH + keyLength);
    this.value = bytes.subarray(end - valueLength, end);
    input.at = end;
    this.count++;
    return true;
  }

  private lengthAt(from: number, what: string): number {
    const { bytes, at, offset } = this.input;
    const i = at + from;
    const length = ((bytes[i]! << 24) | (bytes[i + 1]! << 16) | (bytes[i + 2]! << 8) | bytes[i + 3]!) >>> 0;
    if (length === 0 || length > MOST)
      throw recordFault(this.count, offset + from, `${length} is no length of a ${what}`);
    return length;
  }

  private cut(): Error {
    const { offset, end, at } = this.input;
    const why = `the input ends within this record, which begins at byte ${offset}`;
    return recordFault(this.count, offset + end - at, why);
  }
}

export class RawBytesSink implements FinishedSink {
  count = 0;
  private readonly output: OutputWindow;

  constructor(output: OutputWindow) {
    this.output = output;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    checkRecord(key, value);
    if (key.length > MOST || value.length > MOST) throw new Error(`a record of ${value.length} bytes`);
    const { output } = this;
    output.reserve(2 * LENGTH + key.length + value.length);
    this.field(key);
    this.field(value);
    this.count++;
  }

  finish(): void {
    this.output.flush();
  }

  private field(field: Uint8Array): void {
    const { output } = this;
    const { bytes, end } = output;
    const { length } = field;
    bytes[end] = length >>> 24;
    bytes[end + 1] = length >>> 16;
    bytes[end + 2] = length >>> 8;
    bytes[end + 3] = length;
    bytes.set(field, end + LENGTH);
    output.end = end + LENGTH + length;
  }
}
