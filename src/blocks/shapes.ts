/**
 * Shapes of the values that cross between the coordinator and the tasks: JSON, never closures.
 *
 * Floor 1.
 */
import type { ResultParams } from '../sketch/params.js';

/** Once per run, to every worker. */
export interface RunSetup {
  readonly params: ResultParams;
}

/** A file as the walk found it. Paths and ids are binary strings: one character a byte. */
export interface SourceFile {
  /** Number of the file in path order. */
  readonly index: number;
  readonly path: string;
  readonly id: string;
  readonly bytes: number;
  readonly format: 'text' | 'jsonl' | 'json' | 'json-or-text';
  readonly gzip: boolean;
  readonly stdin: boolean;
}

/** Where the documents of one column block come from. */
export type Source =
  | { readonly kind: 'files'; readonly files: readonly SourceFile[] }
  | { readonly kind: 'range'; readonly file: SourceFile; readonly from: number; readonly to: number }
  /** Lines of a stream, cut by the coordinator; their bytes travel as a block of kind `text`. */
  | { readonly kind: 'chunk'; readonly file: SourceFile; readonly firstLine: number }
  /** Documents given in memory, in a block of kind `text`. */
  | { readonly kind: 'memory' };

/** What a sketching task reports. */
export interface SketchReport {
  readonly documents: number;
  readonly skipped: number;
  readonly lines: number;
  readonly bytes: number;
}
