/**
 * What a summary says of samples of fingerprints: the rule of candidates, what it promises, and what was eliminated.
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

/** What was eliminated from pairing; none where nothing was. */
export function eliminationWarnings(
  counts: ManifestCounts,
  parameters: ResultParams,
  grouped: (value: number) => string,
): string[] {
  const { hot_buckets: eliminated, eliminated_documents: left = 0 } = counts;
  if (eliminated === 0) return [];
  const { document, documents } = wordingOf(parameters);
  const one = eliminated === 1;
  const none = left === 1 ? `1 ${document} has no other` : `${grouped(left)} ${documents} have no other`;
  return [
    `${grouped(eliminated)} ${one ? 'fingerprint' : 'fingerprints'} in more than ${grouped(parameters.hotBucket)} ` +
      `${documents} (the most frequent: in ${grouped(counts.largest_bucket)}) paired none of them: ${documents} that ` +
      `share no other fingerprint are not found, and ${none}.`,
  ];
}
