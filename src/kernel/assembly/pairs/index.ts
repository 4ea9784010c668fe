// Documents -> buckets -> pairs -> agreements, a whole column a call; reducers/candidatePairs.ts and

// reducers/verifiedPairs.ts are the references.
export * from './agreement';
export * from './buckets';
export * from './distinct';
