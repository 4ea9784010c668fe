/**
 * Reduce by content hash: documents with the same canonical token sequence form a group, named by its first
 * member; within a group documents with the same text, byte for byte, are distinguished from the others.
 *
 * Works on document numbers, which are in the order of places: the first is the smaller number. All
 * later steps (bands, near pairs) process first members only, so 100,000 copies of one page cost one document
 * there.
 */
import { numbersBelow } from '../src/arrays/growable.js';
import { sortByKey64 } from '../src/arrays/sort.js';
import type { Stepwise } from '../src/arrays/stepwise.js';

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

/** Returns the text hashes of some documents, four uint32 each; called only for members of groups. */
export type TextKeys = (documents: Uint32Array) => Uint32Array;

/**
 * Groups documents by their 128-bit content hash (four uint32 per document), and the members of a group by
 * their text hashes; without text hashes (sets, which have no text) all members of a group are identical.
 *
 * A document with `empty[d] = 1` (no tokens, or withdrawn) is alone whatever its key: an empty document is never a duplicate. No
 * documents give no groups. O(n) by radix sort, whatever the keys are.
 */
export function* identityClasses(
  contentKeys: Uint32Array,
  empty: Uint8Array,
  textKeys: TextKeys | null = null,
): Stepwise<IdentityClasses> {
  const first = numbersBelow(empty.length);
  nameFirsts(contentKeys, empty, first);
  yield;
  return { first, members: yield* classMembers(first, textKeys) };
}

/**
 * By row of `keys`, writes the least row with the same key into `first`, which names each row itself before. Leaves rows flagged
 * in `empty` alone.
 */
function nameFirsts(keys: Uint32Array, empty: Uint8Array | null, first: Uint32Array): void {
  const rows = new Uint32Array(first.length);
  let count = 0;
  for (let row = 0; row < first.length; row++) if (empty === null || empty[row] === 0) rows[count++] = row;
  const halves = halfKeys(keys, rows, count, 0);
  sortByKey64(halves, rows, count);
  for (let from = 0; from < count; ) {
    const to = endOfRun(halves, from, count);
    if (to - from > 1) splitRun(keys, rows.subarray(from, to), first);
    from = to;
  }
}

/** Half of the keys of rows: the two words from `word` (0 or 2) on, as pairs. */
function halfKeys(allKeys: Uint32Array, rows: Uint32Array, count: number, word: 0 | 2): Uint32Array {
  const keys = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    const at = 4 * rows[i]! + word;
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
 * Names the first of every row in a run of equal first halves. The run ascends (the sort is stable) and nearly
 * always is one group; sorting it again by the second half costs little and has no bad case.
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

/** The groups of two or more documents that `first` describes. Few documents are in a group: the others are visited once. */
function* classMembers(first: Uint32Array, textKeys: TextKeys | null): Stepwise<DuplicateGroups> {
  const later = laterMembers(first);
  // Sorts by (first, member): groups ascend by first, members within a group; the first comes before the other members.
  const keys = new Uint32Array(2 * later.length);
  for (let i = 0; i < later.length; i++) keys[2 * i + 1] = first[later[i]!]!;
  sortByKey64(keys, later, later.length);
  let classes = 0;
  for (let i = 0; i < later.length; i++) if (i === 0 || keys[2 * i + 1] !== keys[2 * i - 1]) classes++;
  const firsts = new Uint32Array(classes);
  const offsets = new Uint32Array(classes + 1);
  const members = new Uint32Array(later.length + classes);
  for (let i = 0, c = 0, end = 0; i < later.length; i++) {
    if (i === 0 || keys[2 * i + 1] !== keys[2 * i - 1]) {
      firsts[c++] = keys[2 * i + 1]!;
      members[end++] = keys[2 * i + 1]!;
    }
    members[end++] = later[i]!;
    offsets[c] = end;
  }
  yield;
  return { firsts, offsets, members, texts: textsOf(first, offsets, members, textKeys) };
}

/** The documents that are not the first of their group, ascending. */
function laterMembers(first: Uint32Array): Uint32Array {
  let count = 0;
  for (let d = 0; d < first.length; d++) if (first[d] !== d) count++;
  const later = new Uint32Array(count);
  for (let d = 0, i = 0; i < count; d++) if (first[d] !== d) later[i++] = d;
  return later;
}

/** By position in `members`: the first member of the group with the same text. */
function textsOf(
  first: Uint32Array,
  offsets: Uint32Array,
  members: Uint32Array,
  textKeys: TextKeys | null,
): Uint32Array {
  const texts = new Uint32Array(members.length);
  for (let i = 0; i < members.length; i++) texts[i] = first[members[i]!]!;
  if (textKeys === null) return texts;
  const keys = textKeys(members);
  for (let c = 0; c + 1 < offsets.length; c++) {
    const from = offsets[c]!;
    const to = offsets[c + 1]!;
    if (areEqual(keys, from, to)) continue;
    const positions = numbersBelow(to - from);
    nameFirsts(keys.subarray(4 * from, 4 * to), null, positions);
    for (let i = from; i < to; i++) texts[i] = members[from + positions[i - from]!]!;
  }
  return texts;
}

/** Whether the rows [from, to) all have the same key. */
function areEqual(keys: Uint32Array, from: number, to: number): boolean {
  for (let word = 4 * (from + 1); word < 4 * to; word++) if (keys[word] !== keys[word - 4]) return false;
  return true;
}
