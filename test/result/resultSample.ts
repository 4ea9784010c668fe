/**
 * What the tests of the output folder share: parameters, counts, and a small finished
 * result.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestCounts, ReportedNumbers } from '../../src/result/facts.js';
import { type ManifestFacts, type Stats, statsOf } from '../../src/result/manifest.js';
import type { ResultParams } from '../../src/sketch/params.js';
import type { WrittenFile } from '../../src/store/files.js';
import { resolveOptions } from '../options/resolveOptions.js';

export function textOf(root: string, file: WrittenFile | string): string {
  return readFileSync(join(root, typeof file === 'string' ? file : file.file), 'utf8');
}

export function parametersFor(verify: ResultParams['verify'] = 'exact'): ResultParams {
  const { params } = resolveOptions({ paths: ['x'], hotBucket: 256, candidates: 'all', verify });
  return { ...params, shingle: { ...params.shingle, stopWords: ['the', 'a'] } };
}

export const COUNTS: ManifestCounts = {
  documents: 12,
  read: 10,
  skipped: { BINARY: 1, JSON_BROKEN: 1 },
  left_out: { LINK_BROKEN: 1 },
  ids_repeated: 0,
  empty: 1,
  ignored: 0,
  repaired: 2,
  records_as_text: 0,
  shingle_occurrences: 1234,
  identity_classes: 1,
  identical_documents: 3,
  hot_buckets: 0,
  hot_members: 0,
  hot_unmatched: 0,
  candidate_pairs: 5,
  verified_pairs: 3,
  identical_pairs: 1,
  same_tokens_pairs: 1,
  same_tokens_other_punctuation: 0,
  clusters: 2,
  clustered_documents: 6,
  members_below_threshold: 1,
  kept: 6,
  dropped: 4,
  kept_bytes: 6000,
  dropped_bytes: 1_234_567,
};

const NOTHING = { documents: 0, bytes: 0, tokens: 0 };
const DROPPED = { documents: 4, bytes: 1_234_567, tokens: 400 };

export const REPORTED: ReportedNumbers = {
  kept: { documents: 6, bytes: 6000, tokens: 600 },
  dropped: DROPPED,
  reasons: { identical: NOTHING, same_tokens: NOTHING, near: DROPPED },
  sources: [],
  other_sources: 0,
  thresholds: [],
  median_shingles: 50,
  median_tokens: 54,
};

/** Statistics with nothing to tell. */
export const STATS: Stats = statsOf({
  ...{ version: '0.1.0', execution: {}, options: {}, resumed: null },
  inputs: { paths: ['corpus'], directory: '/' },
  ...{ places: [], stages: [], elapsed_milliseconds: 1000, left_out: null, read_as: null },
  ...{ missing_id_field: null, input_notes: [], lacked_values: [] },
  ...{ documents: 10, textBytes: 2e6, peakMemoryBytes: 1 },
});

export function manifestFacts(files: readonly WrittenFile[]): ManifestFacts {
  return {
    version: '0.1.0',
    unicode: '15.0.0',
    parameters: parametersFor(),
    contentDigest: 'ab'.repeat(32),
    sCurve: [{ similarity: 0.8, probability: 0.98530001 }],
    probabilityAtThreshold: 0.98530001,
    agreementShare: 0.55,
    counts: COUNTS,
    numbers: REPORTED,
    files,
  };
}
