/**
 * A method of comparing one document with many: the interface that all methods of this folder implement.
 *
 * A method is pure: it computes the values of its measures from elements of texts. Base documents are prepared once;
 * then documents are read one after the other, and the method finds the bases that share elements with each. `table.ts`
 * has all methods by name.
 */

import type { ShingleParams } from '../../text/shingles.js';
import type { ElementRule } from './elementStreams.js';

/** Names of the methods, in the order of help. */
export const METHOD_NAMES = [
  'resemblance',
  'containment',
  'sswf',
  'cops',
  'cops-overlapping',
  'scam',
  'manber',
  'heintze',
  'winnowing',
  'i-match',
  'identity',
  'inner-product',
  'normalised-inner-product',
  'cosine',
] as const;
/** A method of comparing one document with many. */
export type MethodName = (typeof METHOD_NAMES)[number];

/** The parameters of all methods, checked and complete; each reads its own. JSON. */
export interface MethodParams {
  /** For `resemblance` and `containment`; all methods use its seed and its stop words. */
  readonly shingle: ShingleParams;
  /** For `sswf`: number of words to select, 1..1000. */
  readonly words: number;
  /**
   * For `sswf`: number of equal pieces that the fingerprint of the base is cut into, 1..100; 1: it is compared as a
   * whole.
   */
  readonly pieces: number;
  /** For `winnowing`: matches of fewer characters are never found (k of the paper), 1..63. */
  readonly noise: number;
  /** For `winnowing`: matches of at least this many characters are always found (t of the paper), `noise`..10,000. */
  readonly guarantee: number;
}

/** The facts of a corpus by which a method weighs words. */
export interface CorpusFacts {
  /** Number of documents in the corpus (N of the papers). */
  readonly documents: number;
  /** Number of documents that have a word (f_t); 0 for a word that was not counted. */
  documentsWith(low: number, high: number): number;
}

/** The words that must be counted in a first reading of the corpus. */
export type Weighing = 'none' | 'words of bases' | 'all words';

export interface Method {
  readonly name: MethodName;
  /** Names of the values, in order; answers are ranked by the first. */
  readonly measures: readonly string[];
  /** Names of the values that are whole numbers; the others are shares, or weights without a unit. */
  readonly counts?: readonly string[];
  /** Default least first value of an answer; above 0. */
  readonly threshold: number;
  /** Set if the first value may be above 1. */
  readonly isUnbounded?: true;
  /** Set if the method leaves out stop words. */
  readonly leavesOutStopWords?: true;
  readonly weighing: Weighing;
  elements(params: MethodParams): ElementRule;
  /**
   * @param bases the elements of each base document in order, pairs (low, high); a base without elements matches
   * nothing
   * @param corpus null if `weighing` is `none`, or if there is no corpus: then all words have the same weight, and no
   * word is skipped
   * @param least the method may omit bases whose first value is below it
   */
  prepare(
    bases: readonly Uint32Array[],
    params: MethodParams,
    corpus: CorpusFacts | null,
    least: number,
  ): Matcher;
}

/** Receives the values of a document for one base; `values` is valid during the call. */
export type MatchSink = (base: number, values: Float64Array) => void;

/** Compares one document after the other with all bases. Not re-entrant; it reuses its memory for the next document. */
export interface Matcher {
  /**
   * Bases that no document can match, because they have too few elements for the method; absent: the bases without
   * elements.
   */
  readonly barren?: readonly number[];
  begin(): void;
  /** Adds elements of the document, `hashes[0 .. 2*count)`, in text order; valid during the call. */
  take(hashes: Uint32Array, count: number): void;
  /** Ends the document and passes on the bases that share elements with it, ascending. Values are finite numbers. */
  end(sink: MatchSink): void;
}
