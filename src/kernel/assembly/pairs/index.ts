/** Documents -> buckets -> pairs -> matching slots, a whole column per call. */
export * from './buckets';
export * from './distinct';
export * from './members';
