/**
 * Reduce by content hash: documents with the same canonical token sequence form a group, named by its first
 * member; within a group documents with the same text, byte for byte, are distinguished from the others.
 *
 * Works on document numbers, which are ranks in id order: "first in id order" is the smaller number. All
 * later steps (bands, near pairs) process first members only, so 100,000 copies of one page cost one document
 * there.
 */
import { sortByKey64 } from '../src/arrays/sort.js';

/**
 * The groups of two or more documents, as rows of different length one after the other: group c has the
 * members `members[offsets[c] .. offsets[c + 1])`, ascending, the first of them being `firsts[c]`; groups
 * ascend by first. `texts[i]` is the first member of the group with the same text as `members[i]`.
 */
export interface DuplicateGroups {
  readonly firsts: Uint32Array;
  /** One more entry than there are groups. */
  readonly offsets: Uint32Array;
  readonly members: Uint32Array;
  readonly texts: Uint32Array;
}

export interface IdentityClasses {
  /** Document -> first member of its group; itself when it is alone or empty. */
  readonly first: Uint32Array;
  readonly members: DuplicateGroups;
}

/**
 * Groups documents by their 128-bit content hash (four uint32 per document), and the members of a group by
 * their text hashes; without text hashes (sets, which have no text) all members of a group are identical.
 *
 * A document with `empty[d] = 1` (no tokens, or withdrawn) is alone whatever its key: an empty document is
 * never a duplicate. No documents give no groups. O(n) by radix sort, even when an adversary makes half keys
 * collide.
 */
export function identityClasses(
  contentKeys: Uint32Array,
  empty: Uint8Array,
  textKeys: Uint32Array | null = null,
): IdentityClasses {
  const count = empty.length;
  const first = new Uint32Array(count);
  const documents = new Uint32Array(count);
  let full = 0;
  for (let d = 0; d < count; d++) {
    first[d] = d;
    if (empty[d] === 0) documents[full++] = d;
  }
  nameFirsts(contentKeys, documents.subarray(0, full), first);
  return { first, members: classMembers(first, textKeys) };
}

/** By document: the first of the ascending `documents` with the same key; reorders `documents`. */
function nameFirsts(allKeys: Uint32Array, documents: Uint32Array, first: Uint32Array): void {
  const keys = halfKeys(allKeys, documents, documents.length, 0);
  sortByKey64(keys, documents, documents.length);
  for (let from = 0; from < documents.length; ) {
    const to = endOfRun(keys, from, documents.length);
    if (to - from > 1) splitRun(allKeys, documents.subarray(from, to), first);
    from = to;
  }
}

/** Half of the keys of `documents`: the two words from `word` (0 or 2) on, as pairs. */
function halfKeys(allKeys: Uint32Array, documents: Uint32Array, count: number, word: 0 | 2): Uint32Array {
  const keys = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    const at = 4 * documents[i]! + word;
    keys[2 * i] = allKeys[at]!;
    keys[2 * i + 1] = allKeys[at + 1]!;
  }
  return keys;
}

/** End (exclusive) of the run of equal 64-bit keys that starts at `from`. */
function endOfRun(keys: Uint32Array, from: number, count: number): number {
  let to = from + 1;
  while (to < count && keys[2 * to] === keys[2 * from] && keys[2 * to + 1] === keys[2 * from + 1]) to++;
  return to;
}

/**
 * Names the first member of every document in a run of equal first halves. The run ascends (the sort is
 * stable) and nearly always is one group; sorting it again by the second half costs little and has no bad
 * case.
 */
function splitRun(allKeys: Uint32Array, run: Uint32Array, first: Uint32Array): void {
  const keys = halfKeys(allKeys, run, run.length, 2);
  if (endOfRun(keys, 0, run.length) < run.length) sortByKey64(keys, run, run.length);
  for (let from = 0; from < run.length; ) {
    const to = endOfRun(keys, from, run.length);
    for (let i = from; i < to; i++) first[run[i]!] = run[from]!;
    from = to;
  }
}

/** The groups of two or more documents that `first` describes. */
function classMembers(first: Uint32Array, textKeys: Uint32Array | null): DuplicateGroups {
  const sizes = new Uint32Array(first.length);
  for (let d = 0; d < first.length; d++) sizes[first[d]!]!++;
  let classes = 0;
  let total = 0;
  for (let d = 0; d < sizes.length; d++) {
    if (sizes[d]! < 2) continue;
    classes++;
    total += sizes[d]!;
  }
  const firsts = new Uint32Array(classes);
  const offsets = new Uint32Array(classes + 1);
  const members = new Uint32Array(total);
  // From here `sizes` holds, for the first member of a group, the position of the group's next member.
  for (let d = 0, c = 0, end = 0; d < sizes.length; d++) {
    const size = sizes[d]!;
    if (size < 2) {
      sizes[d] = NONE;
      continue;
    }
    firsts[c] = d;
    sizes[d] = end;
    end += size;
    offsets[++c] = end;
  }
  for (let d = 0; d < first.length; d++) {
    const f = first[d]!;
    if (sizes[f] !== NONE) members[sizes[f]!++] = d;
  }
  const texts = textsOf(first, offsets, members, textKeys);
  return { firsts, offsets, members, texts };
}

/** By position in `members`: the first member of the group with the same text. */
function textsOf(
  first: Uint32Array,
  offsets: Uint32Array,
  members: Uint32Array,
  textKeys: Uint32Array | null,
): Uint32Array {
  const texts = new Uint32Array(members.length);
  for (let i = 0; i < members.length; i++) texts[i] = first[members[i]!]!;
  if (textKeys === null) return texts;
  let named: Uint32Array | null = null;
  for (let c = 0; c + 1 < offsets.length; c++) {
    const from = offsets[c]!;
    const to = offsets[c + 1]!;
    if (areEqual(textKeys, members, from, to)) continue;
    named ??= first.slice();
    const ofClass = members.slice(from, to);
    for (const member of ofClass) named[member] = member;
    nameFirsts(textKeys, ofClass, named);
    for (let i = from; i < to; i++) texts[i] = named[members[i]!]!;
  }
  return texts;
}

/** Whether the members at [from, to) all have the same key. */
function areEqual(keys: Uint32Array, members: Uint32Array, from: number, to: number): boolean {
  const at = 4 * members[from]!;
  for (let i = from + 1; i < to; i++) {
    const other = 4 * members[i]!;
    for (let word = 0; word < 4; word++) if (keys[at + word] !== keys[other + word]) return false;
  }
  return true;
}

/**
 * A document that is not the first member of a group of two or more. It is no position: those are below 2^32
 * - 1.
 */
const NONE = 0xffffffff;
