/**
 * Groups of documents in records: where documents have groups, only documents of two groups make a pair. The `crossing` of a
 * class (kinds.ts) says which groups its members have.
 */
import { isSample, type ResultParams } from '../../sketch/params.js';
import { BUCKET, KIND, OF_HOT, RANK } from './kinds.js';
import { type FieldWriter, u64At } from './records.js';

/** Bytes of a crossing: the group of the first member, and (plus 1) the rank of the first member of another group. */
export const CROSSING_BYTES = 2 * RANK;
/** Classes with members of several groups have group numbers from here on, by the ranks of their first members. */
const OWN_GROUPS = 2 ** 52;

export const hasGroups = ({ groups }: Pick<ResultParams, 'groups'>): boolean => groups !== null;

/** Bytes of the crossing behind the slots of a signature; 0 without groups. */
export const crossingBytes = (params: Pick<ResultParams, 'groups'>): number =>
  hasGroups(params) ? CROSSING_BYTES : 0;

/** Bytes of the pair in the keys of `compared` and `evidence`, and of records made from them. */
export const pairBytes = (params: Pick<ResultParams, 'groups'>): number => 2 * RANK + crossingBytes(params);

/** The group of a class's first member, and 1 plus the rank of the first member of another group; 0: there is none. */
interface Crossing {
  readonly group: number;
  readonly other: number;
}

export function crossingAt(bytes: Uint8Array, at: number): Crossing {
  return { group: u64At(bytes, at), other: u64At(bytes, at + RANK) };
}

/** The group by which a class is compared: the one group of its members, or, with several, a group that no other class has. */
export function comparedGroup(crossing: Uint8Array, at: number, first: number): number {
  const { group, other } = crossingAt(crossing, at);
  return other === 0 ? group : OWN_GROUPS + first;
}

/**
 * The documents that stand for a pair of classes: their first members `a` and `b`. Where these are of one group, the first member of
 * another group replaces one of them, that of `b` if it has one. Two classes of one and the same group, which are compared only
 * for their similarity, keep their first members.
 */
function standingFor(a: number, ofA: Crossing, b: number, ofB: Crossing): { a: number; b: number } {
  if (ofA.group !== ofB.group) return { a, b };
  if (ofB.other > 0) return { a, b: ofB.other - 1 };
  return { a: ofA.other > 0 ? ofA.other - 1 : a, b };
}

/** Appends the documents that stand for a pair; the crossings are those in `ofA` and `ofB` at the given places. */
export function appendNames(
  out: FieldWriter,
  [a, ofA, atA]: readonly [rank: number, crossing: Uint8Array, at: number],
  [b, ofB, atB]: readonly [rank: number, crossing: Uint8Array, at: number],
): FieldWriter {
  const names = standingFor(a, crossingAt(ofA, atA), b, crossingAt(ofB, atB));
  return out.u64(names.a).u64(names.b);
}

/** The compared group of a member of a hot bucket. Without groups every member is a group of its own. */
export function groupOfHot({
  groups,
  sketch,
}: Pick<ResultParams, 'groups' | 'sketch'>): (key: Uint8Array, value: Uint8Array) => Uint8Array {
  if (groups === null && !isSample(sketch)) return (key) => key.subarray(KIND + BUCKET);
  return (_key, value) => value.subarray(OF_HOT.group, OF_HOT.group + RANK);
}

/** Where the documents that stand for the pair begin in a key. */
export const namesAt = (key: Uint8Array): number => (key.length > KIND + 2 * RANK ? KIND + 2 * RANK : KIND);

/** The documents of two groups that stand for the pair, where the key has them; else the pair itself. */
export function namesOfPair(key: Uint8Array): { readonly a: number; readonly b: number } {
  const from = namesAt(key);
  return { a: u64At(key, from), b: u64At(key, from + RANK) };
}
