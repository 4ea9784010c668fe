/** Documents -> buckets -> pairs -> matching slots, a whole column per call. */
export * from './buckets';
export { agreePairs, compareMembers16, followLeaders, maskBands } from './compare';
export * from './distinct';
export * from './members';
export { distinctPairs16, groupByRange } from './ranges';
export { countKeys, keepBuckets, largerBuckets, listPairs, markKeys, sortRecords, takeKeys } from './records';
export { shrinkSlots, slotKeys } from './slots';
