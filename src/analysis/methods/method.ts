/**
 * A method of comparing one document with many: the one interface of all files of this folder.
 *
 * A method is pure: elements of texts in, values of its measures out. Base documents are prepared once; then documents
 * stream by, and of each the method says which bases it shares something with. `table.ts` has all methods by name.
 */

import type { ShingleParams } from '../../text/shingles.js';
import type { ElementRule } from './elementStreams.js';

/** The methods by name, in the order of help. */
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
  /** Of `resemblance` and `containment`. Its seed is the seed of all elements, its stop words those of all methods. */
  readonly shingle: ShingleParams;
  /** Of `sswf`: words to select, 1..1000. */
  readonly words: number;
  /** Of `sswf`: equal pieces that the fingerprint of the base is cut into, 1..100; 1: it is compared whole. */
  readonly pieces: number;
  /** Of `winnowing`: matches shorter than so many characters are never found (k of the paper), 1..63. */
  readonly noise: number;
  /** Of `winnowing`: matches of at least so many characters are always found (t of the paper), `noise`..10,000. */
  readonly guarantee: number;
}

/** The part of the corpus by which a method weighs words. */
export interface CorpusFacts {
  /** Documents in the corpus (N of the papers). */
  readonly documents: number;
  /** In how many of them a word occurs (f_t), 0 for one that was not counted. */
  documentsWith(low: number, high: number): number;
}

/** Which words have to be counted in a reading of the corpus before. */
export type Weighing = 'none' | 'words of bases' | 'all words';

export interface Method {
  readonly name: MethodName;
  /** Names of the values, in the order in which they are given; answers are ranked by the first. */
  readonly measures: readonly string[];
  /** Those of them that are whole numbers; the others are shares, or weights that have no unit. */
  readonly counts?: readonly string[];
  /** Least first value of an answer by default; above 0. */
  readonly threshold: number;
  /** The first value may be above 1. */
  readonly isUnbounded?: true;
  /** The method leaves out stop words. */
  readonly leavesOutStopWords?: true;
  readonly weighing: Weighing;
  elements(params: MethodParams): ElementRule;
  /**
   * @param bases the elements of each base document in their order, pairs (low, high); one without any matches nothing
   * @param corpus null where `weighing` is `none`, or where there is no corpus: then all words weigh the same, and none
   * is left out
   * @param least values whose first is below it need not be given
   */
  prepare(
    bases: readonly Uint32Array[],
    params: MethodParams,
    corpus: CorpusFacts | null,
    least: number,
  ): Matcher;
}

/** Receives the values of a document for one base; `values` is scratch memory. */
export type MatchSink = (base: number, values: Float64Array) => void;

/** Compares one document after the other with all bases. Not re-entrant; it keeps its memory from document to document. */
export interface Matcher {
  /** Bases that no document can match, because the method finds too little in them; absent: those without elements. */
  readonly barren?: readonly number[];
  begin(): void;
  /** Elements of the document, `hashes[0 .. 2*count)`, in the order of the text: scratch memory. */
  take(hashes: Uint32Array, count: number): void;
  /** Ends the document and passes on the bases that share something with it, ascending. Values are finite numbers. */
  end(found: MatchSink): void;
}
