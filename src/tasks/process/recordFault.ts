/** The errors for input that is no record: which record, where, and why. */
import { MinHashError } from '../../errors.js';

/** @param count records before this one; @param offset bytes of the input before the wrong place */
export function recordFault(count: number, offset: number, why: string): MinHashError {
  return new MinHashError({
    code: 'TASK_RECORD',
    detail: `record ${count + 1}, byte ${offset} of the input: ${why}`,
  });
}

/** @throws Error where the key or the value is empty, which a sink cannot write: our own defect */
export function checkRecord(key: Uint8Array, value: Uint8Array): void {
  if (key.length === 0 || value.length === 0)
    throw new Error(`a record with a key of ${key.length} and a value of ${value.length} bytes`);
}

export interface Counted {
  /** How many were read or written, facts included. */
  readonly count: number;
}

/** A sink that buffers records until `finish`. */
export interface FinishedSink extends Counted {
  put(key: Uint8Array, value: Uint8Array): void;
  finish(): void;
}
