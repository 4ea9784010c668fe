/**
 * Documents that changed between the readings are withdrawn: who stands in their pairs instead.
 *
 * Floor 4. Works on document numbers; never knows texts, ids or why a document was withdrawn.
 */
import type { VerifiedPairs } from '../../reducers/verifiedPairs.js';

/** Nobody: the class of the document is gone. */
export const NONE = 0xffffffff;

/**
 * By document: who stands in pairs for it once the documents flagged in `withdrawn` are gone: itself, the
 * next member of its class for a withdrawn first member, NONE where none is left.
 *
 * @param before first member of every document's class before the withdrawal
 * @param after the same after it
 */
export function heirsOf(before: Uint32Array, after: Uint32Array, withdrawn: Uint8Array): Uint32Array {
  const heir = new Uint32Array(before.length);
  for (let d = 0; d < before.length; d++) heir[d] = withdrawn[d] === 1 ? NONE : d;
  for (let d = 0; d < before.length; d++) {
    if (withdrawn[d] === 0 && withdrawn[before[d]!] === 1) heir[before[d]!] = after[d]!;
  }
  return heir;
}

/**
 * The pairs with the heirs in the places of the withdrawn, sorted by (a, b); pairs of a class that is gone
 * are void. An heir has the content of the one it stands for, so the evidence stays true.
 */
export function inheritedPairs(pairs: VerifiedPairs, heir: Uint32Array): VerifiedPairs {
  const a = new Uint32Array(pairs.count);
  const b = new Uint32Array(pairs.count);
  const containmentAB = new Float64Array(pairs.count);
  const containmentBA = new Float64Array(pairs.count);
  const rows = new Uint32Array(pairs.count);
  let count = 0;
  for (let i = 0; i < pairs.count; i++) {
    const x = heir[pairs.a[i]!]!;
    const y = heir[pairs.b[i]!]!;
    if (x === NONE || y === NONE) continue;
    a[i] = Math.min(x, y);
    b[i] = Math.max(x, y);
    containmentAB[i] = (x < y ? pairs.containmentAB : pairs.containmentBA)[i]!;
    containmentBA[i] = (x < y ? pairs.containmentBA : pairs.containmentAB)[i]!;
    rows[count++] = i;
  }
  const order = rows.subarray(0, count).sort((i, j) => a[i]! - a[j]! || b[i]! - b[j]!);
  return {
    count,
    a: Uint32Array.from(order, (i) => a[i]!),
    b: Uint32Array.from(order, (i) => b[i]!),
    agreement: Uint16Array.from(order, (i) => pairs.agreement[i]!),
    jaccard: Float64Array.from(order, (i) => pairs.jaccard[i]!),
    containmentAB: Float64Array.from(order, (i) => containmentAB[i]!),
    containmentBA: Float64Array.from(order, (i) => containmentBA[i]!),
    accepted: Uint8Array.from(order, (i) => pairs.accepted[i]!),
  };
}
