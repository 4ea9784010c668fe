/**
 * What is compared, in the words of who compares it: documents of shingles, or sets of elements.
 *
 * Floor 4. Pure. Counts in manifest.json are named after documents always.
 */
import { type ResultParams, rowRuleOf } from './sketch/params.js';

export interface Wording {
  readonly document: string;
  readonly documents: string;
  readonly shingle: string;
  readonly shingles: string;
  /** What a size counts. */
  readonly distinct: string;
  /** The same where it is said first. */
  readonly distinctInFull: string;
  /** Those of one class: what needs no sketch to be found. */
  readonly alike: string;
  /** Of few elements. */
  readonly short: string;
}

const OF_TEXTS: Wording = {
  document: 'document',
  documents: 'documents',
  shingle: 'shingle',
  shingles: 'shingles',
  distinct: 'distinct shingles',
  distinctInFull: 'distinct shingles',
  alike: 'documents with the same tokens',
  short: 'short',
};

const OF_SETS: Wording = {
  document: 'set',
  documents: 'sets',
  shingle: 'element',
  shingles: 'elements',
  distinct: 'elements',
  distinctInFull: 'elements',
  alike: 'identical sets',
  short: 'small',
};

const OF_BAGS: Wording = { ...OF_SETS, distinctInFull: 'elements, copies counted' };

export function wordingOf(params: Pick<ResultParams, 'sets' | 'shingle'>): Wording {
  if (params.sets === undefined) return OF_TEXTS;
  const rule = rowRuleOf(params);
  return rule === 'bag' || rule === 'stars' ? OF_BAGS : OF_SETS;
}
