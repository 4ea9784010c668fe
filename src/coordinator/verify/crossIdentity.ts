/**
 * Identity classes where documents have groups: which classes are pairs of two groups, and which documents stand for a class in
 * a pair.
 *
 * Classes are those of all documents: a class is compared once, whatever groups its members have. One with members of several
 * groups makes pairs with every other class; one of a single group only with classes that have others.
 */

import type { DuplicateGroups, IdentityClasses } from '../../../reducers/identityClasses.js';
import type { Groups } from '../../arrays/groupCounts.js';
import type { Pairs } from '../../blocks/pairs.js';

/** The number of groups: they are numbered from 0. */
export function groupCount(group: Uint32Array): number {
  let count = 0;
  for (let d = 0; d < group.length; d++) count = Math.max(count, group[d]! + 1);
  return count;
}

/** Whether the class at a position has members of two groups or more. */
function isMixed({ offsets, members }: DuplicateGroups, c: number, group: Uint32Array): boolean {
  const own = group[members[offsets[c]!]!];
  for (let i = offsets[c]! + 1; i < offsets[c + 1]!; i++) if (group[members[i]!] !== own) return true;
  return false;
}

/**
 * The groups by which first members are compared, written into `of`: that of the members where all have one, else a number that
 * no other document has.
 */
export function comparedGroups({ members }: IdentityClasses, group: Uint32Array, of: Uint32Array): Groups {
  const count = groupCount(group);
  of.set(group);
  for (let c = 0; c < members.firsts.length; c++) {
    const first = members.firsts[c]!;
    if (isMixed(members, c, group)) of[first] = count + first;
  }
  return { of };
}

function classesWhere(groups: DuplicateGroups, isWanted: (c: number) => boolean): DuplicateGroups {
  const { firsts, offsets, members, texts } = groups;
  const chosen = Uint32Array.from(firsts.keys()).filter(isWanted);
  if (chosen.length === firsts.length) return groups;
  const starts = new Uint32Array(chosen.length + 1);
  chosen.forEach((c, i) => {
    starts[i + 1] = starts[i]! + offsets[c + 1]! - offsets[c]!;
  });
  const some = {
    firsts: chosen.map((c) => firsts[c]!),
    offsets: starts,
    members: new Uint32Array(starts.at(-1)!),
    texts: new Uint32Array(starts.at(-1)!),
  };
  chosen.forEach((c, i) => {
    some.members.set(members.subarray(offsets[c]!, offsets[c + 1]!), starts[i]!);
    some.texts.set(texts.subarray(offsets[c]!, offsets[c + 1]!), starts[i]!);
  });
  return some;
}

/** The classes with members of two groups: only they have pairs of identical documents. */
export function mixedClasses({ members }: IdentityClasses, group: Uint32Array): DuplicateGroups {
  return classesWhere(members, (c) => isMixed(members, c, group));
}

/** The classes that clusters need: with members of two groups, or in a near pair. */
export function linkedClasses(
  { first, members }: IdentityClasses,
  group: Uint32Array,
  near: Pairs,
): IdentityClasses {
  const isNear = new Uint8Array(first.length);
  for (let i = 0; i < near.count; i++) {
    isNear[near.a[i]!] = 1;
    isNear[near.b[i]!] = 1;
  }
  const isLinked = (c: number): boolean => isNear[members.firsts[c]!] === 1 || isMixed(members, c, group);
  return { first, members: classesWhere(members, isLinked) };
}

/**
 * Pairs of first members as pairs of two groups: where both are of one group, a member of another group takes the place of one of
 * them, that of `b` if its class has one. Null: no document is replaced.
 */
export function crossNames(
  { members }: IdentityClasses,
  group: Uint32Array,
  { a, b, count }: Pairs,
): { readonly a: Uint32Array; readonly b: Uint32Array } | null {
  const isSame = (i: number): boolean => group[a[i]!] === group[b[i]!];
  let same = 0;
  for (let i = 0; i < count; i++) if (isSame(i)) same++;
  if (same === 0) return null;
  const others = firstOfOthers(members, group);
  const named = { a: a.slice(0, count), b: b.slice(0, count) };
  for (let i = 0; i < count; i++) {
    if (!isSame(i)) continue;
    const other = others[b[i]!]!;
    if (other > 0) named.b[i] = other - 1;
    else named.a[i] = others[a[i]!]! - 1;
  }
  return named;
}

/** By first member of a class: the first member of another group, from 1 on; 0: there is none. */
function firstOfOthers({ firsts, offsets, members }: DuplicateGroups, group: Uint32Array): Uint32Array {
  const others = new Uint32Array(group.length);
  for (let c = 0; c < firsts.length; c++) {
    const own = group[firsts[c]!];
    for (let i = offsets[c]! + 1; i < offsets[c + 1]! && others[firsts[c]!] === 0; i++) {
      if (group[members[i]!] !== own) others[firsts[c]!] = members[i]! + 1;
    }
  }
  return others;
}

/**
 * The classes in two lists: those that clusters need, and those whose documents are pairs of identical ones. Without
 * groups both have all classes.
 */
export function crossClasses(classes: IdentityClasses, group: Uint32Array | null, near: Pairs) {
  if (group === null) return { linked: classes, identical: classes };
  const identical = { first: classes.first, members: mixedClasses(classes, group) };
  return { linked: linkedClasses(classes, group, near), identical };
}
