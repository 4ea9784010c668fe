/** Band keys -> buckets -> pairs -> equal slots, many records per call. */
export { agreePairs, compareMembers16, followLeaders, maskBands } from './compare';
export { distinctPairs16, groupByRange, placeDocuments, splitPairs } from './ranges';
export { countKeys, keepBuckets, largerBuckets, listPairs, markKeys, sortRecords, takeKeys } from './records';
export { shrinkSignatures, slotKeys } from './slots';
