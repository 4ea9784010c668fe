/** Documents -> buckets -> pairs -> matching slots, a whole column per call. */
export { agreements, giveRows, takeRows } from './agreement';
export * from './buckets';
export * from './distinct';
export * from './members';
