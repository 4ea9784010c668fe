/**
 * What can be wrong with a finished result on disk, as data.
 *
 * Floor 2. Types alone; who shows them decides the words.
 */

import type { Replacement } from './replacement.js';

/**
 * `missing`, `unknown`: a file that should be there, or should not. `not_a_file`: a link, a folder or a device in its
 * place. `length`, `sha256`, `rows`: not those of the manifest. `form`: not what mr-minhash writes. `counts`: numbers
 * of the manifest that contradict each other.
 */
export type ResultFaultKind =
  | 'missing'
  | 'unknown'
  | 'not_a_file'
  | 'unreadable'
  | 'length'
  | 'sha256'
  | 'rows'
  | 'form'
  | 'counts';

/** One thing that is wrong with a result on disk. */
export interface ResultFault {
  /** Relative to the folder, with `/`; as the system gives it. */
  readonly file: string;
  readonly kind: ResultFaultKind;
  /** The first byte that is wrong; null where it cannot be known. */
  readonly offset: number | null;
  /** Where the first row begins that mr-minhash would not have written, in which something is wrong; null: all rows look well. */
  readonly row: number | null;
  readonly expected: string | number | null;
  readonly found: string | number | null;
}

/** What `verifyResult` found; without faults the result is the one its manifest describes. */
export interface Verification {
  readonly folder: string;
  /** Nothing is wrong. */
  readonly sound: boolean;
  /** Result files named by the manifest, and what was read of them. */
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
  /** What the manifest says of accepted near pairs, where it is another rule than the threshold; else null. */
  readonly rule: string | null;
  /** What is beside the result to replace it, in `.new`: an unfinished run, or a whole new result. */
  readonly replacement: Replacement;
  /** In the order of the files' names. */
  readonly faults: readonly ResultFault[];
}
