/**
 * What `inspect` needs of a finished result: the seam behind which the result files are read.
 *
 * Floor 5. Types only. Ids are binary strings: char codes are bytes.
 */

/** Counts by name, in the order of the manifest; `skipped` is by reason. */
export type Counts = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

/** A row of pairs/; null is an empty cell. */
export interface PairRow {
  readonly a: string;
  readonly b: string;
  readonly jaccard: number | null;
  readonly agreement: number | null;
  readonly containmentAB: number | null;
  readonly containmentBA: number | null;
  readonly kind: 'identical' | 'near';
}

/** A row of candidates/; jaccard is null where it was not computed. */
export interface CandidateRow {
  readonly a: string;
  readonly b: string;
  readonly agreement: number | null;
  readonly jaccard: number | null;
  readonly accepted: boolean;
}

/** A row of clusters/. */
export interface ClusterRow {
  readonly cluster: number;
  readonly document: string;
  readonly role: 'representative' | 'member';
  /** To the representative. */
  readonly similarity: number | null;
  readonly basis: 'exact' | 'estimate';
}

/** The two texts as canonical words, or why they cannot be shown. */
export type PairTexts =
  | { readonly state: 'found'; readonly a: readonly string[]; readonly b: readonly string[] }
  /**
   * `gone`: the input is not there any more, or was standard input. `changed`: it no longer gives this
   * result.
   */
  | { readonly state: 'gone' | 'changed'; readonly id: string };

export interface ResultReader {
  readonly counts: Counts;
  /** Jaccard values of near pairs are estimates: the run verified by signature. */
  readonly estimated: boolean;
  /** The id that a user wrote as it stands in the result files (the escapes of their format undone). */
  idOf(written: string): string;
  /** Near pairs by jaccard, the largest first; ties by ids. */
  topPairs(count: number): Promise<readonly PairRow[]>;
  /** The rows of two ids, in either order; null where there is none. */
  findPair(
    a: string,
    b: string,
  ): Promise<{ readonly pair: PairRow | null; readonly candidate: CandidateRow | null }>;
  /** The rows of the cluster that holds the document; none when it is in no cluster. */
  findCluster(id: string): Promise<readonly ClusterRow[]>;
  /** The texts in the order of the arguments. */
  texts(a: string, b: string): Promise<PairTexts>;
}

/** @throws MinHashError RESULT_MISSING when the folder holds no finished result */
export type OpenResult = (folder: string) => Promise<ResultReader>;
