/** What is said of input that is no record: which one, where, and why. */
import { MinHashError } from '../../errors.js';

/** @param count records before it; @param offset bytes of the input before the place that is wrong */
export function recordFault(count: number, offset: number, why: string): MinHashError {
  return new MinHashError({
    code: 'TASK_RECORD',
    detail: `record ${count + 1}, byte ${offset} of the input: ${why}`,
  });
}

/** What a sink cannot write: our own defect. */
export function checkRecord(key: Uint8Array, value: Uint8Array): void {
  if (key.length === 0 || value.length === 0)
    throw new Error(`a record with a key of ${key.length} and a value of ${value.length} bytes`);
}

/** Where keys, values, rows come from, and how many came. */
export interface Counted {
  /** All that was read, facts too. */
  readonly count: number;
}

/** Takes records until its end. */
export interface FinishedSink extends Counted {
  put(key: Uint8Array, value: Uint8Array): void;
  /** Writes what is still held. */
  finish(): void;
}
