/**
 * Documents -> buckets -> pairs -> matching slots, a whole column per call; reducers/candidatePairs.ts and
 * reducers/verifiedPairs.ts are the references.
 */
export { agreements, giveRows, takeRows } from './agreement';
export * from './buckets';
export * from './distinct';
export * from './members';
