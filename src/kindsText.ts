/**
 * What the report says of pairs that need no verification: identical texts, and texts of the same tokens.
 *
 * Floor 4. Pure.
 */
import { counted, grouped } from './promiseText.js';
import type { ResultParams, ShingleParams } from './sketch/params.js';
import { acceptedPairs, type ManifestCounts } from './storage/results/manifest.js';
import { wordingOf } from './wording.js';

/** `61 documents in 16 classes, 45 rows`; of which kinds where there are both. */
export function identityText(counts: ManifestCounts, parameters: ResultParams): string {
  if (counts.identity_classes === 0) return 'none';
  const { identical_pairs: identical, same_tokens_pairs: sameTokens } = counts;
  const kinds =
    sameTokens === 0 ? '' : `: ${grouped(identical)} identical, ${grouped(sameTokens)} same-tokens`;
  return (
    `${counted(counts.identical_documents, wordingOf(parameters).document)} in ` +
    `${counted(counts.identity_classes, 'class', 'classes')}, ${counted(identical + sameTokens, 'row')}${kinds}`
  );
}

/**
 * Fewer pairs are looked at one by one; and where they are less than a hundredth of what was accepted, they are not what
 * the corpus is about.
 */
const FEW = 10;
const SHARE = 0.01;

/**
 * What two texts of the same tokens differ in, and the shingles that tell them apart. Of 16 characters: a comparison turned
 * round in a function of four lines leaves a resemblance of a half, one in a file of 150 lines 0.99.
 */
const REMEDIES: Readonly<Record<'words' | 'other', readonly [differ: string, remedy: string]>> = {
  words: [
    'punctuation, case or layout',
    '--shingle chars:16 compares punctuation too, --shingle bytes:16 also case and layout',
  ],
  other: ['case or layout', '--shingle bytes:16 compares them too'],
};

function remedyOf({ unit }: ShingleParams): readonly [string, string] {
  return unit === 'words' || unit === 'stopwords' ? REMEDIES.words : REMEDIES.other;
}

/** Where what the tokens leave out may be what matters. */
export function sameTokensWarnings(counts: ManifestCounts, { shingle }: ResultParams): string[] {
  const ofCode = counts.same_tokens_pairs_of_code;
  const accepted = acceptedPairs(counts);
  if (ofCode < FEW || ofCode < SHARE * accepted) return [];
  const [differ, remedy] = remedyOf(shingle);
  return [
    `${grouped(ofCode)} of ${counted(accepted, 'accepted pair is', 'accepted pairs are')} of kind same-tokens in documents ` +
      `that look like code, markup or numbers: they differ in ${differ} alone, which may matter there ` +
      `("age >= limit", "age < limit"): ${remedy}.`,
  ];
}
