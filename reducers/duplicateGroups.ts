/**
 * Reduce by content key: documents with the same token sequence become duplicate groups. Works on document numbers, which are in
 * keep order, so the first member of a group is the one that is kept; only first members go on to bands.
 */
import { numbersBelow } from '../src/arrays/growable.js';
import { sortByKey64 } from '../src/arrays/sort.js';

/**
 * The groups of two or more documents, as rows of different length one after the other: group g has the members
 * `members[offsets[g] .. offsets[g + 1])`, ascending; groups ascend by their first member.
 */
export interface DuplicateGroups {
  /** By document: the first member of its group; itself where it is in none. */
  readonly firstOf: Uint32Array;
  /** One more entry than there are groups. */
  readonly offsets: Uint32Array;
  readonly members: Uint32Array;
  /** By position in `members`: the first member with the same text, byte for byte. */
  readonly texts: Uint32Array;
}

/**
 * Groups documents by their 128-bit content keys, four uint32 each. Linear: by radix sort, whatever the keys are.
 *
 * @param documents all documents
 * @param repeated the numbers of those that may be in a group, in any order; at most one per document
 * @param keys of `repeated`
 * @param textKeys the 128-bit text hashes of some documents; null: sets, which have no text, so that members have the same
 */
export function duplicateGroups(
  documents: number,
  repeated: Uint32Array,
  keys: Uint32Array,
  textKeys: ((documents: Uint32Array) => Uint32Array) | null,
): DuplicateGroups {
  const first = firstsByKey(keys, repeated);
  const firstOf = numbersBelow(documents);
  let later = 0;
  for (let i = 0; i < repeated.length; i++) {
    firstOf[repeated[i]!] = first[i]!;
    if (first[i] !== repeated[i]) later++;
  }
  const order = new Uint32Array(later);
  const sortKeys = new Uint32Array(2 * later);
  for (let i = 0, at = 0; at < later; i++) {
    if (first[i] === repeated[i]) continue;
    sortKeys[2 * at] = repeated[i]!;
    sortKeys[2 * at + 1] = first[i]!;
    order[at++] = repeated[i]!;
  }
  sortByKey64(sortKeys, order, later);
  let groups = 0;
  for (let i = 0; i < later; i++) if (i === 0 || sortKeys[2 * i + 1] !== sortKeys[2 * i - 1]) groups++;
  const offsets = new Uint32Array(groups + 1);
  const members = new Uint32Array(later + groups);
  for (let i = 0, group = 0, end = 0; i < later; i++) {
    if (i === 0 || sortKeys[2 * i + 1] !== sortKeys[2 * i - 1]) {
      members[end++] = sortKeys[2 * i + 1]!;
      group++;
    }
    members[end++] = order[i]!;
    offsets[group] = end;
  }
  return { firstOf, offsets, members, texts: textsOf(offsets, members, textKeys) };
}

/** By row: the least number with the same key. */
function firstsByKey(keys: Uint32Array, numbers: Uint32Array): Uint32Array {
  const rows = numbersBelow(numbers.length);
  const first = numbers.slice();
  eachRun(keys, rows, 0, (half) => {
    eachRun(keys, half, 2, (run) => {
      let least = numbers[run[0]!]!;
      for (const row of run) if (numbers[row]! < least) least = numbers[row]!;
      for (const row of run) first[row] = least;
    });
  });
  return first;
}

/** Sorts rows by the 64 bits of their keys from `word` (0 or 2) on, and visits each run of two or more equal ones. */
function eachRun(keys: Uint32Array, rows: Uint32Array, word: 0 | 2, visit: (run: Uint32Array) => void): void {
  const count = rows.length;
  const halves = new Uint32Array(2 * count);
  for (let i = 0; i < count; i++) {
    halves[2 * i] = keys[4 * rows[i]! + word]!;
    halves[2 * i + 1] = keys[4 * rows[i]! + word + 1]!;
  }
  sortByKey64(halves, rows, count);
  for (let from = 0, to = 0; from < count; from = to) {
    for (to = from + 1; to < count; to++)
      if (halves[2 * to] !== halves[2 * from] || halves[2 * to + 1] !== halves[2 * from + 1]) break;
    if (to - from > 1) visit(rows.subarray(from, to));
  }
}

function textsOf(
  offsets: Uint32Array,
  members: Uint32Array,
  textKeys: ((documents: Uint32Array) => Uint32Array) | null,
): Uint32Array {
  const texts = new Uint32Array(members.length);
  const keys = textKeys?.(members) ?? null;
  for (let group = 0; group + 1 < offsets.length; group++) {
    const [from, to] = [offsets[group]!, offsets[group + 1]!];
    if (keys === null || areEqual(keys, from, to)) texts.fill(members[from]!, from, to);
    else texts.set(firstsByKey(keys.subarray(4 * from, 4 * to), members.subarray(from, to)), from);
  }
  return texts;
}

/** Whether the rows [from, to) all have the same key. */
function areEqual(keys: Uint32Array, from: number, to: number): boolean {
  for (let word = 4 * (from + 1); word < 4 * to; word++) if (keys[word] !== keys[word - 4]) return false;
  return true;
}
