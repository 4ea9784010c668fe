/**
 * Groups of documents in records: only pairs of two groups are made. What of it is said of a class is its `crossing` (kinds.ts).
 */
import type { ResultParams } from '../../sketch/params.js';
import { KIND, RANK } from './kinds.js';
import { u64At } from './records.js';

/** Bytes of a crossing: the group of the first member, and from 1 on the rank of the first member of another group. */
const CROSSING = 2 * RANK;
/** Groups of classes with members of several groups are numbered from here on, by their first members. */
const OWN_GROUPS = 2 ** 52;

/** Whether documents have groups. */
export const hasGroups = ({ groups }: Pick<ResultParams, 'groups'>): boolean => groups !== null;

/** Bytes behind the slots of signatures. */
export const crossingBytes = (params: Pick<ResultParams, 'groups'>): number =>
  hasGroups(params) ? CROSSING : 0;

/** Bytes of the pair in a key of `compared`, `evidence` and what is made of them. */
export const pairBytes = (params: Pick<ResultParams, 'groups'>): number => 2 * RANK + crossingBytes(params);

/** A crossing that stands in bytes. */
export function crossingAt(
  bytes: Uint8Array,
  at: number,
): { readonly group: number; readonly other: number } {
  return { group: u64At(bytes, at), other: u64At(bytes, at + RANK) };
}

/** The group by which a class is compared: that of its members, or one that no other class has. */
export function comparedGroup(crossing: Uint8Array, at: number, first: number): number {
  const { group, other } = crossingAt(crossing, at);
  return other === 0 ? group : OWN_GROUPS + first;
}

/** The documents of two groups that stand for a pair in a key that has them, else its own. */
export function namesOfPair(key: Uint8Array): { readonly a: number; readonly b: number } {
  const from = key.length > KIND + 2 * RANK ? KIND + 2 * RANK : KIND;
  return { a: u64At(key, from), b: u64At(key, from + RANK) };
}
