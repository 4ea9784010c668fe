/**
 * What `inspect` needs of a finished result: the seam behind which the result files are read.
 *
 * Floor 5. Types only.
 */
import type { OpenedResult, PairTexts } from '../src/index.js';
import type { CandidateRow, ClusterRow, PairRow } from '../src/storage/results/resultReader.js';

export type { CandidateRow, ClusterRow, PairRow, PairTexts };

export type ResultReader = Omit<OpenedResult, 'pairs' | 'candidates' | 'clusters' | 'drops' | 'skipped'>;
/** Counts by name, in the order of the manifest; `skipped` is by reason. */
export type Counts = OpenedResult['counts'];

/** @throws MinHashError RESULT_MISSING when the folder holds no finished result */
export type OpenResult = (folder: string) => Promise<ResultReader>;
