/**
 * What a summary says of samples of fingerprints: the rule of candidates, and what it promises.
 *
 * Floor 4. Pure. Numbers come from the manifest's facts.
 */
import type { SampleParams } from './sketch/params.js';
import type { SampleRuleFacts } from './storage/results/manifest.js';
import type { Wording } from './wording.js';

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
