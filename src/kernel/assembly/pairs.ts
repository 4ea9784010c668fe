// Documents -> buckets -> pairs -> agreements, a whole column a call; reducers/candidatePairs.ts and
// reducers/verifiedPairs.ts are the references.
export * from './pairsAgreement';
export * from './pairsBuckets';
export * from './pairsDistinct';
