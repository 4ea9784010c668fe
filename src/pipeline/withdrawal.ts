/**
 * Documents that changed between the readings are withdrawn: who stands in their pairs instead.
 *
 * Floor 4. Works on document numbers; never knows texts, ids or why a document was withdrawn.
 */
import type { RowEvidence, VerifiedPairs } from '../../reducers/verifiedPairs.js';
import type { HotMembers } from '../sketch/pairs.js';
import { sortByKey64 } from '../sketch/radixSort.js';

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
  const keys = new Uint32Array(2 * pairs.count);
  const rows = new Uint32Array(pairs.count);
  let count = 0;
  for (let i = 0; i < pairs.count; i++) {
    const x = heir[pairs.a[i]!]!;
    const y = heir[pairs.b[i]!]!;
    if (x === NONE || y === NONE) continue;
    keys[2 * count] = Math.max(x, y);
    keys[2 * count + 1] = Math.min(x, y);
    rows[count++] = i;
  }
  sortByKey64(keys, rows, count);
  const { exact } = pairs;
  const order = rows.subarray(0, count);
  const a = new Uint32Array(count);
  const b = new Uint32Array(count);
  for (let row = 0; row < count; row++) {
    a[row] = keys[2 * row + 1]!;
    b[row] = keys[2 * row]!;
  }
  // A row is turned round where the heir of its earlier document is the later one.
  const turned = (row: number): boolean => heir[pairs.a[order[row]!]!] !== a[row];
  const pick = <T extends Uint8Array | Uint16Array>(from: T): T => {
    const Type = from.constructor as new (length: number) => T;
    const out = new Type(count);
    for (let row = 0; row < count; row++) out[row] = from[order[row]!]!;
    return out;
  };
  return {
    count,
    a,
    b,
    agreement: pick(pairs.agreement),
    accepted: pick(pairs.accepted),
    exact: exact && inheritedEvidence(exact, pairs.count, order, turned),
  };
}

/** The evidence of `count` rows for the rows `order`; where `turned`, the documents of the pair changed places. */
function inheritedEvidence(
  exact: RowEvidence,
  count: number,
  order: Uint32Array,
  turned: (row: number) => boolean,
): RowEvidence {
  const positions = new Uint32Array(count).fill(NONE);
  for (let i = 0; i < exact.rows.length; i++) positions[exact.rows[i]!] = i;
  const rows = new Uint32Array(order.length);
  let some = 0;
  for (let row = 0; row < order.length; row++) if (positions[order[row]!] !== NONE) rows[some++] = row;
  const pick = (from: Float64Array, other: Float64Array): Float64Array => {
    const out = new Float64Array(some);
    for (let i = 0; i < some; i++) {
      const row = rows[i]!;
      out[i] = (turned(row) ? other : from)[positions[order[row]!]!]!;
    }
    return out;
  };
  return {
    rows: rows.slice(0, some),
    jaccard: pick(exact.jaccard, exact.jaccard),
    containmentAB: pick(exact.containmentAB, exact.containmentBA),
    containmentBA: pick(exact.containmentBA, exact.containmentAB),
  };
}

/** Members of hot buckets with the heirs in the places of the withdrawn, under the numbers of their buckets. */
export function inheritedMembers(members: HotMembers, heir: Uint32Array): HotMembers {
  const keys = new Uint32Array(2 * members.documents.length);
  const rows = new Uint32Array(members.documents.length);
  let count = 0;
  for (let i = 0; i < members.documents.length; i++) {
    const document = heir[members.documents[i]!]!;
    if (document === NONE) continue;
    keys[2 * count + 1] = document;
    rows[count++] = members.buckets[i]!;
  }
  sortByKey64(keys, rows, count);
  const documents = new Uint32Array(count);
  for (let row = 0; row < count; row++) documents[row] = keys[2 * row + 1]!;
  return { documents, buckets: rows.slice(0, count) };
}
