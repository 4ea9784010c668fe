/**
 * What a summary says of hot buckets and hot fingerprints: how they were paired, and what was not compared.
 *
 * Floor 4. Pure. Numbers come from the manifest's counts.
 */
import { counted, grouped } from './promiseText.js';
import type { ResultParams } from './sketch/params.js';
import { sampleParams } from './sketch/sketchKind.js';
import type { ManifestCounts } from './storage/results/manifest.js';
import { wordingOf } from './wording.js';

export function hotBucketWarnings(counts: ManifestCounts, parameters: ResultParams): string[] {
  if (sampleParams(parameters) !== null) return hotFingerprintWarnings(counts, parameters);
  const warnings: string[] = [];
  const { document, documents } = wordingOf(parameters);
  if (counts.hot_buckets > 0) {
    warnings.push(
      `${counted(counts.hot_buckets, 'bucket')} with more than ${grouped(parameters.hotBucket)} ${documents} ` +
        `(the largest: ${grouped(counts.largest_bucket)}) ` +
        `${counts.hot_buckets === 1 ? 'was' : 'were'} paired linearly, ` +
        `in ${counted(counts.rounds, 'round')}: ` +
        skippedText(counts.pairs_skipped_at_most, ', and the promise of recall does not hold for them'),
    );
  }
  if (counts.kept_uncompared > 0) {
    warnings.push(
      `${counted(counts.kept_uncompared, `kept ${document} shares`, `kept ${documents} share`)} a bucket with ` +
        'another kept one that it was never compared with: near-duplicates may be left among them.',
    );
  }
  return warnings;
}

/** How many pairs hot buckets skipped, and what that means. */
function skippedText(skipped: number, meaning = ''): string {
  if (skipped === 0) return 'the others were few, and all were compared.';
  return `at most ${grouped(skipped)} ${skipped === 1 ? 'pair was' : 'pairs were'} not compared${meaning}.`;
}

/** What was paired linearly; none where nothing was. */
function hotFingerprintWarnings(counts: ManifestCounts, parameters: ResultParams): string[] {
  const { hot_buckets: hot, pairs_skipped_at_most: skipped, kept_uncompared: left, rounds } = counts;
  if (hot === 0) return [];
  const { document, documents } = wordingOf(parameters);
  const warnings = [
    `${grouped(hot)} ${hot === 1 ? 'fingerprint' : 'fingerprints'} that too many ${documents} have and little else ` +
      `(--hot-bucket ${parameters.hotBucket}) ${hot === 1 ? 'was' : 'were'} paired linearly, in ${grouped(rounds)} ` +
      `${rounds === 1 ? 'round' : 'rounds'}: ${skippedText(skipped)}`,
  ];
  if (left > 0) {
    warnings.push(
      `${grouped(left)} kept ${left === 1 ? `${document} shares` : `${documents} share`} a frequent fingerprint with ` +
        'another kept one that it may never have been compared with: near-duplicates may be left among them.',
    );
  }
  return warnings;
}
