/**
 * The result parameters: everything that decides the output bytes, as plain JSON values.
 *
 * Execution parameters (threads, shards, paths) are in src/options/check.ts.
 */

import type { RatingRule, RowRule } from '../text/elements.js';
import type { ShingleParams } from '../text/shingles.js';
import type { InputKind } from './formatNames.js';

/** Names of the signature schemes, in the order of help. */
export const SIGNATURE_NAMES = ['fss', 'classic'] as const;
/** The name of a signature scheme. */
export type SketchName = (typeof SIGNATURE_NAMES)[number];
/** The measure of pairs: documents that resemble each other, or documents that another one contains. */
export type Measure = 'resemblance' | 'containment';
/**
 * How candidates are verified: by their sets, by their signatures (an estimate), or not at all.
 */
export type VerifyMode = 'exact' | 'signature' | 'none';
/** The format of a text; `auto`: HTML according to the name of the file or the first bytes. */
export type TextFormat = 'auto' | 'html' | 'text';
/** `components`: connected components of near pairs. `greedy`: a kept document and the documents dropped for it. */
export type ClusterKind = 'components' | 'greedy';
/** Keep orders, in the order of help. */
export const KEEP_WORDS = ['first', 'last', 'longest', 'shortest', 'newest', 'oldest'] as const;
/** A keep order: the first of several near-duplicates in this order is kept. */
export interface KeepRule {
  readonly by: (typeof KEEP_WORDS)[number] | 'field';
  /** A field of the records; null: another rule. */
  readonly field: string | null;
  /** Whether the greatest or the smallest value comes first; null: another rule. */
  readonly best: 'max' | 'min' | null;
}
/** A reference with which the documents are compared: its documents are never dropped, and never compared with each other. */
export interface GroupRule {
  readonly by: 'against';
  /** Whether other documents are compared only with the reference, not with each other. */
  readonly only: boolean;
  /** Globs over relative paths of the files of the reference to read; absent: all. */
  readonly include?: readonly string[];
}
/** The parts of documents that can be compared, in the order of help. */
export const UNITS = ['document', 'paragraph', 'line'] as const;
export type Unit = (typeof UNITS)[number];

/** How a set becomes a signature. */
export interface SketchParams {
  readonly sketch: SketchName;
  /** Signature length N, 16..1024. */
  readonly hashes: number;
  readonly seed: number;
}

/** Which candidate pairs are listed: pairs at the threshold or slightly below, all, or none. All are counted. */
export const CANDIDATE_LISTINGS = ['margin', 'all', 'none'] as const;
export type CandidateListing = (typeof CANDIDATE_LISTINGS)[number];

/**
 * A signature is cut into `bands` bands of `rows` rows. `bands * rows <= hashes`; further slots are used only for the similarity of
 * signatures.
 */
export interface BandingParams {
  readonly bands: number;
  readonly rows: number;
}

/** How lines `set, element [, weight]` become (set, element) records. */
export interface SetsParams {
  /** The fields of set, element and optionally weight: names, or numbers from 1 as strings. */
  readonly columns: readonly string[];
  /** Whether the first line of every file names the fields. */
  readonly named: boolean;
  /** How ratings become elements; null: the third field is a weight. */
  readonly ratings: RatingRule | null;
  /** The lowest rating that is liked; null if the rule is not `liked` or `liked-hated`. */
  readonly likedFrom: number | null;
}

/** All parameters that decide a result. */
export interface ResultParams {
  /**
   * Minimum number of equal slots of an accepted pair; the threshold is then this fraction of all slots. Null: the threshold
   * decides.
   */
  readonly agree: number | null;
  /** Report only identical documents: there are no bands, and nothing is verified. */
  readonly exactDuplicates: boolean;
  readonly cluster: ClusterKind;
  readonly measure: Measure;
  readonly threshold: number;
  readonly shingle: ShingleParams;
  readonly sketch: SketchParams;
  readonly banding: BandingParams;
  /** Required probability of becoming a candidate at the threshold; null if bands and rows were set. */
  readonly recall: number | null;
  /** `auto`: a number that follows from the sizes of buckets; see hotBuckets.ts. */
  readonly hotBucket: number | 'auto';
  readonly candidates: CandidateListing;
  readonly verify: VerifyMode;
  readonly seed: number;
  readonly input: InputKind;
  readonly textField: string;
  readonly idField: string;
  /** Whether --text-field was set: decides how `auto` reads a `.json` file without that field. */
  readonly textFieldGiven: boolean;
  /** The dotted path to the array of records in a JSON file; absent: the file is the array, or one record, or has a record per line. */
  readonly records?: string;
  /** A label of TextDecoder, in lower case. */
  readonly encoding: string;
  /** The format of files and of the texts of records; only the visible text of HTML is compared. */
  readonly textFormat: TextFormat;
  /** The separator of the fields of CSV, TSV and sets, one character; null: a comma or a TAB, by the name of the file. */
  readonly separator: string | null;
  /** The character around fields of CSV and TSV, or `none`; null: by the name of the file, `"` in CSV and none in TSV. */
  readonly quote: string | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Maximum size of the text of a document, in bytes. */
  readonly maxDocument: number;
  readonly onError: 'skip' | 'fail';
  /** PATHs of files whose shingles are ignored; absent: none. */
  readonly ignore?: readonly string[];
  /** The keep order; ties are decided by the location. */
  readonly keep: KeepRule;
  /** Null: all pairs are compared. */
  readonly groups: GroupRule | null;
  readonly unit: Unit;
  /** Units with fewer tokens are not compared; 0: all units are compared. */
  readonly minTokens: number;
  /** Present if `input` is `sets`. The only shingle parameters in use are then `bag` and `seed`. */
  readonly sets?: SetsParams;
}

/** Whether documents get signatures: not with --exact-duplicates, and not for containment, which is exact. */
export function hasSignatures({
  exactDuplicates,
  measure,
}: Pick<ResultParams, 'exactDuplicates' | 'measure'>): boolean {
  return !exactDuplicates && measure !== 'containment';
}

/** The fields of records, other than id and text, that a run reads; usually none. */
export function fieldsRead({ keep }: Pick<ResultParams, 'keep'>): readonly string[] {
  return keep.field === null ? [] : [keep.field];
}

/** The parameters of the rule of rows. */
export type RowRuleParams = Pick<ResultParams, 'sets'> & { readonly shingle: Pick<ShingleParams, 'bag'> };

/** How lines of sets are combined. */
export function rowRuleOf({ sets, shingle }: RowRuleParams): RowRule {
  return sets?.ratings ?? (shingle.bag ? 'bag' : 'set');
}
