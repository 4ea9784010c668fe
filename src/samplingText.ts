/**
 * What a summary says of samples of fingerprints: the rule of candidates, what it promises, and what was paired linearly.
 *
 * Floor 4. Pure. Numbers come from the manifest's facts.
 */
import type { ResultParams, SampleParams } from './sketch/params.js';
import type { ManifestCounts, SampleRuleFacts } from './storage/results/manifest.js';
import { type Wording, wordingOf } from './wording.js';

/** `pairs that share at least 95 of 128 fingerprints`, and which fingerprints these are. */
export function sampleRuleText(
  params: SampleParams,
  rule: SampleRuleFacts,
  { document, documents, distinctInFull }: Wording,
): string {
  const shared = `at least ${rule.least_shared} of ${rule.fingerprints} fingerprints shared`;
  if (params.sketch === 'min-s') return `${shared}, the smallest of each ${document}`;
  if (params.modulus === 1) return `${shared}, and other numbers likewise; all are kept`;
  return (
    `${shared}, and other numbers likewise; one in ${params.modulus} is kept, ` +
    `all of ${documents} with fewer than ${params.wholeBelow} ${distinctInFull}`
  );
}

/** Cut, not rounded: a promise is never rounded up. */
function chance(probability: number): string {
  return (Math.floor(Math.round(probability * 1e6) / 1000) / 1000).toFixed(3);
}

/** What is left to chance: short documents in long ones; null where nothing is. */
export function smallText(
  threshold: string,
  { small, whole_below }: SampleRuleFacts,
  { document, short, distinct, distinctInFull }: Wording,
): string | null {
  if (small.length === 0) return null;
  const told = small.filter(({ shingles }) => [10, 20, 50].includes(shingles));
  const chances = told.map(({ shingles, wholly, at_threshold: at }, i) => {
    const what =
      i === 0 ? ` ${distinct} and all of them are there (${chance(at)} at ${threshold})` : ` (${chance(at)})`;
    return `${chance(wholly)} if it has ${shingles}${what}`;
  });
  return (
    `A ${short} ${document} (fewer than ${whole_below} ${distinctInFull}) in one that is not ${short} is found with ` +
    `probability ${chances.join(', ')}; manifest.json has more, --modulus 1 finds all.`
  );
}

/** Writes a number; see promiseText. */
type Grouped = (value: number) => string;

/** How many pairs hot buckets skipped, and what that means. */
export function skippedText(skipped: number, grouped: Grouped, meaning = ''): string {
  if (skipped === 0) return 'the others were few, and all were compared.';
  return `at most ${grouped(skipped)} ${skipped === 1 ? 'pair was' : 'pairs were'} not compared${meaning}.`;
}

/** What was paired linearly; none where nothing was. */
export function hotFingerprintWarnings(
  counts: ManifestCounts,
  parameters: ResultParams,
  grouped: Grouped,
): string[] {
  const { hot_buckets: hot, pairs_skipped_at_most: skipped, kept_uncompared: left, rounds } = counts;
  if (hot === 0) return [];
  const { document, documents } = wordingOf(parameters);
  const warnings = [
    `${grouped(hot)} ${hot === 1 ? 'fingerprint' : 'fingerprints'} that too many ${documents} have and little else ` +
      `(--hot-bucket ${parameters.hotBucket}) ${hot === 1 ? 'was' : 'were'} paired linearly, in ${grouped(rounds)} ` +
      `${rounds === 1 ? 'round' : 'rounds'}: ${skippedText(skipped, grouped)}`,
  ];
  if (left > 0) {
    warnings.push(
      `${grouped(left)} kept ${left === 1 ? `${document} shares` : `${documents} share`} a frequent fingerprint with ` +
        'another kept one that it may never have been compared with: near-duplicates may be left among them.',
    );
  }
  return warnings;
}
